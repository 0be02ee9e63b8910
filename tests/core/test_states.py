"""No move outside the table; nothing is published that is not ready (F16)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import StateCorrupt
from burnish.core.gate import StateTable

TABLE = StateTable(
    "new", "working", "ready", "waiting",
    {"new": frozenset({"working", "ready"}), "working": frozenset({"ready", "waiting"}),
     "waiting": frozenset({"working", "ready"}), "ready": frozenset()},
)  # fmt: skip
STATES = st.sampled_from([*TABLE.moves, "elsewhere"])


@given(STATES, STATES)
def test_only_moves_of_the_table(before: str, after: str) -> None:
    allowed = after in TABLE.moves.get(before, ()) or (before == after and after in TABLE.moves)
    if allowed:
        assert TABLE.check(before, after) == after
    else:
        with pytest.raises(StateCorrupt):
            TABLE.check(before, after)


def test_resting() -> None:
    assert TABLE.rests("ready") and TABLE.rests("waiting") and not TABLE.rests("working")
