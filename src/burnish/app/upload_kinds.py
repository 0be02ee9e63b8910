"""What uploaded files are: the kind of content, the role of each file, and what to do with one that cannot be read."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from burnish.app.kinds import detect
from burnish.app.uploads import DOCUMENT, Upload, UploadedFile
from burnish.core.errors import InputError
from burnish.kinds.registry import HEAD, beginning, extension, instead_of
from burnish.languages.detection import language_of
from burnish.languages.tags import is_known

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
"""Kind -> what its files may be, in words."""
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
    """The upload with its kind, and with a role for each file. What a person chose stays."""
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
    """What a person says it is. A role that the kind does not have is that of the document."""
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
    """What one file looks like by itself: a bank, a lesson, a specification, prose, a table of pairs, a memory."""
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
    first = (text.splitlines() or [""])[0]  # also where lines end as on old Macs
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
    """Whether there are two texts, in two languages: a book, and its translation to be checked."""
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
    """A file that cannot be read, and what to do instead."""

    name: str
    message: str
    hint: str


BACKUP = "In Moodle choose Question bank, Export, Moodle XML format, and drop that file."
USUAL = "Question banks: Moodle XML, GIFT, QTI, Canvas, Excel, CSV, JSON. Lessons and books: Word, Markdown or text."


def what_to_do(error: InputError, head: bytes, name: str) -> Unreadable:
    """A file that no kind reads, in words for somebody who never saw a terminal."""
    if head.startswith(b"%PDF"):
        return Unreadable(name, "This is a PDF.", "Export the bank as Moodle XML or Excel and drop that.")
    if extension(name) == ".mbz":
        return Unreadable(name, "This is a Moodle backup.", BACKUP)
    known = instead_of(name, head)
    if known is not None:
        return Unreadable(name, f"This is {known[0]}.", known[1])
    if not head.strip():
        return Unreadable(name, "This file is empty.", "Look whether the export has finished, and drop it again.")
    hint = error.hint or ""
    is_for_terminals = not hint or "--" in hint or "`burnish" in hint
    return Unreadable(name, error.message, USUAL if is_for_terminals else hint)
