"""The shapes of dismissals in requests and responses."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, StringConstraints

from burnish.api.shapes import Asked
from burnish.api.shapes.decisions import Note, Person, Short
from burnish.app.check_json import Shape

MOST_CLAIMS = 100
Name = Annotated[Short, StringConstraints(min_length=1)]


class DismissalOrder(Asked):
    """Claims of rules about a unit that are not true."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"by": "Ada", "claims": ["ext_bias_detection"], "note": "The job matters here."}]
        }
    )

    claims: Annotated[list[Name], Field(min_length=1, max_length=MOST_CLAIMS)]
    """Claims by their ids, as findings name them (`claim`), or by their rules."""
    by: Person | None = None
    """Who decides. It is recorded. A personal token signs by itself."""
    note: Note | None = None
    """The reason."""
    seen: Annotated[str, StringConstraints(max_length=64)] | None = None
    """The unit's `at` when the person saw it. If another person has decided since, nothing is changed and 409 says
    who."""
    now: bool = False
    """While the run is active: apply the decision at its next pause, without the 30 seconds for a free undo."""


class RuleOrder(Asked):
    """A rule of the run's kind."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "Ada", "rule": "nbme_lead_in"}]})

    rule: Name
    by: Person | None = None
    """Who decides. It is recorded. A personal token signs by itself."""


class RuleDismissalOrder(RuleOrder):
    """A rule whose claims are not true in this run."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"by": "Ada", "rule": "nbme_lead_in"}]})

    note: Note | None = None
    """The reason."""


class Restored(Shape):
    """The result of taking the dismissal of a rule back."""

    run: str
    rule: str
    units: int
    """The units that are as they were before."""
