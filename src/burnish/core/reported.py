"""A finding as the world sees it: the one public shape, in reports, receipts and queues. `Finding.as_wire` fills it."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from burnish.core.findings import Severity


class ReportedFinding(BaseModel):
    """One thing wrong."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    rule: str
    severity: Severity
    unit: str
    field: str | None
    """Where in the unit; null for the unit as a whole."""
    quote: str | None
    """The offending words, verbatim."""
    start: int | None
    """Where the quote begins, in characters of the field's text."""
    end: int | None
    message: str
    suggestion: str | None
    fixable: bool
    """Whether `--fix` can settle it."""
