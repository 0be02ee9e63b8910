"""Questions and exclamations of a text, by the marks that end them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import regex

from burnish.languages.slips import Slip
from burnish.languages.words import word_set
from burnish.text.markdown import Markdown

RUN = regex.compile(r"[!?！？؟\"'”’“»«)\]）」』*_,.;…]+")
"""Marks in a row: a sentence ends with the last of them."""
ASKS, EXCLAIMS = frozenset("?？؟"), frozenset("!！")
GOES_ON = regex.compile(r"[\p{L}\p{N}=&/]")
CAN_FOLLOW = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
"""Letters that stand behind a mark without a blank."""
UNMARKED: dict[str, regex.Pattern[str]] = {
    "ja": regex.compile(r"(?:か|かい|のか|かな|だろう)[。」』]|か$"),
    "zh": regex.compile(r"[吗呢么][。」』”]|[吗呢么]$|难道|是否"),
    "ko": regex.compile(r"(?:까|나요|니|가요|는가)[.。]"),
}
"""Questions that are written without a mark."""
OTHER_MARKS = word_set("el hy th lo my km bo ti am")
"""Languages whose questions end otherwise, or without any mark."""
ASKED_INDIRECTLY = regex.compile(
    r"\b(?:I wonder|I'd like to know|I want to know|tell me|may I|would you|could you|wonder (?:if|why|what|how|who)"
    r"|me pregunto|quisiera saber|ich frage mich|je me demande|mi chiedo|pergunto-me|интересно|ли)\b",
    regex.IGNORECASE,
)
"""A statement that asks: another language may ask outright."""


class Marks(NamedTuple):
    """Where the sentences end that ask and that exclaim."""

    questions: list[int]
    exclamations: list[int]


def marks(prose: str) -> Marks:
    found = Marks([], [])
    for run in RUN.finditer(prose):
        after = prose[run.end() : run.end() + 1]
        if GOES_ON.match(after) and not CAN_FOLLOW.match(after):
            continue  # part of an address, of code, of a name
        characters = run.group()
        asks = next((place for place, mark in enumerate(characters) if mark in ASKS), None)
        exclaims = next((place for place, mark in enumerate(characters) if mark in EXCLAIMS), None)
        if asks is not None:
            found.questions.append(run.start() + asks)
        elif exclaims is not None:
            found.exclamations.append(run.start() + exclaims)
    return found


def changed(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """A statement that became a question, a question that became a statement; the same of exclamations, softly."""
    if not OTHER_MARKS.isdisjoint(languages):
        return
    ours, theirs = marks(view.prose), marks(source.prose)
    if ours.questions and not theirs.questions and not _asks(source.prose, languages[0]):
        place = ours.questions[-1]
        yield Slip(place, place + 1, "The translation asks, the source states.", "State it as the source does.")
    elif theirs.questions and not ours.questions and not _asks(view.prose, languages[1]):
        yield Slip(0, 0, "The source asks, the translation does not.", "Make it a question as in the source.")
    yield from _exclaimed(ours, theirs)


def _asks(prose: str, language: str) -> bool:
    """Whether a text asks without a mark."""
    unmarked = UNMARKED.get(language)
    return bool(unmarked and unmarked.search(prose)) or ASKED_INDIRECTLY.search(prose) is not None


def _exclaimed(ours: Marks, theirs: Marks) -> Iterator[Slip]:
    if ours.exclamations and not theirs.exclamations:
        place = ours.exclamations[0]
        message, suggestion = "The translation exclaims, the source does not.", "End it as the source does."
        yield Slip(place, place + 1, message, suggestion, severity="warning")
    elif theirs.exclamations and not ours.exclamations:
        message, suggestion = "The source exclaims, the translation does not.", "Exclaim, if the tone asks for it."
        yield Slip(0, 0, message, suggestion, severity="warning")
