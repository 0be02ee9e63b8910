"""The shapes of `manifest.json` and `report.json`: what a run is, and what shows over whole documents."""

from __future__ import annotations

from typing import Any

from burnish.app.reports.contract import Shape, SkippedRules
from burnish.core.findings import Severity


class ManifestDocument(Shape):
    """One input file."""

    name: str
    """What it is called in out/ and in unit ids."""
    path: str
    format: str
    sha256: str


class ManifestMaterial(Shape):
    """A file that is read beside the documents."""

    role: str
    name: str
    path: str
    sha256: str


class Manifest(Shape):
    """Everything that shapes a run, written down before anything is spent."""

    run_id: str
    kind: str
    documents: tuple[ManifestDocument, ...]
    nonce: str
    """Fences are derived from it."""
    arguments: dict[str, Any]
    """As given at the door; `resume` repeats them."""
    rules: tuple[str, ...]
    """The checks that ran: these and no others."""
    severities: dict[str, Severity]
    demands: dict[str, Any]
    """What the institution asks for beyond the rules."""
    corrector: str | None
    judges: tuple[str, ...]
    prompts: dict[str, str]
    """Prompt -> version."""
    version: str
    """Of Burnish."""
    out: str | None
    """Where the result was asked for; null: out/ in the run's folder."""
    surveys: tuple[Any, ...]
    """Facts about each document as a whole, in the kind's own shape."""
    roles: dict[str, str]
    """Role -> model, of kinds that have more seats than a corrector and judges."""
    materials: tuple[ManifestMaterial, ...]
    off: tuple[str, ...]
    """Rules that were switched off, those about documents as wholes included."""


class InputProblem(Shape):
    """Input that could not be used as it stands."""

    document: str
    code: str
    message: str
    line: int | None
    field: str | None
    unit: str | None
    """The id that the part goes by, where it has one."""
    blocks: bool
    """Whether it keeps the run from being published: no unit was made of it, or maybe not the one that was meant."""


class CarriedPart(Shape):
    """A part that is carried unchanged and not judged."""

    document: str
    id: str
    type: str
    line: int | None


class RunReport(Shape):
    """What only shows over whole documents, and what was not judged."""

    documents: tuple[dict[str, Any], ...]
    """For each its name under `document`, and what its kind says of it as a whole."""
    problems: tuple[InputProblem, ...]
    passed_through: tuple[CarriedPart, ...]
    ignored: dict[str, int]
    """Rule -> findings that authors asked to pass over."""
    skipped_rules: tuple[SkippedRules, ...]
