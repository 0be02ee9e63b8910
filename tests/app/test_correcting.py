"""The self-correction service: a draft and its validation go in, a corrected draft and its whole history come out."""

import asyncio
from typing import Any

import pytest

from burnish import questions
from burnish.core.errors import InputError, SelfCorrectionError, UsageError
from burnish.models.calls import Call
from burnish.models.scripted import Fault, ScriptedModel
from burnish.questions import (
    CorrectionPromptInput,
    CorrectionResult,
    Question,
    RuleConfig,
    RuleViolation,
    ValidationResult,
    correct,
    correction_prompt,
    validate,
)
from tests.engine.questions_bench import CLEAN, SAME

DRAFT: dict[str, Any] = {
    "id": "fern-1",
    "type": "single_best_answer",
    "vignette": "A gardener has watered a fern in a pot three times a day for a month.",
    "stem": "Which of the following is NOT an effect on the fern?",
    "options": [
        {"key": "A", "text": "Its roots always rot"},
        {"key": "B", "text": "Its fronds droop"},
        {"key": "C", "text": "Its thorns grow"},
        {"key": "D", "text": "Its soil smells"},
    ],
    "correct_answer": "C",
    "rationale": "",
    "metadata": {
        "course_id": "c-1",
        "slo_ids": ["s-1"],
        "concept_ids": ["k-1"],
        "bloom_level": "Apply",
        "difficulty": "medium",
        "usmle_system": "none",
        "usmle_discipline": "Botany",
        "keywords": ["water"],
    },
}
NEGATION, ABSOLUTE, RATIONALE = "nbme_negation_detection", "nbme_absolute_terms", "ext_rationale_completeness"


def said(rule: str, field: str, severity: str = "error", message: str = "It is wrong.") -> dict[str, Any]:
    return {"ruleId": rule, "severity": severity, "message": message, "field": field, "suggestion": "Mend it."}


def validation(*violations: dict[str, Any], question_id: str = "fern-1") -> ValidationResult:
    """As another engine would hand it in."""
    counts = {name: sum(v["severity"] == name for v in violations) for name in ("error", "warning", "info")}
    return ValidationResult.model_validate(
        {
            "question_id": question_id,
            "violations": violations,
            "has_errors": counts["error"] > 0,
            "has_warnings": counts["warning"] > 0,
            "error_count": counts["error"],
            "warning_count": counts["warning"],
            "info_count": counts["info"],
            "escalated_fields": [],
            "validated_at": "2026-02-03T04:05:06Z",
            "rules_applied": 30,
            "passed": counts["error"] == 0,
        }
    )


THREE_ERRORS = validation(said(NEGATION, "stem"), said(ABSOLUTE, "options"), said(RATIONALE, "rationale"))
"""Coarser than our own rules: it says `options` where they say `options.A`."""

STEM = ("stem", "is NOT an effect on the fern", "belongs to a rose bush rather than to this fern")
MENDED = "Which of the following belongs to a rose bush rather than to this fern?"
OPTION = ("options.A", "always rot", "rot away")
WHY = ("rationale", "", "Wet roots rot, so fronds droop and soil smells; thorns do not grow on a fern.")


def reply(*edits: tuple[str, str, str]) -> dict[str, Any]:
    """Edits that say what they change."""
    named = [
        {"unit": "fern-1", "field": field, "find": find, "replace": replace, "changes": [f"{find} becomes {replace}"]}
        for field, find, replace in edits
    ]
    return {"reasoning": "as asked", "edits": named}


def judges(call: Call) -> object:
    """A judge that objects to nothing, wants every repair as it is, and knows that ferns have no thorns."""
    if call.reply_name == "delta_reply":
        return SAME
    if call.reply_name == "answer_reply":
        return {"reasoning": "Ferns have no thorns.", "choice": "C", "also_right": [], "confidence": "high"}
    return CLEAN


class Told:
    """A scripted model that gives one answer after the other."""

    def __init__(self, *answers: object) -> None:
        self._answers = list(answers)
        self.model = ScriptedModel(self._next)

    def _next(self, call: Call) -> object:
        return self._answers.pop(0)

    @property
    def prompts(self) -> list[str]:
        return [call.user for call in self.model.asked]


def corrected(
    told: Told, given: ValidationResult = THREE_ERRORS, states: list[str] | None = None, **options: Any
) -> CorrectionResult:
    """The fixture's draft, corrected under the strict profile."""
    on_state = states.append if states is not None else None
    told_by = {"judge": ScriptedModel(judges), "profile": "strict", "on_state": on_state, **options}
    return asyncio.run(correct(DRAFT, given, model=told.model, **told_by))


OFF = ("ext_spreadsheet_dates", "ext_contradicting_rationale", "ext_leftovers")


def test_our_own_rules_find_the_same_three_errors() -> None:
    found = validate(DRAFT, profile="strict")
    assert sorted(v.ruleId for v in found.violations if v.severity == "error") == [RATIONALE, ABSOLUTE, NEGATION]
    assert found.has_errors
    assert not found.passed
    assert found.error_count == 3
    fewer = RuleConfig(institution_id="north", disabled_rules=OFF)
    assert validate(DRAFT, config=fewer, profile="strict").rules_applied == found.rules_applied - len(OFF)


class TestCorrect:
    def test_a_draft_is_corrected_at_the_first_attempt(self) -> None:
        told = Told(reply(STEM, OPTION, WHY))
        result = corrected(told)
        assert result.status == "validated"
        assert result.total_attempts == 1
        assert result.final_draft.stem == MENDED
        assert result.original_draft == Question.model_validate(DRAFT)
        assert result.attempts[0].resolved_count == 3
        assert result.attempts[0].remaining_count == 0

    def test_errors_that_persist_are_tried_a_second_time(self) -> None:
        told = Told(reply(STEM, OPTION), reply(WHY))
        result = corrected(told)
        assert result.status == "validated"
        assert [attempt.attempt_number for attempt in result.attempts] == [1, 2]
        assert [attempt.remaining_count for attempt in result.attempts] == [1, 0]
        assert [v.ruleId for v in result.attempts[1].input_violations] == [RATIONALE]

    def test_after_two_attempts_a_person_has_to_look(self) -> None:
        told = Told(reply(STEM), reply(OPTION))
        result = corrected(told)
        assert result.status == "needs_manual_review"
        assert result.total_attempts == result.max_attempts == 2
        assert len(told.prompts) == 2
        assert result.final_draft.stem == MENDED, "what was won is kept"

    def test_only_errors_trigger_a_correction(self) -> None:
        told = Told(reply(STEM))
        given = validation(said(NEGATION, "stem"), said(ABSOLUTE, "options", "warning"), said("x", "stem", "info"))
        result = asyncio.run(
            correct(DRAFT | {"rationale": WHY[2]}, given, model=told.model, judge=ScriptedModel(judges))
        )
        assert result.status == "validated"
        assert ABSOLUTE not in told.prompts[0]
        assert [v.ruleId for v in result.attempts[0].input_violations] == [NEGATION]

    def test_a_draft_with_warnings_only_passes_through(self) -> None:
        told, mended = Told(), {**DRAFT, "stem": MENDED, "rationale": WHY[2]}
        given = validate(mended)
        assert given.has_warnings and not given.has_errors
        result = asyncio.run(correct(mended, given, model=told.model))
        assert result.status == "validated"
        assert result.final_draft == result.original_draft
        assert result.attempts == ()
        assert told.prompts == []
        assert result.total_token_usage.total_tokens == 0

    def test_attempts_and_violations_are_counted_in_the_metadata(self) -> None:
        result = corrected(Told(reply(STEM, OPTION), reply(("rationale", "", "Because."))))
        assert result.metadata.question_id == "fern-1"
        assert result.metadata.total_attempts == 2
        assert result.metadata.violations_per_attempt == (3, 1), "what each attempt started from"
        assert result.metadata.resolved_rules == (ABSOLUTE, NEGATION)
        assert result.metadata.persistent_rules == (RATIONALE,)
        assert result.metadata.total_tokens == result.total_token_usage.total_tokens > 0

    def test_the_diff_between_the_drafts_is_kept(self) -> None:
        [attempt] = corrected(Told(reply(STEM, OPTION, WHY))).attempts
        lines = attempt.correction_diff.splitlines()
        assert "-Which of the following is NOT an effect on the fern?" in lines
        assert f"+{MENDED}" in lines
        assert "+  A. Its roots rot away" in lines
        assert f"+Rationale: {WHY[2]}" in lines

    def test_a_rule_that_fails_in_every_attempt_trips_the_breaker(self) -> None:
        result = corrected(Told(reply(STEM), reply(OPTION)))
        assert result.circuit_breaker_triggered
        assert result.circuit_breaker_rules == (RATIONALE,)

    def test_a_rule_that_fails_only_once_does_not(self) -> None:
        result = corrected(Told(reply(OPTION, WHY), reply(STEM)))
        assert result.status == "validated"
        assert not result.circuit_breaker_triggered
        assert result.circuit_breaker_rules == ()

    def test_tokens_are_counted_for_each_attempt(self) -> None:
        result = corrected(Told(reply(STEM, OPTION), reply(WHY)))
        for attempt in result.attempts:
            usage = attempt.token_usage
            assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
            assert usage.prompt_tokens > 0
            assert usage.completion_tokens > 0
        assert result.total_token_usage.total_tokens == sum(a.token_usage.total_tokens for a in result.attempts)


class TestPrompt:
    def given(self, attempt: int = 1, previous: tuple[str, ...] = ()) -> CorrectionPromptInput:
        return CorrectionPromptInput(
            original_draft=Question.model_validate(DRAFT),
            violations=THREE_ERRORS.violations,
            attempt_number=attempt,
            previous_corrections=previous,
        )

    def test_it_names_the_violations_and_what_to_do(self) -> None:
        text = correction_prompt(self.given())
        for rule in (NEGATION, ABSOLUTE, RATIONALE):
            assert rule in text
        assert "It is wrong." in text
        assert "Mend it." in text

    def test_it_shows_the_draft_but_not_the_rest_of_it(self) -> None:
        text = correction_prompt(self.given())
        assert DRAFT["stem"] in text
        assert all(option["text"] in text for option in DRAFT["options"])
        assert "correct_answer: C" in text
        assert "Botany" not in text
        assert DRAFT["vignette"] in text, "what the stem refers to is shown with it"

    def test_it_says_which_attempt_this_is(self) -> None:
        assert "Attempt 1 of 2." in correction_prompt(self.given())
        second = correction_prompt(self.given(2, ("edit_refused: not_found: stem",)))
        assert "Attempt 2 of 2. An earlier correction left the violations below" in second

    def test_the_prompt_that_is_sent_is_the_one_that_is_shown(self) -> None:
        told = Told(reply(STEM), reply(WHY))
        corrected(told)
        assert "Attempt 1 of 2" in told.prompts[0]
        assert "Attempt 2 of 2. The one before it left the violations below." in told.prompts[1]


class TestStates:
    def test_from_draft_to_validated(self) -> None:
        states: list[str] = []
        corrected(Told(reply(STEM, OPTION, WHY)), states=states)
        assert states == ["draft", "correcting", "validated"]

    def test_from_draft_to_manual_review(self) -> None:
        states: list[str] = []
        corrected(Told(reply(STEM), reply(OPTION)), states=states)
        assert states == ["draft", "correcting", "needs_manual_review"]


class TestBadAnswers:
    def test_unreadable_answers_count_as_failed_attempts(self) -> None:
        result = corrected(Told("I refuse to write JSON.", '{"edits": NaN}'))
        assert result.status == "needs_manual_review"
        assert result.total_attempts == 2
        assert result.final_draft == result.original_draft
        assert [(a.failure or "").partition(":")[0] for a in result.attempts] == ["reply_unreadable"] * 2
        assert [a.correction_diff for a in result.attempts] == ["", ""]
        assert result.metadata.violations_per_attempt == (3, 3)
        assert result.circuit_breaker_rules == (RATIONALE, ABSOLUTE, NEGATION)

    @pytest.mark.parametrize(
        "edit",
        [
            ("vignette", "gardener", "farmer"),
            ("metadata.difficulty", "medium", "easy"),
            ("id", "fern-1", "fern-2"),
        ],
    )
    def test_an_edit_outside_the_flagged_fields_is_refused_whole(self, edit: tuple[str, str, str]) -> None:
        told = Told(reply(STEM, edit), reply(STEM, OPTION, WHY))
        result = corrected(told)
        first, second = result.attempts
        assert (first.failure or "").startswith("edit_refused")
        assert first.corrected_draft == result.original_draft, "not even the good half of it is taken"
        assert second.failure is None
        assert result.status == "validated"
        assert "An earlier answer was not used" in told.prompts[1]

    def test_new_errors_are_kept_only_with_fewer_errors_than_before(self) -> None:
        trade = ("options.B", "droop", "never droop")
        told = Told(reply(STEM, trade), reply(OPTION, WHY, ("options.B", "never droop", "droop")))
        result = corrected(told)
        first, second = result.attempts
        assert first.remaining_count == 3
        assert first.failure == "new_errors: nbme_absolute_terms"
        assert first.corrected_draft.options[1].text == "Its fronds never droop", "the attempt itself is kept"
        assert "not_found" in (second.failure or ""), "the second attempt started from the original, not from the trade"
        assert "it raised as many errors as it settled" in told.prompts[1]
        assert result.final_draft == result.original_draft

    def test_new_errors_with_fewer_in_all_are_kept(self) -> None:
        result = corrected(Told(reply(STEM, WHY, ("options.B", "droop", "never droop")), "nothing"))
        assert result.attempts[0].remaining_count == 2 < 3
        assert result.final_draft.options[1].text == "Its fronds never droop"

    def test_the_best_draft_wins_not_the_last(self) -> None:
        worse = ("options.A", "Its roots always rot", "All of the above, always")
        result = corrected(Told(reply(STEM, WHY), reply(worse)))
        assert [attempt.remaining_count for attempt in result.attempts] == [1, 2]
        assert result.final_draft.options[0].text == "Its roots always rot"
        assert result.final_draft.stem == MENDED

    def test_a_model_that_is_away_is_a_failed_attempt_not_an_exception(self) -> None:
        result = corrected(Told(Fault(status=400)))
        assert result.status == "needs_manual_review"
        assert (result.attempts[0].failure or "").startswith("model_failed")

    def test_a_broken_structure_is_not_a_models_to_mend(self) -> None:
        told = Told()
        draft = {**DRAFT, "correct_answer": "Z"}
        result = asyncio.run(correct(draft, validate(draft), model=told.model))
        assert result.status == "needs_manual_review"
        assert result.attempts == ()
        assert told.prompts == []


class TestMisuse:
    def test_without_a_validation_result(self) -> None:
        with pytest.raises(SelfCorrectionError, match="no validation result") as misuse:
            corrected(Told(), None)  # type: ignore[arg-type]
        assert "validate" in (misuse.value.hint or "")

    def test_with_the_result_of_another_question(self) -> None:
        with pytest.raises(SelfCorrectionError, match="about 'oak-7'"):
            corrected(Told(), validation(said(NEGATION, "stem"), question_id="oak-7"))

    @pytest.mark.parametrize("given", [{}, {"question_id": "fern-1", "violations": "many"}, "passed", 7])
    def test_with_something_that_is_no_validation_result(self, given: Any) -> None:
        with pytest.raises(questions.SelfCorrectionError, match="This is no validation result") as misuse:
            corrected(Told(), given)
        assert "validate" in (misuse.value.hint or "")

    def test_a_clean_result_of_an_older_text_is_not_believed(self) -> None:
        result = corrected(Told("no JSON", "no JSON"), validation())
        assert result.status == "needs_manual_review"
        rules = {violation.ruleId for violation in result.attempts[0].input_violations}
        assert {NEGATION, ABSOLUTE, RATIONALE} <= rules

    def test_a_model_does_not_judge_its_own_correction(self) -> None:
        told = Told()
        with pytest.raises(SelfCorrectionError, match="confirm its own work"):
            corrected(told, judge=told.model)
        with pytest.raises(SelfCorrectionError, match="confirm its own work"):
            asyncio.run(correct(DRAFT, THREE_ERRORS, model="openai:gpt-5-mini", judge="openai:gpt-5-mini"))
        assert told.prompts == []

    @pytest.mark.parametrize("said", ["no JSON", {"unexpected": True}, "<think>"])
    def test_a_judge_that_cannot_be_read_is_a_result(self, said: object) -> None:
        result = corrected(Told(*[reply(STEM, OPTION, WHY)] * 2), judge=ScriptedModel(lambda _: said))
        assert result.status == "needs_manual_review"
        assert any("scripted:judge" in str(attempt.failure) for attempt in result.attempts), result.attempts

    def test_a_stored_validation_result_is_taken(self) -> None:
        stored = validation(said(NEGATION, "stem")).model_dump(mode="json")
        result = corrected(Told("no JSON", "no JSON"), stored)  # type: ignore[arg-type]
        assert [violation.ruleId for violation in result.attempts[0].input_violations] == [NEGATION]
        with pytest.raises(SelfCorrectionError, match="about 'oak-7'"):
            corrected(Told(), {**stored, "question_id": "oak-7"})  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("violations", "claimed"),
        [
            ([], {"has_errors": True, "error_count": 1}),
            ([], {"passed": False}),
            ([], {"warning_count": 2}),
            ([said(NEGATION, "stem")], {"has_errors": False, "error_count": 0, "passed": True}),
            ([said(NEGATION, "stem", "warning")], {"has_warnings": False}),
            ([said(NEGATION, "stem", "info")], {"info_count": 3}),
        ],
    )
    def test_with_a_result_that_contradicts_itself(
        self, violations: list[dict[str, Any]], claimed: dict[str, Any]
    ) -> None:
        """Which half of it to believe is not for us to guess: one half says that the question is sound."""
        given = validation(*violations).model_copy(update=claimed)
        for form in (given, given.model_dump(mode="json")):
            with pytest.raises(SelfCorrectionError, match="contradicts itself: ") as misuse:
                corrected(Told(), form)  # type: ignore[arg-type]
            assert all(name in misuse.value.message for name in claimed)

    def test_a_draft_that_is_no_question(self) -> None:
        with pytest.raises(InputError, match="not a question") as wrong:
            validate({"id": "x", "stem": ["a list"]})
        assert wrong.value.field == "stem"

    def test_a_profile_that_does_not_exist(self) -> None:
        with pytest.raises(UsageError, match="profile cannot be 'lax'"):
            validate(DRAFT, profile="lax")

    def test_a_model_that_does_not_exist(self) -> None:
        with pytest.raises(UsageError):
            asyncio.run(correct(DRAFT, THREE_ERRORS, model="no-provider-at-all"))


def test_an_institutions_rules_decide_what_is_an_error() -> None:
    config = RuleConfig(institution_id="north", disabled_rules=(RATIONALE,), severity_overrides={ABSOLUTE: "info"})
    found = validate(DRAFT, config=config)
    assert {v.ruleId: v.severity for v in found.violations}[ABSOLUTE] == "info"
    told = Told(reply(STEM))
    result = asyncio.run(correct(DRAFT, found, model=told.model, judge=ScriptedModel(judges), config=config))
    assert result.status == "validated"
    alone = asyncio.run(correct(DRAFT, found, model=Told(reply(STEM)).model, config=config))
    assert alone.status == "needs_manual_review", "with one model, what can change the right answer is a proposal"
    assert alone.final_draft.stem == MENDED


FIELDS = {
    "CorrectionAttempt": [
        "attempt_number",
        "input_violations",
        "corrected_draft",
        "output_violations",
        "resolved_count",
        "remaining_count",
        "token_usage",
        "attempted_at",
        "correction_diff",
        "failure",
    ],
    "CorrectionTokenUsage": ["prompt_tokens", "completion_tokens", "total_tokens"],
    "CorrectionResult": [
        "question_id",
        "original_draft",
        "final_draft",
        "status",
        "attempts",
        "total_attempts",
        "max_attempts",
        "circuit_breaker_triggered",
        "circuit_breaker_rules",
        "total_token_usage",
        "started_at",
        "completed_at",
    ],
    "CorrectionMetadata": [
        "question_id",
        "total_attempts",
        "violations_per_attempt",
        "resolved_rules",
        "persistent_rules",
        "total_tokens",
    ],
    "CircuitBreakerState": ["rule_id", "consecutive_failures", "is_tripped"],
    "CorrectionPromptInput": ["original_draft", "violations", "attempt_number", "previous_corrections"],
    "RuleViolation": ["ruleId", "severity", "message", "field", "suggestion"],
    "ValidationResult": [
        "question_id",
        "violations",
        "has_errors",
        "has_warnings",
        "error_count",
        "warning_count",
        "info_count",
        "escalated_fields",
        "validated_at",
        "rules_applied",
        "passed",
    ],
    "RuleConfig": ["institution_id", "enabled_rules", "disabled_rules", "severity_overrides"],
}
"""The contract's fields; an attempt has its diff and the reason why it was not used besides."""


@pytest.mark.parametrize("name", FIELDS)
def test_the_wire_has_the_contracts_fields(name: str) -> None:
    assert list(getattr(questions, name).model_fields) == FIELDS[name]


def test_a_result_reads_back_from_its_json() -> None:
    result = corrected(Told(reply(STEM, OPTION), reply(WHY)))
    dumped = result.model_dump(mode="json", exclude_unset=True)
    assert list(dumped) == FIELDS["CorrectionResult"]
    assert list(dumped["attempts"][0])[:8] == FIELDS["CorrectionAttempt"][:8]
    assert dumped["original_draft"] == DRAFT
    assert CorrectionResult.model_validate(dumped) == result
    assert result.started_at < result.attempts[0].attempted_at < result.completed_at


def test_a_violation_without_a_suggestion_is_allowed() -> None:
    violation = RuleViolation(ruleId="r", severity="info", message="m", field="stem")
    assert violation.suggestion is None
