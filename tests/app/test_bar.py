"""The bar of a run: units that pass through stages together are told stage by stage."""

import sys

import pytest

from burnish.app import progress
from burnish.cli import execution
from burnish.core.kinds import Kind
from burnish.core.records import Totals, Usage
from burnish.kinds.legos.kind import LegosKind
from burnish.kinds.lessons.kind import LessonsKind
from tests.app.desk import Desk
from tests.app.test_progress import Clock
from tests.engine.questions_bench import sound
from tests.loopback import Answer, Asked, LoopbackModel

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


def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever waits is told at once."""
    for module, name, seconds in (
        (progress, "PATIENCE", 0.0),
        (progress, "LINE_EVERY", 0.0),
        (execution, "TICK", 0.01),
    ):
        monkeypatch.setattr(module, name, seconds)


def test_a_run_says_what_it_waits_for_before_the_first_answer(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    impatient(monkeypatch)

    def slow(asked: Asked) -> Answer:
        if asked.number == 1:
            return Answer(status=429, headers={"Retry-After": "1"})
        return Answer({"reasoning": "fine", "violations": []}, latency=0.2)

    with LoopbackModel(slow) as server:
        said = desk("polish", desk.bank(sound(0), sound(1)), "--model", "openai:m", "--base-url", server.base_url)
    assert said.code == 0, said.err
    lines = said.err.splitlines()
    assert any("waiting for a first answer, 2 calls under way" in line for line in lines), said.err
    assert any("openai:m answered 429: tried again in 1 s" in line for line in lines), said.err


@pytest.mark.parametrize("kind", [LegosKind(), LessonsKind()])
def test_kinds_whose_units_end_at_once_say_what_they_wait_for(
    kind: Kind, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient(monkeypatch)
    bar = execution.Bar(kind)
    bar.started(3, 0)
    bar.call_began("openai:m")
    bar.wait(bar.waiting())
    bar.call_ended("openai:m", is_answered=True)
    assert bar.waiting() == ""
    assert capsys.readouterr().err == f"{kind.words.doing}: waiting for a first answer, 1 call under way\n"


def test_a_long_wait_is_told_seldom(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    shown = progress.Progress(4, sys.stderr, what="Polishing", noun="question", clock=clock)
    for _ in range(240):
        clock.now += 1
        shown.wait("waiting for a first answer")
    lines = capsys.readouterr().err.splitlines()
    assert set(lines) == {"Polishing: 0 of 4 questions, waiting for a first answer"}
    assert 12 <= len(lines) <= 24
