"""Loading the kinds of content, and finding out which of them a file belongs to."""

from __future__ import annotations

import importlib
import stat
from functools import cache
from pathlib import Path

from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import Kind
from burnish.kinds.registry import GUESSED, HEAD, KINDS, possible_kinds
from burnish.store.paths import nearest_path


@cache
def known_kinds() -> dict[str, Kind]:
    """Name -> kind, of all that can be read today."""
    return {name: _loaded(name) for name in KINDS}


def _loaded(name: str) -> Kind:
    kind: Kind = importlib.import_module(KINDS[name]).KIND
    return kind


def kind_named(name: str) -> Kind:
    """The kind that the user names."""
    if name in KINDS:
        # Only this one: a run that goes on is at work so much the sooner.
        return _loaded(name)
    raise UsageError(f"{name!r} is no kind of content.", hint=f"Kinds: {', '.join(KINDS)}.")


def detect(path: str, name: str | None = None, *, evident: bool = False) -> tuple[Kind, str]:
    """The kind and format of a file; `name` limits the choice to one kind.

    What the content shows wins. Where it shows nothing, the name may do, if only one kind reads such names and unless
    the content must speak (`evident`).
    """
    head = _head(path)
    able = [(kind, format) for kind in _choice(name, path, head) if (format := kind.recognise(path, head)) is not None]
    shown = [(kind, format) for kind, format in able if kind.is_evident(path, head)]
    found = shown if shown or evident else able
    if len(found) == 1:
        return found[0]
    if not head:
        raise InputError("The file is empty.", path=path, code="empty_file")
    if found:
        raise InputError(
            f"This may be {' or '.join(kind.name for kind, _ in found)}: its content does not tell.",
            path=path,
            code="unclear_kind",
            hint="Choose one with --kind.",
        )
    raise _unknown(path, name)


def _choice(name: str | None, path: str, head: bytes) -> list[Kind]:
    """The kinds that a file may be of. No other one is loaded."""
    return [kind_named(one) for one in ((name,) if name else possible_kinds(path, head))]


def _unknown(path: str, name: str | None) -> InputError:
    kinds = map(kind_named, (name,) if name else GUESSED)
    formats = dict.fromkeys(format for kind in kinds for format in kind.formats)
    return InputError(
        f"This is not a format in which Burnish reads {name}." if name else "This is not a format that Burnish reads.",
        path=path,
        code="unknown_format",
        hint=f"It reads {', '.join(formats)}; first bytes and the ending of the name tell them apart.",
    )


def _head(path: str) -> bytes:
    try:
        # A pipe can be read only once and a device never ends: documents are read more than once, to their end.
        if not stat.S_ISREG(Path(path).stat().st_mode):
            raise InputError("This is not a regular file.", path=path, code="unreadable")
        with Path(path).open("rb") as file:
            return file.read(HEAD)
    except OSError as error:
        raise InputError(
            f"This file cannot be read: {error.strerror}.", path=path, code="unreadable", hint=nearest_path(path)
        ) from error
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"This is no file name: {error}.", path=path, code="unreadable") from error
