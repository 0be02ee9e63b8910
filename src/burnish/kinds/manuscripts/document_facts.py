"""Facts about a whole manuscript, gathered each time its candidate is assembled, and the overview of a check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from burnish.core.checks import Examination
from burnish.core.documents import Unit
from burnish.core.effects import Blocker, Note
from burnish.core.findings import Finding
from burnish.core.kinds import Overview
from burnish.core.tasks import Gathered
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.pairing import Neighbours
from burnish.kinds.manuscripts.policy import rule_scores
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import LineMap, Placement, Reviewed, ReviewIssue, rows_of_issues, tool_named
from burnish.kinds.manuscripts.reviews import ForeignIssue
from burnish.kinds.manuscripts.sheet import candidates, sheet_of
from burnish.kinds.manuscripts.terms import kept_names
from burnish.languages.lexicon import Lexicon, how_words_are_compared

TERMS, SHEET = "terms", "sheet"
"""Keys of the facts: the names and terms of the source, and their renderings."""

FOREIGN = "foreign"
"""Key of the facts for the issues of other tools: paragraph id -> the hash of the text, and review rows."""


def prepared(paragraphs: Iterable[Paragraph], equipment: Equipment) -> Gathered:
    """The names and terms of the source, and the first sheet, before anything is translated."""
    facts, note = _sheet(candidates(paragraphs, equipment.glossary), (), equipment)
    return Gathered(facts, notes=(note,))


def _sheet(
    terms: Sequence[str], accepted: Iterable[tuple[str, str]], equipment: Equipment
) -> tuple[dict[str, Any], Note]:
    memory = equipment.memory.targets.items() if equipment.memory is not None else ()
    sheet = sheet_of(terms, [*accepted, *memory], equipment.terms.target)
    note = Note("sheet_made", None, {"hash": sheet.hash, "entries": len(sheet.renderings)})
    return {TERMS: terms, SHEET: sheet.as_record()}, note


def gathered(
    paragraphs: Iterable[Paragraph], equipment: Equipment, known: Mapping[str, Any], is_accepted: Callable[[str], bool]
) -> Gathered:
    """Lines, names, the new sheet, and the paragraphs of other tools' issues. These are about the first candidate, so
    they are mapped only once: reworked paragraphs have other texts."""
    maps_issues, has_sheet = bool(equipment.reviews) and FOREIGN not in known, TERMS in known
    starts: list[int] = []
    placed: list[tuple[Paragraph, Placement]] = []
    accepted: list[tuple[str, str]] = []

    neighbours = Neighbours(equipment.lexicon)

    def pairs() -> Iterator[tuple[str, str]]:
        """Source and translation of every paragraph of the candidate; on the way, the other facts are collected."""
        line = 1
        for each in paragraphs:
            # Every block has an entry in `starts`; it is 0 for a block that is not in the candidate.
            starts.append(0)
            for paragraph, place in candidate_pieces([each], line):
                starts[-1], line = place.start_line, place.end_line + 2
                neighbours.add(paragraph)
                if maps_issues:
                    placed.append((paragraph, place))
                if has_sheet and is_accepted(paragraph.id):
                    accepted.append((paragraph.text, paragraph.draft))
                yield paragraph.text, paragraph.translation

    facts: dict[str, Any] = {"names": kept_names(pairs()), "lines": starts}
    facts["misplaced"] = neighbours.misplaced()
    notes: tuple[Note, ...] = ()
    if has_sheet:
        found, note = _sheet(known[TERMS], accepted, equipment)
        facts, notes = facts | found, (note,)
    if not maps_issues:
        return Gathered({**facts, **({FOREIGN: known[FOREIGN]} if FOREIGN in known else {})}, notes=notes)
    reviewed = _mapped(equipment.reviews, placed)
    blockers = tuple(
        Blocker(f"review:{place:06}", "mapping_error", one.as_wire()) for place, one in enumerate(reviewed.unmapped)
    )
    refuted = tuple(Note("finding_dropped", None, dropped("self_refuting", issue)) for issue in reviewed.dropped)
    hashes = {paragraph.id: paragraph.content_hash for paragraph, _ in placed}
    foreign: dict[str, dict[str, Any]] = {}
    for row in reviewed.rows:
        id = row.paragraph_id
        foreign.setdefault(id, {"content_hash": hashes[id], "rows": []})["rows"].append(row.as_wire())
    return Gathered({**facts, FOREIGN: foreign}, blockers, (*refuted, *notes))


def dropped(why: str, issue: ReviewIssue) -> dict[str, Any]:
    """The record of a dropped issue for the journal."""
    return {"reason": why, "source": issue.reviewer, "issue": issue.as_wire()}


def _mapped(issues: Iterable[ForeignIssue], placed: Sequence[tuple[Paragraph, Placement]]) -> Reviewed:
    by_tool: dict[str, list[ForeignIssue]] = {}
    for issue in issues:
        by_tool.setdefault(tool_named(issue.reviewer), []).append(issue)
    lines = LineMap(place for _, place in placed)
    texts = {paragraph.id: paragraph.translation for paragraph, _ in placed}
    each = [rows_of_issues(found, lines, texts, tool) for tool, found in by_tool.items()]
    return Reviewed.joined(each)


class ManuscriptOverview(Overview):
    """The overview of a check of manuscripts."""

    def __init__(self, own: Lexicon | None = None) -> None:
        self._own = own
        self.begin("")

    def begin(self, document: str, preview: Iterable[Unit] = (), context: object = None) -> None:
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

    def result(self) -> Mapping[str, Any]:
        if not self._paragraphs:
            return {}
        [((source, target), _)] = self._languages.most_common(1)
        how = how_words_are_compared(source, target, self._own)
        return {
            **({"words": how} if how is not None else {}),
            "paragraphs": self._paragraphs,
            "source_words": self._words[0],
            "target_words": self._words[1],
            "source_language": source,
            "target_language": target,
            "lowest_scores": dict(self._lowest),
        }
