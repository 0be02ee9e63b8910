"""A6, the other side: secrets that are ordinary words change no content, and keys do not get into any."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.kinds import kind_named
from burnish.app.polish_plan import Order, plan_of
from burnish.app.run_sessions import resources_of, start_run
from burnish.app.runs import View
from burnish.core.errors import InputError, StateCorrupt
from burnish.engine.decisions import Deciding
from burnish.engine.plan import recorded_plan
from burnish.engine.session import Result
from burnish.engine.unit_loader import Neighbours, examiner_of
from burnish.models.calls import Call
from burnish.models.scripted import ScriptedModel
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    BIASED,
    Quiet,
    biased,
    edit,
    journal_of,
    loaded_for,
    mends,
    patient,
    questions_in,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)

WORD = "postgres"
KEY = "sk-canary-T3BlbkFJ0123456789abcdef"


def polish(bank: Path, runs: Path, model: ScriptedModel, *secrets: str) -> tuple[RunFolder, Result]:
    loaded = loaded_for(bank.parent, "scripted:m", (), {})
    plan = plan_of(Order(str(bank), run_id="r1"), loaded)
    resources = replace(patient(resources_of(loaded.settings, (), provider=model)), redactor=Redactor(secrets))
    folder = RunFolder.at(runs, "r1")
    return folder, asyncio.run(start_run(folder, plan, resources, Quiet()))


def about_databases(question: dict[str, Any]) -> dict[str, Any]:
    return {**question, "stem": question["stem"].replace("A clerk", f"A clerk of {WORD}")}


def test_a_password_that_is_a_word_changes_neither_draft_nor_plan(tmp_path: Path) -> None:
    place = tmp_path / WORD
    bank = write_bank(place, [about_databases(biased(4)), sound(1)])
    folder, result = polish(bank, place / "runs", scripted(), WORD)
    assert result.outcome.stopped == "done"
    assert questions_in(Path(result.published[0].path))["q4"] == about_databases(sound(4))
    with journal_of(folder) as journal:
        plan = recorded_plan(journal)
        assert plan is not None and plan.documents[0].path == str(bank)
        [_, attempt] = journal.attempts("q4")
        assert attempt.edits[0]["find"] == BIASED
    manifest = json.loads(folder.manifest.read_text())
    assert manifest["documents"][0]["path"] == str(bank)
    assert resume(folder).outcome.stopped == "done", "the plan that is read back is the plan that was made"


def test_a_model_may_write_a_word_that_is_a_password(tmp_path: Path) -> None:
    def names_it(call: Call) -> object:
        return edit(call.unit, BIASED, f" in {WORD}") if call.reply_name == "edit_reply" else mends(call)

    _, result = polish(write_bank(tmp_path, [biased(4)]), tmp_path / "runs", scripted(names_it), WORD)
    assert f" in {WORD}" in questions_in(Path(result.published[0].path))["q4"]["stem"]


@pytest.mark.parametrize("where", ["stem", "rationale", "source_note"])
def test_a_source_that_holds_a_key_is_refused_before_anything_is_spent(tmp_path: Path, where: str) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1) | {where: f"Call it with {KEY}: what happens?"}])
    model = scripted()
    with pytest.raises(InputError, match="q1 holds a key") as refusal:
        polish(bank, tmp_path / "runs", model, KEY)
    assert (refusal.value.code, refusal.value.path) == ("holds_key", str(bank))
    assert KEY not in str(refusal.value)
    assert model.asked == []


def test_an_answer_that_repeats_a_key_is_not_used_and_not_kept(tmp_path: Path) -> None:
    def gossips(call: Call) -> object:
        return edit(call.unit, BIASED, f" with {KEY}") if call.reply_name == "edit_reply" else mends(call)

    folder, result = polish(write_bank(tmp_path, [biased(1)]), tmp_path / "runs", scripted(gossips), KEY)
    assert result.outcome.stopped == "needs_person"
    with journal_of(folder) as journal:
        attempts = journal.attempts("q1")
        assert KEY not in repr([*attempts, *journal.calls()])
        assert [attempt.content for attempt in attempts] == [None] * len(attempts)
        assert "repeats a key" in (attempts[1].failure or "")


def test_a_killed_run_reads_the_same_of_such_an_answer_as_the_first_time(tmp_path: Path) -> None:
    """The journal holds the answer without the key: read from there it is no more usable than before."""

    def gossips(call: Call) -> object:
        return edit(call.unit, BIASED, f" with {KEY}") if call.reply_name == "edit_reply" else mends(call)

    bank = write_bank(tmp_path, [biased(1)])
    folder, _ = polish(bank, tmp_path / "runs", scripted(gossips), KEY)
    fresh = RunFolder.at(tmp_path / "runs", "copy")
    with journal_of(folder) as journal, own_run(fresh, system_clock) as owned:
        plan = recorded_plan(journal)
        assert plan is not None
        owned.journal.set_meta("plan", json.dumps(plan.as_record()))
        owned.journal.write_now(*journal.calls())
    resume(fresh, scripted(gossips))
    assert states(fresh) == states(folder)


def test_a_persons_text_that_holds_a_key_is_refused(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(1)]), tmp_path / "runs")
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        kind = kind_named(plan.kind)
        story = View(folder, owned.journal, plan, kind).story("q1")
        deciding = Deciding(
            owned.journal, examiner_of(plan, kind), Neighbours(plan, kind, owned.journal), Redactor([KEY])
        )
        text = json.dumps({"stem": f"{sound(1)['stem']} {KEY}"})
        with pytest.raises(InputError, match="holds a key"):
            deciding.decide(story.row, "edit", by="Ada", note=None, text=text)
    assert states(folder)["q1"] == ("needs_manual_review", "no_model")


def test_a_draft_that_is_not_the_one_that_was_judged_is_never_published(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [biased(1)]), tmp_path / "runs", scripted(), max_seconds=0)
    resume(folder, scripted())
    with own_run(folder, system_clock) as owned:
        row = owned.journal.unit("q1")
        draft = owned.journal.attempts("q1")[1]
        assert row is not None and draft.content is not None
        forged = {**draft.content, "stem": "Another stem?"}
        owned.journal.write_now(
            replace(draft, number=3, content=forged), replace(row, attempts=3, best_attempt=3, state="validated")
        )
    published = folder.out / "bank.json"
    published.unlink()  # so that it is published again
    with pytest.raises(StateCorrupt, match="not the text that was judged"):
        resume(folder)
    assert not published.exists()
