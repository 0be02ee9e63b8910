"""The attempts of a unit as a line through time, newest first; and in the queue, what was tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from burnish.core.attempts import findings_of
from burnish.core.decisions import withdrawn_in
from burnish.core.findings import SEVERITIES
from burnish.core.records import AttemptRecord
from burnish.web.chronicle import Chronicle
from burnish.web.formatting import in_words, plural, score, sentence

Outcome = Literal["passed", "failed", "written"]
"""`written`: a draft on which nobody has a verdict."""
TRY = "try"
MOST_TRIED = 8
LONGEST_WORDS = 160


@dataclass(frozen=True, slots=True)
class Step:
    """One attempt."""

    attempt: AttemptRecord
    outcome: Outcome
    said: str
    """The verdict: `Failed, fidelity .79 below .85`."""
    done: str
    """What was done and what it cost: `1 edit, 419 tokens`."""
    unused: str | None
    """Why its draft was not kept."""
    is_standing: bool
    is_withdrawn: bool
    """A person's text that was taken back."""


@dataclass(frozen=True, slots=True)
class Try:
    """An attempt as the queue tells it: in one line."""

    number: int
    """As it is counted where people read of it: reviews only, where a draft and its review are two attempts."""
    score: str
    words: str
    is_standing: bool


def steps_of(chronicle: Chronicle) -> tuple[Step, ...]:
    """Every attempt, newest first."""
    withdrawn = withdrawn_in(chronicle.story.decisions)
    return tuple(_step(chronicle, attempt, attempt.number in withdrawn) for attempt in reversed(chronicle.attempts))


def _step(chronicle: Chronicle, attempt: AttemptRecord, is_withdrawn: bool) -> Step:
    outcome: Outcome = "written"
    if chronicle.is_judged(attempt):
        outcome = "passed" if attempt.passed else "failed"
    spent = [plural(attempt.usage.total_tokens, "token")] if attempt.usage.total_tokens else []
    edits = [plural(len(attempt.edits), "edit")] if attempt.edits else []
    return Step(
        attempt,
        outcome,
        verdict_of(chronicle, attempt),
        sentence(", ".join([chronicle.cause(attempt), *edits, *spent])),
        chronicle.why_unused(attempt),
        attempt.number == chronicle.story.row.best_attempt,
        is_withdrawn,
    )


def verdict_of(chronicle: Chronicle, attempt: AttemptRecord) -> str:
    """`Passed, fidelity .94`, `Failed, fidelity .79 below .85`, `Failed, 2 errors`; empty where nobody judged it."""
    if not chronicle.is_judged(attempt):
        return ""
    errors = sum(finding.blocks for finding in findings_of(attempt))
    short = chronicle.shortfall(attempt)
    said = ["Passed" if attempt.passed else "Failed"]
    if short is not None and (attempt.passed or short[1] < short[0].minimum):
        dimension, value = short
        figure = f"{in_words(dimension.name)} {score(value, dimension.minimum, chronicle.kind_name)}"
        line = f" below {score(dimension.minimum, kind=chronicle.kind_name)}"
        said.append(figure + (line if value < dimension.minimum else ""))
    if errors:
        said.append(plural(errors, "error"))
    return ", ".join(said)


@dataclass(frozen=True, slots=True)
class Tried:
    """What was tried with a unit."""

    word: str
    """`attempt`; or `try`, where a draft and its review are two attempts of the journal."""
    total: int
    rows: tuple[Try, ...]
    """Oldest first, the last of them where there are many."""

    @property
    def said(self) -> str:
        """`attempt 3 of 3`, or how many where none of them stands; empty where nothing was judged."""
        standing = next((one.number for one in self.rows if one.is_standing), None)
        if standing is None:
            return plural(self.total, self.word, "tries" if self.word == TRY else None) if self.total else ""
        return f"{self.word} {standing} of {self.total}"


def tried(chronicle: Chronicle, earlier: int = 0) -> Tried:
    """What was tried: the attempts that somebody judged. `earlier`: how many earlier runs made, where they count."""
    judged = chronicle.reviewed()
    is_staged = chronicle.kind.traits.is_phased
    numbers = range(earlier + 1, earlier + len(judged) + 1) if is_staged else [one.number for one in judged]
    rows = [_try(chronicle, attempt, number) for number, attempt in zip(numbers, judged, strict=True)]
    total = earlier + len(judged) if is_staged else len(chronicle.attempts)
    return Tried(TRY if is_staged else "attempt", total, tuple(rows[-MOST_TRIED:]))


def _try(chronicle: Chronicle, attempt: AttemptRecord, number: int) -> Try:
    short = chronicle.shortfall(attempt)
    figure = "" if short is None else score(short[1], short[0].minimum, chronicle.kind_name)
    words = chronicle.why_unused(attempt) or _worst(attempt) or ("passed" if attempt.passed else "did not pass")
    is_standing = attempt.number == chronicle.story.row.best_attempt
    return Try(number, figure, words, is_standing)


def _worst(attempt: AttemptRecord) -> str:
    """What is worst about it, in the finding's own words."""
    found = sorted(findings_of(attempt), key=lambda finding: SEVERITIES.index(finding.severity))
    if not found:
        return ""
    message = found[0].message
    first = message if len(message) <= LONGEST_WORDS else f"{message[:LONGEST_WORDS].rstrip()}…"
    return f"{first} (and {len(found) - 1} more)" if len(found) > 1 else first
