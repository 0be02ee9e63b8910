"""The kinds of content that this installation reads, and which of them a file belongs to."""

from __future__ import annotations

import stat
from functools import cache
from pathlib import Path

from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import Kind

NAMES = ("lessons", "questions", "manuscripts", "legos")
"""Every kind there will be; `known_kinds` are those that can be read today."""
HEAD = 65_536
"""Bytes at the beginning of a file by which its kind is told."""


@cache
def known_kinds() -> dict[str, Kind]:
    """Name -> kind."""
    from burnish.kinds.questions.kind import QuestionsKind

    kinds: list[Kind] = [QuestionsKind()]
    return {kind.name: kind for kind in kinds}


def document_rules(kind: Kind) -> tuple[str, ...]:
    """Rules that need the whole document and so are no checks of one unit."""
    from burnish.kinds.questions.duplicates import RULE

    return {"questions": (RULE,)}.get(kind.name, ())


def kind_named(name: str) -> Kind:
    """The kind that the user names."""
    known = known_kinds()
    if name in known:
        return known[name]
    reason = "cannot be read yet" if name in NAMES else "is no kind of content"
    raise UsageError(f"{name!r} {reason}.", hint=f"Kinds: {', '.join(known)}.")


def detect(path: str, name: str | None = None, *, evident: bool = False) -> tuple[Kind, str]:
    """The kind and format of a file, by its name and first bytes; `name` limits the choice to one kind.

    `evident`: a name alone does not do, the content must show what it is.
    """
    head = _head(path)
    for kind in [kind_named(name)] if name else known_kinds().values():
        format = kind.recognise(path, head)
        if format is not None and (not evident or kind.is_evident(path, head)):
            return kind, format
    if not head:
        raise InputError("The file is empty.", path=path, code="empty_file")
    wanted = name or " or ".join(known_kinds())
    raise InputError(
        f"This is not a format in which Burnish reads {wanted}.",
        path=path,
        code="unknown_format",
        hint=f"It reads {', '.join(_formats())}; first bytes and the ending of the name tell them apart.",
    )


def _formats() -> list[str]:
    from burnish.kinds.questions.formats import FORMATS

    return [format.name for format in FORMATS]


def _head(path: str) -> bytes:
    try:
        # A pipe can be read only once and a device never ends: documents are read more than once, to their end.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise InputError("This is not a regular file.", path=path, code="unreadable")
        with Path(path).open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise InputError(f"This file cannot be read: {error.strerror}.", path=path, code="unreadable") from error
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"This is no file name: {error}.", path=path, code="unreadable") from error
