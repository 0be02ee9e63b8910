"""Sittings: the plan that is written down, and what is not believed when it is read again."""

from dataclasses import replace
from pathlib import Path

import pytest

from burnish.core.errors import StateCorrupt
from burnish.core.faultpoints import installed
from burnish.engine.plan import Plan, begin, recorded_plan, renewed
from burnish.store.journal import MemoryJournal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    biased,
    causes,
    journal_of,
    resume,
    run,
    scripted,
    sound,
    states,
    untidy,
    write_bank,
)


def a_plan(**changes: object) -> Plan:
    given = {
        "run_id": "r",
        "kind": "questions",
        "documents": (),
        "nonce": "0" * 32,
        "arguments": {},
        "rules": (),
        "severities": {},
        "demands": {},
        "corrector": None,
        "judges": (),
        "prompts": {},
        "version": "0",
    }
    return Plan(**{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text", ["not JSON", "{}", '{"documents": [{"nam": 1}], "rules": [], "judges": [], "surveys": []}']
)
def test_a_plan_that_cannot_be_read_is_corrupt_state(text: str) -> None:
    journal = MemoryJournal()
    journal.set_meta("plan", text)
    with pytest.raises(StateCorrupt, match="journal cannot be read"):
        recorded_plan(journal)


def test_a_plan_is_read_as_it_was_written() -> None:
    journal = MemoryJournal()
    plan = a_plan(judges=("a:b",), rules=("x",), surveys=(["rationale"],))
    assert begin(journal, plan) == plan
    assert recorded_plan(journal) == plan
    assert begin(journal, plan) == plan
    assert [event.type for event in journal.events()] == ["run_started", "run_resumed"]


def test_models_named_anew_take_the_place_of_the_recorded_ones() -> None:
    journal = MemoryJournal()
    begin(journal, a_plan(corrector="a:one", judges=("a:one",)))
    taken_up = begin(journal, a_plan(corrector="a:two", judges=("a:two", "b:three")))
    assert taken_up.corrector == "a:two"
    assert recorded_plan(journal) == taken_up
    assert begin(journal, a_plan()).judges == ("a:two", "b:three")


class Stop(BaseException):
    """As if the process ended here."""


def stopped_at(point: str, bank: Path, runs: Path, model: object = None) -> RunFolder:
    """A run that ends at the first reach of a fault point."""

    def stop(reached: str) -> None:
        if reached == point:
            raise Stop

    with installed(stop), pytest.raises(Stop):
        run(bank, runs, model)  # type: ignore[arg-type]
    return RunFolder.at(runs, "r1")


def test_a_safe_fix_that_was_not_recorded_is_made_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [untidy(0)])
    folder = stopped_at("engine.task.settling", bank, tmp_path / "runs")
    assert causes(folder, "q0") == []
    result = resume(folder)
    assert causes(folder, "q0") == ["source", "safe_fix"]
    assert sound(0)["stem"] in Path(result.published[0].path).read_text()


def test_a_run_that_stopped_before_it_was_ingested_starts_over(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), sound(1)])
    folder = stopped_at("engine.ingest.done", bank, tmp_path / "runs")
    with journal_of(folder) as journal:
        assert journal.counts() == {"draft": 2}
    assert resume(folder, scripted()).outcome.stopped == "needs_person", "it was started without a model"


def test_a_published_run_that_does_not_know_it_publishes_the_same_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    folder = stopped_at("engine.publish.placed", bank, tmp_path / "runs", scripted())
    before = (folder.out / "bank.json").read_bytes()
    result = resume(folder, scripted())
    assert (folder.out / "bank.json").read_bytes() == before
    assert result.edited_exports == ()
    assert states(folder) == {"q0": ("validated", "attempt_2")}


def test_a_large_bank_is_taken_in_by_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("burnish.engine.session.INGEST_BATCH", 4)
    reached: list[str] = []
    with installed(reached.append):
        _, result = run(write_bank(tmp_path, [sound(n) for n in range(5)]), tmp_path / "runs")
    assert result.outcome.counts == {"validated": 5}
    assert reached.count("engine.ingest.batch") == 2


def test_another_model_takes_every_role_of_the_one_that_it_replaces(tmp_path: Path) -> None:
    """After an outage the same model may have judged too: then it is replaced there as well."""
    folder, _ = run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
    assert plan is not None
    plan = replace(plan, corrector="a:1", judges=("a:1", "b:2"), roles={"reviewer": "a:1", "generator": "c:3"})
    assert renewed(plan, corrector="d:4").judges == ("d:4", "b:2")
    assert renewed(plan, corrector="d:4").roles == {"reviewer": "d:4", "generator": "c:3"}
    assert renewed(plan, corrector="b:2").judges == ("a:1", "b:2")
    assert renewed(plan, corrector="d:4", judges=("e:5",)).judges == ("e:5",)
    assert renewed(plan).judges == plan.judges
