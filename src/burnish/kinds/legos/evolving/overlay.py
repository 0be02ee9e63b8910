"""The overlay of a course: the rules it has learnt, with the version of the prompt that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson
from pydantic import ValidationError

from burnish.core.errors import InputError
from burnish.core.experiments import Evidence
from burnish.kinds.legos.evolving import OVERLAY
from burnish.kinds.legos.evolving.rules import RuleRefused, rule_text, rule_words
from burnish.kinds.legos.evolving.shapes import SCHEMA_VERSION, FormerRule, OverlayFile, OverlayRule, TrialEvidence
from burnish.kinds.legos.evolving.versions import Version

MOST_RULES = 12
"""A prompt with more rules than that is read by nobody, models included."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that may become part of the overlay."""

    id: str
    text: str
    suggestion_id: str
    proposed_by: int = 0
    """SEEDs whose attempts suggest it."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """The rules of a course. A change makes a new overlay."""

    version: Version
    """Of the prompt with these rules: never below that of the prompt we ship."""
    rules: tuple[OverlayRule, ...] = ()
    taken_back: tuple[FormerRule, ...] = ()
    unknown: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the file that we do not know. They stay in it."""

    @classmethod
    def of(cls, data: bytes | None, base: str, path: str = OVERLAY) -> Overlay:
        """The overlay in the bytes of its file, or an empty one; `base` is the version of the prompt we ship."""
        shipped = Version.of(base)
        if data is None:
            return cls(shipped)
        file = _read(data, path)
        for rule in file.rules:
            _refuse_unfit(rule, path)
        version = max(shipped, Version.of(file.version))
        return cls(version, file.rules, file.taken_back, file.model_extra or {})

    @property
    def texts(self) -> tuple[str, ...]:
        """What is added to the prompt."""
        return tuple(rule.text for rule in self.rules)

    @property
    def is_full(self) -> bool:
        return len(self.rules) >= MOST_RULES

    @property
    def words(self) -> frozenset[str]:
        """What the rules say, see `rule_words`."""
        return frozenset(rule_words(rule.text) for rule in self.rules)

    def without(self, id: str) -> tuple[str, ...]:
        """What would be added to the prompt if this rule were not there."""
        goes = self._saying_the_same(id)
        return tuple(rule.text for rule in self.rules if rule not in goes)

    def _saying_the_same(self, id: str) -> list[OverlayRule]:
        """The rule and all that say the same: an old overlay may hold it twice, or under two names."""
        words = {rule_words(rule.text) for rule in self.rules if rule.id == id}
        return [rule for rule in self.rules if rule_words(rule.text) in words]

    def adopting(self, rule: Rule, evidence: Evidence, *, trial: str, at: str) -> Overlay:
        version = self.version.after_change
        adopted = OverlayRule(
            id=rule.id,
            text=rule.text,
            suggestion_id=rule.suggestion_id,
            adopted_in=str(version),
            adopted_at=at,
            trial=trial,
            evidence=TrialEvidence(**evidence.as_record()),
        )
        return replace(self, version=version, rules=(*self.rules, adopted))

    def taking_back(self, id: str, evidence: Evidence, *, trial: str, at: str) -> Overlay:
        version = self.version.after_change
        goes = self._saying_the_same(id)
        former = (
            FormerRule(
                **rule.model_dump(exclude={"evidence"}),
                evidence=rule.evidence,
                taken_back_in=str(version),
                taken_back_at=at,
                taken_back_trial=trial,
                taken_back_evidence=TrialEvidence(**evidence.as_record()),
            )
            for rule in goes
        )
        kept = tuple(rule for rule in self.rules if rule not in goes)
        return replace(self, version=version, rules=kept, taken_back=(*self.taken_back, *former))

    def to_bytes(self) -> bytes:
        """The file: one and the same for one and the same overlay."""
        file = OverlayFile(version=str(self.version), rules=self.rules, taken_back=self.taken_back, **self.unknown)
        return orjson.dumps(file.model_dump(mode="json"), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _read(data: bytes, path: str) -> OverlayFile:
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as wrong:
        raise InputError(
            f"The overlay is no JSON: {wrong}.",
            path=path,
            code="bad_overlay",
            hint="Mend it, or put it aside: without it the prompts are those we ship.",
        ) from None
    found = value.get("schema_version") if isinstance(value, dict) else None
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise InputError(
            "The overlay was written by a newer Burnish.",
            path=path,
            code="newer_schema",
            hint="Use that version, or put the overlay aside.",
        )
    try:
        # Strict about types, but lists are what JSON has for tuples.
        return OverlayFile.model_validate_json(data)
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        raise InputError(
            f"The overlay is not as it should be: {first['msg']}.",
            path=path,
            field=".".join(map(str, first["loc"])),
            code="bad_overlay",
            hint="`burnish schema prompt_overlay` says how it should be.",
        ) from None


def _refuse_unfit(rule: OverlayRule, path: str) -> None:
    """Somebody may have edited the file: what goes into a prompt is looked at like any suggestion."""
    try:
        fit = rule_text(rule.text) == rule.text
    except RuleRefused as refused:
        raise InputError(
            f"The rule {rule.id} cannot stand in a prompt: {refused}.", path=path, code="bad_overlay"
        ) from None
    if not fit:
        raise InputError(
            f"The rule {rule.id} is not one plain line.",
            path=path,
            code="bad_overlay",
            hint="Write it without line breaks, doubled blanks and quotation marks around it.",
        )
