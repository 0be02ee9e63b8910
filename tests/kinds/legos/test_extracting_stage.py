"""The cutter, batch by batch: what it asks, and what it makes of answers that no honest model gives."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import Answer, Ask, ModelRoles, Outcome
from burnish.core.replies import EditPart, EditReply, LegoPart, LegoReply
from burnish.core.tasks import Environment, Item
from burnish.kinds.legos.extraction import Aligning, Extracting, pretended, pretended_failure, seed_of
from burnish.kinds.legos.policy import ACCEPTED, ALIGNED, EXTRACTED, RETRY, WAITING
from burnish.kinds.legos.resources import Terms
from tests.kinds.legos import course_samples
from tests.kinds.legos.seed_stories import (
    GOOD,
    NOTHING,
    TERMS,
    TORN,
    cut,
    draft_attempt,
    fresh,
    item,
    review_attempt,
    story,
)
from tests.legos_model import COURSE, Cut

BUILT_IN = replace(TERMS, extractor="built-in")
ROLES = {"extractor": "scripted:m", "mender": "scripted:mender"}


def order(terms: Terms = TERMS, **roles: str) -> Environment:
    return Environment(Selection(()), ModelRoles((), {**ROLES, **roles} if terms.extractor == "model" else roles))


def lego_reply(legos: Cut) -> LegoReply:
    return LegoReply(reasoning="", legos=tuple(LegoPart(source=source, target=target) for source, target in legos))


def edit_reply(*edits: tuple[str, str, str], unit: str = "C0006") -> EditReply:
    parts = (EditPart(unit=unit, field=field, find=find, replace=new) for field, find, new in edits)
    return EditReply(reasoning="", edits=tuple(parts))


def worked(
    items: Sequence[Item], answers: Sequence[Sequence[Any]], terms: Terms = TERMS
) -> tuple[Outcome, list[list[tuple[str, str]]]]:
    """What became of a batch that heard these answers, and what it asked, step by step: the reply and the model."""
    working = Extracting(terms, order(terms)).work(items, None)  # type: ignore[arg-type]
    asked: list[list[tuple[str, str]]] = []
    sent: Any = None
    rest = iter(answers)
    while True:
        try:
            errand = working.send(sent)
        except StopIteration as end:
            return end.value, asked
        assert isinstance(errand, Ask)
        asked.append([(request.ask.reply, request.model) for request in errand.requests])
        sent = tuple(
            one if isinstance(one, Answer) else Answer("m", one, None, calls=(f"call{len(asked)}",))
            for one in next(rest)
        )


def failed_once(legos: Cut = TORN, **draft: Any) -> Item:
    """A SEED whose first cut was reviewed and did not pass."""
    seed = cut(fresh(), legos)
    return item(story(RETRY, [draft_attempt(2, seed, **draft), review_attempt(3, seed, passed=False)]))


def tried_before() -> dict[str, Any]:
    """What a record says of an attempt in an earlier run."""
    return {"lego_extraction_attempts": [course_samples.attempt(1, 6.0)], "best_attempt_number": 1}


def test_a_first_cut_is_one_question() -> None:
    settlement, asked = worked([item(story(ALIGNED))], [[lego_reply(GOOD)]])
    assert asked == [[("lego_reply", "scripted:m")]]
    [settled] = settlement.units
    assert [stop.state for stop in settled.states] == [EXTRACTED]
    [draft] = settled.drafts
    assert (draft.cause, draft.calls, len(seed_of(draft.unit).legos)) == ("model", ("call1",), 2)
    assert draft.checked == {}


@pytest.mark.parametrize("unit", ["C0006", ""])
def test_edits_come_first_and_have_their_receipt(unit: str) -> None:
    """Also those that do not name the only SEED that was shown."""
    edits = edit_reply(
        ("L2.source", "to the market", "going to the market"), ("L2.target", "на пазар", "одиме на пазар"), unit=unit
    )
    settlement, asked = worked([failed_once()], [[edits]])
    assert asked == [[("edit_reply", "scripted:mender")]]
    [draft] = settlement.units[0].drafts
    assert draft.receipt is not None
    assert len(draft.edits) == 2
    assert [(one.source, one.target) for one in seed_of(draft.unit).legos] == list(GOOD)


def test_a_lego_more_or_less_has_no_receipt() -> None:
    edits = edit_reply(("L2.source", "to the market", ""), ("L2.target", "на пазар", ""))
    settlement, _ = worked([failed_once()], [[edits]])
    [draft] = settlement.units[0].drafts
    assert (draft.receipt, len(seed_of(draft.unit).legos)) == (None, 1)


@pytest.mark.parametrize(
    "useless",
    [
        edit_reply(),
        edit_reply(("L1.source", "no such words", "x")),
        edit_reply(("L1.target", "Ние одиме", "нешто друго")),
        edit_reply(("L9.source", "", "x")),
        edit_reply(("L1.source", "We are", "We  are"), ("L1.source", "We  are", "We are")),
        edit_reply(("L1.source", "We are going", "We are going.")),
        Answer("m", None, "reply_unreadable: no JSON"),
    ],
    ids=["none", "not there", "not verbatim", "no such field", "there and back", "a mark", "unreadable"],
)
def test_edits_of_no_use_are_followed_by_a_whole_cut(useless: Any) -> None:
    settlement, asked = worked([failed_once()], [[useless], [lego_reply(GOOD)]])
    assert [step[0][0] for step in asked] == ["edit_reply", "lego_reply"]
    [settled] = settlement.units
    assert [told.type for told in settled.notes] == ["lego_refused"], "kept, with the reason"
    assert settled.drafts[0].edits == ()
    assert len(seed_of(settled.drafts[0].unit).legos) == 2


def test_after_edits_the_next_attempt_is_a_whole_cut() -> None:
    edited = failed_once(edits=({"unit": "C0006", "field": "L1.source", "find": "a", "replace": "b"},))
    _, asked = worked([edited], [[lego_reply(GOOD)]])
    assert asked == [[("lego_reply", "scripted:m")]]


def test_there_is_nothing_to_edit_without_legos() -> None:
    _, asked = worked([failed_once(NOTHING)], [[lego_reply(GOOD)]])
    assert asked == [[("lego_reply", "scripted:m")]]


def test_a_refused_request_is_an_attempt_that_came_to_nothing() -> None:
    refused = Answer("m", None, "model_failed: 400", refused=True)
    settlement, _ = worked([item(story(ALIGNED))], [[refused]])
    [settled] = settlement.units
    assert seed_of(settled.drafts[0].unit).legos == ()
    assert [stop.state for stop in settled.states] == [EXTRACTED]


def test_refused_legos_are_told_to_whoever_tries_again() -> None:
    foreign = (("We are going", "Ние одиме"), ("to the moon", "на пазар"))
    settlement, _ = worked([item(story(ALIGNED))], [[lego_reply(foreign)]])
    [draft] = settlement.units[0].drafts
    [reason] = draft.checked["refused"]
    assert "to the moon" in reason
    retried = failed_once(foreign[:1], checked=draft.checked)
    retry = Extracting(TERMS, order())._retry(retried)
    assert reason in retry.broken
    assert any("to the moon" in issue for issue in retry.issues())


def test_attempts_run_out_and_a_rejection_grants_one_more() -> None:
    seed = cut(fresh(), TORN)
    tried = [review_attempt(number, seed, passed=False) for number in (2, 3, 4)]
    settlement, asked = worked([item(story(RETRY, tried))], [])
    [settled] = settlement.units
    assert ([stop.state for stop in settled.states], settled.states[0].reason) == ([WAITING], "attempts_exhausted")
    assert asked == []
    _, asked = worked([item(story(RETRY, tried, decided=[("reject", 4)]))], [[edit_reply()], [lego_reply(GOOD)]])
    assert len(asked) == 2


def test_attempts_of_earlier_runs_count_unless_it_is_cut_anew() -> None:
    past = [course_samples.attempt(number, 6.0) for number in (1, 2, 3)]
    known = item(story(ALIGNED, seed=fresh(lego_extraction_attempts=past)))
    settlement, _ = worked([known], [])
    assert settlement.units[0].states[0].reason == "attempts_exhausted"
    anew = replace(TERMS, again=frozenset({"C0006"}))
    _, asked = worked([known], [[lego_reply(GOOD)]], anew)
    assert asked == [[("lego_reply", "scripted:m")]]
    legacy = [course_samples.attempt(1, 7.5)]
    legacy[0]["quality_score"]["scoring_version"] = "0.0_retroactive"
    once = item(story(ALIGNED, seed=fresh(lego_extraction_attempts=legacy * 3)))
    assert worked([once], [[lego_reply(GOOD)]])[1], "what was assumed is no try"


def test_a_retry_knows_what_was_wrong_in_an_earlier_run() -> None:
    past = [course_samples.attempt(1, 6.0)]
    retry = Extracting(TERMS, order())._retry(item(story(ALIGNED, seed=fresh(lego_extraction_attempts=past))))
    assert retry.issues() == ["The phrases are short. Cut longer ones.", "Cut phrases of three to five words."]
    assert retry.tries == 1


def test_the_most_frequent_concern_is_told() -> None:
    told_of = {"affected_legos": ["S6L1"], "severity": "medium", "suggested_fix": "Mend."}
    few = {"concern_id": "c_a", "description": "Few.", **told_of}
    many = {"concern_id": "c_b", "description": "Many.", **told_of}
    seed = cut(fresh(), TORN)
    attempt = review_attempt(3, seed, passed=False)
    measured = {"concerns": [few, many, many], "suggestions": [], "broken": []}
    told = replace(attempt, checked={"measured": measured})
    retry = Extracting(TERMS, order())._retry(item(story(RETRY, [draft_attempt(2, seed), told])))
    assert retry.concern == "Many. Mend."
    assert retry.suggestion == ""


class TestBuiltIn:
    def test_it_asks_nobody_and_offers_another_cut_or_says_that_there_is_none(self) -> None:
        stage = Extracting(BUILT_IN, order(BUILT_IN))
        assert (stage.pays, stage.size) == (False, 100)
        first, _ = worked([item(story(ALIGNED))], [], BUILT_IN)
        [draft] = first.units[0].drafts
        assert draft.cause == "machine"
        seen = [draft_attempt(2, seed_of(draft.unit)), review_attempt(3, seed_of(draft.unit), 6.0, passed=False)]
        again, _ = worked([item(story(RETRY, seen))], [], BUILT_IN)
        [settled] = again.units
        assert ([stop.reason for stop in settled.states], settled.best) == (["no_better_cut"], 3)
        assert settled.drafts == ()

    def test_a_cut_of_an_earlier_run_is_not_offered_again(self) -> None:
        first, _ = worked([item(story(ALIGNED))], [], BUILT_IN)
        [draft] = first.units[0].drafts
        held = replace(seed_of(draft.unit), record={**fresh().record, **tried_before()})
        settlement, _ = worked([item(story(ALIGNED, seed=held))], [], BUILT_IN)
        [settled] = settlement.units
        assert ([stop.reason for stop in settled.states], settled.drafts, settled.best) == (
            ["no_better_cut"],
            (),
            None,
        )

    @pytest.mark.parametrize(
        ("passed", "person", "decided", "wanted"),
        [
            (True, "", [], (ACCEPTED, "accepted")),
            (True, "unusual_seed", [], (WAITING, "unusual_seed")),
            (True, "", [("reject", 3)], (WAITING, "no_better_cut")),
            (False, "", [], (WAITING, "no_better_cut")),
        ],
    )
    def test_the_best_there_was_is_taken_if_it_passed(
        self, passed: bool, person: str, decided: Any, wanted: tuple[str, str]
    ) -> None:
        first, _ = worked([item(story(ALIGNED))], [], BUILT_IN)
        seed = seed_of(first.units[0].drafts[0].unit)
        seen = review_attempt(3, seed, 8.5, passed=passed)
        seen = replace(seen, checked={"measured": {**seen.checked["measured"], "person": person}})
        settlement, _ = worked([item(story(RETRY, [draft_attempt(2, seed), seen], decided=decided))], [], BUILT_IN)
        [stop] = settlement.units[0].states
        assert (stop.state, stop.reason) == wanted

    def test_an_estimate_pretends_a_cut_and_a_review_that_failed(self) -> None:
        made = pretended(fresh(), TERMS)
        assert made.legos
        failure = pretended_failure(made)
        assert (failure.passed, failure.number) == (False, 2)
        _, asked = worked([item(story(RETRY, [failure]))], [[Answer("m", None, "x")], [Answer("m", None, "x")]])
        assert [step[0][0] for step in asked] == ["edit_reply", "lego_reply"]
        empty = replace(fresh(), source="?!", target="")
        assert pretended(empty, TERMS).legos == ()


def test_stages_that_move_do_no_work() -> None:
    stage = Aligning()
    assert stage.weight(item(story(ALIGNED))) == 0
    with pytest.raises(AssertionError):
        stage.work([], None)  # type: ignore[arg-type]
    with pytest.raises(AssertionError, match="not a SEED"):
        seed_of(COURSE)
