"""Everything of Burnish that the golden runs reach past its doors. A rename in the product touches a line here."""

from __future__ import annotations

import importlib
import os
import secrets
import signal
import sqlite3
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parents[3]
CLOCK = "burnish.store.processes"
"""The module whose `datetime.now` is the clock of every run."""
FAULT_POINTS = "burnish.core.faultpoints"
"""The module whose `install` is given a function that hears of every fault point."""
START = datetime(2026, 11, 1, 9, 0, tzinfo=UTC)
NONCE = "5eed"

POINTS = {
    "reply not recorded": "models.call.after",
    "reply recorded": "models.reply.recorded",
    "commit": "journal.committed",
    "repair": "engine.task.answered",
    "ask answered": "engine.task.answered",
    "batch formed": "engine.task.begun",
    "batch settled": "engine.task.settled",
    "publishing": "engine.publish.placed",
    "export": "export.replaced",
    "course": "course.batch_written",
}
"""Where the cases kill a run -> the fault point of that place."""

CALLS = """SELECT unit, role, model, reply_name, status, prompt_tokens, completion_tokens, cost, key
           FROM calls ORDER BY unit, role, model, reply_name, key, id"""
UNITS = """SELECT id, document, state, reason, attempts, best_attempt, open_errors, content_hash
           FROM units ORDER BY position, id"""
ATTEMPTS = "SELECT unit, number, cause, passed, content_hash, failure FROM attempts ORDER BY unit, number"
"""What is kept of a journal; a recording holds the rows, without the names of the columns."""


def main(arguments: Sequence[str]) -> int:
    """The command line in this process: whatever pyproject.toml says that `burnish` is."""
    script = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["burnish"]
    module, _, name = script.partition(":")
    return int(getattr(importlib.import_module(module), name)(list(arguments)))


@contextmanager
def pinned(step: int, *, deciding: bool = False) -> Iterator[None]:
    """Random tokens are the same in every recording, and the clock stands still, an hour later at each step.

    A nonce is the same whatever is drawn before it; where people decide, every token is another, since decisions are
    told apart by theirs.
    """
    moment, drawn = START + timedelta(hours=step), count()

    class SeedProgress(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return moment.astimezone(tz)

    def token_hex(size: int | None = None) -> str:
        if size == 16 and not deciding:
            return f"{step:04x}{NONCE * 7}"
        return f"d{step:02x}{next(drawn):02x}{NONCE * 15}"[: 2 * (size or 32)]

    with mock.patch(f"{CLOCK}.datetime", SeedProgress), mock.patch.object(secrets, "token_hex", token_hex):
        yield


def kill_at(place: str, nth: int) -> None:
    """From now on this process dies, as if the power went, the nth time it comes to the place."""
    point, passed = POINTS[place], 0

    def hook(reached: str) -> None:
        nonlocal passed
        passed += reached == point
        if passed == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    importlib.import_module(FAULT_POINTS).install(hook)


def rows(run: Path, query: str) -> list[list[Any]]:
    """What a query gives from the journal of a run."""
    with closing(sqlite3.connect(run / "journal.sqlite")) as journal:
        return [list(row) for row in journal.execute(query)]


def api(runs: Path) -> AbstractContextManager[Any]:
    """The HTTP API over a folder of runs: an object with `get(path, **query)` and `post(path, body)`."""
    from tests.api.api_desk import api_desk

    return api_desk(runs)


def rested(desk: Any, run: str) -> None:
    """Wait until a run that was started over HTTP is at rest."""
    from tests.api.test_content import until_it_rests

    until_it_rests(desk, run)


def learning_course(home: Path) -> None:
    """`home/course`: a course whose attempts suggest one good rule."""
    from tests.app.learning_course import GOOD, course

    course(home, GOOD)


def learning_reply(system: str, user: str) -> object:
    """What the model of that course answers to a prompt."""
    from tests.app.learning_course import reply

    return reply(system, user)
