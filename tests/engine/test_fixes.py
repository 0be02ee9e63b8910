"""Safe fixes: only what makes nothing worse, all of a document at once or nothing of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.checks import apply_safe_fixes, select
from burnish.engine.check import Document
from burnish.engine.check_pool import CheckPool
from burnish.engine.fixes import DocumentLeft, DocumentWritten, FixEvent, FixRefused, UnitFixed, fix_documents
from tests.engine.notes_kind import NotesKind, NoteUnit

KIND = NotesKind()
SELECTION = select(KIND.checks)


def examine(unit: NoteUnit) -> object:
    return KIND.examine(unit, SELECTION, None)


def fixed(path: Path, kind: NotesKind = KIND) -> list[FixEvent]:
    with CheckPool(kind, SELECTION, None) as crew:
        return list(fix_documents(crew, kind, [Document(str(path), "notes")]))


def notes(folder: Path, text: str) -> Path:
    path = folder / "a.notes"
    path.write_bytes(text.encode())
    return path


def test_fixes_are_written_and_nothing_else_moves(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: teh end\n!missing_id: kept\n?e1: kept\nn2:  spaces   kept\nn3: on teh way\n")
    events = fixed(path)
    assert [type(event) for event in events] == [UnitFixed, UnitFixed, DocumentWritten]
    written = path.read_bytes().decode()
    assert written == "n1: the end\n!missing_id: kept\n?e1: kept\nn2:  spaces   kept\nn3: on the way\n"
    assert [p.name for p in tmp_path.iterdir()] == ["a.notes"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("n1: quiet please\n", "It would raise shout"),
        ("n1: a loop\n", "It would settle nothing"),
    ],
)
def test_a_fix_that_makes_anything_worse_is_not_applied(tmp_path: Path, text: str, reason: str) -> None:
    path = notes(tmp_path, text)
    before = path.stat().st_mtime_ns
    events = fixed(path)
    assert [type(event) for event in events] == [FixRefused]
    assert isinstance(events[0], FixRefused) and reason in events[0].reason
    assert path.read_bytes() == text.encode() and path.stat().st_mtime_ns == before


def test_what_code_takes_away_was_never_content_however_little_is_left(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: everything is gone\n")
    assert [type(event) for event in fixed(path)] == [UnitFixed, DocumentWritten]


def test_nothing_to_fix_writes_nothing(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: fine\n")
    assert fixed(path) == []


def test_a_document_with_bad_input_is_left_alone(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: teh\nSTOP\n")
    events = fixed(path)
    assert isinstance(events[-1], DocumentLeft)
    assert path.read_text() == "n1: teh\nSTOP\n"
    path = notes(tmp_path, "n1: teh\n!bad_line: What is this?\n")
    events = fixed(path)
    assert isinstance(events[-1], DocumentLeft) and "What is this?" in events[-1].error.message
    assert events[-1].error.line == 2
    assert path.read_text() == "n1: teh\n!bad_line: What is this?\n"
    missing = fixed(tmp_path / "gone.notes")
    assert isinstance(missing[0], DocumentLeft) and "cannot be read" in missing[0].error.message


def test_a_read_only_file_is_left_and_stops_no_other(tmp_path: Path) -> None:
    path, other = notes(tmp_path, "n1: teh\n"), tmp_path / "b.notes"
    path.chmod(0o444)
    other.write_text("n1: teh\n")
    with CheckPool(KIND, SELECTION, None) as crew:
        events = list(fix_documents(crew, KIND, [Document(str(path), "notes"), Document(str(other), "notes")]))
    left, *rest = events
    assert isinstance(left, DocumentLeft) and left.unwritten and "read-only" in left.error.message
    assert [type(event) for event in rest] == [UnitFixed, DocumentWritten], "no fix is told of what is not written"
    assert path.read_text() == "n1: teh\n"
    assert other.read_text() == "n1: the\n"


def test_a_read_only_file_with_nothing_to_fix_is_none_of_our_business(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: fine\n")
    path.chmod(0o444)
    assert fixed(path) == []


class ForgetfulKind(NotesKind):
    """Loses the last line when it writes."""

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], NoteUnit | None],
        target: BinaryIO,
    ) -> None:
        lines = source.readlines()
        target.writelines(lines[:-1])


def test_a_copy_that_does_not_read_back_is_never_put_in_place(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: teh\nn2: fine\n")
    events = fixed(path, ForgetfulKind())
    assert [type(event) for event in events] == [DocumentLeft], "no fix is told of what is not written"
    assert isinstance(events[-1], DocumentLeft) and events[-1].error.code == "fix_unproven"
    assert path.read_text() == "n1: teh\nn2: fine\n"


class MeddlingKind(NotesKind):
    """Someone saves the file while it is being fixed."""

    def rewrite(
        self,
        source: BinaryIO,
        path: str,
        format: str,
        changed: Callable[[str], NoteUnit | None],
        target: BinaryIO,
    ) -> None:
        Path(path).write_text("n1: teh\nn2: saved meanwhile\n")
        with Path(path).open("rb") as saved:
            super().rewrite(saved, path, format, changed, target)


def test_a_file_that_changes_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = notes(tmp_path, "n1: teh\n")
    events = fixed(path, MeddlingKind())
    assert isinstance(events[-1], DocumentLeft) and events[-1].error.code == "source_changed"
    assert path.read_text() == "n1: teh\nn2: saved meanwhile\n"


@given(st.lists(st.sampled_from(["teh", "quiet", "loop", "LOUD", "everything is gone", "word", "ignore"]), max_size=6))
def test_mending_never_adds_a_finding(words: list[str]) -> None:
    unit = NoteUnit("n1", " ".join(words) + " and some more words that stay")
    before = examine(unit)
    mending = apply_safe_fixes(unit, before, examine)  # type: ignore[arg-type]
    rules_before = {finding.rule for finding in before.findings}  # type: ignore[attr-defined]
    rules_after = {finding.rule for finding in mending.examination.findings}
    assert rules_after <= rules_before
    assert len(mending.examination.findings) + len(mending.settled) <= len(before.findings)  # type: ignore[attr-defined]
