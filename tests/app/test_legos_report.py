"""`burnish legos report`: a course's folder in, its reports and a calm page out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.course_text import bar
from burnish.core.experiments import Evidence, PairedTest
from burnish.core.json_bytes import dumps, loads
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.evolution.overlay import LedgerRow, Overlay, Rule, TrialEvidence
from burnish.kinds.legos.evolution.trials import Ledger
from burnish.kinds.legos.reports import shapes
from burnish.store.records import FileRecords
from tests.app.desk import Desk
from tests.golden.legos.course import fill
from tests.kinds.legos.reports.sample_course import ACCEPTED, IMPROVED, RECORDS, UNTOUCHED, attempt, lego, translation

TRANSLATIONS = Path("course/amino_acids/translations")


@pytest.fixture
def course(desk: Desk) -> Path:
    fill(Path("course"))
    return Path("course")


def put(record: dict[str, Any]) -> None:
    with FileRecords(Path("course")) as records:
        records.put_translation(record)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_reports_are_written_and_told(desk: Desk, course: Path) -> None:
    before = content(course / "amino_acids")
    said = desk("legos", "report", "course")
    assert (said.code, said.err) == (0, "")
    assert "mkd_for_eng_574seeds  6 SEEDs, 6 distinct LEGOs" in said.out
    assert "6 reports written to course" in said.out and "\x1b" not in said.out
    assert shapes.TeachingOrder.model_validate_json((course / "teaching_order.json").read_bytes()).count == 4
    assert content(course / "amino_acids") == before


def test_the_same_course_gives_the_same_bytes(desk: Desk, course: Path) -> None:
    desk("legos", "report", "course")
    first = content(course)
    desk("legos", "report", "course")
    assert content(course) == first


def test_json_tells_every_report(desk: Desk, course: Path) -> None:
    told = desk("legos", "report", "course", "--json").json
    shapes.QualityReport.model_validate(told["quality_report"])
    shapes.HumanReviewQueue.model_validate(told["human_review_queue"])
    assert told["problems"] == [] and told["prompt_evolution"]["trials"] == 0
    for name in ("flagged_seeds", "failed_seeds", "retry_queue", "quality_report", "human_review_queue"):
        assert told[name] == json.loads((course / "quality_reports" / f"{name}.json").read_bytes())


def test_both_stores_give_the_same(desk: Desk, course: Path) -> None:
    fill(Path("other"), "sqlite")
    files = desk("legos", "report", "course", "--store", "files", "--json")
    assert desk("legos", "report", "other", "--store", "sqlite", "--json").json == files.json


@pytest.mark.parametrize("store", ["files", "sqlite"])
def test_a_store_that_is_not_there_is_not_made(desk: Desk, store: str) -> None:
    Path("empty").mkdir()
    said = desk("legos", "report", "empty", "--store", store)
    assert said.code == 2 and "There is no empty/amino_acids" in said.err
    nothing = desk("legos", "report", "empty")
    assert nothing.code == 2 and "legos import" in nothing.err
    assert list(Path("empty").iterdir()) == []


def test_what_cannot_be_used_is_named_left_out_and_left_alone(desk: Desk, course: Path) -> None:
    (TRANSLATIONS / f"{'a' * 32}.json").write_bytes(b'{"uuid": "aaaa')
    put({**ACCEPTED, "uuid": "b" * 32, "seed_id": "C0091", "quality_status": "splendid"})
    put({**UNTOUCHED, "uuid": "c" * 32, "seed_id": "C0092", "schema_version": "2.0"})
    before = content(course)
    said = desk("legos", "report", "course", "--json")
    assert said.code == 2
    assert said.json["quality_report"]["quality_summary"]["total_seeds"] == len(RECORDS)
    codes = sorted(problem["code"] for problem in said.json["problems"])
    assert codes == ["invalid_record", "invalid_record", "unreadable_record"]
    after = content(course)
    assert {path: after[path] for path in before} == before
    shown = desk("legos", "report", "course").out
    words = " ".join(shown.split())
    assert "Left out 3 problems" in words and "b" * 32 in words and "Written by a newer Burnish" in words


def test_old_records_are_reported_as_they_would_be_migrated(desk: Desk, course: Path) -> None:
    fields = ("uuid", "type", "seed_id", "source", "target", "metadata")
    old = {name: {**ACCEPTED, "uuid": "d" * 32, "seed_id": "C0050"}[name] for name in fields}
    put(old)
    with FileRecords(course) as records:
        records.put_legos("d" * 32, [lego(old, 1, "I need coffee", "Ми треба кафе")])
    bad = {**old, "uuid": "e" * 32, "seed_id": "C0051", "quality_status": "accepted"}
    put(bad)
    told = desk("legos", "report", "course", "--json")
    assert told.json["quality_report"]["quality_summary"]["accepted"] == 3
    assert told.code == 2 and [problem["path"] for problem in told.json["problems"]] == ["e" * 32]
    stored = json.loads((TRANSLATIONS / f"{'d' * 32}.json").read_bytes())
    assert "lego_extraction_attempts" not in stored


def test_a_course_that_nobody_has_cut_yet(desk: Desk) -> None:
    with FileRecords(Path("new")) as records:
        records.put_translation(UNTOUCHED)
    said = desk("legos", "report", "new")
    assert said.code == 0 and "not cut yet" in said.out
    assert "Dimensions" not in said.out and "Trying again" not in said.out and "Needs a person" not in said.out


def test_a_course_without_concerns_or_retries_says_nothing_of_them(desk: Desk) -> None:
    with FileRecords(Path("fine")) as records:
        records.put_translation(ACCEPTED)
    out = desk("legos", "report", "fine").out
    assert "Dimensions" in out and "Concerns" not in out and "Trying again" not in out


def test_retries_that_brought_nothing_name_no_suggestion(desk: Desk) -> None:
    with FileRecords(Path("fine")) as records:
        records.put_translation(translation("C0001", "a", "b", attempt(1, 9.0), attempt(2, 8.5)))
    out = desk("legos", "report", "fine").out
    assert "0 of 1 SEED, -0.50 points on average" in out and "most effective" not in out


def test_long_lists_are_cut_short_in_the_terminal_only(desk: Desk) -> None:
    with FileRecords(Path("many")) as records, records.batch():
        for number in range(1, 14):
            records.put_translation(translation(f"C{number:04}", f"s{number}", "t", attempt(1, 9.0), person=True))
        records.put_translation(translation("C0099", "s", "t", status="pending_review", person=True))
    out = desk("legos", "report", "many").out
    assert "14 SEEDs, the most urgent first" in out and "and 4 more; --json lists all" in out
    assert "C0099  critical    --  it has not been cut yet" in out


def test_nothing_in_a_record_reaches_the_terminal_as_it_is(desk: Desk) -> None:
    with FileRecords(Path("evil")) as records:
        records.put_translation(translation("C0001", "a\x1b[2Jb", "b", attempt(1, 9.0), person=True))
    said = desk("legos", "report", "evil")
    assert "\x1b" not in said.out and "a\\x1b[2Jb" in said.out
    assert "\x1b" not in desk("legos", "report", "evil", "--json").out


def adopt(course: Path) -> None:
    evidence = Evidence(PairedTest(80, 0.4, 0.003, 0.5), 7.5, 7.9, 20, 0.5, 0.4)
    known = TrialEvidence(**evidence.as_record())
    overlay = Overlay.of(None, "1.0.0")
    for name in ("first", "second"):
        rule = Rule(f"r_{name}", f"Keep the {name} verb whole.", "s_preserve_phrasal_verbs", 9)
        overlay = overlay.adopting(rule, evidence, trial=name, at="2026-01-05T10:00:00Z")
    overlay = overlay.taking_back("r_second", evidence, trial="third", at="2026-01-06T10:00:00Z")
    row = LedgerRow(
        trial="first",
        at="2026-01-05T10:00:00Z",
        run_id="r",
        model="scripted:x",
        seed=1,
        action="adopt",
        rule="r_first",
        text="Keep the first verb whole.",
        suggestion_id="s_preserve_phrasal_verbs",
        proposed_by=9,
        tested=("C0001",),
        held_out=("C0002",),
        version_before="1.0.0",
        version_after="1.1.0",
        evidence=known,
        decision="adopted",
        reasons=(),
        why="It helps.",
    )
    (course / "prompts").mkdir()
    (course / OVERLAY).write_bytes(overlay.to_bytes())
    (course / LEDGER).write_bytes(Ledger().adding(row).data)


def test_what_the_prompt_has_learnt_is_shown(desk: Desk, course: Path) -> None:
    adopt(course)
    out = desk("legos", "report", "course").out
    assert "version 1.3.0" in out and "1 rule in use, 1 taken back, 1 candidate tried" in out
    assert "Keep the first verb whole." in out and "+0.40 points on 80" in out
    assert "- since 1.3.0" in out and "Keep the second verb whole." in out
    told = desk("legos", "report", "course", "--json").json["prompt_evolution"]
    assert told["prompt_version"] == "1.3.0" and told["decisions"]["adopted"] == 1
    assert told["rules"][0]["gain"] == 0.4 and told["taken_back"][0]["prompt_version"] == "1.3.0"


def test_a_damaged_overlay_or_ledger_is_told_and_the_rest_reported(desk: Desk, course: Path) -> None:
    adopt(course)
    (course / OVERLAY).write_bytes(b"{")
    with (course / LEDGER).open("ab") as ledger:
        ledger.write(b'{"trial": "cut o')
    said = desk("legos", "report", "course", "--json")
    assert said.code == 2 and said.json["prompt_evolution"]["trials"] == 1
    assert [problem["code"] for problem in said.json["problems"]] == ["bad_overlay", "broken_line"]


def test_a_bar_shows_what_is_not_nothing_and_not_all() -> None:
    assert (bar(0, 4), bar(0.01, 4), bar(0.5, 4), bar(0.99, 4), bar(1, 4)) == ("····", "█···", "██··", "███·", "████")


def test_the_files_are_plain_json_that_people_can_read(desk: Desk, course: Path) -> None:
    desk("legos", "report", "course")
    data = (course / "teaching_order.json").read_bytes()
    assert data == dumps(loads(data), indent=2) + b"\n"
    assert IMPROVED["source"].split()[0] in data.decode() and "Таа" in data.decode()


@pytest.fixture
def extracted(desk: Desk) -> Path:
    """A course that was cut without a model, with a SEED that is so long that a person should see it."""
    Path("pairs.tsv").write_text(f"{'I see you here, ' * 7}.\t{'Те гледам тука, ' * 7}.\n", encoding="utf-8")
    assert desk("legos", "import", "pairs.tsv", "--course", "mkd_for_eng", "--dir", "cut").code == 0
    assert desk("legos", "extract", "cut", "--run-id", "first").code == 3
    return Path("cut")


def test_the_command_that_is_shown_settles_the_seed(desk: Desk, extracted: Path) -> None:
    words = " ".join(desk("legos", "report", "cut").out.split())
    shown = words.partition("waits in a run: `")[2].partition("` settles")[0]
    assert shown == "burnish decide first C0001 accept --by NAME"
    elsewhere = " ".join(desk("legos", "report", "cut", "--runs", "elsewhere").out.split())
    assert "burnish decide RUN C0001" in elsewhere
    assert desk(*shown.split()[1:]).code == 0
    assert desk("resume", "first").code == 0
    assert "Needs a person" not in desk("legos", "report", "cut").out


def test_how_to_settle_seeds_is_told_for_each_way(desk: Desk) -> None:
    empty = {**attempt(1, 3.0), "legos_extracted": 0}
    review = {"decision": "reject", "by": "Ann", "at": "2026-01-01T10:00:00Z", "note": "Keep the verb whole."}
    with FileRecords(Path("my course")) as records:
        records.put_translation(translation("C0001", "s", "t", empty, status="pending_review", person=True))
        records.put_translation(
            translation("C0002", "s", "t", attempt(1, 9.0), status="pending_review", person=True, human_review=review)
        )
    words = " ".join(desk("legos", "report", "my course").out.split())
    assert "C0001 waits in a run and has no LEGOs: `burnish decide RUN C0001 edit --by NAME --text-file FILE`" in words
    assert "`burnish decide RUN C0002 accept --by NAME`" in words and "C0001 accept" not in words
    assert "Ann: Keep the verb whole." in words


def test_a_run_that_cannot_be_read_or_is_about_something_else_is_passed_over(desk: Desk, extracted: Path) -> None:
    Path("runs/broken").mkdir()
    Path("runs/broken/journal.sqlite").write_bytes(b"no database at all")
    words = " ".join(desk("legos", "report", "cut").out.split())
    assert "burnish decide first C0001" in words
    fill(Path("course"))
    other = " ".join(desk("legos", "report", "course").out.split())
    assert "`burnish decide RUN C0004 accept --by NAME`" in other
    assert "C0005 waits in no run" in other and "`burnish legos extract course --again C0005`" in other
