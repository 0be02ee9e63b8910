"""The results of a run as course records: every attempt, the LEGOs in use, and the flags for a person's review."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from burnish.core.attempts import rejections_in
from burnish.core.json_bytes import dumps
from burnish.core.presentation import Artifact, RunFacts, UnitStory
from burnish.core.records import AttemptRecord, EventRecord
from burnish.kinds.legos.attempt_history import (
    ATTEMPTS,
    best,
    earlier,
    is_better_before,
    is_taken,
    kept_before,
    reviewed,
    seed_of_attempt,
)
from burnish.kinds.legos.extraction import seed_of
from burnish.kinds.legos.migration import lego_metadata
from burnish.kinds.legos.model import DIMENSIONS, OVERALL, Lego, Seed
from burnish.kinds.legos.placement import Extraction
from burnish.kinds.legos.policy import (
    ACCEPTED,
    EXTRACTED,
    FLAG,
    REASONS,
    RETRY,
    SEEN_ALL_THE_SAME,
    SETTLED,
    WAITING,
    WRITTEN,
    Concern,
)
from burnish.kinds.legos.records import instant
from burnish.kinds.legos.resources import NO_PROMPT, Terms
from burnish.kinds.legos.rule_review import Flags, compare, flags

FINAL = "seeds.jsonl"
AS_IT_STANDS = "course.jsonl"
PERSON = "person"
SCHEDULED = "retry_scheduled"
"""The status of an attempt whose retry is not yet recorded."""
WRITES = (
    *(ATTEMPTS, "quality_status", "current_quality_score", "total_attempts", "flagged_for_review"),
    *("human_review_requested", "last_reviewed_at", "best_attempt_number", "uncovered", "human_review"),
    "review_reasons",
)
"""The fields of a translation that a run writes. All others belong to other programs."""
WHY = "review_reasons"
"""The field with the reasons why a person is asked to review."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_AT_EPOCH = instant("1970-01-01T00:00:00Z")
assert _AT_EPOCH is not None, "a date-time"
EPOCH_SECONDS = _AT_EPOCH[0]


@dataclass(frozen=True, slots=True)
class Kept:
    """The LEGOs in use."""

    number: int
    """The number of their attempt, as counted in the record."""
    seed: Seed
    at: str = ""
    """When they were cut; empty if in an earlier run."""


@dataclass(frozen=True, slots=True)
class CourseRow:
    """The records of one SEED."""

    translation: dict[str, Any]
    legos: list[dict[str, Any]] | None
    """None: the existing records are unchanged."""
    is_reviewed: bool = True
    """Whether the run processed it at all."""
    decided: tuple[Mapping[str, Any], ...] = ()
    """Every `human_review` known to the run: the recorded one, and those of decisions made during the run."""


def row_of(story: UnitStory, terms: Terms) -> CourseRow:
    """The records of a SEED and its LEGOs, from the history of its run."""
    seed = seed_of(story.source)
    tried = reviewed(story.counted_attempts)
    if story.row.state == SETTLED or not (tried or (story.effective_decisions and earlier(seed))):
        return CourseRow(dict(seed.record), None, is_reviewed=False)
    attempts = _attempts(story, tried, terms)
    kept = _kept(story, tried)
    last = attempts[-1]
    flagged = _flags(story, attempts, tried, terms)
    status = _quality_status(story, last)
    rest = {name: value for name, value in seed.record.items() if name != WHY}
    record = {
        **rest,
        ATTEMPTS: attempts,
        "quality_status": status,
        "current_quality_score": last["quality_score"]["overall_score"],
        "total_attempts": len(attempts),
        "flagged_for_review": flagged.flagged_for_review or (status != "accepted" and not _is_seen(story)),
        "human_review_requested": flagged.human_review_requested,
        "last_reviewed_at": last["quality_score"]["calculated_at"],
        "best_attempt_number": kept.number,
        "uncovered": list(kept.seed.uncovered),
    }
    if reasons := _reasons(story, tried):
        record[WHY] = reasons
    decisions = [_decision(one) for one in story.effective_decisions]
    found = [seed.record["human_review"]] if "human_review" in seed.record else []
    if decisions:
        record["human_review"] = decisions[-1]
    legos = lego_records(kept.seed, terms, kept.at) if kept.at else None
    return CourseRow(record, legos, decided=(*found, *decisions))


def _flags(
    story: UnitStory, attempts: Sequence[Mapping[str, Any]], tried: Sequence[AttemptRecord], terms: Terms
) -> Flags:
    """Who should look at it. Nobody if a person has decided; a rejection does not cover the later result."""
    if _is_seen(story):
        return Flags(flagged_for_review=False, human_review_requested=False, reasons=())
    measured = tried[-1].checked["measured"] if tried else {}
    return flags(
        attempts[-1]["quality_score"]["overall_score"],
        len(attempts),
        tuple(map(Concern.from_record, attempts[-1]["concerns"])),
        is_last=not _is_retried(story),
        unusual=measured.get("unusual") or None,
        on_request=story.row.state == WAITING,
        most_attempts=terms.max_attempts,
    )


def _is_seen(story: UnitStory) -> bool:
    """Whether a person has decided on it. A person who only rejected it has not seen the later result."""
    decisions = story.effective_decisions
    taken = bool(decisions) and decisions[-1].data["verdict"] != "reject"
    return taken and story.row.state in (ACCEPTED, WRITTEN)


def _reasons(story: UnitStory, tried: Sequence[AttemptRecord]) -> list[str]:
    """Why a person should look, in words; empty if no review is needed."""
    if story.row.state != WAITING:
        return []
    found = tried[-1].checked["measured"].get("reasons", ()) if tried else ()
    return list(dict.fromkeys((REASONS.get(str(story.row.reason), str(story.row.reason)), *found)))


def _is_retried(story: UnitStory) -> bool:
    """Whether another attempt is pending: it is to be cut, or is cut and not yet reviewed."""
    return story.row.state in (RETRY, EXTRACTED)


def _attempts(story: UnitStory, tried: Sequence[AttemptRecord], terms: Terms) -> list[dict[str, Any]]:
    """The attempts of earlier runs unchanged, then those of this run. Only the last may have its retry pending."""
    attempts = [dict(one) for one in earlier(seed_of(story.source))]
    rejections = rejections_in(story.decisions)
    for place, one in enumerate(tried):
        if attempts and attempts[-1]["status"] == SCHEDULED:
            attempts[-1]["status"] = _missed(attempts[-1])
        attempts.append(_attempt(one, attempts, terms))
        behind = tried[place + 1].number if place + 1 < len(tried) else math.inf
        if any(one.number <= after < behind for after in rejections):
            attempts[-1]["status"] = _missed(attempts[-1])
    if _is_retried(story):
        attempts[-1]["status"] = SCHEDULED
    return attempts


def _attempt(one: AttemptRecord, before: Sequence[Mapping[str, Any]], terms: Terms) -> dict[str, Any]:
    measured = one.checked["measured"]
    at = _behind(one.at, before)
    attempt: dict[str, Any] = {
        "attempt_number": len(before) + 1,
        "timestamp": at,
        "agent_version": measured.get("agent") or terms.agent(PERSON),
        "prompt_version": measured.get("prompt") or NO_PROMPT,
        "legos_extracted": len(seed_of_attempt(one).legos),
        "quality_score": {
            "overall_score": one.scores[OVERALL],
            "dimension_scores": {name: one.scores[name] for name in DIMENSIONS},
            "calculated_at": at,
            "scoring_version": measured.get("scoring", terms.scoring),
        },
        "concerns": measured["concerns"],
        "suggestions": measured["suggestions"],
        "status": "accepted",
        "review_notes": measured["notes"],
    }
    if not one.passed:
        attempt["status"] = _missed(attempt)
    return {**attempt, "compared_to_previous": compare(before[-1], attempt)} if before else attempt


def _behind(at: str, before: Sequence[Mapping[str, Any]]) -> str:
    """A time after that of the previous attempt, even if the clocks of two machines disagree."""
    then = str(before[-1]["timestamp"]) if before else ""
    known, now = instant(then), instant(at)
    # Other programs compare such times in milliseconds.
    if known is None or now is None or (now[0], now[1][:3].ljust(3, "0")) > (known[0], known[1][:3].ljust(3, "0")):
        return at
    seconds, fraction = known
    milliseconds = int(fraction[:3].ljust(3, "0")) + 1
    behind = EPOCH + timedelta(seconds=seconds - EPOCH_SECONDS, milliseconds=milliseconds)
    later = behind.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    # At the end of the calendar, add a digit instead.
    return later if instant(later) is not None else f"{then[:-1]}1{then[-1]}"


def _missed(attempt: Mapping[str, Any]) -> str:
    """The status of an attempt that was not good enough, for the rules or for a person."""
    return "flagged" if attempt["quality_score"]["overall_score"] >= FLAG else "failed"


def _kept(story: UnitStory, tried: Sequence[AttemptRecord]) -> Kept:
    """The attempt whose LEGOs are kept. A better cut of an earlier run replaces one that did not pass; a person who
    then accepts the SEED has accepted that cut."""
    seed = seed_of(story.source)
    known = kept_before(seed)
    if not tried:
        return Kept(known, seed)
    ours = best(tried, story.decisions)
    seen = story.row.state == WAITING and story.row.reason in SEEN_ALL_THE_SAME and is_taken(seed)
    if seen or (not ours.passed and ours.cause != "person" and is_better_before(seed, ours)):
        return Kept(known, seed)
    return Kept(len(earlier(seed)) + tried.index(ours) + 1, seed_of_attempt(ours), ours.at)


def lego_records(seed: Seed, terms: Terms, at: str) -> list[dict[str, Any]]:
    """The LEGOs of a SEED as records with this creation time."""
    records = []
    for piece in Extraction.of(seed, terms.profile).pieces:
        lego, provenance = piece.lego, seed.provenance(piece.position)
        compliant = piece.violation(terms.profile, terms.rule) is None
        records.append(
            {
                "uuid": lego_uuid(seed.uuid, provenance, lego),
                "type": "lego",
                "provenance": provenance,
                "source_translation_uuid": seed.uuid,
                "source_seed_id": seed.id,
                "source": lego.source,
                "target": lego.target,
                "metadata": lego_metadata(seed, lego, at, compliant=compliant),
            }
        )
    return records


def lego_uuid(translation: str, provenance: str, lego: Lego) -> str:
    """The same id for the same phrase at the same place."""
    said = "\x00".join((translation, provenance, lego.source, lego.target))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _quality_status(story: UnitStory, last: Mapping[str, Any]) -> str:
    state, score = story.row.state, last["quality_score"]["overall_score"]
    if state == WAITING and story.row.reason not in SEEN_ALL_THE_SAME:
        return "flagged" if story.row.reason == "flagged" else "pending_review"
    if state in (ACCEPTED, WRITTEN, WAITING):
        # The contract does not allow `accepted` below that score, not even by a person.
        return "accepted" if score >= FLAG else "flagged"
    return _missed(last)


def _decision(made: EventRecord) -> dict[str, Any]:
    said = {"decision": made.data["verdict"], "by": made.data["by"], "at": made.at}
    note = made.data.get("note")
    return {**said, "note": note} if note else said


@dataclass(slots=True)
class CourseFile:
    """All SEEDs with their LEGOs, one per line."""

    terms: Terms

    def take(self, story: UnitStory) -> Iterator[bytes]:
        row = row_of(story, self.terms)
        yield dumps({"translation": row.translation, "legos": row.legos}) + b"\n"

    def end(self) -> Iterator[bytes]:
        return iter(())


def manifest(run: RunFacts, terms: Terms) -> dict[str, Any]:
    """The summary of a run, stored beside its plan."""
    return {
        "course_code": terms.course_code,
        "extractor": terms.extractor,
        "prompt_version": terms.prompt_version if terms.extractor == "model" else NO_PROMPT,
        "iron_rule": {"variant": terms.rule.variant, "infinitive_to": terms.rule.infinitive_to},
        "scoring": terms.scoring,
        "retry_below": terms.retry_below,
        "max_attempts": terms.max_attempts,
        "counts": dict(run.counts),
        "status": run.status,
        "stopped_because": run.trouble,
    }


def artifacts(terms: Terms) -> dict[str, Artifact]:
    return {AS_IT_STANDS: CourseFile(terms)}
