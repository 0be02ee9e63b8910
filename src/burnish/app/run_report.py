"""The report on a run: progress, blockers, findings, cost, and precision by people's decisions. The shape of
`burnish report RUN --json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

from burnish.app.check_json import NotJudged, Shape, SkippedRules
from burnish.app.check_summary import skipped_texts, unjudged_texts
from burnish.app.course_text import bar, show_more
from burnish.app.kinds import kind_named
from burnish.app.labels import about, counted, minute, rule_name
from burnish.app.receipt import OpenClaims, SpentInAll
from burnish.app.rulebook import PrecisionLine
from burnish.app.run_reader import RunReader
from burnish.app.terminal import Piece, Role, Screen
from burnish.core.attempts import reported_decisions
from burnish.core.findings import Severity
from burnish.core.records import EventRecord
from burnish.engine.check import Unheard
from burnish.engine.exports import recorded_unheard, totals_record
from burnish.engine.publish import unreadable
from burnish.store.unit_queries import UnitFilter

ShapeT = TypeVar("ShapeT", bound=Shape)

MOST_WAITING = 200
"""Waiting units that are listed; their number is always complete."""
MOST_PROBLEMS = 50


class ReportedProgress(Shape):
    """The progress of a run."""

    requested: int
    """Units in scope."""
    ready: int
    waiting: int
    """Units and other blockers that wait for a person."""
    states: dict[str, int]


class ReportedCause(Shape):
    """Why units wait for a person."""

    reason: str
    rule: str | None
    """The first rule that blocks."""
    text: str
    units: int


class ReportedWaiting(Shape):
    """A unit that waits for a person."""

    unit: str
    reason: str | None
    text: str
    rules: tuple[str, ...]
    """The rules with findings in its draft, the worst first."""
    severity: Severity | None
    attempts: int


class ReportedInput(Shape):
    """A part of the input that cannot be used."""

    document: str
    line: int | None
    message: str


class ReportedRule(Shape):
    """The findings of a rule."""

    rule: str
    severity: Severity
    open: int
    """Findings in the kept drafts of units that are not accepted."""
    accepted: int
    """Findings in the kept drafts of accepted units: they were accepted with them."""
    settled: int
    """Units in whose earlier drafts it has findings, and in the kept draft none."""
    units: int


class ReportedScore(Shape):
    """The distribution of one score over the kept drafts."""

    name: str
    line: float | None
    """The threshold of the gate; null if the score is for information only."""
    lowest: float
    highest: float
    bins: tuple[int, ...]
    """Units in each of equally wide steps from the lowest to the highest."""
    below: int
    scored: int


class ReportedPrecision(Shape):
    """How often people agreed with a rule or a judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    right: int
    of: int
    """Decisions of people on its findings."""
    share: float
    low: float
    """The lower end of the 95 % interval, after Wilson."""
    high: float
    standing: str | None = None
    """How labelled findings on published text let a rule be believed; null for judges."""


class ReportedPerson(Shape):
    """One person's decisions, without undone ones."""

    by: str
    accepted: int
    edited: int
    sent_back: int


class ReportedTrial(Shape):
    """A rule of a prompt that an evolution tried."""

    rule: str
    text: str
    decision: str
    why: str


class RunReport(Shape):
    """The summary of a run for people and programs."""

    run_id: str
    kind: str
    task: str
    noun: str
    title: str
    state: str
    text: str
    """The state in words."""
    detail: str
    started_at: str
    active_at: str
    documents: tuple[str, ...]
    models: tuple[str, ...]
    progress: ReportedProgress
    causes: tuple[ReportedCause, ...]
    waiting: tuple[ReportedWaiting, ...]
    waiting_left_out: int
    """Waiting units that are not listed here; `burnish status` lists all."""
    input_problems: tuple[ReportedInput, ...]
    open_claims: OpenClaims
    """What is open in accepted units."""
    findings: tuple[ReportedRule, ...]
    scores: tuple[ReportedScore, ...]
    spent: SpentInAll
    people: tuple[ReportedPerson, ...]
    precision: tuple[ReportedPrecision, ...]
    """From the decisions in this run."""
    precision_in_all_runs: tuple[ReportedPrecision, ...]
    """From the decisions in all runs of the same folder on content of this kind."""
    trials: tuple[ReportedTrial, ...]
    """Evolutions only."""
    skipped_rules: tuple[SkippedRules, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    """In the kept drafts: what no rule and no model judged."""

    def unjudged_texts(self) -> list[str]:
        """What was not judged, in words."""
        unheard = Unheard.from_record({"ignored": {}, **self.model_dump(include={"skipped_rules", "not_judged"})})
        return [*skipped_texts(unheard, noun=self.noun), *unjudged_texts(unheard, noun=self.noun)]


def run_report(run: RunReader, everywhere: Sequence[PrecisionLine] = ()) -> RunReport:
    """The report on a run. `everywhere`: the precision of rules and judges over all runs."""
    card, journal = run.card, run.view.journal
    unheard = recorded_unheard(journal)
    lines = run.units(UnitFilter(states=(run.view.kind.states.waiting,)), limit=MOST_WAITING).lines
    return _taken(
        RunReport,
        card,
        run_id=card.id,
        progress=ReportedProgress(
            requested=card.requested, ready=card.ready, waiting=card.waiting, states=dict(card.counts)
        ),
        causes=tuple(_taken(ReportedCause, one, units=one.count) for one in run.causes()),
        waiting=tuple(_taken(ReportedWaiting, line, unit=line.id) for line in lines),
        waiting_left_out=max(0, card.waiting - len(lines)),
        input_problems=tuple(
            ReportedInput(**{name: part.data[name] for name in ("document", "line", "message")})
            for part in islice(unreadable(journal), MOST_PROBLEMS)
        ),
        open_claims=OpenClaims(**run.doubts().as_record()),
        findings=tuple(_taken(ReportedRule, one) for one in run.findings_by_rule()),
        scores=tuple(_taken(ReportedScore, one, scored=one.count) for one in run.scores()),
        spent=SpentInAll(**totals_record(card.totals)),
        people=tuple(_people(journal.events(types=("decision",)))),
        precision=tuple(_taken(ReportedPrecision, one) for one in run.precision()),
        precision_in_all_runs=tuple(_taken(ReportedPrecision, one) for one in everywhere if one.kind == card.kind),
        trials=tuple(
            ReportedTrial(**{name: str(event.data[name]) for name in ReportedTrial.model_fields})
            for event in journal.events(types=("trial_settled",))
        ),
        skipped_rules=unheard["skipped_rules"],
        not_judged=unheard.get("not_judged", ()),
    )


def _taken(shape: type[ShapeT], one: object, **renamed: Any) -> ShapeT:
    """The shape, filled with the attributes of `one` of the same names, and with those that have another name."""
    return shape(**{name: getattr(one, name) for name in shape.model_fields if name not in renamed}, **renamed)


def _people(events: Iterator[EventRecord]) -> Iterator[ReportedPerson]:
    """Every person's decisions, most decisions first."""
    counts: dict[str, Counter[str]] = {}
    for decision in reported_decisions(events):
        if "undone_by" not in decision:
            counts.setdefault(str(decision["by"]), Counter())[str(decision["verdict"])] += 1
    for by, verdicts in sorted(counts.items(), key=lambda one: (-one[1].total(), one[0])):
        yield ReportedPerson(by=by, accepted=verdicts["accept"], edited=verdicts["edit"], sent_back=verdicts["reject"])


MOST_SHOWN = 15
MOST_RULES = 20
MOST_PRECISION = 30
"""Lines of each list in the terminal; --json has more of them."""
LABEL = 30
"""Columns of the labels on the left."""
BAR = 30
COLUMNS = "·▁▂▃▄▅▆▇█"
"""The columns of a small histogram."""
TALLEST = len(COLUMNS) - 1


def show_report(screen: Screen, report: RunReport) -> None:
    """Print the whole report."""
    task = f" {report.task}" if report.task else ""
    screen.line(("strong", report.run_id), f"  {report.title}  ", ("faint", f"{report.kind}{task}"))
    screen.paragraph(report.text, indent="  ", first=("  ",))
    if report.detail:
        screen.paragraph(report.detail, indent="  ", first=("  ",))
    screen.line("  ", ("faint", f"started {minute(report.started_at)}, last active {minute(report.active_at)}"))
    _show_progress(screen, report)
    _show_blockers(screen, report)
    _show_findings(screen, report)
    _show_scores(screen, report)
    _show_trials(screen, report)
    _show_cost(screen, report)
    if report.people:
        screen.heading("Decisions")
    for one in report.people:
        screen.line(
            f"  {one.by:<{LABEL}}", f"{one.accepted:,} accepted, {one.edited:,} edited, {one.sent_back:,} sent back"
        )
    _show_precision(screen, report)
    if unjudged := report.unjudged_texts():
        screen.heading("Not judged")
    for text in unjudged:
        screen.paragraph(text, indent="    ", first=("  ",))
    screen.gap()
    screen.line(
        ("faint", "`burnish serve` shows the run in a browser; `burnish report RUN --html FILE` writes one page.")
    )


def _show_progress(screen: Screen, report: RunReport) -> None:
    progress = report.progress
    whole = sum(progress.states.values())
    if not whole:
        return
    screen.heading("Progress", f"{progress.ready:,} of {counted(progress.requested, report.noun)} ready")
    for state, number in progress.states.items():
        screen.line(f"  {state:<{LABEL}}{number:>8,}  ", bar(number / whole, BAR))


def _show_blockers(screen: Screen, report: RunReport) -> None:
    if not (report.causes or report.input_problems or report.waiting):
        return
    screen.heading("What blocks", f"{counted(report.progress.waiting, report.noun)} for a person")
    for part in report.input_problems:
        place = f"{part.document}:{part.line}" if part.line is not None else part.document
        screen.paragraph(part.message, indent=" " * 12, first=("  ", ("error", "input"), f"     {place}  "))
    kind = kind_named(report.kind)
    # If every unit has a different cause, listing the units is enough.
    for cause in report.causes if len(report.causes) < report.progress.waiting else ():
        rule = f"  {rule_name(kind, cause.rule)}" if cause.rule else ""
        screen.line(f"  {cause.units:>6,}  ", cause.text, ("faint", rule))
    for one in report.waiting[:MOST_SHOWN]:
        rules = ", ".join(one.rules[:3])
        screen.line("  ", ("warning", "person"), "  ", ("strong", one.unit), f"  {one.text}", ("faint", f"  {rules}"))
    more = report.progress.waiting - len(report.waiting[:MOST_SHOWN])
    if more > 0:
        screen.line("  ", ("faint", f"and {more:,} more; `burnish status` lists all"))


def _show_findings(screen: Screen, report: RunReport) -> None:
    if not report.findings:
        return
    names = ("open", "accepted", "settled")
    open_, accepted, settled = (sum(getattr(one, name) for one in report.findings) for name in names)
    screen.heading("Findings by rule", f"{open_:,} open, {accepted:,} in accepted {report.noun}s, {settled:,} settled")
    kind = kind_named(report.kind)
    for one in report.findings[:MOST_RULES]:
        role: Role = one.severity if one.open or one.accepted else "faint"
        named: Piece = (role, f"{one.severity:<9}")
        counts = f"{one.open:>6,} open {one.accepted:>6,} accepted {one.settled:>6,} settled"
        screen.line("  ", named, f"{counts}  {rule_name(kind, one.rule)}")
    show_more(screen, len(report.findings) - MOST_RULES)


def _show_scores(screen: Screen, report: RunReport) -> None:
    if report.scores:
        screen.heading("Scores", "of the kept drafts")
    for one in report.scores:
        most = max(one.bins, default=0) or 1
        # A column is empty only for 0.
        picture = "".join(COLUMNS[max(1, round(count / most * TALLEST)) if count else 0] for count in one.bins)
        screen.line(f"  {one.name:<{LABEL}}", ("info", picture), f"  {_scored(one, report.kind)}")


def _scored(one: ReportedScore, kind: str) -> str:
    scored = f"{one.scored:,} scored"
    if one.line is None:
        return scored
    line = f"{one.line:.1f}" if kind_named(kind).words.highest_score > 1 else f"{one.line:.2f}"
    return f"{scored}, {one.below:,} below {line}"


def _show_trials(screen: Screen, report: RunReport) -> None:
    if report.trials:
        screen.heading("Trials", counted(len(report.trials), "rule"))
    for one in report.trials:
        screen.paragraph(
            one.text, indent=" " * 14, first=("  ", ("strong", f"{one.decision.replace('_', ' '):<10}"), "  ")
        )
        screen.paragraph(one.why, indent=" " * 14)


def _show_cost(screen: Screen, report: RunReport) -> None:
    spent = report.spent
    screen.heading("Cost")
    if spent.calls_perhaps_paid:
        lost, tokens = counted(spent.calls_perhaps_paid, "call"), counted(spent.tokens_perhaps_paid, "token")
        screen.line("  ", ("warning", f"{lost} without a recorded answer: perhaps paid"), f", at most {tokens}")
    elif not spent.calls:
        screen.line("  No model was called.")
    if not spent.calls:
        return
    tokens = f"{spent.total_tokens:,} tokens ({spent.prompt_tokens:,} in, {spent.completion_tokens:,} out)"
    known = spent.calls > spent.calls_without_a_known_price and spent.cost_usd is not None
    money = f", {about(spent.cost_usd or 0.0)}" if known else ""
    failed = f", {spent.failed_calls:,} failed" if spent.failed_calls else ""
    screen.line(f"  {counted(spent.calls, 'call')}{failed}, {tokens}{money}")
    if spent.calls_without_a_known_price:
        screen.line("  ", ("faint", f"no price known for {counted(spent.calls_without_a_known_price, 'call')}"))


def _show_precision(screen: Screen, report: RunReport) -> None:
    """Print this run next to all runs of the folder: few decisions mean little."""
    everywhere = {one.who: one for one in report.precision_in_all_runs}
    here = {one.who: one for one in report.precision}
    if not here and not everywhere:
        return
    screen.heading("Precision", "how often people agreed with a rule or a judge, with Wilson's 95 % interval")
    for who in [*here, *(who for who in everywhere if who not in here)][:MOST_PRECISION]:
        shown = [f"{agreed(here[who])}" if who in here else "no decision in this run"]
        if who in everywhere and everywhere[who] != here.get(who):
            shown.append(f"in all runs {agreed(everywhere[who])}")
        screen.line(f"  {who:<36}  ", "; ".join(shown))
        standing = (here.get(who) or everywhere[who]).standing
        if standing is not None:
            screen.line("    ", ("faint", standing))
    show_more(screen, len({**here, **everywhere}) - MOST_PRECISION)


def agreed(line: ReportedPrecision) -> str:
    """`11 of 19 (58 %, 36 to 77 %)`."""
    low, high = round(line.low * 100), round(line.high * 100)
    return f"right {line.right:,} of {line.of:,} ({round(line.share * 100)} %, {low} to {high} %)"
