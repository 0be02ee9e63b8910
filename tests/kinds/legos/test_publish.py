"""What a run comes to in the records of its course, whatever happened to a SEED."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.json_bytes import loads
from burnish.kinds.legos.policy import (
    ACCEPTED,
    ALIGNED,
    EXTRACTED,
    PENDING,
    RETRY,
    SETTLED,
    UNUSUAL,
    WAITING,
    WRITTEN,
)
from burnish.kinds.legos.publish import CourseFile, lego_records, row_of
from burnish.kinds.legos.records import instant
from burnish.kinds.legos.text_format import seed_of_records
from burnish.kinds.legos.validation import validate
from tests.kinds.legos import course_samples
from tests.kinds.legos.seed_stories import (
    GOOD,
    NOTHING,
    ONE,
    TERMS,
    TORN,
    Decided,
    cut,
    draft_attempt,
    fresh,
    review_attempt,
    story,
)
from tests.legos_model import Cut

ATTEMPTS = "lego_extraction_attempts"


def reviewed(*cuts: tuple[Cut, float, bool], cause: str = "review") -> list[Any]:
    """A draft and its review for each cut: numbers 2 and 3, 4 and 5, ..."""
    found = []
    for place, (legos, score, passed) in enumerate(cuts):
        seed = cut(fresh(), legos)
        found += [draft_attempt(2 * place + 2, seed), review_attempt(2 * place + 3, seed, score, passed=passed)]
    return found


def errors(record: Any) -> list[str]:
    return [f"{slip.field} {slip.message}" for slip in validate(record) if slip.level == "error"]


AGAIN: list[Decided] = [("reject", 7)]
BAD, FAIR, FINE = (TORN, 4.0, False), (TORN, 6.0, False), (GOOD, 9.2, True)


@pytest.mark.parametrize(
    ("state", "reason", "cuts", "decided", "wanted"),
    [
        # state, why, attempts, decisions -> status, statuses of attempts, flagged, a person asked for, best
        (ACCEPTED, "accepted", [FINE], [], ("accepted", ["accepted"], False, False, 1)),
        (WRITTEN, "accepted", [FAIR, FINE], [], ("accepted", ["flagged", "accepted"], False, False, 2)),
        (WRITTEN, "accepted", [BAD, FAIR, FINE], [], ("accepted", ["failed", "flagged", "accepted"], True, False, 3)),
        (RETRY, "score_too_low", [FAIR], [], ("flagged", ["retry_scheduled"], True, False, 1)),
        (RETRY, "score_too_low", [BAD], [], ("failed", ["retry_scheduled"], True, False, 1)),
        (RETRY, "score_too_low", [FAIR, BAD], [], ("failed", ["flagged", "retry_scheduled"], True, False, 1)),
        (EXTRACTED, "model", [FAIR], [], ("flagged", ["retry_scheduled"], True, False, 1)),
        (WAITING, "attempts_exhausted", [FAIR] * 3, [], ("pending_review", ["flagged"] * 3, True, True, 3)),
        (WAITING, "no_better_cut", [BAD], [], ("pending_review", ["failed"], True, True, 1)),
        (WAITING, "reviewer_unreadable", [(GOOD, 9.2, False)], [], ("pending_review", ["flagged"], True, True, 1)),
        (WAITING, UNUSUAL, [FINE], [], ("accepted", ["accepted"], True, True, 1)),
        (WAITING, "edit_has_errors", [FAIR], [("edit", 3)], ("pending_review", ["flagged"], True, True, 1)),
        (ACCEPTED, "accepted by Ada", [FAIR], [("accept", 3)], ("accepted", ["flagged"], False, False, 1)),
        (WRITTEN, "accepted by Ada", [BAD], [("accept", 3)], ("flagged", ["failed"], False, False, 1)),
        (RETRY, "sent back by Ada", [FINE], [("reject", 3)], ("flagged", ["retry_scheduled"], True, False, 1)),
        (ACCEPTED, "accepted", [FINE, FINE], [("reject", 3)], ("accepted", ["flagged", "accepted"], False, False, 2)),
        (
            WAITING,
            "attempts_exhausted",
            [FAIR] * 4,
            [("reject", 7)],
            ("pending_review", ["flagged"] * 4, True, True, 4),
        ),
    ],
)
def test_states_and_decisions(
    state: str, reason: str, cuts: list[Any], decided: list[Decided], wanted: tuple[Any, ...]
) -> None:
    row = row_of(story(state, reviewed(*cuts), decided=decided, reason=reason), TERMS)
    record = row.translation
    statuses = [one["status"] for one in record[ATTEMPTS]]
    flags = (record["flagged_for_review"], record["human_review_requested"])
    assert (record["quality_status"], statuses, *flags, record["best_attempt_number"]) == wanted
    assert record["total_attempts"] == len(cuts)
    assert record["current_quality_score"] == cuts[-1][1], "the last attempt's, whichever is best"
    assert [one["attempt_number"] for one in record[ATTEMPTS]] == list(range(1, len(cuts) + 1))
    assert ["compared_to_previous" in one for one in record[ATTEMPTS]] == [False] + [True] * (len(cuts) - 1)
    assert row.legos is not None
    assert len(row.legos) == len(cuts[wanted[4] - 1][0])
    assert ("human_review" in record) is bool(decided)
    assert errors(record) == []


@pytest.mark.parametrize("state", [PENDING, ALIGNED, EXTRACTED, SETTLED])
def test_what_was_not_reviewed_is_not_written(state: str) -> None:
    seed = fresh()
    attempts = [draft_attempt(2, cut(seed, GOOD))] if state == EXTRACTED else []
    row = row_of(story(state, attempts, seed=seed), TERMS)
    assert (row.is_reviewed, row.legos, row.translation) == (False, None, seed.record)


def test_a_decision_about_what_nobody_ever_tried_is_kept_in_the_run_alone() -> None:
    """The run's own copy was changed, so that a SEED waits that was not cut yet."""
    assert not row_of(story(RETRY, decided=[("reject", 1)]), TERMS).is_reviewed


def test_a_broken_guarantee_waits_with_its_high_score() -> None:
    row = row_of(story(WAITING, reviewed((TORN, 9.0, False)), reason="attempts_exhausted"), TERMS)
    assert row.translation["quality_status"] == "pending_review"
    assert [slip.rule for slip in validate(row.translation)] == ["rule_5"], "a warning: the score alone would do"
    assert errors(row.translation) == []


class TestPeople:
    def test_their_cut_stands_before_a_better_one(self) -> None:
        own = review_attempt(4, cut(fresh(), ONE), 8.2, passed=True, cause="person")
        row = row_of(story(ACCEPTED, [*reviewed(FINE), own], decided=[("edit", 4)]), TERMS)
        assert (row.translation["best_attempt_number"], len(row.legos or ())) == (2, 1)
        last = row.translation[ATTEMPTS][-1]
        assert (last["agent_version"].rpartition("_")[2], last["prompt_version"]) == ("person", "0.0.0")

    def test_until_it_is_sent_back_too(self) -> None:
        own = review_attempt(4, cut(fresh(), ONE), 8.9, passed=True, cause="person")
        later = review_attempt(6, cut(fresh(), GOOD), 8.1, passed=True)
        told = story(ACCEPTED, [*reviewed(FAIR), own, draft_attempt(5, cut(fresh(), GOOD)), later])
        told = replace(told, decisions=story(ACCEPTED, decided=[("edit", 4), ("reject", 4)]).decisions)
        row = row_of(told, TERMS)
        assert (row.translation["best_attempt_number"], len(row.legos or ())) == (3, 2)
        assert [one["status"] for one in row.translation[ATTEMPTS]] == ["flagged", "flagged", "accepted"]

    def test_every_decision_is_known(self) -> None:
        before = {"decision": "reject", "by": "Bob", "at": "2026-01-01T00:00:00Z"}
        seed = fresh(human_review=before)
        told = story(WAITING, reviewed(FAIR), seed=seed, decided=[("reject", 3), ("edit", 3)], reason="edit_has_errors")
        row = row_of(told, TERMS)
        assert [one["decision"] for one in row.decided] == ["reject", "reject", "edit"]
        assert row.decided[0] == before
        assert row.translation["human_review"] == row.decided[-1]
        assert row.decided[1]["note"] == "Mind the verb."
        assert "note" not in row.decided[2]


class TestEarlierRuns:
    def past(self, *scores: float, **more: Any) -> Any:
        """A SEED with attempts and LEGOs of earlier runs."""
        attempts = [course_samples.attempt(number, score) for number, score in enumerate(scores, start=1)]
        fields = {ATTEMPTS: attempts, "quality_status": "pending_review", "total_attempts": len(scores)}
        seed = cut(fresh(**{**fields, **more}), ONE)
        records = lego_records(seed, TERMS, "2026-01-02T09:00:00Z")
        return seed_of_records(seed.record, records)

    @pytest.mark.parametrize(
        ("scores", "more", "ours", "best", "kept"),
        [
            ((6.0, 7.0), {}, FAIR, 2, True),
            ((6.0, 7.0), {"best_attempt_number": 1}, (TORN, 6.5, False), 3, False),
            ((6.0, 7.0), {"best_attempt_number": 99}, FAIR, 2, True),
            ((6.0, 7.0), {"best_attempt_number": "1"}, FAIR, 2, True),
            ((5.0,), {}, FAIR, 2, False),
            ((5.0,), {"quality_status": "accepted"}, FAIR, 1, True),
            ((9.5,), {"quality_status": "accepted"}, FINE, 2, False),
        ],
    )
    def test_the_better_cut_is_kept(
        self, scores: tuple[float, ...], more: dict[str, Any], ours: Any, best: int, kept: bool
    ) -> None:
        seed = self.past(*scores, **more)
        state = ACCEPTED if ours[2] else WAITING
        row = row_of(story(state, reviewed(ours), seed=seed), TERMS)
        assert (row.translation["best_attempt_number"], row.legos is None) == (best, kept)
        assert row.translation[ATTEMPTS][: len(scores)] == seed.record[ATTEMPTS]
        assert "compared_to_previous" in row.translation[ATTEMPTS][-1]

    def test_who_accepts_takes_what_stands(self) -> None:
        """Nothing that passed was found: what the course holds is shown, and is accepted if it is the better one."""
        better, worse = (
            row_of(story(ACCEPTED, reviewed(FAIR), seed=self.past(score), decided=[("accept", 3)]), TERMS)
            for score in (7.5, 5.5)
        )
        assert (better.translation["best_attempt_number"], better.legos) == (1, None)
        assert (worse.translation["best_attempt_number"], len(worse.legos or ())) == (2, 2)

    def test_a_retry_that_was_scheduled_there_is_recorded_here(self) -> None:
        seed = self.past(6.0)
        seed.record[ATTEMPTS][0]["status"] = "retry_scheduled"
        row = row_of(story(ACCEPTED, reviewed(FINE), seed=seed), TERMS)
        assert [one["status"] for one in row.translation[ATTEMPTS]] == ["flagged", "accepted"]
        assert seed.record[ATTEMPTS][0]["status"] == "retry_scheduled", "what was taken in stays as it is"

    def test_a_decision_without_another_attempt(self) -> None:
        seed = self.past(6.0, 7.0, 6.5, best_attempt_number=2)
        row = row_of(story(ACCEPTED, seed=seed, decided=[("accept", 1)]), TERMS)
        record = row.translation
        assert (row.is_reviewed, row.legos, record["quality_status"]) == (True, None, "accepted")
        assert (record["best_attempt_number"], record["current_quality_score"], record["total_attempts"]) == (2, 6.5, 3)
        assert (record["flagged_for_review"], record["human_review"]["by"]) == (False, "Ada")
        sent_back = row_of(story(RETRY, seed=seed, decided=[("reject", 1)]), TERMS).translation
        assert sent_back[ATTEMPTS][-1]["status"] == "retry_scheduled"
        assert sent_back["quality_status"] == "flagged"

    @pytest.mark.parametrize(
        "then",
        [
            "2099-01-01T00:00:00Z",
            "2099-01-01T00:00:00.999999Z",
            "2099-01-01t00:00:00.5z",
            "2099-01-01T00:00:00.123456789+02:00",
            "2098-12-31T23:59:60Z",
            "9599-12-31T23:59:59.999Z",
            "2026-11-15T12:00:03.000000Z",
        ],
    )
    def test_a_clock_that_goes_wrong(self, then: str) -> None:
        """Attempts stay in order, however far in the future the last one was made."""
        seed = self.past(6.0)
        seed.record[ATTEMPTS][0]["timestamp"] = then
        row = row_of(story(ACCEPTED, reviewed(FAIR, FINE), seed=seed), TERMS)
        moments = [moment for one in row.translation[ATTEMPTS] if (moment := instant(one["timestamp"]))]
        assert len(moments) == 3
        assert moments == sorted(set(moments))
        assert row.translation["last_reviewed_at"] == row.translation[ATTEMPTS][-1]["quality_score"]["calculated_at"]


def test_the_file_of_a_run_has_a_line_for_every_seed() -> None:
    file = CourseFile(TERMS)
    lines = [*file.take(story(ACCEPTED, reviewed(FINE))), *file.take(story(PENDING)), *file.end()]
    first, second = map(loads, lines)
    assert [lego["provenance"] for lego in first["legos"]] == ["S6L1", "S6L2"]
    assert (second["legos"], second["translation"]["total_attempts"]) == (None, 0)


def test_legos_say_what_breaks_the_iron_rule() -> None:
    records = lego_records(cut(fresh(), TORN), TERMS, "2026-01-02T09:00:00Z")
    assert [one["metadata"]["iron_rule_compliant"] for one in records] == [True, False]
    assert len({one["uuid"] for one in records}) == 2
    assert records == lego_records(cut(fresh(), TORN), TERMS, "2026-01-02T09:00:00Z")
    assert all(errors(one) == [] for one in records)


CUTS = st.sampled_from([GOOD, TORN, ONE, NOTHING])
SCORES = st.integers(0, 100).map(lambda tenths: tenths / 10)
STATES = st.sampled_from([EXTRACTED, RETRY, ACCEPTED, WAITING, WRITTEN])
REASONS = st.sampled_from([UNUSUAL, "attempts_exhausted", "edit_has_errors", None])


@given(st.data())
def test_every_record_is_valid(data: st.DataObject) -> None:
    """Whatever happened to a SEED, in this run and in earlier ones, its record keeps the schema and the rules."""
    attempts, number = [], 2
    for _ in range(data.draw(st.integers(1, 5))):
        seed = cut(fresh(), data.draw(CUTS))
        cause = data.draw(st.sampled_from(["review", "person"]))
        attempts.append(review_attempt(number, seed, data.draw(SCORES), passed=data.draw(st.booleans()), cause=cause))
        number += data.draw(st.integers(1, 3))
    attempts = [replace(one, number=place) for place, one in enumerate(attempts, start=2)]
    afters = sorted(data.draw(st.lists(st.integers(2, len(attempts) + 1), max_size=3)))
    decided = [(data.draw(st.sampled_from(["accept", "edit", "reject"])), after) for after in afters]
    past = [
        course_samples.attempt(place, score, timestamp=f"2026-01-0{place}T09:00:00Z")
        for place, score in enumerate(data.draw(st.lists(SCORES, max_size=3)), start=1)
    ]
    seed = fresh(**{ATTEMPTS: past, "total_attempts": len(past)})
    told = story(data.draw(STATES), attempts, seed=seed, decided=decided, reason=data.draw(REASONS))  # type: ignore[arg-type]
    row = row_of(told, TERMS)
    record = row.translation
    assert errors(record) == []
    assert 1 <= record["best_attempt_number"] <= record["total_attempts"] == len(past) + len(attempts)
    assert all(errors(lego) == [] for lego in row.legos or ())
    scheduled = [place for place, one in enumerate(record[ATTEMPTS], start=1) if one["status"] == "retry_scheduled"]
    assert scheduled in ([], [record["total_attempts"]])
    assert row_of(told, TERMS) == row, "the same however often it is asked"
