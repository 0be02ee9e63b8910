"""Exports: the JSON and JSONL files that others read. They are views of the journal and can always be made again.

The journal keeps the digest of every export it made. A file that no longer has that digest was edited by somebody: it
is reported by name before it is replaced, so that the person hears of it, but its content is never used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, BinaryIO

from burnish.core.errors import UsageError
from burnish.core.faultpoints import reach
from burnish.store.files import atomic_writer, disk_refusals, make_folder, sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

PIECES = 10_000
"""Pieces of JSON that are written together: names, values, brackets."""
_DIGESTS = "exports"
"""Where the journal keeps them: name -> digests that the file may have."""


class ExportStream:
    """Takes an export's bytes, and their digest."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hashed = hashlib.sha256()

    def write(self, data: bytes) -> int:
        self._hashed.update(data)
        return self._stream.write(data)

    @property
    def digest(self) -> str:
        return f"sha256:{self._hashed.hexdigest()}"


@dataclass(frozen=True, slots=True)
class ExportFolder:
    """Where a run's exports are made. They hold what the journal holds, which has lost its secrets already."""

    folder: RunFolder
    journal: Journal

    def edited_by_hand(self) -> list[str]:
        """The names of exports whose files are not as we left them. One that was removed is not among them."""
        return [name for name, digests in sorted(self._digests().items()) if self._was_edited(name, digests)]

    def write_json(self, name: str, value: Any) -> None:
        """One JSON value, indented, with its keys in the order given."""
        with self.stream(name) as stream:
            for piece in json_pieces(value, indent=2):
                stream.write(piece)
            stream.write(b"\n")

    @contextmanager
    def stream(self, name: str) -> Iterator[ExportStream]:
        """A stream that becomes the export `name` when the block ends well.

        Killed at any point, the file there is one whose digest is known, so it is not taken for somebody's edit.
        """
        path = self.folder.export(name)
        make_folder(path.parent)
        with atomic_writer(path) as file:
            stream = ExportStream(file)
            yield stream
            # This also asks the journal whether the run is still ours, just before the file is replaced.
            self._remember(name, [*self._digests().get(name, []), stream.digest])
            reach("export.announced")
        reach("export.replaced")
        self._remember(name, [stream.digest])
        reach("export.recorded")

    def _was_edited(self, name: str, digests: list[str]) -> bool:
        path = self.folder.export(name)
        with disk_refusals("read", path):
            return path.exists() and sha256_of(path) not in digests

    def _digests(self) -> dict[str, list[str]]:
        recorded = self.journal.get_meta(_DIGESTS)
        return dict(json.loads(recorded)) if recorded is not None else {}

    def _remember(self, name: str, digests: list[str]) -> None:
        self.journal.set_meta(_DIGESTS, json.dumps({**self._digests(), name: digests}, sort_keys=True))


def as_json(value: Any, *, indent: int | None = None) -> bytes:
    """Valid JSON in UTF-8, the same bytes for the same value. NaN and infinity are refused."""
    with _refusals():
        return _encoded(_encoder(indent).encode(value))


def json_pieces(value: Any, *, indent: int | None = None) -> Iterator[bytes]:
    """The same piece by piece: a report that names every unit of a long document is never held as text."""
    pieces = _encoder(indent).iterencode(value)
    with _refusals():
        while some := "".join(islice(pieces, PIECES)):
            yield _encoded(some)


def _encoder(indent: int | None) -> json.JSONEncoder:
    separators = (",", ": ") if indent else (",", ":")
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent, separators=separators, default=_plain)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise UsageError(f"An export cannot hold this value: {error}.") from error


def _encoded(text: str) -> bytes:
    # A lone surrogate has no UTF-8, but its escape is just what JSON wants there.
    return text.encode("utf-8", "backslashreplace")


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"An export holds JSON values, not {type(value).__name__}.")
