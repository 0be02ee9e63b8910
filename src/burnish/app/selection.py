"""Which rules apply: the kind's own, the profile, settings and flags, the institution, each over the one before."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from burnish.app.kinds import known_kinds
from burnish.app.settings import Institution, Loaded
from burnish.core.checks import Selection, select
from burnish.core.errors import BurnishError, SettingsError, UsageError
from burnish.core.findings import Severity
from burnish.core.kinds import Kind


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a check is to look for."""

    selection: Selection
    off: frozenset[str]
    """Rules that settings or flags switched off; also those that look at a document as a whole."""
    demands: Mapping[str, Any]
    """What the institution asks for beyond the rules."""


def wanted(kind: Kind, loaded: Loaded) -> Wanted:
    """The rules of `kind` that the settings (flags included) ask for."""
    check = loaded.settings.check
    institution = _institution(loaded)
    enabled = check.select or institution.enabled_rules
    disabled = {*check.ignore, *institution.disabled_rules}
    _refuse_unknown(loaded)
    whole = {rule.id for rule in kind.document_rules}
    rules = {rule.id for rule in kind.checks}
    given = {**check.severity, **institution.severity_overrides}
    severities = {**_profile(kind, loaded), **{id: severity for id, severity in given.items() if id in rules}}
    chosen = (set(enabled) or rules | whole) - disabled
    selection = select(kind.checks, disabled=rules - chosen, severities=severities)
    return Wanted(selection, frozenset((rules | whole) - chosen), _demands(institution, loaded))


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


def _profile(kind: Kind, loaded: Loaded) -> Mapping[str, Severity]:
    name = loaded.settings.check.profile
    if name not in kind.profiles:
        raise SettingsError(
            f"there is no profile {name!r}.",
            source=loaded.source_of("check.profile"),
            key="check.profile",
            hint=f"Profiles: {', '.join(kind.profiles)}.",
        )
    return kind.profiles[name]


def _refuse_unknown(loaded: Loaded) -> None:
    """Every rule that is named must exist: a misspelt id would silently do nothing. It may be another kind's."""
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
        # How severe a likeness is, its degree decides: such rules can be chosen, not graded.
        known = rules if "severity" in key else [*rules, *of_documents]
        for id in ids:
            if id not in known:
                hint = nearest(id, known)
                raise SettingsError(f"there is no rule {id!r}.", source=loaded.source_of(key), key=key, hint=hint)


def nearest(id: str, known: Iterable[str]) -> str:
    """What the user may have meant."""
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
            demands["concepts"] = _concepts(institution.concepts)
        except (OSError, ValueError, UsageError) as wrong:
            reason = wrong.message if isinstance(wrong, BurnishError) else str(wrong)
            raise SettingsError(
                f"the concept graph cannot be used: {reason}", source=loaded.source_of(key), key=key
            ) from wrong
    return demands


def _concepts(path: str) -> dict[str, list[str]]:
    graph = orjson.loads(Path(path).read_bytes())
    words_of = graph.items() if isinstance(graph, dict) else ()
    if not words_of or not all(isinstance(w, list) and all(isinstance(x, str) for x in w) for _, w in words_of):
        raise UsageError('it must be an object such as {"concept-id": ["word", "another word"]}.')
    return dict(words_of)
