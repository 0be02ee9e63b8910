"""Changed drafts beside the other units: a correction that makes a copy is not accepted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.app.kinds import kind_named
from burnish.core.attempts import blocking_rules
from burnish.core.errors import UsageError
from burnish.core.records import Record, UnitRow, Usage
from burnish.engine.plan import recorded_plan
from burnish.engine.unit_loader import examiner_of
from burnish.models.calls import Call
from burnish.models.scripted import ScriptedModel
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    BIASED,
    TOPICS,
    WHICH,
    biased,
    edit,
    journal_of,
    mends,
    questions_in,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)
from tests.engine.test_decisions import decide

JUDGE = ("scripted:judge",)
"""Another model than the corrector: it says that the key of a stem that was written anew is right."""
WAITS = ("needs_manual_review", "duplicate")


def turns_into(number: int, *units: str) -> ScriptedModel:
    """A model that corrects the named units into the question of that number, and mends the others."""

    def answer(call: Call) -> object:
        if call.reply_name != "edit_reply" or call.unit not in units:
            return mends(call)
        spoilt = TOPICS[int(call.unit[1:])][0].replace(WHICH, WHICH + BIASED)
        return edit(call.unit, spoilt, TOPICS[number][0])

    return scripted(answer)


def with_options_of(number: int, question: dict[str, object]) -> dict[str, object]:
    return {**question, "options": sound(number)["options"]}


@pytest.mark.parametrize("before", [True, False], ids=["of an earlier one", "of a later one"])
def test_a_correction_that_makes_a_copy_waits_for_a_person(tmp_path: Path, before: bool) -> None:
    corrected = with_options_of(0, biased(1))
    bank = [sound(0), corrected] if before else [corrected, sound(0)]
    folder, result = run(write_bank(tmp_path, [*bank, biased(2)]), tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE)
    assert result.outcome.stopped == "needs_person"
    assert states(folder)["q1"] == WAITS
    assert states(folder)["q0"][0] == states(folder)["q2"][0] == "validated"
    with journal_of(folder) as journal:
        *_, last = journal.events(unit="q1", types=("state_changed",))
        assert last.data["message"] == "The question is 100 % like 'q0'."
        assert last.data["rules"] == ["potential_duplicate"]


def test_what_it_is_a_copy_of_is_told_wherever_the_unit_is(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), with_options_of(0, biased(1))])
    folder, _ = run(bank, tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE)
    with journal_of(folder) as journal:
        row = journal.unit("q1")
        assert row is not None and (row.attempts, row.best_attempt, row.open_errors) == (3, 3, 1)
        *_, corrected, seen = journal.attempts("q1")
    assert blocking_rules(seen) == {"potential_duplicate"}
    assert (seen.cause, seen.passed, seen.content, seen.usage, seen.calls) == (
        "review",
        False,
        corrected.content,
        Usage(),
        (),
    )
    assert corrected.passed
    [queued] = map(json.loads, (folder.root / "review_queue.jsonl").read_text().splitlines())
    assert (queued["open_errors"], [one["rule"] for one in queued["findings"]]) == (1, ["potential_duplicate"])
    assert "'q0'" in queued["findings"][0]["message"]
    _, judged = map(json.loads, (folder.root / "validation.jsonl").read_text().splitlines())
    assert (judged["passed"], [one["ruleId"] for one in judged["violations"]]) == (False, ["potential_duplicate"])
    [unit] = json.loads(folder.receipt.read_text())["units"]
    assert [one["rule"] for one in unit["remaining"]] == ["potential_duplicate"]
    [row_out] = map(json.loads, (folder.root / "corrections.jsonl").read_text().splitlines())
    assert row_out["pipeline_metadata"]["correction"]["persistent_rules"] == ["potential_duplicate"]
    assert row_out["pipeline_metadata"]["correction"]["total_attempts"] == 1, "a look is no correction"


def test_a_copy_that_is_sent_back_is_corrected_from_where_it_stood(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), with_options_of(0, biased(1))])
    folder, _ = run(bank, tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE)
    assert decide(folder, "q1", "reject", note="Ask about sleep instead.") == "correcting"
    answer = scripted(
        lambda call: mends(call) if call.reply_name != "edit_reply" else edit("q1", TOPICS[0][0], TOPICS[3][0])
    )
    assert resume(folder, answer).outcome.stopped == "done", states(folder)
    assert questions_in(folder.out / "bank.json")["q1"]["stem"] == TOPICS[3][0]


def test_an_interrupt_while_copies_are_called_back_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two that are alike, one waits: also where the run is stopped right after that was written."""
    bank = write_bank(tmp_path, [with_options_of(0, biased(1)), with_options_of(0, biased(2)), sound(3)])
    write = Journal.write

    async def interrupted(self: Journal, *records: Record) -> None:
        await write(self, *records)
        if any(isinstance(record, UnitRow) and record.reason == "duplicate" for record in records):
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Journal, "write", interrupted)
        run(bank, tmp_path / "runs", turns_into(0, "q1", "q2"), judges=JUDGE)
    folder = RunFolder.at(tmp_path / "runs", "r1")
    for _ in range(2):
        resume(folder, turns_into(0, "q1", "q2"))
        assert (states(folder)["q1"][0], states(folder)["q2"]) == ("validated", WAITS)


def test_of_two_corrections_that_are_alike_the_later_one_waits(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [with_options_of(0, biased(1)), with_options_of(0, biased(2)), sound(3)])
    folder, _ = run(bank, tmp_path / "runs", turns_into(0, "q1", "q2"), judges=JUDGE, workers=2)
    assert (states(folder)["q1"][0], states(folder)["q2"]) == ("validated", WAITS)


def test_what_a_person_accepts_all_the_same_is_published_and_not_called_back(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), with_options_of(0, biased(1))])
    folder, _ = run(bank, tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE)
    decide(folder, "q1", "accept", note="On purpose.")
    result = resume(folder)
    assert result.outcome.stopped == "done"
    assert questions_in(Path(result.published[0].path))["q1"]["stem"] == sound(0)["stem"]
    assert resume(folder).outcome.stopped == "done"


def test_a_correction_that_was_compared_is_not_blamed_for_what_a_person_wrote_later(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), biased(1, options=sound(0)["options"], correct_answer="Q"), sound(2)])
    folder, _ = run(bank, tmp_path / "runs", scripted())
    assert states(folder)["q0"][0] == "validated"
    text = json.dumps({"stem": sound(0)["stem"], "correct_answer": "A"})
    assert decide(folder, "q1", "edit", text=text) == "needs_manual_review"
    assert decide(folder, "q1", "accept") == "validated"
    assert resume(folder, scripted()).outcome.stopped == "done"


def test_an_edit_is_compared_at_once(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), with_options_of(0, biased(1)), biased(2)])
    folder, _ = run(bank, tmp_path / "runs")
    assert decide(folder, "q1", "edit", text=json.dumps({"stem": sound(0)["stem"]})) == "needs_manual_review"
    assert states(folder)["q1"] == ("needs_manual_review", "edit_has_errors")
    with journal_of(folder) as journal:
        [finding] = journal.attempts("q1")[-1].findings
        assert (finding["rule"], finding["severity"], finding["source"]) == ("potential_duplicate", "error", "document")
    assert decide(folder, "q1", "edit", text=json.dumps({"stem": sound(1)["stem"]})) == "validated"


def test_an_edit_is_compared_with_the_drafts_of_the_others_not_with_their_sources(tmp_path: Path) -> None:
    """q1 was corrected: its old text is free again, its new one is taken."""
    bank = write_bank(tmp_path, [biased(1), biased(2, options=sound(1)["options"], correct_answer="Q")])
    folder, _ = run(bank, tmp_path / "runs", scripted())
    assert states(folder)["q1"][0] == "validated"
    taken = json.dumps({"stem": sound(1)["stem"], "correct_answer": "A"})
    assert decide(folder, "q2", "edit", text=taken) == "needs_manual_review"


def test_a_duplicate_that_a_person_made_different_is_no_duplicate_any_more(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0), sound(0, "twin")]), tmp_path / "runs")
    assert states(folder)["twin"] == WAITS
    changed = {key: value for key, value in sound(3, "twin").items() if key != "id"}
    assert decide(folder, "twin", "edit", text=json.dumps(changed)) == "validated"
    assert resume(folder).outcome.stopped == "done"


def test_nothing_is_compared_where_the_rule_is_off(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(0, "twin"), with_options_of(0, biased(1))])
    check = {"ignore": ("potential_duplicate",)}
    folder, result = run(bank, tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE, check=check)
    assert result.outcome.stopped == "done", states(folder)
    report = json.loads((folder.root / "report.json").read_text())
    assert "near_duplicates" not in report["documents"][0]
    manifest = json.loads(folder.manifest.read_text())
    assert manifest["off"] == ["potential_duplicate"]


def test_an_unchanged_bank_is_not_read_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise AssertionError("nothing was changed")

    monkeypatch.setattr("burnish.engine.unit_loader.Neighbours.copies", refuse)
    _, result = run(write_bank(tmp_path, [sound(0), sound(1)]), tmp_path / "runs", scripted())
    assert result.outcome.stopped == "done"


def test_no_rule_but_that_of_copies_means_no_rule(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), sound(1), sound(1, "twin")])
    folder, _ = run(bank, tmp_path / "runs", check={"select": ("potential_duplicate",)})
    assert {unit: state for unit, (state, _) in states(folder).items()} == {
        "q0": "validated",
        "q1": "validated",
        "twin": "needs_manual_review",
    }
    assert json.loads(folder.manifest.read_text())["rules"] == []
    assert decide(folder, "twin", "edit", text=json.dumps({"stem": biased(3)["stem"]})) == "validated"
    resume(folder)
    assert states(folder)["q0"][0] == "validated"


def test_a_rule_that_this_version_does_not_have_is_not_silently_left_out(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        later = replace(plan, rules=(*plan.rules, "nbme_of_the_future"), version="9.0")
        with pytest.raises(UsageError, match="nbme_of_the_future"):
            examiner_of(later, kind_named(plan.kind))


def test_problems_of_an_earlier_bank_that_leave_it_whole_are_told(tmp_path: Path) -> None:
    earlier = write_bank(tmp_path, [sound(0, "old"), sound(3, "old")], "earlier.jsonl")
    bank = write_bank(tmp_path, [sound(1), biased(2)])
    folder, result = run(bank, tmp_path / "runs", scripted(), order={"against": str(earlier)})
    assert result.outcome.stopped == "done"
    [problem] = json.loads((folder.root / "report.json").read_text())["problems"]
    assert (problem["document"], problem["code"], problem["blocks"]) == ("earlier.jsonl", "duplicate_id", False)


def test_a_correction_is_compared_with_the_earlier_bank_too(tmp_path: Path) -> None:
    earlier = write_bank(tmp_path, [sound(0, "old")], "earlier.jsonl")
    bank = write_bank(tmp_path, [with_options_of(0, biased(1))])
    folder, _ = run(bank, tmp_path / "runs", turns_into(0, "q1"), judges=JUDGE, order={"against": str(earlier)})
    assert states(folder)["q1"] == WAITS


def test_copies_across_the_files_of_a_folder_are_told_and_published(tmp_path: Path) -> None:
    write_bank(tmp_path / "in", [sound(0), sound(1)], "a.json")
    write_bank(tmp_path / "in", [sound(2), sound(0, "again")], "b.json")
    folder, result = run(tmp_path / "in", tmp_path / "runs")
    assert result.outcome.stopped == "done"
    with journal_of(folder) as journal:
        [finding] = journal.attempts("b.json/again")[0].findings
    assert (finding["severity"], finding["message"]) == ("warning", "The question is 100 % like 'q0' in a.json.")
