"""A kind: what it need not say for itself has a default that works, or says plainly that it does not."""

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import ModelRoles
from burnish.core.errors import UsageError
from burnish.core.forecasts import Rehearsal
from burnish.core.kinds import Kind


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
