"""Courses in a terminal: the report on one, the scores of cuts made by hand, and the result of an evolution."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from burnish.app.course_delivery import CourseReport, Evolution
from burnish.app.course_evolution import Evolved, extractions_of
from burnish.app.course_reuse import show_reuse
from burnish.app.labels import about, counted, minute
from burnish.app.terminal import Piece, Role, Screen, excerpt
from burnish.core.documents import Problem
from burnish.core.experiments import EFFECT_ABOVE, P_BELOW
from burnish.engine.estimate import Amount
from burnish.engine.experiments import cost_of_arms
from burnish.engine.exports import totals_record
from burnish.engine.plan import Plan
from burnish.kinds.legos.evolution.subject import Candidates, Subject
from burnish.kinds.legos.evolution.trials import Settled, chance
from burnish.kinds.legos.hand_cuts import Scored, summary
from burnish.kinds.legos.policy import TITLES
from burnish.kinds.legos.requests import EXTRACTOR, PROMPT_VERSION
from burnish.kinds.legos.rule_review import decision
from burnish.models.budget import Price

MOST_CONCERNS = 12
MOST_PEOPLE = 10
MOST_PROBLEMS = 10
"""Lines of each list in the terminal; the files and --json have all."""
LABEL = 30
"""Columns of the labels on the left."""
SMALLEST_BAR, LARGEST_BAR = 16, 40
STATUSES: tuple[tuple[str, str, Role], ...] = (
    ("accepted", "accepted", "good"),
    ("flagged", "flagged", "warning"),
    ("failed", "failed", "error"),
    ("pending_review", "waiting for a person", "warning"),
    ("not_extracted", "not cut yet", "info"),
)
"""Field of the summary, its label, its colour."""
DECIDING = "{seed} waits in a run: `burnish decide {run} {seed} accept --by NAME` settles it, or `edit`, or `reject`."
EDITING = (
    "{seed} waits in a run and has no LEGOs: `burnish decide {run} {seed} edit --by NAME --text-file FILE` gives it "
    "yours, a line each: source | target."
)
LOOKING = "{seed} waits in no run: `burnish legos extract {course} --again {seed}` cuts it again."
UNKNOWN_RUN = "RUN"
"""Placeholder if the run in which they wait is not known: `burnish runs` lists the runs."""
PRIORITIES: dict[str, Role] = {"critical": "critical", "high": "error", "medium": "warning", "low": "info"}
ROLES: dict[str, Role] = {"accepted": "good", "flagged": "warning", "failed": "error"}
DIMENSIONS = {
    "iron_rule_compliance": "Iron Rule",
    "naturalness": "naturalness",
    "pedagogical_value": "pedagogical value",
    "consistency": "consistency",
    "edge_case_handling": "edge cases",
}


def show_course(
    screen: Screen, report: CourseReport, course: str, run: str = "", waiting: Collection[str] = ()
) -> None:
    """Print the whole report. `course` and `run`: folder and run as a command names them; the SEEDs of `waiting` wait
    for a decision in that run."""
    quality = report["quality_report"]
    _show_summary(screen, quality, course, report["teaching_order"])
    if quality["as_of"] is not None:
        averages = quality["dimension_averages"]
        screen.heading("Dimensions", "mean of the last attempts, 0 to 10")
        show_averages(screen, averages)
        tried = quality["quality_summary"]["total_seeds"] - quality["quality_summary"]["not_extracted"]
        _show_concerns(screen, quality["concern_frequency"], tried)
        _show_trends(screen, quality["improvement_trends"], report["retry_queue"]["count"])
        show_reuse(screen, quality["reuse"], report["teaching_order"])
    _show_evolution(screen, report.evolution)
    _show_people(screen, report["human_review_queue"]["seeds"])
    # How to decide on them: one example for each way.
    people = report["human_review_queue"]["seeds"]
    steps: dict[tuple[str, str], str] = {}
    for row in people:
        seed = row["seed_id"]
        waits = seed in waiting or row["waits_in_a_run"]
        named = run if seed in waiting else UNKNOWN_RUN
        way = (DECIDING if row["legos"] else EDITING) if waits else LOOKING
        steps.setdefault((named, way), way.format(seed=seed, run=named, course=course))
    for step in steps.values():
        screen.paragraph(step, indent="  ", first=("  ",))
    show_problems(screen, [(str(one), one.hint) for one in report.problems])


def _show_summary(screen: Screen, quality: Mapping[str, Any], name: str, order: Mapping[str, Any]) -> None:
    summary = quality["quality_summary"]
    total = summary["total_seeds"]
    made = f"  {counted(total, 'SEED')}, {counted(order['count'] + order['left_out'], 'distinct LEGO')}"
    reviewed = f"  reviewed {minute(quality['as_of'])}" if quality["as_of"] else ""
    screen.line(("strong", ", ".join(quality["course_codes"]) or name), made, ("faint", reviewed))
    screen.gap()
    for field, label, role in STATUSES:
        if summary[field]:
            share = summary[field] / total
            _row(screen, label, f"{summary[field]:>6,}", share, role, f"{share:>6.1%}")
    if summary["average_quality_score"] is not None:
        attempts = summary["average_attempts_per_seed"]
        score = f"{summary['average_quality_score']:.2f} of 10"
        _labelled(screen, "average score", f"{score}, after {attempts:.2f} attempts a SEED")
    if order["left_out"]:
        rest = f"{order['left_out']:,} more when their SEEDs are accepted and seen"
        _labelled(screen, "LEGOs to be taught", f"{order['count']:,}; {rest}")


def show_averages(screen: Screen, averages: Mapping[str, float]) -> None:
    """A bar for each dimension."""
    for name, label in DIMENSIONS.items():
        _row(screen, label, f"{averages[name]:>6.2f}", averages[name] / 10, role_of(averages[name]))


def _show_concerns(screen: Screen, frequency: Mapping[str, int], tried: int) -> None:
    if not frequency:
        return
    screen.heading("Concerns", "SEEDs whose last attempt has them")
    shown = [(titled(name), number / tried, number) for name, number in frequency.items()][:MOST_CONCERNS]
    wide = max(len(label) for label, _, _ in shown)
    for label, share, number in shown:
        _row(screen, label, f"{number:>6,}", share, "warning", f"{share:>6.1%}", wide=wide)
    show_more(screen, len(frequency) - MOST_CONCERNS)


def _show_trends(screen: Screen, trends: Mapping[str, Any], waiting: int) -> None:
    if not trends["seeds_retried"] and not waiting:
        return
    screen.heading("Trying again")
    if trends["seeds_retried"]:
        better = f"{trends['seeds_improved_on_retry']:,} of {counted(trends['seeds_retried'], 'SEED')}"
        _labelled(screen, "came out better", f"{better}, {trends['average_score_improvement']:+.2f} points on average")
    if trends["most_effective_suggestion"]:
        effect = trends["suggestion_effects"][0]
        gain = f"{effect['average_gain']:+.2f} points in {_retries(effect['retries'])}"
        _labelled(screen, "most effective suggestion", f"{effect['suggestion_id']}, {gain}")
    if waiting:
        _labelled(screen, "still to be tried again", counted(waiting, "SEED"))


def _retries(number: int) -> str:
    return "1 retry" if number == 1 else f"{number:,} retries"


def _show_evolution(screen: Screen, evolution: Evolution) -> None:
    """Print the rules that were tried, if any: most courses are cut without a model."""
    overlay, rows = evolution.overlay, evolution.ledger.rows
    if not rows and not overlay.rules and not overlay.taken_back:
        return
    screen.heading("Prompt", "rules that were tried on this course's own SEEDs")
    tried = sum(row.action == "adopt" for row in rows)
    kept = f"{counted(len(overlay.rules), 'rule')} in use, {len(overlay.taken_back)} taken back"
    _labelled(screen, f"version {overlay.version}", f"{kept}, {counted(tried, 'candidate')} tried")
    for rule in overlay.rules:
        found = rule.evidence
        proof = f"  ({found.gain:+.2f} points on {counted(found.pairs, 'SEED')}, {chance(found.p)})"
        first: tuple[Piece, ...] = ("  ", ("good", f"{f'+ since {rule.adopted_in}':<{LABEL}}"), "  ")
        screen.paragraph(f"{rule.text}{proof}", indent=" " * (LABEL + 4), first=first)
    for former in overlay.taken_back:
        first = ("  ", ("removed", f"{f'- since {former.taken_back_in}':<{LABEL}}"), "  ")
        screen.paragraph(former.text, indent=" " * (LABEL + 4), first=first)


def _show_people(screen: Screen, people: Sequence[Mapping[str, Any]]) -> None:
    if not people:
        return
    screen.heading("Needs a person", f"{counted(len(people), 'SEED')}, the most urgent first")
    for row in people[:MOST_PEOPLE]:
        score = "  --" if row["best_attempt_score"] is None else f"{row['best_attempt_score']:>4.1f}"
        urgent: Piece = (PRIORITIES[row["priority"]], f"{row['priority']:<8}")
        first: tuple[Piece, ...] = ("  ", ("strong", row["seed_id"]), "  ", urgent, "  ")
        screen.paragraph(f"{score}  {row['reason']}", indent=" " * 25, first=first)
        screen.line(" " * 25, ("faint", excerpt(row["source"], None, screen.width - 25).line))
        if row["note"]:
            screen.paragraph(row["note"], indent=" " * 25, first=(" " * 25, ("strong", f"{row['noted_by']}: ")))
    show_more(screen, len(people) - MOST_PEOPLE)


def show_problems(screen: Screen, problems: Sequence[tuple[str, str | None]]) -> None:
    """Print the problems with their places, and each hint once."""
    if not problems:
        return
    screen.heading("Left out", f"{counted(len(problems), 'problem')}")
    for message, _ in problems[:MOST_PROBLEMS]:
        screen.paragraph(message, indent="  ")
    show_more(screen, len(problems) - MOST_PROBLEMS)
    for hint in dict.fromkeys(hint for _, hint in problems if hint):
        screen.paragraph(hint, indent="        ", first=("  ", ("faint", "hint: ")))


def role_of(score: float) -> Role:
    """The colour of a score."""
    return ROLES[decision(score)]


def bar(share: float, width: int) -> str:
    """A bar for a share of `width` columns: empty only for 0, full only for 1."""
    filled = round(share * width)
    if 0 < share < 1:
        filled = max(1, min(width - 1, filled))
    return "█" * filled + "·" * (width - filled)


def _row(
    screen: Screen, label: str, number: str, share: float, role: Role, more: str = "", *, wide: int = LABEL
) -> None:
    width = max(SMALLEST_BAR, min(LARGEST_BAR, screen.width - wide - 24))
    screen.line(f"  {label:<{wide}}{number}  ", (role, bar(share, width)), f"  {more}")


def _labelled(screen: Screen, label: str, text: str) -> None:
    screen.paragraph(text, indent=" " * (LABEL + 4), first=("  ", f"{label:<{LABEL}}", "  "))


def show_more(screen: Screen, number: int) -> None:
    if number > 0:
        screen.line("  ", ("faint", f"and {number:,} more; --json lists all"))


SCORE_INDENT = 13
"""Columns before the lines about a SEED."""


def show_scores(screen: Screen, scored: Sequence[Scored], problems: Sequence[Problem]) -> None:
    """Print a few lines for each SEED, then the totals."""
    for one in scored:
        _show_scored(screen, one)
    if scored:
        found = summary(scored)
        counts = ", ".join(f"{found[name]:,} {name}" for name in ROLES if found[name])
        screen.line(("strong", counted(len(scored), "SEED")), f": {counts}; average score {found['average_score']:.2f}")
        show_averages(screen, found["dimension_averages"])
    rows = [
        (f"{one.path}:{one.line}: {one.message}" if one.line else f"{one.path}: {one.message}", one.hint)
        for one in problems
    ]
    show_problems(screen, rows)


def _show_scored(screen: Screen, one: Scored) -> None:
    score = one.review.overall
    sentence = excerpt(one.seed.source, None, screen.width - SCORE_INDENT).line
    screen.line(("strong", one.seed.id), "  ", (role_of(score), f"{score:>4.1f}"), f"  {sentence}")
    if one.seed.legos:
        legos = " | ".join(lego.source for lego in one.seed.legos)
        screen.paragraph(legos, indent=" " * SCORE_INDENT)
    named = ", ".join(f"{DIMENSIONS[name]} {points:.1f}" for name, points in one.review.scores.items())
    screen.line(" " * SCORE_INDENT, (ROLES[one.status], one.status), ("faint", f"  {named}"))
    for refused in one.refused:
        _say(screen, ("error", "refused"), refused.message)
    for concern in one.review.concerns:
        said = f"{concern.description} {concern.suggested_fix}  {titled(concern.concern_id)}"
        _say(screen, (PRIORITIES[concern.severity], concern.severity), said)
    if one.seed.uncovered:
        _say(screen, ("faint", "left out"), f"{', '.join(one.seed.uncovered)}: no lawful LEGO reaches it")
    screen.gap()


def titled(concern: str) -> str:
    """The title of a concern, then its id. A concern that a model made up has no title."""
    return f"{TITLES[concern]} ({concern})" if concern in TITLES else concern


def _say(screen: Screen, label: Piece, text: str) -> None:
    word = label if isinstance(label, str) else label[1]
    first: tuple[Piece, ...] = (" " * SCORE_INDENT, label, " " * (10 - len(word)))
    screen.paragraph(text, indent=" " * (SCORE_INDENT + 10), first=first)


DECISIONS: dict[str, Role] = {"adopted": "good", "rejected": "plain", "taken_back": "warning", "kept": "good"}
NOTHING_TO_TRY = "No suggestion recurs that was not tried before, and the course has learnt no rule yet."


@dataclass(frozen=True, slots=True)
class TrialsEstimate:
    """The estimated cost of an evolution."""

    seeds: int
    trials: int
    likely: Amount
    at_most: Amount
    unpriced: tuple[str, ...]
    """Models without a price in the settings."""


def estimated(plan: Plan, subject: Subject, prices: Mapping[str, Price]) -> TrialsEstimate:
    """The cost of every arm that may be needed: the current prompt, and one for each rule on trial."""
    model = plan.roles[EXTRACTOR]
    overlay = subject.before(PROMPT_VERSION)
    arms = [overlay.texts]
    arms += [overlay.without(rule.id) for rule in overlay.rules]
    arms += [(*overlay.texts, rule.text) for rule in subject.suggested.rules]
    likely, most = cost_of_arms(extractions_of(plan, subject), subject.split, arms, model, prices.get(model))
    unpriced = () if model in prices else (model,)
    return TrialsEstimate(len(subject.seeds), len(arms) - 1, likely, most, unpriced)


def print_trials_estimate(estimate: TrialsEstimate, screen: Screen) -> None:
    screen.line(("strong", counted(estimate.trials, "rule")), f" to try on {estimate.seeds} SEEDs. No call made.")
    for label, amount in (("likely", estimate.likely), ("at most", estimate.at_most)):
        money = "" if estimate.unpriced else f", {about(amount.cost)}"
        screen.line(f"  {label:<9}{counted(amount.calls, 'call')}, {counted(amount.tokens, 'token')}{money}")
    for model in estimate.unpriced:
        screen.line(("warning", "note: "), f'no price is known for {model}; add [prices."{model}"] to burnish.toml.')


def suggested_record(suggested: Candidates) -> dict[str, Any]:
    """Suggestions of the course that are not tried now."""
    return {
        "tried_before": suggested.tried_before,
        "rare": suggested.rare,
        "left_for_later": suggested.left_for_later,
        "unfit": [asdict(one) for one in suggested.unfit],
    }


def evolved_record(plan: Plan, subject: Subject, evolved: Evolved) -> dict[str, Any]:
    """The result of an evolution as a record."""
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


def print_evolved(subject: Subject, evolved: Evolved, screen: Screen) -> None:
    """Print the result of an evolution."""
    split = subject.split
    tried = f" tried on {len(split.tested)} SEEDs, concerns counted on {len(split.held_out)} others."
    screen.line(("strong", counted(len(evolved.settled), "rule")), tried)
    needs = (
        f"A change needs a gain, effect > {EFFECT_ABOVE}, no more concerns, and p < {P_BELOW} over all rules on trial."
    )
    screen.line(("faint", needs))
    for settled in evolved.settled:
        screen.gap()
        # One trial: the decision, the rule, and the reason.
        decision = settled.decision.replace("_", " ")
        screen.paragraph(
            settled.trial.rule.text,
            indent=" " * 14,
            first=("  ", (DECISIONS[settled.decision], f"{decision:<10}"), "  "),
        )
        screen.paragraph(settled.why, indent=" " * 14)
    screen.gap()
    print_suggested(subject.suggested, screen)
    screen.gap()
    before, after = str(evolved.before.version), str(evolved.after.version)
    screen.line("Prompt version ", ("strong", after), ", as before." if before == after else f", before {before}.")


def print_suggested(suggested: Candidates, screen: Screen) -> None:
    """Print the suggestions of the course that are not tried now."""
    for one in suggested.unfit:
        why: tuple[Piece, ...] = ("  ", ("warning", "left out    "))
        screen.paragraph(f"{one.suggestion_id} ({one.seeds} SEEDs): {one.reason}.", indent=" " * 14, first=why)
    parts = [
        f"{counted(suggested.left_for_later, 'suggestion')} left for the next time" * bool(suggested.left_for_later),
        f"{suggested.tried_before} tried before" * bool(suggested.tried_before),
        f"{suggested.rare} made too rarely" * bool(suggested.rare),
    ]
    rest = ", ".join(part for part in parts if part)
    if rest:
        screen.line(("faint", f"  Besides: {rest}."))
