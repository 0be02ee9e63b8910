"""The gate of a book: what it asks of every paragraph, and what each one that is not ready lacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from burnish.app.catalogue import CauseCount, RunCard, UnitLine
from burnish.core.records import EventRecord
from burnish.kinds.manuscripts.dimensions import BLOCKING_CATEGORIES, DIMENSIONS, HARD_FLOOR, THRESHOLDS
from burnish.kinds.manuscripts.issues import RunIssue
from burnish.kinds.manuscripts.policy import EXCLUDED, MAX_ATTEMPTS, MERGED, READY
from burnish.kinds.manuscripts.publish import Told
from burnish.kinds.manuscripts.review.aggregate import CRITICAL, MISSING, aggregate
from burnish.kinds.manuscripts.review.doors import FIDELITY_REVIEWER, GRAMMAR_REVIEWER
from burnish.web.icons import Look, look_of
from burnish.web.kinds.manuscripts.pairs import reviews_made
from burnish.web.notices import gate_words
from burnish.web.speaking import model_name
from burnish.web.wording import in_words, listed, plural, sentence

if TYPE_CHECKING:
    from burnish.app.catalogue import RunCatalogue

DIMENSION_WORDS = {
    "grammar": "Grammar",
    "vocabulary": "Vocabulary",
    "style": "Style",
    "voice": "Voice",
    "semantic_fidelity": "Fidelity",
}


@dataclass(frozen=True, slots=True)
class LineRow:
    """One of the five scores over the whole book."""

    name: str
    line: float
    below: int
    scored: int
    missing: int
    """Required paragraphs without it."""


@dataclass(frozen=True, slots=True)
class BelowLine:
    """A score that does not reach its line."""

    name: str
    value: float
    line: float
    reviewers: str
    """Who gave it: the lowest counts."""


@dataclass(frozen=True, slots=True)
class BlockedRow:
    """A paragraph that is not ready, and what the gate says of it."""

    line: UnitLine
    look: Look
    below: tuple[BelowLine, ...]
    missing: tuple[str, ...]
    """Scores and reviewers that are missing: a missing score fails."""
    hard: tuple[str, ...]
    """What blocks whatever the scores are."""
    attempt: str
    """`2 of 4 attempts`; empty where nothing was reviewed yet."""
    issue: RunIssue | None
    """It is no paragraph, but an issue that belongs to none."""


@dataclass(frozen=True, slots=True)
class GateView:
    """Whether the book may be published, and why not."""

    words: str
    """In sentences, to whoever sits at the desk."""
    told: str
    """The same to anybody else."""
    tone: str
    """How that is drawn: `done`, `wait`, `fail` or `work`."""
    required: int
    ready: int
    excluded: int
    lines: tuple[LineRow, ...]
    floor: float
    blocking: str
    """The sorts of issues of which one blocks."""
    reviewers: str
    attempts: int
    causes: tuple[CauseCount, ...]
    approved_by: str | None
    approved_at: str | None
    needs_approval: bool
    """Everything is ready; a person has to say so."""


def gate_view(run: RunCatalogue) -> GateView:
    card = run.card
    approval = _last(run, "approved")
    words, tone = _words(card, "you")
    scored = {one.name: one for one in run.scores()}
    return GateView(
        words=words,
        told=_words(card, "a person")[0],
        tone=tone,
        required=card.wanted,
        ready=card.ready,
        excluded=card.counts.get(EXCLUDED, 0),
        lines=tuple(
            LineRow(
                DIMENSION_WORDS[name],
                THRESHOLDS[name],
                scored[name].below if name in scored else 0,
                scored[name].count if name in scored else 0,
                max(0, card.wanted - (scored[name].count if name in scored else 0)),
            )
            for name in DIMENSIONS
        ),
        floor=HARD_FLOOR,
        blocking=listed(sorted(in_words(one) for one in BLOCKING_CATEGORIES)),
        reviewers=_reviewers(run),
        attempts=most_attempts(run),
        causes=tuple(run.causes()),
        approved_by=str(approval.data.get("by") or "the command line") if approval is not None else None,
        approved_at=approval.at if approval is not None else None,
        needs_approval=card.standing == "waiting_for_approval",
    )


def _words(card: RunCard, who: str) -> tuple[str, str]:
    """Whether it is published, and what keeps it from that."""
    changed = card.stop == "source_changed"
    if card.standing == "published":
        return "Published. Every required paragraph passed.", "done"
    if changed:
        return "Not published. The source has changed since the run began, so no decision can publish it.", "fail"
    if card.standing == "waiting_for_approval":
        return "Every required paragraph is ready. Somebody has to approve the whole.", "wait"
    open_ = card.wanted - card.ready
    if not open_ and not card.waiting:
        return "Nothing blocks it. It is published when the run goes on.", "done"
    return f"Not published. {gate_words(card, who=who)}.", "work" if card.standing == "working" else "wait"


def _last(run: RunCatalogue, type: str) -> EventRecord | None:
    found = list(run.view.journal.events(types=(type,)))
    return found[-1] if found else None


def _reviewers(run: RunCatalogue) -> str:
    """`34 rules, gemma-3-27b (grammar and fidelity), qwen3-32b (critics)`."""
    plan = run.view.plan
    models = plan.judges or tuple(model for role, model in plan.roles.items() if role == "reviewer")
    critics = [model for role, model in plan.roles.items() if role == "critic"]
    beside = plan.arguments.get("beside", {}).get("critics", {})
    said = [plural(len(plan.rules), "rule"), *(f"{model_name(one)} (grammar and fidelity)" for one in models)]
    if beside:
        said += [f"{model_name(one)} ({plural(len(beside), 'critic')})" for one in critics]
    return ", ".join(said)


def most_attempts(run: RunCatalogue) -> int:
    """How often a paragraph is reviewed before a person has to look at it."""
    return int(run.view.plan.arguments.get("options", {}).get("max_attempts", MAX_ATTEMPTS))


def not_ready(run: RunCatalogue) -> tuple[str, ...]:
    """The states of paragraphs that keep the book from being published."""
    return tuple(state for state in run.view.kind.states.moves if state not in (READY, MERGED, EXCLUDED))


def blocked_rows(run: RunCatalogue, lines: Iterable[UnitLine]) -> list[BlockedRow]:
    return [_blocked(run, line, most_attempts(run)) for line in lines]


def _blocked(run: RunCatalogue, line: UnitLine, most: int) -> BlockedRow:
    story = run.story(line.id)
    look = look_of(line.state, line.sort)
    if isinstance(story.source, RunIssue):
        return BlockedRow(line, look, (), (), (), "", story.source)
    told = Told.of(story)
    if told.review is None:
        return BlockedRow(line, look, (), (), (), "", None)
    verdict = aggregate(told.rows)
    return BlockedRow(
        line,
        look,
        below=tuple(_below(verdict.scores, verdict.by_reviewer)),
        missing=tuple(_named(one.removesuffix(MISSING)) for one in verdict.reasons if one.endswith(MISSING)),
        hard=tuple(sentence(in_words(one.removeprefix(CRITICAL))) for one in verdict.hard_reasons),
        attempt=f"{reviews_made(told)} of {most} attempts",
        issue=None,
    )


def _below(scores: object, by_reviewer: object) -> Iterator[BelowLine]:
    assert isinstance(scores, dict) and isinstance(by_reviewer, dict)
    for name in DIMENSIONS:
        if name in scores and scores[name] < THRESHOLDS[name]:
            lowest = [who for who, given in by_reviewer.get(name, {}).items() if given == scores[name]]
            yield BelowLine(
                DIMENSION_WORDS[name], scores[name], THRESHOLDS[name], listed(reviewer_words(who) for who in lowest)
            )


def reviewer_words(reviewer: str) -> str:
    """Who gave a score: `rules`, `grammar review by gemma-3-27b`, `critic typography`."""
    name, _, model = reviewer.partition(":")
    if name == "critic":
        return f"critic {model}"
    if name not in (GRAMMAR_REVIEWER, FIDELITY_REVIEWER):
        return reviewer
    return f"{name} review by {model_name(model)}" if model else f"{name} review"


def _named(reason: str) -> str:
    return DIMENSION_WORDS.get(reason, in_words(reason))
