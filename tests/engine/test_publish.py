"""Publishing: all of it, proven, in its place; or nothing, and every reason named."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from burnish.core.documents import Problem
from burnish.core.errors import InputError, StateCorrupt, StorageFailed, UsageError
from burnish.core.gate import StateTable
from burnish.core.records import UnitRow, event
from burnish.engine.decisions import Deciding
from burnish.engine.plan import DocumentPlan, recorded_plan
from burnish.engine.proof import Proof
from burnish.engine.publish import (
    PLACING,
    DocumentWriter,
    Publication,
    place,
    problem_event,
    unreadable,
    verify_source,
)
from burnish.engine.unit_loader import Neighbours, examiner_of
from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.models.calls import Call
from burnish.store.files import sha256_of
from burnish.store.journal import MemoryJournal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    BIASED,
    biased,
    edit,
    journal_of,
    mends,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    write_bank,
)


def written(path: Path, format: str, *questions: dict[str, object]) -> Path:
    with path.open("wb") as stream:
        format_named(format).write((Question.model_validate(question) for question in questions), stream)
    return path


def change_a_byte(path: Path) -> bytes:
    before = path.read_bytes()
    path.write_bytes(before.replace(b"throat", b"thr0at"))
    return before


def test_a_source_that_changes_during_the_run_is_never_published(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])

    def meddling(call: Call) -> object:
        change_a_byte(bank)
        return mends(call)

    with pytest.raises(InputError, match="has changed") as refusal:
        run(bank, tmp_path / "runs", scripted(meddling))
    assert refusal.value.code == "source_changed"
    assert not (tmp_path / "runs" / "r1" / "out").exists()


def test_a_source_that_changed_before_resume_is_found_before_anything_is_spent(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), max_seconds=0)
    before = change_a_byte(bank)
    model = scripted()
    with pytest.raises(InputError, match="has changed"):
        resume(folder, model)
    assert model.asked == []
    bank.write_bytes(before)
    assert resume(folder, model).outcome.stopped == "done"


def test_a_source_that_changes_behind_our_back_is_noticed_unit_by_unit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(), max_seconds=0)
    change_a_byte(bank)
    monkeypatch.setattr("burnish.engine.session.verify_source", lambda document: None)
    model = scripted()
    with pytest.raises(InputError, match="has changed"):
        resume(folder, model)
    assert model.asked == []


def test_a_source_that_is_gone_is_an_error_with_its_path(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    folder, _ = run(bank, tmp_path / "runs")
    bank.unlink()
    with pytest.raises(InputError, match="cannot be read any more") as refusal:
        resume(folder)
    assert refusal.value.path == str(bank)


def test_text_that_was_not_judged_is_not_published(tmp_path: Path) -> None:
    """Somebody exchanges the file between the first look at it and ingestion, and puts it back before publishing."""
    bank = write_bank(tmp_path, [sound(0)])
    folder, _ = run(bank, tmp_path / "runs")
    with own_run(folder, system_clock) as owned:
        row = owned.journal.unit("q0")
        assert row is not None
        owned.journal.write_now(type(row)(row.id, row.document, row.position, "sha256:other", row.state))
        plan = recorded_plan(owned.journal)
        assert plan is not None
        press = DocumentWriter(plan, QuestionsKind(), owned.journal)
        with pytest.raises(StateCorrupt, match="not the text that was judged"):
            press.compose(plan.documents[0], folder.candidate / "bank.json")


def test_a_read_only_target_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    target = tmp_path / "final.json"
    target.write_text("precious")
    target.chmod(0o444)
    model = scripted()
    with pytest.raises(StorageFailed, match="read-only"):
        run(bank, tmp_path / "runs", model, order={"out": str(target)})
    assert model.asked == []
    assert target.read_text() == "precious"


def test_a_target_that_becomes_read_only_is_published_after_it_is_writable_again(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    target = tmp_path / "final.json"
    folder, _ = run(bank, tmp_path / "runs", scripted(), order={"out": str(target)}, max_seconds=0)
    target.write_text("precious")
    target.chmod(0o444)
    with pytest.raises(StorageFailed, match="read-only"):
        resume(folder, scripted())
    assert target.read_text() == "precious"
    target.chmod(0o644)
    model = scripted()
    resume(folder, model)
    assert model.asked == []
    assert BIASED not in target.read_text()


@pytest.mark.parametrize("out", ["bank.json", "./bank.json", "link.json"])
def test_the_result_cannot_take_the_place_of_its_source(tmp_path: Path, out: str) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    (tmp_path / "link.json").symlink_to(bank)
    before = bank.read_bytes()
    with pytest.raises(UsageError, match="place of its source"):
        run(bank, tmp_path / "runs", order={"out": str(tmp_path / out)})
    assert bank.read_bytes() == before


def test_out_of_a_folder_must_be_a_folder(tmp_path: Path) -> None:
    write_bank(tmp_path / "in", [sound(0)], "a.json")
    write_bank(tmp_path / "in", [sound(1)], "b.json")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StorageFailed, match="Not a directory"):
        run(tmp_path / "in", tmp_path / "runs", order={"out": str(tmp_path / "file")})
    with pytest.raises(UsageError, match="place of its source"):
        run(tmp_path / "in", tmp_path / "runs", order={"out": str(tmp_path / "in")})


@pytest.mark.parametrize("exists", [True, False])
def test_a_file_goes_into_a_folder_under_its_own_name(tmp_path: Path, exists: bool) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    if exists:
        (tmp_path / "done").mkdir()
    text = str(tmp_path / "done") + ("" if exists else os.sep)
    _, result = run(bank, tmp_path / "runs", order={"out": text})
    assert Path(result.published[0].path) == tmp_path / "done" / "bank.json"
    assert (tmp_path / "done" / "bank.json").read_bytes() == bank.read_bytes()


def test_a_name_that_cannot_be_written_is_refused_before_anything_is_spent(tmp_path: Path) -> None:
    write_bank(tmp_path / "in", [sound(0)], "a\\b.json")
    with pytest.raises(UsageError, match="backslash"):
        run(tmp_path / "in", tmp_path / "runs")


def test_another_format_carries_what_it_can_and_says_the_rest(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0, language="en"), biased(1)])
    folder, result = run(bank, tmp_path / "runs", scripted(), order={"out": str(tmp_path / "bank.txt")})
    text = (tmp_path / "bank.txt").read_text()
    assert sound(1)["stem"] in text
    assert text.count("ANSWER: A") == 2
    assert any("language is not carried" in lost for lost in result.published[0].lost)
    assert receipt(folder)["published"][0]["lost"]


def test_a_format_that_would_leave_a_question_out_is_not_published(tmp_path: Path) -> None:
    matching = {
        "id": "set",
        "type": "extended_matching",
        "stem": "For each patient, which of the following drugs is the best choice?",
        "options": [{"key": "A", "text": "Aspirin"}, {"key": "B", "text": "Heparin"}, {"key": "C", "text": "Warfarin"}],
        "items": [{"stem": "A man with a headache", "correct_answer": "A"}],
    }
    bank = write_bank(tmp_path, [sound(0), matching])
    with pytest.raises(InputError, match="cannot hold 1 of the units") as refusal:
        run(bank, tmp_path / "runs", order={"out": str(tmp_path / "bank.gift")})
    assert refusal.value.code == "cannot_convert"
    assert "another --out" in (refusal.value.hint or "")
    assert not (tmp_path / "bank.gift").exists()
    told = json.loads((tmp_path / "runs" / "r1" / "receipt.json").read_text())
    assert told["published"] == []
    assert told["candidates"][0]["left_out"] == 1


def test_a_change_that_the_format_cannot_hold_goes_to_a_person(tmp_path: Path) -> None:
    """Aiken has one line for a text; a model that writes two must not keep the others from being published."""
    bank = written(tmp_path / "bank.txt", "aiken", biased(0), biased(1), sound(2))

    def two_lines(call: Call) -> object:
        if call.reply_name == "edit_reply" and "sore throat" in call.user:
            return edit(call.unit, BIASED, "\nis it that")
        return mends(call)

    folder, first = run(bank, tmp_path / "runs", scripted(two_lines))
    assert first.outcome.stopped == "needs_person"
    assert states(folder)["q1"] == ("needs_manual_review", "cannot_write_back")
    assert states(folder)["q2"] == ("validated", "attempt_2")
    assert set(first.candidates[0].refused) == {"q1"}
    assert Path(first.candidates[0].path).read_text().count(BIASED) == 1, "the rest of the candidate is as it should be"
    with journal_of(folder) as journal:
        [told] = [e for e in journal.events(unit="q1") if e.data.get("reason") == "cannot_write_back"]
    assert "line end" in told.data["message"]
    again = resume(folder)
    assert again.published == ()
    assert states(folder)["q1"] == ("needs_manual_review", "cannot_write_back")


def test_what_a_person_accepts_in_spite_of_it_is_not_published_either(tmp_path: Path) -> None:
    bank = written(tmp_path / "bank.txt", "aiken", biased(0))
    folder, _ = run(bank, tmp_path / "runs")
    kind = QuestionsKind()
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        row = owned.journal.unit("q1")
        assert row is not None
        text = json.dumps({"stem": sound(0)["stem"].replace(". Which", ".\nWhich")})
        deciding = Deciding(owned.journal, examiner_of(plan, kind), Neighbours(plan, kind, owned.journal))
        deciding.decide(row, "edit", by="Ada", note=None, text=text)  # type: ignore[arg-type]
    assert states(folder)["q1"][0] == "validated"
    result = resume(folder)
    assert result.published == ()
    assert states(folder)["q1"] == ("needs_manual_review", "cannot_write_back")


def test_a_published_file_that_was_edited_is_told_and_made_anew(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    folder, first = run(bank, tmp_path / "runs")
    target = Path(first.published[0].path)
    assert resume(folder).edited_exports == (), "nobody has edited it"
    target.write_text("edited by hand")
    again = resume(folder)
    assert again.edited_exports == (str(target),)
    assert target.read_bytes() == bank.read_bytes()


def test_the_proof_is_in_the_receipt(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), sound(2)])
    folder, result = run(bank, tmp_path / "runs", scripted())
    [proof] = receipt(folder)["published"]
    assert proof["units"] == 3
    assert proof["changed"] == ["q1"]
    assert proof["untouched"]["units"] == 2
    assert proof["sha256_before"] == sha256_of(bank)
    assert proof["sha256_after"] == sha256_of(Path(result.published[0].path))
    assert questions_in(Path(result.published[0].path))["q0"] == sound(0)


def test_a_candidate_that_is_not_what_was_proven_is_not_placed(tmp_path: Path) -> None:
    candidate = tmp_path / "candidate.json"
    candidate.write_text("not what was proven")
    proof = Proof("d", str(candidate), "sha256:a", "sha256:b", 1, (), "sha256:c")
    with pytest.raises(StateCorrupt, match="changed while"):
        place(proof, tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()


def test_the_press_notices_a_writer_that_loses_or_adds_units(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1)])
    folder, _ = run(bank, tmp_path / "runs")

    class Losing(QuestionsKind):
        keeps = b"[]"

        def rewrite(self, source, path, format, changed, target):  # type: ignore[no-untyped-def]
            target.write(self.keeps)

    with journal_of(folder) as journal:
        plan = recorded_plan(journal)
        assert plan is not None
        one, three = (json.dumps([sound(n) for n in range(count)]).encode() for count in (1, 3))
        other = json.dumps([sound(0), biased(1)]).encode()
        for keeps, trouble in ((one, "not what it should be"), (three, "too many"), (other, "not what it should be")):
            Losing.keeps = keeps
            with pytest.raises(StateCorrupt, match=trouble):
                DocumentWriter(plan, Losing(), journal).compose(plan.documents[0], tmp_path / "candidate.json")


def test_a_source_is_verified_by_its_digest(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)])
    with pytest.raises(InputError, match="has changed"):
        verify_source(DocumentPlan("bank.json", str(bank), "json", "sha256:0"))


def test_an_unreadable_source_of_another_kind_is_not_taken_for_a_refusal(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    folder, _ = run(bank, tmp_path / "runs", scripted())

    class Refusing(QuestionsKind):
        def rewrite(self, source, path, format, changed, target):  # type: ignore[no-untyped-def]
            raise InputError("It cannot be read.", path=path)

    with journal_of(folder) as journal:
        plan = recorded_plan(journal)
        assert plan is not None
        with pytest.raises(InputError, match="cannot be read"):
            DocumentWriter(plan, Refusing(), journal).compose(plan.documents[0], tmp_path / "candidate.json")


def bookish(**more: object) -> SimpleNamespace:
    """As much of a kind as a publication of one final document asks for."""
    moves = {"ready": frozenset({"merged", "waiting"}), "merged": frozenset(), "waiting": frozenset({"ready"})}
    states = StateTable("ready", "ready", "ready", "waiting", moves)
    return SimpleNamespace(final_name="final.md", states=states, merged="merged", **more)


def publication(tmp_path: Path, journal: MemoryJournal) -> Publication:
    plan = SimpleNamespace(documents=(DocumentPlan("b.md", str(tmp_path / "b.md"), "markdown", "sha256:0"),))
    return Publication(RunFolder.at(tmp_path, "r"), plan, bookish(), journal)  # type: ignore[arg-type]


def test_what_a_killed_session_put_in_its_place_is_told_of_only_if_it_is_what_was_proven(tmp_path: Path) -> None:
    journal = MemoryJournal(clock=system_clock)
    journal.write_now(UnitRow("p1", "b.md", 0, "sha256:1", "ready"), UnitRow("p2", "b.md", 1, "sha256:2", "waiting"))
    made = publication(tmp_path, journal)
    assert not made.finished(), "nothing was being placed"
    target = made.folder.export("final.md")
    target.parent.mkdir(parents=True)
    target.write_text("something else")
    journal.set_meta(PLACING, json.dumps({"sha256_after": "sha256:0"}))
    assert not made.finished() and not made.is_published
    journal.set_meta(PLACING, json.dumps({"sha256_after": sha256_of(target)}))
    assert made.finished() and made.is_published
    assert [row.state for row in journal.units()] == ["merged", "waiting"]


def test_only_accepted_units_are_called_back(tmp_path: Path) -> None:
    journal = MemoryJournal(clock=system_clock)
    journal.write_now(UnitRow("p1", "b.md", 0, "sha256:1", "ready"), UnitRow("p2", "b.md", 1, "sha256:2", "waiting"))
    refused = {"p1": "It has no room.", "p2": "It has no room."}
    proof = Proof("b.md", "b.md", "sha256:0", "sha256:0", 2, (), "sha256:0", refused=refused)
    assert publication(tmp_path, journal).call_back([proof])
    assert [(row.state, row.reason) for row in journal.units()] == [("waiting", "cannot_write_back"), ("waiting", None)]
    assert not publication(tmp_path, journal).call_back([proof]), "there is nobody left to call back"


def test_input_that_made_no_unit_blocks_unless_it_says_otherwise() -> None:
    journal = MemoryJournal(clock=system_clock)
    journal.write_now(problem_event("d", Problem("a", "A", "d", 1)))
    journal.write_now(problem_event("d", Problem("b", "B", "d", 2, blocks=False)))
    journal.write_now(event("input_problem", data={"document": "d", "code": "c", "message": "C"}))
    assert [part.data["code"] for part in unreadable(journal)] == ["a", "c"]
