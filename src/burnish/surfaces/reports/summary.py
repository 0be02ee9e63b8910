"""The end of the report: what was counted, what was left out and why, and one line that says how it stands."""

from __future__ import annotations

from collections.abc import Collection

from burnish.core.findings import SEVERITIES
from burnish.engine.tally import Tally
from burnish.surfaces.reports.words import counted, listed
from burnish.surfaces.terminal import Piece, Screen

TOP_RULES = 5
LABEL = 14
"""Columns of the labels on the left."""


def summarise(screen: Screen, tally: Tally, *, noun: str, off: Collection[str]) -> None:
    """Everything that was counted. Nothing is printed for a clean check of which there is no more to say."""
    for severity in SEVERITIES:
        number = tally.by_severity[severity]
        if number:
            _row(screen, (severity, f"{severity:<{LABEL - 6}}"), f"{number:>6,}")
    if tally.by_rule:
        top = [f"{rule} {number:,}" for rule, number in tally.by_rule.most_common()]
        _wrapped(screen, "rules", listed(top, TOP_RULES))
    if tally.known:
        _wrapped(screen, "known", f"{counted(tally.known, 'finding')} in the baseline")
    if tally.ignored:
        rules = [f"{rule} {number:,}" for rule, number in tally.ignored.most_common()]
        _wrapped(
            screen, "ignored", f"{counted(tally.ignored.total(), 'finding')} by the author: {listed(rules, TOP_RULES)}"
        )
    if off:
        _wrapped(screen, "switched off", listed(sorted(off), TOP_RULES))
    for language, skipped in sorted(tally.skipped.items()):
        what = f"{counted(skipped.units, noun)} in language {language!r}"
        rules_named = f"{counted(len(skipped.rules), 'rule')} cannot judge it ({listed(sorted(skipped.rules), 3)})"
        _wrapped(screen, "not judged", f"{what}: {rules_named}")
    if tally.passed_through:
        types = [f"{type} {number:,}" for type, number in tally.passed_through.most_common()]
        _wrapped(
            screen, "carried over", f"{counted(tally.passed_through.total(), 'part')} not judged: {listed(types, 5)}"
        )


def verdict(screen: Screen, tally: Tally, *, noun: str) -> None:
    """How it stands, in one line."""
    of = f"{counted(tally.units, noun)} in {counted(tally.documents, 'document')}"
    if tally.problems or tally.failures:
        bad = counted(tally.problems + tally.failures, "problem")
        found = f", {counted(tally.errors, 'error')}" if tally.errors else ""
        screen.line(("error", f"Bad input: {bad}{found}."), f" {of}.", _fixable(tally))
    elif tally.errors:
        where = counted(tally.units_with_errors, noun)
        screen.line(("error", f"{counted(tally.errors, 'error')} in {where}."), f" {of}.", _fixable(tally))
    elif tally.findings:
        screen.line(("good", f"No errors, {counted(tally.findings, 'remark')}."), f" {of}.", _fixable(tally))
    else:
        screen.line(("good", "Clean."), f" {of}.")


def _fixable(tally: Tally) -> str:
    return f" {tally.fixable:,} can be fixed with --fix." if tally.fixable else ""


def _row(screen: Screen, *pieces: Piece) -> None:
    screen.line("  ", *pieces)


def _wrapped(screen: Screen, label: str, text: str) -> None:
    screen.paragraph(text, indent=" " * (LABEL + 2), first=("  ", ("faint", f"{label:<{LABEL}}")))
