"""The overview of a run: its notice, progress, blockers of publishing, cost, findings by rule, and scores."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import islice
from types import MappingProxyType

from burnish.app.check_summary import skipped_texts, unjudged_texts
from burnish.app.run_card import RunCard
from burnish.app.run_reader import RuleCount, RunReader, Spent, UnitLine
from burnish.app.run_reader import ScoreSpread as Spread
from burnish.engine.check import Unheard
from burnish.engine.exports import recorded_unheard
from burnish.engine.publish import unreadable
from burnish.store.unit_queries import UnitFilter
from burnish.web import Drawn
from burnish.web.charts import (
    Part,
    Stack,
    cropped,
    curve,
    findings_bar,
    histogram,
    stack,
)
from burnish.web.formatting import age, count, in_words, lasting, listed, moment, money, plural, score, sentence
from burnish.web.kinds import UnitAccess
from burnish.web.labels import gate_words, look_of, nth
from burnish.web.rendering import queue_link, rule_titles, run_link


def notice_of(card: RunCard, now: datetime, rest: str | None = None) -> Drawn | None:
    """The notice of a run that stopped early; None if the run needs none. `rest`: what this server knows about it
    beyond the journal, such as `Paused`."""
    if card.state == "at_its_ceiling":
        left = plural(card.requested - card.ready - card.waiting, card.noun)
        at = _nearest_ceiling(card)
        are = "is" if left.startswith("1 ") else "are"
        # Money and tokens are raised in a field beside this; seconds have none.
        how = "" if at else f" with `burnish resume {card.id} --max-seconds`"
        stopped = f"Stopped at {f'the ceiling of {at}' if at else 'its ceiling'}. {left} {are} left."
        return Drawn(tone="stop", words=f"{stopped} Raise the ceiling to resume{how}; nothing is paid twice.")
    if card.state == "submitted":
        words = card.detail or "Calls are with the provider, in a batch"
        return Drawn(tone="wait", words=f"{words}. Resume the run to collect the answers; nothing is paid twice.")
    if card.state == "silent":
        heard = f"Last heartbeat {age(card.heartbeat_at, now)} ago" if card.heartbeat_at else "No heartbeat"
        return Drawn(
            tone="fail",
            words=(
                f"{heard}{f' on {card.host}' if card.host else ''}. If that machine is gone, resume here; "
                "nothing is paid twice."
            ),
        )
    if card.state == "interrupted":
        return Drawn(
            tone="stop", words=f"{rest or 'Interrupted'}. Resume it here; recorded replies are not paid for again."
        )
    if card.state == "failed":
        return Drawn(
            tone="fail",
            words=f"{(card.detail or 'Stopped').rstrip('.')}. Correct that and resume; nothing is paid twice.",
        )
    return None


def _nearest_ceiling(card: RunCard) -> str:
    """The ceiling that the run is closest to, in words."""
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


MOST_BLOCKERS = 5
MOST_ROLES = 5
"""Roles with a curve of their own."""
MOST_RULES = 10
MOST_CAUSES = 5
MOST_PROBLEMS = 5
NOT_BLOCKING = frozenset({"ready", "excluded"})
"""Meanings of a unit's state that do not block publishing."""


def overview_of(run: RunReader) -> Drawn:
    card = run.card
    spending = run.spending()
    spreads = run.scores()
    unheard = Unheard.from_record(recorded_unheard(run.view.journal))
    out = sum(part.count for part in card.parts if part.sort == "excluded")
    return Drawn(
        progress=progress_of(card),
        required=f"{count(card.requested)} required" + (f", {count(out)} excluded by policy" if out else ""),
        blockers=blockers_of(run, card),
        curve=curve_of(card, spending, run.spending_by_role()),
        spent="no price known" if card.cost is None else f"{money(card.cost)} so far",
        rules=rule_bars(run.findings_by_rule(), MOST_RULES),
        scores=tuple(score_picture(spread, card.kind) for spread in spreads),
        scored=_scored(spreads, card.noun),
        doubts=doubt_lines(run, card),
        unjudged=(*skipped_texts(unheard, noun=card.noun), *unjudged_texts(unheard, noun=card.noun)),
    )


def doubt_lines(run: RunReader, card: RunCard) -> tuple[Drawn, ...]:
    """What is open in accepted units: a line for each subject of doubts, and one for all other findings."""
    doubts, kind = run.doubts(), run.view.kind
    lines = [
        Drawn(
            count=units,
            words=f"accepted with doubts about {subject}",
            rules=[one.rule for one in doubts.rules if one.rule in kind.words.doubts[subject]],
        )
        for subject, units in doubts.subjects.items()
    ]
    about = frozenset[str]().union(*kind.words.doubts.values())
    others = [one.rule for one in doubts.rules if one.rule not in about]
    if others:
        words = f"accepted with {'other ' if lines else ''}open findings"
        lines.append(Drawn(count=doubts.others, words=words, rules=others[:MOST_RULES]))
    return tuple(lines)


def progress_of(card: RunCard) -> Stack:
    """The bar of states; each part links to its units."""
    looks = [(part, look_of(part.state, part.sort)) for part in card.parts]
    return stack(
        Part(part.count, look.words, look.fill, run_link(card.id, tab="units", state=part.state))
        for part, look in looks
    )


def blockers_of(run: RunReader, card: RunCard) -> Drawn:
    problems = tuple(islice(unreadable(run.view.journal), MOST_PROBLEMS))
    waiting = UnitFilter((run.view.kind.states.waiting,))
    lines = run.units(waiting, limit=MOST_BLOCKERS).lines if card.waiting else ()
    more = max(0, card.waiting - len(lines))
    moving = [part for part in card.parts if part.sort not in NOT_BLOCKING and part.sort != "person"]
    return Drawn(
        gate=gate_words(card, len(problems)),
        report_gate=gate_words(card, len(problems), who="a person"),
        units=tuple(_blocker(run, card, line) for line in lines),
        waiting_more=more,
        causes=tuple(run.causes()[:MOST_CAUSES]) if more else (),
        moving=listed(f"{count(part.count)} {look_of(part.state, part.sort).words}" for part in moving),
        moving_count=sum(part.count for part in moving),
        problems=problems,
    )


def _blocker(run: RunReader, card: RunCard, line: UnitLine) -> Drawn:
    """A blocking unit, with the same reason as in the queue, and further facts below it."""
    focus = UnitAccess.of(run, line.id).focus()
    reason = sentence(line.text or in_words(line.state)).rstrip(".")
    is_said = reason == "".join(part.text for part in focus.reason).rstrip(".")
    rules = [rule_titles().get(rule) or sentence(in_words(rule)) for rule in line.rules[:3]]
    known = [*([] if is_said else [reason]), *rules, plural(line.attempts, nth(card.kind))]
    return Drawn(
        line=line,
        href=queue_link(run=card.id, unit=line.id),
        severity=focus.severity or line.severity,
        why=tuple(focus.reason),
        more=", ".join(known),
    )


def curve_of(
    card: RunCard, spending: Sequence[Spent], by_role: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({})
) -> Drawn | None:
    """Tokens over time since the start of the run, in all and by role; None without data."""
    begun = moment(card.started_at)
    if begun is None or not spending or not card.tokens:
        return None
    points = [(0.0, 0.0)]
    for spent in spending:
        then = moment(spent.at)
        # Spending is summed by whole seconds, so the first sum may have a time before the start.
        passed = max(points[-1][0], (then - begun).total_seconds()) if then else points[-1][0]
        points.append((passed, float(spent.tokens)))
    last = points[-1][0]
    ceiling = card.ceilings.get("max_tokens")
    words = f"Tokens over time: {count(card.tokens)} after {lasting(last)}"
    # Sums by role have only the number of a call; its time comes from the sums of the whole run.
    calls = [0, *(spent.calls for spent in spending)]
    parts = {
        f"{sentence(in_words(role))} {count(line[-1][1])}": [
            *((_second(call, calls, points), float(tokens)) for call, tokens in line),
            (last, float(line[-1][1])),
        ]
        for role, line in sorted(by_role.items(), key=lambda one: -one[1][-1][1])[:MOST_ROLES]
        if len(by_role) > 1
    }
    words += f" ({', '.join(parts)})" if parts else ""
    return curve(
        points,
        parts=parts,
        end_words=count(card.tokens),
        label=words + (f", ceiling {count(int(ceiling))}" if ceiling else ""),
        ceiling=ceiling,
        ticks=[(0.0, "0"), *([(last / 2, lasting(last / 2))] if last >= 1 else []), (last, lasting(last))],
    )


def _second(call: int, calls: Sequence[int], points: Sequence[tuple[float, float]]) -> float:
    """The time of a call, interpolated between the known times before and after it."""
    at = min(bisect_left(calls, call), len(points) - 1)
    if at == 0 or calls[at] == calls[at - 1]:
        return points[at][0]
    before, after = points[at - 1][0], points[at][0]
    return before + (after - before) * min(1.0, (call - calls[at - 1]) / (calls[at] - calls[at - 1]))


def rule_bars(counts: Sequence[RuleCount], most: int) -> Drawn:
    """Bars of the findings of the first `most` rules."""
    longest = max((one.open + one.accepted + one.settled for one in counts), default=1)
    bars = [Drawn(count=one, bar=findings_bar(one.open, one.accepted, one.settled, longest)) for one in counts[:most]]
    return Drawn(
        bars=tuple(bars),
        open=sum(one.open for one in counts),
        accepted=sum(one.accepted for one in counts),
        settled=sum(one.settled for one in counts),
        more=max(0, len(counts) - most),
    )


def score_picture(spread: Spread, kind: str) -> Drawn:
    """The histogram of one dimension."""
    name = sentence(in_words(spread.name))
    lowest, bins = cropped(spread.bins, spread.lowest, spread.highest, spread.line)
    chart = histogram(
        name, bins, lowest=lowest, highest=spread.highest, line=spread.line, below=spread.below, kind=kind
    )
    said = plural(spread.count, "score")
    if spread.line is not None:
        said = f"{count(spread.below)} below {score(spread.line, kind=kind)}"
    return Drawn(name=name, said=said, chart=chart)


def _scored(spreads: Sequence[Spread], noun: str) -> str:
    most = max((spread.count for spread in spreads), default=0)
    return f"{plural(most, noun)} scored" if most else "nothing scored yet"
