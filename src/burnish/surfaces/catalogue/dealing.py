"""Dealing cards: one run after another as the list of runs shows it."""

from __future__ import annotations

from burnish.core.records import EventRecord
from burnish.core.stages import StagedKind
from burnish.engine.plan import Plan
from burnish.store.clock import Clock
from burnish.store.lock import live_holder
from burnish.surfaces.catalogue.cards import RunCard, Standing, StatePart
from burnish.surfaces.catalogue.standing import WORDS, sort_of
from burnish.surfaces.polishing import CEILINGS
from burnish.surfaces.runs import View, counts_of

ENDINGS: dict[str, Standing] = {
    "needs_person": "waiting_for_people",
    "awaiting_approval": "waiting_for_approval",
    "limit": "at_its_ceiling",
    "best_effort": "best_effort",
    "accepted_warning": "accepted_with_warning",
    "done": "published",
}
BAR = ("ready", "work", "rework", "fail", "person", "idle", "excluded")


def card_of(view: View, clock: Clock) -> RunCard:
    journal, kind, plan = view.journal, view.kind, view.plan
    holder = live_holder(view.folder, clock)
    events = list(journal.events(types=("run_started", "run_resumed", "run_stopped", "published")))
    counts = counts_of(view)
    ordered = {state: counts[state] for state in (*kind.states.moves, *counts) if counts.get(state)}
    parts = [StatePart(state, sort_of(kind, state), count) for state, count in ordered.items()]
    parts.sort(key=lambda part: BAR.index(part.sort))
    stop = events[-1] if events and events[-1].type == "run_stopped" else None
    standing = _standing(events, working=holder is not None)
    totals = journal.totals()
    merged, out = (kind.merged, kind.out_of_scope) if isinstance(kind, StagedKind) else ("", "")
    last = next(iter(reversed(list(journal.events()))), None)
    limits = plan.arguments.get("limits") or {}
    return RunCard(
        id=view.folder.id,
        title=_title(plan),
        subtitle=plan.kind,
        kind=plan.kind,
        noun=kind.noun,
        task=plan.task,
        standing=standing,
        words=WORDS[standing],
        detail=str((stop.data.get("message") if stop else None) or ""),
        counts=ordered,
        parts=tuple(parts),
        ready=counts.get(kind.states.ready, 0) + counts.get(merged, 0),
        wanted=sum(counts.values()) - counts.get(out, 0),
        waiting=journal.counts().get(kind.states.waiting, 0),
        totals=totals,
        tokens=totals.usage.total_tokens,
        cost=None if totals.calls and totals.calls == totals.unpriced_calls else totals.usage.cost,
        started_at=events[0].at if events else "",
        active_at=last.at if last else "",
        event=last.seq if last else 0,
        host=holder.host if holder else None,
        heartbeat_at=holder.last_heartbeat_at if holder else None,
        ceilings={name: limits[name] for name in CEILINGS if limits.get(name) is not None},
        models=plan.models,
        documents=tuple(document.name for document in plan.documents),
        stop=str(stop.data["reason"]) if stop else None,
        trials=sum(1 for _ in journal.events(types=("trial_settled",))),
    )


def _standing(events: list[EventRecord], *, working: bool) -> Standing:
    if working:
        return "working"
    stops = [event for event in events if event.type == "run_stopped"]
    if not stops or [e for e in events if e.type != "published"][-1].type != "run_stopped":
        return "interrupted"
    return ENDINGS.get(str(stops[-1].data["reason"]), "failed")


def _title(plan: Plan) -> str:
    course = plan.arguments.get("options", {}).get("course")
    return str(course) if course else plan.documents[0].name if plan.documents else plan.run_id
