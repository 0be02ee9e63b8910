"""Stage 1: the rules, then the cheap reader where they leave something to read, and its claims against the source."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

from burnish.core.effects import Effect, ModelRequest, tell
from burnish.core.replies import ClaimsReply, ClaimVerdictReply, SelfReviewIssuePart, SelfReviewReply
from burnish.core.requests import Request
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.lessons.procedure.desk import Desk
from burnish.kinds.lessons.requests import claims_ask, review_ask, verify_ask
from burnish.kinds.lessons.self_review import SelfReview, self_review, with_model, without_model
from burnish.kinds.lessons.sources import Claim, Hit, claims_of, verify_claim, verify_verdicts

READ_AT_ONCE = 24_000
"""Characters of a lesson that the reader gets in one request."""
TRIES = 3
"""How often an unreadable answer is asked for before the rules' verdict stands alone."""


def first_reading(desk: Desk) -> Generator[Effect, Any, SelfReview]:
    """The verdict of stage 1. Where the rules have already decided, no model is paid."""
    review = self_review(desk.lesson, desk.examine)
    reader = desk.seats.of("reviewer")
    decided = [issue for issue in review.issues if issue.severity == "CRITICAL"]
    if not decided and reader is not None:
        review = yield from _read(desk, review, reader)
    desk.flags = {}
    for issue in review.issues:
        # What code has mended is gone, and what the rules call unusable is mended before anyone judges.
        if issue.severity != "FIXABLE" and issue not in decided:
            desk.flags.setdefault(issue.location, []).append(f"{issue.type}: {issue.description}")
    yield from tell("self_reviewed", **review.response().model_dump(mode="json", exclude={"patched_content"}))
    return review


def _read(desk: Desk, review: SelfReview, reader: str) -> Generator[Effect, Any, SelfReview]:
    """What the reader adds, on the lesson as code has mended it."""
    read = review
    for units in _portions(review.lesson.units):
        passages = desk.passages("\n".join(unit.text for unit in units))
        reply = yield from _ask(desk, reader, review_ask(units, desk.context, passages), SelfReviewReply)
        if not isinstance(reply, SelfReviewReply):
            read = without_model(read)
            break
        read = with_model(read, reply)
        contradicted = yield from _contradictions(desk, read, reader, units)
        read = with_model(read, contradicted)
    for dropped in read.dropped:
        yield from tell(
            "finding_dropped", reason=dropped.reason, source=f"model:{reader}", issue=dropped.issue.model_dump()
        )
    return read


def _portions(units: Sequence[LessonUnit]) -> list[list[LessonUnit]]:
    """Units in portions that a small model can hold."""
    portions: list[list[LessonUnit]] = [[]]
    size = 0
    for unit in units:
        if portions[-1] and size + len(unit.text) > READ_AT_ONCE:
            portions.append([])
            size = 0
        portions[-1].append(unit)
        size += len(unit.text)
    return portions


def _ask(desk: Desk, reader: str, ask: Request, shape: type) -> Generator[Effect, Any, object]:
    """An answer of the wanted shape, or None after three that were not. Each try asks for a little more room."""
    for attempt in range(TRIES):
        again = Request(
            ask.role, ask.unit, ask.prompt, ask.reply, ask.trusted, ask.untrusted, ask.max_tokens + 200 * attempt
        )
        [answer] = yield from desk.ask([ModelRequest(again, reader)], counted=False)
        if isinstance(answer.reply, shape):
            return answer.reply
    return None


def _contradictions(
    desk: Desk, review: SelfReview, reader: str, units: Sequence[LessonUnit]
) -> Generator[Effect, Any, SelfReviewReply]:
    """Claims of the lesson that a passage of the source contradicts, each with that passage: as a reader's reply."""
    nothing = SelfReviewReply(reasoning="", status="PASS", issues=())
    if desk.index is None:
        return nothing
    reply = yield from _ask(desk, reader, claims_ask(units), ClaimsReply)
    if not isinstance(reply, ClaimsReply):
        return nothing
    claims, _ = claims_of(reply, review.lesson)
    offered: dict[Claim, Sequence[Hit]] = {claim: verify_claim(desk.index, claim) for claim in claims}
    checkable = {claim: hits for claim, hits in offered.items() if hits}
    if not checkable:
        return nothing
    verdicts = yield from _ask(desk, reader, verify_ask(checkable), ClaimVerdictReply)
    if not isinstance(verdicts, ClaimVerdictReply):
        return nothing
    by_text = {claim.claim: hits for claim, hits in checkable.items()}
    found = []
    for verdict in verify_verdicts(checkable, verdicts, by_text):
        yield from tell(
            "claim_verified",
            verdict.claim.unit,
            claim=verdict.claim.claim,
            verdict=verdict.verdict,
            passage=verdict.passage.id if verdict.passage else None,
            doubt=verdict.doubt,
        )
        if verdict.verdict == "contradicted" and verdict.passage is not None:
            found.append(
                SelfReviewIssuePart(
                    type="HALLUCINATION",
                    severity="COMPLEX",
                    location=verdict.claim.unit,
                    description=f"{verdict.claim.claim} The passage {verdict.passage.id} says otherwise.",
                    quote=verdict.claim.quote,
                )
            )
    return SelfReviewReply(reasoning="", status="FLAG_TO_JUDGE" if found else "PASS", issues=tuple(found))
