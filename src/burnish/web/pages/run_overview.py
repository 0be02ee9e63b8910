"""The overview of a run: its notice, how far it is, what blocks publishing, what it cost, what rules and scores say."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from types import MappingProxyType

from burnish.app.check_summary import unjudged_texts
from burnish.app.run_card import RunCard
from burnish.app.run_reader import CauseCount, RuleCount, RunReader, Spent, UnitLine
from burnish.app.run_reader import ScoreSpread as Spread
from burnish.core.findings import Severity
from burnish.core.records import EventRecord
from burnish.engine.check import Unheard
from burnish.engine.exports import recorded_unheard
from burnish.engine.publish import unreadable
from burnish.store.unit_queries import UnitFilter
from burnish.web.charts import (
    Curve,
    Histogram,
    OpenAndSettled,
    Part,
    Stack,
    cropped,
    curve,
    histogram,
    open_and_settled,
    stack,
)
from burnish.web.formatting import age, count, in_words, lasting, listed, moment, money, plural, score, sentence
from burnish.web.kinds import UnitAccess, Words
from burnish.web.labels import Tone, gate_words, look_of, nth
from burnish.web.links import queue_link, run_link
from burnish.web.rendering import rule_titles


@dataclass(frozen=True, slots=True)
class Notice:
    """A sentence or two, `code` in backticks."""

    tone: Tone
    words: str


def notice_of(card: RunCard, now: datetime, rest: str | None = None) -> Notice | None:
    """What to know of a run that rests where it should not; None where its head says enough. `rest`: what is known of
    it here, which its journal does not tell."""
    if card.state == "at_its_ceiling":
        return Notice("stop", _ceiling(card))
    if card.state == "submitted":
        words = card.detail or "Calls are with the provider, in a batch"
        return Notice("wait", f"{words}. Resume the run to collect the answers; nothing is paid twice.")
    if card.state == "silent":
        return Notice("fail", _silence(card, now))
    if card.state == "interrupted":
        return Notice("stop", f"{rest or 'Interrupted'}. Resume it here; recorded replies are not paid for again.")
    if card.state == "failed":
        return Notice(
            "fail", f"{(card.detail or 'Stopped').rstrip('.')}. Correct that and resume; nothing is paid twice."
        )
    return None


def _ceiling(card: RunCard) -> str:
    left = plural(card.requested - card.ready - card.waiting, card.noun)
    at = _met(card)
    are = "is" if left.startswith("1 ") else "are"
    # Money and tokens are raised in a field beside this; seconds have none.
    how = "" if at else f" with `burnish resume {card.id} --max-seconds`"
    stopped = f"Stopped{f' at {at}' if at else ''}, as set. {left} {are} left."
    return f"{stopped} Raise the ceiling to resume{how}; nothing is paid twice."


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


def _silence(card: RunCard, now: datetime) -> str:
    heard = f"Last heartbeat {age(card.heartbeat_at, now)} ago" if card.heartbeat_at else "No heartbeat"
    return (
        f"{heard}{f' on {card.host}' if card.host else ''}. If that machine is gone, resume here; "
        "nothing is paid twice."
    )


MOST_BLOCKERS = 5
MOST_ROLES = 5
"""Roles with a line of their own."""
MOST_RULES = 10
MOST_CAUSES = 5
MOST_PROBLEMS = 5
DONE = frozenset({"ready", "excluded"})
"""What a unit's state may mean without keeping the run from being published."""


@dataclass(frozen=True, slots=True)
class Blocker:
    """A unit that waits for a person."""

    line: UnitLine
    href: str
    severity: Severity | None
    why: tuple[Words, ...]
    """The finding's own words, or else the reason; what it is about is marked."""
    more: str
    """What else is known: the reason, the rules, the attempts."""


@dataclass(frozen=True, slots=True)
class Blockers:
    """Everything that keeps a run from being published."""

    said: str
    """In a sentence, to the person who looks at the page."""
    told: str
    """The same to anybody else."""
    units: tuple[Blocker, ...]
    waiting_more: int
    """Units that wait, beyond those that are listed."""
    causes: tuple[CauseCount, ...]
    """Why units wait, the most frequent first; empty where all of them are listed."""
    moving: str
    """What gets on without anybody: `12 in review, 5 rework queued`."""
    moving_count: int
    problems: tuple[EventRecord, ...]
    """Parts of the input that cannot be used."""


@dataclass(frozen=True, slots=True)
class RuleBar:
    """What one rule found."""

    count: RuleCount
    bar: OpenAndSettled


@dataclass(frozen=True, slots=True)
class RuleBars:
    bars: tuple[RuleBar, ...]
    open: int
    settled: int
    more: int
    """Rules that are not shown."""


@dataclass(frozen=True, slots=True)
class ScorePicture:
    """How one score is spread."""

    name: str
    said: str
    chart: Histogram


@dataclass(frozen=True, slots=True)
class Overview:
    """All of it."""

    progress: Stack
    required: str
    blockers: Blockers
    curve: Curve | None
    spent: str
    rules: RuleBars
    scores: tuple[ScorePicture, ...]
    scored: str
    unjudged: tuple[str, ...]
    """What nobody judged, and why."""


def overview_of(run: RunReader) -> Overview:
    card = run.card
    spending = run.spending()
    spreads = run.scores()
    return Overview(
        progress=progress_of(card),
        required=_required(card),
        blockers=blockers_of(run, card),
        curve=curve_of(card, spending, run.spending_by_role()),
        spent="no price known" if card.cost is None else f"{money(card.cost)} so far",
        rules=rule_bars(run.findings_by_rule(), MOST_RULES),
        scores=tuple(score_picture(spread, card.kind) for spread in spreads),
        scored=_scored(spreads, card.noun),
        unjudged=tuple(
            unjudged_texts(Unheard.from_record(recorded_unheard(run.view.journal)), noun=card.noun),
        ),
    )


def progress_of(card: RunCard) -> Stack:
    """The bar of states; each part leads to its units."""
    looks = [(part, look_of(part.state, part.sort)) for part in card.parts]
    return stack(
        Part(part.count, look.words, look.fill, run_link(card.id, tab="units", state=part.state))
        for part, look in looks
    )


def _required(card: RunCard) -> str:
    out = sum(part.count for part in card.parts if part.sort == "excluded")
    return f"{count(card.requested)} required" + (f", {count(out)} excluded by policy" if out else "")


def blockers_of(run: RunReader, card: RunCard) -> Blockers:
    problems = tuple(islice(unreadable(run.view.journal), MOST_PROBLEMS))
    waiting = UnitFilter((run.view.kind.states.waiting,))
    lines = run.units(waiting, limit=MOST_BLOCKERS).lines if card.waiting else ()
    more = max(0, card.waiting - len(lines))
    moving = [part for part in card.parts if part.sort not in DONE and part.sort != "person"]
    return Blockers(
        said=gate_words(card, len(problems)),
        told=gate_words(card, len(problems), who="a person"),
        units=tuple(_blocker(run, card, line) for line in lines),
        waiting_more=more,
        causes=tuple(run.causes()[:MOST_CAUSES]) if more else (),
        moving=listed(f"{count(part.count)} {look_of(part.state, part.sort).words}" for part in moving),
        moving_count=sum(part.count for part in moving),
        problems=problems,
    )


def _blocker(run: RunReader, card: RunCard, line: UnitLine) -> Blocker:
    """The same sentence that the queue begins with; what it does not say stands below it."""
    focus = UnitAccess.of(run, line.id).focus()
    reason = sentence(line.text or in_words(line.state)).rstrip(".")
    is_said = reason == "".join(part.text for part in focus.reason).rstrip(".")
    rules = [rule_titles().get(rule) or sentence(in_words(rule)) for rule in line.rules[:3]]
    known = [*([] if is_said else [reason]), *rules, plural(line.attempts, nth(card.kind))]
    return Blocker(
        line,
        queue_link(run=card.id, unit=line.id),
        focus.severity or line.severity,
        tuple(focus.reason),
        ", ".join(known),
    )


def curve_of(
    card: RunCard, spending: Sequence[Spent], by_role: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({})
) -> Curve | None:
    """Tokens over time, from the run's beginning, and those of each role; None where there is nothing to draw."""
    begun = moment(card.started_at)
    if begun is None or not spending or not card.tokens:
        return None
    points = [(0.0, 0.0)]
    for spent in spending:
        then = moment(spent.at)
        # Spending is summed by whole seconds: the first may seem to lie before the run began.
        passed = max(points[-1][0], (then - begun).total_seconds()) if then else points[-1][0]
        points.append((passed, float(spent.tokens)))
    last = points[-1][0]
    ceiling = card.ceilings.get("max_tokens")
    words = f"Tokens over time: {count(card.tokens)} after {lasting(last)}"
    # A call is recorded with its number; at which second that was, the sums of the whole run know.
    calls = [0, *(spent.calls for spent in spending)]
    parts = {
        f"{sentence(in_words(role))} {count(line[-1][1])}": [
            *((_second(call, calls, points), float(tokens)) for call, tokens in line),
            (last, float(line[-1][1])),
        ]
        for role, line in sorted(by_role.items(), key=lambda one: -one[1][-1][1])[:MOST_ROLES]
        if len(by_role) > 1
    }
    said = f" ({', '.join(parts)})" if parts else ""
    words += said
    return curve(
        points,
        parts=parts,
        end_words=count(card.tokens),
        label=words + (f", ceiling {count(int(ceiling))}" if ceiling else ""),
        ceiling=ceiling,
        ticks=[(0.0, "0"), *([(last / 2, lasting(last / 2))] if last >= 1 else []), (last, lasting(last))],
    )


def _second(call: int, calls: Sequence[int], points: Sequence[tuple[float, float]]) -> float:
    """When a call was made, between the two moments that are known before and after it."""
    at = min(bisect_left(calls, call), len(points) - 1)
    if at == 0 or calls[at] == calls[at - 1]:
        return points[at][0]
    before, after = points[at - 1][0], points[at][0]
    return before + (after - before) * min(1.0, (call - calls[at - 1]) / (calls[at] - calls[at - 1]))


def rule_bars(counts: Sequence[RuleCount], most: int) -> RuleBars:
    """Rules with what is open in front of what is settled, the first `most` of them."""
    longest = max((one.open + one.settled for one in counts), default=1)
    bars = [RuleBar(one, open_and_settled(one.open, one.settled, longest)) for one in counts[:most]]
    return RuleBars(
        tuple(bars),
        sum(one.open for one in counts),
        sum(one.settled for one in counts),
        max(0, len(counts) - most),
    )


def score_picture(spread: Spread, kind: str) -> ScorePicture:
    """One dimension as a histogram."""
    name = sentence(in_words(spread.name))
    lowest, bins = cropped(spread.bins, spread.lowest, spread.highest, spread.line)
    chart = histogram(
        name, bins, lowest=lowest, highest=spread.highest, line=spread.line, below=spread.below, kind=kind
    )
    said = plural(spread.count, "score")
    if spread.line is not None:
        said = f"{count(spread.below)} below {score(spread.line, kind=kind)}"
    return ScorePicture(name, said, chart)


def _scored(spreads: Sequence[Spread], noun: str) -> str:
    most = max((spread.count for spread in spreads), default=0)
    return f"{plural(most, noun)} scored" if most else "nothing scored yet"
