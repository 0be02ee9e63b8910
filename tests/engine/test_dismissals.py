"""Dismissals: a person says that a rule is wrong; code judges the unit again, and readers still get their turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from burnish.app.kinds import kind_named
from burnish.app.runs import View
from burnish.core.attempts import findings_of
from burnish.core.claims import answers_in, claim_id
from burnish.core.errors import UsageError
from burnish.core.findings import Finding
from burnish.core.records import UnitRow, event
from burnish.engine.decisions import Deciding, undone
from burnish.engine.dismissals import RunDismissals, Wanted
from burnish.engine.plan import recorded_plan
from burnish.engine.unit_loader import Neighbours, examiner_of
from burnish.models.calls import Call
from burnish.store import unit_queries
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.engine.questions_bench import (
    CLEAN,
    SOLVED,
    biased,
    edit,
    journal_of,
    keyless,
    mends,
    objection,
    questions_in,
    receipt,
    resume,
    run,
    scripted,
    sound,
    write_bank,
)
from tests.engine.questions_bench import states as states_and_reasons

BIAS, NEGATION, RATIONALE = "ext_bias_detection", "nbme_negation_detection", "ext_rationale_completeness"
QUESTIONS: Any = kind_named("questions")


def negative(number: int) -> dict[str, Any]:
    """Two errors: biased words, and a negative lead-in."""
    made = biased(number)
    return {**made, "stem": made["stem"].replace("is the most likely", "is NOT the most likely")}


def unexplained(number: int) -> dict[str, Any]:
    """One error that code shows: the rationale is empty. No reader is asked before it is mended."""
    return sound(number, rationale="")


def in_vain(call: Call) -> object:
    """Its edits name no words of the question."""
    return edit(call.unit, "no such words", "x") if call.reply_name == "edit_reply" else mends(call)


@contextmanager
def deciding(folder: RunFolder) -> Iterator[tuple[Deciding, Journal]]:
    with own_run(folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        neighbours = Neighbours(plan, QUESTIONS, owned.journal)
        yield Deciding(owned.journal, examiner_of(plan, QUESTIONS), neighbours), owned.journal


def dismiss(folder: RunFolder, unit: str, *claims: str, rule: str | None = None) -> UnitRow:
    with deciding(folder) as (able, journal):
        row = journal.unit(unit)
        assert row is not None
        return able.decide(row, "dismiss", by="Ada", note=None, text=Wanted(claims, rule).text)


def take_back(folder: RunFolder, unit: str) -> UnitRow:
    with deciding(folder) as (_, journal):
        row = journal.unit(unit)
        assert row is not None
        follows = undone(QUESTIONS, journal, row, by="Bob")
        journal.write_now(*follows.records)
        return follows.row


def findings(folder: RunFolder, unit: str) -> list[Finding]:
    """The findings of the kept draft."""
    with journal_of(folder) as journal:
        row = journal.unit(unit)
        assert row is not None
        return findings_of(journal.attempts(unit)[row.best_attempt - 1])


def claim(folder: RunFolder, unit: str, rule: str = BIAS) -> str:
    return next(claim_id(one) for one in findings(folder, unit) if one.rule == rule)


def states(folder: RunFolder) -> dict[str, str]:
    return {unit: state for unit, (state, _) in states_and_reasons(folder).items()}


def calls(folder: RunFolder) -> int:
    with journal_of(folder) as journal:
        return sum(1 for _ in journal.calls())


@pytest.fixture
def waiting(tmp_path: Path) -> RunFolder:
    """q1 and q2 wait for want of a model."""
    folder, _ = run(write_bank(tmp_path, [sound(0), biased(1), biased(2)]), tmp_path / "runs")
    return folder


def test_a_unit_whose_only_error_is_dismissed_is_accepted_and_published_as_it_is(waiting: RunFolder) -> None:
    assert dismiss(waiting, "q1", claim(waiting, "q1")).state == "validated"
    assert states(waiting) == {"q0": "validated", "q1": "validated", "q2": "needs_manual_review"}
    dismiss(waiting, "q2", rule=BIAS)
    result = resume(waiting)
    assert questions_in(Path(result.published[0].path))["q1"] == biased(1)
    [told] = [one for entry in receipt(waiting)["units"] if entry["unit"] == "q1" for one in entry["decisions"]]
    assert (told["verdict"], told["by"], told["dismissals"][0]["rule"]) == ("dismiss", "Ada", BIAS)


def test_the_score_follows_and_the_finding_is_listed_as_dismissed(waiting: RunFolder) -> None:
    row = dismiss(waiting, "q1", claim(waiting, "q1"))
    with journal_of(waiting) as journal:
        before, after = journal.attempts("q1")
    assert (row.open_errors, row.attempts, row.best_attempt) == (0, 2, 2)
    assert before.scores["rules"] < 1
    assert after.scores["rules"] == 1
    assert after.findings == ()
    assert [one["rule"] for one in after.checked["ignored"]] == [BIAS]


def test_other_errors_keep_the_unit_waiting(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [negative(1)]), tmp_path / "runs")
    before = findings(folder, "q1")
    row = dismiss(folder, "q1", claim(folder, "q1"))
    assert (row.state, row.reason) == ("needs_manual_review", "no_model")
    assert [one.rule for one in findings(folder, "q1")] == [one.rule for one in before if one.rule != BIAS]


def test_all_claims_of_a_rule_are_dismissed_here_and_where_they_are_not_raised_yet(waiting: RunFolder) -> None:
    assert dismiss(waiting, "q1", rule=BIAS).state == "validated"
    with journal_of(waiting) as journal:
        settled = RunDismissals(journal, QUESTIONS).of("bank.json")
    assert settled.cover(Finding(BIAS, "error", "q9", "stem", "Later."))
    assert states(waiting)["q2"] == "needs_manual_review", "each unit is decided about by name"


def test_an_undo_restores_the_unit_and_the_rule(waiting: RunFolder) -> None:
    before = findings(waiting, "q1")
    dismiss(waiting, "q1", rule=BIAS)
    row = take_back(waiting, "q1")
    assert (row.state, row.reason, row.open_errors) == ("needs_manual_review", "no_model", 1)
    assert findings(waiting, "q1") == before
    with journal_of(waiting) as journal:
        settled = RunDismissals(journal, QUESTIONS).of("bank.json")
    assert not settled.cover(Finding(BIAS, "error", "q9", "stem", "Later."))
    assert settled.split(before) == (tuple(before), ())
    assert dismiss(waiting, "q1", rule=BIAS).state == "validated", "and it can be dismissed again"


def test_a_unit_that_readers_have_not_seen_goes_to_them_and_not_to_the_learners(tmp_path: Path) -> None:
    """A proven error kept the judges from reading it: without the claim they do, and what they find counts."""
    bank = write_bank(tmp_path, [unexplained(1)])
    asked: list[str] = []

    def judge(call: Call) -> object:
        asked.append(call.reply_name)
        if call.reply_name == "question_review_reply":
            return objection("Salt from the river", "options.A")
        return SOLVED if call.reply_name == "answer_reply" else edit(call.unit, "no such words", "x")

    folder, _ = run(bank, tmp_path / "runs", scripted(judge), judges=("scripted:a", "scripted:b"))
    assert "question_review_reply" not in asked
    row = dismiss(folder, "q1", claim(folder, "q1", RATIONALE))
    assert row.state == "correcting", "accepted would mean that readers approved it"
    resume(folder, scripted(judge))
    assert "question_review_reply" in asked
    assert states(folder) == {"q1": "needs_manual_review"}
    assert RATIONALE not in {one.rule for one in findings(folder, "q1")}


def test_readers_who_have_nothing_against_it_let_it_pass(tmp_path: Path) -> None:
    def judge(call: Call) -> object:
        replies = {"question_review_reply": CLEAN, "answer_reply": SOLVED}
        return replies.get(call.reply_name) or edit(call.unit, "no such words", "x")

    bank = write_bank(tmp_path, [unexplained(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(judge), judges=("scripted:a", "scripted:b"))
    dismiss(folder, "q1", claim(folder, "q1", RATIONALE))
    resume(folder, scripted(judge))
    assert states(folder) == {"q1": "validated"}


def test_a_dismissal_asks_no_model(tmp_path: Path) -> None:
    folder, _ = run(write_bank(tmp_path, [unexplained(1)]), tmp_path / "runs", scripted(in_vain))
    before = calls(folder)
    assert before > 0
    dismiss(folder, "q1", claim(folder, "q1", RATIONALE))
    assert calls(folder) == before
    resume(folder, scripted())
    assert calls(folder) == before + 2, "the one review and the one blind answer that it never had"
    assert states(folder) == {"q1": "validated"}


def test_a_judge_is_not_dismissed(tmp_path: Path) -> None:
    def judge(call: Call) -> object:
        if call.reply_name == "question_review_reply":
            return objection("Salt from the river", "options.A")
        return SOLVED if call.reply_name == "answer_reply" else edit(call.unit, "no such words", "x")

    bank = write_bank(tmp_path, [sound(1)])
    folder, _ = run(bank, tmp_path / "runs", scripted(judge), judges=("scripted:a", "scripted:b"))
    [objected] = {claim_id(one) for one in findings(folder, "q1") if one.source.startswith("model:")}
    with pytest.raises(UsageError, match="has no claim"):
        dismiss(folder, "q1", objected)


@pytest.mark.parametrize("wanted", [Wanted(("12345678",)), Wanted(rule="nbme_true_false")])
def test_what_nobody_claims_cannot_be_dismissed(waiting: RunFolder, wanted: Wanted) -> None:
    with pytest.raises(UsageError, match="has no claim") as refused:
        dismiss(waiting, "q1", *wanted.claims, rule=wanted.rule)
    assert claim(waiting, "q1") in (refused.value.hint or "")


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"claims": [], "rule": ""}', '{"claims": [1]}', "nonsense"])
def test_a_dismissal_that_names_nothing_is_refused(text: str | None) -> None:
    with pytest.raises(UsageError, match="names claims or a rule"):
        Wanted.parsed(text)


def test_a_person_overrules_what_code_shows(tmp_path: Path) -> None:
    """The key names no option: proven, and fatal for models. A person who knows why can still let it pass."""
    folder, _ = run(write_bank(tmp_path, [keyless(1)]), tmp_path / "runs")
    [proven] = [one for one in findings(folder, "q1") if one.blocks]
    assert proven.standing == "proven"
    assert dismiss(folder, "q1", claim_id(proven)).state == "validated"


def test_a_dismissed_claim_is_not_raised_by_a_later_review_of_the_unit(tmp_path: Path) -> None:
    """Another error is sent back to the model; the dismissed one is neither repaired nor told."""
    folder, _ = run(write_bank(tmp_path, [negative(1)]), tmp_path / "runs")
    dismiss(folder, "q1", claim(folder, "q1"))
    with deciding(folder) as (able, journal):
        row = journal.unit("q1")
        assert row is not None
        text = negative(1)["stem"].replace("is NOT the", "is still the")
        able.decide(row, "edit", by="Ada", note=None, text='{"stem": "' + text + '"}')
    assert states(folder) == {"q1": "validated"}
    assert findings(folder, "q1") == []


def answered(folder: RunFolder, unit: str, name: str, *claims: str) -> None:
    """What the engine writes with an attempt whose findings readers answered."""
    told = [{"rule": BIAS, "by": "a", "unit": unit, "claim": one, "note": None} for one in claims]
    with deciding(folder) as (_, journal):
        journal.write_now(event("claims_answered", unit, data={"denied": [], "upheld": [], name: told}))


def test_a_rule_whose_claims_readers_denied_three_times_only_informs(waiting: RunFolder) -> None:
    def severity() -> str:
        with journal_of(waiting) as journal:
            [finding], _ = RunDismissals(journal, QUESTIONS).of("bank.json").split(findings(waiting, "q2"))
            return finding.severity

    answered(waiting, "q0", "denied", "a", "b")
    assert severity() == "error"
    answered(waiting, "q0", "denied", "b")
    assert severity() == "error", "the same claim counts once"
    answered(waiting, "q1", "denied", "c")
    assert severity() == "info"
    answered(waiting, "q1", "upheld", "d")
    assert severity() == "error", "one that was upheld restores the trust"


def test_what_readers_answer_counts_for_and_against_a_rule(waiting: RunFolder) -> None:
    answered(waiting, "q1", "denied", "a", "b")
    answered(waiting, "q2", "upheld", "c")
    answered(waiting, "q1", "upheld", "a")
    with journal_of(waiting) as journal:
        sums = journal.ask(unit_queries.judgement_sums)
    assert sorted(sums) == [(BIAS, False, 1), (BIAS, True, 2)], "the last answer about a claim counts"


def test_answers_of_readers_in_a_kept_draft_are_told_once_and_stay_with_the_claim(tmp_path: Path) -> None:
    """A kind notes them in the data of its findings; the claim's id does not change by that."""
    folder, _ = run(write_bank(tmp_path, [negative(1)]), tmp_path / "runs")
    found = {one.rule: one for one in findings(folder, "q1")}
    upheld = replace(found[NEGATION], data={**found[NEGATION].data, "upheld_by": ["m"], "asked": 1})
    assert upheld.claim == found[NEGATION].claim
    denied = replace(found[BIAS], severity="info", data={**found[BIAS].data, "dismissed_by": ["m"]})
    told, held = answers_in([upheld, denied, replace(denied, source="model:m")])
    assert [(one.rule, one.claim, one.by) for one in told] == [(BIAS, found[BIAS].claim, "m")]
    assert [one.rule for one in held] == [NEGATION]
    with deciding(folder) as (able, journal):
        row, [first] = journal.unit("q1"), journal.attempts("q1")
        assert row is not None
        second = replace(first, number=2, findings=(upheld.as_record(), denied.as_record()), at="")
        journal.write_now(second, replace(row, attempts=2, best_attempt=2))
        row = journal.unit("q1")
        assert row is not None
        able.decide(row, "dismiss", by="Ada", note=None, text=Wanted((BIAS,)).text)
    assert findings(folder, "q1") == [upheld]


def test_people_who_dismiss_say_how_often_a_rule_is_right(waiting: RunFolder) -> None:
    dismiss(waiting, "q1", claim(waiting, "q1"))
    with journal_of(waiting) as journal:
        plan = recorded_plan(journal)
        assert plan is not None
        story = View(waiting, journal, plan, QUESTIONS).story("q1")
    from burnish.core.attempts import judgements

    texts = lambda content: QUESTIONS.from_record(content).texts()  # noqa: E731
    assert [(one.who, one.is_right) for one in judgements(texts, story.attempts, story.decisions)] == [(BIAS, False)]
