"""nbme_absolute_terms: an option that allows no exception.

What it looks for: "always", "never", "all", "only", "every" and similar words in an option, unless more than half of
the options have one. Not reported: parts of a name or a schedule ("all-trans retinoic acid", "every 6 hours",
"never-smoker"), terms of mathematics ("if and only if"), the words of a person in the case, and long explanations.
Why it matters: few claims have no exception, so learners rule out such options without knowing the subject.
Fix: needs an author or a model: remove the absolute word, or make another claim.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.bank import cue_words
from burnish.kinds.questions.model import Findings, Question
from burnish.languages.grammar import AUXILIARIES, verb_form
from burnish.languages.words import word_list, word_set

TERMS = word_set(
    """
    always never all only every everyone everybody everything nobody no completely entirely totally absolutely
    exclusively solely invariably certainly definitely impossible exception circumstances
    """
)
ABSOLUTE = re.compile(
    r"\b(?:"
    r"(?<!not )(?<!n't )(?<!almost )(?<!nearly )always|never(?![- ]?(?:smok|married|event|treated|exposed))"
    r"|(?<!at )(?<!after )(?<!above )(?<!not )(?<!almost )(?<!nearly )(?<!for )(?<!of )(?<!-)all"
    r"(?![- ](?:trans|or|cause|terrain|round|right|but|in[- ]one|time|across|over|along|around)\b"
    r"|(?: of)? (?:the )?(?:above|below|these|those|them|following|options?|answers?)\b"
    r"|(?: of)? the \w+ (?:listed|given|mentioned|named) above)"
    r"|(?<!not )(?<!read[- ])(?<!if )(?<!if and )(?<!['’]s )(?<!his )(?<!her )(?<!its )(?<!their )only"
    r"(?! (?:one|a|an|child|son|daughter|sometimes|partly|slightly|recently|just|[IVX]+)\b| \d)(?=\s+\w)"
    r"|(?<!not )(?<!almost )(?<!nearly )(?<!for )every(?:one|body|thing)?(?! (?:other|few|\d+|two|three|four|five|six"
    r"|eight|ten|twelve|second|third|night|day|hour|morning|evening|week|month|year))"
    r"|nobody|no one|(?<!not )(?<!to )(?<!longer )(?<!almost )(?<!nearly )(?:completely(?! randomi)|entirely"
    r"|totally(?! (?:ordered|bounded|disconnected)\b)|absolutely|exclusively|solely)|invariably"
    r"|certainly|definitely|impossible(?! to (?:tell|say|determine|know))|without exception"
    r"|under no circumstances)\b",
    re.IGNORECASE,
)


@check(
    id="nbme_absolute_terms",
    title="Absolute term in an option",
    severity="warning",
    languages=("en",),
    bad=(
        {"options": ("Always administer aspirin", "PCI", "Antibiotics", "Thrombolytics")},
        {"options": ("It never recurs", "It recurs in the elderly", "It resolves slowly", "It spreads to bone")},
        {"options": ("Stop all drugs", "Start aspirin", "Start heparin", "Order a chest x-ray")},
        {"options": ("It occurs only in children", "It occurs in the elderly", "It is inherited", "It is infectious")},
        {"options": ("Every patient needs surgery", "Surgery is needed late", "Drugs suffice", "Rest suffices")},
    ),
    good=(
        {"options": ("All-trans retinoic acid", "Aspirin", "Heparin", "Oxygen")},
        {"options": ("Acute lymphoblastic leukemia (ALL)", "Hodgkin lymphoma", "Multiple myeloma", "Sarcoma")},
        {"options": ("Aspirin every 6 hours", "Aspirin every day", "Heparin daily", "Oxygen at night")},
        {"options": ("Chlorambucil only", "Imatinib", "Rituximab", "Dasatinib")},
        {"options": ("Never-smokers", "Smokers", "Former smokers", "Passive smokers")},
        {"options": ("“This must be hard for you.”", "“Tell me more.”", "“I see.”", "“Please wait.”")},
        {"options": ("Not all cells divide", "Most cells divide", "Few cells divide", "Cells divide late")},
        {"options": ("The seller must refund the price", "The sale stands", "The buyer pays more", "The sale is void")},
        {"options": ("Half of all donations are small", "They are large", "They are late", "They are rare")},
        {"options": ("It vanishes if and only if x = 0", "It is odd", "It is even", "It is periodic")},
        {"options": ("Riots broke out all across Europe", "Prices fell", "Wages rose", "Trade grew")},
        {"options": ("To serve the king's only heir", "To raise taxes", "To win land", "To end the war")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "All of the above")},
        {"options": ("All sets starting with a zero", "All sets of ones", "All sets of zeros", "All empty sets")},
        {"options": ("All natural resources", "Farm land", "Real estate", "Machines and tools")},
        {"options": ("must obey the law", "must be prudent", "must be useful", "none of the above")},
    ),
)
def absolute_terms(question: Question) -> Findings:
    for option, match in cue_words(question, TERMS, ABSOLUTE, _is_absolute):
        message = f"Option {option.key} allows no exception ({match.group()!r})."
        advice = "Remove the absolute word, or make another claim."
        yield question.finding(option, message, advice, match.span())


def _is_absolute(match: re.Match[str], text: str) -> bool:
    """Whether the word makes a claim absolute: "ALL" is a diagnosis, unless the whole option is in capitals, and "all
    natural resources" has no verb, so it is not a claim."""
    if match.group() == "ALL":
        return text.isupper()
    if match.group().lower() not in ("all", "every"):
        return True
    words = word_list(text)
    return any(word in AUXILIARIES or verb_form(word) in ("base", "third", "gerund") for word in words)
