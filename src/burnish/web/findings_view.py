"""The findings about a draft: each with its number, what became of it, and what was set aside and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from burnish.app.labels import DROPPED
from burnish.core.attempts import findings_of
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.core.records import AttemptRecord, EventRecord
from burnish.web.labels import said_by
from burnish.web.spans import MarkedField, Numbered, marked_fields, numbered
from burnish.web.unit_history import UnitHistory

Fate = Literal["settled", "fixed", "open", "gone"]
"""A later draft no longer has it; code took it out; the draft that stands has it; its draft was not kept."""
MOST_LISTED = 200
"""Findings of one draft that a page lists."""


@dataclass(frozen=True, slots=True)
class FindingLine:
    """One finding, as a page lists it."""

    numbered: Numbered
    fate: Fate
    settled_in: int | None = None
    """The attempt that settled it."""

    @property
    def finding(self) -> Finding:
        return self.numbered.finding

    @property
    def who(self) -> str:
        return said_by(self.finding.source)


@dataclass(frozen=True, slots=True)
class SetAside:
    """What a judge said and nobody acts on."""

    who: str
    rule: str
    said: str
    quote: str | None
    why: str
    """In words."""


@dataclass(frozen=True, slots=True)
class Review:
    """All that was said about one attempt."""

    attempt: AttemptRecord
    lines: tuple[FindingLine, ...]
    unlisted: int
    """Findings beyond those that are listed."""
    fields: tuple[MarkedField, ...]
    """Its text, marked."""
    set_aside: tuple[SetAside, ...]
    ignored: tuple[Finding, ...]
    """What the author asked to pass over."""

    @property
    def is_silent(self) -> bool:
        return not (self.lines or self.set_aside or self.ignored)

    def count(self, *fates: Fate) -> int:
        return sum(line.fate in fates for line in self.lines)


def review_of(history: UnitHistory, attempt: AttemptRecord, dropped: Iterable[EventRecord]) -> Review:
    """What was said about an attempt. `dropped`: the unit's `finding_dropped` events."""
    texts = history.texts(attempt)
    every = numbered(texts, findings_of(attempt))
    listed = every[:MOST_LISTED]
    return Review(
        attempt,
        tuple(_opinion(history, attempt, one) for one in listed),
        len(every) - len(listed),
        _spoken_of(marked_fields(texts, listed)),
        tuple(_unheeded(event) for event in dropped if event.data.get("attempt", attempt.number) == attempt.number),
        tuple(Finding.from_record(dict(record)) for record in attempt.checked.get("ignored", ())),
    )


def reviewed_last(history: UnitHistory, attempt: AttemptRecord) -> AttemptRecord:
    """The attempt itself if anything was said about it, else the last one before it about which something was."""
    earlier = history.attempts[: attempt.number]
    return next((one for one in reversed(earlier) if one.findings), attempt)


def _spoken_of(fields: Sequence[MarkedField]) -> tuple[MarkedField, ...]:
    """The fields with marks in them; all that hold text where there are none, or where there is but one."""
    speaking = tuple(field for field in fields if field.is_marked)
    return speaking or tuple(field for field in fields if any(piece.text.strip() for piece in field.pieces))


def _opinion(history: UnitHistory, attempt: AttemptRecord, one: Numbered) -> FindingLine:
    """What became of a finding: looked for in every later text that somebody looked at. Silence on the same text, from
    reviewers who gave no usable answer, settles nothing."""
    same = _sameness(one.finding)
    standing = history.standing
    if standing is not None and same in _said_of(standing):
        return FindingLine(one, "open")
    for later in history.reviewed():
        is_other = later.number > attempt.number and later.content_hash != attempt.content_hash
        if is_other and later.failure is None and same not in _said_of(later):
            cause = _made_by(history, later)
            return FindingLine(one, "fixed" if cause == "safe_fix" else "settled", later.number)
    return FindingLine(one, "gone")


def _made_by(history: UnitHistory, attempt: AttemptRecord) -> str:
    """What made the text of an attempt: a review only looks at what was written before it."""
    alike = (one for one in history.attempts if one.content_hash == attempt.content_hash)
    return next(alike, attempt).cause


def _said_of(attempt: AttemptRecord) -> set[tuple[str, Field, str]]:
    return {_sameness(finding) for finding in findings_of(attempt)}


def _sameness(finding: Finding) -> tuple[str, Field, str]:
    """Two findings that are alike in this say the same of two drafts: places move, words stay."""
    return finding.rule, finding.field, finding.quote or finding.message


def _unheeded(event: EventRecord) -> SetAside:
    """Events tell of a finding, or of an issue as a judge of lessons or books put it."""
    data: Mapping[str, Any] = event.data.get("finding") or event.data.get("issue") or {}
    reason = str(event.data.get("reason", ""))
    return SetAside(
        said_by(str(event.data.get("source", ""))),
        str(data.get("rule") or data.get("criterion") or data.get("category") or ""),
        str(data.get("message") or data.get("description") or data.get("explanation") or ""),
        _quote(data),
        DROPPED.get(reason, reason),
    )


def _quote(data: Mapping[str, Any]) -> str | None:
    quote = data.get("quote") or data.get("quotedText") or data.get("quoted_text")
    return str(quote) if quote else None
