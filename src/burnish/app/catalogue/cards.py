"""Cards: a run as the list of runs shows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from burnish.app.catalogue.lines import Sort
from burnish.core.records import Totals

Standing = Literal[
    "working",
    "waiting_for_people",
    "waiting_for_approval",
    "ready_to_continue",
    "published",
    "accepted_with_warning",
    "best_effort",
    "at_its_ceiling",
    "silent",
    "interrupted",
    "failed",
]
"""How a run stands: at work; units wait for people; only an approval is missing; people have decided everything, and it
has not gone on yet; done and delivered; done with open issues; done as well as it could be; stopped at a limit of
money, tokens or time; its process went silent; killed or stopped in the middle; something else keeps it from ending (a
model that is away, input that cannot be read)."""


@dataclass(frozen=True, slots=True)
class StatePart:
    """One piece of the stacked bar."""

    state: str
    sort: Sort
    count: int


@dataclass(frozen=True, slots=True)
class RunCard:
    """A run in the list of runs."""

    id: str
    title: str
    """The document's title or name; a course's code."""
    subtitle: str
    """What sort of content: `Questions, json`, `English to Spanish`."""
    kind: str
    noun: str
    """What one unit is called; `s` makes it several."""
    task: str
    """What it does with content of its kind, where that is not what runs of the kind do (`evolve`)."""
    standing: Standing
    words: str
    """The standing in words: `Waiting for people`."""
    detail: str
    """One more line on it: `$2.00 spent of $2.00. Raise it to go on`."""
    counts: Mapping[str, int]
    """Units by state, in the order of the kind's table; blockers that are no units do not count."""
    parts: tuple[StatePart, ...]
    """The same for the stacked bar: done first, left out last."""
    ready: int
    """Accepted, or published already."""
    wanted: int
    """All units that somebody works on."""
    waiting: int
    """Units, and blockers that are none, which wait for a person, and which nobody has decided on yet."""
    totals: Totals
    tokens: int
    cost: float | None
    """None: the price of no call is known."""
    started_at: str
    active_at: str
    """When something was last written down."""
    event: int
    """The number of the latest event."""
    host: str | None
    """Where it is at work, or was when it went silent."""
    heartbeat_at: str | None
    ceilings: Mapping[str, float]
    """What it may cost at most: `max_cost`, `max_tokens`, `max_seconds`, as far as they are set."""
    models: tuple[str, ...]
    documents: tuple[str, ...]
    """Names of its documents."""
    stop: str | None
    """How its last sitting ended, as in the journal (`needs_person`, `limit`, ...); None while none has."""
    trials: int
    """Of an experiment: what was settled so far."""


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """A run that cannot be shown."""

    id: str
    message: str
    hint: str | None
