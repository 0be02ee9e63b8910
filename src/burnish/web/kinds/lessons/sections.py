"""The sections of a lesson: locked or open, how often edited, what is open, and how they were judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.app.catalogue import UnitLine
from burnish.core.attempts import findings_of
from burnish.core.findings import SEVERITIES, Finding, Severity
from burnish.core.records import AttemptRecord
from burnish.kinds.lessons.refinement.config import CRITERIA, MAX_EDITS, WEIGHTS
from burnish.kinds.lessons.refinement.scoring import weighted
from burnish.web.kinds.lessons.story import LessonStory, plain_title
from burnish.web.wording import in_words, plural

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

LOCKS = {"max_edits": "edits used up", "regression": "rolled back", "oscillation": "went up and down"}
"""Why nothing touches a section any more, in words."""
ISSUE_WORDS: Mapping[Severity, str] = {"critical": "critical", "error": "major", "warning": "minor", "info": "note"}
"""How judges of lessons call the severities."""


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section in a table."""

    line: UnitLine
    ours: bool
    """It is of the lesson that is looked at: of others, less is known here."""
    title: str
    lang: str | None
    lock: str | None
    """Why nothing touches it any more; None: it is open."""
    edits: int
    most_edits: int
    severity: Severity | None
    """Of its worst open finding."""
    open: str
    """Its open findings in words; empty where there are none."""
    before: float | None
    """How it was judged first; None: it was not."""
    now: float | None
    """How the text that stands was judged."""


def section_rows(run: RunCatalogue, story: LessonStory, lines: Iterable[UnitLine]) -> list[SectionRow]:
    """A row for each of these units of the lesson."""
    locks = {one["sectionId"]: str(one["reason"]) for one in story.refined("section_locked")}
    edits = edit_counts(story)
    return [_row(run, story, line, locks, edits) for line in lines]


def edit_counts(story: LessonStory) -> dict[str, int]:
    """Own id of a section -> how often it was edited in this refinement."""
    found: dict[str, int] = {}
    for event in story.refinement:
        if event.type in ("patch_applied", "section_regenerated"):
            found[event.data["sectionId"]] = found.get(event.data["sectionId"], 0) + 1
    return found


def _row(
    run: RunCatalogue,
    story: LessonStory,
    line: UnitLine,
    locks: Mapping[str, str],
    edits: Mapping[str, int],
) -> SectionRow:
    attempts = run.view.journal.attempts(line.id)
    stands = attempts[line.best_attempt - 1] if 0 < line.best_attempt <= len(attempts) else None
    findings = findings_of(stands) if stands is not None else []
    ours = line.document == story.document
    own_id = line.id.removeprefix(run.view.plan.unit_id(line.document, ""))
    lock = locks.get(own_id) if ours else None
    done = edits.get(own_id, 0) if ours else 0
    return SectionRow(
        line=line,
        ours=ours,
        title=story.title_of(own_id) if ours else plain_title(own_id),
        lang=story.lang if ours else None,
        lock=_lock_words(lock, done) if lock is not None else None,
        edits=done,
        most_edits=max(MAX_EDITS, done),
        severity=min((one.severity for one in findings), key=SEVERITIES.index, default=None),
        open=open_words(findings),
        before=_first_score(attempts),
        now=_score_of(attempts, stands),
    )


def _lock_words(reason: str, edits: int) -> str:
    return plural(edits, "edit") if reason == "max_edits" else LOCKS.get(reason, in_words(reason))


def open_words(findings: Sequence[Finding]) -> str:
    """`1 critical, 2 minor`."""
    counts = [(ISSUE_WORDS[one], sum(finding.severity == one for finding in findings)) for one in SEVERITIES]
    return ", ".join(f"{count} {word}" for word, count in counts if count)


def judged_score(attempt: AttemptRecord) -> float | None:
    """One number for a section: its criteria by their weights; None where no judge scored this text."""
    scores = {name: attempt.scores[name] for name in CRITERIA if name in attempt.scores}
    return weighted(scores, WEIGHTS) if scores else None


def _first_score(attempts: Sequence[AttemptRecord]) -> float | None:
    return next((score for one in attempts if (score := judged_score(one)) is not None), None)


def _score_of(attempts: Sequence[AttemptRecord], stands: AttemptRecord | None) -> float | None:
    """Of the text that stands: it may have been judged in another attempt than the one that wrote it."""
    if stands is None:
        return None
    same = [one for one in attempts if one.content_hash == stands.content_hash]
    return next((score for one in reversed(same) if (score := judged_score(one)) is not None), None)
