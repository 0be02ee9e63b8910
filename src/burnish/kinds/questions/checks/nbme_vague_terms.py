"""nbme_vague_terms: an option whose claim is left vague.

What it looks for: "often", "usually", "frequently", "sometimes", "may", "might" and their like in an option, unless
every option has one. The month of May, what a person in the case says, comparisons ("more often than") and set phrases
("usual care", "most common") are passed over.
Why it matters: nobody knows how often "often" is, and a hedged claim is nearly always true, so the hedge points at the
key.
Fix: needs an author or a model: give the figure, or make the claim without the hedge.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.bank import cue_words
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.words import word_set

TERMS = word_set(
    """
    often usually frequently sometimes occasionally rarely seldom generally typically commonly normally mostly may might
    could possibly probably perhaps tends tend can cases time likely some many several few
    """
)
VAGUE = re.compile(
    r"\b(?:"
    r"(?<!more )(?<!most )(?<!less )(?<!least )(?<!how )(?<!as )(?:often|frequently|commonly|rarely)(?!-)"
    r"|usually|sometimes|occasionally|seldom|(?<!more )generally|typically|mostly|normally(?! distributed)"
    r"|(?<!in )(?<!early )(?<!late )(?<!of )may(?! \d)|might|could(?! (?:not|never|no longer)\b)"
    r"|possibly|probably|perhaps"
    r"|(?<=^)(?:some|many|several|a few)(?= \w+ \w)(?! of )"
    r"|tends? to|can (?:also|sometimes|often)|(?:in|for) (?:most|many|some) cases|most of the time"
    r")\b",
    re.IGNORECASE,
)


@check(
    id="nbme_vague_terms",
    title="Vague term in an option",
    severity="warning",
    languages=("en",),
    bad=(
        {"options": ("It usually resolves", "It spreads to bone", "It recurs", "It is inherited")},
        {"options": ("Often fatal", "Self-limited", "Chronic", "Congenital")},
        {"options": ("May cause cough", "Causes flushing", "Causes diarrhea", "Causes hair loss")},
        {"options": ("It rises", "It falls", "It sometimes stays the same", "It doubles")},
        {"options": ("Prices tend to fall", "Prices rise", "Output falls", "Wages rise")},
        {"options": ("Some patients recover", "Half of them die", "Nobody relapses", "Everybody relapses")},
        {"options": ("Rain might follow", "Wind follows", "Snow follows", "Frost follows")},
    ),
    good=(
        {"options": ("May 1945", "June 1944", "August 1945", "September 1939")},
        {"options": ("Usual care", "Surgery", "Radiation", "Observation")},
        {"options": ("More often in men than in women", "In children", "In the elderly", "After surgery")},
        {"options": ("“You may feel better soon.”", "“Tell me more.”", "“I see.”", "“Please wait.”")},
        {"options": ("Never", "Rarely", "Sometimes", "Often")},
        {"options": ("Normally distributed data", "Skewed data", "Ordinal data", "Nominal data")},
        {"options": ("It could no longer pay", "It was sold", "It was taxed", "It moved abroad")},
        {"options": ("In May", "In June", "In July", "In August")},
    ),
)
def vague_terms(question: Question) -> Findings:
    found = cue_words(question, TERMS, VAGUE, _is_vague)
    # Where each option with one is nothing but that word, the options are a scale.
    if all(match.group() == option.text.strip() for option, match in found):
        return
    for option, match in found:
        message = f"Option {option.key} is vague ({match.group()!r})."
        advice = "Give a figure, or remove the vague word."
        yield question.finding(option, message, advice, match.span())


def _is_vague(match: re.Match[str], text: str) -> bool:
    """ "May" with a capital inside the option is the month."""
    return match.group() != "May" or not text[: match.start()].strip()
