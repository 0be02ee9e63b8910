"""Exports: views of the journal that can always be made again."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from burnish.app.kinds import kind_named
from burnish.core.errors import StateCorrupt
from burnish.engine.plan import recorded_plan
from burnish.engine.runner import RunResources
from burnish.engine.session import RunEnd, RunSession
from burnish.engine.unit_loader import stories, story_of
from burnish.kinds.questions.model import Question
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import biased, filled, journal_of, keyless, receipt, run, scripted, sound, write_bank

EXPORTS = (
    "manifest.json",
    "report.json",
    "receipt.json",
    "validation.jsonl",
    "corrections.jsonl",
    "review_queue.jsonl",
)


def export(folder: RunFolder) -> tuple[str, ...]:
    """Make all exports again; the names of those that had been edited."""
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        [stop] = owned.journal.events(types=("run_stopped",))
        outcome = RunEnd(owned.journal.counts(), owned.journal.totals(), stop.data["reason"])
        sitting = RunSession(folder, owned.journal, plan, kind_named(plan.kind), RunResources())
        return sitting.write_out(outcome).edited_exports


def test_exports_made_again_are_the_same_bytes(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), filled(2), keyless(3)])
    folder, _ = run(bank, tmp_path / "runs", scripted())
    before = {name: (folder.root / name).read_bytes() for name in EXPORTS}
    for name in EXPORTS:
        (folder.root / name).unlink()
    assert export(folder) == ()
    assert {name: (folder.root / name).read_bytes() for name in EXPORTS} == before


def test_an_export_that_was_edited_is_named_and_made_anew(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs")
    before = folder.receipt.read_bytes()
    folder.receipt.write_text('{"units": "all fine"}')
    assert export(folder) == ("receipt.json",)
    assert folder.receipt.read_bytes() == before


def test_the_manifest_says_what_shaped_the_run(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs", scripted())
    manifest = json.loads(folder.manifest.read_text())
    assert manifest["prompts"] == {
        "burnish.kinds.questions.prompts:answer": "1",
        "burnish.kinds.questions.prompts:compare": "1",
        "burnish.kinds.questions.prompts:correct": "4",
        "burnish.kinds.questions.prompts:review": "3",
        "burnish.kinds.questions.prompts:solve": "3",
    }
    assert manifest["corrector"] == "scripted:m"
    assert len(manifest["rules"]) == 33
    assert set(manifest["severities"]) == set(manifest["rules"])
    assert manifest["documents"][0]["sha256"].startswith("sha256:")
    assert len(manifest["nonce"]) == 32


def test_the_queue_holds_what_a_person_needs(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), biased(1), keyless(2)]), tmp_path / "runs")
    queue = [json.loads(line) for line in (folder.root / "review_queue.jsonl").read_text().splitlines()]
    assert [(entry["unit"], entry["reason"]) for entry in queue] == [("q1", "no_model"), ("q2", "fatal_finding")]
    assert queue[0]["draft"] == biased(1)
    assert queue[0]["findings"][0]["rule"] == "ext_bias_detection"


def test_the_report_tells_of_the_bank_and_of_its_input(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(0, "twin")], "bank.jsonl")
    bank.write_text(bank.read_text() + "{torn\n")
    folder, _ = run(bank, tmp_path / "runs")
    report = json.loads((folder.root / "report.json").read_text())
    [document] = report["documents"]
    assert document["document"] == "bank.jsonl"
    assert document["near_duplicates"] == 1
    assert report["problems"][0]["line"] == 3


def test_a_clean_unit_is_not_in_the_receipt_but_in_the_validation(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    assert receipt(folder)["units"] == []
    [row] = [json.loads(line) for line in (folder.root / "validation.jsonl").read_text().splitlines()]
    assert (row["question_id"], row["state"], row["passed"]) == ("q0", "validated", True)


def test_questions_that_pass_through_are_listed(tmp_path: Path) -> None:
    bank = tmp_path / "bank.gift"
    bank.write_text("::t1:: Say why the sky is blue. {}\n\n::q1:: What is it? {=x ~y ~z}\n")
    folder, result = run(bank, tmp_path / "runs")
    report = json.loads((folder.root / "report.json").read_text())
    assert [entry["id"] for entry in report["passed_through"]] == ["t1"]
    with journal_of(folder) as journal:
        assert [row.id for row in journal.units()] == ["q1"]
    assert "Say why the sky is blue. {}" in Path(result.candidates[0].path).read_text()


def test_a_unit_is_shown_when_its_document_has_gone_or_changed(tmp_path: Path) -> None:
    for name, number in (("a.json", 0), ("b.json", 1)):
        write_bank(tmp_path / "in", [biased(number)], name)
    folder, _ = run(tmp_path / "in", tmp_path / "runs")
    read = [part.texts() for part in (Question.model_validate(biased(0)), Question.model_validate(biased(1)))]
    (tmp_path / "in" / "a.json").unlink()
    (tmp_path / "in" / "b.json").write_text("[]")
    with journal_of(folder) as journal:
        plan = recorded_plan(journal)
        assert plan is not None
        found = list(stories(kind_named(plan.kind), journal))
    assert [story.row.id for story in found] == ["a.json/q0", "b.json/q1"]
    assert [story.source.texts() for story in found] == read


def test_a_source_that_is_not_the_one_that_was_judged_is_not_shown(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), biased(1)]), tmp_path / "runs")
    with closing(sqlite3.connect(folder.journal)) as connection, connection:
        connection.execute("UPDATE sources SET content = replace(content, 'farmer', 'gardener')")
        connection.execute("DELETE FROM sources WHERE unit = 'q0'")
    with journal_of(folder) as journal:
        for row in journal.units():
            with pytest.raises(StateCorrupt, match="has no source in the journal"):
                story_of(kind_named("questions"), journal, row)
