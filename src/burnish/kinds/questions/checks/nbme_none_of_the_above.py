"""nbme_none_of_the_above: an option that denies all the others.

What it looks for: "None of the above" and its paraphrases: "none of these", "neither A nor B", "the correct answer is
not listed", a bare "None", "Neither" or "Other".
Why it matters: it turns one question into several true-or-false questions, and a learner who picks it has not shown
knowledge of the right answer.
Fix: needs an author or a model: replace it with a real alternative.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Question
from burnish.kinds.questions.option_overlap import combinations
from burnish.languages.words import word_set

SUSPECTS = word_set("none neither nither no not other others something")
NONE_OF_THESE = re.compile(
    r"\W*(?:none|neither|nither|no one)(?: one)?(?: of)?(?: the)?(?: (?:other|given|listed))? (?:of )?"
    r"(?:above|these|those|them|below|following|foregoing|preceding|options?|choices?|answers?|alternatives|others?"
    r"|listed|(?:is|are) (?:correct|true|right)|apply|applies)\b",
    re.IGNORECASE,
)
NOT_LISTED = re.compile(
    r"\W*(?:(?:no|the) (?:correct|right) (?:answer|option|choice)(?: is)?(?: not)? ?(?:given|listed|here|shown)?"
    r"|(?:answer )?not (?:listed|given|shown)(?: here| above)?|no answer (?:is )?(?:correct|given)"
    r"|others?|something else|neither)\W*",
    re.IGNORECASE,
)
BARE_NONE = re.compile(r"\W*none\s*(?:[.,;:]|$)", re.IGNORECASE)
AMOUNT = re.compile(
    r"\bhow (?:many|much|often)\b|\bnumber of\b|\bamount\b|\bwhat (?:percentage|proportion|fraction)\b", re.I
)
AMOUNT_WORDS = frozenset({"one", "two", "three", "all", "some", "most", "half", "few", "many"})


@check(
    id="nbme_none_of_the_above",
    title="None of the above",
    severity="error",
    languages=("en",),
    bad=(
        {"options": ("Aspirin", "Heparin", "Oxygen", "None of the above")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "None of these is correct.")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "Neither of these")},
        {"options": ("Aspirin", "Heparin", "Neither A nor B", "Oxygen")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "The correct answer is not listed")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "None")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "No correct answer")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "Other")},
    ),
    good=(
        {"options": ("No treatment", "Aspirin", "Heparin", "Oxygen")},
        {"options": ("None of the offspring", "Half of the offspring", "Only sons", "Only daughters")},
        {"stem": "How many of her sons will be affected?", "options": ("None", "One in four", "Half", "All")},
        {"stem": "Which dose should be given daily?", "options": ("None", "10 mg", "20 mg", "40 mg")},
        {"options": ("Neither the length nor the area", "The length", "The area", "The length and the area")},
        {"options": ("Other nonspecific colitis", "Crohn disease", "Ulcerative colitis", "Celiac disease")},
    ),
)
def none_of_the_above(question: Question) -> Findings:
    denied = {c.option.key for c in combinations(question) if c.negative}
    if not denied and SUSPECTS.isdisjoint(question.options_words):
        return
    for option in question.options:
        text = option.text[:300]
        denies = NONE_OF_THESE.match(text) or NOT_LISTED.fullmatch(text)
        if option.key in denied or denies or (BARE_NONE.match(text) and not _asks_for_amount(question)):
            message = f"Option {option.key} denies the other options ({option.text.strip()[:80]!r})."
            advice = "Replace it with a real alternative."
            yield question.finding(option, message, advice)


def _asks_for_amount(question: Question) -> bool:
    """Whether the question asks for an amount, or other options are amounts: "None" is a number then."""
    if AMOUNT.search(question.lead_in.text[-600:]):
        return True
    others = [o.text.strip(" .").lower()[:60] for o in question.options if not BARE_NONE.match(o.text[:40])]
    return any(other[:1].isdigit() or other.split(" ")[0] in AMOUNT_WORDS for other in others)
