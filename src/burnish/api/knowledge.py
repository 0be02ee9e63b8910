"""`GET rules`, `GET schema`, `GET precision`: what Burnish looks for, in which shapes, and how often it is right."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from burnish.api.messages import PREFIX, problems, told
from burnish.api.shapes.runs import Precision, Rule, RuleList, SchemaList
from burnish.api.workplace import Here
from burnish.app.kinds import contracts, schema_of
from burnish.app.rulebook import rule_named, rules
from burnish.core.findings import Severity

router = APIRouter(tags=["knowledge"])
Name = Annotated[str, Path(max_length=100)]


@cache
def _rules() -> tuple[dict[str, Any], ...]:
    """Every rule in short."""
    names = ("id", "title", "kind", "severity", "profiles", "languages", "fatal", "summary")
    return tuple(
        {name: record[name] for name in names} for record in (rule.as_wire() for rule in rules(examples=False))
    )


@router.get("/rules", response_model=RuleList, responses=problems(), operation_id="list_rules")
def list_rules(
    kind: Annotated[str | None, Query(max_length=64, description="Only of this kind of content.")] = None,
    severity: Annotated[Severity | None, Query(description="Only of this severity.")] = None,
) -> Response:
    """Every rule."""
    found = [rule for rule in _rules() if kind in (None, rule["kind"]) and severity in (None, rule["severity"])]
    return told({"rules": [{**rule, "url": f"{PREFIX}/rules/{rule['id']}"} for rule in found]})


@router.get("/rules/{rule_id}", response_model=Rule, responses=problems(404), operation_id="get_rule")
def get_rule(rule_id: Annotated[Name, Path(examples=["nbme_negation_detection"])]) -> Response:
    """One rule: what it looks for, why it matters, how to fix it, and examples."""
    return told(rule_named(rule_id).as_wire())


@router.get("/schema", response_model=SchemaList, responses=problems(), operation_id="list_schemas")
def list_schemas() -> Response:
    """Every contract."""
    found = [{"name": name, "what": what, "url": f"{PREFIX}/schema/{name}"} for name, what in contracts().items()]
    return told({"schemas": found})


@router.get("/schema/{name}", response_model=dict[str, Any], responses=problems(404), operation_id="get_schema")
def get_schema(name: Annotated[Name, Path(examples=["check_report"])]) -> Response:
    """The JSON Schema of one contract."""
    return told(schema_of(name))


@router.get("/precision", response_model=Precision, responses=problems(), operation_id="get_precision")
def get_precision(here: Here) -> Response:
    """How often people agreed with each rule and judge, over all runs: with counts, and a 95 % interval."""
    return told({"precision": [asdict(line) for line in here.index.precision()]})
