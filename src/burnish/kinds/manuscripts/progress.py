"""The progress of a paragraph: its earlier reviews, and the phases that need no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, ClassVar

from burnish.core.attempts import rejections_in
from burnish.core.effects import Answer, Keep, Note, Outcome, Settled, Stop, Work
from burnish.core.records import AttemptRecord, Usage
from burnish.core.tasks import Environment, Item, Surroundings
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.policy import ASSEMBLED, RENDERED, REWORKED, TRANSLATED
from burnish.kinds.manuscripts.resources import Equipment
from burnish.kinds.manuscripts.review_rows import ReviewIssue, ReviewRow
from burnish.kinds.manuscripts.verdict import Verdict
from burnish.text.transliteration import Note as Spelling
from burnish.text.transliteration import render


@dataclass(frozen=True, slots=True)
class Past:
    """The reviews of a paragraph."""

    reviews: tuple[AttemptRecord, ...]
    """All of them, failed or not."""
    failed: tuple[AttemptRecord, ...]
    """Those that failed since the run began, or since a person last sent the paragraph back."""
    edits_tried: bool
    """Whether a rework since then used edits."""

    @property
    def attempt(self) -> int:
        """The contract's number of the attempt: 1 plus the number of failed reviews."""
        return len(self.failed) + 1

    @property
    def hard_reasons(self) -> list[list[str]]:
        return [reasons_of(review, "hard_reasons") for review in self.failed]

    @property
    def best(self) -> AttemptRecord | None:
        """The best failed review; of equal ones the earliest."""
        return min(self.failed, key=_badness, default=None)


def past_of(item: Item) -> Past:
    return past(item.attempts, rejections_in(item.decisions))


def past(attempts: Sequence[AttemptRecord], rejections: Sequence[int]) -> Past:
    granted = rejections[-1] if rejections else 0
    reviews = tuple(attempt for attempt in attempts if attempt.cause == "review")
    since = [attempt for attempt in attempts if attempt.number > granted]
    return Past(
        reviews,
        tuple(review for review in reviews if not review.passed and review.number > granted),
        any(attempt.cause == "model" and attempt.edits for attempt in since),
    )


def reasons_of(review: AttemptRecord, name: str = "reasons") -> list[str]:
    return list((review.receipt or {}).get(name, ()))


def rows_of(review: AttemptRecord) -> list[ReviewRow]:
    return [ReviewRow.from_wire(wire) for wire in (review.receipt or {}).get("rows", ())]


def issues_of(review: AttemptRecord) -> list[ReviewIssue]:
    return list(dict.fromkeys(issue for row in rows_of(review) for issue in row.issues))


def is_better(verdict: Verdict, best: AttemptRecord) -> bool:
    """Whether a failed review is better than the best before it."""
    return (len(verdict.hard_reasons), len(verdict.reasons), -_mean(verdict.scores)) < _badness(best)[:3]


def _badness(review: AttemptRecord) -> tuple[int, int, float, int]:
    hard, all = reasons_of(review, "hard_reasons"), reasons_of(review)
    return len(hard), len(all), -_mean(review.scores), review.number


def _mean(scores: Mapping[str, Any]) -> float:
    return fmean(map(float, scores.values())) if scores else 0.0


ROOM = 12_000
"""Characters of source in one request: with more, models begin to leave things out."""


def paragraph_of(unit: object) -> Paragraph:
    """The unit as a paragraph; any other unit is an error of the caller, not of the content."""
    assert isinstance(unit, Paragraph), f"no paragraph of a manuscript: {unit!r}"
    return unit


def source_of(item: Item) -> Paragraph:
    return paragraph_of(item.source)


def draft_of(item: Item) -> Paragraph:
    return paragraph_of(item.unit)


def bill(answer: Answer, *, first: bool) -> tuple[Usage, tuple[str, ...]]:
    """The cost of an answer about several paragraphs, charged to the first, so that it does not count twice."""
    return (answer.usage, answer.calls) if first else (Usage(), answer.calls)


def in_script(paragraph: Paragraph, equipment: Equipment) -> Paragraph:
    """The paragraph with its Latin text rendered for readers; unchanged without a second pass."""
    return paragraph if paragraph.latin is None else _rendered(paragraph, equipment)[0]


def _rendered(paragraph: Paragraph, equipment: Equipment) -> tuple[Paragraph, tuple[Spelling, ...]]:
    assert paragraph.latin is not None, "the first pass wrote it"
    rendered = render(paragraph.latin, "tifinagh", equipment.terms.orthography, equipment.kept_names, "text")
    return replace(paragraph, translation=rendered.text), rendered.notes


@dataclass(frozen=True)
class Phase:
    """One phase of the work, with the defaults that most phases share."""

    equipment: Equipment
    env: Environment
    moves: ClassVar[tuple[str, ...]] = ()

    @property
    def enters(self) -> str | None:
        return None

    @property
    def gathers(self) -> bool:
        return False

    @property
    def pays(self) -> bool:
        return False

    @property
    def room(self) -> int:
        return ROOM

    def weight(self, item: Item) -> int:
        return 0


class Rendering(Phase):
    """Phase C: Latin letters into Tifinagh, by rules."""

    name = "render"
    takes = (TRANSLATED,)
    size = 200

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        yield from ()
        return Outcome(tuple(self._settled(item) for item in items))

    def _settled(self, item: Item) -> Settled:
        draft, notes = _rendered(draft_of(item), self.equipment)
        told = (Note("letters_normalised", draft.id, {"notes": [asdict(note) for note in notes]}),) if notes else ()
        return Settled(draft.id, (Stop(RENDERED, "script"),), (Keep(draft, "script"),), told)


class Assembling(Phase):
    """Phase C.5: every translated paragraph becomes part of the candidate."""

    name = "assemble"
    size = 500
    gathers = True
    moves = (ASSEMBLED,)

    @property
    def takes(self) -> tuple[str, ...]:
        """The states that enter; with `only_rework`, only reworked paragraphs."""
        if self.env.only_rework:
            return (REWORKED,)
        return (RENDERED if self.equipment.terms.renders else TRANSLATED, REWORKED)

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        raise AssertionError("a stage that only moves its units does no work on them")
