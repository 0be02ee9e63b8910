"""Progress: nothing for short work, lines now and then, a bar on a terminal."""

from __future__ import annotations

import io

import pytest

from burnish.app.progress import LINE_EVERY, PATIENCE, Progress
from tests.app.test_terminal import Terminal


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_short_work_shows_nothing() -> None:
    clock, stream = Clock(), io.StringIO()
    with Progress(10, stream, clock=clock) as progress:
        for _ in range(10):
            clock.now += PATIENCE / 20
            progress.advance()
    assert stream.getvalue() == ""


def test_plain_lines_come_seldom() -> None:
    clock, stream = Clock(), io.StringIO()
    with Progress(1000, stream, clock=clock) as progress:
        for _ in range(20):
            clock.now += 0.5
            progress.advance(25, tokens=50, cost=0.005)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 1 + int((10 - PATIENCE) // LINE_EVERY)
    assert lines[0] == "Checking: 100 of 1,000 units, 50.0/s, 200 tokens, $0.0200, 0:18 left"


def test_status_tells_tokens_money_and_time() -> None:
    clock = Clock()
    progress = Progress(200, io.StringIO(), what="Polishing", already=100, clock=clock)
    clock.now += 50
    progress.advance(50, tokens=1_234_567, cost=1.5)
    assert progress.status() == "150 of 200 units, 1.0/s, 1,234,567 tokens, $1.5000, 0:50 left"
    progress.advance(0, cost=None)
    assert "$1.5000 and some unpriced calls" in progress.status()


def test_without_a_total_a_share_tells_the_time() -> None:
    clock = Clock()
    progress = Progress(None, io.StringIO(), clock=clock)
    clock.now += 10
    progress.advance(7)
    assert progress.status() == "7 units, 0.7/s"
    progress.advance(1, share=0.002)
    assert progress.status() == "8 units, 0.8/s, 1:23:10 left"


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clock, stream = Clock(), Terminal()
    with Progress(100, stream, clock=clock) as progress:
        for _ in range(40):
            clock.now += 0.1
            progress.advance()
    shown = stream.getvalue()
    assert "Checking" in shown and "of 100 units" in shown
    assert shown.count("\x1b[2K") >= 1  # the line is cleared again: the bar leaves nothing behind
