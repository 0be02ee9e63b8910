"""What a run is called: the title of its document or course, and one line about it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from burnish.app.kinds import kind_named
from burnish.core.errors import BurnishError
from burnish.core.kinds import Kind
from burnish.engine.plan import DocumentPlan, Plan
from burnish.kinds.legos.model import Course
from burnish.languages.tags import language_name
from burnish.store.sqlite_journal import SqliteJournal

LONGEST = 160
"""Characters of a title: a document may call itself what it likes."""
LARGEST = 4 << 20
"""Bytes of a lesson that is read for its title."""
TASKS = {"evolve": "Evolution of prompts"}
"""What a run does that does not do what runs of its kind do."""
_MOST_KEPT = 1_000


@dataclass(frozen=True, slots=True)
class Titled:
    """A run's name for people."""

    title: str
    subtitle: str


def titled(plan: Plan, kind: Kind, journal: SqliteJournal) -> Titled:
    """The name of a run. Where nothing has a title, files have names."""
    if plan.kind == "legos":
        return _course(plan, journal)
    if len(plan.documents) != 1:
        return Titled(_line(Path(str(plan.arguments.get("path", ""))).name) or plan.run_id, _several(plan))
    [document] = plan.documents
    if plan.kind == "manuscripts":
        return Titled(_heading(journal) or _stem(document), _languages(plan))
    if plan.kind == "lessons":
        return _lesson(document.path, document.format, document.sha256) or Titled(_stem(document), "Lesson")
    return Titled(_stem(document), f"{plan.kind.capitalize()}, {format_words(document.format)}")


ABBREVIATIONS = frozenset({"json", "jsonl", "csv", "tsv", "xml", "qti", "gift", "xlsx", "zip"})
"""Written in capitals wherever people read them."""


def format_words(name: str) -> str:
    """A file format as people write it: `JSON`, `Moodle XML`."""
    words = (word.upper() if word in ABBREVIATIONS else word for word in name.split("_"))
    said = " ".join(words)
    return said[:1].upper() + said[1:]


def _several(plan: Plan) -> str:
    return f"{plan.kind.capitalize()}, {len(plan.documents)} documents"


def _course(plan: Plan, journal: SqliteJournal) -> Titled:
    options = plan.arguments.get("options", {})
    code = str(options.get("course", "")) or plan.run_id
    try:
        course = Course.of(code)
        title = f"{language_name(course.target_tag)} for {language_name(course.source_tag)} speakers"
    except BurnishError:
        title = code  # only a name: a course that a later version calls otherwise is still shown
    ends = journal.outermost()
    seeds = f", SEEDs {ends[0].id} to {ends[1].id}" if ends is not None else ""
    return Titled(title, f"{TASKS.get(plan.task, plan.task)}, {code}" if plan.task else f"LEGOs, {code}{seeds}")


def _languages(plan: Plan) -> str:
    options = plan.arguments.get("options", {})
    source, target = (language_name(str(options.get(name, ""))) for name in ("source", "target"))
    scripts = ", Latin and Tifinagh" if "two_pass" in str(options.get("profile", "")) else ""
    return f"{source} to {target}{scripts}"


def _heading(journal: SqliteJournal) -> str | None:
    """A book's title is its first block, where that is a heading."""
    ends = journal.outermost()
    attempts = journal.attempts(ends[0].id) if ends is not None else []
    record: Any = attempts[0].content if attempts else None
    return (_line(str(record["text"])) or None) if record and record.get("block") == "heading" else None


@lru_cache(maxsize=_MOST_KEPT)
def _lesson(path: str, format: str, sha256: str) -> Titled | None:
    """The hash only says whether it is still the lesson that was read before."""
    del sha256
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            return None
        with file.open("rb") as stream:
            lesson = cast(dict[str, Any], kind_named("lessons").survey(stream, path, format))["lesson"]
    except (OSError, BurnishError):
        return None  # a lesson that has gone since keeps the name of its file
    language = f", {language_name(lesson.language)}" if lesson.language else ""
    title = _line(lesson.title)
    return Titled(title, f"Lesson{language}") if title else None


def _stem(document: DocumentPlan) -> str:
    return _line(Path(document.name).stem) or document.name


def _line(text: str) -> str:
    words = " ".join(text[: 4 * LONGEST].split())
    return words if len(words) <= LONGEST else words[: LONGEST - 1].rstrip() + "…"
