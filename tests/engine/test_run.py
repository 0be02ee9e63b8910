"""Runs from end to end: what is accepted, what is changed, what waits, and what is published."""

import zipfile
from pathlib import Path

import pytest

from burnish.core.errors import InputError, UsageError
from burnish.core.faultpoints import installed
from burnish.kinds.questions.formats import FORMATS
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.models.calls import Call
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import (
    BIASED,
    FILLER,
    biased,
    causes,
    edit,
    filled,
    journal_of,
    keyless,
    mends,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    states,
    untidy,
    write_bank,
)

ENDINGS = {"moodle_xml": ".xml", "qti": ".qti.xml", "qti3": ".qti3.xml", "gift": ".gift", "aiken": ".txt"}


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
def test_a_clean_bank_is_published_byte_for_byte_without_a_call(tmp_path: Path, format: object) -> None:
    bank = tmp_path / f"bank{ENDINGS.get(format.name, '.' + format.name)}"
    with bank.open("wb") as stream:
        format.write((Question.model_validate(sound(n)) for n in range(4)), stream)
    folder, result = run(bank, tmp_path / "runs")
    assert result.outcome.stopped == "done"
    assert result.outcome.totals.calls == 0
    [proof] = result.published
    assert Path(proof.path).read_bytes() == bank.read_bytes()
    assert Path(proof.path) == folder.out / bank.name
    assert proof.changed == ()


def test_without_a_model_the_errors_wait_and_nothing_is_published(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), untidy(2)])
    folder, result = run(bank, tmp_path / "runs")
    assert result.outcome.stopped == "needs_person"
    assert states(folder) == {
        "q0": ("validated", "attempt_1"),
        "q1": ("needs_manual_review", "no_model"),
        "q2": ("validated", "attempt_2"),
    }
    assert result.published == ()
    assert not folder.out.exists()
    [candidate] = result.candidates
    written = questions_in(Path(candidate.path))
    assert written["q1"] == biased(1)
    assert written["q2"] == sound(2), "the safe fix needs no model"


def test_a_model_mends_what_is_wrong_and_only_those_bytes_change(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1), filled(2), untidy(3)])
    model = scripted()
    folder, result = run(bank, tmp_path / "runs", model)
    [proof] = result.published
    wanted = bank.read_text().replace(BIASED, "").replace(FILLER, "Something else again")
    assert Path(proof.path).read_text() == wanted.replace("A  ship", "A ship")
    assert proof.changed == ("q1", "q2", "q3")
    assert causes(folder, "q1") == ["source", "model"]
    assert causes(folder, "q3") == ["source", "safe_fix"]
    told = {unit["unit"]: unit for unit in receipt(folder)["units"]}
    assert set(told) == {"q1", "q2", "q3"}
    assert [finding["rule"] for finding in told["q1"]["wrong"]] == ["ext_bias_detection"]
    assert told["q1"]["remaining"] == []
    assert f"-{biased(1)['stem']}" in told["q1"]["diff"]
    assert told["q1"]["attempts"][0]["receipt"]["changed_fields"] == ["stem"]


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.name)
def test_in_every_format_only_the_changed_words_change(tmp_path: Path, format: object) -> None:
    bank = tmp_path / f"bank{ENDINGS.get(format.name, '.' + format.name)}"
    with bank.open("wb") as stream:
        format.write((Question.model_validate(made) for made in (sound(0), biased(1), biased(2), sound(3))), stream)
    _, result = run(bank, tmp_path / "runs", scripted())
    assert result.outcome.stopped == "done"
    published = Path(result.published[0].path).read_bytes()
    if zipfile.is_zipfile(bank):  # compressed: look inside
        source, published = (unzipped(path) for path in (bank, Path(result.published[0].path)))
    else:
        source = bank.read_bytes()
    for words in (BIASED, BIASED.replace(":", "\\:")):
        source = source.replace(words.encode(), b"")
    assert published == source
    assert b" NOT " not in published


def unzipped(path: Path) -> bytes:
    with zipfile.ZipFile(path) as package:
        return b"".join(name.encode() + package.read(name) for name in package.namelist())


def test_a_finished_run_that_is_resumed_changes_nothing(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])
    folder, first = run(bank, tmp_path / "runs", scripted())
    before = Path(first.published[0].path).read_bytes()
    model = scripted()
    again = resume(folder, model)
    assert again.outcome.stopped == "done"
    assert model.asked == []
    assert Path(again.published[0].path).read_bytes() == before
    assert again.edited_exports == ()


def test_the_same_id_with_the_same_input_goes_on(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)])
    folder, _ = run(bank, tmp_path / "runs")
    model = scripted()
    _, result = run(bank, tmp_path / "runs", model)
    assert result.outcome.stopped == "done", "models named the second time are used"
    assert [call.unit for call in model.asked] == ["q1", "q1"], "what was accepted before is not worked on again"
    with journal_of(folder) as journal:
        assert len(list(journal.events(types=("run_started",)))) == 1
        assert len(list(journal.events(types=("run_resumed",)))) == 1


def test_the_same_id_with_other_input_is_refused(tmp_path: Path) -> None:
    run(write_bank(tmp_path, [sound(0)]), tmp_path / "runs")
    other = write_bank(tmp_path / "other", [sound(1)])
    with pytest.raises(UsageError, match="other input"):
        run(other, tmp_path / "runs")


def test_the_same_id_with_other_arguments_is_refused(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0)])
    run(bank, tmp_path / "runs")
    with pytest.raises(UsageError, match="other arguments") as refusal:
        run(bank, tmp_path / "runs", check={"profile": "strict"})
    assert "burnish resume r1" in (refusal.value.hint or "")


def test_a_near_duplicate_is_a_persons_to_decide(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(0, "twin")])
    model = scripted()
    folder, result = run(bank, tmp_path / "runs", model)
    assert states(folder)["twin"] == ("needs_manual_review", "duplicate")
    assert result.outcome.stopped == "needs_person"
    assert {call.unit for call in model.asked} == {"q0"}, "no model is paid for a duplicate"


def test_of_two_keys_for_one_text_neither_is_accepted(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), sound(1), sound(0, "again", correct_answer="B")])
    model = scripted()
    folder, _ = run(bank, tmp_path / "runs", model)
    found = states(folder)
    assert found["q0"] == ("needs_manual_review", "contradicting_keys"), "the first key may be the wrong one"
    assert found["again"][0] == "needs_manual_review"
    assert found["q1"][0] == "validated"
    assert {call.unit for call in model.asked} == {"q1"}


def test_a_broken_structure_is_no_models_to_guess(tmp_path: Path) -> None:
    model = scripted()
    folder, _ = run(write_bank(tmp_path, [keyless(0)]), tmp_path / "runs", model)
    assert states(folder) == {"q0": ("needs_manual_review", "fatal_finding")}
    assert model.asked == []


def test_nobody_is_paid_for_what_no_edit_can_mend(tmp_path: Path) -> None:
    """Missing metadata is in no text of the question, so every edit would be refused."""
    (tmp_path / "burnish.toml").write_text('[institutions.north]\nrequired_metadata = ["slo_ids"]\n')
    model = scripted()
    bank = write_bank(tmp_path, [sound(0, metadata={"difficulty": "easy"})])
    folder, _ = run(bank, tmp_path / "runs", model, check={"institution": "north"})
    assert states(folder) == {"q0": ("needs_manual_review", "nothing_to_edit")}
    assert model.asked == []


def test_an_ignored_rule_blocks_nothing(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0, burnish_ignore=["ext_bias_detection"])])
    folder, result = run(bank, tmp_path / "runs")
    assert result.outcome.stopped == "done"
    assert states(folder) == {"q0": ("validated", "attempt_1")}


def test_an_institutions_rules_apply(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text('[institutions.north]\ndisabled_rules = ["ext_bias_detection"]\n')
    bank = write_bank(tmp_path, [biased(0)])
    _, usual = run(bank, tmp_path / "runs")
    assert usual.outcome.stopped == "needs_person"
    _, north = run(bank, tmp_path / "runs", id="north", check={"institution": "north"})
    assert north.outcome.stopped == "done"


def test_a_folder_keeps_its_paths_and_its_ids_apart(tmp_path: Path) -> None:
    write_bank(tmp_path / "in", [sound(0, "same"), biased(1, "other")], "a.json")
    write_bank(tmp_path / "in", [biased(2, "same")], "deep/b.jsonl")
    folder, result = run(tmp_path / "in", tmp_path / "runs", scripted(), order={"out": str(tmp_path / "out")})
    assert result.outcome.stopped == "done"
    assert set(states(folder)) == {"a.json/same", "a.json/other", "deep/b.jsonl/same"}
    assert questions_in(tmp_path / "out" / "a.json")["other"] == sound(1, "other")
    assert sound(2)["stem"] in (tmp_path / "out" / "deep" / "b.jsonl").read_text()
    assert {path.name for path in (tmp_path / "out").rglob("*") if path.is_file()} == {"a.json", "b.jsonl"}


def test_parts_that_cannot_be_read_keep_the_rest_from_being_published(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0), biased(1)], "bank.jsonl")
    bank.write_text(bank.read_text() + '{"id": "torn", "stem": \n')
    folder, result = run(bank, tmp_path / "runs", scripted())
    assert result.outcome.stopped == "bad_input"
    assert result.published == ()
    assert states(folder)["q1"] == ("validated", "attempt_2"), "the others are still worked on"
    assert not folder.out.exists()


def test_strict_input_refuses_such_a_bank_before_it_begins(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0)], "bank.jsonl")
    bank.write_text(bank.read_text() + '{"id": "torn", "stem": \n')
    with pytest.raises(InputError):
        run(bank, tmp_path / "runs", order={"strict_input": True})
    assert not (tmp_path / "runs").exists()


def test_a_repeated_id_is_told_and_both_questions_are_kept(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [sound(0, "same"), biased(1, "same")])
    folder, result = run(bank, tmp_path / "runs", scripted())
    assert result.outcome.stopped == "done"
    assert len(states(folder)) == 2
    assert BIASED not in Path(result.published[0].path).read_text()


def test_only_the_rest_is_asked_after_a_model_was_named(tmp_path: Path) -> None:
    bank = write_bank(tmp_path, [biased(0), biased(1)])

    def only_q0(call: Call) -> object:
        return mends(call) if call.unit == "q0" else edit(call.unit, "no such words", "x")

    folder, first = run(bank, tmp_path / "runs", scripted(only_q0))
    assert first.outcome.stopped == "needs_person"
    assert states(folder)["q1"] == ("needs_manual_review", "circuit_breaker")
    model = scripted()
    resume(folder, model)
    assert model.asked == [], "what waits for a person is not tried again without one"


class Killed(BaseException):
    """As if the process were killed."""


def killed_after_the_first_answer(tmp_path: Path) -> tuple[RunFolder, list[Call]]:
    model = scripted()

    def stop(point: str) -> None:
        if point == "engine.task.answered":
            raise Killed

    with installed(stop), pytest.raises(Killed):
        run(write_bank(tmp_path, [biased(0)]), tmp_path / "runs", model, workers=1)
    return RunFolder.at(tmp_path / "runs", "r1"), list(model.asked)


def begun_tasks(folder: RunFolder) -> list[tuple[int, str, int]]:
    with journal_of(folder) as journal:
        begun = journal.events(unit="q0", types=("task_begun",))
        return [(one.data["task"], one.data["version"], one.data["attempts"]) for one in begun]


def test_a_task_that_asks_models_is_written_down_before_it_begins(tmp_path: Path) -> None:
    """A run that was killed goes through the same task again, and finds the recorded answers."""
    folder, asked = killed_after_the_first_answer(tmp_path)
    assert begun_tasks(folder) == [(1, "1", 0)]
    model = scripted()
    assert resume(folder, model).outcome.stopped == "done"
    assert begun_tasks(folder) == [(1, "1", 0)]
    assert not {call.key for call in asked} & {call.key for call in model.asked}


def test_a_task_whose_work_has_changed_starts_anew_with_the_recorded_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, asked = killed_after_the_first_answer(tmp_path)
    monkeypatch.setattr(QuestionsKind, "work_version", "2")
    model = scripted()
    assert resume(folder, model).outcome.stopped == "done"
    assert [(number, version) for number, version, _ in begun_tasks(folder)] == [(1, "1"), (2, "2")]
    assert not {call.key for call in asked} & {call.key for call in model.asked}
