"""The gate: what becomes of a cut after its review."""

from dataclasses import replace
from typing import Any

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import Answer, ModelRoles, Outcome, Settled
from burnish.core.replies import ConcernPart, LegoDimensionsPart, LegoReviewReply
from burnish.core.tasks import Environment, Item
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.model import DIMENSIONS
from burnish.kinds.legos.policy import ACCEPTED, EXTRACTED, RETRY, WAITING
from burnish.kinds.legos.resources import LINKS, Terms
from burnish.kinds.legos.review import Reviewing
from tests.kinds.legos.seed_stories import GOOD, NOTHING, ONE, TERMS, TORN, cut, draft_attempt, fresh, item, story
from tests.kinds.legos.seed_stories import review_attempt as reviewed
from tests.legos_model import LOOSE, Cut

LINKED = {LINKS: {"C0006": "0-0 1-1 2-1 3-2 5-3"}}


def stage(terms: Terms = TERMS, *, reviewer: str | None = None, facts: Any = LINKED) -> Reviewing:
    roles = {"extractor": "scripted:m", **({"reviewer": reviewer} if reviewer else {})}
    return Reviewing(terms, Environment(Selection(()), ModelRoles((), roles), facts=facts))


def cut_once(legos: Cut, before: int = 0) -> Item:
    """A SEED that waits for its review, behind so many that it did not pass."""
    seed = cut(fresh(), legos)
    past = [reviewed(place, cut(fresh(), TORN), passed=False) for place in range(2, before + 2)]
    return item(story(EXTRACTED, [*past, draft_attempt(before + 2, seed)]))


def settled(of: Item, reviewing: Reviewing, *answers: Answer) -> Settled:
    [one] = settlement(of, reviewing, *answers).units
    return one


def settlement(of: Item, reviewing: Reviewing, *answers: Answer) -> Outcome:
    working = reviewing.work([of], None)  # type: ignore[arg-type]
    try:
        working.send(None)
        working.send(answers)
    except StopIteration as end:
        found: Outcome = end.value
        return found
    raise AssertionError("it asked twice")


@pytest.mark.parametrize(
    ("legos", "before", "line", "state", "reason"),
    [
        (GOOD, 0, 8.0, ACCEPTED, "accepted"),
        (GOOD, 0, 9.9, RETRY, "score_too_low"),
        (GOOD, 2, 9.9, ACCEPTED, "accepted"),
        (TORN, 0, 8.0, RETRY, "guarantee_broken"),
        (TORN, 0, 5.0, RETRY, "guarantee_broken"),
        (LOOSE, 0, 8.0, RETRY, "guarantee_broken"),
        (LOOSE, 2, 8.0, WAITING, "attempts_exhausted"),
        (NOTHING, 0, 8.0, RETRY, "guarantee_broken"),
        (NOTHING, 0, 0.0, RETRY, "guarantee_broken"),
    ],
)
def test_where_it_goes(legos: Cut, before: int, line: float, state: str, reason: str) -> None:
    one = settled(cut_once(legos, before), stage(replace(TERMS, retry_below=line)))
    [stop] = one.states
    assert (stop.state, stop.reason) == (state, reason)
    assert one.drafts[-1].passed is (legos == GOOD)


def test_a_seed_without_an_alignment_waits_for_a_person() -> None:
    one = settled(cut_once(GOOD), stage(facts={}))
    assert (one.states[0].state, one.states[0].reason) == (WAITING, "unusual_seed")
    assert one.drafts[0].checked["measured"]["unusual"] == "no alignment"
    assert one.drafts[0].passed


def test_the_best_of_its_attempts_stands() -> None:
    seed = cut(fresh(), ONE)
    better = reviewed(3, seed, 7.9, passed=False)
    tried = item(story(EXTRACTED, [draft_attempt(2, seed), better, draft_attempt(4, cut(fresh(), TORN))]))
    assert settled(tried, stage()).best == 3
    sent_back = replace(tried, decisions=story(EXTRACTED, decided=[("reject", 3)]).decisions)
    assert settled(sent_back, stage()).best == 3, "until something passes"
    passing = item(story(EXTRACTED, [reviewed(2, seed, 9.9, passed=True), draft_attempt(3, cut(fresh(), GOOD))]))
    passing = replace(passing, decisions=story(EXTRACTED, decided=[("reject", 2)]).decisions)
    assert settled(passing, stage()).best == 4


def test_blanks_are_taken_off_for_nothing() -> None:
    """The one fault that code settles: a draft of its own, before the review."""
    seed = cut(fresh(), GOOD)
    first = seed.legos[0]
    blank = replace(first, source=f"{first.source} ", end=first.end + 1)
    padded = replace(seed, legos=(blank, *seed.legos[1:]))
    one = settled(item(story(EXTRACTED, [draft_attempt(2, padded)])), stage())
    assert [draft.cause for draft in one.drafts] == ["safe_fix", "review"]
    assert seed_of(one.drafts[1].unit).legos == seed.legos
    assert (one.best, one.states[0].state) == (4, ACCEPTED)


class TestModel:
    def reply(self, score: float = 9.0, *concerns: ConcernPart) -> Answer:
        scores = LegoDimensionsPart(**dict.fromkeys(DIMENSIONS, score))
        said = LegoReviewReply(reasoning="", dimension_scores=scores, concerns=concerns, suggestions=())
        return Answer("r", said, None, calls=("c1",))

    def concern(self, *legos: str) -> ConcernPart:
        return ConcernPart(
            concern_id="c_meaning_mismatch",
            severity="high",
            category="naturalness",
            description="They differ.",
            affected_legos=legos,
            suggested_fix="Mend it.",
            auto_fixable=False,
        )

    def test_it_is_asked_where_there_is_something_to_review(self) -> None:
        reviewing = stage(reviewer="scripted:r")
        assert (reviewing.pays, reviewing.size) == (True, 4)
        assert reviewing.weight(cut_once(GOOD)) == len(fresh().source)
        assert settled(cut_once(NOTHING), reviewing).states[0].state == RETRY
        one = settled(cut_once(GOOD), reviewing, self.reply())
        assert (one.states[0].state, one.drafts[0].calls) == (ACCEPTED, ("c1",))

    def test_what_nobody_acts_on_is_told(self) -> None:
        one = settled(cut_once(GOOD), stage(reviewer="scripted:r"), self.reply(9.0, self.concern("S99L1")))
        [told] = one.notes
        assert (told.type, told.data["reason"], told.data["source"]) == (
            "finding_dropped",
            "unknown_lego",
            "model:scripted:r",
        )
        assert told.data["attempt"] == 3

    def test_its_concerns_are_findings(self) -> None:
        one = settled(cut_once(GOOD), stage(reviewer="scripted:r"), self.reply(4.0, self.concern("S6L1")))
        assert one.states[0].state == RETRY
        [finding] = [one for one in one.drafts[0].findings if one.rule == "c_meaning_mismatch"]
        assert (finding.field, finding.severity, finding.source) == ("L1.source", "error", "model:scripted:r")

    @pytest.mark.parametrize(
        "answer", [Answer("r", None, "reply_unreadable: x"), Answer("r", None, "model_failed: 400", refused=True)]
    )
    def test_what_cannot_be_read_keeps_the_gate_shut(self, answer: Answer) -> None:
        one = settled(cut_once(GOOD), stage(reviewer="scripted:r"), answer)
        assert (one.states[0].state, one.states[0].reason) == (WAITING, "reviewer_unreadable")
        assert one.drafts[0].passed is False
        last = settled(cut_once(GOOD, 2), stage(reviewer="scripted:r"), answer)
        assert last.states[0].reason == "reviewer_unreadable"
