"""What a catalogue tells of a run's units: plain lines for pages and replies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from burnish.core.findings import Severity

Sort = Literal["ready", "work", "rework", "person", "idle", "excluded", "fail"]
"""What a state means, whatever the kind calls it: done, being worked on, on its way again, waiting for a person, not
begun, left out on purpose, failed a review just now."""


@dataclass(frozen=True, slots=True)
class UnitLine:
    """One unit in a list."""

    id: str
    document: str
    """Empty for a blocker that is no unit of the document."""
    position: int
    state: str
    sort: Sort
    reason: str | None
    """As in the journal."""
    words: str
    """The reason in words; empty where there is none."""
    attempts: int
    best_attempt: int
    """The attempt that stands; 0: none yet."""
    open_errors: int
    severity: Severity | None
    """The worst finding of the draft that stands; None: there is none."""
    score: float | None
    """The mean of the draft's scores; None: it was not scored."""
    rules: tuple[str, ...]
    """The rules that the draft breaks, worst severity first."""
    cause: str | None
    """Why it waits for a person, as `CauseCount.cause` names it; None: it does not."""
    excerpt: str
    """At most 160 characters of the draft as a person reads it, on one line."""
    repaired: bool
    """Whether the draft that stands is another one than that which was judged first."""
    decided_by: str | None
    """Who decided on it last, where that decision stands."""
    at: str
    """When it last moved."""
    key: str
    """Where it stands in the list: what `units` takes as `offset_key`."""


@dataclass(frozen=True, slots=True)
class UnitPage:
    """Some lines of a list."""

    lines: tuple[UnitLine, ...]
    previous: str | None
    """The `offset_key` for the page before, with `backwards`; None: this is the first."""
    next: str | None
    """The `offset_key` for the page after; None: this is the last."""
    total: int
    """All units that the filter lets through."""


@dataclass(frozen=True, slots=True)
class RuleCount:
    """What one rule found in a run."""

    rule: str
    severity: Severity
    """The worst that it was given."""
    open: int
    """Findings in the drafts that stand."""
    settled: int
    """Units in whose earlier drafts it spoke, and in the one that stands it does not."""
    units: int
    """Units whose draft it speaks against now."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """How one score is spread over the drafts that stand."""

    name: str
    line: float | None
    """What the gate asks for; None: it informs, and nothing depends on it."""
    lowest: float
    highest: float
    bins: tuple[int, ...]
    """Units in each of equally wide steps from `lowest` to `highest`; the last step holds `highest` too."""
    below: int
    """Units below the line; 0 where there is none."""
    count: int
    """Units that were scored."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What had been spent by a moment."""

    at: str
    tokens: int
    cost: float | None
    """Of the calls whose price is known; None: of none of them."""
    calls: int


@dataclass(frozen=True, slots=True)
class CauseCount:
    """How many units wait for a person for one cause: a reason, and the first rule that blocks."""

    cause: str
    """What `UnitFilter.cause` takes."""
    reason: str
    rule: str | None
    words: str
    """The reason in words."""
    count: int
