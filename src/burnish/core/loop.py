"""The loop: what to do next. A pure function from what happened so far to the next moves.

The moves of one list may run together; the next list waits for them. A unit that stands alone (a question) is a
document of one; units that belong together (a lesson's sections) share one DocumentState and its limits.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from burnish.core.attempts import History, blocking_rules, breaker_states, converged, oscillates
from burnish.core.records import Usage

MoveName = Literal["draft", "review", "repair", "accept", "lock", "best_effort", "ask_person"]


@dataclass(frozen=True, slots=True)
class Move:
    """One thing to do with one unit."""

    name: MoveName
    unit: str
    reason: str = ""
    rules: tuple[str, ...] = ()
    """The rules that the reason is about, such as those of a tripped breaker."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Ceilings for one document; None: no ceiling. They end repairs: what is under way is finished and reviewed."""

    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    """Time spent in model calls as the journal has it, one call after the other: the same on resume and replay."""

    def reached(self, usage: Usage, seconds: float) -> str | None:
        """The name of the first ceiling that is met."""
        if self.tokens is not None and usage.total_tokens >= self.tokens:
            return "token_budget"
        if self.cost is not None and usage.cost is not None and usage.cost >= self.cost:
            return "cost_budget"
        if self.seconds is not None and seconds >= self.seconds:
            return "timeout"
        return None


@dataclass(frozen=True, slots=True)
class LoopPolicy:
    """How patient the loop is."""

    max_repairs: int
    """Repairs for one unit before the loop gives up on it."""
    limits: Limits = field(default_factory=Limits)
    convergence_step: float | None = None
    """Scores that change by less than this, twice in a row, have converged."""
    oscillation_step: float | None = None
    """A score that rises and then falls by more than this locks its unit."""
    max_edits_before_lock: int | None = None
    """A unit that was edited this often is locked."""
    when_spent: Literal["ask_person", "best_effort"] = "ask_person"


@dataclass(frozen=True, slots=True)
class UnitState:
    """All that the loop needs to know about one unit."""

    id: str
    history: History = field(default_factory=History)
    starts_empty: bool = False
    """The unit has no draft yet: it has to be translated or cut before it can be reviewed."""
    unrepairable: str | None = None
    """Why no repair can be tried (`no_model`, `model_failed`, `fatal_finding`); None: one can."""
    granted_after: int = 0
    """Attempts before this number do not count: a person sent the unit back and granted attempts anew."""
    review_again: bool = False
    """The best draft has to be looked at once more: its judges were silent, or a person asks."""
    locked: bool = False

    @property
    def repairs(self) -> int:
        """Repairs since attempts were last granted: every attempt of a model, readable or not."""
        return sum(a.cause == "model" and a.number > self.granted_after for a in self.history.attempts)


@dataclass(frozen=True, slots=True)
class DocumentState:
    """The units that share one loop, and what they have cost together since a person last granted attempts."""

    units: tuple[UnitState, ...]
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    """Time spent in model calls."""


def next_moves(document: DocumentState, policy: LoopPolicy) -> list[Move]:
    """What to do next. No move at all: every unit has been told to rest."""
    limit = policy.limits.reached(document.usage, document.seconds)
    return [_next_move(unit, policy, limit) for unit in document.units]


def _next_move(unit: UnitState, policy: LoopPolicy, limit: str | None) -> Move:
    last, best = unit.history.last, unit.history.best
    if last is None or best is None:
        return Move("draft" if unit.starts_empty else "review", unit.id)
    if unit.review_again:
        return Move("review", unit.id)
    if best.passed and best.number > unit.granted_after:
        return Move("accept", unit.id, reason=f"attempt_{best.number}")
    return _stop(unit, policy, limit) or Move("repair", unit.id, rules=tuple(sorted(blocking_rules(best))))


def _stop(unit: UnitState, policy: LoopPolicy, limit: str | None) -> Move | None:
    """The move that ends the work on a unit that has not passed, or None where it is worth another try."""
    if unit.unrepairable is not None:
        return _spent(unit, policy, unit.unrepairable)
    if limit is not None:
        return _spent(unit, policy, limit)
    if unit.repairs >= policy.max_repairs:
        tripped = _tripped(unit, policy)
        return _spent(unit, policy, "circuit_breaker" if tripped else "attempts_exhausted", tripped)
    scores = [sum(a.scores.values()) / max(len(a.scores), 1) for a in unit.history.attempts]
    if policy.convergence_step is not None and converged(scores, step=policy.convergence_step):
        return _spent(unit, policy, "converged")
    return _lock(unit, policy, scores)


def _lock(unit: UnitState, policy: LoopPolicy, scores: list[float]) -> Move | None:
    if unit.locked:
        return _spent(unit, policy, "locked")
    if policy.max_edits_before_lock is not None and unit.repairs >= policy.max_edits_before_lock:
        return Move("lock", unit.id, "max_edits")
    if policy.oscillation_step is not None and oscillates(scores, step=policy.oscillation_step):
        return Move("lock", unit.id, "oscillation")
    return None


def _spent(unit: UnitState, policy: LoopPolicy, reason: str, rules: Iterable[str] = ()) -> Move:
    return Move(policy.when_spent, unit.id, reason, tuple(rules))


def _tripped(unit: UnitState, policy: LoopPolicy) -> tuple[str, ...]:
    """The rules that failed in every repair since attempts were granted."""
    repairs = [a for a in unit.history.attempts if a.cause == "model" and a.number > unit.granted_after]
    states = breaker_states([blocking_rules(attempt) for attempt in repairs], policy.max_repairs)
    return tuple(state.rule_id for state in states if state.is_tripped)
