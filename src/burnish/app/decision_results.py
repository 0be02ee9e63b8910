"""The result of a decision, as the person who made it is told; and the errors where somebody else was quicker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, cast

from burnish.core.attempts import findings_of
from burnish.core.decisions import standing_decisions
from burnish.core.errors import RunActive, UsageError
from burnish.core.findings import Finding
from burnish.core.records import EventRecord, UnitRow
from burnish.engine.decisions import EDIT_HAS_ERRORS
from burnish.store.inbox import InboxEntry, Verdict
from burnish.store.journal import Journal
from burnish.store.sqlite_journal import SqliteJournal

SAID = {"accept": "accepted", "edit": "edited", "reject": "sent back", "undo": "undid a decision about"}
"""A verdict in words, between a name and a unit."""
NOT_TAKEN_BACK = "Nothing was undone."


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """A decision about one unit."""

    run: str
    unit: str
    verdict: Verdict
    by: str
    note: str | None
    at: str
    row: UnitRow
    """Where the unit stands now."""
    in_effect: bool = True
    """False: it waits in the inbox until the process at work on the run applies it."""
    errors: tuple[Finding, ...] = ()
    """What an edited text still breaks: the unit keeps waiting, with the text kept."""
    warning: str | None = None
    """Why the document cannot hold an edited text, where that is known already."""
    made_at: str | None = None
    """When it was made, where it was applied later: until then, that was its moment."""
    keeps_waiting: bool = False
    """Whether an edited text breaks rules or scores too low, so that the unit waits on, with the text kept."""
    is_due: bool = False
    """Whether the process at work applies it at its next pause: the time in which taking it back costs nothing is
    over, or somebody said so."""
    can_undo: bool = True
    """Whether no task began with it yet."""

    def is_of(self, at: str) -> bool:
        """Whether it is the decision that was told with this moment."""
        return at in (self.at, self.made_at)


@dataclass(frozen=True, slots=True)
class BulkResult:
    """What became of accepting many units at once."""

    run: str
    by: str
    accepted: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why it was not accepted."""
    in_effect: bool = True
    """False: some of it waits in the inbox."""
    mark: str = ""
    """How the marks of all these decisions begin: by it they are found again."""


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What became of taking many decisions back at once."""

    run: str
    by: str
    units: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why nothing was taken back."""


class AlreadyDecided(UsageError):
    """Somebody else was quicker. Nothing was changed: `kept` says so."""

    code = "already_decided"

    def __init__(self, result: DecisionResult, kept: str = "Nothing was overwritten.") -> None:
        super().__init__(
            f"{result.by} {SAID[result.verdict]} {result.unit} at {result.at}. {kept}",
            hint="Check that decision; it can be undone until the run works with it.",
        )
        self.result = result
        self.kept = kept


class Busy(RunActive):
    """Others decide about the same run, and it was not one's turn in time. Nothing was changed."""

    code = "busy"
    status = 503
    headers: ClassVar[Mapping[str, str]] = {"Retry-After": "2"}

    def __init__(self, run: str) -> None:
        super().__init__(
            f"Other people are deciding in the run {run}. Nothing was changed.",
            hint="Try again in two seconds.",
        )


class MovedOn(UsageError):
    """The unit is no longer what was seen: the run has worked on it. Nothing was overwritten."""

    code = "moved_on"

    def __init__(self, row: UnitRow) -> None:
        super().__init__(
            f"The run has changed {row.id} since you opened it; its state is {row.state} now.",
            hint="Open it again, then decide.",
        )
        self.row = row


def result_of(run: str, journal: Journal, event: EventRecord) -> DecisionResult:
    """A decision that is in effect, or was until it was taken back."""
    data = event.data
    row = journal.unit(str(event.unit))
    assert row is not None, "who decides has looked it up"
    errors: tuple[Finding, ...] = ()
    if data["verdict"] == "edit":
        text = journal.attempts(row.id)[int(data["after_attempt"]) - 1]
        errors = tuple(finding for finding in findings_of(text) if finding.blocks)
    verdict = cast(Verdict, data["verdict"])
    said = (verdict, data["by"], data["note"], event.at)
    keeps_waiting = verdict == "edit" and row.reason == EDIT_HAS_ERRORS
    return DecisionResult(
        run, row.id, *said, row, errors=errors, made_at=data.get("made_at"), keeps_waiting=keeps_waiting
    )


def result_waiting(run: str, entry: InboxEntry, row: UnitRow, now: str = "") -> DecisionResult:
    """A decision that waits in the inbox."""
    said = (entry.verdict, entry.by, entry.note, entry.at)
    return DecisionResult(run, entry.unit, *said, row, in_effect=False, is_due=entry.due <= now)


def decisions_about(journal: Journal, unit: str) -> list[EventRecord]:
    """Every decision about a unit, with what was taken back and the taking back."""
    return list(journal.events(unit=unit, types=("decision",)))


def refuse_stale(run: str, journal: Journal, row: UnitRow, seen: str | None, waiting: str) -> None:
    """Raise where a unit is not as whoever decides has seen it; not seen at all, it has to wait for a person."""
    if seen == row.at or (seen is None and row.state == waiting):
        return
    decisions = decisions_about(journal, row.id)
    if seen is None:
        standing = standing_decisions(decisions)
        if standing:
            raise AlreadyDecided(result_of(run, journal, standing[-1]))
        raise UsageError(
            f"{row.id} is not waiting for a person: it is {row.state}.",
            hint="`burnish status RUN` lists the waiting units.",
        )
    if decisions and decisions[-1].at > seen:
        raise AlreadyDecided(result_of(run, journal, decisions[-1]))
    raise MovedOn(row)


def refuse_decided(run: str, journal: SqliteJournal, row: UnitRow, kept: str = "Nothing was overwritten.") -> None:
    """Raise where a decision about the unit waits in the inbox."""
    for entry in journal.inbox("waiting", unit=row.id):
        raise AlreadyDecided(result_waiting(run, entry, row), kept)


def refuse_other(run: str, journal: Journal, row: UnitRow, of: str | None) -> None:
    """Raise where the last decision in effect is not the one that is meant: it is somebody's, and not to be taken back
    by mistake."""
    decisions = decisions_about(journal, row.id)
    if of is None or not decisions:
        return
    standing = standing_decisions(decisions)
    last = result_of(run, journal, (standing or decisions)[-1])
    if not standing or not last.is_of(of):
        raise AlreadyDecided(last, NOT_TAKEN_BACK)
