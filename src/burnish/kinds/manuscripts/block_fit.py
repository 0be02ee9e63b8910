"""Source and translation side by side: blocks in pairs, the candidate put together, and whether each fits one block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice, zip_longest
from typing import Any

from burnish.core.documents import Problem
from burnish.core.errors import InputError, InternalError
from burnish.kinds.manuscripts.formats import Block, BookFormat, blocks_of, read_paragraphs, rest_of, source_text
from burnish.kinds.manuscripts.model import BlockKind, Frame, Paragraph
from burnish.kinds.manuscripts.review_rows import Placement
from burnish.languages.detection import detect, language_of
from burnish.languages.tags import UNKNOWN_LANGUAGE

_BLANKS = re.compile(r"[ \t]+")
_TASK = re.compile(r"\[[ xX]\] $")
_PROSE: frozenset[BlockKind] = frozenset({"paragraph", "list", "quote"})
"""Kinds that differ only in what they stand in."""


def fits_one_block(text: str, paragraph: Paragraph | None = None, format: BookFormat = "markdown") -> str | None:
    """Why a translation cannot stand in the place of its paragraph; None where it can.

    Without a paragraph: in that of an ordinary one. The text is put into its frame and read back: it must come out as
    one block with the same text.
    """
    reason = _unfit_characters(text)
    if reason is not None:
        return reason
    frame = paragraph.frame if paragraph is not None else Frame()
    kind: BlockKind = paragraph.block if paragraph is not None else "paragraph"
    if format == "text":
        return None
    if paragraph is not None and kind == "table" and text.count("\n") != paragraph.text.count("\n"):
        return f"it has {text.count(chr(10)) + 1} rows and its table has {paragraph.text.count(chr(10)) + 1}"
    for trial in _trials(frame, text):
        reason = _misread(list(blocks_of(trial.around(text), "markdown")), trial, frame, kind, text)
        if reason is not None:
            return reason
    return None


def _unfit_characters(text: str) -> str | None:
    if not text.strip():
        return "it is empty"
    if text != text.strip(" \t\n"):
        return "it begins or ends with blanks"
    if any(not line.strip() for line in text.split("\n")):
        return "it holds a blank line, so it would be two blocks"
    if "\r" in text or "\x00" in text:
        return "it holds a carriage return or NUL character"
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "it holds half a character (a lone surrogate), which no file can"
    return None


def _trials(frame: Frame, text: str) -> list[Frame]:
    """The frame as it is when it stands alone: indentation only has a meaning below what it is indented under."""
    opening = _BLANKS.sub(" ", frame.first.lstrip())
    rest = rest_of(_TASK.sub("", opening))
    usual = Frame(opening, rest, _last(frame.last, rest))
    is_lazy = bool(opening.strip()) and not frame.rest.strip() and len(frame.rest) < len(rest)
    if "\n" in text and is_lazy:
        # Its further lines go on without marks, and are read more strictly.
        return [usual, replace(usual, rest="")]
    return [usual]


def _last(last: str, rest: str) -> str:
    """The underline of a heading behind the marks that stand before every line."""
    behind, newline, underline = last.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    return f"{behind}\n{rest}{underline.lstrip(' >' + chr(9))}" if newline else last


def _misread(found: list[Block], frame: Frame, own: Frame, kind: BlockKind, text: str) -> str | None:
    if len(found) != 1:
        return f"it would be read as {len(found)} blocks ({', '.join(block.kind for block in found[:4])})"
    [block] = found
    # A quote or item without a frame was kept whole: its marks are in its text, and must be in the translation.
    same_kind = block.kind == kind or (
        kind in _PROSE and block.kind in _PROSE and bool(own.first or kind == "paragraph")
    )
    if not same_kind or block.excluded is not None or not block.closed:
        return f"it would be read as {block.excluded or block.kind}, not as {kind}"
    if block.frame.first != frame.first or block.frame.last != frame.last or bare_lines(block.text) != bare_lines(text):
        return f"its beginning or end would be read as marks of a {block.kind}"
    return None


def stands_as(wanted: Paragraph, read: Paragraph) -> bool:
    """Whether what is read back from a published file is the paragraph that should stand there. What was translated
    must not read as something that is carried through; what was excluded may read either way."""
    text = wanted.text if wanted.excluded is not None else wanted.translation
    same_sort = read.block == wanted.block and (read.excluded is None or wanted.excluded is not None)
    return same_sort and bare_lines(read.text) == bare_lines(text)


def bare_lines(text: str) -> list[str]:
    """Indentation of further lines of a paragraph says nothing."""
    return [line.strip() for line in text.split("\n")]


Part = Paragraph | Problem

SAMPLED = 40
"""Paragraphs by which the language of a whole file is told."""
MOSTLY = 0.5
"""Share of them that must be in one language: in a file of many languages a short paragraph has none."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two files."""

    text: str
    path: str
    format: BookFormat

    def parts(self) -> Iterator[Part]:
        return read_paragraphs(self.text, self.path, self.format)

    def paragraphs(self) -> Iterator[Paragraph]:
        """What is there to be translated; what is carried along stands in the translation unseen."""
        return (part for part in self.parts() if isinstance(part, Paragraph) and part.excluded is None)

    def levels(self) -> list[str]:
        """The marks of its headings, in order."""
        return [_level(paragraph) for paragraph in self.paragraphs() if paragraph.block == "heading"]

    def language(self) -> str:
        """Of the file as a whole: that of most of its paragraphs, as far as they show it."""
        shown = Counter(
            language for part in islice(self.paragraphs(), SAMPLED) if (language := language_of(part.text)) is not None
        )
        for language, number in shown.most_common(1):
            if number >= MOSTLY * shown.total():
                return language
        return UNKNOWN_LANGUAGE


def pairs(
    source: bytes,
    target: bytes,
    paths: tuple[str, str],
    formats: tuple[BookFormat, BookFormat],
    told: tuple[str, str] = (UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
) -> Iterator[Part]:
    """The paragraphs of the source, each with its translation; problems of both files and of their pairing. `told`: the
    languages that the user named; one that is not named is told from the texts."""
    ours = _Side(source_text(source, paths[0]), paths[0], formats[0])
    theirs = _Side(source_text(target, paths[1]), paths[1], formats[1])
    for side in (ours, theirs):
        yield from (part for part in side.parts() if isinstance(part, Problem))
    named = tuple(tag if tag != UNKNOWN_LANGUAGE else None for tag in told)
    languages = (named[0] or ours.language(), named[1] or theirs.language())
    if languages[0] == languages[1] != UNKNOWN_LANGUAGE:
        yield _same_language(languages[0], paths[1])
    for part in _paired(ours, theirs):
        yield _in_languages(part, languages, named) if isinstance(part, Paragraph) else part


def _paired(ours: _Side, theirs: _Side) -> Iterator[Part]:
    if "text" in (ours.format, theirs.format) or ours.levels() != theirs.levels():
        yield from _section(ours.paragraphs(), theirs.paragraphs(), theirs.path, ours.format == theirs.format)
        return
    for one, other in zip_longest(_sections(ours.paragraphs()), _sections(theirs.paragraphs()), fillvalue=()):
        yield from _section(iter(one), iter(other), theirs.path, True)


def _sections(paragraphs: Iterable[Paragraph]) -> Iterator[Iterable[Paragraph]]:
    """What stands before the first heading, even where that is nothing; then each heading with what follows it."""
    count = 0

    def number(paragraph: Paragraph) -> int:
        nonlocal count
        count += paragraph.block == "heading"
        return count

    grouped = groupby(paragraphs, number)
    first = next(grouped, None)
    if first is None:
        return
    if first[0] > 0:
        yield ()
    yield first[1]
    for _, section in grouped:
        yield section


def _section(
    ours: Iterator[Paragraph], theirs: Iterator[Paragraph], path: str, kinds_must_agree: bool
) -> Iterator[Part]:
    """Pairs as far as both go on alike; then one problem that says where they part, and how many are left."""
    for one, other in zip_longest(ours, theirs):
        alike = one is not None and other is not None and (not kinds_must_agree or _sort(one) == _sort(other))
        if not alike:
            left = (
                sum(1 for _ in ours) + (one is not None),
                sum(1 for _ in theirs) + (other is not None),
            )
            yield _parted(one, other, left, path)
            return
        assert one is not None and other is not None
        # What is found is found in the translation, so that is the line to look at.
        yield replace(one, translation=other.text, line=other.line)


def _level(paragraph: Paragraph) -> str:
    return paragraph.frame.first.strip() or paragraph.frame.last.strip()[:1]


def _sort(paragraph: Paragraph) -> BlockKind | str:
    """What a block is paired by: headings by their level, all others by their kind."""
    return _level(paragraph) if paragraph.block == "heading" else paragraph.block


def _parted(one: Paragraph | None, other: Paragraph | None, left: tuple[int, int], path: str) -> Problem:
    place = one or other
    assert place is not None
    said = [_described("source", one), _described("translation", other)]
    return Problem(
        code="bitext_parts",
        message=f"Source and translation part here: {said[0]}, {said[1]}. {left[0]} paragraphs of the source and "
        f"{left[1]} of the translation are not paired.",
        path=path,
        line=other.line if other is not None else None,
        unit=one.id if one is not None else None,
        hint="Give both the same paragraphs: with blank lines between them in the same places.",
    )


def _described(side: str, paragraph: Paragraph | None) -> str:
    if paragraph is None:
        return f"the {side} ends"
    words = " ".join(paragraph.text[:60].split())[:40]
    return f"the {side} has a {paragraph.block} on line {paragraph.line} ({words!r})"


def _same_language(language: str, path: str) -> Problem:
    return Problem(
        code="same_language",
        message=f"Source and translation are both in the language {language!r}, so there is nothing to compare.",
        path=path,
        hint="Name the source first and its translation second.",
    )


def _in_languages(paragraph: Paragraph, languages: tuple[str, str], named: tuple[str | None, ...]) -> Paragraph:
    """Each text has the language that was named, else its own, else that of its file."""
    around = [None if language == UNKNOWN_LANGUAGE else language for language in languages]
    source, target = (
        detect(text, told=name, document=document).language or UNKNOWN_LANGUAGE
        for text, name, document in zip((paragraph.text, paragraph.translation), named, around, strict=True)
    )
    if target == source:
        # What was left as it was is a translation into the language of its file that is none.
        target = languages[1]
    return replace(paragraph, source_language=source, target_language=target)


def final_pieces(source: str, paragraphs: Iterable[Paragraph]) -> Iterator[str]:
    """The final text, piece by piece: the source's own separators, a translation for every paragraph, and excluded
    blocks as they are in the source. `source` is the decoded text that the paragraphs were read from."""
    done = 0
    for paragraph in paragraphs:
        _refuse_lost_text(source[done : paragraph.start], paragraph)
        original = source[paragraph.start : paragraph.end]
        if paragraph.frame.around(paragraph.text) != original:
            raise InputError(
                f"{paragraph.id} is not in the source as it was read: the source has changed.",
                line=paragraph.line,
                code="source_changed",
                hint="A changed source needs a new run.",
            )
        yield source[done : paragraph.start]
        yield original if paragraph.excluded is not None else _framed(paragraph)
        done = paragraph.end
    _refuse_lost_text(source[done:], None)
    yield source[done:]


def _framed(paragraph: Paragraph) -> str:
    if not paragraph.translation:
        raise InternalError(f"{paragraph.id} has no translation, so no final text can be made.")
    return paragraph.frame.around(paragraph.translation)


def _refuse_lost_text(between: str, before: Paragraph | None) -> None:
    """Between two blocks are blanks and marks of quotes; words there belong to a paragraph that is missing."""
    if between.replace(">", " ").strip():
        where = f"before {before.id}" if before is not None else "at the end"
        raise InternalError(f"Text of the source {where} belongs to no paragraph, so no final text can be made.")


def candidate_pieces(paragraphs: Iterable[Paragraph], line: int = 1) -> Iterator[tuple[Paragraph, Placement]]:
    """The paragraphs of `candidate.md` from a line on: each one contiguous block, one blank line between them.

    Excluded blocks are not in it, nor is what has no translation yet. Joined with `\\n\\n` the texts are the file.
    """
    for paragraph in paragraphs:
        if paragraph.excluded is not None or not paragraph.translation:
            continue
        text = _plain_framed(paragraph)
        last = line + text.count("\n")
        yield paragraph, Placement(paragraph.id, paragraph.index, line, last, text)
        line = last + 2


def _plain_framed(paragraph: Paragraph) -> str:
    frame = paragraph.frame
    last = frame.last.replace("\r\n", "\n").replace("\r", "\n")
    text = replace(frame, newline="\n", last=last).around(paragraph.translation)
    if any(not line.strip() for line in text.split("\n")):
        raise InternalError(f"The translation of {paragraph.id} holds a blank line, so it is no single block.")
    return text


def placement(paragraph: Paragraph, facts: Mapping[str, Any]) -> Placement | None:
    """Where a paragraph stands in the candidate; None for one that is not in it. `lines` of the facts is the first line
    of every block, 0 for one that is out of scope."""
    starts: Sequence[int] = facts.get("lines", ())
    start = starts[paragraph.index - 1] if paragraph.index <= len(starts) else 0
    if not start:
        return None
    [(_, place)] = candidate_pieces([paragraph], start)
    return place
