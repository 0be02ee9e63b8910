"""The rows of the exports, made from recorded attempts."""

from typing import Any

from burnish.core.findings import Finding
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, UnitRow, Usage
from burnish.core.tasks import USUAL_ATTEMPTS
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.schemas import (
    CorrectionRow,
    ReviewQueueRow,
    RuleViolation,
    ValidationResult,
    ValidationRow,
)
from burnish.kinds.questions.views import (
    correction_result,
    correction_row,
    queue_row,
    resolved,
    validation_row,
)
from tests.engine.questions_bench import biased, sound

SOURCE = Question.model_validate(biased(0))
ERROR = Finding("nbme_negation_detection", "error", "q0", "stem", "It asks for the exception.", "Ask positively.")
WARNING = Finding("ext_formatting", "warning", "q0", "stem", "Two spaces.")


def attempt(
    number: int, cause: str, *findings: Finding, content: dict[str, Any] | None = None, **more: Any
) -> AttemptRecord:
    return AttemptRecord(
        unit="q0",
        number=number,
        cause=cause,  # type: ignore[arg-type]
        content=content,
        content_hash=f"sha256:{number}",
        scores={"rules": 1.0},
        findings=tuple(finding.as_record() for finding in findings),
        passed=not any(finding.blocks for finding in findings),
        usage=Usage(100 * number, 10 * number),
        at=f"2026-01-01T00:00:0{number}Z",
        **more,
    )


def story(
    state: str,
    *attempts: AttemptRecord,
    best: int = 1,
    decisions: tuple[EventRecord, ...] = (),
    id: str = "q0",
) -> UnitStory:
    row = UnitRow(id, "bank", 0, "sha256:1", state, "why", len(attempts), best)
    return UnitStory(row, SOURCE, attempts, decisions)


CORRECTED = story(
    "validated",
    attempt(1, "source", ERROR),
    attempt(2, "model", ERROR, failure="reply_unreadable: no JSON"),
    attempt(3, "model", WARNING, content=sound(0)),
    best=3,
)


def test_three_files_are_exported() -> None:
    assert set(QuestionsKind().exports()) == {"validation.jsonl", "corrections.jsonl", "review_queue.jsonl"}


def test_the_validation_is_of_the_best_draft() -> None:
    row = validation_row(CORRECTED)
    assert row is not None
    assert (row["question_id"], row["state"], row["passed"]) == ("q0", "validated", True)
    assert [violation["ruleId"] for violation in row["violations"]] == ["ext_formatting"]
    assert validation_row(story("draft")) is None


def test_a_validation_row_is_a_whole_validation_result() -> None:
    checked = {
        "ignored": [WARNING.as_record()],
        "skipped": ["nbme_lead_in"],
        "applied": 29,
        "escalated_fields": ["stem"],
        "language": "es",
    }
    told = story("needs_manual_review", attempt(1, "source", ERROR, WARNING, checked=checked), id="a.json/q0")
    row = validation_row(told)
    assert row is not None
    assert ValidationRow.model_validate(row)
    result = ValidationResult.model_validate({name: row[name] for name in ValidationResult.model_fields})
    assert (result.question_id, row["unit"]) == ("q0", "a.json/q0"), "the question's own name, and its name in the run"
    assert (result.error_count, result.warning_count, result.rules_applied) == (1, 1, 29)
    assert result.escalated_fields == ("stem",) and not result.passed
    assert [violation["ruleId"] for violation in row["ignored"]] == ["ext_formatting"]
    assert (row["skipped_rules"], row["language"]) == (["nbme_lead_in"], "es")


def decided(verdict: str) -> EventRecord:
    data = {"verdict": verdict, "by": "Ada", "note": None, "after_attempt": 3}
    return EventRecord("decision", "q0", data, at="2026-01-01T00:00:09Z")


def test_after_a_persons_edit_nothing_persists_that_the_edit_mended() -> None:
    failed = (attempt(1, "source", ERROR), attempt(2, "model", ERROR), attempt(3, "model", ERROR))
    edited = {**sound(0), "stem": "Which organ is it?"}
    told = story(
        "validated", *failed, attempt(4, "person", content=edited), best=4, decisions=(decided("edit"),), id="a/q0"
    )
    row = correction_row(told, USUAL_ATTEMPTS)
    assert row is not None
    correction = row["pipeline_metadata"]["correction"]
    assert (correction["status"], correction["persistent_rules"]) == ("validated", [])
    assert correction["resolved_rules"] == ["nbme_negation_detection"]
    assert row["result"]["final_draft"] == edited
    assert row["decisions"] == [{"verdict": "edit", "by": "Ada", "note": None, "at": "2026-01-01T00:00:09Z"}]
    assert (row["unit"], row["question_id"]) == ("a/q0", "q0")
    assert CorrectionRow.model_validate(row)


def test_what_a_person_accepts_with_an_error_keeps_it() -> None:
    failed = (attempt(1, "source", ERROR), attempt(2, "model", ERROR), attempt(3, "model", ERROR))
    row = correction_row(story("validated", *failed, decisions=(decided("accept"),)), USUAL_ATTEMPTS)
    assert row is not None
    correction = row["pipeline_metadata"]["correction"]
    assert (correction["status"], correction["persistent_rules"]) == ("validated", ["nbme_negation_detection"])
    assert [decision["verdict"] for decision in row["decisions"]] == ["accept"]


def test_the_correction_has_the_shape_that_a_pipeline_stores() -> None:
    row = correction_row(CORRECTED, USUAL_ATTEMPTS)
    assert row is not None
    assert row["pipeline_metadata"]["correction"] == {
        "total_attempts": 2,
        "violations_per_attempt": [1, 1],
        "resolved_rules": ["nbme_negation_detection"],
        "persistent_rules": [],
        "total_tokens": 550,
        "status": "validated",
    }
    assert row["circuit_breakers"] == [
        {"rule_id": "nbme_negation_detection", "consecutive_failures": 0, "is_tripped": False}
    ]
    assert row["result"]["original_draft"] == biased(0)
    assert row["result"]["final_draft"] == sound(0)
    assert [a["failure"] for a in row["result"]["attempts"]] == ["reply_unreadable: no JSON", None]
    assert row["result"]["attempts"][1]["correction_diff"].startswith("--- q0 before\n+++ q0 after\n")


def test_a_unit_that_no_model_worked_on_has_no_correction() -> None:
    assert correction_row(story("validated", attempt(1, "source")), USUAL_ATTEMPTS) is None
    fixed = story("validated", attempt(1, "source", WARNING), attempt(2, "safe_fix", content=sound(0)), best=2)
    assert correction_row(fixed, USUAL_ATTEMPTS) is None


def test_a_correction_under_way_says_so() -> None:
    under_way = correction_result(
        story("correcting", attempt(1, "source", ERROR), attempt(2, "model", ERROR)), USUAL_ATTEMPTS
    )
    assert under_way is not None
    assert under_way.status == "correcting"
    assert not under_way.circuit_breaker_triggered, "one failure is not every attempt"


def test_the_breaker_is_tripped_by_a_rule_that_never_holds() -> None:
    failed = story(
        "needs_manual_review", attempt(1, "source", ERROR), attempt(2, "model", ERROR), attempt(3, "model", ERROR)
    )
    result = correction_result(failed, USUAL_ATTEMPTS)
    assert result is not None
    assert result.circuit_breaker_rules == ("nbme_negation_detection",)
    assert result.status == "needs_manual_review"


def test_the_queue_holds_what_waits_only() -> None:
    assert queue_row(CORRECTED) is None
    waiting = story("needs_manual_review", attempt(1, "source", ERROR, WARNING))
    row = queue_row(waiting)
    assert row is not None
    assert (row["reason"], row["open_errors"], row["best_attempt"]) == ("why", 1, 1)
    assert [finding["rule"] for finding in row["findings"]] == ["nbme_negation_detection"]
    assert row["draft"] == biased(0)
    assert ReviewQueueRow.model_validate(row)


def violation(rule: str, field: str) -> RuleViolation:
    return RuleViolation(ruleId=rule, severity="error", message="m", field=field)


def test_an_error_is_resolved_when_its_rule_is_silent_about_its_field() -> None:
    before = [violation("a", "stem"), violation("a", "options"), violation("b", "options.A")]
    assert resolved(before, []) == 3
    assert resolved(before, [violation("a", "options.C")]) == 2, "a part of the list still breaks it"
    assert resolved(before, [violation("b", "options")]) == 2
    assert resolved(before, [violation("b", "options.AB")]) == 3, "another option is another place"
