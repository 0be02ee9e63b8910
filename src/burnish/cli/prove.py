"""`burnish prove`: damage copies of sound documents on purpose, and count who sees it."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from burnish.app.materials import materials
from burnish.app.polish_plan import print_amounts
from burnish.app.proof_copies import Order, subject_of
from burnish.app.proof_report import print_proof, record_of
from burnish.app.prove import Proof, Prover, estimate_of, folder_of, plan_of, prove_run
from burnish.app.run_sessions import prices_for, refuse_unknown, resources_of
from burnish.app.settings import Settings, load
from burnish.app.terminal import Screen
from burnish.cli.execution import Meter, terminable
from burnish.cli.options import (
    Estimate,
    KindName,
    ModelOptions,
    Output,
    PairOptions,
    RuleOptions,
    RunOptions,
    Source,
    Spec,
)
from burnish.core.errors import LimitReached, UsageError
from burnish.core.findings import SEVERITIES, Severity
from burnish.core.records import Totals, Usage
from burnish.engine.plan import Plan
from burnish.store.paths import default_run_id, operator_path
from burnish.store.processes import system_clock

TOO_FEW = 1
LEAST: dict[str, Severity] = {name: name for name in SEVERITIES if name != "info"}


def prove(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Sound documents: files or folders.")],
    rules: RuleOptions,
    models: ModelOptions,
    limits: RunOptions,
    output: Output,
    kind: KindName = None,
    spec: Spec = None,
    source: Source = None,
    pair: PairOptions = PairOptions(),
    course: Annotated[
        str | None, typer.Option(metavar="CODE", help="LEGOs: the paths hold sentence pairs of this course.")
    ] = None,
    damage: Annotated[
        str | None, typer.Option(metavar="LIST", help="Only these damages, separated by commas. Default: all.")
    ] = None,
    n: Annotated[int, typer.Option("--n", min=1, metavar="N", help="Most copies of each damage.")] = 200,
    seed: Annotated[int, typer.Option(metavar="S", help="Random seed: another number damages other places.")] = 1,
    severity: Annotated[
        str, typer.Option(metavar="LEVEL", help="What counts as seen: warning, error or critical.")
    ] = "warning",
    at_least: Annotated[
        float | None,
        typer.Option(min=0, max=100, metavar="PERCENT", help="Exit with 1 if a damage is seen less often than this."),
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write one self-contained page: heat map and missed cases.")
    ] = None,
    run_id: Annotated[
        str | None,
        typer.Option("--run-id", metavar="ID", help="Name of a proof with models; an unfinished one is continued."),
    ] = None,
    estimate: Estimate = False,
) -> int:
    """Damage copies of sound documents on purpose, and count which damage your rules and judges see.

    The documents stay as they are. Rules look at every copy; judges, where models are named, at what the rules let
    pass. Damage that is seen counts only if the original does not have the same finding.

    Exit code 0: done. 1: with --at-least, a damage is seen less often. 2: bad input. 4: the proof is active. 6: stopped
    at a limit or because a model is away; the same command with the same --run-id resumes it.
    """
    loaded = load(flags={**rules.flags(), **models.flags(), **limits.flags()})
    pair.refuse_alone("Leave it out, or name a source and its translation.")
    if severity not in LEAST:
        raise UsageError(f"There is no severity {severity!r}.", hint=f"Severities: {', '.join(LEAST)}.")
    order = Order(
        tuple(str(operator_path(path)) for path in paths),
        kind,
        materials(spec, source or ()),
        pair.bitext,
        pair.glossary,
        pair.lexicon,
        (pair.source_language, pair.target_language),
        course,
        tuple(name.strip() for name in (damage or "").split(",") if name.strip()),
        n,
        seed,
        LEAST[severity],
    )
    if html is not None and operator_path(html).resolve() in {operator_path(path).resolve() for path in paths}:
        raise UsageError(f"{html} is one of the documents.", hint="Give --html another file, such as proof.html.")
    with terminable(), Bar() as bar:
        prover = Prover(subject_of(order, loaded), bar.on_progress)
        plan = plan_of(prover.subject, loaded, run_id or default_run_id(paths[0], system_clock()))
        refuse_unknown(loaded.settings, plan.models)
        proof = prover.by_rules()
        if estimate:
            return _print_estimate(prover, proof, plan, loaded.settings, output)
        if plan.models:
            bar.switch("Judging")
            _ask_judges(prover, proof, plan, loaded.settings)
    return _print(proof, output, html, at_least)


class Bar(Meter):
    """Shows on stderr how many originals and copies are looked at."""

    what, seen = "Proving", 0

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def switch(self, what: str) -> None:
        """Another stretch of work."""
        self.close()
        self.what = what

    def on_progress(self, done: int, of: int, totals: Totals | None) -> None:
        if not self.is_open:
            self.begin(of, self.what, "text", already=done - 1)
            self.seen = done - 1
        self.advance(done - self.seen, totals or Totals(0, 0, Usage(), 0))
        self.seen = done


def _ask_judges(prover: Prover, proof: Proof, plan: Plan, settings: Settings) -> None:
    folder = folder_of(settings, plan.run_id)
    try:
        asyncio.run(prove_run(prover, proof, plan, resources_of(settings, plan.models), folder))
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"The same command with --run-id {plan.run_id} continues.") from None
    if proof.stopped != "done":
        said = f"{proof.message} The same command with --run-id {plan.run_id} resumes it; nothing is paid twice."
        Screen(sys.stderr).paragraph(said, first=(("warning", f"{proof.stopped}: "),))


def _print_estimate(prover: Prover, proof: Proof, plan: Plan, settings: Settings, output: Output) -> int:
    bill = estimate_of(prover, proof, plan, prices_for(settings, plan.models))
    if output.json:
        output.write(asdict(bill))
        return 0
    looked = len(prover.jobs(proof))
    output.screen.line(("strong", f"{len(proof.seen):,} copies"), " by rules, no call made, nothing written.")
    output.screen.line(f"  {looked:>8,}  originals and copies for the judges" if plan.models else "  none for judges")
    print_amounts(bill, plan.models, output.screen)
    return 0


def _print(proof: Proof, output: Output, html: str | None, at_least: float | None) -> int:
    record = record_of(proof)
    if output.json:
        output.write(record)
    else:
        print_proof(record, output.screen)
    if html is not None:
        from burnish.web.pages.proof import write_page

        written = write_page(record, operator_path(html))
        if not output.json:
            output.screen.line(("faint", f"Page: {written}"))
    if proof.stopped != "done":
        return LimitReached.exit_code
    fallen = [line for line in record["damages"] if at_least is not None and line["share"] * 100 < at_least]
    for line in fallen:
        Screen(sys.stderr).line(("error", f"below {at_least:g} %: "), f"{line['title']} ({line['share']:.0%})")
    return TOO_FEW if fallen else 0
