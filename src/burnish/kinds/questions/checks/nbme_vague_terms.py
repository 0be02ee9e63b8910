"""nbme_vague_terms: an option whose claim is left vague.

What it looks for: "often", "usually", "frequently", "sometimes", "may", "might" and similar words in an option, unless
more than half of the options have one. Not reported: the month of May, a permission ("may"), the words of a person in
the case, comparisons ("more often than"), set phrases ("usual care", "most common"), subordinate clauses, and long
explanations.
Why it matters: readers differ on how often "often" is, and a hedge hints at the key, because it makes a claim safe.
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
    could possibly probably perhaps tends tend can cases time likely many few
    """
)
UNCERTAIN = (
    "be|have|cause|lead|result|occur|affect|follow|decrease|increase|reduce|raise|lower|improve|worsen|impair|become|differ"
    "|vary|develop|appear|contribute|determine|indicate|suggest|play|help|involve|produce|provide|prevent|delay|need"
    "|show"
)
"""Verbs with which "may" means a possibility. With others it is a permission: "the Senate may introduce a bill"."""
ALTERNATIVES = re.compile(r"(?:\w+ ){1,3}or\b")
"""Alternatives after "may", which name what is possible: "may increase or decrease", "may or may not"."""
SUBORDINATE = re.compile(r"\b(?:that|which|who|whom|why|whether|if|unless|although|while|than|as)\b", re.IGNORECASE)
MODALS = frozenset({"may", "might", "could"})
VAGUE = re.compile(
    r"\b(?:"
    r"(?<!more )(?<!most )(?<!less )(?<!least )(?<!how )(?<!as )(?:often|frequently|commonly|rarely)(?!-)"
    r"|usually|sometimes|occasionally|seldom|(?<!more )generally|typically|mostly(?! of\b)|normally(?! distributed)"
    rf"|(?:(?<!\bin )(?<!early )(?<!late )(?<!of )may|might)(?= (?:also |well |even |still )?(?:{UNCERTAIN})\b)"
    r"|could (?:well|possibly|also|cause|lead to|result in|mean|indicate)"
    r"|possibly|probably|perhaps"
    r"|(?<=^)(?:many|a few)(?= \w+ \w)(?! of )"
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
        {"options": ("Many patients recover", "Half of them die", "Nobody relapses", "Everybody relapses")},
        {"options": ("Rain could also follow", "Wind follows", "Snow follows", "Frost follows")},
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
        {"options": ("Only the Senate may introduce bills", "The House does", "The court does", "The states do")},
        {"options": ("Its weight may increase or decrease", "It rises", "It falls", "It stays")},
        {"options": ("A study that may be harmful", "A survey", "A trial", "A census")},
        {"options": ("Because the chromosomes could pair", "They lost genes", "They were sterile", "They died out")},
        {"options": ("Air consists mostly of nitrogen", "Air is oxygen", "Air is argon", "Air is steam")},
        {"options": ("Some rational numbers are whole", "Every number is", "No number is", "Roots are")},
    ),
)
def vague_terms(question: Question) -> Findings:
    found = cue_words(question, TERMS, VAGUE, _is_vague)
    # If the vague word is the whole option each time, the options are a scale.
    if all(match.group() == option.text.strip() for option, match in found):
        return
    for option, match in found:
        message = f"Option {option.key} is vague ({match.group()!r})."
        advice = "Give a figure, or remove the vague word."
        yield question.finding(option, message, advice, match.span())


def _is_vague(match: re.Match[str], text: str) -> bool:
    """Whether the word hedges the claim: "May" inside an option is the month, and a modal in a subordinate clause or
    before alternatives does not hedge. A question claims nothing."""
    before = text[: match.start()].strip()
    if text.rstrip().endswith("?") or (match.group() == "May" and before):
        return False
    if match.group().split()[0].lower() not in MODALS:
        return True
    return SUBORDINATE.search(before) is None and ALTERNATIVES.match(text, match.end() + 1) is None
