"""A kind: what it need not say for itself has a default that works, or says plainly that it does not."""

from collections.abc import Mapping
from typing import Any

import pytest

from burnish.core.checks import Examination, Selection
from burnish.core.effects import ModelRoles
from burnish.core.errors import StateCorrupt, UsageError
from burnish.core.forecasts import Rehearsal
from burnish.core.kinds import Kind, Overview, recorded_draft
from tests.core.units import PlainUnit, attempt


class Bare(Kind):
    """Says nothing for itself."""


class Allowed(Bare):
    """The same, where nobody minds."""


Allowed.__abstractmethods__ = frozenset()


def test_a_kind_that_leaves_out_what_nobody_else_can_say_cannot_be_made() -> None:
    with pytest.raises(TypeError, match=r"abstract methods.*checks.*examine.*name.*noun.*read.*work"):
        Bare()  # type: ignore[abstract]


def test_what_a_kind_leaves_out_has_a_default() -> None:
    kind = Allowed()  # type: ignore[abstract]
    assert (kind.reasons, kind.contracts, kind.phases, kind.exports()) == ({}, {}, (), {})


def test_an_estimate_that_nobody_can_make_is_refused_and_not_nothing() -> None:
    kind = Allowed()  # type: ignore[abstract]
    with pytest.raises(UsageError, match="would cost"):
        kind.forecasts(Rehearsal([], Selection(()), ModelRoles(), {}, {}, ()))


class Plain(Allowed):
    """Reads units back from the journal."""

    def from_record(self, record: Mapping[str, Any]) -> PlainUnit:
        return PlainUnit.of(**record)


def test_a_recorded_draft_is_the_one_that_was_judged_or_refused() -> None:
    kind, draft = Plain(), PlainUnit.of(stem="x")  # type: ignore[abstract]
    kept = attempt(2, content={"stem": "x"}, content_hash=draft.content_hash)
    assert recorded_draft(kind, kept) == draft
    assert recorded_draft(kind, attempt(1, content=None)) is None, "the source itself"
    with pytest.raises(StateCorrupt, match="Attempt 2 of u is not the text that was judged"):
        recorded_draft(kind, attempt(2, content={"stem": "y"}, content_hash=draft.content_hash))


@pytest.mark.parametrize(
    ("wanted", "found", "is_same"),
    [
        ({"stem": "a", "note": ""}, {"stem": "a"}, True),
        ({"stem": "a "}, {"stem": " a"}, True),
        ({"stem": "a", "note": " "}, {"stem": "a"}, True),
        ({"stem": "a"}, {"stem": "b"}, False),
        ({"stem": "a"}, {"stem": "a", "note": "b"}, False),
    ],
)
def test_a_published_unit_may_lose_blanks_at_its_ends_and_empty_texts(
    wanted: dict[str, str], found: dict[str, str], is_same: bool
) -> None:
    kind = Plain()  # type: ignore[abstract]
    assert kind.is_published_as(PlainUnit.of(**wanted), PlainUnit.of(**found)) is is_same
    assert not kind.is_published_as(PlainUnit.of("u", **wanted), PlainUnit.of("v", **found))


def test_what_a_kind_does_not_collect_is_nothing() -> None:
    overview = Overview()
    unit = PlainUnit.of(stem="x")
    assert (list(overview.prepare()), overview.add(unit, Examination(())), overview.held_back) == ([], [], 0)
    assert (list(overview.conclude()), overview.result()) == ([], {})
    overview.begin("a")
    overview.close()
