"""The trials of an evolution run: the choice of the next rule, the decision on it, and the ledger of all trials.

Adopted rules are tested first: is the prompt better without them? Then come the candidates, one by one, each on top of
the rules adopted so far. So every trial needs only one arm that was not measured before.

The significance level of .05 is divided among the candidates of the run, and separately among the rules that may be
withdrawn: see `core.experiments.line_for`.

Ledger lines are only appended, never changed. A line that cannot be read, after a crash or a wrong edit, is reported
and kept, and all others count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import ValidationError

from burnish.core.effects import Request
from burnish.core.errors import InputError
from burnish.core.experiments import EFFECT_ABOVE, FEWEST_PAIRS, Evidence, Measured, Reason, line_for
from burnish.core.replies import LegoReply
from burnish.kinds.legos.evidence import CourseEvidence, Habits
from burnish.kinds.legos.evolution import LEDGER, OVERLAY
from burnish.kinds.legos.evolution.overlay import (
    Action,
    Decision,
    LedgerRow,
    Overlay,
    OverlayRule,
    Rule,
    rule_words,
)
from burnish.kinds.legos.model import Seed
from burnish.kinds.legos.policy import MOST_RULES
from burnish.kinds.legos.replies import located
from burnish.kinds.legos.requests import Commission, extract_ask
from burnish.kinds.legos.rule_review import review

_OF_THEIR_OWN: tuple[Reason, ...] = ("too_few_pairs", "no_gain", "more_concerns")
"""Reasons that suffice by themselves: significance and effect size are not mentioned then."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One rule being tested."""

    number: int
    """Counted from 1 in the run."""
    action: Action
    rule: Rule
    before: tuple[str, ...]
    """The rules of the current prompt."""
    after: tuple[str, ...]
    """The same rules with this one, or without it if it may be withdrawn."""
    p_below: float
    """The significance level."""


@dataclass(frozen=True, slots=True)
class Settled:
    """The result of a trial."""

    trial: Trial
    evidence: Evidence
    decision: Decision
    before: Overlay
    after: Overlay

    @property
    def reasons(self) -> tuple[Reason, ...]:
        return self.evidence.reasons

    @property
    def why(self) -> str:
        return why(self.decision, self.evidence)


@dataclass(slots=True)
class Evolution:
    """The trials of one run."""

    overlay: Overlay
    """The overlay after the trials so far."""
    candidates: Sequence[Rule]
    _earlier: tuple[Rule, ...] = field(init=False)
    _number: int = field(default=0, init=False)
    _convinced: Counter[Action] = field(default_factory=Counter, init=False)
    """The number of changes of each kind."""

    def __post_init__(self) -> None:
        rules = [Rule(rule.id, rule.text, rule.suggestion_id) for rule in self.overlay.rules]
        # An old overlay may have a rule twice: it is tested once.
        self._earlier = tuple({rule_words(rule.text): rule for rule in rules}.values())

    @property
    def most_trials(self) -> int:
        return len(self._earlier) + len(self.candidates)

    def next(self) -> Trial | None:
        """The next trial; None after the last."""
        before = self.overlay.texts
        if self._number < len(self._earlier):
            rule = self._earlier[self._number]
            line = line_for(len(self._earlier), self._convinced["take_back"])
            return Trial(self._number + 1, "take_back", rule, before, self.overlay.without(rule.id), line)
        place = self._number - len(self._earlier)
        if place >= len(self.candidates) or self.overlay.is_full:
            return None
        rule = self.candidates[place]
        line = line_for(len(self.candidates), self._convinced["adopt"])
        return Trial(self._number + 1, "adopt", rule, before, (*before, rule.text), line)

    def settle(self, trial: Trial, evidence: Evidence, *, name: str, at: str) -> Settled:
        """Decide on a trial by its evidence. `name` is its id in the ledger."""
        before = self.overlay
        if evidence.convinces and trial.action == "adopt":
            self.overlay = before.adopting(trial.rule, evidence, trial=name, at=at)
        elif evidence.convinces:
            self.overlay = before.taking_back(trial.rule.id, evidence, trial=name, at=at)
        self._convinced[trial.action] += evidence.convinces
        self._number = trial.number
        return Settled(trial, evidence, _decision(trial.action, evidence.convinces), before, self.overlay)


def _decision(action: Action, convinces: bool) -> Decision:
    if action == "adopt":
        return "adopted" if convinces else "rejected"
    return "taken_back" if convinces else "kept"


def chance(p: float) -> str:
    """The p-value for people; it is never shown as 0."""
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"


def why(decision: Decision, evidence: Evidence) -> str:
    """A sentence about the decision."""
    shown = evidence.as_record()
    p = chance(evidence.test.p)
    gain = f"{shown['gain']:+.2f} points over {shown['pairs']} SEEDs ({p}, effect {shown['effect']:.2f})"
    rates = (
        f"{shown['concerns_before']:.2f} to {shown['concerns_after']:.2f} concerns a SEED on {shown['held_out']} others"
    )
    if decision == "adopted":
        return f"With the rule {gain}; {rates}."
    if decision == "taken_back":
        return f"Without the rule {gain}; {rates}."
    lacks: dict[Reason, str] = {
        "too_few_pairs": f"{FEWEST_PAIRS} SEEDs are needed",
        "no_gain": "no gain",
        "not_significant": f"it may be chance (p is not below {evidence.p_below:.2g})",
        "small_effect": f"the effect is not above {EFFECT_ABOVE}",
        "more_concerns": f"concerns rise on held-out SEEDs, from {rates}",
    }
    named = [reason for reason in evidence.reasons if "no_gain" not in evidence.reasons or reason in _OF_THEIR_OWN]
    side = "With" if decision == "rejected" else "Without"
    return f"{side} the rule {gain}: {'; '.join(lacks[reason] for reason in named)}."


@dataclass(frozen=True, slots=True)
class Extractions:
    """The SEEDs of an experiment. Both arms are measured against the same habits: those at the start of the run."""

    seeds: Mapping[str, Seed]
    """By their ids, without LEGOs."""
    commission: Commission
    habits: Habits | None
    evidence: CourseEvidence

    def ask(self, unit: str, rules: tuple[str, ...]) -> Request:
        """The request for a first cut: the prompt is measured, not the correction in a second attempt."""
        seed = self.seeds[unit]
        return extract_ask(seed, self.commission.with_rules(rules), self.evidence.fitting(seed))

    def measured(self, unit: str, reply: object | None) -> Measured:
        """The review of the cut, or of a SEED without LEGOs if the answer could not be used."""
        seed = self.seeds[unit]
        links = self.evidence.links(seed)
        cut = located(reply.legos, seed, links).seed if isinstance(reply, LegoReply) else seed
        found = review(cut, self.commission.profile, self.habits, self.commission.rule, self.evidence)
        return Measured(found.overall, len(found.concerns))


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line of the ledger that cannot be read."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The record of all trials."""

    rows: tuple[LedgerRow, ...] = ()
    broken: tuple[BrokenLine, ...] = ()
    data: bytes = b""
    """The content of the file."""

    @classmethod
    def of(cls, data: bytes | None) -> Ledger:
        rows: list[LedgerRow] = []
        broken: list[BrokenLine] = []
        lines = (data or b"").split(b"\n")
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                rows.append(LedgerRow.model_validate_json(line))
            except ValidationError as wrong:
                first = wrong.errors(include_url=False, include_input=False)[0]
                said = ": ".join(filter(None, (".".join(map(str, first["loc"])), first["msg"])))
                cut_off = number == len(lines)
                broken.append(BrokenLine(number, "It is incomplete." if cut_off else f"{said}."))
        return cls(tuple(rows), tuple(broken), data or b"")

    def tried(self, model: str) -> dict[str, LedgerRow]:
        """The words of every rule tried with this model -> its last trial. These are not proposed again."""
        return {rule_words(row.text): row for row in self.rows if row.model == model}

    def row(self, trial: str) -> LedgerRow | None:
        return next((row for row in self.rows if row.trial == trial), None)

    def adding(self, row: LedgerRow) -> Ledger:
        """The ledger with one more line. An incomplete line before it is ended first."""
        end = b"" if not self.data or self.data.endswith(b"\n") else b"\n"
        line = row.model_dump_json().encode()
        return replace(self, rows=(*self.rows, row), data=b"".join((self.data, end, line, b"\n")))


HINT = (
    "Take the rule out of the overlay, or move the file away; a rule that attempts suggest is tested by "
    "`burnish legos evolve`, and adopted with evidence."
)


def proven(overlay: Overlay, ledger: Ledger, path: str = OVERLAY) -> Overlay:
    """The overlay, for use in a prompt. Raise InputError for a rule without valid evidence."""
    if len(overlay.rules) > MOST_RULES:
        raise InputError(
            f"The overlay holds {len(overlay.rules)} rules; a prompt can have {MOST_RULES} at most.",
            path=path,
            code="unproven_rule",
            hint="Remove the least important ones, or move the file away.",
        )
    for place, rule in enumerate(overlay.rules):
        fault = _fault(rule, ledger)
        if fault is not None:
            raise InputError(
                f"The rule {rule.id} is not used: {fault}.",
                path=path,
                field=f"rules.{place}",
                code="unproven_rule",
                hint=HINT,
            )
    return overlay


def _fault(rule: OverlayRule, ledger: Ledger) -> str | None:
    """The fault in the proof of a rule, if any."""
    row = ledger.row(rule.trial)
    if row is None:
        return f"{LEDGER} has no trial {rule.trial!r}"
    if row.decision != "adopted" or row.text != rule.text:
        return f"the trial {rule.trial} in {LEDGER} did not adopt it"
    if row.evidence != rule.evidence:
        return f"its evidence is not that of the trial {rule.trial} in {LEDGER}"
    if rule.evidence.lacks:
        return f"its evidence does not convince ({', '.join(rule.evidence.lacks)})"
    later = ledger.rows[ledger.rows.index(row) + 1 :]
    for other in later:
        if other.decision == "taken_back" and rule_words(other.text) == rule_words(rule.text):
            return f"the run {other.run_id!r} took it back; `burnish resume` ends a run that was stopped in between"
    return None
