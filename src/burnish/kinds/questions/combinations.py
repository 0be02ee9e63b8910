"""Options that point at other options or at numbered statements: "A and C only", "I, II and III", "both 2 and 3"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.kinds.questions.model import Option, Question
from burnish.languages.words import word_set

LONGEST = 80
"""A longer option says something; it does not just name others."""

_LABEL = r"(?:[A-H]|[IVX]{1,4}|[1-9])"
# One way only to read what stands between two labels: with several, seven wide gaps are read in millions of ways.
_BETWEEN = r"(?:\s+|\s*(?:,(?:\s*(?:and|or|nor))?|;|&|\+|\band\b|\bor\b|\bnor\b)\s*)"
COMBINATION = re.compile(
    rf"[\"'\s]*(?:(?:all|both|only|either|neither|of|the|statements?|options?|choices?|answers?|items?|numbers?)\s+)*"
    rf"(?P<labels>\(?{_LABEL}\)?(?:{_BETWEEN}\(?{_LABEL}\)?){{0,7}})"
    rf"(?P<rest>(?:\s+(?:only|alone|together|both|are|is|all|true|correct|right|above|apply))*)[\s.\"',;]*",
    re.IGNORECASE,
)
_LABEL_WORDS = word_set("a b c d e f g h i ii iii iv v vi vii viii ix x")
_DIGIT = re.compile(r"[1-9]")
_ONE_LABEL = re.compile(rf"\b{_LABEL}\b", re.IGNORECASE)
_LINKED = re.compile(r"\b(?:and|or|nor|only|both|either|neither|alone)\b|&", re.IGNORECASE)
STATEMENT_LIST = re.compile(r"(?:^|[\s(])(?:1[.):]\s[^\n]*?[\s(]2[.):]\s|I[.):]\s[^\n]*?[\s(]II[.):]\s)", re.DOTALL)
"""A stem that numbers its statements."""

Family = Literal["letters", "roman", "digits"]


@dataclass(frozen=True, slots=True)
class Combination:
    """An option that is nothing but labels."""

    option: Option
    family: Family
    labels: tuple[str, ...]
    """In the order written, in capitals."""
    linked: bool
    """Whether words such as "and", "only" or "both" say that the labels are meant together."""

    @property
    def negative(self) -> bool:
        return self.option.text.strip().lower().startswith("neither")


def combinations(question: Question) -> list[Combination]:
    """The options that combine others, or statements that the stem numbers. Empty where labels mean something else."""
    if _LABEL_WORDS.isdisjoint(question.options_words) and _DIGIT.search(question.options_text) is None:
        return []
    read = [c for option in question.options if (c := _combination(option)) is not None]
    if not read:
        return []
    keys = {option.key.upper() for option in question.options}
    letters = [c for c in read if c.family == "letters" and len(c.labels) > 1 and keys.issuperset(c.labels)]
    if letters and (len(letters) < len(question.options) or any(c.linked for c in letters)):
        return letters
    return _statement_combinations(question, [c for c in read if c.family != "letters"])


def _statement_combinations(question: Question, read: Sequence[Combination]) -> list[Combination]:
    """Numbers may be answers in themselves: several options must combine them, and they must count from one."""
    combining = [c for c in read if len(c.labels) > 1 or c.linked]
    used = {label for c in read for label in c.labels}
    if len(combining) < 2 or not used & {"I", "1"}:
        return []
    listed = any(c.linked for c in combining) or STATEMENT_LIST.search(question.stem[-4000:]) is not None
    all_sets = len(combining) == len(question.options) and len(used) >= 3
    return combining if listed or all_sets else []


def _combination(option: Option) -> Combination | None:
    text = option.text
    if len(text) > LONGEST:
        return None
    match = COMBINATION.fullmatch(text)
    if match is None:
        return None
    labels = tuple(label.upper() for label in _ONE_LABEL.findall(match["labels"]))
    family = _family(labels)
    if family is None or len(set(labels)) < len(labels):
        return None
    linked = _LINKED.search(text) is not None
    # "(1, 6)" is a point and "2 3" an output; statements are joined by commas or words.
    if family == "digits" and (text.strip().startswith("(") or ("," not in text and not linked)):
        return None
    return Combination(option, family, labels, linked)


def _family(labels: tuple[str, ...]) -> Family | None:
    if all(label.isdigit() for label in labels):
        return "digits"
    if all(not label.strip("IVX") for label in labels):
        return "roman"
    if all(len(label) == 1 and label.isalpha() for label in labels):
        return "letters"
    return None
