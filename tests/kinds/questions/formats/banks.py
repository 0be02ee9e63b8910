"""Questions and files for the tests of formats: ordinary ones, and ones made to hurt."""

from __future__ import annotations

import io
from collections.abc import Iterable

from hypothesis import strategies as st

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats import Format
from burnish.kinds.questions.formats.base import Draft, Fault
from burnish.kinds.questions.model import Question

HOSTILE = (
    '"',
    "'",
    "\\",
    "\\n",
    "{",
    "}",
    "~",
    "=",
    "#",
    "####",
    ":",
    "::",
    "]]>",
    "<![CDATA[",
    "&",
    "&amp;",
    "&#65;",
    "&nbsp;",
    "<",
    ">",
    "<b>",
    "</p>",
    "<br>",
    "<!--",
    "-->",
    "//",
    "[html]",
    "%50%",
    "$CATEGORY:",
    "A. ",
    "ANSWER: A",
    "->",
    ",",
    ";",
    "\t",
    "|",
    "=cmd()",
    "@x",
    "-1",
    "\n",
    "\r\n",
    "\r",
    " ",
    "  ",
    "\u00a0",
    "\u200f",
    "\u202e",
    "שלום",
    "é",
    "e\u0301",
    "😀",
    "𝔘",
    "\u2028",
    "\ufeff",
    "\x85",
    "null",
    "NaN",
    "\\u0041",
    "\\ud83d",
)
WORDS = ("Which", "of", "these", "is", "NOT", "the", "best", "next", "step", "?", "aspirin", "5", "mg/dL", ".")


def hostile_texts(*, controls: bool = False) -> st.SearchStrategy[str]:
    """Text made of everything that some format gives a meaning to. `controls` adds NUL and its like."""
    extra = st.sampled_from(("\x00", "\x01", "\x0b", "\x1b[31m", "\uffff")) if controls else st.nothing()
    part = st.one_of(
        st.sampled_from(HOSTILE), st.sampled_from(WORDS), st.characters(exclude_categories=("Cs", "Cc", "Cn")), extra
    )
    return st.lists(part, min_size=1, max_size=8).map("".join)


@st.composite
def questions(draw: st.DrawFn, texts: st.SearchStrategy[str], **fields: st.SearchStrategy[object]) -> Question:
    """A single best answer; `fields` are drawn as well."""
    options = draw(st.lists(texts, min_size=2, max_size=5))
    keyed = [{"key": "ABCDE"[index], "text": text} for index, text in enumerate(options)]
    given = {name: draw(value) for name, value in fields.items()}
    return Question(
        id=draw(st.sampled_from(("q", "a b", "x:1", "i&d", 'quo"te', "z]]>"))),
        stem=draw(texts),
        options=keyed,
        correct_answer=draw(st.sampled_from([option["key"] for option in keyed])),
        **{name: value for name, value in given.items() if value is not None},
    )


def named(questions: Iterable[Question]) -> list[Question]:
    """The questions with ids of their own."""
    return [q.model_copy(update={"id": f"{q.id}{index}"}) for index, q in enumerate(questions)]


def read(format: Format, data: bytes, path: str = "bank") -> tuple[list[Question], list[Problem], list[PassedThrough]]:
    parts = list(format.read(io.BytesIO(data), path))
    return (
        [part for part in parts if isinstance(part, Question)],
        [part for part in parts if isinstance(part, Problem)],
        [part for part in parts if isinstance(part, PassedThrough)],
    )


def only(format: Format, data: bytes) -> Question:
    """The one question of a file with nothing wrong in it but, perhaps, a missing id."""
    found, problems, _ = read(format, data)
    assert [problem.code for problem in problems if problem.code != "missing_id"] == []
    assert len(found) == 1
    return found[0]


def codes(format: Format, data: bytes) -> list[str]:
    return [problem.code for problem in read(format, data)[1]]


def write(format: Format, questions: Iterable[Question]) -> tuple[bytes, list[str]]:
    target = io.BytesIO()
    losses = format.write(questions, target)
    return target.getvalue(), losses


def rewrite(format: Format, data: bytes, *changed: Question) -> bytes:
    target = io.BytesIO()
    by_id = {question.id: question for question in changed}
    format.rewrite(io.BytesIO(data), "bank", by_id.get, target)
    return target.getvalue()


def spans(format: Format, data: bytes) -> list[tuple[int, int]]:
    """Where the drafts of a UTF-8 file stand."""
    at, found = 0, []
    source = format.open(io.BytesIO(data), "bank")
    for piece in format.pieces(source):
        raw = piece if isinstance(piece, bytes) else piece.raw
        if isinstance(piece, Draft):
            found.append((at, at + len(raw)))
        assert isinstance(piece, bytes | Draft | Fault)
        at += len(raw)
    assert at == len(data) - len(source.bom)
    return [(start + len(source.bom), end + len(source.bom)) for start, end in found]


def differing(old: bytes, new: bytes) -> tuple[int, int]:
    """The stretch of `old` outside of which both files are the same."""
    start = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = next(
        (i for i, (a, b) in enumerate(zip(reversed(old), reversed(new), strict=False)) if a != b),
        min(len(old), len(new)),
    )
    return start, max(start, len(old) - min(tail, len(old) - start, len(new) - start))
