"""Findings: one fault and its place. Rules, models and people all report findings."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict

from burnish.core.documents import Field, Unit
from burnish.core.edits import Edit

Severity = Literal["critical", "error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Worst first. Each contract's own words are mapped to these where its data enters."""

BLOCKING: frozenset[Severity] = frozenset({"critical", "error"})

Standing = Literal["proven", "trusted", "doubtful"]
"""How far a rule's claim is believed: code can show it, labelled findings on published text say so, or neither."""

RULE_SOURCES = ("rule", "document")
"""The sources of what code claims: about a unit alone, or by comparison with others."""
DENIED, UPHELD = "dismissed_by", "upheld_by"
"""Names in the data of a rule's finding: the readers who were asked about it, and denied or upheld it."""
ANSWERS = frozenset({DENIED, UPHELD, "asked", "unanswered", "claim"})
"""Data that readers add: no part of what is claimed."""
PLACES = frozenset({"document"})
"""Data that say where another document lies: if it is moved, the claim is the same."""
CLAIM_LENGTH = 8
"""Characters of a claim's id."""
CRASHED_RULE = "RuleExecutionError"
"""The rule id of the finding that replaces the findings of a crashed check."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault."""

    rule: str
    severity: Severity
    unit: str
    field: Field
    message: str
    suggestion: str | None = None
    quote: str | None = None
    """The faulty words, verbatim; None if the finding is about something missing or about a whole list."""
    start: int | None = None
    """The start of the quote, in characters of the field's text."""
    end: int | None = None
    fix: Edit | None = None
    """A safe edit that settles the finding without a model."""
    source: str = "rule"
    """Who raised it: `rule`, `document` (by comparison with other units), `model:<name>` or `person:<name>`."""
    data: Mapping[str, Any] = dataclasses.field(default_factory=dict, hash=False)
    """What the message says, for programs, as JSON: the other unit, two numbers, the choice. No code reads a message.
    Each rule has its own names."""
    related: tuple[str, ...] = ()
    """The ids of other units of the same document that the finding is about."""
    standing: Standing | None = None
    """How far a rule is believed here; None: it is not measured, or no rule raised the finding."""

    @classmethod
    def at(
        cls,
        unit: Unit,
        *,
        field: Field = None,
        message: str,
        suggestion: str | None = None,
        span: tuple[int, int] | None = None,
        fix: Edit | None = None,
        severity: Severity = "error",
        rule: str = "",
        source: str = "rule",
        data: Mapping[str, Any] | None = None,
        related: tuple[str, ...] = (),
        standing: Standing | None = None,
    ) -> Self:
        """Create a finding; the quote is taken from the field's text. The check's runner sets rule and severity."""
        quote = unit.texts()[field][span[0] : span[1]] if span is not None else None
        start, end = span if span is not None else (None, None)
        place = (rule, severity, unit.id, field, message, suggestion, quote, start, end)
        return cls(*place, fix, source, data or {}, related, standing)

    @property
    def blocks(self) -> bool:
        """Whether a unit with this finding must not be accepted."""
        return self.severity in BLOCKING

    @property
    def key(self) -> tuple[str, str, Field, str | None, int | None]:
        """Findings with equal keys are the same."""
        return (self.rule, self.unit, self.field, self.quote, self.start)

    @property
    def claim(self) -> str:
        """The id of what is claimed, in its unit. It outlives edits elsewhere: places in characters do not count, nor
        does the message."""
        by = self.rule if self.source in RULE_SOURCES else self.source
        said = {name: value for name, value in self.data.items() if name not in ANSWERS | PLACES}
        place = (by, self.rule, self.field, self.quote, said, self.related)
        return hashlib.sha256(json.dumps(place, sort_keys=True).encode()).hexdigest()[:CLAIM_LENGTH]

    def graded(self, rule: str, severity: Severity) -> Finding:
        """Return the same finding with a rule's name and severity."""
        return replace(self, rule=rule, severity=severity)

    def as_wire(self) -> dict[str, Any]:
        """Return the public JSON shape of `burnish check --format json`."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "unit": self.unit,
            "field": self.field,
            "quote": self.quote,
            "start": self.start,
            "end": self.end,
            "message": self.message,
            "suggestion": self.suggestion,
            "fixable": self.fix is not None,
            "data": dict(self.data),
            "related": list(self.related),
            "standing": self.standing,
            "claim": self.claim,
        }

    def as_record(self) -> dict[str, Any]:
        """Return all fields, for the journal."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Self:
        fix = record.get("fix")
        related = tuple(record.get("related", ()))
        return cls(**{**record, "fix": Edit(**fix) if fix else None, "related": related})


class ReportedFinding(BaseModel):
    """One fault."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rule: str
    severity: Severity
    unit: str
    field: str | None
    """The field in the unit; null for the unit as a whole."""
    quote: str | None
    """The faulty words, verbatim."""
    start: int | None
    """The start of the quote, in characters of the field's text."""
    end: int | None
    message: str
    suggestion: str | None
    fixable: bool
    """Whether `--fix` can settle it."""
    data: dict[str, Any]
    """What the message says, for programs: the other unit, two numbers, the choice. Each rule has its own names."""
    related: list[str]
    """The ids of other units of the same document that the finding is about."""
    standing: Standing | None
    """How far the rule is believed in this language: `proven` (code can show it), `trusted` (at least 95 % of 50 or
    more labelled findings on published text were true) or `doubtful`; null where that is not measured yet."""
    claim: str
    """The id of what is claimed, in its unit: `burnish dismiss RUN UNIT CLAIM`."""
