"""Kinds of content: load them, detect the kind of a file, and gather the documents behind paths."""

from __future__ import annotations

import difflib
import importlib
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

from pydantic import BaseModel

from burnish.core.errors import InputError, NotFound, UsageError
from burnish.core.kinds import Kind
from burnish.core.presentation import Contract
from burnish.core.replies import REPLIES, reply_schema
from burnish.engine.check import Document, held
from burnish.kinds.registry import GUESSED, HEAD, KINDS, instead_of, possible_kinds
from burnish.store.paths import nearest_path


@cache
def known_kinds() -> dict[str, Kind]:
    """Name -> kind, for all kinds."""
    return {name: _loaded(name) for name in KINDS}


def _loaded(name: str) -> Kind:
    kind: Kind = importlib.import_module(KINDS[name]).KIND
    return kind


def kind_named(name: str) -> Kind:
    """The kind that the user names."""
    if name in KINDS:
        # Load only this one, so that a resumed run starts sooner.
        return _loaded(name)
    raise UsageError(f"{name!r} is no kind of content.", hint=f"Kinds: {', '.join(KINDS)}.")


def detect(path: str, name: str | None = None, *, evident: bool = False) -> tuple[Kind, str]:
    """The kind and format of a file; `name` limits the choice to one kind.

    The content decides. If it shows nothing, the name does if only one kind reads such names, unless the content must
    show the kind (`evident`).
    """
    head = _head(path)
    # Other kinds are not loaded.
    kinds = map(kind_named, (name,) if name else possible_kinds(path, head))
    able = [(kind, format) for kind in kinds if (format := kind.recognise(path, head)) is not None]
    shown = [(kind, format) for kind, format in able if kind.is_evident(path, head)]
    found = shown if shown or evident else able
    if len(found) == 1:
        return found[0]
    if not head:
        raise InputError("The file is empty.", path=path, code="empty_file")
    if found:
        raise InputError(
            f"This may be {' or '.join(kind.name for kind, _ in found)}: its content does not show which.",
            path=path,
            code="unclear_kind",
            hint="Choose one with --kind.",
        )
    raise _unknown(path, name, head)


def _unknown(path: str, name: str | None, head: bytes) -> InputError:
    known = instead_of(path, head)
    if known is not None:
        return InputError(f"This is {known[0]}.", path=path, code="unknown_format", hint=known[1])
    kinds = map(kind_named, (name,) if name else GUESSED)
    formats = dict.fromkeys(format for kind in kinds for format in kind.formats)
    return InputError(
        f"This is not a format in which Burnish reads {name}." if name else "This is not a format that Burnish reads.",
        path=path,
        code="unknown_format",
        hint=f"It reads {', '.join(formats)}; first bytes and the ending of the name tell them apart.",
    )


STDIN = "-"
LARGEST_STDIN = 512 << 20


def take_stdin(stream: BinaryIO, name: str | None, kind: str | None) -> str:
    """Read standard input to its end, and return the name under which it is opened and shown.

    The ending of `name` decides the format if the content does not. Lessons are Markdown unless they look like JSON.
    """
    data = stream.read(LARGEST_STDIN + 1)
    if len(data) > LARGEST_STDIN:
        raise InputError(
            f"Standard input holds more than {LARGEST_STDIN >> 20} MB.", code="too_large", hint="Check a file instead."
        )
    is_markdown = kind in ("lessons", "manuscripts") and data.lstrip()[:1] not in (b"{", b"[")
    named = name or ("stdin.md" if is_markdown else "stdin")
    held[named] = data
    return named


def _head(path: str) -> bytes:
    if path in held:
        return held[path][:HEAD]
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


@dataclass(slots=True)
class Gathered:
    """The documents for a command."""

    documents: dict[str, list[Document]] = field(default_factory=dict)
    """By the name of their kind, in the order they were found."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    failures: list[InputError] = field(default_factory=list)
    """Paths that the user named and that cannot be read."""
    passed_over: list[InputError] = field(default_factory=list)
    """Files in a folder that are not documents."""

    @property
    def total_bytes(self) -> int:
        return sum(size_of(document) for found in self.documents.values() for document in found)


def size_of(document: Document) -> int:
    """The size in bytes; 0 if the file has been removed, which reading it will report."""
    if document.path in held:
        return len(held[document.path])
    try:
        return Path(document.path).stat().st_size
    except OSError:
        return 0


def gather(paths: Iterable[str], kind: str | None = None, beside: Mapping[Path, str] | None = None) -> Gathered:
    """The documents behind `paths`. A folder means every file in it that can be read.

    `beside`: resolved paths of materials, with a description: in a folder they are not documents.
    """
    gathered = Gathered()
    for path in paths:
        if _is_folder(path):
            _take_folder(gathered, path, kind, beside or {})
        else:
            _take(gathered, path, kind, gathered.failures)
    return gathered


def _is_course(folder: Path) -> bool:
    # Only here, so that a check of one file does not load the records of courses.
    from burnish.store.records import DATABASE, HOME

    return (folder / HOME).is_dir() or (folder / DATABASE).is_file()


def _is_folder(path: str) -> bool:
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):  # an impossible name: reading it reports why
        return False


def _take_folder(gathered: Gathered, folder: str, kind: str | None, beside: Mapping[Path, str]) -> None:
    if kind is None and _is_course(Path(folder)):
        hint = f"`burnish legos validate {folder}` checks its records, `burnish legos report {folder}` tells how good "
        hint += "the cuts are."
        gathered.failures.append(
            InputError("This is the folder of a language course.", path=folder, code="course", hint=hint)
        )
        return
    before = sum(len(found) for found in gathered.documents.values())
    seen: set[Path] = set()
    for path in walk(folder):
        real = path.resolve()
        if real in seen:
            continue
        seen.add(real)
        if real in beside:
            gathered.passed_over.append(InputError(f"This is {beside[real]}.", path=str(path), code="material"))
        else:
            _take(gathered, str(path), kind, gathered.passed_over, evident=True)
    if sum(len(found) for found in gathered.documents.values()) == before:
        gathered.failures.append(
            InputError("Nothing in this folder can be read.", path=folder, code="nothing_to_read", hint=_seen(gathered))
        )


def _seen(gathered: Gathered) -> str:
    count = len(gathered.passed_over)
    if not count:
        return "There are no files in it."
    return "1 file was passed over." if count == 1 else f"{count} files were passed over."


def _take(gathered: Gathered, path: str, kind: str | None, refused: list[InputError], *, evident: bool = False) -> None:
    """`evident`: the content itself must show the kind, because a folder may hold other files."""
    try:
        found, format = detect(path, kind, evident=evident)
    except InputError as error:
        # A file that may be of two kinds is probably a document: the user must choose.
        (gathered.failures if error.code == "unclear_kind" else refused).append(error)
        return
    gathered.kinds[found.name] = found
    gathered.documents.setdefault(found.name, []).append(Document(path, format))


def walk(folder: str) -> Iterator[Path]:
    """Every file below `folder`, sorted, without hidden files and links that lead out of it."""
    root = Path(folder).resolve()
    for place, folders, files in os.walk(folder):
        # A run's folder holds copies and exports of its input, which are no input.
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not Path(place, name, "journal.sqlite").is_file()
        )
        for name in sorted(files):
            path = Path(place, name)
            if not name.startswith(".") and path.resolve().is_relative_to(root):
                yield path


OWN: dict[str, Contract] = {
    "check_report": Contract("`burnish check --format json`.", "burnish.app.check_json", "CheckReport"),
    "manifest": Contract("manifest.json of a run.", "burnish.app.receipt", "Manifest"),
    "report": Contract("report.json of a run.", "burnish.app.receipt", "RunReport"),
    "receipt": Contract("receipt.json of a run.", "burnish.app.receipt", "Receipt"),
    "run_report": Contract("`burnish report RUN --json`.", "burnish.app.run_report", "RunReport"),
    "settings": Contract("burnish.toml.", "burnish.app.settings", "Settings"),
}
"""Contracts common to all kinds."""


@cache
def contracts() -> dict[str, str]:
    """Name -> one line about the contract: those of each kind, the common ones, and the replies of models."""
    described = {name: contract.what for name, contract in _models().items()}
    return {**described, **{name: _asked(name) for name in REPLIES}}


def _asked(name: str) -> str:
    sentence = (REPLIES[name].__doc__ or "").strip().split("\n", 1)[0]
    return f"Asked of a model: {sentence[:1].lower()}{sentence[1:]}"


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of one contract, by its name or the name of its type (`ValidationResult`)."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_schema(_named(name))}


def _named(name: str) -> str:
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
    if snake in contracts():
        return snake
    aliases = {contract.alias: known for known, contract in _models().items()}
    if snake in aliases:
        return aliases[snake]
    near = difflib.get_close_matches(snake, contracts(), n=1)
    hint = f"Did you mean `{near[0]}`?" if near else "`burnish schema` lists them all."
    raise NotFound(f"There is no contract {name!r}.", hint=hint)


def _models() -> dict[str, Contract]:
    return {**{name: c for kind in known_kinds().values() for name, c in kind.contracts.items()}, **OWN}


def _schema(name: str) -> dict[str, Any]:
    contract = _models().get(name)
    if contract is None:
        return reply_schema(name)
    described: type[BaseModel] = getattr(importlib.import_module(contract.module), contract.model)
    return described.model_json_schema()
