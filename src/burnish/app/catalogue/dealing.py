"""Dealing cards: a run as the list of runs shows it, from what its journal and its lock say."""

from __future__ import annotations

from burnish.app.catalogue.cards import RunCard
from burnish.app.catalogue.facts import Facts, decided_aside
from burnish.app.catalogue.standing import detail_of, standing_of, words_of
from burnish.store.clock import Clock
from burnish.store.lock import seen_lock


def card_of(facts: Facts, clock: Clock) -> RunCard:
    """The card. Everything but the lock is known already."""
    plan, totals = facts.plan, facts.totals
    lock = seen_lock(facts.folder, clock)
    standing = standing_of(facts, lock, clock())
    holder = lock.record if lock is not None and standing in ("working", "silent") else None
    return RunCard(
        id=facts.folder.id,
        title=facts.titled.title,
        subtitle=facts.titled.subtitle,
        kind=plan.kind,
        noun=facts.kind.noun,
        task=plan.task,
        standing=standing,
        words=words_of(facts, standing),
        detail=detail_of(facts, standing, holder, clock()),
        counts=facts.counts,
        parts=facts.parts,
        ready=facts.ready,
        wanted=facts.wanted,
        waiting=max(0, facts.waiting - len(decided_aside(facts.folder))),
        totals=totals,
        tokens=totals.usage.total_tokens,
        cost=None if totals.calls and totals.calls == totals.unpriced_calls else totals.usage.cost,
        started_at=facts.started.at if facts.started else "",
        active_at=facts.last.at if facts.last else "",
        event=facts.last.seq if facts.last else 0,
        host=holder.host if holder else None,
        heartbeat_at=holder.last_heartbeat_at if holder else None,
        ceilings=facts.ceilings,
        models=plan.models,
        documents=tuple(document.name for document in plan.documents),
        stop=str(facts.stopped.data["reason"]) if facts.stopped else None,
        trials=facts.trials,
    )
