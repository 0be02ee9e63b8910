"""Facts about a manuscript as a whole: gathered whenever its candidate was assembled, and summed up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from burnish.core.checks import Examination
from burnish.core.documents import Problem, Unit
from burnish.core.effects import Blocker, Note
from burnish.core.findings import Finding
from burnish.core.tasks import Gathered
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.materials.reviews import ForeignIssue
from burnish.kinds.manuscripts.materials.terms import kept_names
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import rule_scores
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import LineMap, Placement, Reviewed, ReviewIssue, rows_of_issues, tool_named

FOREIGN = "foreign"
"""Where the facts keep what other tools found: paragraph id -> the hash of the text, and rows of reviews."""


def gathered(paragraphs: Iterable[Paragraph], equipment: Equipment, known: Mapping[str, Any]) -> Gathered:
    """Lines, names, and where the issues of other tools belong. Those are about the first candidate, so they are mapped
    once: what was reworked since is another text."""
    maps_issues = bool(equipment.reviews) and FOREIGN not in known
    starts: list[int] = []
    placed: list[tuple[Paragraph, Placement]] = []
    names = kept_names(_pairs(paragraphs, starts, placed if maps_issues else None))
    facts: dict[str, Any] = {"lines": starts, "names": names}
    if not maps_issues:
        return Gathered({**facts, **({FOREIGN: known[FOREIGN]} if FOREIGN in known else {})})
    told = _mapped(equipment.reviews, placed)
    blockers = tuple(
        Blocker(f"review:{place:06}", "mapping_error", one.as_wire()) for place, one in enumerate(told.unmapped)
    )
    refuted = tuple(Note("finding_dropped", None, dropped("self_refuting", issue)) for issue in told.dropped)
    return Gathered({**facts, FOREIGN: _by_paragraph(told, placed)}, blockers, refuted)


def dropped(why: str, issue: ReviewIssue) -> dict[str, Any]:
    """An issue that nobody acts on, as the journal keeps it."""
    return {"reason": why, "source": issue.reviewer, "issue": issue.as_wire()}


def _pairs(
    paragraphs: Iterable[Paragraph], starts: list[int], placed: list[tuple[Paragraph, Placement]] | None
) -> Iterator[tuple[str, str]]:
    """Source and translation of every paragraph of the candidate; on the way, where each of them stands."""
    for paragraph, place in candidate_pieces(_counted(paragraphs, starts)):
        starts[-1] = place.start_line
        if placed is not None:
            placed.append((paragraph, place))
        yield paragraph.text, paragraph.translation


def _counted(paragraphs: Iterable[Paragraph], starts: list[int]) -> Iterator[Paragraph]:
    """Every block has a place among the starts; that of one which is not in the candidate stays 0."""
    for paragraph in paragraphs:
        starts.append(0)
        yield paragraph


def _mapped(issues: Iterable[ForeignIssue], placed: Sequence[tuple[Paragraph, Placement]]) -> Reviewed:
    by_tool: dict[str, list[ForeignIssue]] = {}
    for issue in issues:
        by_tool.setdefault(tool_named(issue.reviewer), []).append(issue)
    lines = LineMap(place for _, place in placed)
    texts = {paragraph.id: paragraph.translation for paragraph, _ in placed}
    each = [rows_of_issues(found, lines, texts, tool) for tool, found in by_tool.items()]
    return Reviewed(
        tuple(row for told in each for row in told.rows),
        tuple(one for told in each for one in told.unmapped),
        tuple(one for told in each for one in told.dropped),
    )


def _by_paragraph(told: Reviewed, placed: Iterable[tuple[Paragraph, Placement]]) -> dict[str, dict[str, Any]]:
    hashes = {paragraph.id: paragraph.content_hash for paragraph, _ in placed}
    found: dict[str, dict[str, Any]] = {}
    for row in told.rows:
        id = row.paragraph_id
        found.setdefault(id, {"content_hash": hashes[id], "rows": []})["rows"].append(row.as_wire())
    return found


class ManuscriptOverview:
    """The Overview of manuscripts."""

    def __init__(self) -> None:
        self.begin("")

    def prepare(self) -> tuple[Problem, ...]:
        return ()

    def begin(self, document: str) -> None:
        self._paragraphs = 0
        self._words = [0, 0]
        self._languages: Counter[tuple[str, str]] = Counter()
        self._lowest: dict[str, float] = {}

    def add(self, unit: Unit, examination: Examination) -> list[Finding]:
        assert isinstance(unit, Paragraph), f"no paragraph of a manuscript: {unit!r}"
        self._paragraphs += 1
        self._words[0] += len(unit.text.split())
        self._words[1] += len(unit.translation.split())
        self._languages[unit.source_language, unit.target_language] += 1
        for dimension, score in rule_scores(examination.findings, examination.unjudged).items():
            self._lowest[dimension] = min(score, self._lowest.get(dimension, 1.0))
        return []

    def conclude(self) -> tuple[Finding, ...]:
        return ()

    def result(self) -> Mapping[str, Any]:
        if not self._paragraphs:
            return {}
        [((source, target), _)] = self._languages.most_common(1)
        return {
            "paragraphs": self._paragraphs,
            "source_words": self._words[0],
            "target_words": self._words[1],
            "source_language": source,
            "target_language": target,
            "lowest_scores": dict(self._lowest),
        }

    def close(self) -> None:
        """Nothing was taken."""
