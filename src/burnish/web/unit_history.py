"""What happened to a unit, attempt by attempt: drafts, causes, verdicts, scores and what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from burnish.app.labels import cause_of, failure_of
from burnish.core.attempts import findings_of, withdrawn_in
from burnish.core.documents import Field, Unit
from burnish.core.findings import SEVERITIES
from burnish.core.gate import Dimension
from burnish.core.kinds import Kind, recorded_draft
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord
from burnish.web import Drawn
from burnish.web.formatting import in_words, plural, score, sentence

BEST, PREVIOUS, SOURCE = "best", "previous", "source"
"""What a draft may be compared with, besides any other attempt by its number."""
WRITTEN_FIRST = ("review", "person")
"""Where units move through stages, a draft is written first; only these carry a verdict."""


@dataclass(frozen=True)
class UnitHistory:
    """Everything that happened to one unit, ready to be shown."""

    kind: Kind
    story: UnitStory
    judges: int = 0
    """How many judges the run has: the gate asks for more where there are some."""
    kind_name: str = ""

    @property
    def attempts(self) -> tuple[AttemptRecord, ...]:
        return self.story.attempts

    @cached_property
    def standing(self) -> AttemptRecord | None:
        """The attempt whose draft is kept; None before the first."""
        return self.attempt(self.story.row.best_attempt) or (self.attempts[0] if self.attempts else None)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What is scored and has a threshold. One whose threshold is the lowest possible score only informs."""
        return tuple(one for one in self.kind.gate(self.judges).dimensions if one.minimum > one.lowest)

    def attempt(self, number: int) -> AttemptRecord | None:
        return self.attempts[number - 1] if 0 < number <= len(self.attempts) else None

    def draft(self, attempt: AttemptRecord | None) -> Unit:
        """The unit as it was after an attempt; None: the original."""
        if attempt is None:
            return self.story.source
        return recorded_draft(self.kind, attempt) or self.story.source

    def texts(self, attempt: AttemptRecord | None) -> Mapping[Field, str]:
        return self.draft(attempt).texts()

    def before(self, attempt: AttemptRecord) -> AttemptRecord | None:
        """The attempt whose draft this one was made from; None: the source itself."""
        earlier = self.attempts[: attempt.number - 1]
        wanted = (attempt.receipt or {}).get("before")
        for one in reversed(earlier):
            if one.content_hash == wanted or (wanted is None and one.content_hash != attempt.content_hash):
                return one
        return None

    def against(self, attempt: AttemptRecord, named: str | None) -> tuple[str, AttemptRecord | None]:
        """What an attempt is compared with, by the name or number in the address, and that name."""
        if named == SOURCE:
            return SOURCE, None
        if named == BEST and self.standing is not None:
            return BEST, self.standing
        if named is not None and named.isdecimal() and (chosen := self.attempt(int(named[:9]))) is not None:
            return str(chosen.number), chosen
        return PREVIOUS, self.before(attempt)

    def cause(self, attempt: AttemptRecord) -> str:
        """Where a draft comes from, in words."""
        return cause_of(self.kind, attempt)

    def is_judged(self, attempt: AttemptRecord) -> bool:
        """Whether the attempt carries a verdict: a draft that was only written has none yet."""
        return not self.kind.is_phased or attempt.cause in WRITTEN_FIRST

    def why_unused(self, attempt: AttemptRecord) -> str | None:
        """Why the attempt brought no draft worth keeping, in words; None where it did."""
        return failure_of(self.kind, attempt.failure) if attempt.failure else None

    def shortfall(self, attempt: AttemptRecord) -> tuple[Dimension, float] | None:
        """The score that misses its line by most, or (where all reach theirs) the one that is nearest to its own."""
        scored = [(one, attempt.scores[one.name]) for one in self.dimensions if one.name in attempt.scores]
        return min(scored, key=lambda pair: pair[1] - pair[0].minimum, default=None)

    def reviewed(self) -> Sequence[AttemptRecord]:
        """The attempts that somebody looked at: those whose findings count."""
        return [attempt for attempt in self.attempts if self.is_judged(attempt)]


Outcome = Literal["passed", "failed", "written"]
"""`written`: a draft on which nobody has a verdict."""
MOST_LINES = 8
LONGEST_WORDS = 160


def steps_of(history: UnitHistory) -> tuple[Drawn, ...]:
    """Every attempt, newest first."""
    withdrawn = withdrawn_in(history.story.decisions)
    return tuple(_step(history, attempt, attempt.number in withdrawn) for attempt in reversed(history.attempts))


def _step(history: UnitHistory, attempt: AttemptRecord, is_withdrawn: bool) -> Drawn:
    outcome: Outcome = "written"
    if history.is_judged(attempt):
        outcome = "passed" if attempt.passed else "failed"
    spent = [plural(attempt.usage.total_tokens, "token")] if attempt.usage.total_tokens else []
    edits = [plural(len(attempt.edits), "edit")] if attempt.edits else []
    return Drawn(
        attempt=attempt,
        outcome=outcome,
        said=verdict_of(history, attempt),
        done=sentence(", ".join([history.cause(attempt), *edits, *spent])),
        unused=history.why_unused(attempt),
        is_standing=attempt.number == history.story.row.best_attempt,
        is_withdrawn=is_withdrawn,
    )


def verdict_of(history: UnitHistory, attempt: AttemptRecord) -> str:
    """`Passed, fidelity .94`, `Failed, fidelity .79 below .85`, `Failed, 2 errors`; empty where nobody judged it."""
    if not history.is_judged(attempt):
        return ""
    errors = sum(finding.blocks for finding in findings_of(attempt))
    short = history.shortfall(attempt)
    said = ["Passed" if attempt.passed else "Failed"]
    if short is not None and (attempt.passed or short[1] < short[0].minimum):
        dimension, value = short
        figure = f"{in_words(dimension.name)} {score(value, dimension.minimum, history.kind_name)}"
        line = f" below {score(dimension.minimum, kind=history.kind_name)}"
        said.append(figure + (line if value < dimension.minimum else ""))
    if errors:
        said.append(plural(errors, "error"))
    return ", ".join(said)


def attempt_lines(history: UnitHistory, earlier: int = 0) -> Drawn:
    """The attempts that were judged. `earlier`: how many earlier runs made, where they count.

    Where a draft and its review are two attempts of the journal, only the reviews are counted.
    """
    judged = history.reviewed()
    is_phased = history.kind.is_phased
    numbers = range(earlier + 1, earlier + len(judged) + 1) if is_phased else [one.number for one in judged]
    rows = [_attempt_line(history, attempt, number) for number, attempt in zip(numbers, judged, strict=True)]
    total = earlier + len(judged) if is_phased else len(history.attempts)
    shown = rows[-MOST_LINES:]
    kept = next((one.number for one in shown if one.is_standing), None)
    said = f"attempt {kept} of {total}" if kept is not None else plural(total, "attempt") if total else ""
    return Drawn(total=total, rows=tuple(shown), said=said)


def _attempt_line(history: UnitHistory, attempt: AttemptRecord, number: int) -> Drawn:
    short = history.shortfall(attempt)
    figure = "" if short is None else score(short[1], short[0].minimum, history.kind_name)
    words = history.why_unused(attempt) or _worst(attempt) or ("passed" if attempt.passed else "did not pass")
    is_standing = attempt.number == history.story.row.best_attempt
    return Drawn(number=number, score=figure, words=words, is_standing=is_standing)


def _worst(attempt: AttemptRecord) -> str:
    """What is worst about it, in the finding's own words."""
    found = sorted(findings_of(attempt), key=lambda finding: SEVERITIES.index(finding.severity))
    if not found:
        return ""
    message = found[0].message
    first = message if len(message) <= LONGEST_WORDS else f"{message[:LONGEST_WORDS].rstrip()}…"
    return f"{first} (and {len(found) - 1} more)" if len(found) > 1 else first


BEGINS = 0.4
"""Where the axis begins, as a share of the scale, where no score and no line lies below: most scores are high."""
MOST_RINGS = 8
"""Earlier attempts that are shown."""


def score_table(history: UnitHistory, attempt: AttemptRecord) -> Drawn | None:
    """The scores of an attempt, or (where it has none) of the last one before it that has; None: nothing was scored."""
    scored = [one for one in history.attempts[: attempt.number] if one.scores]
    if not scored:
        return None
    *earlier, shown = scored
    gated = {dimension.name: dimension for dimension in history.dimensions}
    highest = max((dimension.highest for dimension in history.dimensions), default=1.0)
    names = sorted(shown.scores, key=lambda name: list(gated).index(name) if name in gated else len(gated))
    rows = tuple(_row(name, shown, earlier[-MOST_RINGS:], gated.get(name), highest) for name in names)
    return Drawn(
        attempt=shown.number,
        rows=rows,
        has_lines=any(row.line is not None for row in rows),
        has_rings=any(row.rings for row in rows),
    )


def _row(
    name: str, shown: AttemptRecord, earlier: Sequence[AttemptRecord], line: Dimension | None, highest: float
) -> Drawn:
    before = [(one.number, one.scores[name]) for one in earlier if name in one.scores]
    minimum = line.minimum if line else None
    top = line.highest if line else max(highest, shown.scores[name])
    low = (
        BEGINS * top
        if all(
            value is None or value >= BEGINS * top
            for value in [shown.scores[name], *(value for _, value in before), *([minimum] if line else [])]
        )
        else 0.0
    )

    def at(value: float) -> float:
        return round(max(0.0, min(1.0, (value - low) / (top - low))) * 100, 2)

    return Drawn(
        label=sentence(in_words(name)),
        value=shown.scores[name],
        line=minimum,  # none: the gate does not ask for this one
        is_below=minimum is not None and shown.scores[name] < minimum,
        at=at(shown.scores[name]),
        line_at=None if minimum is None else at(minimum),
        rings=tuple(
            Drawn(attempt=number, value=value, at=at(value), is_below=minimum is not None and value < minimum)
            for number, value in before
        ),
    )
