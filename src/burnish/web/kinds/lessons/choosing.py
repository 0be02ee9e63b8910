"""Which lesson of a run is looked at: a run may hold one, or thousands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.web.kinds.lessons.story import BEGINS, ENDS

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

SHOWN = 9
"""Lessons that are offered at once: the one that is looked at, and its neighbours."""
TONES = {"accepted": "done", "accepted_warning": "done", "best_effort": "done"}
"""How the work on a lesson ended -> how that is drawn; anything else waits for a person."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One lesson."""

    document: str
    standing: str
    """`done`, `wait`, `work` or `stop`."""
    words: str
    current: bool


@dataclass(frozen=True, slots=True)
class Chooser:
    """The lessons around the one that is looked at."""

    document: str
    choices: tuple[Choice, ...]
    """None where there is but one lesson."""
    position: int
    """Of the lesson, as people count."""
    total: int
    previous: str | None
    next: str | None


def chooser(run: RunCatalogue, wanted: str | None) -> Chooser:
    """The lesson that is asked for, or the one that matters most now: at work, else waiting for a person, else the
    first."""
    names = [document.name for document in run.view.plan.documents]
    standings = _standings(run) if len(names) > 1 else {}
    document = wanted if wanted in names else _foremost(names, standings)
    place = names.index(document)
    first = max(0, min(place - SHOWN // 2, len(names) - SHOWN))
    shown = names[first : first + SHOWN] if len(names) > 1 else []
    return Chooser(
        document=document,
        choices=tuple(Choice(name, *_drawn(standings.get(name)), name == document) for name in shown),
        position=place + 1,
        total=len(names),
        previous=names[place - 1] if place > 0 else None,
        next=names[place + 1] if place + 1 < len(names) else None,
    )


def _standings(run: RunCatalogue) -> dict[str, str]:
    """Lesson -> how its latest round ended; empty while it is under way."""
    found: dict[str, str] = {}
    for event in run.view.journal.events(types=(BEGINS, ENDS)):
        found[str(event.data["document"])] = str(event.data.get("status", ""))
    return found


def _foremost(names: list[str], standings: dict[str, str]) -> str:
    at_work = [name for name in names if standings.get(name) == ""]
    waiting = [name for name in names if standings.get(name) and standings[name] not in TONES]
    return [*at_work, *waiting, *names][0]


def _drawn(status: str | None) -> tuple[str, str]:
    """How a lesson is drawn, and in words."""
    if status is None:
        return "stop", "not begun"
    if not status:
        return "work", "at work"
    words = {"accepted_warning": "accepted with a warning", "best_effort": "best effort", "escalated": "needs a person"}
    return TONES.get(status, "wait"), words.get(status, status.replace("_", " "))
