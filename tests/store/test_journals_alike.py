"""Every journal behaves the same: whatever is written to both, both say the same."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import UsageError
from burnish.core.records import CallIntent, EventRecord, Record, SourceRecord, Totals, Usage
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.sqlite_journal import create_journal
from tests.store.samples import SetClock, attempt, call, happened, unit

FEW = st.sampled_from(["a", "b", "c"])
USAGE = st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.sampled_from([None, 0.0, 0.25, 0.5]))
RECORDS: st.SearchStrategy[Record] = st.one_of(
    st.builds(call, FEW, unit=FEW, status=st.sampled_from(["ok", "failed"]), raw=FEW, usage=USAGE),
    st.builds(lambda key, is_over: CallIntent(key, "judge", "m", 7, 0.5, is_over), FEW, st.booleans()),
    st.builds(lambda key: CallIntent(key, "judge", "m", 7, None, batch="b", call={"user": key}), FEW),
    st.builds(lambda id, state: unit(id, ord(id), state=state), FEW, FEW),
    st.builds(attempt, FEW, st.integers(1, 3), passed=st.booleans()),
    st.builds(EventRecord, FEW, st.none() | FEW, st.just({"n": 1}), st.none() | FEW),
    st.builds(
        lambda key, why: EventRecord("unanswered", key, {"failure": f"{why}: no", "calls": ["d", key]}),
        FEW,
        st.sampled_from(["reply_unreadable", "model_failed"]),
    ),
    st.builds(SourceRecord, FEW, st.builds(lambda text: {"text": text}, FEW)),
)


def unstamped(found: Any) -> Any:
    return [replace(record, at="") for record in found if record is not None]


def everything(journal: Journal) -> dict[str, Any]:
    return {
        "calls": unstamped(journal.calls()),
        "calls of a": unstamped(journal.calls("a")),
        "recorded": [unstamped([journal.call(key)]) for key in "abcd"],
        "units": unstamped(journal.units()),
        "some units": unstamped(journal.units(states=["a", "b"], after_position=ord("a"), limit=1)),
        "one unit": unstamped([journal.unit("a")]),
        "texts": [(row.id, content) for row, content in journal.standing()],
        "attempts": [unstamped(journal.attempts(id)) for id in "abcd"],
        "events": unstamped(journal.events()),
        "some events": unstamped(journal.events(after=1, unit="a", types=["a", "b"], limit=2)),
        "counts": journal.counts(),
        "totals": journal.totals(),
        "submitted": unstamped(journal.submitted()),
        "totals by role": journal.totals_by_role(),
        "meta": [journal.get_meta(key) for key in "ab"],
    }


@settings(max_examples=40, deadline=None)
@given(writes=st.lists(st.lists(RECORDS, min_size=1, max_size=5), max_size=6))
def test_both_journals_say_the_same(tmp_path_factory: pytest.TempPathFactory, writes: list[list[Record]]) -> None:
    lasting = create_journal(tmp_path_factory.mktemp("alike") / "journal.sqlite", clock=SetClock())
    passing = MemoryJournal(clock=SetClock())
    journals: tuple[Journal, ...] = (lasting, passing)
    for journal in journals:
        for records in writes:
            journal.write_now(*records)
        journal.set_meta("a", str(len(writes)))
    assert everything(lasting) == everything(passing)
    for journal in journals:
        stamps = [event.at for event in journal.events()]
        assert all(one < other for one, other in pairwise(stamps))
        journal.close()


def test_what_nobody_knows_the_price_of_is_counted_apart(tmp_path: Path) -> None:
    lasting = create_journal(tmp_path / "journal.sqlite", clock=SetClock())
    for journal in (lasting, MemoryJournal(clock=SetClock())):
        asyncio.run(journal.write(call("a", usage=Usage(1, 2, None)), call("b", usage=Usage(3, 4, 0.5)), happened()))
        assert journal.totals() == Totals(2, 0, Usage(4, 6, 0.5), 1)
        journal.close()


@pytest.fixture(params=["lasting", "passing"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Journal]:
    lasts = request.param == "lasting"
    made = create_journal(tmp_path / "journal.sqlite", clock=SetClock()) if lasts else MemoryJournal(clock=SetClock())
    yield made
    made.close()


def test_the_first_and_the_last_unit_of_the_documents(journal: Journal) -> None:
    assert journal.outermost() is None
    journal.write_now(unit("blocker", 0, document=""), unit("blocker 2", 9, document=""))
    assert journal.outermost() is None
    journal.write_now(unit("b", 2))
    assert [one.id for one in journal.outermost() or ()] == ["b", "b"]
    journal.write_now(unit("c", 3), unit("a", 1))
    assert [one.id for one in journal.outermost() or ()] == ["a", "c"]


@pytest.mark.parametrize("limit", [0, 1, 499, 500, 501, 1_000, 1_001, None])
def test_a_limit_is_kept_over_all_pages(journal: Journal, limit: int | None) -> None:
    journal.write_now(*(unit(f"u{at}", at) for at in range(1_001)))
    found = [row.position for row in journal.units(limit=limit)]
    assert found == list(range(1_001 if limit is None else limit))
    assert [row.position for row in journal.units(after_position=499, limit=limit)] == list(range(500, 1_001))[:limit]


def test_current_texts_are_the_best_draft_or_the_source(journal: Journal) -> None:
    journal.write_now(
        *(unit(id, at, best_attempt=at) for at, id in enumerate("abc")),
        *(SourceRecord(id, {"stem": f"source of {id}"}) for id in "ab"),
        *(attempt(id, 1, content={"stem": f"draft of {id}"}) for id in "abc"),
    )
    assert [(row.id, content) for row, content in journal.standing()] == [
        ("a", {"stem": "source of a"}),
        ("b", {"stem": "draft of b"}),
    ]
    assert journal.source("a") == {"stem": "source of a"} and journal.source("c") is None


def test_the_last_event_and_the_last_of_a_type(journal: Journal) -> None:
    assert (journal.last_event(), journal.latest(), journal.latest("ingested")) == (0, None, None)
    journal.write_now(happened(1), happened(2), EventRecord("published"))
    assert journal.last_event() == 3
    found = [journal.latest(), journal.latest("ingested"), journal.latest("approved")]
    assert [one and one.seq for one in found] == [3, 2, None]


def test_what_each_role_and_each_model_used(journal: Journal) -> None:
    journal.write_now(
        call("a", usage=Usage(1, 2, 0.5, 1)),
        call("b", usage=Usage(3, 4, None), status="failed", error="truncated: at 4"),
        call("c", role="corrector", model="m:2", usage=Usage(5, 6, 0.25)),
        call("d", usage=Usage(0, 0, 0.0), status="failed", error="truncated: at 5"),
        EventRecord("unanswered", "q1", {"failure": "reply_unreadable: no JSON", "calls": ["z", "a"]}),
        EventRecord("unanswered", "q2", {"failure": "reply_unreadable: no JSON", "calls": ["b"]}),
        EventRecord("unanswered", "q3", {"failure": "model_failed: reply_unreadable", "calls": ["c"]}),
    )
    found = {one.role: one for one in journal.totals_by_role()}
    judge, corrector = found["judge"], found["corrector"]
    assert (judge.calls, judge.unpriced_calls, judge.usage) == (3, 1, Usage(4, 6, 0.5, 1))
    assert judge.failures == {"truncated": 2, "unreadable": 1}
    assert (corrector.calls, corrector.unpriced_calls, corrector.failures) == (1, 0, {})
    models = {(one.model, one.role): one for one in journal.usage_by_model()}
    of_judge = models["test:model", "judge"]
    assert (of_judge.answered, of_judge.completion_tokens, of_judge.reasoning_tokens) == (1, 6, 1)
    totals = journal.totals()
    assert (totals.calls, totals.failed_calls, totals.unpriced_calls, totals.lost_calls) == (4, 2, 1, 0)


def test_a_call_that_was_begun_and_not_recorded_is_lost_until_it_is(journal: Journal) -> None:
    journal.write_now(
        CallIntent("a", "judge", "m", 7, 0.5),
        CallIntent("b", "judge", "m", 3, None),
        CallIntent("c", "judge", "m", 9, 1.0, batch="b1", call={}),
    )
    totals = journal.totals()
    assert (totals.lost_calls, totals.lost_tokens, totals.lost_cost) == (2, 10, 0.5)
    assert [one.key for one in journal.submitted()] == ["c"]
    journal.write_now(call("a"), CallIntent("b", "judge", "m", 3, None, is_over=True))
    assert journal.totals().lost_calls == 0
    journal.write_now(call("c"))
    assert journal.submitted() == []


def test_a_journal_that_is_closed_says_so(journal: Journal) -> None:
    journal.close()
    for ask in (journal.counts, lambda: journal.write_now(unit())):
        with pytest.raises(UsageError, match="closed"):
            ask()


def test_meta_that_belongs_to_the_journal_is_not_set(journal: Journal) -> None:
    with pytest.raises(UsageError, match="epoch"):
        journal.set_meta("epoch", "9")
    journal.set_meta("a", "1")
    journal.set_meta("a", "2")
    assert journal.get_meta("a") == "2" and journal.get_meta("b") is None
