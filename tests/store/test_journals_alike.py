"""Every journal behaves the same: whatever is written to both, both say the same."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
