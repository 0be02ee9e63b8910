"""Reports on events that are rare in real banks."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from rich.cells import cell_len

from burnish.app.check_json import IN_MEMORY, Aside, CheckReport, JsonReport
from burnish.app.check_summary import unified
from burnish.app.check_text import TextReport, show_overview
from burnish.app.kinds import kind_named
from burnish.app.labels import counted, listed
from burnish.app.terminal import Screen
from burnish.core.checks import Examination
from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.engine.check import CheckSummary, Document, DocumentEnded, DocumentFailed, DocumentStarted, UnitChecked
from burnish.engine.fixes import DocumentLeft, DocumentWritten, FixRefused, UnitFixed
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.views import describe
from tests.app.samples import question

DOCUMENT = Document("bank.json", "json")
ERROR = InputError("It stops here.", path="bank.json", line=7, field="stem", hint="Look at it.")

QUESTIONS = {"questions": kind_named("questions")}


def unit(**changes: Any) -> Question:
    return Question.model_validate(question(**changes))


def checked(finding: Finding, of: Question | None = None) -> UnitChecked:
    return UnitChecked(of or unit(), Examination((finding,)), (finding,))


def told(*events: Any) -> str:
    stream = io.StringIO()
    report = TextReport(Screen(stream), {}, kinds=QUESTIONS)
    report.take(DocumentStarted(DOCUMENT, "questions"))
    for event in events:
        report.take(event)
    return stream.getvalue()


def test_a_document_that_stops() -> None:
    assert told(DocumentFailed(DOCUMENT, ERROR)) == (
        "bank.json\n\nbad input[bad_input]: It stops here.\n  --> bank.json:7, stem\n   = fix: Look at it.\n"
    )


def test_a_finding_about_a_list_shows_the_list() -> None:
    out = told(checked(Finding("r", "error", "q1", "options", "They differ.")))
    assert "   | A: Caudate nucleus\n   | B: Cerebellar cortex\n" in out


def test_a_long_list_is_cut() -> None:
    many = [{"key": f"K{number}", "text": f"text {number}"} for number in range(11)]
    out = told(checked(Finding("r", "error", "q1", "options", "Too many."), unit(options=many)))
    assert "   | K7: text 7\n   | … and 3 more\n" in out and "text 8" not in out


def test_a_finding_about_something_that_is_not_there() -> None:
    assert "   | (empty)" in told(checked(Finding("r", "error", "q1", "rationale", "It is missing.")))
    assert told(checked(Finding("r", "error", "q1", "metadata.x", "No."))).endswith("--> bank.json, q1, metadata.x\n")


def test_a_finding_about_the_whole_question_shows_its_first_words() -> None:
    assert "   | A 71-year-old man" in told(checked(Finding("r", "error", "q1", None, "It is like another.")))


def test_fixes_that_were_refused_or_not_written() -> None:
    stream = io.StringIO()
    report = TextReport(Screen(stream), {}, kinds=QUESTIONS)
    report.open_fixes()
    report.take_fix(FixRefused(DOCUMENT, Finding("r", "error", "q1", "stem", "x"), "It would settle nothing."))
    report.take_fix(UnitFixed(DOCUMENT, unit(rationale="a  \nb"), unit(rationale="a\nb"), ()))
    report.take_fix(DocumentLeft(DOCUMENT, ERROR))
    report.take_fix(DocumentWritten(DOCUMENT, 2))
    report.abandon(CheckSummary())
    assert stream.getvalue() == (
        "not fixed: bank.json, q1, stem: r: It would settle nothing.\n"
        "--- q1\n+++ q1 (fixed)\n@@ rationale @@\n-a··\n+a\n b\n"
        "bank.json: nothing was written. It stops here.\n\n"
        "bank.json: 2 questions fixed.\n\n"
    )


def test_a_diff_shows_only_what_changed() -> None:
    before, after = unit(rationale="one\ntwo\nthree\nfour"), unit(rationale="one\ntwo\n2.5\nthree\nfour", stem="New?")
    assert list(unified(before, after)) == [
        "--- q1",
        "+++ q1 (fixed)",
        "@@ stem @@",
        f"-{before.stem}",
        "+New?",
        "@@ rationale @@",
        " two",
        "+2.5",
        " three",
    ]


def test_json_that_was_broken_off_is_whole(tmp_path: Path) -> None:
    stream = io.StringIO()
    report = JsonReport(stream)
    report.open_fixes()
    report.take(DocumentStarted(DOCUMENT, "questions"))
    report.take(checked(Finding("r", "error", "q1", "stem", "x")))
    report.take(DocumentFailed(DOCUMENT, ERROR))
    report.abandon(CheckSummary())
    document = CheckReport.model_validate(json.loads(stream.getvalue())).documents[0]
    assert document.complete is False and document.problems[0].line == 7
    nothing = io.StringIO()
    JsonReport(nothing).abandon(CheckSummary())
    assert json.loads(nothing.getvalue())["documents"] == []


def test_json_of_two_documents(tmp_path: Path) -> None:
    stream = io.StringIO()
    report = JsonReport(stream)
    for _ in range(2):
        report.take(DocumentStarted(DOCUMENT, "questions"))
        report.take(checked(Finding("r", "error", "q1", "stem", "x")))
        report.take(checked(Finding("r", "error", "q2", "stem", "x")))
        report.take(DocumentEnded(DOCUMENT, {"near_duplicates": 0}))
    report.close(CheckSummary(), problems=[ERROR], passed_over=[ERROR], off={"r"})
    parsed = CheckReport.model_validate(json.loads(stream.getvalue()))
    assert [len(document.units) for document in parsed.documents] == [2, 2]
    assert parsed.passed_over == ("bank.json",) and parsed.rules_off == ("r",)


def test_a_long_side_list_moves_to_disk() -> None:
    aside, stream = Aside(), io.StringIO()
    for number in range(3):
        aside.add("é" * (IN_MEMORY // 2) + str(number))
    aside.pour(stream)
    assert [text[-1] for text in json.loads(stream.getvalue())] == ["0", "1", "2"]


def test_numbers_and_lists_in_words() -> None:
    assert counted(1, "question") == "1 question" and counted(1204, "question") == "1,204 questions"
    assert listed(["a", "b"], 2) == "a, b" and listed(["a", "b", "c", "d"], 2) == "a, b and 2 more"


def bank_text(bank: dict[str, Any], *, briefly: bool = False) -> str:
    stream = io.StringIO()
    show_overview(Screen(stream), "bank.json", describe(bank), briefly=briefly)
    return stream.getvalue()


def balance(balanced: bool | None) -> dict[str, Any]:
    return {"balanced": balanced, "message": f"40 questions with 4 options ({balanced})."}


def test_the_balance_of_keys() -> None:
    assert bank_text({"key_balance": [balance(None)]}) == ""
    assert bank_text({"key_balance": [balance(True)]}, briefly=True) == ""
    uneven = {"key_balance": [balance(True), balance(False)], "near_duplicates": 3}
    assert bank_text(uneven, briefly=True) == "bank.json\n  keys            40 questions with 4 options (False).\n\n"
    assert bank_text(uneven).endswith("(False).\n  duplicates      3 questions are nearly the same as another.\n\n")


def cell(objective: str | None, level: str | None, difficulty: str | None, questions: int = 1) -> dict[str, Any]:
    return {"objective": objective, "bloom_level": level, "difficulty": difficulty, "questions": questions}


def test_the_blueprint() -> None:
    cells = [cell("heart", "Apply", "hard", 3), cell("heart", "Apply", None, 2), cell("heart", "Remember", "easy")]
    assert bank_text({"blueprint": [*cells, cell(None, "Recall", "easy")]}) == (
        "bank.json\n"
        "  blueprint       objective  level     easy    hard    -\n"
        "                  -          Recall         1       ·       ·\n"
        "                  heart      Remember       1       ·       ·\n"
        "                  heart      Apply          ·       3       2\n\n"
    ), "from the lowest level and the easiest question on; what the trade does not know comes last"


def test_a_large_blueprint_is_cut_and_hostile_names_are_harmless() -> None:
    cells = [cell(f"\x1b[31mslo-{row:02}", "漢字" * 20, f"d{column}") for row in range(15) for column in range(8)]
    out = bank_text({"blueprint": cells})
    assert "… and 3 more rows and 2 more columns" in out
    assert "\x1b" not in out and all(cell_len(line) <= 120 for line in out.splitlines())


def test_likeness_that_authors_ignore_is_counted() -> None:
    assert bank_text({"near_duplicates": 3}) == "", "each of them is a finding of its own"
    ignored = bank_text({"near_duplicates": 0, "near_duplicates_ignored": 2})
    assert (
        ignored == "bank.json\n  duplicates      0 questions are nearly the same as another; authors ignore 2 more.\n\n"
    )
