"""nbme_all_of_the_above: an option that includes all the others.

What it looks for: "All of the above" and its paraphrases: "all of these", "both of the above", "any of these", and
"A, B, and C" if these are all the other options.
Why it matters: a learner who knows two right options, or one wrong option, has the answer without the rest.
Fix: needs an author or a model: replace it with a real alternative, or ask about one of the options.
"""

import re

from burnish.core.checks import check
from burnish.kinds.questions.model import Findings, Option, Question
from burnish.kinds.questions.option_overlap import combinations
from burnish.languages.words import word_set

SUSPECTS = word_set("all both any each either everything two three more combination combinations above")
ABOVE = re.compile(
    r"\b(?:all|both|any|each|either|everything|two|2|three|more than one|combinations?)\b[^.;]{0,25}?"
    r"(?:(?:\bof|\bthe) (?:the )?above\b|\b(?:listed|mentioned|given|described|stated) above\b|^everything above\b)",
    re.IGNORECASE,
)
ALL_OF_THESE = re.compile(
    r"\W*all (?:of (?:the above|these) )?(?:but|except)(?: for)?(?: option| answer)? \(?[A-H]\)?\W*$"
    r"|\W*(?:all|both|any|either)(?: (?:two|three|four))? (?:of )?(?:these|those|them|the|below)?"
    r"(?: ?(?:other )?(?:above|below|following|answers?|options?|choices?|alternatives|responses|listed|others))?"
    r"(?: (?:are|is|were|given|listed|mentioned|correct|true|right|valid|possible|apply|answers?|options?|choices?"
    r"|equally|likely|provided)){0,6}\s*(?:[.,;:)]|$)",
    re.IGNORECASE,
)


@check(
    id="nbme_all_of_the_above",
    title="All of the above",
    severity="error",
    languages=("en",),
    bad=(
        {"options": ("Aspirin", "Heparin", "Oxygen", "All of the above")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "All of these are correct.")},
        {"options": ("Aspirin", "Heparin", "Both of the above", "Digoxin")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "A, B, and C")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "Any of the drugs listed above")},
        {"options": ("Aspirin", "Heparin", "Both", "Neither")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "All options are correct")},
        {"options": ("Aspirin", "Heparin", "Oxygen", "All except B")},
    ),
    good=(
        {"options": ("All-trans retinoic acid", "Aspirin", "Heparin", "Oxygen")},
        {"options": ("All patients above 50 years", "Men", "Women", "Smokers")},
        {"options": ("Both kidneys", "Left kidney", "Right kidney", "Bladder")},
        {"options": ("All of these theories fail", "One theory fails", "No theory fails", "Two theories fail")},
        {"stem": "How much of the drug is absorbed?", "options": ("None", "Some", "Most", "All")},
        {"options": ("Left eye", "Right eye", "Both", "Cannot be told")},
    ),
)
def all_of_the_above(question: Question) -> Findings:
    suspects = question.options if not SUSPECTS.isdisjoint(question.options_words) else ()
    found = [option for option in suspects if _takes_in_others(option, question)]
    found += (
        combination.option
        for combination in combinations(question)
        if combination.names_all(question) and not combination.negative and not combination.names_itself
    )
    for option in found:
        message = f"Option {option.key} includes the other options ({option.text.strip()[:80]!r})."
        advice = "Replace it with a real alternative."
        yield question.finding(option, message, advice)


def _takes_in_others(option: Option, question: Question) -> bool:
    text = option.text[:300]
    bare = text.strip(" .").lower()
    if bare in ("all", "both"):
        # "Both" is an amount, unless another option is "Neither".
        return bare == "both" and any(o.text.strip(" .").lower().startswith("neither") for o in question.options)
    return ALL_OF_THESE.match(text) is not None or ABOVE.search(text) is not None
