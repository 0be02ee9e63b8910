"""The cuts of a course in a terminal: a block a SEED, its sentences above its LEGOs."""

from __future__ import annotations

from rich.cells import cell_len

from burnish.app.legos.cut_lists import CutLego, CutList, CutSeed
from burnish.app.legos.showing import role_of, show_problems
from burnish.app.reports.words import counted
from burnish.app.terminal import Piece, Screen, visible

INDENT = "       "
"""In front of the sentences: as wide as a SEED id and a gap."""
NAME = 9
"""Columns of the name of a LEGO: `S1234L12`."""
STATUSES = {"not_extracted": "not cut yet", "pending_review": "waiting for a person"}
"""What is said in other words than records do."""


def show_cuts(screen: Screen, cuts: CutList) -> None:
    """Every SEED, and at the end how many they are."""
    for seed in cuts.seeds:
        _show_seed(screen, seed)
    found = counted(cuts.of, "SEED") if len(cuts.seeds) == cuts.of else f"{len(cuts.seeds):,} of {cuts.of:,} SEEDs"
    screen.line(("strong", found), f", {counted(cuts.legos, 'LEGO')}")
    show_problems(screen, [(str(one), one.hint) for one in cuts.problems])


def _show_seed(screen: Screen, seed: CutSeed) -> None:
    score: Piece = ("faint", "  --") if seed.score is None else (role_of(seed.score), f"{seed.score:>4.1f}")
    screen.line(("strong", seed.seed_id), "  ", score, f"  {STATUSES.get(seed.status, seed.status)}")
    for sentence in (seed.source, seed.target):
        screen.paragraph(sentence, indent=INDENT)
    if seed.reason is not None:
        screen.paragraph(seed.reason, indent=INDENT, first=(INDENT, ("warning", "to be seen: ")))
    width = _source_width(screen, seed)
    for lego in seed.legos:
        _show_lego(screen, lego, width)
    if seed.uncovered:
        screen.paragraph(", ".join(seed.uncovered), indent=INDENT, first=(INDENT, ("faint", "in no LEGO: ")))
    screen.gap()


def _source_width(screen: Screen, seed: CutSeed) -> int:
    """Columns for the source halves, so that the target halves stand below each other; 0 where these do not fit."""
    sources = max((cell_len(visible(lego.source)) for lego in seed.legos), default=0)
    targets = max((cell_len(visible(lego.target)) for lego in seed.legos), default=0)
    return sources if len(INDENT) + NAME + 6 + sources + 3 + targets <= screen.width else 0


def _show_lego(screen: Screen, lego: CutLego, width: int) -> None:
    confidence: Piece = ("warning" if lego.is_doubtful else "faint", f"{lego.confidence:.2f}")
    first: tuple[Piece, ...] = (INDENT, ("strong", f"{lego.provenance:<{NAME}}"), confidence, "  ")
    gap = " " * max(0, width - cell_len(visible(lego.source)))
    if width:
        screen.line(*first, lego.source, gap, ("faint", " | "), lego.target)
    else:
        screen.paragraph(f"{lego.source} | {lego.target}", indent=" " * (len(INDENT) + NAME + 6), first=first)
