"""The plan of a run: everything that shapes it, recorded before any cost. It becomes manifest.json."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from burnish import __version__
from burnish.core.documents import digest
from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.core.json_bytes import dumps, loads
from burnish.core.kinds import Kind
from burnish.core.records import event
from burnish.models.budget import context_sizes
from burnish.models.profiles import CallSettings
from burnish.models.prompts import fence_token
from burnish.store.files import sha256_of
from burnish.store.journal import Journal
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import BEGAN_BY, open_journal

AGAINST = "against"
"""The role of a document that the run's documents are compared with."""
ALWAYS_RECORDED = ("nonce", "arguments", "rules", "severities", "demands", "corrector", "judges", "prompts", "version")
"""Fields that have defaults in code but are always present in a recorded plan."""
MOST_NAMED = 5
"""The most files that are named if two plans differ."""


@dataclass(frozen=True, slots=True)
class DocumentPlan:
    """One input file."""

    name: str
    """Its path relative to the input folder: its name in out/ and in unit ids."""
    path: str
    """The path to read it from."""
    format: str
    sha256: str


@dataclass(frozen=True, slots=True)
class MaterialPlan:
    """A file that is read besides the documents."""

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
    """The source of fence tokens: new for each run, the same on resume."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """The user's arguments, which `resume` repeats."""
    rules: tuple[str, ...] = ()
    """The checks that run; none if empty."""
    severities: Mapping[str, str] = field(default_factory=dict)
    demands: Mapping[str, Any] = field(default_factory=dict)
    """The institution's requirements besides the rules."""
    corrector: str | None = None
    judges: tuple[str, ...] = ()
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Prompt -> version."""
    version: str = __version__
    """The version of Burnish."""
    out: str | None = None
    """Where the user wants the result; None: out/ in the run's folder."""
    surveys: tuple[Any, ...] = field(default=())
    """Facts about each document as a whole; empty for kinds that read their documents as a whole anyway."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Role -> model, for kinds with more roles than a corrector and judges."""
    materials: tuple[MaterialPlan, ...] = ()
    off: tuple[str, ...] = ()
    """The kind's rules that were switched off, including document rules."""

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
        """All models that the run may call."""
        named = (self.corrector, *self.judges, *self.roles.values())
        return tuple(dict.fromkeys(model for model in named if model))

    @property
    def call_settings(self) -> CallSettings:
        """How models are called."""
        return CallSettings.from_record(self.arguments.get("asking", {}))

    def rooms(self, kind: Kind) -> tuple[dict[str, int], dict[str, int]]:
        """Return the context sizes of judges, and the most tokens of their replies besides thinking, as far as they are
        known and the kind needs them."""
        if not kind.is_whole and kind.most_together == 1:
            return {}, {}
        asked = self.call_settings
        rooms = {judge: asked.answer_room("reviewer", judge) for judge in self.judges}
        return context_sizes(self.judges), {judge: room for judge, room in rooms.items() if room is not None}

    @property
    def task(self) -> str:
        """The task of the run, if it is not the usual one of its kind (`evolve`)."""
        return str(self.arguments.get("task", ""))

    @property
    def shared_roles(self) -> tuple[str, ...]:
        """The roles played by the one model named for all; the generator is never among them."""
        return tuple(self.arguments.get("shared_roles", ()))

    @property
    def input_digest(self) -> str:
        """A digest of the input, independent of its place."""
        beside = [[material.role, material.name, material.sha256] for material in self.materials]
        return digest([[document.name, document.sha256] for document in self.documents] + beside)

    def other_input(self, given: Plan) -> str:
        """Describe the files in which another plan differs from this one: missing, additional or changed."""
        ours, theirs = self._inputs(), given._inputs()
        found = [f"{name} is missing" for name in ours if name not in theirs]
        found += [f"{name} was not there then" for name in theirs if name not in ours]
        found += [f"{name} is not the same file" for name, sha256 in ours.items() if theirs.get(name, sha256) != sha256]
        more = f", and so on for {len(found) - MOST_NAMED} more" if len(found) > MOST_NAMED else ""
        return f"{', '.join(found[:MOST_NAMED]) or 'the files have another order'}{more}."

    def _inputs(self) -> dict[str, str]:
        """Map the names of files in the arguments to their hashes."""
        documents = {document.name: document.sha256 for document in self.documents}
        return documents | {f"--{material.role} {material.name}": material.sha256 for material in self.materials}

    @property
    def terms(self) -> str:
        """A digest of what decides how the input is judged and where it goes: equal for two starts of one run."""
        arguments = [self.arguments.get(name) for name in ("overview", "out_format", "options")]
        return digest([self.rules, sorted(self.off), self.severities, self.demands, self.out, *arguments])

    def unit_id(self, document: str, unit: str) -> str:
        """Return a unit's name in the run: its id, or `<document>/<id>` if there are several documents."""
        return unit if len(self.documents) == 1 else f"{document}/{unit}"


def begin(journal: Journal, plan: Plan) -> Plan:
    """Record the plan, or continue with the recorded one. Raise UsageError if that is another one."""
    recorded = recorded_plan(journal)
    if recorded is None:
        nonce = plan.nonce
        paths = [Path(document.path) for document in plan.documents] + [Path(given.path) for given in plan.materials]
        while any(_holds(path, fence_token(nonce).encode()) for path in paths):
            nonce = hashlib.sha256(nonce.encode()).hexdigest()[: len(nonce)]
        plan = replace(plan, nonce=nonce)
        begun = {"input": plan.input_digest, **_models(plan)}
        journal.write_now(event("run_started", dedupe="run_started", data=begun))
        journal.set_meta("plan", dumps(plan.as_record()).decode())
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
        return False  # reading it later reports that it is missing
    with path.open("rb") as file:
        end = b""
        while chunk := file.read(1 << 20):
            if token in end + chunk:
                return True
            end = chunk[-len(token) :]
    return False


def renewed(plan: Plan, *, corrector: str | None = None, judges: tuple[str, ...] = ()) -> Plan:
    """Return the plan of a resumed run. New judges replace the recorded ones. A model named for all replaces the
    earlier one in all its roles, unless judges are named or it is one."""
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
    """Return a plan with other models, and with the facts about the new ones, such as their thinking. The recorded
    facts about the others stay, because they are part of the keys of their calls."""
    added = (model for model in named.models if model not in before.models)
    settings = before.call_settings.with_models(added).as_record()
    return replace(named, arguments={**named.arguments, "asking": settings}) if settings else named


def take_up(journal: Journal, known: Plan, plan: Plan, *, names_models: bool = False) -> None:
    """Record that a run is resumed, and its plan. `names_models`: a person named models for this session. Raise
    UsageError if other models are named and nobody asks them."""
    if set(plan.models) != set(known.models) and _is_done(journal):
        raise UsageError(
            f"Every unit of the run {known.run_id} is settled, so no other model is asked.",
            hint="Leave the models out, send units back with `burnish decide`, or start a new run.",
        )
    if plan != known:
        journal.set_meta("plan", dumps(plan.as_record()).decode())
    named = {"names_models": True} if names_models else {}
    journal.write_now(event("run_resumed", data={**_models(plan), **named}))


def _models(plan: Plan) -> dict[str, Any]:
    return {"corrector": plan.corrector, "judges": list(plan.judges), "roles": dict(plan.roles)}


@dataclass(frozen=True, slots=True)
class ModelChanges:
    """When the models of a run became other ones, or a person named them again."""

    last: str = ""
    """The stamp of the start of the last session with such a change; empty: there was none."""

    @classmethod
    def of(cls, journal: Journal) -> Self:
        begun = [*journal.events(types=("run_started",)), *journal.events(types=("run_resumed",))]
        models = [tuple(one.data.get(name) for name in _ROLES) for one in begun]
        changed = (
            one.at
            for one, now, before in zip(begun[1:], models[1:], models, strict=False)
            if now != before or one.data.get("names_models")
        )
        return cls(max(changed, default=""))


_ROLES = ("corrector", "judges", "roles")


def _is_done(journal: Journal) -> bool:
    """Return whether the last session settled every unit, and nobody decided anything since."""
    stopped, decided = journal.latest("run_stopped"), journal.latest("decision")
    if stopped is None or stopped.data["reason"] != "done" or journal.how_many_decided():
        return False
    return decided is None or decided.seq < stopped.seq


def refuse_changed(plan: Plan, given: Mapping[str, tuple[object, object]]) -> None:
    """Refuse options that differ from those the run was started with. `given`: name -> the value now (None if it was
    not given) and the value at the start."""
    for name, (now, then) in given.items():
        if now is not None and now != then:
            raise UsageError(
                f"The run {plan.run_id} was started with {name} {then}, not {now}.",
                hint="Leave that out to continue the run, or choose another --run-id.",
            )


def recorded_plan(journal: Journal) -> Plan | None:
    """Return the plan of a run, or None if it was stopped before it had one."""
    text = journal.get_meta("plan")
    if text is None:
        return None
    try:
        return Plan.from_record(loads(text))
    except ValueError as wrong:
        raise StateCorrupt(f"The plan in the journal cannot be read: {wrong}.") from wrong


def started_plan(folder: RunFolder) -> Plan | None:
    """Return the plan of the run in a folder; None if no run was started there."""
    if not folder.journal.is_file():
        return None
    with closing(open_journal(folder.journal, clock=system_clock, read_only=True)) as journal:
        return recorded_plan(journal)


def plan_of_run(journal: Journal, run: str) -> Plan:
    """Return the plan of a run. Raise UsageError if it was stopped before it had one."""
    plan = recorded_plan(journal)
    if plan is None:
        raise without_plan(journal, run)
    return plan


def without_plan(journal: Journal, run: str) -> UsageError:
    """Return the error for a run that was stopped before it had a plan. It names the command that began the run."""
    command = journal.get_meta(BEGAN_BY)
    again = f"Start it again with `burnish {command}`." if command else "Start it again."
    return UsageError(f"The run {run} was stopped before it had a plan.", hint=again)


def verify_source(document: DocumentPlan) -> None:
    """Raise InputError if the source has changed since it was judged."""
    if is_changed(document):
        raise source_changed(document)


def is_changed(document: DocumentPlan) -> bool:
    """Return whether the source has changed since it was judged."""
    return not _is_same(document, "The source")


def verify_compared(plan: Plan) -> None:
    """Raise InputError if a document to compare with has changed: sessions would compare with different data."""
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
