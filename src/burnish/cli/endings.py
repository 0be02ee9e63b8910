"""What the ends of all runs have in common: how a run is named, who waits and why, and the bill."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from burnish.app.reports.diff import alike
from burnish.app.reports.reasons import failure_of, reason_of
from burnish.app.reports.words import counted
from burnish.app.terminal import Role, Screen, excerpt
from burnish.core.attempts import History, blocking_rules
from burnish.core.kinds import PublishedKind
from burnish.core.records import AttemptRecord, Totals, UnitRow
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder

MOST_LISTED = 15
"""Units listed by name at the end of a run; `burnish status` lists them all."""


def named(folder: RunFolder) -> str:
    """The run as the next command has to name it."""
    home = folder.root.parent
    return folder.id if home == Path("runs").resolve() else f"{folder.id} --runs {shlex.quote(str(home))}"


def tell_waiting_unit(kind: PublishedKind, journal: Journal, row: UnitRow, screen: Screen) -> None:
    """Which unit waits and why; where a model's answer could not be used, what was wrong with it."""
    rules = ", ".join(open_rules(journal, row))
    reason = reason_of(kind, row)
    screen.line("  ", ("warning", "person   "), ("strong", row.id), f"  {reason}", ("faint", f"  {rules}"))
    last = last_attempt(journal, row)
    if last is not None and last.failure:
        screen.paragraph(failure_of(kind, last.failure), indent=" " * 11)


def last_attempt(journal: Journal, row: UnitRow) -> AttemptRecord | None:
    """The last attempt on a unit that counts: a person's text that was taken back does not."""
    return History.of(journal.attempts(row.id), journal.events(unit=row.id, types=("decision",))).last


def tell_change(field: str, old: str, new: str, screen: Screen) -> None:
    """The words that went and the words that came, in two lines at most."""
    room = screen.width - 14 - len(field)
    old, new = _where_they_differ(old, new)
    lines: tuple[tuple[Role, str, str], ...] = (("removed", "-", old), ("added", "+", new))
    for role, sign, text in lines:
        if text.strip():
            screen.line(" " * 11, ("faint", f"{field} "), (role, f"{sign} {excerpt(text, None, room).line}"))


def _where_they_differ(old: str, new: str) -> tuple[str, str]:
    """Both texts without what they begin and end with alike, but for a word or two; `…` says where that was."""
    head = old.rfind(" ", 0, max(0, alike(old, new) - 12)) + 1
    tail = alike(old[head:][::-1], new[head:][::-1])
    cut = old[len(old) - tail :].find(" ", 12) if tail > 12 else -1
    tail = 0 if cut < 0 else tail - cut
    before, after = "… " if head else "", " …" if tail else ""
    old, new = (text[head : len(text) - tail] for text in (old, new))
    return f"{before}{old}{after}", f"{before}{new}{after}"


def tell_more(number: int, screen: Screen) -> None:
    if number > MOST_LISTED:
        screen.line("  ", ("faint", f"and {number - MOST_LISTED} more"))


def open_rules(journal: Journal, row: UnitRow) -> list[str]:
    """The rules that the unit's best draft still breaks."""
    attempts = journal.attempts(row.id)
    return sorted(blocking_rules(attempts[row.best_attempt - 1])) if attempts and row.best_attempt else []


def bill(totals: Totals) -> Iterator[str]:
    """What it cost, and what of it has no known price."""
    if not totals.calls:
        yield "No model was called."
        return
    yield f"{counted(totals.calls, 'call')}, {counted(totals.usage.total_tokens, 'token')}"
    yield f" ({totals.usage.prompt_tokens:,} in, {totals.usage.completion_tokens:,} out)"
    priced = totals.calls - totals.unpriced_calls
    yield f", ${totals.usage.cost or 0.0:,.4f}" if priced else ""
    yield f", no price known for {counted(totals.unpriced_calls, 'call')}" if totals.unpriced_calls else ""
    yield f", {counted(totals.failed_calls, 'call')} failed" if totals.failed_calls else ""
    yield "."
