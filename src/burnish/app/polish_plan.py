"""The plan of `polish`, made before anything is spent, and the estimate of its cost."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from burnish.app.check_summary import part_text, warn_unusable
from burnish.app.kinds import gather, kind_named
from burnish.app.labels import about, counted
from burnish.app.materials import Earlier, Materials, earlier_of, equipped, kind_of, rule_settings
from burnish.app.run_sessions import kept_settings, prices_for, refuse_kindred, refuse_unknown
from burnish.app.settings import Loaded, Settings
from burnish.app.terminal import Screen, json_text
from burnish.core.choices import refuse_outside, refuse_slip
from burnish.core.documents import Problem
from burnish.core.errors import BurnishError, InputError, UsageError
from burnish.core.kinds import Kind
from burnish.core.records import ModelUsage
from burnish.core.tasks import MOST_ATTEMPTS
from burnish.engine.check import Document, is_bad_input, survey_document
from burnish.engine.estimate import KNOWN_AFTER, Amount, Estimate, Habits, estimate
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.unit_loader import parts_of
from burnish.store.files import refuse_unreplaceable, sha256_of
from burnish.store.paths import default_run_id, document_path, existing_runs, operator_path
from burnish.store.processes import Clock, system_clock
from burnish.store.sqlite_journal import open_journal

if TYPE_CHECKING:
    from burnish.app.lesson_calls import Study


AT_MOST = "  At most: every reply reaches its limit and is asked for once more with four times the room."
NO_FAULT = "  Likely: judges find no fault. Each iteration of repairs costs up to the same again."
AT_BATCH_PRICE = "At batch price: half of what single calls cost."


THINKING = (
    f"  How long the model thinks is not known yet; after {KNOWN_AFTER} calls in the runs folder it is estimated."
)
RUNS_LOOKED_AT = 50
"""Number of runs, the newest, whose calls are counted."""


def print_estimate(plan: Plan, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Print the estimated cost of a run. Exit code 0."""
    refuse_unknown(settings, plan.models)
    kind = kind_of(plan)
    bill = estimate(plan, kind, prices_for(settings, plan.models), habits_in(Path(settings.runs)))
    if json:
        is_batch = {"batch_price": True} if plan.arguments.get("batch") else {}
        screen.stream.write(json_text({**asdict(bill), **is_batch}) + "\n")
    else:
        screen.line(("strong", counted(bill.units, kind.noun)), " read, no call made, nothing written.")
        warn_unusable([part_text(part.path, part.line, part.message) for part in bill.unreadable], screen)
        if kind.is_phased:
            screen.line(f"  {bill.clean:>8,}  {kind.words.done} without a model")
            screen.line(f"  {bill.to_correct:>8,}  by a model")
        else:
            screen.line(f"  {bill.clean:>8,}  pass the rules")
            screen.line(f"  {bill.to_correct:>8,}  to correct")
            screen.line(f"  {bill.for_a_person:>8,}  for a person")
        print_amounts(bill, plan.models, screen, is_batch=bool(plan.arguments.get("batch")))
        if kind.is_whole and plan.judges:
            screen.line(("faint", NO_FAULT))
    return 0


def habits_in(runs: Path) -> Habits:
    """How long models thought in the runs of a folder. Runs that cannot be read are skipped."""
    newest = sorted(existing_runs(runs), key=lambda run: run.journal.stat().st_mtime)[-RUNS_LOOKED_AT:]
    found: list[ModelUsage] = []
    for run in newest:
        with suppress(BurnishError), closing(open_journal(run.journal, clock=system_clock, read_only=True)) as journal:
            found += journal.usage_by_model()
    return Habits(found)


def print_reading(read: Study, reader: str | None, settings: Settings, screen: Screen, *, json: bool) -> int:
    """Print the estimated cost of the review of one lesson. Exit code 0."""
    models = () if reader is None else (reader,)
    refuse_unknown(settings, models)
    prices = prices_for(settings, models)
    bill = read.estimate(reader, prices, habits_in(Path(settings.runs)))
    if json:
        screen.stream.write(json_text(asdict(bill)) + "\n")
        return 0
    screen.line(("strong", counted(bill.units, "unit")), " read, no call made, nothing written.")
    print_amounts(bill, () if reader is None else (reader,), screen)
    return 0


def print_amounts(bill: Estimate, models: Sequence[str], screen: Screen, *, is_batch: bool = False) -> None:
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


Mode = Literal["semi-auto", "full-auto"]
NOT_POLISHED = {
    "manuscripts": ("A manuscript is translated", "burnish translate"),
    "legos": ("A course is cut", "burnish legos extract DIR"),
}
"""Kinds with their own commands."""


@dataclass(frozen=True, slots=True)
class Order:
    """The arguments of `polish`, beyond the settings."""

    path: str
    kind: str | None = None
    out: str | None = None
    run_id: str | None = None
    against: str | None = None
    strict_input: bool = False
    out_format: str | None = None
    materials: Materials = field(default_factory=Materials)
    """Files that are read besides the documents."""
    mode: str | None = None
    """`semi-auto` or `full-auto`, for kinds whose documents are judged as wholes."""
    rules_only: bool = False
    """Whether to accept what rules alone can judge if there are no judges."""
    max_attempts: int | None = None
    """Corrections of a unit before a person decides, for kinds with single units. None: as the settings say."""


def plan_of(order: Order, loaded: Loaded, *, clock: Clock = system_clock) -> Plan:
    """The plan of a run; errors in the input or the settings are raised before anything is spent."""
    bare, documents = _documents(order)
    kind = equipped(bare, order.materials)
    if order.strict_input:
        _refuse_problems(kind, documents)
    if kind.is_phased:
        said, command = NOT_POLISHED[kind.name]
        raise UsageError(f"{said}, not polished.", hint=f"Use `{command}`.")
    is_directed = kind.is_whole
    refuse_slip("mode", order.mode, Mode)
    if not is_directed and order.mode is not None:
        raise UsageError(f"--mode does nothing for {kind.name}.", hint="Leave it out.")
    if is_directed and order.max_attempts is not None:
        raise UsageError(f"--max-attempts does nothing for {kind.name}.", hint="Leave it out.")
    if order.max_attempts is not None:
        refuse_outside("max_attempts", order.max_attempts, 1, MOST_ATTEMPTS)
    wants = rule_settings(kind, loaded)
    earlier = earlier_of(order.against, kind, wants.off, strict=order.strict_input)
    models = loaded.settings.models
    roles = roles_of(loaded.settings) if is_directed else {}
    asked = [model for model in (models.corrector_or_default(), *models.panel(), *roles.values()) if model]
    return Plan(
        run_id=order.run_id or default_run_id(order.path, clock()),
        kind=kind.name,
        documents=documents,
        arguments=_arguments(order, loaded, kind, earlier, asked),
        corrector=models.corrector_or_default(),
        judges=models.panel(),
        out=str(_out(order, kind, documents)) if order.out else None,
        surveys=()
        if is_directed
        else tuple(survey_document(kind, Document(one.path, one.format)) for one in documents),
        roles=roles,
        materials=(*order.materials.plans(), *([earlier.plan] if earlier else ())),
        **wants.planned(kind),
    )


def roles_of(settings: Settings) -> dict[str, str]:
    """Role -> model, for documents judged as wholes. Raise UsageError if two judges are of one family: they share their
    blind spots."""
    models = settings.models
    refuse_kindred(settings)
    given = {
        "reviewer": models.reviewer or models.model,
        "patcher": models.patcher or models.corrector_or_default(),
        "generator": models.generator,
    }
    return {role: model for role, model in given.items() if model is not None}


def _arguments(
    order: Order, loaded: Loaded, kind: Kind, earlier: Earlier | None, models: Iterable[str]
) -> dict[str, Any]:
    """The arguments that `resume` needs. Ceilings are among them: a bill must not grow because a run was stopped."""
    attempts = order.max_attempts or loaded.settings.limits.max_attempts
    options: dict[str, Any] = {"mode": order.mode or "semi-auto"} if kind.is_whole else {"max_attempts": attempts}
    if order.rules_only or loaded.settings.models.rules_only:
        options["rules_only"] = True
    return {
        "path": str(Path(order.path).absolute()),
        "is_folder": Path(order.path).is_dir(),
        "overview": {"against": [earlier.plan.path, earlier.format]} if earlier else {},
        "out_format": _out_format(order.out_format, kind),
        "profile": loaded.settings.check.profile,
        "institution": loaded.settings.check.institution,
        "options": options,
        **kept_settings(loaded.settings, models),
    }


def _documents(order: Order) -> tuple[Kind, tuple[DocumentPlan, ...]]:
    gathered = gather([order.path], order.kind, order.materials.places())
    if gathered.failures:
        raise gathered.failures[0]
    if len(gathered.documents) != 1:
        raise UsageError(
            f"{order.path} holds several kinds of content: {', '.join(sorted(gathered.documents))}.",
            hint="Choose one with --kind.",
        )
    [(name, found)] = gathered.documents.items()
    home = Path(order.path)
    plans = tuple(
        DocumentPlan(
            name=_document_name(Path(document.path), home),
            path=str(Path(document.path).absolute()),
            format=document.format,
            sha256=sha256_of(Path(document.path)),
        )
        for document in found
    )
    return kind_named(name), plans


def _document_name(path: Path, home: Path) -> str:
    """The name of the document in out/ and in unit ids. Raise an error if it cannot be used there."""
    name = path.relative_to(home).as_posix() if home.is_dir() else path.name
    document_path(Path(), name)
    return name


def _out(order: Order, kind: Kind, documents: tuple[DocumentPlan, ...]) -> Path:
    """The path of the result, checked before anything is spent. In a folder, a file keeps its own name."""
    assert order.out is not None
    source, out = Path(order.path), operator_path(order.out).absolute()
    if not source.is_dir() and (out.is_dir() or order.out.endswith(("/", os.sep))):
        out = document_path(out, documents[0].name)
    for document in documents:
        target = document_path(out, document.name) if source.is_dir() else out
        if target.resolve() == Path(document.path).resolve():
            raise UsageError(
                f"The result cannot take the place of its source {document.path}: the run still needs it.",
                hint="Write to another file with --out, and replace the source when the run is done.",
            )
        _refuse_ending(target, document, kind, order.out_format)
        refuse_unreplaceable(target)
    return out


def _refuse_ending(target: Path, document: DocumentPlan, kind: Kind, wanted: str | None) -> None:
    """Raise UsageError if the ending of the name does not fit the output format."""
    if wanted is not None:
        named = kind.output_format(target.name, wanted)
        if named != wanted:
            raise UsageError(
                f"A file named {target.name} is written as {named}, not as {wanted}.",
                hint=f"Endings of {wanted}: {', '.join(kind.formats[wanted])}.",
            )
        return
    endings = sorted({ending for known in kind.formats.values() for ending in known})
    if target.suffix.lower() not in ("", Path(document.path).suffix.lower(), *endings):
        raise UsageError(
            f"No format is written as {target.suffix}.",
            hint=f"Endings: {', '.join(endings)}. Or name a format with --out-format.",
        )


def _out_format(name: str | None, kind: Kind) -> str | None:
    if name is not None and name not in kind.formats:
        raise UsageError(f"There is no format {name!r}.", hint=f"Formats: {', '.join(kind.formats)}.")
    return name


def _refuse_problems(kind: Kind, documents: tuple[DocumentPlan, ...]) -> None:
    for document in documents:
        for part in parts_of(kind, document):
            if isinstance(part, Problem) and is_bad_input(part):
                raise InputError(part.message, path=part.path, line=part.line, field=part.field, hint=part.hint)
