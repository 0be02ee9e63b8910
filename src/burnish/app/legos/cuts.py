"""Cuts made by hand with their scores, as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence

from burnish.app.legos.showing import DIMENSIONS, PRIORITIES, ROLES, role_of, show_averages, show_problems
from burnish.app.reports.words import counted
from burnish.app.terminal import Piece, Screen, excerpt
from burnish.core.documents import Problem
from burnish.kinds.legos.concerns import Concern
from burnish.kinds.legos.hand_scores import Scored, summary

INDENT = 13
"""Columns in front of what is said of a SEED."""


def show_scores(screen: Screen, scored: Sequence[Scored], problems: Sequence[Problem]) -> None:
    """A few lines a SEED, then all of them in numbers."""
    for one in scored:
        _show_seed(screen, one)
    if scored:
        _show_summary(screen, scored)
    told = [
        (f"{one.path}:{one.line}: {one.message}" if one.line else f"{one.path}: {one.message}", one.hint)
        for one in problems
    ]
    show_problems(screen, told)


def _show_seed(screen: Screen, one: Scored) -> None:
    score = one.review.overall
    sentence = excerpt(one.seed.source, None, screen.width - INDENT).line
    screen.line(("strong", one.seed.id), "  ", (role_of(score), f"{score:>4.1f}"), f"  {sentence}")
    if one.seed.legos:
        legos = " | ".join(lego.source for lego in one.seed.legos)
        screen.paragraph(legos, indent=" " * INDENT)
    named = ", ".join(f"{DIMENSIONS[name]} {points:.1f}" for name, points in one.review.scores.items())
    screen.line(" " * INDENT, (ROLES[one.status], one.status), ("faint", f"  {named}"))
    for refused in one.refused:
        _said(screen, ("error", "refused"), refused.told)
    for concern in one.review.concerns:
        _said(screen, (PRIORITIES[concern.severity], concern.severity), _about(concern))
    if one.seed.uncovered:
        _said(screen, ("faint", "left out"), f"{', '.join(one.seed.uncovered)}: no lawful LEGO reaches it")
    screen.gap()


def _about(concern: Concern) -> str:
    return f"{concern.description} {concern.suggested_fix}  {concern.concern_id}"


def _said(screen: Screen, label: Piece, text: str) -> None:
    word = label if isinstance(label, str) else label[1]
    first: tuple[Piece, ...] = (" " * INDENT, label, " " * (10 - len(word)))
    screen.paragraph(text, indent=" " * (INDENT + 10), first=first)


def _show_summary(screen: Screen, scored: Sequence[Scored]) -> None:
    found = summary(scored)
    counts = ", ".join(f"{found[name]:,} {name}" for name in ROLES if found[name])
    screen.line(("strong", counted(len(scored), "SEED")), f": {counts}; average score {found['average_score']:.2f}")
    show_averages(screen, found["dimension_averages"])
