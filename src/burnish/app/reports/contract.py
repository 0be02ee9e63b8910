"""The shape of `burnish check --format json`: what the stream adds up to."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from burnish.core.findings import Severity
from burnish.core.reported import ReportedFinding


class Shape(BaseModel):
    """Closed: a key that is not described here is not written."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class ReportedUnit(Shape):
    """One unit. A clean one has an empty list."""

    id: str
    findings: tuple[ReportedFinding, ...]


class ReportedProblem(Shape):
    """Input that could not be used as it stands."""

    code: str
    message: str
    path: str
    line: int | None
    field: str | None
    unit: str | None
    """The id that the part goes by, where it has one: also where no unit could be made of it."""
    hint: str | None
    blocks: bool
    """Whether `polish` would not publish the document: no unit was made of the part, or maybe not the one meant."""


class ReportedPart(Shape):
    """A part that is carried unchanged and not judged."""

    id: str
    type: str
    line: int | None


class ReportedDocument(Shape):
    """One file."""

    path: str
    kind: str
    units: tuple[ReportedUnit, ...]
    problems: tuple[ReportedProblem, ...]
    """What could not be read; the other units are listed all the same."""
    passed_through: tuple[ReportedPart, ...]
    ignored: tuple[ReportedFinding, ...]
    """Findings that the author asked to pass over."""
    baseline: tuple[ReportedFinding, ...]
    """Findings that the baseline knows."""
    bank: dict[str, Any]
    """What can be said of the document as a whole: balance of the keys, blueprint, duplicates."""
    complete: bool
    """Whether the document was read to its end."""


class ReportedFix(Shape):
    """A unit that `--fix` changed."""

    path: str
    unit: str
    rules: tuple[str, ...]
    diff: str


class SkippedRules(Shape):
    """Rules that cannot judge a language."""

    language: str
    units: int
    rules: tuple[str, ...]


class Summary(Shape):
    """Counts over all documents. Findings that are ignored or known count only there."""

    documents: int
    units: int
    findings: int
    by_rule: dict[str, int]
    by_severity: dict[Severity, int]
    fixable: int
    known: int
    """Findings that the baseline knows."""
    ignored: dict[str, int]
    """Rule -> findings that authors asked to pass over."""
    passed_through: dict[str, int]
    """Type -> parts that were not judged."""
    problems: int
    failures: int
    """Documents that could not be read, or not to their end."""
    skipped_rules: tuple[SkippedRules, ...]


class CheckReport(Shape):
    """The whole report."""

    version: str
    """Of Burnish."""
    fixed: tuple[ReportedFix, ...] = ()
    """Units that `--fix` mended. Only with `--fix`, as the next."""
    written: tuple[str, ...] = ()
    """Documents that `--fix` wrote. A document with bad input is not among them: its fixes are proposals."""
    documents: tuple[ReportedDocument, ...]
    problems: tuple[ReportedProblem, ...]
    """Paths that could not be read at all."""
    passed_over: tuple[str, ...]
    """Files in a folder that are nothing Burnish reads."""
    rules_off: tuple[str, ...]
    """Rules that settings or flags switched off."""
    summary: Summary
