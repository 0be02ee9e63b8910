"""Uploads: files dropped on the workbench, their kinds and roles, and advice for those that cannot be read.
They are kept until a run is started with them or a day has passed.

Everything about an upload is untrusted: its names become file names only here, its size is limited, and only the
readers of the kinds, which have their own limits, read its content.
"""

from __future__ import annotations

import csv
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from burnish.app.kinds import detect
from burnish.core.errors import InputError, NotFound, RunActive, UsageError
from burnish.core.json_bytes import dumps, loads
from burnish.kinds.registry import HEAD, beginning, extension, instead_of
from burnish.languages.detection import is_known, language_of
from burnish.store.files import make_folder, write_atomically
from burnish.store.paths import document_path

HOME = ".uploads"
"""The folder of uploads in the folder of runs. No run can have this name."""
RECORD, FILES, FIXED, CHECKED = "upload.json", "files", "fixed", "check.json"
CLAIM = "starting"
DOCUMENT = "document"
"""The role of files that are checked and repaired; other files are materials."""
MOST_FILES = 20
MOST_BYTES = 64 << 20
"""Of all files of an upload together."""
MOST_UPLOADS = 100
KEPT_SECONDS = 24 * 3600
LONGEST_NAME = 120
_ID = re.compile(r"[a-z0-9]{16}")
_UNSAFE = re.compile(r'[\x00-\x1f\x7f-\x9f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2060-\u2069\ud800-\udfff<>:"|?*]')


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file in a request."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file of an upload."""

    name: str
    """Safe, and unique in the upload."""
    bytes: int
    role: str = DOCUMENT


@dataclass(frozen=True, slots=True)
class Upload:
    """Dropped files, their kind, and the user's choices so far."""

    id: str
    folder: Path
    files: tuple[UploadedFile, ...]
    kind: str
    is_chosen: bool = False
    """Whether a person chose the kind and roles: then nothing is guessed."""
    choices: Mapping[str, str] = field(default_factory=dict)
    """Fields of the form: models, mode, ceilings, languages."""

    def path(self, file: UploadedFile) -> Path:
        return document_path(self.folder / FILES, file.name)

    def of(self, role: str) -> list[UploadedFile]:
        return [file for file in self.files if file.role == role]

    def paths(self, role: str) -> list[str]:
        return [str(self.path(file)) for file in self.of(role)]

    def one(self, role: str) -> str | None:
        return next(iter(self.paths(role)), None)

    def input_files(self, *, fixed: bool = False) -> dict[str, list[InputFile]]:
        """Role -> its files with their bytes. `fixed`: documents with their safe fixes applied, if there are any."""
        found: dict[str, list[InputFile]] = {}
        for file in self.files:
            fixed_path = document_path(self.folder / FIXED, file.name)
            path = fixed_path if fixed and fixed_path.is_file() else self.path(file)
            found.setdefault(file.role, []).append(InputFile(file.name, path.read_bytes()))
        return found


class Uploads:
    """The uploads of a folder of runs."""

    def __init__(self, runs: Path) -> None:
        self._home = runs / HOME

    def create(self, files: Sequence[InputFile]) -> Upload:
        """Store the files. Old uploads are removed, so that they cannot fill the disk."""
        self._sweep()
        id = secrets.token_hex(8)
        upload = Upload(id, self._home / id, (), "")
        make_folder(upload.folder / FILES)
        upload.folder.chmod(0o700)
        try:
            return self.add(upload, files)
        except BaseException:
            shutil.rmtree(upload.folder, ignore_errors=True)
            raise

    def add(self, upload: Upload, files: Sequence[InputFile]) -> Upload:
        """Add files to an upload."""
        files = [file for file in files if file.name or file.data]
        if not files and not upload.files:
            raise UsageError("No file was chosen.", hint="Drop a file on the page, or choose one.")
        if len(upload.files) + len(files) > MOST_FILES:
            raise UsageError(f"An upload has at most {MOST_FILES} files.", hint="Drop fewer files at a time.")
        if sum(file.bytes for file in upload.files) + sum(len(file.data) for file in files) > MOST_BYTES:
            raise UsageError(f"The files are larger than {MOST_BYTES >> 20} MB.", hint="Drop fewer files at a time.")
        kept = list(upload.files)
        for file in files:
            name = _free_name(file.name, {one.name.casefold() for one in kept})
            document_path(upload.folder / FILES, name).write_bytes(file.data)
            kept.append(UploadedFile(name, len(file.data)))
        return self.save(replace(upload, files=tuple(kept)))

    def remove(self, upload: Upload, name: str) -> Upload:
        """Remove a file; the last one cannot be removed."""
        kept = tuple(file for file in upload.files if file.name != name)
        if not kept or len(kept) == len(upload.files):
            raise UsageError("This file cannot be removed.", hint="Use another file instead.")
        gone = next(file for file in upload.files if file.name == name)
        upload.path(gone).unlink(missing_ok=True)
        return self.save(replace(upload, files=kept))

    def save(self, upload: Upload) -> Upload:
        record = {
            "files": [{"name": file.name, "bytes": file.bytes, "role": file.role} for file in upload.files],
            "kind": upload.kind,
            "is_chosen": upload.is_chosen,
            "choices": dict(upload.choices),
        }
        write_atomically(upload.folder / RECORD, dumps(record))
        return upload

    def open(self, id: str) -> Upload:
        folder = self._home / id
        if _ID.fullmatch(id) is None or not (folder / RECORD).is_file():
            raise NotFound("These files are no longer here.", hint="Files are kept for a day. Drop them again.")
        record: dict[str, Any] = loads((folder / RECORD).read_bytes())
        files = tuple(UploadedFile(**file) for file in record["files"])
        return Upload(id, folder, files, record["kind"], record["is_chosen"], record["choices"])

    @contextmanager
    def claimed(self, id: str) -> Iterator[None]:
        """Claim the upload while a run is started with it, so that a second click cannot start and pay for another.
        Raise RunActive if it is already claimed."""
        claim = self.open(id).folder / CLAIM
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError as error:
            raise RunActive("This run is being started already.", hint="Open Runs: it is there in a moment.") from error
        try:
            yield
        finally:
            claim.unlink(missing_ok=True)

    def delete(self, id: str) -> None:
        shutil.rmtree(self.open(id).folder)

    def _sweep(self) -> None:
        """Remove uploads that are older than a day, and the oldest ones if there are too many."""
        if not self._home.is_dir():
            return
        found = sorted(self._home.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
        before = time.time() - KEPT_SECONDS
        for at, folder in enumerate(found):
            if at >= MOST_UPLOADS - 1 or folder.stat().st_mtime < before:
                shutil.rmtree(folder, ignore_errors=True)


def _free_name(given: str, taken: set[str]) -> str:
    """A safe, unused file name: the last part of what the browser sent, without unsafe characters."""
    bare = _UNSAFE.sub("", given.replace("\\", "/").rpartition("/")[2]).strip(". ") or "file.txt"
    stem, dot, ending = bare.rpartition(".")
    stem, ending = (stem, f".{ending}") if dot and stem else (bare, "")
    ending = ending[:16]
    while len(f"{stem}{ending}".encode()) > LONGEST_NAME:
        stem = stem[:-1]
    name, number = f"{stem}{ending}", 2
    while name.casefold() in taken:
        name, number = f"{stem} ({number}){ending}", number + 1
    return name


def checked(upload: Upload) -> dict[str, Any] | None:
    """The result of the check of an upload; None if it was not checked since it changed."""
    path = upload.folder / CHECKED
    return loads(path.read_bytes()) if path.is_file() else None


ROLES: Mapping[str, Mapping[str, str]] = {
    "questions": {DOCUMENT: "Question bank"},
    "lessons": {DOCUMENT: "Lesson", "spec": "Specification", "source": "Source material"},
    "manuscripts": {
        DOCUMENT: "Book",
        "draft": "Translation to check",
        "glossary": "Glossary",
        "memory": "Translation memory",
        "style": "Style sheet",
    },
    "legos": {DOCUMENT: "Sentence pairs"},
}
"""Kind -> the roles of its files, with their titles."""
KIND_TITLES = {
    "questions": "Question bank",
    "lessons": "Lesson",
    "manuscripts": "Book to translate",
    "legos": "Sentence pairs for a course",
}
TEXTS = (".md", ".markdown", ".txt", ".docx")
TABLES = (".csv", ".tsv", ".tab")
ASKS = frozenset({
    "question", "questions", "stem", "question text", "question_text", "questiontext", "options", "option a",
    "option_a", "a", "answer", "answers", "correct", "correct answer", "correct_answer", "key", "item",
})  # fmt: skip
"""Names of columns that only a bank of questions has."""
PAIRED = frozenset({"source", "source_text", "target", "target_text", "term", "translation", "front", "back"})


def recognised(upload: Upload) -> Upload:
    """The upload with its detected kind and a role for each file. A person's choices are kept."""
    if upload.is_chosen:
        known = ROLES[upload.kind]
        files = [file if file.role in known else replace(file, role=DOCUMENT) for file in upload.files]
        return replace(upload, files=tuple(files))
    heads = {file.name: _head(upload, file) for file in upload.files}
    sorts = {file.name: _sort(file.name, heads[file.name], str(upload.path(file))) for file in upload.files}
    kind = _kind(list(sorts.values()))
    if kind == "lessons" and _are_translations([heads[name] for name, sort in sorts.items() if sort == "prose"]):
        kind = "manuscripts"
    given = _roles(kind, sorts, heads)
    return replace(upload, kind=kind, files=tuple(replace(file, role=given[file.name]) for file in upload.files))


def chosen(upload: Upload, kind: str, roles: Mapping[str, str]) -> Upload:
    """The upload with the kind and roles that a person chose. Files with a role that the kind lacks are documents."""
    known = ROLES[kind]
    files = [
        replace(file, role=role if (role := roles.get(file.name, file.role)) in known else DOCUMENT)
        for file in upload.files
    ]
    return replace(upload, kind=kind, is_chosen=True, files=tuple(files))


def _head(upload: Upload, file: UploadedFile) -> bytes:
    with upload.path(file).open("rb") as stream:
        return stream.read(HEAD)


def _sort(name: str, head: bytes, path: str) -> str:
    """What one file looks like: a bank, a lesson, a specification, prose, a table of pairs, a memory."""
    ending = extension(name)
    if ending in (".tmx", ".xliff", ".xlf"):
        return "memory"
    if ending == ".tbx":
        return "glossary"
    if ending in TABLES:
        return _table(head)
    text = beginning(head)
    if ending == ".json" and '"learning_objectives"' in text and '"sections"' not in text and '"content"' not in text:
        return "spec"
    try:
        kind, _ = detect(path)
    except InputError:
        return "prose" if ending in TEXTS else "unknown"
    if ending in TEXTS and (kind.name == "lessons" or not kind.is_evident(path, head)):
        return "prose"
    return kind.name


def _table(head: bytes) -> str:
    text = beginning(head)
    first = (text.splitlines() or [""])[0]  # also with the line ends of old Macs
    rows = list(csv.reader([first], delimiter="\t" if "\t" in text else ","))
    names = [cell.strip().lower() for cell in rows[0]] if rows else []
    if any(name in ASKS for name in names):
        return "questions"
    languages = [name for name in names if len(name) > 1 and is_known(name)]
    is_paired = len([name for name in names if name in PAIRED]) > 1 or len(languages) > 1 or len(names) == 2
    return "pairs" if is_paired else "questions"


def _kind(sorts: Sequence[str]) -> str:
    if "questions" in sorts:
        return "questions"
    if "lessons" in sorts or "spec" in sorts:
        return "lessons"
    if "prose" in sorts and ("memory" in sorts or "glossary" in sorts or "pairs" in sorts):
        return "manuscripts"
    if "pairs" in sorts:
        return "legos"
    return "lessons" if "prose" in sorts else "questions"


def _are_translations(proses: Sequence[bytes]) -> bool:
    """Whether these are two texts in two languages: a book, and its translation to be checked."""
    languages = {language_of(beginning(head)) for head in proses}
    return len(proses) == len(languages) == 2 and None not in languages


def _roles(kind: str, sorts: Mapping[str, str], heads: Mapping[str, bytes]) -> dict[str, str]:
    if kind == "lessons":
        has_record = "lessons" in sorts.values()
        others = {"spec": "spec", "prose": "source" if has_record else DOCUMENT}
        return {name: others.get(sort, DOCUMENT) for name, sort in sorts.items()}
    if kind == "manuscripts":
        return _of_a_book(sorts, heads)
    return dict.fromkeys(sorts, DOCUMENT)


def _of_a_book(sorts: Mapping[str, str], heads: Mapping[str, bytes]) -> dict[str, str]:
    """The first text is the book; another one is its translation if it is in another language, else a style sheet."""
    roles: dict[str, str] = {}
    language: str | None = None
    for name, sort in sorts.items():
        if sort != "prose":
            roles[name] = "memory" if sort == "memory" else "glossary"
        elif "style" in name.lower():
            roles[name] = "style"
        elif DOCUMENT not in roles.values():
            roles[name], language = DOCUMENT, language_of(beginning(heads[name]))
        else:
            roles[name] = "draft" if language_of(beginning(heads[name])) != language else "style"
    return roles


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A file that cannot be read, and advice."""

    name: str
    message: str
    hint: str


BACKUP = "In Moodle choose Question bank, Export, Moodle XML format, and drop that file."
USUAL = "Question banks: Moodle XML, GIFT, QTI, Canvas, Excel, CSV, JSON. Lessons and books: Word, Markdown or text."


def what_to_do(error: InputError, head: bytes, name: str) -> Unreadable:
    """Advice about a file that cannot be read, for users of the workbench: without commands and flags."""
    if head.startswith(b"%PDF"):
        return Unreadable(name, "This is a PDF.", "Export the bank as Moodle XML or Excel and drop that.")
    if extension(name) == ".mbz":
        return Unreadable(name, "This is a Moodle backup.", BACKUP)
    known = instead_of(name, head)
    if known is not None:
        return Unreadable(name, f"This is {known[0]}.", known[1])
    if not head.strip():
        return Unreadable(name, "This file is empty.", "Check that the export has finished, and drop it again.")
    hint = error.hint or ""
    is_for_terminals = not hint or "--" in hint or "`burnish" in hint
    return Unreadable(name, error.message, USUAL if is_for_terminals else hint)
