"""Bloom's levels, as banks write them, and what a question's own words say about its level."""

from __future__ import annotations

import re

from burnish.kinds.questions.model import Question
from burnish.kinds.questions.wording import vocabulary
from burnish.languages.words import word_set

LEVELS = ("Remember", "Understand", "Apply", "Analyze", "Evaluate", "Create")
_NAMES = {
    1: "remember remembering recall knowledge k1 c1 1 i",
    2: "understand understanding comprehend comprehension c2 2 ii",
    3: "apply applying application c3 3 iii",
    4: "analyze analyse analyzing analysing analysis c4 4 iv",
    5: "evaluate evaluating evaluation judge c5 5 v",
    6: "create creating creation synthesis synthesize synthesise c6 6 vi",
}
_LEVEL_OF = {name: level for level, names in _NAMES.items() for name in names.split()}

CASE_WORDS = word_set(
    "year-old month-old week-old day-old comes presents brought admitted examination history patient patient's"
)
CASE = re.compile(r"\b[0-9]{1,3}[- ](?:year|month|week|day)s?[- ]old\b")
# These are looked for in small letters: a pattern that ignores case takes twice the time.
JUDGING = re.compile(
    r"\b(?:most likely|most appropriate|best next|next (?:best )?step|best explains?|most consistent|best supported"
    r"|would (?:most|best))\b"
)
RECALLING = re.compile(
    r"\b(?:define|(?:list|name|state|recall) the|definition of|is (?:also )?(?:defined as|called|known as|named|termed)"
    r"|is the (?:name|term|definition|capital|symbol|normal (?:range|value))"
    r"|stands? for|in what year|in which year|when (?:was|did)"
    r"|who (?:was|is|wrote|discovered|invented|first)|which (?:year|country|city)|what (?:year|color|colour)"
    r"|refers to|is an example of a)\b"
)
HIGHER = (
    (6, re.compile(r"\b(?:design|devise|construct|formulate|compose|propose a|develop a plan)\b")),
    (
        5,
        re.compile(
            r"\b(?:evaluate|critique|judge|justif(?:y|ies)|best supported by|strongest (?:evidence|argument)|most "
            r"(?:valid|weakens?))\b"
        ),
    ),
    (
        4,
        re.compile(r"\b(?:analy[sz]e|compare|contrast|differentiate|distinguish(?:es)? between|infer|inferred)\b"),
    ),
    (3, re.compile(r"\b(?:calculate|compute|solve|determine the|how many (?:milli|grams|mg|ml))")),
)


def level_number(name: str) -> int | None:
    """1 to 6 for a level's name in any of the usual forms, else None."""
    words = re.findall(r"[a-z0-9]+", name.lower()[:60])
    return next((_LEVEL_OF[word] for word in words if word in _LEVEL_OF), None)


def tells_a_case(question: Question) -> bool:
    """Whether there is a case to which knowledge has to be applied."""
    text = question.vignette or question.stem
    if len(text) <= 150:
        return False
    words = vocabulary(text) if question.vignette else question.stem_words
    return len(CASE_WORDS & words) >= 3 or CASE.search(text) is not None


def levels_shown(question: Question) -> tuple[int, int] | None:
    """The lowest and highest level that the question's words speak for, or None where they say nothing."""
    asked = question.lead_in.text[-600:].lower()
    if tells_a_case(question):
        return (3, 5) if JUDGING.search(asked) else None
    if RECALLING.search(asked) and len(question.stem) + len(question.vignette or "") < 200:
        return (1, 2)
    return next(((max(level - 1, 2), 6) for level, pattern in HIGHER if pattern.search(asked)), None)
