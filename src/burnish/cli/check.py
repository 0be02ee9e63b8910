"""`burnish check`, `burnish rules` and `burnish schema`: find what is wrong without a model, explain what is looked for
and why, and describe the formats.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Annotated, Literal, Self

import typer

from burnish.app.check_json import JsonReport
from burnish.app.check_summary import Job, job_of, pair_of
from burnish.app.check_text import TextReport
from burnish.app.kinds import STDIN, Gathered, contracts, gather, schema_of, size_of, take_stdin
from burnish.app.labels import counted, noun_of
from burnish.app.materials import materials
from burnish.app.progress import Progress
from burnish.app.rulebook import Example, Rule, rule_named
from burnish.app.rulebook import rules as all_rules
from burnish.app.settings import load
from burnish.app.terminal import Piece, Screen, json_text
from burnish.cli.group import UNCHANGED
from burnish.cli.options import Against, KindName, PairOptions, RuleOptions, Source, Spec, TextOutput
from burnish.core.checks import Check
from burnish.core.errors import InputError, UsageError
from burnish.core.json_bytes import dumps
from burnish.engine.check import HEADER_LINE, CheckEvent, CheckSummary, DocumentEnded, Progressed, UnitChecked, line
from burnish.engine.check_pool import AT_ONCE, interrupts_held
from burnish.engine.fixes import DocumentLeft, DocumentWritten
from burnish.store.files import atomic_writer
from burnish.store.processes import look_for_cycles_seldom

OutputFormat = Literal["text", "json"]


Report = JsonReport | TextReport
"""Hears every event of a check, in order: `open_fixes` before those of `--fix`, `close` at the end, or `abandon` where
it was broken off."""


def check(
    paths: Annotated[
        list[str], typer.Argument(metavar="PATH", help="Files, folders of files, or - for standard input.")
    ],
    rules: RuleOptions,
    output: TextOutput,
    kind: KindName = None,
    spec: Spec = None,
    source: Source = None,
    fix: Annotated[bool, typer.Option("--fix", help="Apply safe fixes, show the diff, and check again.")] = False,
    format: Annotated[OutputFormat, typer.Option("--format", help="For people, or for programs.")] = "text",
    jobs: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Number of processes. Default: one for each core.")
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="FILE", help="Known findings; only new ones fail the check.")
    ] = None,
    write_baseline: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write all findings of this check to a baseline.")
    ] = None,
    against: Against = None,
    pair: PairOptions = PairOptions(),
    strict_input: Annotated[bool, typer.Option("--strict-input", help="Stop at the first bad input.")] = False,
    stdin_name: Annotated[
        str | None,
        typer.Option("--stdin-name", metavar="NAME", help="With -: a file name, whose ending tells the format."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only findings and problems, without a summary.")
    ] = False,
) -> int:
    """Find what is wrong. No model is called and no network is used.

    Exit code 0: no errors; warnings are allowed. 1: at least one finding of `error` or worse. 2: some input cannot be
    used (the rest is still checked), or the command is wrong.
    """
    if STDIN in paths:
        if fix or pair.bitext:
            raise UsageError("Standard input cannot be fixed or paired.", hint="Save it to a file and name that.")
        paths = [take_stdin(sys.stdin.buffer, stdin_name, kind) if path == STDIN else path for path in paths]
    elif stdin_name is not None:
        raise UsageError("--stdin-name needs - among the paths.", hint="Leave it out, or check standard input.")
    loaded = load(flags={**rules.flags(), "check.jobs": ("--jobs", jobs)})
    beside = materials(spec, source or ())
    pair.refuse_alone("Leave it out, or check a pair of files.")
    found = (
        pair_of(paths, pair.glossary, pair.source_language, pair.target_language, pair.lexicon)
        if pair.bitext
        else gather(paths, kind, beside.places())
    )
    job = job_of(loaded, found, against, baseline, strict_input, beside)
    checks: dict[str, Check] = {check.id: check for kind in job.gathered.kinds.values() for check in kind.checks}
    report: Report = TextReport(output.screen, checks, kinds=job.gathered.kinds, quiet=quiet)
    if format == "json":
        report = JsonReport(output.screen.stream)
    failures = list(job.gathered.failures)
    look_for_cycles_seldom()
    written: list[str] = []
    summary = CheckSummary()
    try:
        if fix:
            failures += _fix(job, report, written)
        summary.failures = len(failures)
        _check(job, report, summary, write_baseline)
    except BaseException as end:
        report.abandon(summary)
        if isinstance(end, KeyboardInterrupt):
            raise KeyboardInterrupt(_state(written)) from None
        raise
    report.close(summary, problems=failures, passed_over=job.gathered.passed_over, off=job.off)
    # A finding that was just written to a baseline is known, so it does not fail the check.
    return 0 if write_baseline is not None and summary.exit_code == 1 else summary.exit_code


def _fix(job: Job, report: Report, written: list[str]) -> list[InputError]:
    """Apply safe fixes; every document that was changed is added to `written` at once.

    Why documents could not be written is returned: that is told with what could not be read.
    """
    unwritten: list[InputError] = []
    report.open_fixes()
    for event in job.fixes():
        if isinstance(event, DocumentWritten):
            written.append(event.document.path)
        if isinstance(event, DocumentLeft) and event.unwritten:
            unwritten.append(event.error)
        else:
            report.take_fix(event)
    return unwritten


def _state(written: list[str]) -> str:
    """How things stand after an interruption."""
    if not written:
        return UNCHANGED
    head = "This file was already fixed; all others are unchanged:"
    many = f"These {len(written)} files were already fixed; all others are unchanged:"
    return "\n".join((head if len(written) == 1 else many, *written))


def _check(job: Job, report: Report, summary: CheckSummary, write_baseline: str | None) -> None:
    with ExitStack() as stack:
        watcher = stack.enter_context(Watcher(job.gathered))
        keeper = stack.enter_context(atomic_writer(Path(write_baseline))) if write_baseline is not None else None
        if keeper is not None:
            keeper.write(HEADER_LINE)
        for events in _together(job.events()):
            with interrupts_held():  # a report is broken off between two events, never inside one
                for event in events:
                    summary.take(event)
                    report.take(event)
            for event in events:
                watcher.take(event)
                if keeper is not None and isinstance(event, UnitChecked):
                    keeper.writelines(line(finding) for finding in (*event.known, *event.findings))


def _together(events: Iterator[CheckEvent]) -> Iterator[list[CheckEvent]]:
    """A few events at a time: holding interruptions costs more than one of them."""
    while some := list(islice(events, AT_ONCE)):
        yield some


class Watcher:
    """Shows how far a check is, on stderr, where stdout does not show it already by scrolling."""

    def __init__(self, gathered: Gathered) -> None:
        self._total = gathered.total_bytes or 1
        self._before = 0
        """Bytes of the documents that are done."""
        self._units = 0
        self._progress = Progress(None, sys.stderr, noun=noun_of(gathered.kinds.values()))
        self._wanted = not sys.stdout.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._progress.close()

    def take(self, event: CheckEvent) -> None:
        if isinstance(event, UnitChecked):
            self._units += 1
        elif isinstance(event, DocumentEnded):
            self._before += size_of(event.document)
        elif isinstance(event, Progressed) and self._wanted:
            self._progress.advance(self._units, share=min(1.0, (self._before + event.read) / self._total))
            self._units = 0


SHOWN = 3
"""Examples of each sort; the rule's page and --json have them all."""


def rules(
    output: TextOutput,
    id: Annotated[str | None, typer.Argument(help="One rule, with its documentation and examples.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print JSON, one rule a line.")] = False,
) -> None:
    """List the rules, or explain one of them.

    `--select`, `--ignore`, `burnish_ignore` and the settings take the id of a rule.
    """
    chosen = list(all_rules()) if id is None else [rule_named(id)]
    screen = output.screen
    if json:
        for rule in chosen:
            sys.stdout.write(f"{json_text(rule.as_wire())}\n")
    elif id is None:
        _list(screen, chosen)
    else:
        _explain(screen, chosen[0])


def _list(screen: Screen, chosen: list[Rule]) -> None:
    width = max(len(rule.id) for rule in chosen)
    for kind in dict.fromkeys(rule.kind for rule in chosen):
        of_kind = [rule for rule in chosen if rule.kind == kind]
        screen.line(("strong", kind.capitalize()), ("faint", f"  {counted(len(of_kind), 'rule')}"))
        for rule in of_kind:
            severity: Piece = (rule.severity, f"{rule.severity:<9}")
            first: tuple[Piece, ...] = (severity, ("strong", f"{rule.id:<{width}}"), f"  {rule.title}: ")
            screen.paragraph(rule.summary, indent=" " * (width + 11), first=first)
        screen.line()
    screen.line(("faint", f"{counted(len(chosen), 'rule')}. `burnish rules ID` explains one."))


def _explain(screen: Screen, rule: Rule) -> None:
    named: tuple[Piece, ...] = (("strong", rule.title), f" ({rule.id})  ")
    parts = [f"{severity} under the profile {name}" for name, severity in rule.profiles.items()]
    if rule.languages:
        parts.append(f"judges {', '.join(rule.languages)}")
    if rule.fatal:
        parts.append(f"no model is paid for a {rule.noun} that fails it")
    screen.line(*named, (rule.severity, rule.severity), ("faint", f"  ({'; '.join(parts)})" if parts else ""))
    screen.paragraph(sentence(rule.summary))
    screen.paragraph(f"{rule.standing}.", indent="  ", first=(("faint", "How it stands: "),))
    for heading, text in rule.sections.items():
        screen.line()
        screen.line(("strong", heading))
        screen.paragraph(sentence(text), indent="  ")
    _examples(screen, "Reported", rule.bad, rule)
    _examples(screen, "Not reported", rule.good, rule)
    if rule.ignoring is not None:
        screen.line()
        screen.paragraph(f"--ignore {rule.id}, or {rule.ignoring}.", indent="  ", first=(("faint", "To ignore it: "),))


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def _examples(screen: Screen, heading: str, examples: tuple[Example, ...], rule: Rule) -> None:
    if not examples:
        return
    screen.line()
    screen.line(("strong", heading))
    for number, example in enumerate(examples[:SHOWN]):
        if number:
            screen.line()
        for shown in example.lines:
            screen.line("  ", shown.text)
            if shown.mark is not None:
                screen.line("  ", " " * shown.mark[0], (rule.severity, "^" * shown.mark[1]))
        if example.message:
            screen.paragraph(example.message, indent="    ", first=(("faint", "  = "),))
    if len(examples) > SHOWN:
        screen.line(("faint", f"  … and {len(examples) - SHOWN} more"))


def schema(name: Annotated[str | None, typer.Argument(help="One contract. Default: list all of them.")] = None) -> None:
    """Print the JSON Schema of a contract: a format that Burnish reads, writes or asks of models.

    Without NAME, all contracts are listed.
    """
    if name is not None:
        sys.stdout.write(dumps(schema_of(name), indent=2).decode() + "\n")
        return
    screen = Screen(sys.stdout)
    width = max(len(known) for known in contracts())
    for known, what in contracts().items():
        screen.line(("strong", f"{known:<{width}}"), f"  {what}")
