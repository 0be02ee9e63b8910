"""The end of the report: what was counted, what was left out and why, and one line that says how it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from burnish.app.reports.words import LABEL, counted, labelled, listed
from burnish.app.terminal import Piece, Screen
from burnish.core.findings import SEVERITIES
from burnish.engine.tally import Tally, Unheard

TOP = 5
"""Names that are listed before the rest is only counted."""


def summarise(screen: Screen, tally: Tally, *, noun: str, off: Collection[str]) -> None:
    """Everything that was counted. Nothing is printed for a clean check of which there is no more to say."""
    for severity in SEVERITIES:
        rules = tally.rules_of(severity)
        if rules:
            first: tuple[Piece, ...] = ("  ", (severity, f"{severity:<8}"), f"{rules.total():>6,}  ")
            screen.paragraph(_most(rules), indent=" " * (LABEL + 4), first=first)
    if tally.known:
        labelled(screen, "known", f"{counted(tally.known, 'finding')} in the baseline")
    tell_ignored(screen, tally)
    if off:
        labelled(screen, "switched off", listed(sorted(off), TOP))
    tell_skipped(screen, tally, noun=noun)
    if tally.passed_through:
        parts = counted(tally.passed_through.total(), "part")
        labelled(screen, "carried over", f"{parts} not judged: {_most(tally.passed_through)}")


def tell_ignored(screen: Screen, unheard: Unheard) -> None:
    """What authors asked to pass over."""
    if unheard.ignored:
        of_authors = f"{counted(unheard.ignored.total(), 'finding')} by the author: {_most(unheard.ignored)}"
        labelled(screen, "ignored", of_authors)


def tell_skipped(screen: Screen, unheard: Unheard, *, noun: str) -> None:
    """What could not be judged for its language."""
    for language, skipped in sorted(unheard.skipped.items()):
        what = f"{counted(skipped.units, noun)} in language {language!r}"
        rules_named = f"{counted(len(skipped.rules), 'rule')} cannot judge it ({listed(sorted(skipped.rules), 3)})"
        labelled(screen, "not judged", f"{what}: {rules_named}")


def verdict(screen: Screen, tally: Tally, *, noun: str) -> None:
    """How it stands, in one line."""
    of = f"{counted(tally.units, noun)} in {counted(tally.documents, 'document')}"
    if tally.problems or tally.failures:
        bad = counted(tally.problems + tally.failures, "problem")
        found = f", {counted(tally.errors, 'error')}" if tally.errors else ""
        screen.line(("error", f"Bad input: {bad}{found}."), f" {of}.", _fixable(tally))
    elif tally.errors:
        where = counted(tally.units_with_errors, noun) if tally.units_with_errors else "the document as a whole"
        screen.line(("error", f"{counted(tally.errors, 'error')} in {where}."), f" {of}.", _fixable(tally))
    elif tally.findings:
        screen.line(("good", f"No errors, {counted(tally.findings, 'remark')}."), f" {of}.", _fixable(tally))
    else:
        screen.line(("good", "Clean."), f" {of}.")


def _fixable(tally: Tally) -> str:
    return f" {tally.fixable:,} can be fixed with --fix." if tally.fixable else ""


def _most(counts: Counter[str]) -> str:
    """The names that occur most, with their numbers."""
    return listed([f"{name} {number:,}" for name, number in counts.most_common()], TOP)
