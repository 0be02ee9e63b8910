"""The plan of a run: everything that shapes it, written down before anything is spent. It becomes manifest.json."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import orjson

from burnish import __version__
from burnish.core.documents import digest
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.core.records import event
from burnish.models.budget import context_sizes
from burnish.models.profiles import Asking
from burnish.models.prompts import fence_token
from burnish.store.files import sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal

AGAINST = "against"
"""The role of a document that those of the run are compared with."""
START_AGAIN = "Start it again with `burnish polish`."
ALWAYS_RECORDED = ("nonce", "arguments", "rules", "severities", "demands", "corrector", "judges", "prompts", "version")
"""What a plan begins without and never lacks once it is written down."""
MOST_NAMED = 5
"""Files that are named where two plans differ."""


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """One input file."""

    name: str
    """Its path relative to the input folder: what it is called in out/ and in unit ids."""
    path: str
    """Where to read it."""
    format: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MaterialPlan:
    """A file that is read beside the documents."""

    role: str
    """`spec`, `source` or `against`."""
    name: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that shapes a run."""

    run_id: str
    kind: str
    documents: tuple[DocumentPlan, ...]
    nonce: str = field(default_factory=lambda: secrets.token_hex(16))
    """Fences are derived from it: new for each run, the same on resume."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """As given at the door; `resume` repeats them."""
    rules: tuple[str, ...] = ()
    """The checks that run: these and no others, also where there are none."""
    severities: Mapping[str, str] = field(default_factory=dict)
    demands: Mapping[str, Any] = field(default_factory=dict)
    """What the institution asks for beyond the rules."""
    corrector: str | None = None
    judges: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt -> version."""
    version: str = __version__
    """Of Burnish."""
    out: str | None = None
    """Where the user wants the result; None: out/ in the run's folder."""
    surveys: tuple[Any, ...] = field(default=())
    """Facts about each document as a whole; none for kinds that look at their documents as wholes anyway."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> model, of kinds that have more roles than a corrector and judges."""
    materials: tuple[MaterialPlan, ...] = ()
    off: tuple[str, ...] = ()
    """Rules of the kind that are not among `rules` on purpose, those about documents as wholes included."""

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Self:
        try:
            documents = tuple(DocumentPlan(**document) for document in record["documents"])
            materials = tuple(MaterialPlan(**material) for material in record.get("materials", ()))
            given: dict[str, Any] = {**record, **{name: record[name] for name in ALWAYS_RECORDED}}
            given |= {name: tuple(given[name]) for name in ("rules", "judges", "surveys", "off") if name in given}
            given |= {"documents": documents, "materials": materials}
            return cls(**given)
        except (KeyError, TypeError) as wrong:
            raise StateCorrupt(f"The manifest in the journal cannot be read: {wrong}.") from wrong

    @property
    def models(self) -> tuple[str, ...]:
        """Every model the run may call."""
        named = (self.corrector, *self.judges, *self.roles.values())
        return tuple(dict.fromkeys(model for model in named if model))

    @property
    def asking(self) -> Asking:
        """How the models are asked."""
        return Asking.from_record(self.arguments.get("asking", {}))

    def panel_sizes(self) -> dict[str, int]:
        """Judge -> how many tokens it holds, as far as that is known."""
        return context_sizes(self.judges)

    @property
    def task(self) -> str:
        """What the run does with content of its kind, where that is not what runs of the kind do (`evolve`)."""
        return str(self.arguments.get("task", ""))

    @property
    def shared_roles(self) -> tuple[str, ...]:
        """The roles of the one model that is named for all; who writes again is never chosen by that."""
        unsaid = ("reviewer", "patcher") if self.arguments.get("options") else ()  # those of lessons
        return tuple(self.arguments.get("shared_roles", unsaid))

    @property
    def input_digest(self) -> str:
        """The same for the same input, wherever it lies."""
        beside = [[material.role, material.name, material.sha256] for material in self.materials]
        return digest([[document.name, document.sha256] for document in self.documents] + beside)

    def other_input(self, given: Plan) -> str:
        """In which files another plan differs from this one, as a sentence: what it lacks, has besides, or has anew."""
        ours, theirs = self._inputs(), given._inputs()
        found = [f"{name} is missing" for name in ours if name not in theirs]
        found += [f"{name} was not there then" for name in theirs if name not in ours]
        found += [f"{name} is not the same file" for name, sha256 in ours.items() if theirs.get(name, sha256) != sha256]
        more = f", and so on for {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        return f"{', '.join(found[:MOST_NAMED]) or 'the files have another order'}{more}."

    def _inputs(self) -> dict[str, str]:
        """What the files are called at the door -> their hashes."""
        documents = {document.name: document.sha256 for document in self.documents}
        return documents | {f"--{material.role} {material.name}": material.sha256 for material in self.materials}

    @property
    def terms(self) -> str:
        """What decides how the input is judged and where it goes: the same for two starts of one run."""
        arguments = [self.arguments.get(name) for name in ("overview", "replay", "out_format", "options")]
        return digest([self.rules, sorted(self.off), self.severities, self.demands, self.out, *arguments])

    def unit_id(self, document: str, unit: str) -> str:
        """A unit's name in the run: its own id, or `<document>/<id>` where there are several documents."""
        return unit if len(self.documents) == 1 else f"{document}/{unit}"


def begin(journal: Journal, plan: Plan) -> Plan:
    """Write the plan down, or take up the one that is there. Another one under the same id is refused."""
    recorded = recorded_plan(journal)
    if recorded is None:
        nonce = plan.nonce
        paths = [Path(document.path) for document in plan.documents] + [Path(given.path) for given in plan.materials]
        while any(_holds(path, fence_token(nonce).encode()) for path in paths):
            nonce = hashlib.sha256(nonce.encode()).hexdigest()[: len(nonce)]
        plan = replace(plan, nonce=nonce)
        models = {"corrector": plan.corrector, "judges": list(plan.judges)}
        journal.write_now(event("run_started", dedupe="run_started", data={"input": plan.input_digest, **models}))
        journal.set_meta("plan", orjson.dumps(plan.as_record()).decode())
        return plan
    if recorded.input_digest != plan.input_digest or recorded.kind != plan.kind:
        raise UsageError(
            f"The run {plan.run_id} exists and is about other input: {recorded.other_input(plan)}",
            hint="Choose another --run-id, or give the files that it was started with.",
        )
    if recorded.terms != plan.terms:
        raise UsageError(
            f"The run {plan.run_id} exists and was started with other arguments.",
            hint=f"`burnish resume {plan.run_id}` continues with those; a new --run-id starts a new run.",
        )
    current = renewed(recorded, corrector=plan.corrector, judges=plan.judges)
    take_up(journal, recorded, current)
    return current


def _holds(path: Path, token: bytes) -> bool:
    if not path.is_file():
        return False  # whoever reads it says that it is gone
    with path.open("rb") as file:
        end = b""
        while chunk := file.read(1 << 20):
            if token in end + chunk:
                return True
            end = chunk[-len(token) :]
    return False


def renewed(plan: Plan, *, corrector: str | None = None, judges: tuple[str, ...] = ()) -> Plan:
    """The plan of a run that goes on. Models that are named anew take the place of the recorded ones from now on: the
    one that is named for all, in every role that the earlier one played, unless judges are named or it is one."""
    if corrector is None:
        named = replace(plan, judges=judges or plan.judges)
    else:
        gone = {plan.corrector, *(plan.roles.get(role) for role in plan.shared_roles)}
        roles = {role: corrector if model in gone else model for role, model in plan.roles.items()}
        roles |= dict.fromkeys(plan.shared_roles, corrector)
        others = plan.judges if corrector in plan.judges else (corrector if one in gone else one for one in plan.judges)
        named = replace(plan, corrector=corrector, roles=roles, judges=judges or tuple(dict.fromkeys(others)))
    return with_asking(named, plan)


def with_asking(named: Plan, before: Plan) -> Plan:
    """A plan with other models, and with what is known of those that are new: one that thinks needs room to. What is
    recorded of the others stays, because it is part of their calls' keys."""
    asking = before.asking.with_models(model for model in named.models if model not in before.models).as_record()
    return replace(named, arguments={**named.arguments, "asking": asking}) if asking else named


def take_up(journal: Journal, known: Plan, plan: Plan) -> None:
    """Write down that a run goes on, and with which plan."""
    if plan != known:
        journal.set_meta("plan", orjson.dumps(plan.as_record()).decode())
    models = {"corrector": plan.corrector, "judges": list(plan.judges), "roles": dict(plan.roles)}
    journal.write_now(event("run_resumed", data=models))


def refuse_others(plan: Plan, said: Mapping[str, tuple[object, object]]) -> None:
    """What is named again for a run that goes on has to be as it was. `said`: name -> what it is now, or None where it
    is not named, and what it was when the run began."""
    for name, (now, then) in said.items():
        if now is not None and now != then:
            raise UsageError(
                f"The run {plan.run_id} was started with {name} {then}, not {now}.",
                hint="Leave that out to go on with it, or choose another --run-id.",
            )


def recorded_plan(journal: Journal) -> Plan | None:
    """The plan of a run that was started, or None where it never got so far."""
    text = journal.get_meta("plan")
    if text is None:
        return None
    try:
        return Plan.from_record(orjson.loads(text))
    except orjson.JSONDecodeError as wrong:
        raise StateCorrupt(f"The plan in the journal cannot be read: {wrong}.") from wrong


def started_plan(folder: RunFolder) -> Plan | None:
    """The plan of the run in a folder; None where none was started there."""
    if not folder.journal.is_file():
        return None
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        return recorded_plan(journal)


def plan_of_run(journal: Journal, run: str, hint: str = "Start it again.") -> Plan:
    """The plan of a run; UsageError where it never got so far."""
    plan = recorded_plan(journal)
    if plan is None:
        raise UsageError(f"The run {run} was stopped before it had a plan.", hint=hint)
    return plan


def verify_source(document: DocumentPlan) -> None:
    """The source must still be the bytes that were judged."""
    if is_changed(document):
        raise source_changed(document)


def is_changed(document: DocumentPlan) -> bool:
    """Whether the source is no longer the bytes that were judged."""
    return not _is_same(document, "The source")


def verify_compared(plan: Plan) -> None:
    """So must be what the documents are compared with: otherwise each session would compare with something else."""
    for material in plan.materials:
        if material.role == AGAINST and not _is_same(material, "The document to compare with"):
            raise InputError(
                "The document to compare with has changed since the run began.",
                path=material.path,
                code="source_changed",
                hint="Put the old file back, or start a new run.",
            )


def _is_same(file: DocumentPlan | MaterialPlan, name: str) -> bool:
    try:
        return sha256_of(Path(file.path)) == file.sha256
    except OSError as gone:
        raise InputError(
            f"{name} cannot be read any more: {gone.strerror}.",
            path=file.path,
            code="unreadable",
            hint="Put the file back and resume, or start a new run.",
        ) from gone


def source_changed(document: DocumentPlan) -> InputError:
    return InputError(
        "The source has changed since the run began.",
        path=document.path,
        code="source_changed",
        hint="Put the old file back, or start a new run over the new one.",
    )
