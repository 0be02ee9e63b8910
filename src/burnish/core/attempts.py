"""Attempts and history: every draft that was tried, and which one is worth keeping."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from burnish.core.decisions import counted, rejections_in, withdrawn_in
from burnish.core.errors import StateCorrupt
from burnish.core.findings import BLOCKING, Finding
from burnish.core.records import AttemptRecord, EventRecord, Usage


def findings_of(attempt: AttemptRecord) -> list[Finding]:
    return [Finding.from_record(dict(record)) for record in attempt.findings]


def blocking_rules(attempt: AttemptRecord) -> frozenset[str]:
    """The rules whose findings keep this attempt from being accepted."""
    return frozenset(record["rule"] for record in attempt.findings if record["severity"] in BLOCKING)


def open_errors(attempt: AttemptRecord) -> int:
    return sum(record["severity"] in BLOCKING for record in attempt.findings)


def standing_edits(attempts: Sequence[AttemptRecord], best: int) -> frozenset[int]:
    """The attempts whose edits are in the draft that is kept, which is number `best`: from its text back to the first.

    An attempt never changes once it is written down, so what was rolled back later is told by what stands now.
    """
    kept = attempts[: max(best, 1)]
    wanted = kept[-1].content_hash if kept else None
    found = []
    for attempt in reversed(kept):
        if _was_taken(attempt) and attempt.receipt is not None and attempt.content_hash == wanted:
            found.append(attempt.number)
            wanted = attempt.receipt["before"]
    return frozenset(found)


def rolled_back(attempts: Sequence[AttemptRecord], best: int) -> frozenset[int]:
    """The attempts whose edits were taken and did not last. A person's own text takes nothing back: it is another."""
    if attempts and attempts[max(best, 1) - 1].cause == "person":
        return frozenset()
    return frozenset(one.number for one in attempts if _was_taken(one)) - standing_edits(attempts, best)


def _was_taken(attempt: AttemptRecord) -> bool:
    return bool(attempt.edits) and attempt.failure is None


@dataclass(frozen=True, slots=True)
class History:
    """The attempts of one unit, 1..n."""

    attempts: tuple[AttemptRecord, ...] = ()
    rejections: tuple[int, ...] = ()
    """After which attempts a person sent the unit back, in order."""
    withdrawn: frozenset[int] = frozenset()
    """The numbers of people's texts that were taken back. They are attempts for ever, but none that counts."""

    @classmethod
    def of(cls, attempts: Iterable[AttemptRecord], decisions: Iterable[EventRecord]) -> Self:
        """From what the journal knows of a unit: its attempts, and every `decision` event about it."""
        said = tuple(decisions)
        return cls(tuple(attempts), rejections_in(said), withdrawn_in(said))

    def __post_init__(self) -> None:
        if [attempt.number for attempt in self.attempts] != list(range(1, len(self.attempts) + 1)):
            raise StateCorrupt("The attempts of a unit are not numbered 1, 2, 3, ...")

    def with_attempt(self, attempt: AttemptRecord) -> History:
        return replace(self, attempts=(*self.attempts, attempt))

    def before(self, number: int) -> History:
        """The history as it stood when attempt `number` was made."""
        rejections = tuple(after for after in self.rejections if after < number)
        return replace(self, attempts=self.attempts[: number - 1], rejections=rejections)

    @property
    def next_number(self) -> int:
        return len(self.attempts) + 1

    @property
    def counted(self) -> tuple[AttemptRecord, ...]:
        """The attempts that count: all but those that were withdrawn."""
        return counted(self.attempts, self.withdrawn)

    @property
    def last(self) -> AttemptRecord | None:
        return next(reversed(self.counted), None)

    @property
    def since_rejection(self) -> tuple[AttemptRecord, ...]:
        """The attempts since a person last sent the unit back; all of them where nobody did."""
        return counted(self.attempts[self.rejections[-1] :] if self.rejections else self.attempts, self.withdrawn)

    @property
    def best(self) -> AttemptRecord | None:
        """Passed before failed, then fewest errors, then higher scores, then fewer findings, then the earlier one.

        Of two with equally many errors, one that failed (it trades errors for others, its judges were silent) is worse.

        A person's own text is final, the latest one first: it outranks everything else. A rejection ends that. It
        leaves only the best draft of its time in the running, without the honours that it had, so that whatever
        passes later is preferred.

        A safe fix takes the place of the draft that it fixed: code has proven that it settles something and raises
        nothing, and judges are only asked about the fixed text.
        """
        best: AttemptRecord | None = None
        since = 0
        for until in (*self.rejections, len(self.attempts)):
            tried = counted(self.attempts[since:until], self.withdrawn)
            drafts = [attempt for attempt in tried if not self._was_fixed(attempt)]
            best = _best_of(drafts if best is None else [best, *drafts], since)
            since = until
        return best

    def _was_fixed(self, attempt: AttemptRecord) -> bool:
        return any(later.cause == "safe_fix" for later in self.attempts[attempt.number : attempt.number + 1])

    @property
    def usage(self) -> Usage:
        return sum((attempt.usage for attempt in self.attempts), Usage())


def _best_of(drafts: Iterable[AttemptRecord], rejected_until: int) -> AttemptRecord | None:
    return max(drafts, key=lambda attempt: _worth(attempt, rejected_until), default=None)


def _worth(attempt: AttemptRecord, rejected_until: int) -> tuple[int, bool, int, bool, bool, float, int, int]:
    unrejected = attempt.number > rejected_until
    mean = sum(attempt.scores.values()) / len(attempt.scores) if attempt.scores else 0.0
    return (
        attempt.number if attempt.cause == "person" and unrejected else 0,
        attempt.passed and unrejected,
        -open_errors(attempt),
        attempt.failure is None,
        unrejected,
        mean,
        -len(attempt.findings),
        -attempt.number,
    )


@dataclass(frozen=True, slots=True)
class BreakerState:
    """How often a rule has failed in a row, and whether that is often enough to stop trying."""

    rule_id: str
    consecutive_failures: int
    is_tripped: bool


def breaker_states(failing: Sequence[Collection[str]], limit: int) -> tuple[BreakerState, ...]:
    """One state for every rule that ever failed. A rule trips when it failed in every one of `limit` attempts."""
    rules = sorted({rule for rules in failing for rule in rules})
    return tuple(_breaker_state(rule, failing, limit) for rule in rules)


def _breaker_state(rule: str, failing: Sequence[Collection[str]], limit: int) -> BreakerState:
    streak = 0
    for rules in reversed(failing):
        if rule not in rules:
            break
        streak += 1
    return BreakerState(rule, streak, len(failing) >= limit and streak == len(failing))


def oscillates(scores: Sequence[float], *, step: float) -> bool:
    """Whether the score went up by more than `step` and then down by more than `step`."""
    if len(scores) < 3:
        return False
    first, second, third = scores[-3:]
    return second - first > step and second - third > step
