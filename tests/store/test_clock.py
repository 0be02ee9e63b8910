from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from burnish.store.processes import from_microseconds, iso, system_clock, to_microseconds


def test_a_moment_is_written_in_utc_with_microseconds() -> None:
    moment = datetime(2026, 11, 15, 13, 0, tzinfo=timezone(timedelta(hours=1)))
    assert iso(moment) == "2026-11-15T12:00:00.000000Z"


def test_the_system_clock_knows_its_zone() -> None:
    assert system_clock().utcoffset() == timedelta(0)


@given(
    st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9999, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))
)
def test_microseconds_keep_every_moment_exactly(moment: datetime) -> None:
    assert from_microseconds(to_microseconds(moment)) == moment


@given(st.integers(0, 10**17), st.integers(0, 10**17))
def test_text_order_is_time_order(one: int, other: int) -> None:
    earlier, later = sorted((one, other))
    assert iso(from_microseconds(earlier)) <= iso(from_microseconds(later))
