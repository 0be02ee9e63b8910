"""`--estimate`: the bill before the work."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from burnish.app.check_summary import foretell_holes, hole
from burnish.app.labels import about, counted
from burnish.app.materials import kind_of
from burnish.app.run_models import prices_for
from burnish.app.settings import Settings
from burnish.app.terminal import Screen, json_text
from burnish.core.errors import BurnishError
from burnish.core.kinds import Kind
from burnish.core.records import ModelUsage
from burnish.engine.estimate import KNOWN_AFTER, Amount, Estimate, Habits, estimate
from burnish.engine.plan import Plan
from burnish.store.clock import system_clock
from burnish.store.paths import existing_runs
from burnish.store.sqlite_journal import open_journal

if TYPE_CHECKING:
    from burnish.app.lesson_study import Study


AT_MOST = "  At most: every reply is as long as it may be, cut off, and asked for once more with four times the room."
NO_FAULT = "  Likely: judges find no fault. Each iteration of repairs, with judging again, costs up to as much again."
AT_BATCH_PRICE = "At batch price: half of what single calls cost."


THINKING = f"  A model thinks before it answers; how long is known after {KNOWN_AFTER} calls of it in the runs folder."
RUNS_LOOKED_AT = 50
"""Runs in which earlier calls are looked for, the newest."""


def print_estimate(plan: Plan, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Say what the run would cost. Exit code 0."""
    kind = kind_of(plan)
    bill = estimate(plan, kind, prices_for(settings, plan.models), habits_in(Path(settings.runs)))
    if json:
        is_batch = {"batch_price": True} if plan.arguments.get("batch") else {}
        screen.stream.write(json_text({**asdict(bill), **is_batch}) + "\n")
    else:
        _tell(plan, kind, bill, screen)
    return 0


def habits_in(runs: Path) -> Habits:
    """How long models thought in the runs of a folder. A run that cannot be read says nothing here."""
    newest = sorted(existing_runs(runs), key=lambda run: run.journal.stat().st_mtime)[-RUNS_LOOKED_AT:]
    found: list[ModelUsage] = []
    for run in newest:
        with (
            suppress(BurnishError),
            closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal,
        ):
            found += journal.usage_by_model()
    return Habits(found)


def print_reading(read: Study, reader: str | None, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Say what the review of one lesson would cost. Exit code 0."""
    prices = prices_for(settings, () if reader is None else (reader,))
    bill = read.estimate(reader, prices, habits_in(Path(settings.runs)))
    if json:
        screen.stream.write(json_text(asdict(bill)) + "\n")
        return 0
    screen.line(("strong", counted(bill.units, "unit")), " read, no call made, nothing written.")
    _tell_amounts(bill, () if reader is None else (reader,), screen)
    return 0


def _tell(plan: Plan, kind: Kind, bill: Estimate, screen: Screen) -> None:
    screen.line(("strong", counted(bill.units, kind.noun)), " read, no call made, nothing written.")
    foretell_holes([hole(part.path, part.line, part.message) for part in bill.unreadable], screen)
    if kind.is_phased:
        screen.line(f"  {bill.clean:>8,}  {kind.done} without a model")
        screen.line(f"  {bill.to_correct:>8,}  by a model")
    else:
        screen.line(f"  {bill.clean:>8,}  pass the rules")
        screen.line(f"  {bill.to_correct:>8,}  to correct")
        screen.line(f"  {bill.for_a_person:>8,}  for a person")
    _tell_amounts(bill, plan.models, screen, is_batch=bool(plan.arguments.get("batch")))
    if kind.is_whole and plan.judges:
        screen.line(("faint", NO_FAULT))


def _tell_amounts(bill: Estimate, models: Sequence[str], screen: Screen, *, is_batch: bool = False) -> None:
    if not models:
        screen.line("No model is set, so it costs nothing. Name one with --model to see a price.")
        return
    priced = len(bill.unpriced) < len(models)
    screen.line("  likely   ", _amount(bill.likely, priced, bill.likely_up_to))
    if bill.likely_up_to != bill.likely:
        screen.line(("faint", THINKING))
    screen.line("  at most  ", _amount(bill.at_most, priced))
    screen.line(("faint", AT_MOST))
    if is_batch:
        screen.line(AT_BATCH_PRICE)
    for model in bill.unpriced:
        screen.line(("warning", "note: "), f'no price is known for {model}; add [prices."{model}"] to burnish.toml.')


def _amount(amount: Amount, priced: bool, up_to: Amount | None = None) -> str:
    tokens, money = counted(amount.tokens, "token"), about(amount.cost)
    if up_to is not None and up_to != amount:
        tokens = f"{amount.tokens:,} to {up_to.tokens:,} tokens"
        money = f"{money} to {about(up_to.cost).removeprefix('about ')}" if up_to.cost else money
    return f"{counted(amount.calls, 'call')}, {tokens}{f', {money}' if priced else ''}"
