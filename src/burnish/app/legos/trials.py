"""What an evolution came to, for people and for programs; and what it would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from burnish.app.legos.evolution_orders import extractions_of
from burnish.app.legos.evolving import Evolved
from burnish.app.reports.words import counted
from burnish.app.terminal import Piece, Role, Screen
from burnish.core.experiments import EFFECT_ABOVE, P_BELOW
from burnish.engine.estimating import Amount
from burnish.engine.experiments import cost_of_arms
from burnish.engine.exporting import totals_record
from burnish.engine.plan import Plan
from burnish.kinds.legos.asks import EXTRACTOR, PROMPT_VERSION
from burnish.kinds.legos.evolving.candidates import Candidates
from burnish.kinds.legos.evolving.evolution import Settled
from burnish.kinds.legos.evolving.subject import Subject
from burnish.models.budget import Price

DECISIONS: dict[str, Role] = {"adopted": "good", "rejected": "plain", "taken_back": "warning", "kept": "good"}
NOTHING_TO_TRY = "No suggestion recurs that was not tried before, and the course has learnt no rule yet."


@dataclass(frozen=True, slots=True)
class TrialsEstimate:
    """What an evolution would cost."""

    seeds: int
    trials: int
    likely: Amount
    at_most: Amount
    unpriced: tuple[str, ...]
    """Models without a price in the settings."""


def estimated(plan: Plan, subject: Subject, prices: Mapping[str, Price]) -> TrialsEstimate:
    """Every arm that may have to be asked: the prompt as it is, and one for each rule on trial."""
    model = plan.roles[EXTRACTOR]
    overlay = subject.before(PROMPT_VERSION)
    arms = [overlay.texts]
    arms += [overlay.without(rule.id) for rule in overlay.rules]
    arms += [(*overlay.texts, rule.text) for rule in subject.suggested.rules]
    likely, most = cost_of_arms(extractions_of(plan, subject), subject.split, arms, model, prices.get(model))
    unpriced = () if model in prices else (model,)
    return TrialsEstimate(len(subject.seeds), len(arms) - 1, likely, most, unpriced)


def tell_estimate(estimate: TrialsEstimate, screen: Screen) -> None:
    screen.line(("strong", counted(estimate.trials, "rule")), f" to try on {estimate.seeds} SEEDs. No call made.")
    for label, amount in (("likely", estimate.likely), ("at most", estimate.at_most)):
        money = "" if estimate.unpriced else f", ${amount.cost:,.4f}"
        screen.line(f"  {label:<9}{counted(amount.calls, 'call')}, {counted(amount.tokens, 'token')}{money}")
    for model in estimate.unpriced:
        screen.line(("warning", "note: "), f'no price is set for {model}; add [prices."{model}"] to burnish.toml.')


def estimate_record(estimate: TrialsEstimate) -> dict[str, Any]:
    return asdict(estimate)


def suggested_record(suggested: Candidates) -> dict[str, Any]:
    """What the course suggests besides what is tried."""
    return {
        "tried_before": suggested.tried_before,
        "rare": suggested.rare,
        "left_for_later": suggested.left_for_later,
        "unfit": [asdict(one) for one in suggested.unfit],
    }


def evolved_record(plan: Plan, subject: Subject, evolved: Evolved) -> dict[str, Any]:
    """The end of an evolution for programs."""
    return {
        "run_id": plan.run_id,
        "stopped": evolved.stopped,
        "message": evolved.message,
        "course": plan.arguments["options"]["course"],
        "model": plan.roles[EXTRACTOR],
        "seed": plan.arguments["evolve"]["seed"],
        "tested": len(subject.split.tested),
        "held_out": len(subject.split.held_out),
        "prompt_version_before": str(evolved.before.version),
        "prompt_version": str(evolved.after.version),
        "rules": list(evolved.after.texts),
        "trials": [_trial_record(one) for one in evolved.settled],
        "suggestions": suggested_record(subject.suggested),
        "totals": totals_record(evolved.totals),
    }


def _trial_record(settled: Settled) -> dict[str, Any]:
    trial = settled.trial
    return {
        "rule": trial.rule.id,
        "text": trial.rule.text,
        "action": trial.action,
        "decision": settled.decision,
        "evidence": settled.evidence.as_record(),
        "reasons": list(settled.reasons),
        "why": settled.why,
    }


def tell_evolved(subject: Subject, evolved: Evolved, screen: Screen) -> None:
    """The end of an evolution for people."""
    split = subject.split
    tried = f" tried on {len(split.tested)} SEEDs, concerns counted on {len(split.held_out)} others."
    screen.line(("strong", counted(len(evolved.settled), "rule")), tried)
    needs = (
        f"A change needs a gain, effect > {EFFECT_ABOVE}, no more concerns, and p < {P_BELOW} over all rules on trial."
    )
    screen.line(("faint", needs))
    for settled in evolved.settled:
        screen.gap()
        tell_settled(settled, screen)
    screen.gap()
    tell_suggested(subject.suggested, screen)
    screen.gap()
    before, after = str(evolved.before.version), str(evolved.after.version)
    screen.line("Prompt version ", ("strong", after), ", as before." if before == after else f", before {before}.")


def tell_settled(settled: Settled, screen: Screen) -> None:
    """One trial: what became of it, the rule, and why."""
    decision = settled.decision.replace("_", " ")
    screen.paragraph(
        settled.trial.rule.text, indent=" " * 14, first=("  ", (DECISIONS[settled.decision], f"{decision:<10}"), "  ")
    )
    screen.paragraph(settled.why, indent=" " * 14)


def tell_suggested(suggested: Candidates, screen: Screen) -> None:
    """What the course suggests besides what is tried."""
    for one in suggested.unfit:
        why: tuple[Piece, ...] = ("  ", ("warning", "left out    "))
        screen.paragraph(f"{one.suggestion_id} ({one.seeds} SEEDs): {one.reason}.", indent=" " * 14, first=why)
    parts = [
        f"{counted(suggested.left_for_later, 'suggestion')} left for the next time" * bool(suggested.left_for_later),
        f"{suggested.tried_before} tried before" * bool(suggested.tried_before),
        f"{suggested.rare} made too rarely" * bool(suggested.rare),
    ]
    told = ", ".join(part for part in parts if part)
    if told:
        screen.line(("faint", f"  Besides: {told}."))
