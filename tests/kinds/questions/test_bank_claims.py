"""A fault that nearly all questions of a bank share is told once; what a question has for itself stays with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.python import check
from burnish.cli.main import main

BAD_QUESTION = {
    "id": "draft-uuid-1",
    "type": "single_best_answer",
    "vignette": "A patient presents with chest pain.",
    "stem": "Which of the following is NOT a treatment for MI?",
    "options": [
        {"key": "A", "text": "Always administer aspirin"},
        {"key": "B", "text": "PCI"},
        {"key": "C", "text": "Antibiotics"},
        {"key": "D", "text": "Thrombolytics"},
        {"key": "E", "text": "Beta blockers"},
    ],
    "correct_answer": "C",
    "rationale": "",
}
"""The exam writers' own example."""
ASKED = (
    ("Which planet of the solar system is the largest", ("Mars", "Jupiter", "Saturn", "Venus"), 1),
    ("Which gas do green plants take in during the day", ("Oxygen", "Nitrogen", "Carbon dioxide", "Helium"), 2),
    ("Which metal melts below the temperature of a room", ("Mercury", "Iron", "Copper", "Gold"), 0),
    ("Which organ pumps the blood through the body", ("Liver", "Kidney", "Lung", "Heart"), 3),
)
FILLERS = ("Neptune", "Argon", "Silver", "Spleen", "Uranus", "Xenon")


def question(number: int, **changes: Any) -> dict[str, Any]:
    stem, texts, key = ASKED[number % len(ASKED)]
    options = [{"key": "ABCD"[place], "text": text} for place, text in enumerate(texts)]
    return {"id": f"q{number}", "stem": f"{stem}?", "options": options, "correct_answer": "ABCD"[key], **changes}


def ten_options(number: int) -> dict[str, Any]:
    made = question(number)
    more = [{"key": "EFGHIJ"[place], "text": text} for place, text in enumerate(FILLERS)]
    return {**made, "options": [*made["options"], *more]}


def checked(tmp_path: Path, bank: list[dict[str, Any]], **options: Any) -> dict[str, Any]:
    path = tmp_path / "bank.json"
    path.write_text(json.dumps(bank), encoding="utf-8")
    found: dict[str, Any] = check(path, ignore=("potential_duplicate", "ext_contradicting_keys"), **options)
    return found


def findings(report: dict[str, Any], rule: str) -> list[tuple[str, str, str]]:
    """Unit, severity and message of each finding of the rule."""
    units = [unit for document in report["documents"] for unit in document["units"]]
    return [
        (unit["id"], finding["severity"], finding["message"])
        for unit in units
        for finding in unit["findings"]
        if finding["rule"] == rule
    ]


def test_an_empty_rationale_is_an_error_in_a_bank_of_one(tmp_path: Path) -> None:
    report = checked(tmp_path, [BAD_QUESTION], profile="strict")
    errors = {
        rule
        for rule in report["summary"]["by_rule"]
        for _, severity, _ in findings(report, rule)
        if severity == "error"
    }
    assert {"nbme_negation_detection", "nbme_absolute_terms", "ext_rationale_completeness"} <= errors


@pytest.mark.parametrize(("rationale", "said"), [({}, 0), ({"rationale": None}, 0), ({"rationale": " "}, 9)])
def test_in_a_small_bank_only_a_rationale_that_is_there_can_be_empty(tmp_path: Path, rationale: Any, said: int) -> None:
    report = checked(tmp_path, [question(number, **rationale) for number in range(9)])
    assert len(findings(report, "ext_rationale_completeness")) == said


@pytest.mark.parametrize("rationale", [{"rationale": ""}, {}])
def test_a_bank_in_which_hardly_any_question_has_a_rationale_is_told_so_once(tmp_path: Path, rationale: Any) -> None:
    explained = [question(0, rationale="Jupiter is by far the heaviest of all planets.") for _ in range(2)]
    bank = [{**made, "id": f"e{place}"} for place, made in enumerate(explained)]
    report = checked(tmp_path, bank + [question(number, **rationale) for number in range(300)])
    [(unit, severity, message)] = findings(report, "ext_rationale_completeness")
    assert unit.endswith("bank.json") and severity == "warning"
    assert message == "Hardly any question has a rationale: 2 of 302 questions have a rationale."


def test_a_bank_without_any_rationale_is_not_told_so(tmp_path: Path) -> None:
    report = checked(tmp_path, [question(number) for number in range(20)])
    assert findings(report, "ext_rationale_completeness") == []


def test_a_fault_of_every_question_is_one_claim_of_the_bank(tmp_path: Path) -> None:
    bank = [ten_options(number) for number in range(300)]
    report = checked(tmp_path, bank)
    [(unit, severity, message)] = findings(report, "nbme_single_best_answer")
    assert unit.endswith("bank.json") and severity == "error"
    assert message.startswith("300 of 300 questions have the same fault. The first one is 'q0': The question has 10")
    [claim] = report["documents"][0]["units"][-1]["findings"]
    assert claim["data"] == {
        "option_count": 10,
        "questions": 300,
        "of": 300,
        "examples": ["q0", "q1", "q2", "q3", "q4"],
    }
    assert report["summary"]["by_severity"]["error"] == 1


def test_different_numbers_are_the_same_fault(tmp_path: Path) -> None:
    bank = [ten_options(number) for number in range(12)]
    for place, made in enumerate(bank):
        made["options"] = made["options"][: 6 + place % 5]
    assert len(findings(checked(tmp_path, bank), "nbme_single_best_answer")) == 1


def test_a_leftover_in_every_stem_is_told_once(tmp_path: Path) -> None:
    bank = [question(number) for number in range(20)]
    for made in bank:
        made["stem"] = f"Here is the corrected question: {made['stem']}"
    [(_, severity, message)] = findings(checked(tmp_path, bank), "ext_leftovers")
    assert severity == "error" and message.startswith("20 of 20")


def test_questions_that_depart_from_their_bank_keep_their_findings(tmp_path: Path) -> None:
    bank = [ten_options(number) for number in range(20)]
    bank[7] = question(7, options=[{"key": "A", "text": "Mars"}, {"key": "B", "text": "Jupiter"}], correct_answer="B")
    bank[9] = question(9, correct_answer="")
    bank[11]["options"][3]["text"] = ""
    found = findings(checked(tmp_path, bank), "nbme_single_best_answer")
    assert {unit for unit, _, _ in found} == {"q9", "q11", str(tmp_path / "bank.json")}


def test_what_each_question_must_answer_for_itself_is_never_told_once(tmp_path: Path) -> None:
    bank = [question(number, correct_answer="") for number in range(20)]
    found = findings(checked(tmp_path, bank), "nbme_single_best_answer")
    assert [unit for unit, _, _ in found] == [f"q{number}" for number in range(20)]


def test_few_questions_are_no_bank(tmp_path: Path) -> None:
    assert (
        len(findings(checked(tmp_path, [ten_options(number) for number in range(9)]), "nbme_single_best_answer")) == 9
    )


def test_a_fault_that_ends_after_the_first_questions_is_told_of_later_ones_again(tmp_path: Path) -> None:
    bank = [*(ten_options(number) for number in range(200)), *(question(number) for number in range(200, 700))]
    bank.append(ten_options(700))
    found = findings(checked(tmp_path, bank), "nbme_single_best_answer")
    assert [unit for unit, _, _ in found] == ["q700", str(tmp_path / "bank.json")]
    assert found[1][2].startswith("201 of 701 questions")


@pytest.mark.parametrize("keys", ["ABCD", "1234"])
def test_keys_that_count_from_zero_are_told_as_such(tmp_path: Path, keys: str) -> None:
    bank = [question(number) for number in range(12)]
    for made in bank:
        place = "ABCD".index(made["correct_answer"])
        made["options"] = [{"key": keys[at], "text": one["text"]} for at, one in enumerate(made["options"])]
        made["correct_answer"] = str(place)
    report = checked(tmp_path, bank)
    [(_, severity, message)] = findings(report, "nbme_single_best_answer")
    assert severity == "error" and "counts from zero" in message and message.startswith("12 of 12")
    assert report["summary"]["findings"] == 1 and report["summary"]["problems"] == 0


def test_one_zero_among_sound_keys_is_an_error_of_its_question(tmp_path: Path) -> None:
    bank = [question(number) for number in range(12)]
    for made in bank:
        made["options"] = [{"key": "1234"[at], "text": one["text"]} for at, one in enumerate(made["options"])]
        made["correct_answer"] = str("ABCD".index(made["correct_answer"]) + 1)
    bank[4]["correct_answer"] = "0"
    [(unit, _, _)] = findings(checked(tmp_path, bank), "nbme_single_best_answer")
    assert unit == "q4"


def test_a_run_says_what_its_bank_shares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each question still waits for its own decision; the claim of the bank stands in summary and report."""
    bank = [ten_options(number) for number in range(12)]
    path, runs = tmp_path / "bank.json", tmp_path / "runs"
    path.write_text(json.dumps(bank), encoding="utf-8")
    assert main(["polish", str(path), "--runs", str(runs), "--run-id", "r"]) == 3
    printed = " ".join(capsys.readouterr().out.split())
    assert "all alike bank.json 12 of 12 questions have the same fault. The first one is 'q0'" in printed
    report = json.loads((runs / "r" / "report.json").read_text("utf-8"))
    [shown] = report["documents"]
    assert [claim["rule"] for claim in shown["claims"]] == ["nbme_single_best_answer"]
