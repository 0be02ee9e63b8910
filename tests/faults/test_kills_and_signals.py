"""The short forms of F1, F2 and F5: processes that are killed or interrupted in the middle of a run."""

import pytest

from tests.faults import f1_kill, f2_fault_points, f5_signals


@pytest.mark.parametrize("module", [f1_kill, f2_fault_points, f5_signals], ids=["F1", "F2", "F5"])
def test_short_form(module: object) -> None:
    figures = module.run(full=False)  # type: ignore[attr-defined]
    assert figures
