"""What a question's words show: cue words that make an option stand out, references to a case, Bloom's level."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from burnish.kinds.questions.model import Option, Question
from burnish.languages.words import content_stems, stem, word_list, word_set


@cache
def wording() -> dict[str, Any]:
    """The English word tables of `cue_words.toml`, read once."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


def listed_words(table: str, name: str) -> frozenset[str]:
    """One list of words."""
    return frozenset(wording()[table][name].split())


SPEECH = ('"', "“", "'", "‘", "«")
"""An option that begins so is what a person in the case says: people may say what they like."""
LONGEST_READ = 2000
"""Characters of an option that are read: one cue word is enough."""

Accept = Callable[[re.Match[str], str], bool]
"""Whether a match counts, given the option's text."""


def cue_words(
    question: Question, terms: frozenset[str], pattern: re.Pattern[str], accept: Accept
) -> list[tuple[Option, re.Match[str]]]:
    """The first cue word of each option that has one; none where most options have one, for then none stands out.

    `terms` are the words without which `pattern` cannot match: most questions need no closer look.
    """
    if terms.isdisjoint(question.options_words):
        return []
    found = [(option, match) for option in question.options if (match := _first(option.text, pattern, accept))]
    return [] if 2 * len(found) > len(question.options) else found


def _first(text: str, pattern: re.Pattern[str], accept: Accept) -> re.Match[str] | None:
    if text.lstrip().startswith(SPEECH):
        return None
    read = text[:LONGEST_READ]
    return next((match for match in pattern.finditer(read) if accept(match, read)), None)


LONGEST_KEPT = 4_000
"""Characters: the vocabulary of a longer text is read again each time, so that what is kept stays small."""


def vocabulary(text: str) -> frozenset[str]:
    """The words of a text in lower case, with straight apostrophes."""
    return _kept(text) if len(text) <= LONGEST_KEPT else _read(text)


def _read(text: str) -> frozenset[str]:
    return frozenset(word_list(text.replace("’", "'")))


# Several rules ask for the same texts, and a few questions are examined together.
_kept = lru_cache(maxsize=400)(_read)


REFERENCES = listed_words("cue_words", "references")
"""Words that point back at a case, or at a person in it."""

GENERIC = frozenset(map(stem, listed_words("cue_words", "generic")))
"""Stems of words that ask without saying what about: a question made of them alone needs its case."""


def points_back(text: str) -> bool:
    """Whether the text speaks of something that must have been told before."""
    return not REFERENCES.isdisjoint(vocabulary(text))


def topic(texts: Iterable[str]) -> set[str]:
    """The stems of the words that say what the texts are about."""
    return {found for text in texts for found in content_stems(text)} - GENERIC


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
    (4, re.compile(r"\b(?:analy[sz]e|compare|contrast|differentiate|distinguish(?:es)? between|infer|inferred)\b")),
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
