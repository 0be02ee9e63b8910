"""What exports say of a unit: its entry in the receipt, its differences, what was not judged, sums in plain names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from burnish.app.kinds import kind_named
from burnish.core.kinds import Kind
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, RoleTotals, Totals, Usage
from burnish.engine.exports import (
    Unheard,
    Unseen,
    _entry,
    _wholes,
    edit_diff,
    judged_by_people,
    recorded_unheard,
    role_record,
    step_diff,
    take_unheard,
    totals_record,
    unheard,
    unit_counts,
    unit_diff,
)
from burnish.store.journal import MemoryJournal
from tests.core.units import attempt, finding
from tests.engine.questions_bench import sound
from tests.store.samples import SetClock, unit

KIND: Kind = kind_named("questions")


def question(stem: str) -> Any:
    return KIND.from_record(sound(0, stem=stem))


SOURCE, SECOND, THIRD = (question(f"Which {word} tells it best?") for word in ("word", "sign", "mark"))


def tried(number: int, draft: Any, *rules: str, before: Any = None, **more: Any) -> AttemptRecord:
    values: dict[str, Any] = {
        "content": None if draft is None else KIND.to_record(draft),
        "content_hash": (draft or SOURCE).content_hash,
        "cause": "source" if number == 1 else "model",
    }
    if before is not None:
        values |= {
            "edits": ({"find": "a", "replace": "b"},),
            "receipt": {"before": before.content_hash, "after": draft.content_hash, "rules": ["r"]},
        }
    return attempt(number, *rules, **{**values, **more})


def story(*attempts: AttemptRecord, decisions: tuple[EventRecord, ...] = (), **row: Any) -> UnitStory:
    values = {"state": KIND.states.ready, "attempts": len(attempts), "best_attempt": len(attempts), **row}
    return UnitStory(unit("q1", **values), SOURCE, attempts, decisions)


def decision(seq: int, verdict: str, unit: str = "q1", **more: Any) -> EventRecord:
    data = {"verdict": verdict, "by": "Ada", "after_attempt": 1, **more}
    return EventRecord("decision", unit, data, seq=seq, at="then")


def test_a_clean_unit_that_nobody_touched_has_no_entry() -> None:
    assert _entry(KIND, story()) is None
    assert _entry(KIND, story(tried(1, None))) is None
    assert _entry(KIND, story(tried(1, None), state=KIND.states.waiting)) is not None
    assert _entry(KIND, story(tried(1, None), tried(2, SECOND))) is not None
    assert _entry(KIND, story(tried(1, None), decisions=(decision(1, "accept"),))) is not None


def test_an_entry_tells_what_was_wrong_what_remains_and_what_it_cost() -> None:
    first = tried(1, None, "bad", usage=Usage(1, 2, 0.5))
    first = replace(
        first,
        findings=(
            finding("bad").as_record(),
            finding("hint", "info").as_record(),
        ),
    )
    second = tried(2, SECOND, before=SOURCE, usage=Usage(3, 4, 0.25), passed=False)
    left = (finding("left", "warning"), finding("worse"), finding("hint", "info"))
    second = replace(second, findings=tuple(one.as_record() for one in left))
    entry = _entry(KIND, story(first, second, reason="because", state=KIND.states.waiting))
    assert entry is not None
    assert (entry["unit"], entry["state"], entry["reason"]) == ("q1", KIND.states.waiting, "because")
    assert [one["rule"] for one in entry["wrong"]] == ["bad"]
    assert [one["rule"] for one in entry["remaining"]] == ["left", "worse"], "warnings remain too, notes do not"
    assert entry["usage"] == {"prompt_tokens": 4, "completion_tokens": 6, "total_tokens": 10, "cost_usd": 0.75}
    [one] = entry["attempts"]
    assert (one["number"], one["cause"], one["passed"], one["errors"]) == (2, "model", False, 1)
    assert "withdrawn" not in one and "rolled_back" not in one
    assert "sign" in entry["diff"] and "sign" in one["diff"]


def test_what_was_wrong_and_what_remains_are_of_the_best_draft() -> None:
    tries = (tried(1, None, "bad"), tried(2, SECOND), tried(3, THIRD, "new"))
    best = _entry(KIND, story(*tries, best_attempt=2))
    none = _entry(KIND, story(*tries, best_attempt=0))
    assert best is not None and none is not None
    assert (best["remaining"], [one["rule"] for one in none["remaining"]]) == ([], ["bad"])
    assert "sign" in best["diff"] and none["diff"] == ""


def test_a_text_that_was_taken_back_did_not_pass() -> None:
    decisions = (decision(1, "edit", after_attempt=2), decision(2, "undo", undoes=1))
    entry = _entry(KIND, story(tried(1, None, "bad"), tried(2, SECOND, cause="person"), decisions=decisions))
    assert entry is not None
    assert (entry["attempts"][0]["passed"], entry["attempts"][0]["withdrawn"]) == (False, True)
    assert entry["decisions"][0]["undone_by"] == "Ada"


def test_differences_are_from_the_source_from_the_edited_text_or_from_the_draft_before() -> None:
    tries = (tried(1, None), tried(2, SECOND, before=SOURCE), tried(3, THIRD, before=SECOND))
    told = story(*tries)
    whole, edits, step = (show(KIND, told, tries[2]) for show in (unit_diff, edit_diff, step_diff))
    assert "-Which word" in whole and "+Which mark" in whole and "(source)" in whole
    assert "-Which sign" in edits and "+Which mark" in edits and "(attempt 2)" in edits
    assert step == edits
    first = edit_diff(KIND, told, tries[1])
    assert "-Which word" in first and "+Which sign" in first
    assert [show(KIND, told, tries[0]) for show in (unit_diff, edit_diff, step_diff)] == ["", "", ""]


def test_without_edits_or_without_a_change_there_is_no_difference() -> None:
    plain, same = tried(2, SECOND), tried(3, SECOND, before=SECOND)
    told = story(tried(1, None), plain, same)
    assert edit_diff(KIND, told, plain) == "" and edit_diff(KIND, told, same) == ""
    assert step_diff(KIND, told, same) == "" and "+Which sign" in step_diff(KIND, told, plain)
    assert edit_diff(KIND, told, replace(same, receipt=None)) == ""


def test_a_withdrawn_draft_is_no_step_on_the_way() -> None:
    decisions = (decision(1, "edit", after_attempt=2), decision(2, "undo", undoes=1))
    tries = (tried(1, None), tried(2, SECOND, cause="person"), tried(3, THIRD))
    assert "-Which word" in step_diff(KIND, story(*tries, decisions=decisions), tries[2])
    assert "-Which sign" in step_diff(KIND, story(*tries), tries[2])


def test_a_person_has_judged_what_stands_unless_it_was_sent_back() -> None:
    events = [
        decision(1, "accept", "a"),
        decision(2, "accept", "b"),
        decision(3, "reject", "b"),
        decision(4, "reject", "c"),
        decision(5, "drop", "c"),
        decision(6, "edit", "d"),
        decision(7, "undo", "d", undoes=6),
    ]
    assert judged_by_people(events) == {"a", "c"}


CHECKED = {
    "ignored": [finding("vague").as_record(), finding("vague").as_record()],
    "skipped": ["english"],
    "language": "fr",
    "unjudged": {"clarity": "no rule", "fit": "no rule"},
}


@pytest.mark.parametrize(
    ("changes", "by_person", "dimensions"),
    [
        ({}, False, ["clarity", "fit"]),
        ({"scores": {"fit": 0.5}}, False, ["clarity"]),
        ({}, True, []),
        ({"cause": "person"}, False, []),
    ],
)
def test_what_nobody_judged_is_told_once_and_not_where_somebody_did(
    changes: dict[str, Any], by_person: bool, dimensions: list[str]
) -> None:
    found = Unheard()
    take_unheard(found, attempt(1, checked=CHECKED, **changes), by_person=by_person)
    take_unheard(found, attempt(1, checked={}), by_person=by_person)
    told = found.unheard()
    assert told["ignored"] == {"vague": 2}
    assert told["skipped_rules"] == [{"language": "fr", "units": 1, "rules": ["english"]}]
    assert [one["dimension"] for one in told.get("not_judged", [])] == dimensions


def test_safe_fixes_in_the_kept_draft_are_easily_overlooked() -> None:
    unseen = Unseen()
    fixed = tried(2, SECOND, before=SOURCE, cause="safe_fix")
    unseen.take(story(tried(1, None, checked=CHECKED), fixed, tried(3, THIRD, before=SECOND), best_attempt=3))
    unseen.take(story(tried(1, None), fixed, best_attempt=1))
    unseen.take(story(tried(1, None), replace(fixed, receipt=None)))
    unseen.take(story())
    assert unseen.as_record() == {"safe_fixes": [{"unit": "q1", "rules": ["r"], "edits": list(fixed.edits)}]}
    judged = Unseen()
    judged.take(story(tried(1, None, checked=CHECKED), best_attempt=0, decisions=(decision(1, "accept"),)))
    assert judged.as_record() == {}
    judged.take(story(tried(1, None, checked=CHECKED), best_attempt=0))
    assert len(judged.as_record()["not_judged"]) == 2


def test_a_bill_in_plain_names() -> None:
    usage = Usage(10, 20, 0.5, 3, 4, 5)
    assert totals_record(Totals(3, 1, usage, 2, 7, 70, 0.7)) == {
        "calls": 3,
        "failed_calls": 1,
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "total_tokens": 30,
        "cost_usd": 0.5,
        "calls_without_a_known_price": 2,
        "calls_perhaps_paid": 7,
        "tokens_perhaps_paid": 70,
    }
    assert role_record(RoleTotals("judge", 3, usage, 2, {"truncated": 1})) == {
        "role": "judge",
        "calls": 3,
        "prompt_tokens": 10,
        "completion_tokens": 20,
        "total_tokens": 30,
        "cost_usd": 0.5,
        "reasoning_tokens": 3,
        "cached_tokens": 4,
        "cache_write_tokens": 5,
        "calls_without_a_known_price": 2,
        "failures": {"truncated": 1},
    }


def test_blockers_are_no_units() -> None:
    journal = MemoryJournal(clock=SetClock())
    journal.write_now(
        unit("a", state="draft"),
        unit("b", 1, state="waiting"),
        unit("c", 2, state="waiting"),
        unit("blocker", 3, document="", state="waiting"),
        EventRecord("blocker_numbered", "blocker"),
        EventRecord("blocker_numbered", "gone"),
    )
    assert unit_counts(journal) == {"draft": 1, "waiting": 2}
    journal.write_now(EventRecord("blocker_numbered", "a"))
    assert unit_counts(journal) == {"waiting": 2}


class Wholes(type(KIND)):  # type: ignore[misc]
    """Questions that are worked on as a whole document, as lessons are."""

    is_whole = True


def test_of_a_whole_document_edits_that_were_lost_are_told_once_it_rests() -> None:
    kind = Wholes()
    tries = (tried(1, None, "bad"), tried(2, SECOND, before=SOURCE), tried(3, THIRD, before=SECOND))
    told = _entry(kind, story(*tries, best_attempt=2, state=kind.states.waiting))
    working = _entry(kind, story(*tries, best_attempt=2, state=kind.states.initial))
    assert told is not None and working is not None
    assert [(one["rolled_back"], one["passed"]) for one in told["attempts"]] == [(False, True), (True, False)]
    assert [one["rolled_back"] for one in working["attempts"]] == [False, False], "nothing is final yet"


def test_of_whole_documents_each_end_and_every_text_that_stayed_is_told() -> None:
    journal, plan = MemoryJournal(clock=SetClock()), SimpleNamespace(documents=[Named("a"), Named("b")])
    journal.write_now(
        *(
            unit(id, at, document="a", best_attempt=best)
            for at, (id, best) in enumerate((("u", 2), ("v", 0), ("w", 1)))
        ),
        unit("x", 3, document="b"),
        *(attempt(1, unit=id, content=None) for id in "uvw"),
        attempt(2, unit="u", content={"stem": "new"}),
        attempt(2, unit="v", content={"stem": "lost"}),
        EventRecord("round_ended", None, {"document": "a", "status": "accepted", "reason": "fine", "round": 2}),
    )
    assert _wholes(plan, KIND, journal) == {}  # type: ignore[arg-type]
    assert _wholes(plan, Wholes(), journal) == {  # type: ignore[arg-type]
        "documents": [
            {
                "document": "a",
                "status": "accepted",
                "reason": "fine",
                "rounds": 2,
                "untouched": {"v": "sha256:v", "w": "sha256:w"},
            },
            {"document": "b", "status": None, "reason": None, "rounds": 0, "untouched": {"x": "sha256:x"}},
        ]
    }


@dataclass
class Named:
    name: str


def test_what_was_ignored_in_kept_drafts_is_told_of_the_whole_run() -> None:
    journal = MemoryJournal(clock=SetClock())
    journal.write_now(
        *(unit(id, at, attempts=1, best_attempt=1) for at, id in enumerate("uv")),
        unit("w", 2),
        *(attempt(1, unit=id, checked=CHECKED) for id in "uv"),
        decision(0, "accept", "v"),
    )
    told = unheard(journal).unheard()
    assert told["ignored"] == {"vague": 4} and [one["units"] for one in told["not_judged"]] == [1, 1]
    assert recorded_unheard(journal) == {"ignored": {}, "skipped_rules": []}
    journal.set_meta("unheard", '{"ignored": {"a": 1}}')
    assert recorded_unheard(journal) == {"ignored": {"a": 1}}
