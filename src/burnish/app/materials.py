"""Materials that are read besides the documents: specifications, sources, an earlier document to compare against;
and the rules that the settings select."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from burnish import __version__
from burnish.app.kinds import detect, kind_named, known_kinds
from burnish.app.settings import Institution, Loaded
from burnish.core.checks import Selection, select
from burnish.core.documents import Material, Problem
from burnish.core.errors import BurnishError, InputError, NotFound, SettingsError, UsageError
from burnish.core.json_bytes import loads
from burnish.core.kinds import Kind
from burnish.engine.check import is_bad_input, opened
from burnish.engine.plan import AGAINST, MaterialPlan, Plan
from burnish.models.prompts import prompt_named
from burnish.store.files import sha256_of
from burnish.store.paths import nearest_path
from burnish.text.json_text import read_limited

LARGEST = 64 << 20
"""Bytes of one file of materials."""
LARGEST_BOOK = 256 << 20
"""The same for a manuscript."""


@dataclass(frozen=True, slots=True)
class Materials:
    """The files that a user gives besides the documents."""

    specs: tuple[Material, ...] = ()
    sources: tuple[Material, ...] = ()

    def places(self) -> dict[Path, str]:
        """Their paths, with a description."""
        specs = {Path(one.path).resolve(): "a specification" for one in self.specs}
        return specs | {Path(one.path).resolve(): "source material" for one in self.sources}

    def plans(self) -> tuple[MaterialPlan, ...]:
        """Their records in a plan, by which a run notices changes."""
        roles = (("spec", self.specs), ("source", self.sources))
        return tuple(material_plan(role, one) for role, given in roles for one in given)


def materials(spec: str | None, sources: Sequence[str]) -> Materials:
    """Read all materials; a folder means every file in it."""
    given = read_materials({"spec": [spec] if spec else [], "source": sources})
    return Materials(given["spec"], given["source"])


def read_materials(files: Mapping[str, Sequence[str]]) -> dict[str, tuple[Material, ...]]:
    """Role -> the contents of its files. A folder means every file in it."""
    return {role: _named_apart(_read_all(paths)) for role, paths in files.items()}


def material_plan(role: str, material: Material) -> MaterialPlan:
    """The record of a material in a plan."""
    return MaterialPlan(role, material.name, str(Path(material.path).absolute()), _digest(material.data))


def equipped(kind: Kind, given: Materials) -> Kind:
    """The kind with its materials. Raise UsageError if the kind takes none: they would have no effect."""
    if not given.specs and not given.sources:
        return kind
    if not kind.is_whole:
        raise UsageError(f"--spec and --source do nothing for {kind.name}.", hint="Leave them out.")
    return kind.supplied({"spec": given.specs, "source": given.sources}, {})


def kind_of(plan: Plan) -> Kind:
    """The kind of a recorded run, with the materials of its start. Raise InputError if one has changed."""
    kind = kind_named(plan.kind)
    if not kind.is_whole:
        return kind.supplied(_phased_materials(plan) if kind.is_phased else {}, plan.arguments.get("options", {}))
    given = {role: tuple(_again(one) for one in plan.materials if one.role == role) for role in ("spec", "source")}
    return equipped(kind, Materials(given["spec"], given["source"]))


def kind_for_reading(plan: Plan) -> Kind:
    """The kind of a recorded run, for reading only. The materials are not read: they may have been removed or changed,
    and their effects are in the journal."""
    return kind_named(plan.kind).supplied({}, plan.arguments.get("options", {}))


def kind_for_publishing(plan: Plan) -> Kind:
    """The kind for publishing what is in the journal. Kinds whose documents are judged as wholes need their materials
    even for that."""
    kind = kind_for_reading(plan)
    return kind if kind.is_phased else kind_of(plan)


def _phased_materials(plan: Plan) -> dict[str, list[Material]]:
    given: dict[str, list[Material]] = {}
    for one in plan.materials:
        given.setdefault(one.role, []).append(_again(one))
    if "draft" in given:
        [document] = plan.documents
        given["manuscript"] = [Material(document.name, document.path, read_file(Path(document.path), LARGEST_BOOK))]
    return given


def _again(recorded: MaterialPlan) -> Material:
    data = read_file(Path(recorded.path))
    if _digest(data) != recorded.sha256:
        raise InputError(
            "This file has changed since the run began.",
            path=recorded.path,
            code="source_changed",
            hint="Put the old file back, or start a new run.",
        )
    return Material(recorded.name, recorded.path, data)


def _read_all(paths: Iterable[str]) -> Iterable[Material]:
    for given in paths:
        path = Path(given)
        found = _files(path)
        if not found:
            raise InputError("There is no file in this folder.", path=given, code="empty_folder")
        for file in found:
            name = file.relative_to(path).as_posix() if path.is_dir() else file.name
            yield Material(name, str(file), read_file(file))


def _named_apart(given: Iterable[Material]) -> tuple[Material, ...]:
    """Each file once, with unique names: files of the same name get their folders in front."""
    found = list({Path(one.path).resolve(): one for one in given}.items())
    names = [one.name for _, one in found]
    depth = 1
    while shared := {name for name, count in Counter(names).items() if count > 1}:
        depth += 1
        names = [
            "/".join(place.parts[-depth:]) if name in shared else name
            for (place, _), name in zip(found, names, strict=True)
        ]
    return tuple(replace(one, name=name) for (_, one), name in zip(found, names, strict=True))


def _files(path: Path) -> list[Path]:
    """The file itself, or every file of a folder that is not hidden, in order."""
    if not path.is_dir():
        return [path]
    return sorted(
        file
        for file in path.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(path).parts)
    )


def read_file(path: Path, largest: int = LARGEST) -> bytes:
    """The bytes of a file. Raise InputError if it is too large or cannot be read."""
    try:
        with path.open("rb") as stream:
            return read_limited(stream, str(path), largest)
    except OSError as error:
        raise InputError(
            f"This file cannot be read: {error.strerror}.", path=str(path), code="unreadable", hint=nearest_path(path)
        ) from error
    except ValueError as error:  # a NUL byte in the name
        raise InputError(f"This is no file name: {error}.", path=str(path), code="unreadable") from error


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


@dataclass(frozen=True, slots=True)
class Earlier:
    """A document to compare against, as it was when the run began."""

    plan: MaterialPlan
    """Its record in the plan, by which a run notices changes."""
    format: str


def earlier_of(path: str | None, kind: Kind, off: Collection[str], *, strict: bool) -> Earlier | None:
    """The document to compare against; None if there is none, or no active rule compares.

    Raise InputError if a part of it cannot be used: what it should match would pass for new. `strict` also refuses
    any other problem.
    """
    if path is None:
        return None
    if kind.is_whole:
        raise UsageError(f"--against does nothing for {kind.name}.", hint="Leave it out.")
    if all(rule.id in off for rule in kind.document_rules if rule.compares):
        return None
    format = detect(path, kind.name)[1]
    with opened(path) as stream:
        for part in kind.read(stream, path, format):
            if isinstance(part, Problem) and (part.blocks or (strict and is_bad_input(part))):
                raise InputError(
                    f"The document to compare with cannot be used: {part.message}",
                    path=part.path,
                    line=part.line,
                    field=part.field,
                    code=part.code,
                    hint=part.hint or "Correct or remove the part: what cannot be read is not compared.",
                )
    whole = Path(path).absolute()
    return Earlier(MaterialPlan(AGAINST, whole.name, str(whole), sha256_of(whole)), format)


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The rules and requirements of a check."""

    selection: Selection
    off: frozenset[str]
    """Rules that settings or flags switched off, including those about whole documents."""
    demands: Mapping[str, Any]
    """Requirements of the institution beyond the rules."""

    def planned(self, kind: Kind) -> dict[str, Any]:
        """The fields of a plan for the rules, the kind's prompts and the version."""
        return {
            "rules": tuple(check.id for check in self.selection.checks),
            "severities": {check.id: self.selection.severity(check) for check in self.selection.checks},
            "demands": self.demands,
            "prompts": {name: prompt_named(name).version for name in kind.prompts},
            "version": __version__,
            "off": tuple(sorted(self.off)),
        }


def rule_settings(kind: Kind, loaded: Loaded) -> RuleSettings:
    """The rules of `kind` that the settings, including flags, select."""
    check = loaded.settings.check
    institution = _institution(loaded)
    enabled = check.select or institution.enabled_rules
    disabled = {*check.ignore, *institution.disabled_rules}
    _refuse_unknown(loaded)
    whole = {rule.id for rule in kind.document_rules}
    rules = {rule.id for rule in kind.checks}
    given = {**check.severity, **institution.severity_overrides}
    name = loaded.settings.check.profile
    if name not in kind.profiles:
        raise SettingsError(
            f"there is no profile {name!r}.",
            source=loaded.source_of("check.profile"),
            key="check.profile",
            hint=f"Profiles: {', '.join(kind.profiles)}.",
        )
    severities = {**kind.profiles[name], **{id: severity for id, severity in given.items() if id in rules}}
    chosen = (set(enabled) or rules | whole) - disabled
    selection = select(kind.checks, disabled=rules - chosen, severities=severities)
    return RuleSettings(selection, frozenset((rules | whole) - chosen), _demands(institution, loaded))


def _institution(loaded: Loaded) -> Institution:
    name = loaded.settings.check.institution
    if name is None:
        return Institution()
    known = loaded.settings.institutions
    if name not in known:
        raise SettingsError(
            f"there is no institution {name!r} in the settings.",
            source=loaded.source_of("check.institution"),
            key="check.institution",
            hint=f"Known: {', '.join(known)}." if known else "Add a table [institutions.NAME] to burnish.toml.",
        )
    return known[name]


def _refuse_unknown(loaded: Loaded) -> None:
    """Raise SettingsError if a named rule exists in no kind: a misspelt id would have no effect."""
    check = loaded.settings.check
    places: dict[str, Iterable[str]] = {
        "check.select": check.select,
        "check.ignore": check.ignore,
        "check.severity": check.severity,
    }
    if check.institution is not None:
        institution = _institution(loaded)
        table = f"institutions.{check.institution}"
        places[f"{table}.enabled_rules"] = institution.enabled_rules
        places[f"{table}.disabled_rules"] = institution.disabled_rules
        places[f"{table}.severity_overrides"] = institution.severity_overrides
    if not any(places.values()):
        return
    kinds = known_kinds().values()
    rules = [rule.id for kind in kinds for rule in kind.checks]
    of_documents = [rule.id for kind in kinds for rule in kind.document_rules if kind.ignoring(rule.id) is not None]
    for key, ids in places.items():
        # Rules about whole documents set their severity by degree: they can be selected, but not graded.
        known = rules if "severity" in key else [*rules, *of_documents]
        for id in ids:
            if id not in known:
                hint = nearest(id, known)
                raise SettingsError(f"there is no rule {id!r}.", source=loaded.source_of(key), key=key, hint=hint)


def nearest(id: str, known: Iterable[str]) -> str:
    """A hint with the nearest known id."""
    choices = list(known)
    short = {choice.partition("_")[2]: choice for choice in choices}
    near = difflib.get_close_matches(id, choices, n=1) or [
        short[match] for match in difflib.get_close_matches(id, short, n=1)
    ]
    return f"Did you mean `{near[0]}`?" if near else "`burnish rules` lists them all."


def _demands(institution: Institution, loaded: Loaded) -> Mapping[str, Any]:
    demands: dict[str, Any] = {}
    if institution.required_metadata is not None:
        demands["required_metadata"] = list(institution.required_metadata)
    if institution.concepts is not None:
        key = f"institutions.{loaded.settings.check.institution}.concepts"
        try:
            graph = loads(Path(institution.concepts).read_bytes())
            words_of = graph.items() if isinstance(graph, dict) else ()
            if not words_of or not all(isinstance(w, list) and all(isinstance(x, str) for x in w) for _, w in words_of):
                raise UsageError('it must be an object such as {"concept-id": ["word", "another word"]}.')
            demands["concepts"] = dict(words_of)
        except (OSError, ValueError, UsageError) as wrong:
            reason = wrong.message if isinstance(wrong, BurnishError) else str(wrong)
            raise SettingsError(
                f"the concept graph cannot be used: {reason}", source=loaded.source_of(key), key=key
            ) from wrong
    return demands


def known_rule(kind: Kind, rule: str) -> None:
    """Raise NotFound if a kind has no such rule."""
    known = [*(check.id for check in kind.checks), *(one.id for one in kind.document_rules)]
    if rule not in known:
        raise NotFound(f"There is no rule {rule!r} for {kind.noun}s.", hint=nearest(rule, known))
