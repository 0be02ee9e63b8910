"""The bar of a run: units that pass through stages together are told stage by stage."""

import pytest

from burnish.app import progress
from burnish.cli import execution
from burnish.core.records import Totals, Usage
from burnish.kinds.legos.kind import LegosKind
from tests.app.test_progress import Clock

NOTHING = Totals(0, 0, Usage(), 0)


def test_the_time_before_a_stage_says_nothing_about_its_units(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()
    monkeypatch.setattr(execution, "Progress", lambda *given, **named: progress.Progress(*given, **named, clock=clock))
    bar = execution.Bar(LegosKind())
    bar.started(3_000, 0)
    clock.now += 40  # the course is aligned
    bar.stage_began("extract", 3_000)
    clock.now += 3
    bar.stage_passed(300, NOTHING)
    clock.now += 40
    bar.stage_began("review", 3_000)
    clock.now += 10
    bar.stage_passed(1_500, NOTHING)
    bar.close()
    assert capsys.readouterr().err.splitlines() == [
        "Cutting: 300 of 3,000 SEEDs, 100.0/s, 0:27 left",
        "Reviewing: 1,500 of 3,000 SEEDs, 150.0/s, 0:10 left",
    ]
