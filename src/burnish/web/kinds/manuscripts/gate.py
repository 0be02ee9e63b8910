"""The gate of a book and its candidate map: the requirements of the gate, what blocks each paragraph that is not ready,
and the lines of `candidate.md` that belong to each paragraph.

The map is written when the run pauses. Its rows are sorted by paragraph and line, so they are found by binary search: a
page reads only a few lines, however long the book is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.errors import StateCorrupt
from burnish.core.json_bytes import loads
from burnish.core.presentation import UnitStory
from burnish.kinds.manuscripts.block_fit import candidate_pieces
from burnish.kinds.manuscripts.findings import RunIssue
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import (
    BLOCKING_CATEGORIES,
    DIMENSIONS,
    EXCLUDED,
    HARD_FLOOR,
    MAX_ATTEMPTS,
    MERGED,
    READY,
    THRESHOLDS,
    DimensionName,
)
from burnish.kinds.manuscripts.publish import ParagraphRecord
from burnish.kinds.manuscripts.review_rows import MODEL_REVIEWER
from burnish.kinds.manuscripts.verdict import CRITICAL, MISSING, Verdict, aggregate
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import count, in_words, listed, plural, sentence
from burnish.web.kinds import Panel
from burnish.web.kinds.generic import kept_draft
from burnish.web.labels import gate_words, model_name
from burnish.web.rendering import run_link

ROWS = 25
"""Blocked paragraphs per page."""
DIMENSION_LABELS: dict[DimensionName, str] = {
    "grammar": "Grammar",
    "vocabulary": "Vocabulary",
    "style": "Style",
    "voice": "Voice",
    "semantic_fidelity": "Fidelity",
}


@dataclass(frozen=True, slots=True)
class BlockedRow:
    """A paragraph that is not ready, with the reasons of the gate."""

    line: UnitLine
    below: tuple[Drawn, ...] = ()
    missing: tuple[str, ...] = ()
    """Scores and reviewers that are missing: a missing score fails."""
    hard: tuple[str, ...] = ()
    """Reasons that block whatever the scores are."""
    attempt: str = ""
    """`2 of 4 attempts`; empty before the first review."""
    issue: RunIssue | None = None
    """An issue without a paragraph, instead of a paragraph."""


def gate_view(run: RunReader) -> Drawn:
    card = run.card
    approval = max(run.view.journal.events(types=("approved",)), key=lambda event: event.seq, default=None)
    text, tone = _text(card, "you")
    scores = {one.name: one for one in run.scores()}
    counts = {name: (scores[name].below, scores[name].count) if name in scores else (0, 0) for name in DIMENSIONS}
    return Drawn(
        text=text,
        report_text=_text(card, "a person")[0],
        tone=tone,
        required=card.requested,
        ready=card.ready,
        excluded=card.counts.get(EXCLUDED, 0),
        thresholds=tuple(
            Drawn(
                name=DIMENSION_LABELS[name],
                threshold=THRESHOLDS[name],
                below=below,
                scored=scored,
                missing=max(0, card.requested - scored),
            )
            for name, (below, scored) in counts.items()
        ),
        floor=HARD_FLOOR,
        blocking=listed(sorted(in_words(one) for one in BLOCKING_CATEGORIES)),
        reviewers=_reviewers(run),
        attempts=most_attempts(run),
        causes=tuple(run.causes()),
        approved_by=str(approval.data.get("by") or "the command line") if approval is not None else None,
        approved_at=approval.at if approval is not None else None,
        needs_approval=card.state == "waiting_for_approval",
    )


def _text(card: RunCard, who: str) -> tuple[str, str]:
    """Whether the book is published or what blocks it, and the style of that text."""
    if card.state == "published":
        return "Published. Every required paragraph passed.", "done"
    if card.stop == "source_changed":
        return "Not published. The source has changed since the run began, so it cannot be published.", "fail"
    if card.state == "waiting_for_approval":
        return "Every required paragraph is ready. A person has to approve the book.", "wait"
    if card.requested == card.ready and not card.waiting:
        return "Nothing blocks publishing. The run publishes when it resumes.", "done"
    return f"Not published. {gate_words(card, who=who)}.", "work" if card.state == "working" else "wait"


def _reviewers(run: RunReader) -> str:
    """`34 rules, gemma-3-27b (grammar and fidelity), qwen3-32b (critics)`."""
    plan = run.view.plan
    models = plan.judges or tuple(model for role, model in plan.roles.items() if role == "reviewer")
    critics = [model for role, model in plan.roles.items() if role == "critic"]
    beside = plan.arguments.get("beside", {}).get("critics", {})
    names = [plural(len(plan.rules), "rule"), *(f"{model_name(one)} (grammar and fidelity)" for one in models)]
    if beside:
        names += [f"{model_name(one)} ({plural(len(beside), 'critic')})" for one in critics]
    return ", ".join(names)


def most_attempts(run: RunReader) -> int:
    """The number of reviews of a paragraph before it is sent to a person."""
    return int(run.view.plan.arguments.get("options", {}).get("max_attempts", MAX_ATTEMPTS))


def not_ready(run: RunReader) -> tuple[str, ...]:
    """The states of paragraphs that block publishing."""
    return tuple(state for state in run.view.kind.states.moves if state not in (READY, MERGED, EXCLUDED))


def blocked_rows(run: RunReader, lines: Iterable[UnitLine]) -> list[BlockedRow]:
    return [_blocked(line, run.story(line.id), most_attempts(run)) for line in lines]


def _blocked(line: UnitLine, story: UnitStory, most: int) -> BlockedRow:
    if isinstance(story.source, RunIssue):
        return BlockedRow(line, issue=story.source)
    record = ParagraphRecord.of(story)
    if record.review is None:
        return BlockedRow(line)
    verdict = aggregate(record.rows)
    labels = {str(name): label for name, label in DIMENSION_LABELS.items()}
    return BlockedRow(
        line,
        below=tuple(_low_scores(verdict)),
        missing=tuple(
            labels.get(name := one.removesuffix(MISSING), in_words(name))
            for one in verdict.reasons
            if one.endswith(MISSING)
        ),
        hard=tuple(sentence(in_words(one.removeprefix(CRITICAL))) for one in verdict.hard_reasons),
        attempt=f"{reviews_made(record)} of {most} attempts",
    )


def reviews_made(record: ParagraphRecord) -> int:
    """The number of reviews since the run began, or since a person sent the paragraph back."""
    return len(record.past.failed) + (record.review is not None and record.review.passed)


def _low_scores(verdict: Verdict) -> Iterator[Drawn]:
    for name, label in DIMENSION_LABELS.items():
        given = verdict.scores.get(name)
        if given is not None and given < THRESHOLDS[name]:
            lowest = [who for who, score in verdict.by_reviewer.get(name, {}).items() if score == given]
            yield Drawn(
                name=label,
                value=given,
                threshold=THRESHOLDS[name],
                reviewers=listed(reviewer_label(who) for who in lowest),
            )


def reviewer_label(reviewer: str) -> str:
    """The label of a reviewer: `rules`, `review by gemma-3-27b`, `critic typography`."""
    name, _, model = reviewer.partition(":")
    if name == "critic":
        return f"critic {model}"
    if name != MODEL_REVIEWER:
        return reviewer
    return f"review by {model_name(model)}" if model else "model review"


def gate_part(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
    where = UnitFilter(states=not_ready(run))
    before = query.get("before")
    page = run.units(where, offset_key=before or query.get("after"), limit=ROWS, backwards=bool(before))
    return {
        "gate": gate_view(run),
        "blocked": blocked_rows(run, page.lines),
        "total": page.total,
        "previous": run_link(run.view.folder.id, tab="gate", before=page.previous) if page.previous else None,
        "next": run_link(run.view.folder.id, tab="gate", after=page.next) if page.next else None,
    }


def reviewers_panel(record: ParagraphRecord) -> Panel | None:
    """The scores of the kept draft, reviewer by reviewer; None if it was not reviewed."""
    if record.review is None:
        return None
    verdict = aggregate(record.rows)
    rows = [
        Drawn(
            name=label,
            threshold=THRESHOLDS[name],
            lowest=(lowest := verdict.scores.get(name)),
            given=tuple((reviewer_label(who), value) for who, value in verdict.by_reviewer.get(name, {}).items()),
            is_below=lowest is not None and lowest < THRESHOLDS[name],
        )
        for name, label in DIMENSION_LABELS.items()
    ]
    context = {"rows": rows, "silent": [reviewer_label(row.reviewer) for row in record.rows if row.failure]}
    return Panel("kinds/manuscripts/reviewers.html", context, "Reviewers", id="reviewers")


NAME = "final/candidate_map.jsonl"
LONGEST_ROW = 4096
"""Most bytes of a row, which has a name and three numbers."""
BLOCKS = 30
"""Paragraphs per page."""
MOST_UNMAPPED = 50
LARGEST_NUMBER = 9
"""Most digits of a requested line number."""


@dataclass(frozen=True, slots=True)
class MapRow:
    """The lines of one paragraph in the candidate."""

    paragraph: str
    index: int
    """The number of the paragraph in the book, from 1."""
    start: int
    """Its first line, from 1."""
    end: int

    @property
    def label(self) -> str:
        """`L61–63`."""
        return f"L{self.start}" if self.start == self.end else f"L{self.start}–{self.end}"


@dataclass(frozen=True, slots=True)
class CandidateMap:
    """The candidate map of one run."""

    path: Path

    @classmethod
    def of(cls, run: RunReader) -> CandidateMap:
        return cls(run.view.folder.export(NAME))

    @property
    def made_at(self) -> str | None:
        """When the map was written; None if it was not written yet."""
        try:
            return datetime.fromtimestamp(self.path.stat().st_mtime, UTC).isoformat()
        except FileNotFoundError:
            return None

    def from_paragraph(self, index: int, limit: int) -> list[MapRow]:
        """The rows from this paragraph."""
        return self._rows(lambda row: row.index >= index, limit)

    def from_line(self, line: int, limit: int) -> list[MapRow]:
        """The rows from the first paragraph that contains this line or follows it."""
        return self._rows(lambda row: row.end >= line, limit)

    def row(self, index: int) -> MapRow | None:
        """The row of one paragraph; None if it has no lines."""
        found = self.from_paragraph(index, 1)
        return found[0] if found and found[0].index == index else None

    def last(self) -> MapRow | None:
        """The last row, which shows the length of the candidate."""
        try:
            with self.path.open("rb") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - LONGEST_ROW))
                lines = file.read().splitlines()
        except FileNotFoundError:
            return None
        return self._row(lines[-1]) if lines else None

    def _rows(self, reached: Callable[[MapRow], bool], limit: int) -> list[MapRow]:
        """The rows from the first for which `reached` holds; it must be false for all rows before that."""
        try:
            with self.path.open("rb") as file:
                file.seek(self._first(file, reached))
                lines = [file.readline(LONGEST_ROW) for _ in range(limit)]
        except FileNotFoundError:
            return []
        return [self._row(line) for line in lines if line.strip()]

    def _first(self, file: BinaryIO, reached: Callable[[MapRow], bool]) -> int:
        """The position of the first such row, by binary search."""
        low, high = 0, file.seek(0, os.SEEK_END)
        while low < high:
            middle = (low + high) // 2
            begins, line = self._line_behind(file, middle)
            if not line.strip() or reached(self._row(line)):
                high = middle
            else:
                low = begins + len(line)
        return self._line_behind(file, low)[0]

    def _line_behind(self, file: BinaryIO, place: int) -> tuple[int, bytes]:
        """The first line that begins at or after a position, and its beginning."""
        if place > 0:
            file.seek(place - 1)
            place += len(file.readline(LONGEST_ROW)) - 1
        file.seek(place)
        return place, file.readline(LONGEST_ROW)

    def _row(self, line: bytes) -> MapRow:
        try:
            read = loads(line)
            return MapRow(
                str(read["paragraph_id"]), int(read["paragraph_index"]), int(read["start_line"]), int(read["end_line"])
            )
        except (ValueError, KeyError, TypeError) as wrong:
            raise StateCorrupt(
                f"{self.path.name} cannot be read; it was changed by hand.",
                hint="`burnish export RUN` writes the files of a run again.",
            ) from wrong


@dataclass(frozen=True, slots=True)
class IssueLine:
    """An issue without a paragraph."""

    line: UnitLine
    issue: RunIssue

    @property
    def anchor(self) -> str:
        """The lines that the reviewer gave."""
        issue = self.issue.issue
        if "start_line" in issue:
            return f"lines {issue['start_line']} to {issue.get('end_line', issue['start_line'])}"
        return f"line {issue['line']}" if "line" in issue else ""


def map_view(run: RunReader, query: Mapping[str, str]) -> Drawn:
    """The page of the map from a line (`line`) or a paragraph (`from`)."""
    known = CandidateMap.of(run)
    line, first = _number(query.get("line")), _number(query.get("from"))
    rows = known.from_line(line, BLOCKS + 1) if line is not None else known.from_paragraph(first or 1, BLOCKS + 1)
    shown, last = rows[:BLOCKS], known.last()
    begin = known.from_paragraph(1, 1)

    def link(index: int) -> str:
        return run_link(run.view.folder.id, **{"tab": "map", "from": str(index)})

    return Drawn(
        blocks=tuple(_blocks(run, shown)),
        made_at=known.made_at,
        lines=last.end if last is not None else 0,
        asked=line,
        previous=link(max(1, shown[0].index - BLOCKS)) if shown and begin and shown[0].index > begin[0].index else None,
        next=link(rows[BLOCKS].index) if len(rows) > BLOCKS else None,
        label=f"Lines {count(shown[0].start)} to {count(shown[-1].end)} of {count(last.end)}" if shown and last else "",
        unmapped=tuple(_unmapped(run)),
    )


def _number(given: str | None) -> int | None:
    return int(given) if given is not None and given.isdecimal() and len(given) <= LARGEST_NUMBER else None


def _blocks(run: RunReader, rows: list[MapRow]) -> Iterator[Drawn]:
    for row in rows:
        line = run.line(row.paragraph)
        if line is None:
            continue
        draft = kept_draft(run.view.kind, run.story(row.paragraph))
        assert isinstance(draft, Paragraph), "the candidate is made of paragraphs"
        text = [each for _, place in candidate_pieces([draft], row.start) for each in place.text.split("\n")]
        yield Drawn(
            row=row, line=line, text=tuple(enumerate(text, row.start)), moved=len(text) != row.end - row.start + 1
        )


def _unmapped(run: RunReader) -> Iterator[IssueLine]:
    events = run.view.journal.events(types=("blocker_numbered",), limit=MOST_UNMAPPED)
    for event in events:
        line = run.line(str(event.unit))
        source = run.story(str(event.unit)).source if line is not None else None
        if line is not None and isinstance(source, RunIssue):
            yield IssueLine(line, source)


def place_of(run: RunReader, paragraph: Paragraph) -> str | None:
    """The lines of a paragraph in the candidate; None if it has none or the map is unreadable (its tab says so)."""
    try:
        row = CandidateMap.of(run).row(paragraph.index)
    except StateCorrupt:
        return None
    return row.label if row is not None else None
