"""A kind: what it need not say for itself has a default that works, or says plainly that it does not."""

import pytest

from burnish.core.checks import Selection
from burnish.core.effects import ModelRoles
from burnish.core.errors import UsageError
from burnish.core.forecasts import Rehearsal
from burnish.core.kinds import Kind


class Bare(Kind):
    """Says nothing for itself."""


def test_what_a_kind_leaves_out_has_a_default() -> None:
    kind = Bare()  # type: ignore[abstract]
    assert (kind.reasons, kind.contracts, kind.phases, kind.exports()) == ({}, {}, (), {})


def test_an_estimate_that_nobody_can_make_is_refused_and_not_nothing() -> None:
    kind = Bare()  # type: ignore[abstract]
    with pytest.raises(UsageError, match="would cost"):
        kind.forecasts(Rehearsal([], Selection(()), ModelRoles(), {}, {}, ()))
