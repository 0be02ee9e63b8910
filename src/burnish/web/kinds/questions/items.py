"""The display of a question: as a learner sees it with its findings marked, or compared with another draft."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from burnish.core.documents import Field
from burnish.kinds.questions.model import Item, Metadata, Option, Question
from burnish.web import Drawn
from burnish.web.formatting import listed, sentence
from burnish.web.labels import lang_tag
from burnish.web.pieces import Mark, Numbered, Piece, diff, marked

Direction = Literal["ltr", "rtl"]
LOOKED_AT = 500
"""Characters that are read to find the direction of a text."""
METADATA = {
    "bloom_level": "Bloom",
    "difficulty": "Difficulty",
    "usmle_system": "System",
    "usmle_discipline": "Discipline",
    "slo_ids": "SLO",
    "concept_ids": "Concepts",
    "keywords": "Keywords",
    "course_id": "Course",
}
"""Metadata that is shown with a question, in this order -> label."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a question."""

    field: Field
    pieces: tuple[Piece, ...]
    behind: tuple[Mark, ...] = ()
    """Marks for findings on the whole text; their numbers follow it."""

    @property
    def is_changed(self) -> bool:
        return any(piece.change != "same" for piece in self.pieces)

    @property
    def is_empty(self) -> bool:
        return not self.behind and not any(piece.text.strip() or piece.ends for piece in self.pieces)


def marked_item(question: Question, findings: Sequence[Numbered]) -> Drawn:
    """A question with its findings marked."""
    texts = question.texts()

    def text_of(name: str) -> Text:
        return Text(name, marked(texts.get(name, ""), name, findings), _behind(name, findings))

    return _shown(question, None, text_of, findings)


def changed_item(before: Question, after: Question, findings: Sequence[Numbered]) -> Drawn:
    """A question compared with an earlier draft; `findings` are those of the later one."""
    old, new = before.texts(), after.texts()

    def text_of(name: str) -> Text:
        pieces = overlaid(diff(old.get(name, ""), new.get(name, "")), name, findings)
        return Text(name, pieces, _behind(name, findings))

    return _shown(after, before, text_of, findings)


def _shown(
    question: Question, before: Question | None, text_of: Callable[[str], Text], findings: Sequence[Numbered]
) -> Drawn:
    texts = question.texts()
    named = {finding.finding.field for finding in findings if finding.finding.field in texts}
    was = before.items or () if before is not None else ()
    items = tuple(
        _part(item, was[place] if place < len(was) else None, f"items.{place}.", text_of)
        for place, item in enumerate(question.items or ())
    )
    changed = _changed(before, question) if before is not None else ()
    return Drawn(
        vignette=text_of("vignette"),
        part=_part(question, before, "", text_of),
        items=items,
        metadata=tuple(metadata_of(question.metadata)),
        about=_marks(one for one in findings if not one.places and one.finding.field not in named),
        lang=lang_tag(question.language_shown),
        dir=direction(question.words_shown),
        marks=len({one.mark.number for one in findings}),
        same=_same(before, question, changed) if before is not None else "",
        changed=changed,
    )


def direction(text: str) -> Direction:
    """The direction of the first letter that has one."""
    for letter in text[:LOOKED_AT]:
        kind = unicodedata.bidirectional(letter)
        if kind in ("L", "R", "AL"):
            return "ltr" if kind == "L" else "rtl"
    return "ltr"


def _part(asked: Question | Item, before: Question | Item | None, prefix: str, text_of: Callable[[str], Text]) -> Drawn:
    options: tuple[Option, ...] = asked.options or ()
    keys = [option.key for option in options]
    gone = [option.key for option in (before.options or () if before is not None else ()) if option.key not in keys]
    right, was = _right(asked), _right(before or asked)
    return Drawn(
        stem=text_of(f"{prefix}stem"),
        choices=tuple(
            Drawn(
                key=name,
                text=text_of(f"{prefix}options.{name}"),
                is_key=name in right,
                was_key=name in was and name not in right,
            )
            for name in (*keys, *gone)
        ),
        rationale=text_of(f"{prefix}rationale"),
        answer="" if options else asked.correct_answer.strip(),
    )


def _right(asked: Question | Item) -> frozenset[str]:
    """The letters of the right options."""
    if isinstance(asked, Question):
        return frozenset(option.key for option in asked.right)
    return frozenset((asked.correct_answer.strip(),))


def overlaid(pieces: Sequence[Piece], name: Field, findings: Sequence[Numbered]) -> tuple[Piece, ...]:
    """The diff with the marks of findings; deleted text has none."""
    text = "".join(piece.text for piece in pieces if piece.change != "del")
    cuts = marked(text, name, findings)
    return tuple(_overlaid(pieces, cuts))


def _overlaid(pieces: Sequence[Piece], cuts: Sequence[Piece]) -> Iterator[Piece]:
    """Merge two lists of pieces, split wherever either is. An empty mark comes before the next piece."""
    at, left = 0, list(cuts)
    for piece in pieces:
        if piece.change == "del":
            yield piece
            continue
        end = at + len(piece.text)
        while left and at < end:
            cut = left[0]
            until = cut.start + len(cut.text)
            if not cut.text:
                yield left.pop(0)
                continue
            stop = min(end, until)
            ends = cut.ends if stop == until else ()
            yield Piece(cut.text[at - cut.start : stop - cut.start], at, cut.marks, ends, piece.change)
            at = stop
            if stop == until:
                left.pop(0)
    yield from (cut for cut in left if not cut.text)


def _behind(name: str, findings: Sequence[Numbered]) -> tuple[Mark, ...]:
    return _marks(one for one in findings if not one.places and one.finding.field == name)


def _marks(findings: Iterator[Numbered]) -> tuple[Mark, ...]:
    return tuple(dict.fromkeys(one.mark for one in findings))


def metadata_of(metadata: Metadata | None) -> Iterator[tuple[str, str]]:
    """Label and value of the metadata that a question has."""
    for name, label in METADATA.items() if metadata is not None else ():
        value = getattr(metadata, name)
        shown = ", ".join(value) if isinstance(value, tuple) else value
        if shown:
            yield label, str(shown)


def _changed(before: Question, after: Question) -> tuple[str, ...]:
    old, new = before.texts(), after.texts()
    return tuple(
        str(name) for name in (*new, *(one for one in old if one not in new)) if old.get(name) != new.get(name)
    )


def _same(before: Question, after: Question, changed: Sequence[str]) -> str:
    """The unchanged fields: `Vignette, A, B, C, key and metadata`."""
    new = after.texts()
    names = [_name(str(name)) for name, text in new.items() if text and name not in changed and _is_own(str(name))]
    if after.metadata is not None and before.metadata == after.metadata:
        names.append("metadata")
    if not changed:
        return "Everything"
    return sentence(listed(names))


def _is_own(name: str) -> bool:
    """Whether the field is listed by name: items and metadata have too many fields."""
    return not name.startswith(("metadata.", "items."))


def _name(name: str) -> str:
    return {"correct_answer": "key", "rationale": "explanation"}.get(name, name.removeprefix("options."))
