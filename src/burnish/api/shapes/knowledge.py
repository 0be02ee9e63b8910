"""Rules, schemas and precision, as the API tells of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from burnish.api.shapes import Shape
from burnish.core.findings import Severity

Share = Annotated[float, Field(ge=0, le=1)]


class RuleFacts(Shape):
    """What every rule has."""

    id: str
    kind: str
    severity: Severity
    profiles: dict[str, Severity]
    """Profiles under which it has another severity."""
    languages: list[str]
    """The languages that it can judge; none: all."""
    fatal: bool
    """Whether no model is paid for a unit that fails it."""
    summary: str


class RuleEntry(RuleFacts):
    """A rule in the list of rules."""

    url: str


class RuleList(Shape):
    """Rules."""

    rules: list[RuleEntry]


class RuleExample(Shape):
    """A unit on which the rule speaks, or stays silent."""

    lines: list[str]
    message: str | None
    """What it says."""


class Rule(RuleFacts):
    """One rule."""

    what_it_looks_for: str
    why_it_matters: str
    fix: str
    bad: list[RuleExample]
    good: list[RuleExample]


class SchemaEntry(Shape):
    """A shape that others may rely on."""

    name: str
    what: str
    url: str


class SchemaList(Shape):
    """Shapes."""

    schemas: list[SchemaEntry]


class PrecisionOf(Shape):
    """What people's decisions say of one rule or judge."""

    who: str
    """A rule's id, or `model:NAME`."""
    kind: str
    right: int
    """How often a person mended what it found, or sent the unit back."""
    of: int
    """How often a person decided at all."""
    share: Share
    low: Share
    """The lower end of the 95 % interval."""
    high: Share


class Precision(Shape):
    """Rules and judges."""

    precision: list[PrecisionOf]
