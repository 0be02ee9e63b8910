"""File formats of manuscripts: a stream of paragraphs, each with its exact place in the source."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from typing import Literal, get_args

from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.kinds.manuscripts.formats.markdown import Block, is_indented_prose, markdown_blocks, plain_blocks
from burnish.kinds.manuscripts.model import Paragraph
from burnish.text.encoded import decoded, too_large

BookFormat = Literal["markdown", "text"]
BOOK_FORMATS: tuple[BookFormat, ...] = get_args(BookFormat)
ENDINGS: dict[BookFormat, tuple[str, ...]] = {
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "text": (".txt", ".text"),
}

LARGEST_BOOK = 256 << 20
"""Bytes of one manuscript: a hundred long novels."""
LONGEST_PARAGRAPH = 100_000
"""Characters of one paragraph that is to be translated: about thirty pages, more than a model answers at once."""

__all__ = [
    "BOOK_FORMATS",
    "ENDINGS",
    "LARGEST_BOOK",
    "LONGEST_PARAGRAPH",
    "BookFormat",
    "blocks_of",
    "format_of",
    "read_manuscript",
    "read_paragraphs",
    "source_text",
]

_READERS: dict[BookFormat, Callable[[str], Iterator[Block]]] = {"markdown": markdown_blocks, "text": plain_blocks}


def format_of(path: str) -> BookFormat | None:
    """The format that a file's name speaks of."""
    suffix = PurePosixPath(path.replace("\\", "/")).suffix.lower()
    return next((name for name, endings in ENDINGS.items() if suffix in endings), None)


def source_text(data: bytes, path: str) -> str:
    """The text that all offsets count in: decoded, without byte order mark. InputError where that is no text."""
    if len(data) > LARGEST_BOOK:
        raise too_large(path, LARGEST_BOOK)
    return decoded(data, path).text


def blocks_of(text: str, format: BookFormat) -> Iterator[Block]:
    """The blocks of a text in one of the formats."""
    reader = _READERS.get(format)
    if reader is None:
        known = ", ".join(BOOK_FORMATS)
        raise UsageError(f"There is no format {format!r} of manuscripts.", hint=f"Formats are: {known}.")
    return reader(text)


def read_manuscript(data: bytes, path: str, format: BookFormat) -> Iterator[Paragraph | Problem]:
    """The paragraphs of a manuscript, in order, as a stream. InputError where the file holds nothing to translate."""
    return read_paragraphs(source_text(data, path), path, format)


def read_paragraphs(text: str, path: str, format: BookFormat) -> Iterator[Paragraph | Problem]:
    """The same for a source that is decoded already."""
    index = translatable = 0
    for index, block in enumerate(blocks_of(text, format), 1):
        translatable += block.excluded is None
        yield from _read(block, index, path)
    if not translatable:
        raise _nothing(index, path)


def _read(block: Block, index: int, path: str) -> Iterator[Paragraph | Problem]:
    id = f"p_{index:04d}"
    if block.excluded is None and len(block.text) > LONGEST_PARAGRAPH:
        yield _too_long(block, id, path)
        return
    if block.excluded is not None and not block.closed:
        yield _runs_on(block, id, path)
    elif block.kind == "code" and is_indented_prose(block.text):
        yield _prose_as_code(block, id, path)
    yield Paragraph(
        id,
        index,
        block.kind,
        block.text,
        frame=block.frame,
        start=block.start,
        end=block.end,
        line=block.line,
        excluded=block.excluded,
    )


def _too_long(block: Block, id: str, path: str) -> Problem:
    return Problem(
        code="paragraph_too_long",
        message=f"The {block.kind} that begins here has {len(block.text):,} characters; {LONGEST_PARAGRAPH:,} is the "
        "most that can be translated at once, so it is left out.",
        path=path,
        line=block.line,
        unit=id,
        hint="Put blank lines into it where paragraphs end, and begin a new run.",
    )


def _runs_on(block: Block, id: str, path: str) -> Problem:
    opening = block.text.lstrip().split("\n", 1)[0][:40].strip()
    return Problem(
        code="never_closed",
        message=f"What {opening!r} opens is never closed: all that follows is taken for a {block.excluded} and would "
        "not be translated.",
        path=path,
        line=block.line,
        unit=id,
        hint="Close it where it ends, and begin a new run.",
    )


def _prose_as_code(block: Block, id: str, path: str) -> Problem:
    return Problem(
        code="prose_as_code",
        message="These lines read like prose, but they are indented by four blanks or more: Markdown takes them for "
        "code, so they stay as they are.",
        path=path,
        line=block.line,
        unit=id,
        hint="If they are to be translated, indent them less, or begin each of them with `> `.",
        blocks=False,
    )


def _nothing(blocks: int, path: str) -> InputError:
    if not blocks:
        return InputError("The manuscript is empty.", path=path, code="empty", hint="Is this the right file?")
    message = "There is nothing to translate in it: it holds only code, tags, rules and marks without words."
    return InputError(message, path=path, code="empty", hint="Is this the right file?")
