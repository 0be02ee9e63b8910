"""Paths: the only place where outside text becomes the name of a file; and the exports in a run's folder.

There are three entry points, by how far the text is trusted. `RunFolder.at` takes a run's id from a command line, a URL
or a request. `document_path` takes the relative path of a document and keeps it inside a folder. `operator_path` takes
a path that the operator typed, which may point anywhere but must be a valid path. Nothing here is decoded: `%2e%2e` is
a strange name, not a way up.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from burnish.core.errors import NotFound, UsageError
from burnish.core.faultpoints import reach
from burnish.store.files import atomic_writer, disk_refusals, make_folder, sha256_of

if TYPE_CHECKING:
    from burnish.store.journal import Journal

RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LONGEST_NAME = 255
"""Bytes in one part of a path: the limit of every common file system."""
LONGEST_PATH = 1024
"""Bytes in the relative path of a document."""
MOST_LOOKED_AT = 2000
"""The most names in a folder that are searched for one similar to a wrong name."""

_RUN_ID_HINT = "Use up to 64 letters, digits, dots, hyphens and underscores; begin with a letter or digit."
_DOCUMENT_HINT = "Give a plain relative path, such as unit-1/bank.json."
# Control characters, line and paragraph separators, and marks that make a name read backwards.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The files of one run. The folder itself may not exist yet."""

    id: str
    root: Path
    """The absolute path; its name is the run's id."""

    @classmethod
    def at(cls, runs: Path, id: str) -> Self:
        """Return the folder of the run `id` in `runs`, which may not exist."""
        home = _resolved(runs)
        root = home / check_run_id(id)
        if _resolved(root) != root:
            raise UsageError(
                f"The run {id} in {home} is a link to another place.",
                hint="Remove the link, or name its own folder with --runs.",
            )
        return cls(id, root)

    @property
    def journal(self) -> Path:
        return self.root / "journal.sqlite"

    @property
    def manifest(self) -> Path:
        return self.root / "manifest.json"

    @property
    def receipt(self) -> Path:
        return self.root / "receipt.json"

    @property
    def lock(self) -> Path:
        return self.root / "RUNNING.lock"

    @property
    def guard(self) -> Path:
        """Held for the moment in which a process reads and changes the lock."""
        return self.root / ".RUNNING.guard"

    @property
    def out(self) -> Path:
        """Published documents, under the paths they had in the source."""
        return self.root / "out"

    @property
    def candidate(self) -> Path:
        """Documents that are not yet moved to `out`."""
        return self.root / "candidate"

    def version(self, number: int) -> Path:
        """The folder of an earlier version: its published documents and its receipt."""
        return self.root / "versions" / str(number)

    @property
    def input(self) -> Path:
        """Documents that came with a request: the run needs them until it ends."""
        return self.root / "input"

    @property
    def exports(self) -> Path:
        """The folder of the kind's exports: the run's folder itself, as the contract requires."""
        return self.root

    def stale_locks(self) -> list[Path]:
        """Locks that were taken over, kept for the audit, oldest first."""
        return sorted(self.root.glob("RUNNING.stale.*.lock"))

    def export(self, name: str) -> Path:
        """Return the path of the export `name`, which may lie in a subfolder."""
        path = document_path(self.exports, name)
        reserved = (
            *(self.journal, self.lock, self.guard),
            *(self.out, self.candidate, self.input, self.version(1).parent),
        )
        if any(path == own or path.is_relative_to(own) for own in reserved) or path.name.startswith(("RUNNING.", ".")):
            raise UsageError(f"An export cannot be called {shown(name)}: the run needs that name.")
        return path


def existing_run(runs: Path, id: str) -> RunFolder:
    """Return the folder of a run that was started. Raise NotFound if there is none."""
    folder = RunFolder.at(runs, id)
    if not folder.journal.is_file():
        raise NotFound(
            f"There is no run {id} in {runs}.", hint="`burnish runs` lists the runs; --runs names their folder."
        )
    return folder


def existing_runs(runs: Path) -> Iterator[RunFolder]:
    """Yield every run in the folder `runs`, by name, and ignore everything else there."""
    if not runs.is_dir():
        return
    for path in sorted(runs.iterdir()):
        if is_run_id(path.name) and not path.is_symlink() and (path / "journal.sqlite").is_file():
            yield RunFolder.at(runs, path.name)


def is_run_id(text: str) -> bool:
    return RUN_ID.fullmatch(text) is not None and not text.endswith(".")


def check_run_id(text: str) -> str:
    """Return `text`. Raise UsageError if it cannot be the id of a run."""
    if not is_run_id(text):
        raise UsageError(f"{shown(text)} cannot be the id of a run.", hint=_RUN_ID_HINT)
    return text


def default_run_id(source: str, now: datetime) -> str:
    """Return an id made of a file's stem and a time: `cardiology-20261115-180025`."""
    stem = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(source).stem).strip("-_")
    return f"{stem[:40].rstrip('-_') or 'run'}-{now.astimezone(UTC):%Y%m%d-%H%M%S}"


def document_path(folder: Path, relative: str) -> Path:
    """Return the path of the document `relative` in `folder`. Raise UsageError if it could lead out of it."""
    trouble = _trouble_with(relative)
    if trouble is not None:
        raise UsageError(f"The document path {shown(relative)} {trouble}.", hint=_DOCUMENT_HINT)
    home = _resolved(folder)
    path = _resolved(home / relative)
    if path == home or not path.is_relative_to(home):
        raise UsageError(f"{shown(relative)} leads out of {home} by a link.", hint="Remove the link from that folder.")
    return path


def operator_path(text: str) -> Path:
    """Return a path that the operator typed. It may point anywhere, but it must be a path."""
    if not text or "\x00" in text or not _encodable(text):
        raise UsageError(f"{shown(text)} is not a path.", hint="Give the path of a file or folder.")
    path = Path(text)
    if any(len(os.fsencode(part)) > LONGEST_NAME for part in path.parts):
        raise UsageError(f"{shown(text)} is too long for a path.", hint=f"A name has at most {LONGEST_NAME} bytes.")
    return path


def shown(text: str) -> str:
    """Return outside text for a message: quoted, escaped, short."""
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")


def _trouble_with(text: str) -> str | None:
    """Return what is wrong with a relative path, or None."""
    if not text:
        return "is empty"
    if _UNPRINTABLE.search(text) or not _encodable(text):
        return "holds characters that do not belong in a name"
    if "\\" in text:
        return "holds a backslash"
    if text.startswith("/") or re.match(r"[A-Za-z]:", text):
        return "is not relative"
    parts = text.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return "holds an empty part, `.` or `..`"
    if len(os.fsencode(text)) > LONGEST_PATH or any(len(os.fsencode(part)) > LONGEST_NAME for part in parts):
        return "is too long"
    return None


def _encodable(text: str) -> bool:
    """Return whether the file system can encode the name. Names that are not UTF-8 hold single surrogates."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # a link to itself, an invalid name
        raise UsageError(
            f"{shown(str(path))} cannot be followed: {error}.", hint="Check the links on that path."
        ) from error


def nearest_path(path: str | Path) -> str | None:
    """Return a hint for a path that does not exist: the most similar name in its folder; None if it exists."""
    missing = Path(path)
    try:
        if missing.exists():
            return None
        if not missing.parent.is_dir():
            return f"There is no folder {missing.parent}; paths are relative to the current folder."
        with os.scandir(missing.parent) as entries:
            names = [entry.name for entry in islice(entries, MOST_LOOKED_AT)]
    except (OSError, ValueError):  # the hint is optional: the error itself says what is wrong with the path
        return None
    near = difflib.get_close_matches(missing.name, names, n=1, cutoff=0.75)
    if near:
        return f"Did you mean {missing.parent / near[0]}?"
    return "Paths are relative to the current folder."


PIECES = 10_000
"""Pieces of JSON that are written together: names, values, brackets."""
_DIGESTS = "exports"
"""The journal's key for the digests: export name -> digests that the file may have."""


class ExportStream:
    """Writes an export's bytes and computes their digest."""

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
    """The exports of a run. They contain data of the journal, from which secrets are already removed."""

    folder: RunFolder
    journal: Journal

    def edited_by_hand(self) -> list[str]:
        """Return the names of exports that were changed by hand. An export that was removed is not among them."""
        edited: list[str] = []
        for name, digests in sorted(self._digests().items()):
            path = self.folder.export(name)
            with disk_refusals("read", path):
                if path.exists() and sha256_of(path) not in digests:
                    edited.append(name)
        return edited

    def is_intact(self) -> bool:
        """Return whether every export is there as it was written."""
        paths = {self.folder.export(name): digests for name, digests in self._digests().items()}
        return all(path.is_file() and sha256_of(path) in digests for path, digests in paths.items())

    def write_json(self, name: str, value: Any) -> None:
        """Write one JSON value, indented, with its keys in the given order."""
        with self.stream(name) as stream:
            for piece in json_pieces(value, indent=2):
                stream.write(piece)
            stream.write(b"\n")

    @contextmanager
    def stream(self, name: str) -> Iterator[ExportStream]:
        """Open a stream that becomes the export `name` if the block succeeds.

        After a kill at any point the file has a recorded digest, so it is not taken for a manual edit.
        """
        path = self.folder.export(name)
        make_folder(path.parent)
        with atomic_writer(path) as file:
            stream = ExportStream(file)
            yield stream
            # This also checks that the run is still ours, just before the file is replaced.
            self._remember(name, [*self._digests().get(name, []), stream.digest])
            reach("export.announced")
        reach("export.replaced")
        self._remember(name, [stream.digest])
        reach("export.recorded")

    def _digests(self) -> dict[str, list[str]]:
        recorded = self.journal.get_meta(_DIGESTS)
        return dict(json.loads(recorded)) if recorded is not None else {}

    def _remember(self, name: str, digests: list[str]) -> None:
        self.journal.set_meta(_DIGESTS, json.dumps({**self._digests(), name: digests}, sort_keys=True))


def as_json(value: Any, *, indent: int | None = None) -> bytes:
    """Encode valid JSON in UTF-8, always the same bytes for the same value. Raise UsageError for NaN and infinity."""
    with _refusals():
        return _encoded(_encoder(indent).encode(value))


def json_pieces(value: Any, *, indent: int | None = None) -> Iterator[bytes]:
    """Yield JSON piece by piece, so that a report on every unit of a long document is never held in memory."""
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
    # A lone surrogate has no UTF-8, but its escape is valid JSON.
    return text.encode("utf-8", "backslashreplace")


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"An export holds JSON values, not {type(value).__name__}.")
