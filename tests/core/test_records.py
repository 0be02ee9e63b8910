"""Records: sums of what calls used, and events before they are written."""

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.records import AttemptRecord, CallIntent, CallRecord, UnitRow, Usage, event

NUMBERS = st.integers(0, 10**6)
COSTS = st.one_of(st.none(), st.integers(0, 1000).map(float))
USAGES = st.builds(Usage, NUMBERS, NUMBERS, COSTS, NUMBERS, NUMBERS, NUMBERS)


@given(USAGES, USAGES)
def test_every_part_of_a_sum_is_the_sum_of_the_parts(one: Usage, other: Usage) -> None:
    both = one + other
    for name in ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens", "cache_write_tokens"):
        assert getattr(both, name) == getattr(one, name) + getattr(other, name)
    assert both.total_tokens == one.total_tokens + other.total_tokens == both.prompt_tokens + both.completion_tokens


@given(USAGES, USAGES)
def test_a_sum_with_a_price_that_nobody_knows_has_no_price(one: Usage, other: Usage) -> None:
    if one.cost is None or other.cost is None:
        assert (one + other).cost is None
    else:
        assert (one + other).cost == one.cost + other.cost


@given(USAGES)
def test_nothing_added_changes_nothing(one: Usage) -> None:
    assert one + Usage() == one == Usage() + one
    assert Usage().total_tokens == 0 and Usage().cost == 0.0


def test_an_answer_with_a_key_in_it_is_paid_and_forgotten() -> None:
    call = CallRecord("k", "u", "judge", "m:a", "r", {"system": "s"}, "ok", "the key is K", Usage(3, 4, 0.5), 2, 10)
    held = call.withheld()
    assert (held.status, held.raw, held.error is not None) == ("failed", "", True)
    assert (held.usage, held.tries, held.request, held.key) == (call.usage, 2, call.request, "k")


def test_a_record_that_says_no_more_stands_at_its_beginning() -> None:
    row = UnitRow("u", "d", 0, "sha256:0", "open")
    assert (row.reason, row.attempts, row.best_attempt, row.open_errors, row.at) == (None, 0, 0, 0, "")
    intent = CallIntent("k", "judge", "m:a", 100)
    assert (intent.cost, intent.is_over, intent.batch, intent.call) == (None, False, None, None)
    attempt = AttemptRecord("u", 1, "source", None, "sha256:0", {}, (), passed=False)
    assert (attempt.usage, attempt.calls, attempt.checked, attempt.failure) == (Usage(), (), {}, None)


def test_a_new_event_is_not_numbered_and_holds_a_copy() -> None:
    said = {"by": "Ada"}
    new = event("decision", "u", dedupe="d", data=said)
    said["by"] = "Bob"
    assert (new.type, new.unit, new.data, new.dedupe, new.seq, new.at) == ("decision", "u", {"by": "Ada"}, "d", 0, "")
    assert event("approved").data == {} and event("approved").dedupe is None and event("approved").unit is None
