"""The HTTP API: what the commands do, for programs that have no shell. It decides nothing.

This module holds the API's OpenAPI description, and its routes for rules, schemas and precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import cache, partial
from typing import Annotated, Any

from fastapi import APIRouter, FastAPI, Path, Query
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response

from burnish.api import content, courses, decisions, dismissals, runs
from burnish.api.messages import PREFIX, json_response, problems
from burnish.api.shapes import Problem
from burnish.api.shapes.runs import Precision, Rule, RuleList, SchemaList
from burnish.api.workplace import Here
from burnish.app.kinds import contracts, schema_of
from burnish.app.rulebook import rule_named, rules
from burnish.core.findings import Severity

knowledge = APIRouter(tags=["knowledge"])
Name = Annotated[str, Path(max_length=100)]


@cache
def _rules() -> tuple[dict[str, Any], ...]:
    names = ("id", "title", "kind", "severity", "profiles", "languages", "fatal", "proven", "standing", "summary")
    return tuple(
        {name: record[name] for name in names} for record in (rule.as_wire() for rule in rules(examples=False))
    )


@knowledge.get("/rules", response_model=RuleList, responses=problems())
def list_rules(
    kind: Annotated[str | None, Query(max_length=64, description="Only of this kind of content.")] = None,
    severity: Annotated[Severity | None, Query(description="Only of this severity.")] = None,
) -> Response:
    """Every rule."""
    found = [rule for rule in _rules() if kind in (None, rule["kind"]) and severity in (None, rule["severity"])]
    return json_response({"rules": [{**rule, "url": f"{PREFIX}/rules/{rule['id']}"} for rule in found]})


@knowledge.get("/rules/{rule_id}", response_model=Rule, responses=problems(404))
def get_rule(rule_id: Annotated[Name, Path(examples=["nbme_negation_detection"])]) -> Response:
    """One rule: what it looks for, why it matters, how to fix it, and examples."""
    return json_response(rule_named(rule_id).as_wire())


@knowledge.get("/schema", response_model=SchemaList, responses=problems())
def list_schemas() -> Response:
    """Every contract."""
    found = [{"name": name, "what": what, "url": f"{PREFIX}/schema/{name}"} for name, what in contracts().items()]
    return json_response({"schemas": found})


@knowledge.get("/schema/{name}", response_model=dict[str, Any], responses=problems(404))
def get_schema(name: Annotated[Name, Path(examples=["check_report"])]) -> Response:
    """The JSON Schema of one contract."""
    return json_response(schema_of(name))


@knowledge.get("/precision", response_model=Precision, responses=problems())
def get_precision(here: Here) -> Response:
    """How often people agreed with each rule and judge, over all runs: with counts, and a 95 % interval."""
    return json_response({"precision": [asdict(line) for line in here.index.precision()]})


TEMPLATE = "#/components/schemas/{model}"
TAGS = {
    "content": "Check content, or start a run over it.",
    "runs": "Runs, their units, their events and their files.",
    "decisions": "Decisions of people.",
    "courses": "Courses of LEGOs.",
    "knowledge": "Rules, schemas, and how often rules and judges are right.",
}
ABOUT = """\
Everything is JSON. Runs that are started here use the operator's models and settings only: a request cannot name an
endpoint, a key, a model or a path, and a field that is not described is refused.

Send the token that `burnish serve` prints as `Authorization: Bearer TOKEN`. Problems are
`application/problem+json` (RFC 9457): `code` never changes, `detail` says what is wrong, `hint` what to do about it.
"""


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description, built once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title="Burnish",
            version=app.version,
            openapi_version="3.1.0",
            summary=app.summary,
            description=ABOUT,
            routes=app.routes,
            tags=[{"name": name, "description": text} for name, text in TAGS.items()],
            separate_input_output_schemas=False,
        )
        components = made.setdefault("components", {})
        schemas = components.setdefault("schemas", {})
        for name in ("HTTPValidationError", "ValidationError"):
            schemas.pop(name, None)
        described = Problem.model_json_schema(ref_template=TEMPLATE)
        schemas.update(described.pop("$defs"))
        schemas["Problem"] = described
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
        for operation in _operations(made):
            operation["responses"]["422"] = problems()[422]
        app.openapi_schema = made
    return app.openapi_schema


def _operations(made: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in made["paths"].values():
        yield from path.values()


__all__ = ["install", "router"]

router = APIRouter(prefix=PREFIX, generate_unique_id_function=lambda route: route.name)
for part in (content.router, decisions.router, dismissals.router, runs.router, courses.router, knowledge):
    router.include_router(part)
"""A unit's id may contain slashes, so its own route comes after the longer ones."""


def install(app: FastAPI) -> None:
    """Let the app describe the API at `/api/openapi.json`."""
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
