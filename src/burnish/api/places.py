"""What stands in the address of a request."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import quote

from fastapi import Path, Query

from burnish.api.answers import PREFIX
from burnish.store.paths import RUN_ID

RunId = Annotated[str, Path(description="The id of a run.", pattern=rf"^{RUN_ID.pattern}$", examples=["cardiology"])]
UnitId = Annotated[
    str,
    Path(
        description="The id of a unit; in a run over several documents `document/unit`. Percent-encode it.",
        max_length=2000,
        examples=["q1", "p_0035", "bank.json/q1"],
    ),
]
Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
Offset = Annotated[int, Query(ge=0, le=1_000_000, description="How many are passed over.")]


def run_url(run: str) -> str:
    return f"{PREFIX}/runs/{quote(run, safe='')}"


def unit_url(run: str, unit: str) -> str:
    """Where a unit is; what no address can hold is left out of it."""
    return f"{run_url(run)}/units/{quote(unit.encode('utf-8', 'replace'), safe='')}"
