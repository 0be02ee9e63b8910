"""What a first user stumbled over, so that nobody does again."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import burnish
from burnish.cli.main import main
from burnish.core.errors import InputError
from burnish.kinds.questions.kind import QuestionsKind

PLAIN = {
    "id": "p1",
    "stem": "Which organ makes bile in a healthy adult?",
    "options": ["Liver", "Heart", "Lung", "Spleen"],
    "correct_answer": "A",
}
RICH = {
    "id": "r1",
    "stem": "A boy drinks milk and gets cramps. Which enzyme does he most likely lack?",
    "options": ["Lactase", "Lipase", "Pepsin", "Trypsin"],
    "correct_answer": "A",
    "rationale": "Lactase splits the sugar of milk. Lipase splits fat, and pepsin and trypsin split protein.",
    "metadata": {"course_id": "B1", "slo_ids": ["S1"], "bloom_level": "Apply", "difficulty": "easy"},
}


def write(path: Path, *questions: dict[str, Any]) -> Path:
    path.write_text(json.dumps(list(questions)), encoding="utf-8")
    return path


def test_each_bank_of_a_folder_is_judged_by_what_it_carries_itself(tmp_path: Path) -> None:
    write(tmp_path / "plain.json", PLAIN)
    write(tmp_path / "rich.json", RICH)
    found = burnish.check(tmp_path)
    assert found["summary"]["by_severity"]["error"] == 0
    assert main(["polish", str(tmp_path), "--rules-only", "--runs", str(tmp_path / "runs"), "--run-id", "r"]) == 0


def test_a_ceiling_outlives_a_stop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    negatives = [
        {**PLAIN, "id": f"q{n}", "stem": f"Which of the following is NOT found in cell type {n * 37}?"}
        for n in range(6)
    ]
    bank = write(tmp_path / "bank.json", *negatives)
    script = tmp_path / "model.json"
    edit = {"unit": "", "field": "stem", "find": "is NOT", "replace": "is"}
    rules = [
        {"reply_name": "edit_reply", "unit": q["id"], "reply": {"reasoning": "", "edits": [{**edit, "unit": q["id"]}]}}
        for q in negatives
    ]
    rules.append({"reply_name": "question_review_reply", "reply": {"reasoning": "", "violations": []}})
    script.write_text(json.dumps({"rules": rules}))
    runs = ["--runs", str(tmp_path / "runs")]
    start = ["polish", str(bank), "--model", f"scripted:{script}", "--run-id", "r", "--workers", "1", *runs]
    assert main([*start, "--max-tokens", "3500"]) == 6
    assert main(["resume", "r", *runs]) == 6
    assert main(["status", "r", "--json", *runs]) == 0
    spent = json.loads(capsys.readouterr().out.splitlines()[-1])["totals"]["total_tokens"]
    assert 0 < spent <= 3500
    assert main(["resume", "r", "--max-tokens", "100000", *runs]) in (0, 3)


def test_words_come_before_positions_in_the_contracts_own_field(tmp_path: Path) -> None:
    bank = write(tmp_path / "b.json", {**PLAIN, "options": ["1", "2", "3", "4"], "correct_answer": "2"})
    out = tmp_path / "b.gift"
    assert (
        main(["polish", str(bank), "--rules-only", "--runs", str(tmp_path / "r"), "--run-id", "r", "--out", str(out)])
        == 0
    )
    rows = {"question": PLAIN["stem"], "choices": ["1", "2", "3", "4"], "answer": "2", "id": "m"}
    found = [burnish.check(bank), burnish.check(write(tmp_path / "m.json", rows))]
    assert all(report["problems"] == [] for report in found)
    assert "=2" in out.read_text().replace("\t", "").replace(" ", "")


def test_a_key_that_is_clearly_meant_is_mended(tmp_path: Path) -> None:
    bank = write(tmp_path / "b.json", {**PLAIN, "correct_answer": "Option A"})
    assert main(["check", str(bank)]) == 1
    assert main(["check", str(bank), "--fix"]) == 0
    assert json.loads(bank.read_text())[0]["correct_answer"] == "A"


async def _polished(bank: Path, runs: Path) -> Any:
    model = burnish.ScriptedModel([burnish.Rule(reply={"reasoning": "", "violations": []})])
    return await burnish.polish(bank, model=model, runs=runs, run_id="r", settings={"limits.workers": 2})


def test_polish_as_a_call(tmp_path: Path) -> None:
    result = asyncio.run(_polished(write(tmp_path / "b.json", PLAIN), tmp_path / "runs"))
    assert result.outcome.stopped == "done"
    assert Path(result.published[0].path).read_bytes() == (tmp_path / "b.json").read_bytes()


def test_an_ending_that_no_format_has_is_refused_before_anything_is_done(tmp_path: Path) -> None:
    bank = write(tmp_path / "b.json", PLAIN)
    assert (
        main(["polish", str(bank), "--rules-only", "--runs", str(tmp_path / "r"), "--out", str(tmp_path / "b.pdf")])
        == 2
    )
    assert not (tmp_path / "r").exists()


def test_runs_and_stray_json_in_a_folder_are_no_banks(tmp_path: Path) -> None:
    write(tmp_path / "b.json", PLAIN)
    (tmp_path / "package.json").write_text('{"name": "x", "version": "1"}')
    assert main(["polish", str(tmp_path), "--rules-only", "--runs", str(tmp_path / "runs"), "--run-id", "one"]) == 0
    found = burnish.check(tmp_path)
    assert [Path(document["path"]).name for document in found["documents"]] == ["b.json"]
    assert found["summary"]["problems"] == 0


@pytest.mark.parametrize(
    ("edit", "field"), [({"optoins": {}}, "optoins"), ({"id": "other"}, "id"), ({"options": 5}, "options")]
)
def test_a_persons_slip_is_named(edit: dict[str, Any], field: str) -> None:
    kind = QuestionsKind()
    with pytest.raises(InputError) as wrong:
        kind.from_person(kind.from_record({**PLAIN, "options": OPTIONS}), json.dumps(edit))
    assert (wrong.value.field or "").startswith(field)


OPTIONS = [{"key": key, "text": text} for key, text in zip("ABCD", ("Liver", "Heart", "Lung", "Spleen"), strict=True)]


@pytest.mark.parametrize("options", [["1", "2", "3", "4"], dict(zip("ABCD", "1234", strict=True))])
def test_a_person_may_write_options_as_banks_do(options: object) -> None:
    kind = QuestionsKind()
    edited = kind.from_person(kind.from_record({**PLAIN, "options": OPTIONS}), json.dumps({"options": options}))
    assert [(option.key, option.text) for option in edited.options] == list(zip("ABCD", "1234", strict=True))


def test_a_server_that_nobody_can_reach_costs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BURNISH_LIMITS__MAX_TRIES", "1")
    bank = write(tmp_path / "b.json", PLAIN)
    runs = ["--runs", str(tmp_path / "runs")]
    away = ["--model", "openai:any", "--base-url", "http://127.0.0.1:1/v1"]
    assert main(["polish", str(bank), "--rules-only", "--run-id", "r", *away, *runs]) == 6
    said = " ".join(capsys.readouterr().out.split())
    assert "0 tokens" in said
    assert "No connection could be made (tried once). Check the network and the base URL" in said


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("demo foo", "Invalid value for 'KIND': 'foo' is not one of 'questions', 'lessons', 'manuscripts', 'legos'."),
        ("render x.md", "Missing option '--to'. Choose from: tifinagh, latin"),
        ("check x.json --format xml", "Invalid value for '--format': 'xml' is not one of 'text', 'json'."),
    ],
)
def test_a_wrong_choice_is_told_in_plain_words(capsys: pytest.CaptureFixture[str], command: str, said: str) -> None:
    assert main(command.split()) == 2
    assert capsys.readouterr().err.startswith(f"burnish: {said}\n")


def test_a_table_without_columns_is_named_when_it_is_polished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bank = tmp_path / "bank.csv"
    bank.write_text("a,b,c\n1,2,3\n")
    assert main(["polish", str(bank), "--rules-only", "--runs", str(tmp_path / "runs")]) == 2
    assert capsys.readouterr().err.startswith(f"burnish: {bank}:1: The first line does not name the columns")


def test_the_note_before_a_run_names_what_it_is_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("# Bread\n\nHow to bake.\n\n## Flour\n\nFlour is ground from wheat.\n")
    main(["polish", str(tmp_path), "--runs", str(tmp_path / "runs")])
    told = capsys.readouterr().err
    assert told.startswith(
        "note: No model judges the 2 lessons: rules see form, not whether it is true. What has no error"
    )


def test_an_option_without_its_value_names_the_help_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "r", "--html"]) == 2
    assert "`burnish report --help` explains it." in capsys.readouterr().err
