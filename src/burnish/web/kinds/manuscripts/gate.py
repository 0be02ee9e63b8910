"""The gate of a book: what it asks of every paragraph, and what each one that is not ready lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from burnish.app.run_card import RunCard
from burnish.app.run_reader import RunReader, UnitLine
from burnish.core.presentation import UnitStory
from burnish.kinds.manuscripts.findings import RunIssue
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
from burnish.kinds.manuscripts.publish import Told
from burnish.kinds.manuscripts.review_rows import MODEL_REVIEWER
from burnish.kinds.manuscripts.verdict import CRITICAL, MISSING, Verdict, aggregate
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import in_words, listed, plural, sentence
from burnish.web.kinds import Panel
from burnish.web.labels import gate_words, model_name
from burnish.web.rendering import run_link

ROWS = 25
"""Blocked paragraphs on a page."""
DIMENSION_LABELS: dict[DimensionName, str] = {
    "grammar": "Grammar",
    "vocabulary": "Vocabulary",
    "style": "Style",
    "voice": "Voice",
    "semantic_fidelity": "Fidelity",
}


@dataclass(frozen=True, slots=True)
class BlockedRow:
    """A paragraph that is not ready, and what the gate says of it."""

    line: UnitLine
    below: tuple[Drawn, ...] = ()
    missing: tuple[str, ...] = ()
    """Scores and reviewers that are missing: a missing score fails."""
    hard: tuple[str, ...] = ()
    """What blocks whatever the scores are."""
    attempt: str = ""
    """`2 of 4 attempts`; empty where nothing was reviewed yet."""
    issue: RunIssue | None = None
    """It is no paragraph, but an issue that belongs to none."""


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
    """Whether it is published, what keeps it from that, and how that is drawn."""
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
    said = [plural(len(plan.rules), "rule"), *(f"{model_name(one)} (grammar and fidelity)" for one in models)]
    if beside:
        said += [f"{model_name(one)} ({plural(len(beside), 'critic')})" for one in critics]
    return ", ".join(said)


def most_attempts(run: RunReader) -> int:
    """How often a paragraph is reviewed before a person has to look at it."""
    return int(run.view.plan.arguments.get("options", {}).get("max_attempts", MAX_ATTEMPTS))


def not_ready(run: RunReader) -> tuple[str, ...]:
    """The states of paragraphs that keep the book from being published."""
    return tuple(state for state in run.view.kind.states.moves if state not in (READY, MERGED, EXCLUDED))


def blocked_rows(run: RunReader, lines: Iterable[UnitLine]) -> list[BlockedRow]:
    return [_blocked(line, run.story(line.id), most_attempts(run)) for line in lines]


def _blocked(line: UnitLine, story: UnitStory, most: int) -> BlockedRow:
    if isinstance(story.source, RunIssue):
        return BlockedRow(line, issue=story.source)
    told = Told.of(story)
    if told.review is None:
        return BlockedRow(line)
    verdict = aggregate(told.rows)
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
        attempt=f"{reviews_made(told)} of {most} attempts",
    )


def reviews_made(told: Told) -> int:
    """How often the paragraph was reviewed since the run began, or since a person sent it back."""
    return len(told.past.failed) + (told.review is not None and told.review.passed)


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
    """Who gave a score: `rules`, `review by gemma-3-27b`, `critic typography`."""
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


def reviewers_panel(told: Told) -> Panel | None:
    """The scores of the draft that stands, reviewer by reviewer; None where nobody reviewed it."""
    if told.review is None:
        return None
    verdict = aggregate(told.rows)
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
    context = {"rows": rows, "silent": [reviewer_label(row.reviewer) for row in told.rows if row.failure]}
    return Panel("kinds/manuscripts/reviewers.html", context, "Reviewers", id="reviewers")
