"""What is said of a run before anything else, where something keeps it: what happened, what is safe, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from burnish.app.run_card import RunCard
from burnish.web.formatting import age, count, money, plural
from burnish.web.labels import Tone


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence or two, `code` in backticks."""

    tone: Tone
    words: str


def notice_of(card: RunCard, now: datetime) -> Notice | None:
    """What to know of a run that rests where it should not; None where its head says enough."""
    if card.standing == "at_its_ceiling":
        return Notice("stop", _ceiling(card))
    if card.standing == "silent":
        return Notice("fail", _silence(card, now))
    if card.standing == "interrupted":
        return Notice("stop", "Interrupted. Continue it here: the recorded replies are read, not paid for again.")
    if card.standing == "failed":
        return Notice(
            "fail", f"{(card.detail or 'Stopped').rstrip('.')}. Mend that and continue; nothing is paid twice."
        )
    return None


def gate_words(card: RunCard, problems: int = 0, *, who: str = "you") -> str:
    """Why nothing is published yet; or that nothing keeps it. `problems`: parts of the input that cannot be used;
    `who`: how whoever has to decide is called."""
    left = card.wanted - card.ready
    if left > 0:
        are = "is" if left == 1 else "are"
        required = plural(card.wanted, f"required {card.noun}")
        return f"{count(left)} of {required} {are} not ready{_waiting(card, left, who)}"
    if card.waiting:
        belongs, waits = ("belongs", "waits") if card.waiting == 1 else ("belong", "wait")
        return f"{plural(card.waiting, 'issue')} that {belongs} to no {card.noun} {waits} for {who}"
    if problems:
        return "Parts of the input cannot be used"
    return "Only an approval is missing" if card.standing == "waiting_for_approval" else "Nothing blocks publishing"


def _waiting(card: RunCard, left: int, who: str) -> str:
    if not card.waiting:
        return ""
    if card.waiting >= left:
        return f"; it waits for {who}" if left == 1 else f"; all of them wait for {who}"
    return f"; {count(card.waiting)} of them {'waits' if card.waiting == 1 else 'wait'} for {who}"


def _ceiling(card: RunCard) -> str:
    left = plural(card.wanted - card.ready - card.waiting, card.noun)
    at = _met(card)
    return (
        f"Stopped{f' at {at}' if at else ''}, as set. {left} left. Raise the ceiling to go on, in the settings or with "
        f"`burnish resume {card.id} {_flag(card)}`; nothing is paid twice."
    )


def _met(card: RunCard) -> str:
    """The ceiling that the run is nearest to, in words."""
    shares = {
        name: spent / limit
        for name, spent, limit in (
            ("max_cost", card.cost or 0.0, card.ceilings.get("max_cost")),
            ("max_tokens", float(card.tokens), card.ceilings.get("max_tokens")),
        )
        if limit
    }
    nearest = max(shares, key=lambda name: shares[name], default=None)
    if nearest == "max_cost":
        return money(card.ceilings["max_cost"])
    return f"{count(int(card.ceilings['max_tokens']))} tokens" if nearest else ""


def _flag(card: RunCard) -> str:
    return {"$": "--max-cost", "": "--max-seconds"}.get(_met(card)[:1], "--max-tokens")


def _silence(card: RunCard, now: datetime) -> str:
    heard = f"Last heartbeat {age(card.heartbeat_at, now)} ago" if card.heartbeat_at else "No heartbeat"
    return (
        f"{heard}{f' on {card.host}' if card.host else ''}. If that machine is gone, resume here: the recorded replies "
        "are read, not paid for again."
    )
