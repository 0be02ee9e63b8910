"""Dealing cards: a run as the list of runs shows it, from what its journal and its lock say."""

from __future__ import annotations

from burnish.core.stages import StagedKind
from burnish.store.clock import Clock
from burnish.store.lock import seen_lock
from burnish.surfaces.catalogue.cards import RunCard, StatePart
from burnish.surfaces.catalogue.facts import Facts
from burnish.surfaces.catalogue.lines import Sort
from burnish.surfaces.catalogue.standing import WORDS, detail_of, sort_of, standing_of
from burnish.surfaces.polishing import CEILINGS

BAR: tuple[Sort, ...] = ("ready", "work", "rework", "fail", "person", "idle", "excluded")
"""The order of the pieces in the stacked bar."""


def card_of(facts: Facts, clock: Clock) -> RunCard:
    """The card. Everything but the lock is known already."""
    kind, plan, totals = facts.kind, facts.plan, facts.totals
    lock = seen_lock(facts.folder, clock)
    standing = standing_of(facts, lock, clock())
    holder = lock.record if lock is not None and standing in ("working", "silent") else None
    merged, left_out = (kind.merged, kind.out_of_scope) if isinstance(kind, StagedKind) else ("", "")
    limits = plan.arguments.get("limits") or {}
    ready = facts.counts.get(kind.states.ready, 0) + facts.counts.get(merged, 0)
    wanted = sum(facts.counts.values()) - facts.counts.get(left_out, 0)
    ceilings = {name: float(limits[name]) for name in CEILINGS if limits.get(name) is not None}
    parts = [StatePart(state, sort_of(kind, state), count) for state, count in facts.counts.items()]
    return RunCard(
        id=facts.folder.id,
        title=facts.titled.title,
        subtitle=facts.titled.subtitle,
        kind=plan.kind,
        noun=kind.noun,
        task=plan.task,
        standing=standing,
        words=WORDS[standing],
        detail=detail_of(facts, standing, ready, wanted, ceilings, holder, clock()),
        counts=facts.counts,
        parts=tuple(sorted(parts, key=lambda part: BAR.index(part.sort))),
        ready=ready,
        wanted=wanted,
        waiting=facts.waiting,
        totals=totals,
        tokens=totals.usage.total_tokens,
        cost=None if totals.calls and totals.calls == totals.unpriced_calls else totals.usage.cost,
        started_at=facts.started.at if facts.started else "",
        active_at=facts.last.at if facts.last else "",
        event=facts.last.seq if facts.last else 0,
        host=holder.host if holder else None,
        heartbeat_at=holder.last_heartbeat_at if holder else None,
        ceilings=ceilings,
        models=plan.models,
        documents=tuple(document.name for document in plan.documents),
        stop=str(facts.stopped.data["reason"]) if facts.stopped else None,
        trials=facts.trials,
    )
