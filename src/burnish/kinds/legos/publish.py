"""What a run comes to, as the records of the course tell it: every attempt, what stands, and who is asked to look."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import orjson

from burnish.core.kinds import UnitStory
from burnish.core.records import AttemptRecord
from burnish.core.stages import Artifact, RunFacts
from burnish.kinds.legos.concerns import Concern
from burnish.kinds.legos.equipment import NO_PROMPT, Terms
from burnish.kinds.legos.guarantees import word_span
from burnish.kinds.legos.iron_rule import violations
from burnish.kinds.legos.model import DIMENSIONS, Lego, Seed
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.kinds.legos.past import ATTEMPTS, best, earlier, reviewed, seed_of_attempt
from burnish.kinds.legos.policy import ACCEPTED, OVERALL, RETRY, SETTLED, UNUSUAL, WAITING, WRITTEN
from burnish.kinds.legos.records import instant
from burnish.kinds.legos.reviewing import FLAG, compare, flags
from burnish.kinds.legos.stages.tools import seed_of
from burnish.kinds.legos.words import words_of

FINAL = "seeds.jsonl"
AS_IT_STANDS = "course.jsonl"
SCORING_VERSION = "1.0"
PHASE = "phase_3"
PERSON = "person"


@dataclass(frozen=True, slots=True)
class CourseRow:
    """One SEED as the course holds it."""

    translation: dict[str, Any]
    legos: list[dict[str, Any]] | None
    """None: those that are there stay as they are."""
    is_reviewed: bool = True
    """Whether the run looked at it at all."""


def row_of(story: UnitStory, terms: Terms) -> CourseRow:
    """The record of a SEED and of its LEGOs, from everything that happened to it."""
    seed = seed_of(story.source)
    tried = reviewed(story.attempts)
    if not tried or story.row.state == SETTLED:
        return CourseRow(dict(seed.record), None, is_reviewed=False)
    attempts = _attempts(story, tried, terms)
    kept, legos = _kept(seed, tried, terms)
    last = attempts[-1]
    status = _quality_status(story, last["quality_score"]["overall_score"])
    measured = tried[-1].checked["measured"]
    decision = _decision(story)
    seen_by_person = decision is not None and story.row.state in (ACCEPTED, WRITTEN)
    flagged = flags(
        last["quality_score"]["overall_score"],
        len(attempts),
        tuple(map(Concern.from_record, measured["concerns"])),
        is_last=story.row.state != RETRY,
        unusual=measured.get("unusual") or None,
        on_request=story.row.state == WAITING,
        most_attempts=terms.max_attempts,
    )
    record = {
        **seed.record,
        ATTEMPTS: attempts,
        "quality_status": status,
        "current_quality_score": last["quality_score"]["overall_score"],
        "total_attempts": len(attempts),
        "flagged_for_review": flagged.flagged_for_review and not seen_by_person,
        "human_review_requested": flagged.human_review_requested and not seen_by_person,
        "last_reviewed_at": last["quality_score"]["calculated_at"],
        "best_attempt_number": kept,
        "uncovered": list(_standing(seed, tried, kept).uncovered),
    }
    if decision is not None:
        record["human_review"] = decision
    return CourseRow(record, legos)


def _attempts(story: UnitStory, tried: Sequence[AttemptRecord], terms: Terms) -> list[dict[str, Any]]:
    """Those of earlier runs as they are, then those of this one."""
    attempts = [dict(one) for one in earlier(seed_of(story.source))]
    for one in tried:
        attempts.append(_attempt(one, attempts, terms))
    if story.row.state == RETRY:
        attempts[-1]["status"] = "retry_scheduled"
    return attempts


def _attempt(one: AttemptRecord, before: Sequence[Mapping[str, Any]], terms: Terms) -> dict[str, Any]:
    measured = one.checked["measured"]
    at = _behind(one.at, before)
    score = one.scores[OVERALL]
    attempt = {
        "attempt_number": len(before) + 1,
        "timestamp": at,
        "agent_version": measured.get("agent") or terms.agent(PERSON),
        "prompt_version": measured.get("prompt") or terms.prompt_version,
        "legos_extracted": len(seed_of_attempt(one).legos),
        "quality_score": {
            "overall_score": score,
            "dimension_scores": {name: one.scores[name] for name in DIMENSIONS},
            "calculated_at": at,
            "scoring_version": SCORING_VERSION,
        },
        "concerns": measured["concerns"],
        "suggestions": measured["suggestions"],
        "status": "accepted" if one.passed else "flagged" if score >= FLAG else "failed",
        "review_notes": measured["notes"],
    }
    return {**attempt, "compared_to_previous": compare(before[-1], attempt)} if before else attempt


def _behind(at: str, before: Sequence[Mapping[str, Any]]) -> str:
    """A moment behind that of the attempt before, whatever the clocks of two machines say."""
    then = str(before[-1]["timestamp"]) if before else ""
    known, now = instant(then), instant(at)
    if known is None or now is None or now > known:
        return at
    later = datetime.fromisoformat(then.replace("Z", "+00:00")) + timedelta(milliseconds=1)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _kept(seed: Seed, tried: Sequence[AttemptRecord], terms: Terms) -> tuple[int, list[dict[str, Any]] | None]:
    """Which attempt's LEGOs are kept, and these; None where they are those of an earlier run."""
    past, ours = earlier(seed), best(tried)
    if seed.legos and past and not ours.passed:
        scores = [one["quality_score"]["overall_score"] for one in past]
        if max(scores) > ours.scores[OVERALL]:
            return scores.index(max(scores)) + 1, None
    number = len(past) + tried.index(ours) + 1
    return number, lego_records(seed_of_attempt(ours), terms, ours.at)


def _standing(seed: Seed, tried: Sequence[AttemptRecord], kept: int) -> Seed:
    place = kept - len(earlier(seed)) - 1
    return seed_of_attempt(tried[place]) if place >= 0 else seed


def lego_records(seed: Seed, terms: Terms, at: str) -> list[dict[str, Any]]:
    """The LEGOs of a SEED as records that were made at this time."""
    words = words_of(seed.source)
    verbs = multi_word_verbs(words, terms.tongue)
    records = []
    for place, lego in enumerate(seed.legos, start=1):
        broken = violations(words, terms.tongue, terms.rule, verbs, word_span(words, lego))
        records.append(_lego_record(seed, lego, seed.provenance(place), at, compliant=broken is None))
    return records


def _lego_record(seed: Seed, lego: Lego, provenance: str, at: str, *, compliant: bool) -> dict[str, Any]:
    return {
        "uuid": lego_uuid(seed.uuid, provenance, lego),
        "type": "lego",
        "provenance": provenance,
        "source_translation_uuid": seed.uuid,
        "source_seed_id": seed.id,
        "source": lego.source,
        "target": lego.target,
        "metadata": {
            "course_code": seed.course_code,
            "phase": PHASE,
            "word_count": len(words_of(lego.source)),
            "start_index": lego.start,
            "end_index": lego.end,
            "target_start_index": lego.target_start,
            "target_end_index": lego.target_end,
            "alignment_confidence": lego.confidence,
            "iron_rule_compliant": compliant,
            "created_at": at,
        },
    }


def lego_uuid(translation: str, provenance: str, lego: Lego) -> str:
    """The same for the same phrase in the same place."""
    said = "\x00".join((translation, provenance, lego.source, lego.target))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _quality_status(story: UnitStory, score: float) -> str:
    state = story.row.state
    if state == WAITING and story.row.reason != UNUSUAL:
        return "pending_review"
    if state in (ACCEPTED, WRITTEN, WAITING):
        # The contract lets nothing below that line be called accepted, not even by a person.
        return "accepted" if score >= FLAG else "flagged"
    return "flagged" if score >= FLAG else "failed"


def _decision(story: UnitStory) -> dict[str, Any] | None:
    if not story.decisions:
        return None
    last = story.decisions[-1]
    said = {"decision": last.data["verdict"], "by": last.data["by"], "at": last.at}
    note = last.data.get("note")
    return {**said, "note": note} if note else said


@dataclass(slots=True)
class CourseFile:
    """All SEEDs with their LEGOs, one a line."""

    terms: Terms

    def take(self, story: UnitStory) -> Iterator[bytes]:
        row = row_of(story, self.terms)
        yield orjson.dumps({"translation": row.translation, "legos": row.legos}) + b"\n"

    def end(self) -> Iterator[bytes]:
        return iter(())


def manifest(run: RunFacts, terms: Terms) -> dict[str, Any]:
    """What a run says of itself, beside its plan."""
    return {
        "course_code": terms.course_code,
        "extractor": terms.extractor,
        "prompt_version": terms.prompt_version if terms.extractor == "model" else NO_PROMPT,
        "iron_rule": {"variant": terms.rule.variant, "infinitive_to": terms.rule.infinitive_to},
        "retry_below": terms.retry_below,
        "max_attempts": terms.max_attempts,
        "counts": dict(run.counts),
        "status": run.status,
        "stopped_because": run.trouble,
    }


def artifacts(terms: Terms) -> dict[str, Artifact]:
    return {AS_IT_STANDS: CourseFile(terms)}
