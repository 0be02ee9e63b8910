"""Scores every cut by rules, and by a model if one is configured; then decides on the SEED.

The lowest score of a dimension counts, by rules or model. A cut with a broken guarantee does not pass, whatever its
score.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from burnish.core.effects import Answer, Ask, Effect, Keep, ModelRequest, Note, Outcome, Settled, Stop, Work
from burnish.core.records import AttemptRecord, Usage
from burnish.core.replies import LegoReviewReply
from burnish.core.tasks import Item, Surroundings
from burnish.kinds.legos.attempt_history import (
    STANDS_IN,
    attempts_made,
    best,
    decided,
    is_better_before,
    reviewed,
)
from burnish.kinds.legos.extraction import SeedStage, seed_of
from burnish.kinds.legos.model import OVERALL, Seed
from burnish.kinds.legos.policy import (
    ACCEPTED,
    CRITICAL,
    DECIDED,
    DOUBTFUL,
    EXHAUSTED,
    EXTRACTED,
    FLAG,
    HELD,
    RETRY,
    UNUSUAL,
    WAITING,
)
from burnish.kinds.legos.replies import DroppedClaim, heard, review_of, together
from burnish.kinds.legos.requests import review_ask
from burnish.kinds.legos.resources import NO_PROMPT, CourseFacts
from burnish.kinds.legos.rule_review import Looked, decision, findings_of, fixed, look, unusual
from burnish.languages.detection import language_name, other_language

UNREAD = "The reviewer's answer could not be read."


@dataclass(slots=True)
class Seen:
    """One SEED while it is reviewed."""

    item: Item
    seed: Seed
    looked: Looked
    usage: Usage = field(default_factory=Usage)
    calls: tuple[str, ...] = ()
    reviewer: str = ""
    """The model that reviewed it."""
    dropped: tuple[DroppedClaim, ...] = ()
    """Its claims that are not used."""
    unreadable: bool = False
    """Whether the model's answer could not be read: then the cut does not pass."""


@dataclass(frozen=True)
class Reviewing(SeedStage):
    """The stage that reviews cuts and decides."""

    name: str = "review"
    takes: tuple[str, ...] = (EXTRACTED,)

    @property
    def model(self) -> str | None:
        return self.env.roles.of("reviewer")

    def work(self, items: Sequence[Item], around: Surroundings) -> Work:
        facts = CourseFacts(self.env.facts, self.terms)
        seen = [self._looked_at(item, facts) for item in items]
        if self.model is not None:
            yield from self._ask(self.model, [one for one in seen if one.seed.legos])
        return Outcome(tuple(self._settled(one, facts) for one in seen))

    def _looked_at(self, item: Item, facts: CourseFacts) -> Seen:
        """The review by rules, after the one automatic fix."""
        seed = fixed(seed_of(item.unit))
        return Seen(item, seed, look(seed, self.terms, facts.habits, facts.evidence))

    def _ask(self, model: str, seen: Sequence[Seen]) -> Generator[Effect, Any, None]:
        if not seen:
            return
        commission = self.terms.commission
        answers: tuple[Answer, ...] = yield Ask(
            tuple(ModelRequest(review_ask(one.seed, commission), model) for one in seen)
        )
        for one, answer in zip(seen, answers, strict=True):
            one.usage, one.calls = one.usage + answer.usage, (*one.calls, *answer.calls)
            if isinstance(answer.reply, LegoReviewReply):
                said = review_of(answer.reply, one.seed, by=f"model:{model}")
                one.reviewer, one.dropped = model, heard(one.looked.review, said).dropped
                one.looked = replace(one.looked, review=together(one.looked.review, said))
            else:
                one.unreadable = True

    # -- the decision

    def _settled(self, one: Seen, facts: CourseFacts) -> Settled:
        circumstances = self._circumstances(one, facts)
        attempt = self._attempt(one, circumstances)
        mended = (Keep(one.seed, "safe_fix"),) if one.seed != one.item.unit else ()
        number = len(one.item.attempts) + len(mended) + 1
        recorded = (*one.item.counted_attempts, _recorded(attempt, one.item.row.id, number))
        stop = self._stop(one, recorded, circumstances, passed=attempt.passed)
        dropped = tuple(_dropped(one.seed.id, claim, one.reviewer, number) for claim in one.dropped)
        drafts = [*mended, attempt]
        if stop.reason == EXHAUSTED and self._failed(recorded):
            drafts += (instead := self._built_in(one.item, facts, circumstances))
            recorded = (*recorded, *(_recorded(draft, one.item.row.id, number + 1) for draft in instead))
        return Settled(one.seed.id, (stop,), tuple(drafts), dropped, self._stands(one.item, recorded))

    def _failed(self, recorded: Sequence[AttemptRecord]) -> bool:
        """Whether a model failed every time. With a reviewer, a low score may be the reviewer's alone: then only cuts
        without LEGOs count."""
        scores = [one.scores[OVERALL] for one in reviewed(recorded)]
        return max(scores) < FLAG if self.model is None else not any(scores)

    def _built_in(self, item: Item, facts: CourseFacts, circumstances: Mapping[str, Any]) -> list[Keep]:
        """The built-in cut of a SEED that a model failed on every time, so that a person has a cut to review."""
        made = facts.evidence.built_in_cut(seed_of(item.source), self.terms.rule)
        if self.terms.extractor != "model" or not made.legos:
            return []
        one = Seen(item, made, look(made, self.terms, facts.habits, facts.evidence))
        whose = {"agent": self.terms.agent("built-in"), "prompt": NO_PROMPT}
        draft = replace(self._attempt(one, {**circumstances, **whose}), passed=False)
        return [replace(draft, checked={**draft.checked, STANDS_IN: True})]

    def _attempt(self, one: Seen, circumstances: Mapping[str, Any]) -> Keep:
        return Keep(
            one.seed,
            "review",
            scores=one.looked.scores(),
            findings=findings_of(one.seed, one.looked),
            passed=self._passes(one),
            usage=one.usage,
            calls=one.calls,
            checked={"measured": {**one.looked.measured(), **circumstances}},
        )

    def _stands(self, item: Item, recorded: Sequence[AttemptRecord]) -> int:
        """The attempt that a person would accept: the best of this run, or the recorded one, if that is better than all
        attempts that did not pass."""
        ours, source = best(recorded, item.decisions), seed_of(item.source)
        return 1 if not ours.passed and is_better_before(source, ours) else ours.number

    def _passes(self, one: Seen) -> bool:
        accepted = decision(one.looked.review.overall) == "accepted"
        return accepted and not one.looked.broken and not one.unreadable

    def _stop(
        self, one: Seen, recorded: Sequence[AttemptRecord], circumstances: Mapping[str, Any], *, passed: bool
    ) -> Stop:
        if one.unreadable:
            return Stop(WAITING, "reviewer_unreadable")
        again = self._why_again(one)
        made = attempts_made(one.seed, recorded, anew=self.terms.begins_anew(one.seed))
        exhausted = made >= self.terms.max_attempts
        if again and not exhausted:
            return Stop(RETRY, again)
        if any(attempt.passed for attempt in reviewed(recorded)):
            why = circumstances["person"]
            return Stop(WAITING, why) if why else Stop(ACCEPTED, "accepted")
        return Stop(WAITING, EXHAUSTED if exhausted else "flagged")

    def _why_again(self, one: Seen) -> str:
        """The reason for another attempt; empty if none is needed."""
        if one.looked.broken:
            return "guarantee_broken"
        if one.looked.review.overall < self.terms.retry_below:
            return "score_too_low"
        # The built-in extractor has considered that already; a model may not have.
        return DOUBTFUL if _is_misaligned(one) and self.terms.extractor == "model" else ""

    def _circumstances(self, one: Seen, facts: CourseFacts) -> dict[str, Any]:
        """The extractor and prompt of a cut, and why a person should review it even if it passes."""
        by_model = self.terms.extractor == "model"
        model = self.env.roles.of("extractor") if by_model else None
        links = facts.evidence.links(one.seed)
        odd = unusual(one.seed.source, self.terms.profile) or ("" if links else "no alignment")
        other = other_language(one.seed.source, self.terms.course.source_tag)
        if other is not None:
            odd = f"the source is in {language_name(other)}"
        unread = (UNREAD,) if one.unreadable else ()
        return {
            "agent": self.terms.agent(model or "built-in"),
            "prompt": self.terms.prompt_version if by_model else NO_PROMPT,
            "unusual": odd,
            "person": self._why_seen(one, odd),
            "reasons": [*unread, *one.looked.broken, *([f"An unusual SEED: {odd}."] if odd else ())],
        }

    def _why_seen(self, one: Seen, odd: str) -> str:
        """Why a person should review a cut that passed; empty if no review is needed."""
        source = seed_of(one.item.source)
        critical = any(concern.severity == "critical" for concern in one.looked.review.concerns)
        reasons = {
            DECIDED: decided(source) is not None,
            HELD: self.terms.hold,
            DOUBTFUL: _is_misaligned(one),
            CRITICAL: critical,
            # Such a cut may score well although no speaker would make it.
            UNUSUAL: bool(odd),
        }
        return next((reason for reason, holds in reasons.items() if holds), "")


def _is_misaligned(one: Seen) -> bool:
    return any(concern.concern_id == "c_misaligned_halves" for concern in one.looked.review.concerns)


def _dropped(unit: str, claim: DroppedClaim, model: str, attempt: int) -> Note:
    said = {"rule": claim.id, "field": None, "message": claim.text}
    by = {"source": f"model:{model}", "attempt": attempt}
    return Note("finding_dropped", unit, {"reason": claim.reason, **by, "finding": said})


def _recorded(draft: Keep, unit: str, number: int) -> AttemptRecord:
    """The attempt as it will be recorded, to find the best one."""
    assert OVERALL in draft.scores, "a review gives an overall score"
    return AttemptRecord(unit, number, "review", None, draft.unit.content_hash, draft.scores, (), draft.passed)
