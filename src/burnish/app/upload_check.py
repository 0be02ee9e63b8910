"""The free check of an upload: findings of the rules in groups, and the safe fixes.

The result is stored as JSON next to the files, so that the page loads at once every time.
"""

from __future__ import annotations

import csv
import shutil
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import Any, TextIO

from burnish.app.check_summary import Job, job_of, pair_of
from burnish.app.kinds import gather, kind_named
from burnish.app.materials import LARGEST_BOOK, materials, read_file
from burnish.app.settings import Loaded
from burnish.app.uploads import CHECKED, DOCUMENT, FIXED, Unreadable, Upload, Uploads, recognised, what_to_do
from burnish.core.documents import Problem
from burnish.core.edits import changed_fields
from burnish.core.errors import BurnishError, InputError
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.json_bytes import dumps
from burnish.engine.check import DocumentFailed, UnitChecked, is_bad_input
from burnish.engine.fixes import DocumentWritten, UnitFixed
from burnish.kinds.registry import HEAD
from burnish.languages.detection import language_name, language_of
from burnish.store.files import make_folder, write_atomically
from burnish.store.paths import document_path

FINDINGS = "findings.csv"
MOST_UNITS = 12
"""Units listed for each rule."""
MOST_FIXES = 200
MOST_PROBLEMS = 50
AROUND = 40
"""Characters shown on either side of a quote."""
ENOUGH_TO_TELL = 20_000
"""Characters from which the language is detected."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters of a cell that spreadsheets take for a formula."""


@dataclass(slots=True)
class RuleGroup:
    """All findings of one rule."""

    rule: str
    severity: Severity
    message: str
    example: tuple[str, str, str] | None
    """The text before, the quote, the text after, from the first such finding."""
    count: int = 0
    units: list[str] = field(default_factory=list)


@dataclass(slots=True)
class UploadCheck:
    """The result of the check of an upload."""

    noun: str
    units: int = 0
    rules: int = 0
    seconds: float = 0.0
    formats: dict[str, str] = field(default_factory=dict)
    about: str = ""
    """The languages of the texts, in words."""
    severities: dict[str, int] = field(default_factory=lambda: dict.fromkeys(SEVERITIES, 0))
    groups: list[RuleGroup] = field(default_factory=list)
    strip: list[tuple[str, str]] = field(default_factory=list)
    """Every unit with its worst severity, in file order; empty if it has no findings."""
    fixes: list[dict[str, str]] = field(default_factory=list)
    fixed_units: int = 0
    fixed_files: list[str] = field(default_factory=list)
    problems: list[dict[str, Any]] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)
    note: str = ""
    """A note if nothing could be checked yet."""

    @property
    def flawed(self) -> int:
        return sum(1 for _, severity in self.strip if severity)


def check_upload(uploads: Uploads, upload: Upload, loaded: Loaded) -> Upload:
    """Recognise the files, check them, fix copies of them, and store the result."""
    upload = uploads.save(recognised(upload))
    started = time.monotonic()
    result = UploadCheck(kind_named(upload.kind).noun)
    shutil.rmtree(upload.folder / FIXED, ignore_errors=True)
    with (upload.folder / FINDINGS).open("w", encoding="utf-8-sig", newline="") as stream:
        try:
            CHECKS[upload.kind](upload, loaded, result, stream)
        except InputError as error:
            _refuse(upload, result, error)
        except BurnishError as error:
            result.unreadable.append(Unreadable("", error.message, error.hint or ""))
    if not result.units and not result.unreadable:
        message = result.problems[0]["message"] if result.problems else "There is nothing in this file to check."
        _refuse(upload, result, InputError(message, path=upload.files[0].name))
    order = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    result.groups.sort(key=lambda group: (order[group.severity], -group.count, group.rule))
    result.seconds = round(time.monotonic() - started, 1)
    write_atomically(upload.folder / CHECKED, dumps(asdict(result)))
    return upload


def _refuse(upload: Upload, result: UploadCheck, error: InputError) -> None:
    name = Path(error.path).name if error.path else ""
    file = next((one for one in upload.files if one.name == name), upload.files[0])
    result.unreadable.append(what_to_do(error, upload.path(file).read_bytes()[:HEAD], file.name))


def _with_rules(upload: Upload, loaded: Loaded, result: UploadCheck, stream: TextIO) -> None:
    """Check questions or lessons."""
    job = _job(upload, loaded, upload.paths(DOCUMENT))
    _take(job, upload, result, stream)
    copies = _copies(upload, DOCUMENT)
    _fix(_job(upload, loaded, [str(path) for path in copies]), result)


def _job(upload: Upload, loaded: Loaded, paths: list[str]) -> Job:
    beside = materials(upload.one("spec"), upload.paths("source"))
    return job_of(loaded, gather(paths, upload.kind, beside.places()), None, None, strict_input=False, beside=beside)


def _book(upload: Upload, loaded: Loaded, result: UploadCheck, stream: TextIO) -> None:
    """Check a book against its translation; without a translation it is only read."""
    from burnish.kinds.manuscripts.formats import source_text

    source, draft = upload.one(DOCUMENT), upload.one("draft")
    if source is None:
        raise InputError("There is no book among these files.", code="no_document", hint="Say which file the book is.")
    if draft is None:
        _read_book(source, result)
        return
    texts = (source_text(read_file(Path(path), LARGEST_BOOK), path) for path in (source, draft))
    result.about = _languages(texts)
    _take(job_of(loaded, pair_of([source, draft], upload.one("glossary")), None, None, False), upload, result, stream)
    [copy] = _copies(upload, "draft")
    _fix(job_of(loaded, pair_of([source, str(copy)], upload.one("glossary")), None, None, False), result)


def _read_book(path: str, result: UploadCheck) -> None:
    from burnish.kinds.manuscripts.formats import format_of, read_manuscript, source_text

    format, data = format_of(path), read_file(Path(path), LARGEST_BOOK)
    if format is None:
        raise InputError("A book is Markdown or text.", path=path, code="unknown_format")
    for part in read_manuscript(data, path, format):
        if isinstance(part, Problem):
            _problem(part, result)
        else:
            result.strip.append((part.id, ""))
    result.units = len(result.strip)
    result.formats[Path(path).name] = format
    result.about = _languages([source_text(data, path)])
    result.note = "There is no translation yet, so there is nothing to check. Add one to have it checked for free."


def _pairs(upload: Upload, loaded: Loaded, result: UploadCheck, stream: TextIO) -> None:
    from burnish.kinds.legos.pairs import Pair, format_of, read_pairs

    path = upload.one(DOCUMENT)
    assert path is not None, "an upload has at least one file"
    format = format_of(path)
    if format is None:
        raise InputError("Sentence pairs are a table.", path=path, code="unknown_format", hint="Save them as CSV.")
    halves: tuple[list[str], list[str]] = [], []
    for row in read_pairs(read_file(Path(path), LARGEST_BOOK), path, format):
        if isinstance(row, Pair):
            result.strip.append((row.seed_id or f"row {row.line}", ""))
            halves[0].append(row.source)
            halves[1].append(row.target)
        else:
            _problem(row, result)
    result.units = len(result.strip)
    result.formats[Path(path).name] = format
    result.about = _languages(" ".join(half[:400]) for half in halves)
    result.note = "Pairs are checked by cutting them. The built-in extractor cuts and scores every pair free of charge."


def _languages(texts: Iterable[str]) -> str:
    """`English and Spanish`: the languages of the texts, up to the first that is unknown."""
    known = takewhile(bool, (language_of(text[:ENOUGH_TO_TELL]) for text in texts))
    return " and ".join(language_name(language) for language in known if language)


CHECKS = {"questions": _with_rules, "lessons": _with_rules, "manuscripts": _book, "legos": _pairs}


def _take(job: Job, upload: Upload, result: UploadCheck, stream: TextIO) -> None:
    table = csv.writer(stream)
    table.writerow(["unit", "severity", "rule", "field", "quote", "message", "suggestion"])
    groups: dict[tuple[str, Severity], RuleGroup] = {}
    for failure in job.gathered.failures:
        _refuse(upload, result, failure)
    for documents in job.gathered.documents.values():
        result.formats |= {Path(document.path).name: document.format for document in documents}
    result.rules = sum(len(wants.selection.checks) for wants in job.wants.values())
    for event in job.events():
        if isinstance(event, UnitChecked):
            _unit(event, groups, result)
            table.writerows(_row(finding) for finding in event.findings)
        elif isinstance(event, DocumentFailed):
            _refuse(upload, result, event.error)
        elif isinstance(event, Problem) and is_bad_input(event):
            _problem(event, result)
    result.groups = list(groups.values())


def _unit(event: UnitChecked, groups: dict[tuple[str, Severity], RuleGroup], result: UploadCheck) -> None:
    found = [finding.severity for finding in event.findings]
    if not event.is_whole:
        result.units += 1
        result.strip.append((event.unit.id, next((one for one in SEVERITIES if one in found), "")))
    for finding in event.findings:
        result.severities[finding.severity] += 1
        key = finding.rule, finding.severity
        group = groups.get(key)
        if group is None:
            group = groups[key] = RuleGroup(*key, finding.message, _example(event, finding))
        group.count += 1
        if event.unit.id not in group.units and len(group.units) < MOST_UNITS and not event.is_whole:
            group.units.append(event.unit.id)


def _example(event: UnitChecked, finding: Finding) -> tuple[str, str, str] | None:
    text = event.unit.texts().get(finding.field)
    start, end = finding.start, finding.end
    if text is None or start is None or end is None or text[start:end] != finding.quote:
        return ("", finding.quote, "") if finding.quote else None
    before, behind = text[max(0, start - AROUND) : start], text[end : end + AROUND]
    return (
        f"{'…' if start > AROUND else ''}{before}",
        text[start:end][: 3 * AROUND],
        f"{behind}{'…' if len(text) > end + AROUND else ''}",
    )


def _row(finding: Finding) -> list[str]:
    """A row of the table. Content that a spreadsheet would take for a formula gets a leading apostrophe."""
    cells = [
        *(finding.unit, finding.severity, finding.rule, finding.field or "", finding.quote or ""),
        *(finding.message, finding.suggestion or ""),
    ]
    printable = [cell.encode("utf-8", "replace").decode() for cell in cells]
    return [f"'{cell}" if cell.startswith(FORMULA) else cell for cell in printable]


def _problem(problem: Problem, result: UploadCheck) -> None:
    if len(result.problems) < MOST_PROBLEMS:
        place = {"name": Path(problem.path).name, "line": problem.line}
        result.problems.append({**place, "message": problem.message, "hint": problem.hint or ""})


def _copies(upload: Upload, role: str) -> Iterator[Path] | list[Path]:
    """Copies of the files of a role: fixes are written into them, never into the uploaded files."""
    make_folder(upload.folder / FIXED)
    copies = []
    for file in upload.of(role):
        copy = document_path(upload.folder / FIXED, file.name)
        shutil.copyfile(upload.path(file), copy)
        copies.append(copy)
    return copies


def _fix(job: Job, result: UploadCheck) -> None:
    """Apply the safe fixes to the copies, and delete copies in which nothing was fixed."""
    for event in job.fixes():
        if isinstance(event, UnitFixed):
            result.fixed_units += 1
            old, new = event.before.texts(), event.after.texts()
            for name in changed_fields(event.before, event.after):
                if len(result.fixes) < MOST_FIXES:
                    change = {"unit": event.after.id, "field": name or "", "before": old[name], "after": new[name]}
                    result.fixes.append(change)
        elif isinstance(event, DocumentWritten):
            result.fixed_files.append(Path(event.document.path).name)
    for documents in job.gathered.documents.values():
        for document in documents:
            if Path(document.path).name not in result.fixed_files:
                Path(document.path).unlink(missing_ok=True)
