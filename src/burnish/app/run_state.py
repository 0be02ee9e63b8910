"""How a run stands, and in words why: from its journal and its lock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from burnish.app.labels import counted
from burnish.store.lock import STALE_AFTER, LockRecord, SeenLock, moment

if TYPE_CHECKING:
    from burnish.app.run_card import Facts

RunState = Literal[
    "working",
    "waiting_for_people",
    "waiting_for_approval",
    "ready_to_continue",
    "published",
    "accepted_with_warning",
    "best_effort",
    "at_its_ceiling",
    "submitted",
    "silent",
    "interrupted",
    "failed",
]
"""How a run stands: at work; units wait for people; only an approval is missing; people have decided everything, and it
has not gone on yet; done and delivered; done with open issues; done as well as it could be; stopped at a limit of
money, tokens or time; its calls are with the provider, in a batch; its process went silent; killed or stopped in the
middle; something else keeps it from ending (a model that is away, input that cannot be read)."""


TEXTS: Mapping[RunState, str] = {
    "working": "Working",
    "waiting_for_people": "Waiting for people",
    "waiting_for_approval": "Waiting for approval",
    "ready_to_continue": "Ready to resume",
    "published": "Published",
    "accepted_with_warning": "Accepted with a warning",
    "best_effort": "Best effort delivered",
    "at_its_ceiling": "Stopped at its ceiling",
    "submitted": "Submitted in a batch",
    "silent": "No heartbeat",
    "interrupted": "Interrupted",
    "failed": "Stopped",
}
PHASES = {
    "translate": "Translating",
    "render": "Rendering in the second script",
    "assemble": "Assembling",
    "review": "Reviewing",
    "rework": "Reworking",
    "align": "Aligning words",
    "extract": "Cutting",
}
"""Stage -> what the run is doing."""
FAILURES = {
    "model_away": "A model does not answer",
    "bad_input": "Parts of the input cannot be read",
    "source_changed": "The source has changed since the run began",
    "regenerate": "A lesson has to be regenerated",
}
"""How a session ended -> why the run is not done."""
BEFORE_THE_END: Mapping[str, RunState] = {
    "limit": "at_its_ceiling",
    "model_away": "failed",
    "submitted": "submitted",
    "source_changed": "failed",
}
"""How a session ended that no decision of a person brings to its end."""
CODE = re.compile(r"^[a-z]+(?:_[a-z]+)+: ")
"""An error's code before what it says: for programs."""
ON_ITS_WAY = timedelta(seconds=15)
"""How long a process may take to begin with a run."""
ELSEWHERE = "no_heartbeat"
"""Why the lock of another machine is stale."""


def state_of(facts: Facts, lock: SeenLock | None, now: datetime) -> RunState:
    """How a run stands."""
    if lock is not None and not (lock.record is not None and lock.record.is_brief):
        if lock.stale is None:
            return "silent" if _silence(lock.record, now) > STALE_AFTER else "working"
        if lock.stale == ELSEWHERE:
            return "silent"
    if facts.session is not None and facts.session.type == "run_failed" and not facts.is_published:
        return "failed"
    if facts.stopped is None or facts.session != facts.stopped:
        return "working" if _is_starting(facts, now) else "interrupted"
    return _ended(facts, str(facts.stopped.data["reason"]))


def _is_starting(facts: Facts, now: datetime) -> bool:
    """Whether a run was written down a moment ago and the process that is to work on it is on its way."""
    began = moment(facts.started.at) if facts.started is not None else None
    return began is not None and facts.last == facts.started and not facts.card.requested and now - began < ON_ITS_WAY


def _ended(facts: Facts, reason: str) -> RunState:
    if reason in BEFORE_THE_END:
        return BEFORE_THE_END[reason]
    if facts.plan.task or facts.is_published:
        if reason == "best_effort" or "best_effort" in facts.endings:
            return "best_effort"
        return "accepted_with_warning" if "accepted_warning" in facts.endings else "published"
    if facts.card.waiting:
        return "waiting_for_people"
    known: dict[str, RunState] = {"needs_person": "ready_to_continue", "awaiting_approval": "waiting_for_approval"}
    # Done and not published: it was stopped just before the end.
    return known.get(reason, "interrupted" if reason in ("done", "best_effort") else "failed")


def text_of(facts: Facts, state: RunState) -> str:
    """The state in words. An experiment publishes nothing: it is done."""
    return "Done" if state == "published" and facts.plan.task else TEXTS[state]


def _silence(holder: LockRecord | None, now: datetime) -> timedelta:
    """How long nothing was heard of whoever holds a run."""
    heard = moment(holder.last_heartbeat_at) if holder is not None else None
    return now - heard if heard is not None else timedelta()


def detail_of(facts: Facts, state: RunState, holder: LockRecord | None, now: datetime) -> str:
    """One more line on how a run stands; empty where there is nothing to add."""
    left = facts.card.requested - facts.card.ready - facts.card.waiting
    if state == "working":
        return _doing(facts, left)
    if state == "waiting_for_people":
        return _rest(facts, left)
    if state == "at_its_ceiling":
        return _ceiling(facts)
    if state == "silent" and holder is not None:
        return f"Last heartbeat {_ago(_silence(holder, now))} ago, host {holder.host}"
    said: dict[RunState, str] = {
        "published": f"{counted(facts.card.trials, 'trial')} settled" if facts.plan.task else "",
        "waiting_for_approval": "Nothing blocks publishing",
        "ready_to_continue": "Everything is decided",
        "submitted": _message(facts).rstrip("."),
        "interrupted": "Resume the run; nothing is paid twice",
        "failed": _failure(facts),
    }
    return said.get(state, "")


def _rest(facts: Facts, left: int) -> str:
    """What there is besides the units that wait."""
    if left > 0:
        return f"{left:,} more to do"
    return (
        f"Everything else is {facts.kind.states.ready.replace('_', ' ')}" if facts.card.ready else "Nothing else to do"
    )


def _doing(facts: Facts, left: int) -> str:
    data = facts.phase.data if facts.phase is not None else {}
    if "stage" in data:
        return PHASES.get(str(data["stage"]), str(data["stage"]))
    if "endScore" in data:
        return f"Iteration {int(data['iteration']) + 1}, score {float(data['endScore']):.3f}".replace(" 0.", " .")
    if "score" in data:
        return f"Refining, score {float(data['score']):.3f}".replace(" 0.", " .")
    return f"{counted(left, facts.kind.noun)} left" if left else "" if facts.card.requested else "Starting"


def _ceiling(facts: Facts) -> str:
    usage, ceilings = facts.card.totals.usage, facts.card.ceilings
    if "max_cost" in ceilings and usage.cost is not None and "$" in _message(facts):
        return f"${usage.cost:.2f} spent of ${ceilings['max_cost']:.2f}. Raise the ceiling to resume"
    if "max_tokens" in ceilings and "tokens" in _message(facts):
        return f"{usage.total_tokens:,} tokens spent of {int(ceilings['max_tokens']):,}. Raise the ceiling to resume"
    return _message(facts) or "Raise the limit to resume"


def _failure(facts: Facts) -> str:
    if facts.session is not None and facts.session.type == "run_failed":
        return str(facts.session.data["message"]).rstrip(".")
    reason = str(facts.stopped.data["reason"]) if facts.stopped is not None else ""
    said = CODE.sub("", _message(facts), count=1).rstrip(".")
    return said or FAILURES.get(reason, reason.replace("_", " "))


def _message(facts: Facts) -> str:
    return str((facts.stopped.data.get("message") if facts.stopped is not None else None) or "")


def _ago(time: timedelta) -> str:
    minutes = int(time.total_seconds() // 60)
    if minutes < 60:
        return f"{max(minutes, 1)} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60)} d"
