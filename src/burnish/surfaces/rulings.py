"""What became of a decision, as whoever made it is told; and of one that somebody else was quicker with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast

from burnish.core.attempts import findings_of
from burnish.core.decisions import standing_decisions
from burnish.core.errors import UsageError
from burnish.core.findings import Finding
from burnish.core.records import EventRecord, UnitRow
from burnish.store.journal import Journal
from burnish.store.tray import TrayEntry

Verdict = Literal["accept", "edit", "reject", "undo"]
SAID = {"accept": "accepted", "edit": "edited", "reject": "sent back", "undo": "took back a decision about"}
"""A verdict in words, between a name and a unit."""


@dataclass(frozen=True, slots=True)
class Ruling:
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
    """False: it lies in the tray until the run rests."""
    errors: tuple[Finding, ...] = ()
    """What an edited text still breaks: the unit keeps waiting, with the text kept."""
    warning: str | None = None
    """Why the document cannot hold an edited text, where that is known already."""


@dataclass(frozen=True, slots=True)
class Bulk:
    """What became of accepting many units at once."""

    run: str
    by: str
    accepted: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why it was not accepted."""
    in_effect: bool = True
    """False: all of it lies in the tray until the run rests."""


@dataclass(frozen=True, slots=True)
class TakenBack:
    """What became of taking many decisions back at once."""

    run: str
    by: str
    units: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    """Unit -> why nothing was taken back."""


class AlreadyDecided(UsageError):
    """Somebody else was quicker. Nothing was overwritten."""

    code = "already_decided"

    def __init__(self, ruling: Ruling) -> None:
        super().__init__(
            f"{ruling.by} {SAID[ruling.verdict]} {ruling.unit} at {ruling.at}. Nothing was overwritten.",
            hint="Look at what was decided; it can be taken back until the run continues.",
        )
        self.ruling = ruling


class MovedOn(UsageError):
    """The unit is no longer what was seen: the run has worked on it. Nothing was overwritten."""

    code = "moved_on"

    def __init__(self, row: UnitRow) -> None:
        super().__init__(
            f"The run has worked on {row.id} since you looked at it: it is {row.state} now.",
            hint="Look at it again, and decide then.",
        )
        self.row = row


def ruling_of(run: str, journal: Journal, event: EventRecord) -> Ruling:
    """A decision that is in effect, or was until it was taken back."""
    data = event.data
    row = journal.unit(str(event.unit))
    assert row is not None, "who decides has looked it up"
    errors: tuple[Finding, ...] = ()
    if data["verdict"] == "edit":
        text = journal.attempts(row.id)[int(data["after_attempt"]) - 1]
        errors = tuple(finding for finding in findings_of(text) if finding.blocks)
    verdict = cast(Verdict, data["verdict"])
    return Ruling(run, row.id, verdict, data["by"], data["note"], event.at, row, errors=errors)


def ruling_in_tray(run: str, entry: TrayEntry, row: UnitRow) -> Ruling:
    return Ruling(run, entry.unit, entry.verdict, entry.by, entry.note, entry.at, row, in_effect=False)


def decisions_about(journal: Journal, unit: str) -> list[EventRecord]:
    """Every decision about a unit, with what was taken back and the taking back."""
    return list(journal.events(unit=unit, types=("decision",)))


def is_in_effect(journal: Journal, entry: TrayEntry) -> bool:
    """Whether a decision that lies in the tray is in the journal all the same: nobody lived to clear it away."""
    return any(event.data.get("mark") == entry.mark for event in decisions_about(journal, entry.unit))


def refuse_stale(run: str, journal: Journal, row: UnitRow, seen: str | None, waiting: str) -> None:
    """Raise where a unit is not as whoever decides has seen it; not seen at all, it has to wait for a person."""
    if seen == row.at or (seen is None and row.state == waiting):
        return
    decisions = decisions_about(journal, row.id)
    if seen is None:
        standing = standing_decisions(decisions)
        if standing:
            raise AlreadyDecided(ruling_of(run, journal, standing[-1]))
        raise UsageError(
            f"{row.id} is not waiting for a person: it is {row.state}.",
            hint="`burnish status RUN` lists the units that are.",
        )
    if decisions and decisions[-1].at > seen:
        raise AlreadyDecided(ruling_of(run, journal, decisions[-1]))
    raise MovedOn(row)
