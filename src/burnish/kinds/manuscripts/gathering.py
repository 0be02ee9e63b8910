"""Facts about a manuscript as a whole, gathered in one pass whenever its candidate was assembled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from burnish.core.stages import Blocker, Gathered
from burnish.kinds.manuscripts.assembly import candidate_pieces
from burnish.kinds.manuscripts.equipment import Equipment
from burnish.kinds.manuscripts.materials.names import kept_names
from burnish.kinds.manuscripts.materials.reviews import ForeignIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.review.anchors import LineMap, Placement
from burnish.kinds.manuscripts.review.doors import Unmapped, rows_of_issues, tool_named

FOREIGN = "foreign"
"""Where the facts keep what other tools found: paragraph id -> rows of reviews."""


def gathered(paragraphs: Iterable[Paragraph], equipment: Equipment, known: Mapping[str, Any]) -> Gathered:
    """Lines, names, and where the issues of other tools belong. Those are about the first candidate, so they are mapped
    once: what was reworked since is another text."""
    maps_issues = bool(equipment.reviews) and FOREIGN not in known
    starts: list[int] = []
    placed: list[tuple[Placement, str]] = []
    names = kept_names(_pairs(paragraphs, starts, placed if maps_issues else None))
    facts: dict[str, Any] = {"lines": starts, "names": names}
    if not maps_issues:
        return Gathered({**facts, **({FOREIGN: known[FOREIGN]} if FOREIGN in known else {})})
    foreign, unmapped = _mapped(equipment.reviews, placed)
    blockers = tuple(
        Blocker(f"review:{place:06}", "mapping_error", one.as_wire()) for place, one in enumerate(unmapped)
    )
    return Gathered({**facts, FOREIGN: foreign}, blockers)


def _pairs(
    paragraphs: Iterable[Paragraph], starts: list[int], placed: list[tuple[Placement, str]] | None
) -> Iterator[tuple[str, str]]:
    """Source and translation of every paragraph of the candidate; on the way, where each of them stands."""
    line = 1
    for paragraph in paragraphs:
        pieces = list(candidate_pieces([paragraph]))
        starts.append(line if pieces else 0)
        for piece in pieces:
            last = line + piece.text.count("\n")
            if placed is not None:
                where = Placement(paragraph.id, paragraph.index, line, last, piece.text)
                placed.append((where, paragraph.translation))
            line = last + 2
            yield paragraph.text, paragraph.translation


def _mapped(
    issues: Iterable[ForeignIssue], placed: list[tuple[Placement, str]]
) -> tuple[dict[str, list[dict[str, Any]]], list[Unmapped]]:
    by_tool: dict[str, list[ForeignIssue]] = {}
    for issue in issues:
        by_tool.setdefault(tool_named(issue.reviewer), []).append(issue)
    lines = LineMap(place for place, _ in placed)
    texts = {place.paragraph_id: translation for place, translation in placed}
    rows: dict[str, list[dict[str, Any]]] = {}
    unmapped: list[Unmapped] = []
    for tool, found in by_tool.items():
        told = rows_of_issues(found, lines, texts, tool)
        for row in told.rows:
            rows.setdefault(row.paragraph_id, []).append(row.as_wire())
        unmapped += told.unmapped
    return rows, unmapped
