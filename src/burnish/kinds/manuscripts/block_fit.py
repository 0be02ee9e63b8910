"""Source and translation by blocks: pair them, compose the candidate, and check that each text fits one block."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from burnish.core.documents import Problem
from burnish.core.errors import InputError, InternalError
from burnish.kinds.manuscripts.formats import Block, BookFormat, blocks_of, read_paragraphs, rest_of, source_text
from burnish.kinds.manuscripts.model import BlockKind, Frame, Paragraph
from burnish.kinds.manuscripts.pairing import aligned_paragraphs, heading_level
from burnish.kinds.manuscripts.review_rows import Placement
from burnish.languages.detection import UNKNOWN_LANGUAGE, detect, language_of
from burnish.languages.lexicon import Lexicon

_BLANKS = re.compile(r"[ \t]+")
_TASK = re.compile(r"\[[ xX]\] $")
_PROSE: frozenset[BlockKind] = frozenset({"paragraph", "list", "quote"})
"""Kinds of prose, which differ only in their markers."""


def fits_one_block(text: str, paragraph: Paragraph | None = None, format: BookFormat = "markdown") -> str | None:
    """Why a translation cannot replace its paragraph; None if it can.

    Without a paragraph: an ordinary one. The text is put into its frame and read back: the result must be one block
    with the same text.
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
        return "it begins or ends with white space"
    if any(not line.strip() for line in text.split("\n")):
        return "it has a blank line, so it would be two blocks"
    if "\r" in text or "\x00" in text:
        return "it has a carriage return or NUL character"
    if any("\ud800" <= char <= "\udfff" for char in text):
        return "it has half a character (a lone surrogate), which cannot be saved"
    return None


def _trials(frame: Frame, text: str) -> list[Frame]:
    """The frames to try, without outer indentation, which only has a meaning inside its parent block."""
    opening = _BLANKS.sub(" ", frame.first.lstrip())
    rest = rest_of(_TASK.sub("", opening))
    usual = Frame(opening, rest, _last(frame.last, rest))
    is_lazy = bool(opening.strip()) and not frame.rest.strip() and len(frame.rest) < len(rest)
    if "\n" in text and is_lazy:
        # Its further lines have no markers, so they are also tried without.
        return [usual, replace(usual, rest="")]
    return [usual]


def _last(last: str, rest: str) -> str:
    """The underline of a heading after the markers of its line."""
    behind, newline, underline = last.replace("\r\n", "\n").replace("\r", "\n").partition("\n")
    return f"{behind}\n{rest}{underline.lstrip(' >' + chr(9))}" if newline else last


def _misread(found: list[Block], frame: Frame, own: Frame, kind: BlockKind, text: str) -> str | None:
    if len(found) != 1:
        return f"it would be read as {len(found)} blocks ({', '.join(block.kind for block in found[:4])})"
    [block] = found
    # A quote or item without a frame has its markers in the text, so the translation must have them, too.
    same_kind = block.kind == kind or (
        kind in _PROSE and block.kind in _PROSE and bool(own.first or kind == "paragraph")
    )
    if not same_kind or block.excluded is not None or not block.closed:
        return f"it would be read as {block.excluded or block.kind}, not as {kind}"
    if block.frame.first != frame.first or block.frame.last != frame.last or bare_lines(block.text) != bare_lines(text):
        return f"its beginning or end would be read as marks of a {block.kind}"
    return None


def reads_back_as(wanted: Paragraph, read: Paragraph) -> bool:
    """Whether a paragraph read back from a published file is the expected one. A translated one must not read as a
    carried block; an excluded one may."""
    text = wanted.text if wanted.excluded is not None else wanted.translation
    same_sort = read.block == wanted.block and (read.excluded is None or wanted.excluded is not None)
    return same_sort and bare_lines(read.text) == bare_lines(text)


def bare_lines(text: str) -> list[str]:
    """The lines without indentation, which has no meaning inside a paragraph."""
    return [line.strip() for line in text.split("\n")]


Part = Paragraph | Problem

SAMPLED = 40
"""Paragraphs from which the language of a whole file is detected."""
MOSTLY = 0.5
"""Share of them that must be in one language: a file of many languages has none."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One of the two files."""

    text: str
    path: str
    format: BookFormat

    def parts(self) -> Iterator[Part]:
        return read_paragraphs(self.text, self.path, self.format)

    def paragraphs(self) -> Iterator[Paragraph]:
        """The paragraphs to translate, without carried blocks."""
        return (part for part in self.parts() if isinstance(part, Paragraph) and part.excluded is None)

    def language(self) -> str:
        """The language of the file: that of most paragraphs whose language is known."""
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
    declared: tuple[str, str] = (UNKNOWN_LANGUAGE, UNKNOWN_LANGUAGE),
    own: Lexicon | None = None,
) -> Iterator[Part]:
    """The paragraphs of the source, each with its translation; problems of both files and of their pairing. `declared`:
    the languages that the user named; others are detected. `own`: the user's lexicon."""
    ours = _Side(source_text(source, paths[0]), paths[0], formats[0])
    theirs = _Side(source_text(target, paths[1]), paths[1], formats[1])
    for side in (ours, theirs):
        yield from (part for part in side.parts() if isinstance(part, Problem))
    named = tuple(tag if tag != UNKNOWN_LANGUAGE else None for tag in declared)
    languages = (named[0] or ours.language(), named[1] or theirs.language())
    if languages[0] == languages[1] != UNKNOWN_LANGUAGE:
        yield Problem(
            code="same_language",
            message=f"Source and translation are both in the language {languages[0]!r}, so there is nothing to "
            "compare.",
            path=paths[1],
            hint="Name the source first and its translation second.",
        )
    if own is not None and {own.source, own.target} != set(languages):
        yield Problem(
            code="other_lexicon",
            message=f"The lexicon is for {own.source!r} and {own.target!r}, and the files are in {languages[0]!r} and "
            f"{languages[1]!r}, so it is not used.",
            path=paths[1],
            hint="Name the languages with --from and --to, or leave --lexicon out.",
        )
    for part in _paired(ours, theirs, languages, own):
        yield _in_languages(part, languages, named) if isinstance(part, Paragraph) else part


def _paired(ours: _Side, theirs: _Side, languages: tuple[str, str], own: Lexicon | None) -> Iterator[Part]:
    sources, answers = list(ours.paragraphs()), list(theirs.paragraphs())
    kinds_must_agree = ours.format == theirs.format == "markdown"
    alone: tuple[list[Paragraph], list[Paragraph]] = ([], [])
    for some, others in aligned_paragraphs(
        sources, answers, languages, own, lambda one, other: not kinds_must_agree or _is_alike(one, other)
    ):
        if some and others:
            yield from _unpaired(*alone, theirs.path)
            # Findings are about the translation, so its line is shown.
            text, translation = ("\n".join(part.text for part in side) for side in (some, others))
            yield replace(some[0], text=text, translation=translation, line=others[0].line)
            alone = ([], [])
        else:
            alone[0].extend(some)
            alone[1].extend(others)
    yield from _unpaired(*alone, theirs.path)


def _is_alike(one: Paragraph, other: Paragraph) -> bool:
    """Headings are alike by their level, all other blocks by their kind."""
    return one.block == other.block and (one.block != "heading" or heading_level(one) == heading_level(other))


def _unpaired(sources: Sequence[Paragraph], answers: Sequence[Paragraph], path: str) -> Iterator[Problem]:
    if sources:
        yield Problem(
            code="bitext_parts",
            message=f"{_counted(sources, 'source')} not matched by any paragraph of the translation.",
            path=path,
            unit=sources[0].id,
            hint="Translate what is missing, or remove it from the source.",
        )
    if answers:
        yield Problem(
            code="bitext_parts",
            message=f"{_counted(answers, 'translation')} not matched by any paragraph of the source.",
            path=path,
            line=answers[0].line,
            hint="Remove it, or add its source.",
        )


def _counted(paragraphs: Sequence[Paragraph], side: str) -> str:
    first = paragraphs[0]
    words = " ".join(first.text[:60].split())[:40]
    if len(paragraphs) == 1:
        return f"The {first.block} on line {first.line} of the {side} ({words!r}) is"
    return f"{len(paragraphs)} blocks of the {side}, from the {first.block} on line {first.line} ({words!r}) on, are"


def _in_languages(paragraph: Paragraph, languages: tuple[str, str], named: tuple[str | None, ...]) -> Paragraph:
    """Set the language of each text: the named one, else its own, else that of its file."""
    around = [None if language == UNKNOWN_LANGUAGE else language for language in languages]
    source, target = (
        detect(text, declared=name, document=document).language or UNKNOWN_LANGUAGE
        for text, name, document in zip((paragraph.text, paragraph.translation), named, around, strict=True)
    )
    if target == source:
        # Untranslated text counts as a (missing) translation into the language of its file.
        target = languages[1]
    return replace(paragraph, source_language=source, target_language=target)


def final_pieces(source: str, paragraphs: Iterable[Paragraph]) -> Iterator[str]:
    """The final text, piece by piece: the separators of the source, a translation for every paragraph, and unchanged
    excluded blocks. `source` is the decoded text from which the paragraphs were read."""
    done = 0
    for paragraph in paragraphs:
        _refuse_lost_text(source[done : paragraph.start], paragraph)
        original = source[paragraph.start : paragraph.end]
        if paragraph.frame.around(paragraph.text) != original:
            raise InputError(
                f"{paragraph.id} differs from the source as it was read: the source has changed.",
                line=paragraph.line,
                code="source_changed",
                hint="A changed source needs a new run.",
            )
        yield source[done : paragraph.start]
        if paragraph.excluded is None and not paragraph.translation:
            raise InternalError(f"{paragraph.id} has no translation, so no final text can be made.")
        yield original if paragraph.excluded is not None else paragraph.frame.around(paragraph.translation)
        done = paragraph.end
    _refuse_lost_text(source[done:], None)
    yield source[done:]


def _refuse_lost_text(between: str, before: Paragraph | None) -> None:
    """Raise InternalError if there are words between two blocks: they belong to a missing paragraph."""
    if between.replace(">", " ").strip():
        where = f"before {before.id}" if before is not None else "at the end"
        raise InternalError(f"Text of the source {where} belongs to no paragraph, so no final text can be made.")


def candidate_pieces(paragraphs: Iterable[Paragraph], line: int = 1) -> Iterator[tuple[Paragraph, Placement]]:
    """The paragraphs of `candidate.md` from a line on: each one block, separated by one blank line.

    Excluded and untranslated blocks are not in it. Joined with `\\n\\n` the texts are the file.
    """
    for paragraph in paragraphs:
        if paragraph.excluded is not None or not paragraph.translation:
            continue
        frame = paragraph.frame
        framed = replace(frame, newline="\n", last=frame.last.replace("\r\n", "\n").replace("\r", "\n"))
        text = framed.around(paragraph.translation)
        if any(not row.strip() for row in text.split("\n")):
            raise InternalError(f"The translation of {paragraph.id} holds a blank line, so it is no single block.")
        last = line + text.count("\n")
        yield paragraph, Placement(paragraph.id, paragraph.index, line, last, text)
        line = last + 2


def placement(paragraph: Paragraph, facts: Mapping[str, Any]) -> Placement | None:
    """The place of a paragraph in the candidate; None if it is not in it. `lines` of the facts is the first line of
    every block, 0 for one that is out of scope."""
    starts: Sequence[int] = facts.get("lines", ())
    start = starts[paragraph.index - 1] if paragraph.index <= len(starts) else 0
    if not start:
        return None
    [(_, place)] = candidate_pieces([paragraph], start)
    return place
