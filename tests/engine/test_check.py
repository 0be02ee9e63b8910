"""Checking: every event in its order, whatever the documents are like."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from burnish.core.checks import Examination, select
from burnish.core.documents import PassedThrough, Problem, Whole
from burnish.core.errors import BurnishError, InputError
from burnish.core.findings import Finding
from burnish.engine import check_pool as crew_module
from burnish.engine.check import (
    HEADER_LINE,
    Baseline,
    CheckEvent,
    CheckSummary,
    Document,
    DocumentEnded,
    DocumentFailed,
    DocumentStarted,
    Progressed,
    UnitChecked,
    check_documents,
    line,
    opened,
    survey,
)
from burnish.engine.check_pool import CheckPool
from tests.engine.notes_kind import NotesKind, NoteUnit

KIND = NotesKind()


def document(folder: Path, *lines: str, name: str = "a.notes") -> Document:
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Document(str(path), "notes")


def events(*documents: Document, jobs: int = 1, off: tuple[str, ...] = (), **how: object) -> list[CheckEvent]:
    with CheckPool(KIND, select(KIND.checks), None, jobs=jobs) as crew, closing(KIND.overview({}, off)) as overview:
        return list(check_documents(crew, KIND, documents, overview, **how))  # type: ignore[arg-type]


def tally_of(heard: list[CheckEvent]) -> CheckSummary:
    tally = CheckSummary()
    for event in heard:
        tally.take(event)
    return tally


def units(heard: list[CheckEvent]) -> list[UnitChecked]:
    return [event for event in heard if isinstance(event, UnitChecked)]


def test_events_come_in_the_documents_order(tmp_path: Path) -> None:
    first = document(tmp_path, "n1: fine", "!bad_line: what", "?e1: essay", "n2: teh end")
    second = document(tmp_path, "n1: fine", name="b.notes")
    heard = events(first, second)
    assert [type(event) for event in heard] == [
        DocumentStarted,
        UnitChecked,
        Problem,
        PassedThrough,
        UnitChecked,
        DocumentEnded,
        DocumentStarted,
        UnitChecked,
        DocumentEnded,
    ]
    assert [finding.rule for finding in units(heard)[1].findings] == ["teh"]
    ended = [event for event in heard if isinstance(event, DocumentEnded)]
    assert ended[0].bank == {"different": 2}


def test_findings_beside_other_units_count_unless_they_are_off(tmp_path: Path) -> None:
    notes = document(tmp_path, "n1: same", "n2: same")
    assert [f.rule for f in units(events(notes))[1].findings] == ["again"]
    assert units(events(notes, off=("again",)))[1].findings == ()


def test_a_document_that_stops_is_told_and_the_next_one_is_read(tmp_path: Path) -> None:
    broken = document(tmp_path, "n1: fine", "STOP", "n2: never")
    gone = Document(str(tmp_path / "gone.notes"), "notes")
    heard = events(broken, gone, document(tmp_path, "n3: fine", name="b.notes"))
    failed = [event for event in heard if isinstance(event, DocumentFailed)]
    assert [event.error.line for event in failed] == [2, None]
    assert "cannot be read" in failed[1].error.message
    assert [event.unit.id for event in units(heard)] == ["n1", "n3"]
    assert tally_of(heard).exit_code == 2


def test_strict_input_stops_at_the_first_problem(tmp_path: Path) -> None:
    first = document(tmp_path, "n1: fine", "!bad_line: what", "n2: never")
    heard = events(first, document(tmp_path, "n3: never", name="b.notes"), strict_input=True)
    assert [type(event) for event in heard] == [DocumentStarted, UnitChecked, Problem, DocumentEnded]


def test_a_missing_id_is_told_and_harmless(tmp_path: Path) -> None:
    notes = document(tmp_path, "!missing_id: what", "n2: fine")
    heard = events(notes, strict_input=True)
    assert len(units(heard)) == 1
    assert tally_of(heard).exit_code == 0


def test_an_overview_sees_several_documents_and_tells_first_what_is_wrong_with_what_it_compares(tmp_path: Path) -> None:
    first, second = document(tmp_path, "n1: same"), document(tmp_path, "n1: same", name="b.notes")
    overview = KIND.overview({"trouble": ["no such line"]})
    with CheckPool(KIND, select(KIND.checks), None) as crew:
        heard = [*check_documents(crew, KIND, [first], overview), *check_documents(crew, KIND, [second], overview)]
    assert [event.message for event in heard if isinstance(event, Problem)] == ["no such line"]
    assert isinstance(heard[1], Problem)
    assert [finding.message for finding in units(heard)[1].findings] == [f"It was said before, in {first.path}."]
    assert [event.bank for event in heard if isinstance(event, DocumentEnded)] == [{"different": 1}, {"different": 0}]
    assert tally_of(heard).exit_code == 2


def test_progress_is_told_now_and_then(tmp_path: Path) -> None:
    notes = document(tmp_path, *(f"n{i}: fine {i}" for i in range(250)))
    read = [event.read for event in events(notes) if isinstance(event, Progressed)]
    assert len(read) == 2
    assert 0 < read[0] <= read[1] <= Path(notes.path).stat().st_size


def test_survey_passes_over_what_cannot_be_read(tmp_path: Path) -> None:
    good = document(tmp_path, "n1: a", "n2: b")
    broken = document(tmp_path, "STOP", name="b.notes")
    assert survey(KIND, [good, broken], {"wish": 1}) == {"surveys": [[2]], "wish": 1}


def test_opened_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught, opened(str(tmp_path)):
        pass
    assert caught.value.hint and "folder" in caught.value.hint
    with pytest.raises(InputError, match="no file name"), opened("a\0b"):
        pass


# -- several processes


def many(folder: Path, count: int) -> Document:
    return document(folder, *(f"n{i}: {'teh' if i % 7 == 0 else 'the'} {i}" for i in range(count)))


@pytest.fixture
def small_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start the crew early and send small batches, so that a short document is enough."""
    monkeypatch.setattr(crew_module, "WARM_UP", 10)
    monkeypatch.setattr(crew_module, "BATCH", 8)


@pytest.mark.usefixtures("small_crew")
def test_several_processes_say_the_same_in_the_same_order(tmp_path: Path) -> None:
    documents = [many(tmp_path, 120), document(tmp_path, "!bad_line: x", "n1: bonjour", name="b.notes")]
    assert events(*documents, jobs=2) == events(*documents, jobs=1)


@pytest.mark.usefixtures("small_crew")
def test_a_worker_that_dies_is_an_error_with_a_way_out(tmp_path: Path) -> None:
    notes = document(tmp_path, *(f"n{i}: fine" for i in range(40)))
    with CheckPool(DeadlyKind(), select(KIND.checks), None, jobs=2) as crew, pytest.raises(BurnishError) as caught:
        list(check_documents(crew, DeadlyKind(), [notes], KIND.overview({})))
    assert "worker process" in caught.value.message
    assert caught.value.hint and "--jobs 1" in caught.value.hint


class DeadlyKind(NotesKind):
    """Ends the process that examines its thirtieth unit."""

    def examine(self, unit: NoteUnit, selection: object, context: object) -> object:  # type: ignore[override]
        if unit.id == "n30":
            import os

            os._exit(9)
        return super().examine(unit, selection, context)  # type: ignore[arg-type]


@pytest.mark.usefixtures("small_crew")
def test_giant_units_travel_in_small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crew_module, "BATCH_CHARACTERS", 50)
    notes = document(tmp_path, *(f"n{i}: {'x' * 60}{i}" for i in range(20)))
    assert len(units(events(notes, jobs=2))) == 20


def test_what_a_worker_does(tmp_path: Path) -> None:
    """The worker's own code, in this process."""
    selection = select(KIND.checks, enabled=["teh"], severities={"teh": "info"})
    rules = frozenset(check.id for check in selection.checks)
    orders = pickle.loads(pickle.dumps((type(KIND), rules, dict(selection.severities), {"a": 1})))
    handler = signal.getsignal(signal.SIGINT)
    try:
        crew_module._report_for_duty(*orders)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        findings = crew_module._examine_batch([NoteUnit("n1", "teh LOUD")])[0].findings
    finally:
        signal.signal(signal.SIGINT, handler)
    assert [(finding.rule, finding.severity) for finding in findings] == [("teh", "info")]


@pytest.mark.usefixtures("small_crew")
def test_workers_do_not_outlive_their_parent(tmp_path: Path) -> None:
    notes = document(tmp_path, *(f"n{i}: fine {i}" for i in range(400)))
    script = tmp_path / "parent.py"
    script.write_text(
        "import multiprocessing, os, sys\n"
        "from burnish.core.checks import select\n"
        "from burnish.engine import check_pool as crew\n"
        "from burnish.engine.check import Document, check_documents\n"
        "from tests.engine.notes_kind import NotesKind\n"
        "if __name__ == '__main__':\n"
        "    crew.WARM_UP, crew.BATCH, kind = 10, 8, NotesKind()\n"
        "    with crew.CheckPool(kind, select(kind.checks), None, jobs=2) as workers:\n"
        "        notes = [Document(sys.argv[1], 'notes')]\n"
        "        for number, _ in enumerate(check_documents(workers, kind, notes, kind.overview({}))):\n"
        "            if number == 100:\n"
        "                print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "                os._exit(9)\n"
    )
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(script), notes.path],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    pids = [int(pid) for pid in done.stdout.split()]
    assert len(pids) == 2, done.stderr
    deadline = time.monotonic() + 30
    while any(lives(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(lives(pid) for pid in pids)


def lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# -- the tally


def test_tally_counts_everything(tmp_path: Path) -> None:
    notes = document(
        tmp_path,
        "n1: teh LOUD colour",
        "n2: bonjour LOUD",
        "n3: teh ignore",
        "?e1: essay",
        "!duplicate_id: twice",
    )
    summary = tally_of(events(notes)).summary()
    assert summary == {
        "documents": 1,
        "units": 3,
        "findings": 4,
        "by_rule": {"english": 1, "shout": 2, "teh": 1},
        "by_severity": {"critical": 0, "error": 1, "warning": 2, "info": 1},
        "fixable": 1,
        "known": 0,
        "ignored": {"teh": 1},
        "passed_through": {"essay": 1},
        "problems": 1,
        "failures": 0,
        "skipped_rules": [{"language": "fr", "units": 1, "rules": ["english"]}],
    }


def test_a_unit_with_errors_counts_once_and_a_document_as_a_whole_is_no_unit(tmp_path: Path) -> None:
    summary = tally_of(events(document(tmp_path, "n1: teh LOUD", "n2: LOUD", "n3: fine", "n4: teh")))
    assert (summary.units, summary.units_with_errors, summary.findings) == (4, 2, 4)
    told = Finding("again", "error", "whole", None, "It was said before.")
    for is_whole, counted in ((True, (4, 2)), (False, (5, 3))):
        summary.take(UnitChecked(Whole("whole"), Examination((told,)), (told,), is_whole=is_whole))
        assert (summary.units, summary.units_with_errors) == counted
    assert summary.findings == 6 and summary.rules_of("error") == {"teh": 2, "again": 2}


def test_exit_codes(tmp_path: Path) -> None:
    assert tally_of(events(document(tmp_path, "n1: LOUD"))).exit_code == 0
    assert tally_of(events(document(tmp_path, "n1: teh"))).exit_code == 1
    assert tally_of(events(document(tmp_path, "n1: teh", "!duplicate_id: x"))).exit_code == 2


# -- baselines


def finding(unit: str = "n1", quote: str | None = "teh", field: str | None = "stem") -> Finding:
    return Finding("teh", "error", unit, field, "It says teh.", quote=quote)


def written(path: Path, *findings: Finding) -> str:
    path.write_bytes(HEADER_LINE + b"".join(line(found) for found in findings))
    return str(path)


def test_a_baseline_excuses_each_finding_once(tmp_path: Path) -> None:
    baseline = Baseline.load(written(tmp_path / "known.jsonl", finding(), finding("n2", None, None)))
    new, known = baseline.split([finding(), finding(), finding("n2", None, None), finding("n1", "tEh")])
    assert known == (finding(), finding("n2", None, None))
    assert new == (finding(), finding("n1", "tEh"))


def test_a_baseline_takes_ids_that_are_no_text(tmp_path: Path) -> None:
    odd = finding("n\ud800", "teh", "options.\udfff")
    assert Baseline.load(written(tmp_path / "known.jsonl", odd)).split([odd]) == ((), (odd,))


def test_known_findings_stand_apart(tmp_path: Path) -> None:
    notes = document(tmp_path, "n1: teh LOUD")
    all_findings = units(events(notes))[0].findings
    baseline = Baseline.load(written(tmp_path / "known.jsonl", *all_findings[:1]))
    event = units(events(notes, baseline=baseline))[0]
    assert (event.findings, event.known) == (all_findings[1:], all_findings[:1])
    assert tally_of([event]).known == 1


@pytest.mark.parametrize(
    ("content", "line_number"),
    [
        (b"", 1),
        (b"nonsense\n", 1),
        (b'{"burnish_baseline":99}\n', 1),
        (HEADER_LINE + b"{\n", 2),
        (HEADER_LINE + b'{"rule":"x"}\n', 2),
        (HEADER_LINE + b"[]\n", 2),
    ],
)
def test_a_file_that_is_no_baseline_is_refused(tmp_path: Path, content: bytes, line_number: int) -> None:
    path = tmp_path / "known.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        Baseline.load(str(path))
    assert caught.value.line == line_number
    assert caught.value.hint and "--write-baseline" in caught.value.hint


def test_a_missing_baseline_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read") as caught:
        Baseline.load(str(tmp_path / "none.jsonl"))
    assert caught.value.path == str(tmp_path / "none.jsonl")
