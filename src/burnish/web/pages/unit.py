"""The page of a unit: its attempts with their findings, changes and costs, and the decisions about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from burnish.api.access import VISITOR
from burnish.api.workplace import Here, Workplace
from burnish.app.labels import DROPPED, SAID, reason_of
from burnish.app.run_reader import RunReader
from burnish.app.runs import decision_history
from burnish.core.attempts import findings_of, reported_decisions
from burnish.core.documents import Field
from burnish.core.findings import Finding
from burnish.core.presentation import UnitStory
from burnish.core.records import AttemptRecord, EventRecord, Usage
from burnish.engine.decisions import IN_VAIN, may_reopen
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.formatting import sentence
from burnish.web.kinds import FocusParts, RejectedForm, UnitAccess, refilled
from burnish.web.labels import look_of, said_by
from burnish.web.pieces import MarkedField, Numbered, diff_fields, marked_fields, numbered
from burnish.web.rendering import crumbs, page, run_link, runs_link, unit_link
from burnish.web.unit_history import UnitHistory, receipts_of, score_table, steps_of

Fate = Literal["settled", "fixed", "open", "gone"]
"""A later draft no longer has it; code fixed it; the kept draft has it; its draft was not kept."""
MOST_LISTED = 200
"""Findings of one draft that a page lists."""


@dataclass(frozen=True, slots=True)
class Review:
    """The findings of one attempt."""

    attempt: AttemptRecord
    lines: tuple[Drawn, ...]
    unlisted: int
    """Findings beyond those that are listed."""
    fields: tuple[MarkedField, ...]
    """Its texts with their marks."""
    set_aside: tuple[Drawn, ...]
    ignored: tuple[Finding, ...]
    """Findings that the author chose to ignore."""

    @property
    def is_silent(self) -> bool:
        return not (self.lines or self.set_aside or self.ignored)

    def count(self, *fates: Fate) -> int:
        return sum(line.fate in fates for line in self.lines)


def review_of(history: UnitHistory, attempt: AttemptRecord, dropped: Iterable[EventRecord]) -> Review:
    """The findings of an attempt. `dropped`: the unit's `finding_dropped` events."""
    texts = history.texts(attempt)
    every = numbered(texts, findings_of(attempt))
    listed = every[:MOST_LISTED]
    # Only the fields with marks; if there are none, all that have text.
    fields = marked_fields(texts, listed)
    speaking = tuple(field for field in fields if field.is_marked)
    return Review(
        attempt,
        tuple(_finding_line(history, attempt, one) for one in listed),
        len(every) - len(listed),
        speaking or tuple(field for field in fields if any(piece.text.strip() for piece in field.pieces)),
        tuple(_dropped(event) for event in dropped if event.data.get("attempt", attempt.number) == attempt.number),
        tuple(Finding.from_record(dict(record)) for record in attempt.checked.get("ignored", ())),
    )


def reviewed_last(history: UnitHistory, attempt: AttemptRecord) -> AttemptRecord:
    """The attempt if it has findings, else the last one before it that has."""
    earlier = history.attempts[: attempt.number]
    return next((one for one in reversed(earlier) if one.findings), attempt)


def _finding_line(history: UnitHistory, attempt: AttemptRecord, one: Numbered) -> Drawn:
    """A finding and its fate, found by looking for it in every later text with a verdict. If the text is the same, or
    the review failed, a missing finding is not settled."""
    same = _identity(one.finding)
    kept = history.kept
    if kept is not None and same in _identities(kept):
        return _line(one, "open")
    for later in history.reviewed():
        is_other = later.number > attempt.number and later.content_hash != attempt.content_hash
        if is_other and later.failure is None and same not in _identities(later):
            cause = _written_by(history, later)
            return _line(one, "fixed" if cause == "safe_fix" else "settled", later.number)
    return _line(one, "gone")


def _line(one: Numbered, fate: Fate, settled_in: int | None = None) -> Drawn:
    """`settled_in`: the attempt that settled it."""
    finding = one.finding
    return Drawn(numbered=one, finding=finding, who=said_by(finding.source), fate=fate, settled_in=settled_in)


def _written_by(history: UnitHistory, attempt: AttemptRecord) -> str:
    """The cause of the attempt that wrote the text: a review only judges a text that is already there."""
    alike = (one for one in history.attempts if one.content_hash == attempt.content_hash)
    return next(alike, attempt).cause


def _identities(attempt: AttemptRecord) -> set[tuple[str, Field, str]]:
    return {_identity(finding) for finding in findings_of(attempt)}


def _identity(finding: Finding) -> tuple[str, Field, str]:
    """The key by which findings of two drafts are the same: places move, words stay."""
    return finding.rule, finding.field, finding.quote or finding.message


def _dropped(event: EventRecord) -> Drawn:
    """A dropped finding. The event holds a finding, or an issue in the format of a lesson or book judge."""
    data: Mapping[str, Any] = event.data.get("finding") or event.data.get("issue") or {}
    reason = str(event.data.get("reason", ""))
    quote = data.get("quote") or data.get("quotedText") or data.get("quoted_text")
    return Drawn(
        who=said_by(str(event.data.get("source", ""))),
        rule=str(data.get("rule") or data.get("criterion") or data.get("category") or ""),
        said=str(data.get("message") or data.get("description") or data.get("explanation") or ""),
        quote=str(quote) if quote else None,
        why=DROPPED.get(reason, reason),
    )


router = APIRouter()
ASKS_COMMON = {"attempt", "against"}
"""Query names that ask for the common panels, even if the kind has its own."""
LONGEST_REPLY = 100_000
"""Characters of one raw reply that a page shows."""


@router.get("/runs/{run}/units/{unit:path}")
def show(request: Request, here: Here, run: str, unit: str) -> Response:
    """The page of a unit."""
    return unit_page(request, here, run, unit)


def unit_page(
    request: Request, here: Workplace, run: str, unit: str, *, kept: RejectedForm | None = None, status: int = 200
) -> Response:
    """The page of a unit. `kept`: a form that was rejected, shown again with its text."""
    opened = here.index.open(run)
    known = UnitAccess.of(opened, unit)
    story, parts = known.story, known.unit()
    query = request.query_params if kept is None else {}
    # None: in a very long run the index may not have reached this unit yet.
    line = opened.line(story.row.id)
    card, row = opened.card, story.row
    place = f"{sentence(card.noun)} {row.position + 1:,} of {sum(card.counts.values()):,}" if row.document else row.id
    return page(
        request,
        "unit.html",
        status=status,
        crumbs=crumbs(("Runs", runs_link()), (card.title, run_link(card.id)), (place, None)),
        run=opened,
        card=opened.card,
        story=story,
        look=look_of(story.row.state, line.sort if line is not None else "idle"),
        parts=parts,
        replaced=frozenset() if query.keys() & ASKS_COMMON else {panel.id for panel in (*parts.panels, *parts.beside)},
        kept=kept,
        mine=kept,
        kind=opened.view.plan.kind,
        origin="unit",
        edit_words="Edit the text",
        **_history(known, query),
        **_decision_context(here, known, kept),
        **_neighbours(opened, story, query),
    )


def history_of(run: RunReader, story: UnitStory) -> UnitHistory:
    plan = run.view.plan
    return UnitHistory(run.view.kind, story, len(plan.judges), plan.kind)


def _history(known: UnitAccess, query: Mapping[str, str]) -> dict[str, Any]:
    run, history = known.run, history_of(known.run, known.story)
    chosen = query.get("attempt", "")
    attempt = history.attempt(int(chosen[:9])) if chosen.isdecimal() else None
    attempt = attempt or history.kept
    others = max(0, sum(run.card.counts.values()) - 1)
    return {
        "history": history,
        "steps": steps_of(history),
        "attempt": attempt,
        "comparison": None if attempt is None else compared(history, attempt, query.get("against")),
        "review": None if attempt is None else _review(run, history, attempt, asked_for=chosen.isdecimal()),
        "scores": None if attempt is None else score_table(history, attempt),
        "receipts": receipts_of(run.view, history, others=others, noun=run.card.noun),
        "replies": replies_of(run, history) if query.get("replies") == "1" else None,
        "calls": sum(len(one.calls) for one in history.attempts),
        "usage": sum((one.usage for one in history.attempts), Usage()),
        "decisions": [
            {**one, "said": SAID[one["verdict"]]} for one in reversed(decision_history(run.view, history.story))
        ],
    }


def compared(history: UnitHistory, attempt: AttemptRecord, named: str | None) -> Drawn:
    """What changed from another draft to this one."""
    name, before = history.against(attempt, named)
    old, number = history.texts(before), before.number if before is not None else None
    if not any(text.strip() for text in old.values()):
        return Drawn(attempt=attempt.number, name=name, before=number, changes=(), is_first=True, same_as=None)
    changes = tuple(change for change in diff_fields(old, history.texts(attempt)) if change.is_changed)
    skipped = history.attempts[(number or 0) : attempt.number - 1]
    return Drawn(
        attempt=attempt.number,
        name=name,
        before=number,
        changes=changes,
        is_first=False,
        same_as=next((one.number for one in skipped if one.content_hash == attempt.content_hash), None),
    )


def _review(run: RunReader, history: UnitHistory, attempt: AttemptRecord, *, asked_for: bool) -> Review:
    """The findings of the attempt. If it has none and was not asked for by number, those of the last one before it."""
    shown = attempt if asked_for else reviewed_last(history, attempt)
    dropped = list(run.view.journal.events(unit=history.story.row.id, types=("finding_dropped",)))
    return review_of(history, shown, dropped)


def replies_of(run: RunReader, history: UnitHistory) -> list[Drawn]:
    """Every raw reply of the unit's calls, newest attempt first."""
    found = []
    for attempt in reversed(history.attempts):
        for key in attempt.calls:
            call = run.view.journal.call(key)
            if call is not None:
                text = call.raw[:LONGEST_REPLY]
                found.append(Drawn(call=call, attempt=attempt.number, text=text, unshown=len(call.raw) - len(text)))
    return found


def _decision_context(here: Workplace, known: UnitAccess, kept: RejectedForm | None) -> dict[str, Any]:
    run, story = known.run, known.story
    row, may_change = story.row, is_changeable(run, story)
    result = here.reviews.last(run.card.id, row.id)
    decisions = [one for one in reported_decisions(story.decisions) if "undone_by" not in one]
    waits = row.state == run.view.kind.states.waiting
    return {
        "waits": waits,
        "may_change": may_change,
        "may_send_back": may_change and may_be_sent_back(story),
        "may_drop": may_be_dropped(run, story) and (waits or not run.view.published()),
        "may_dismiss": is_dismissible(run, story),
        "may_reopen": may_be_reopened(run, story),
        "focus": FocusParts(()),
        "editor": refilled(known.parts.editor(story), kept) if may_change else None,
        "result": result,
        "can_undo": result is not None and result.can_undo and VISITOR.get().may("decide"),
        "settled_by": decisions[-1] if decisions and not waits else None,
        "why": reason_of(run.view.kind, row).rstrip(".") if row.reason else None,
    }


def is_changeable(run: RunReader, story: UnitStory) -> bool:
    """Whether the visitor may edit the unit or send it back: it waits for a person, or, in phased kinds, is in rework
    or ready. Not for a blocker that is no unit, which has no text, nor for visitors who can only read."""
    if not VISITOR.get().may("decide"):
        return False
    kind, state = run.view.kind, story.row.state
    if not kind.is_phased:
        return state == kind.states.waiting
    return state in (kind.states.waiting, kind.states.working, kind.states.ready) and not kind.is_blocker(story.source)


def is_dismissible(run: RunReader, story: UnitStory) -> bool:
    """Whether the visitor may dismiss what rules claim about the unit: it waits, and is judged by itself."""
    kind = run.view.kind
    waits = story.row.state == kind.states.waiting and not (kind.is_whole or kind.is_phased)
    return waits and VISITOR.get().may("decide")


def may_be_reopened(run: RunReader, story: UnitStory) -> bool:
    """Whether a person may put the accepted unit back before a person."""
    kind = run.view.kind
    return story.row.state == kind.states.ready and may_reopen(kind) and VISITOR.get().may("decide")


def may_be_sent_back(story: UnitStory) -> bool:
    """Whether sending back leads to another attempt; if not, it is not offered."""
    return story.row.reason not in IN_VAIN


def may_be_dropped(run: RunReader, story: UnitStory) -> bool:
    """Whether a person may leave the unit out of what is published."""
    kind = run.view.kind
    if kind.states.dropped is None or story.row.state not in (kind.states.waiting, kind.states.ready):
        return False
    if not VISITOR.get().may("decide"):
        return False
    document = next((one for one in run.view.plan.documents if one.name == story.row.document), None)
    try:
        return document is not None and kind.why_not_left_out(document.path, document.format) is None
    except OSError:  # the source is missing, so nothing can be published
        return False


def _neighbours(run: RunReader, story: UnitStory, query: Mapping[str, str]) -> dict[str, Any]:
    where = UnitFilter.from_query(query)
    kept = dict(where.as_query())
    before, after = run.previous_and_next(story.row.id, where)
    return {
        "before": unit_link(run.card.id, before, **kept) if before else None,
        "after": unit_link(run.card.id, after, **kept) if after else None,
    }
