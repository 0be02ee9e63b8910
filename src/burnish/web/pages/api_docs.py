"""`/api/docs`: the description of the API as a page to read. It is made of the description alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from burnish.web import Drawn
from burnish.web.rendering import page

router = APIRouter()
MOST_CHOICES = 12
"""Values of a field that are listed."""
Described = Mapping[str, Any]


@router.get("/api/docs")
def read(request: Request) -> Response:
    """Every request, for people."""
    described = request.app.openapi()
    return page(request, "api.html", about=described["info"]["description"], chapters=chapters(described))


def chapters(described: Described) -> list[Drawn]:
    """The description in the order of its tags."""
    entries = [
        (operation["tags"][0], _entry(described, path, method, operation))
        for path, operations in described["paths"].items()
        for method, operation in operations.items()
    ]
    return [
        Drawn(
            name=tag["name"],
            words=tag["description"],
            requests=tuple(entry for name, entry in entries if name == tag["name"]),
        )
        for tag in described["tags"]
    ]


def _entry(described: Described, path: str, method: str, operation: Described) -> Drawn:
    body = _body(described, operation)
    answers = ((status, answer["description"]) for status, answer in sorted(operation["responses"].items()))
    return Drawn(
        id=operation["operationId"],
        method=method.upper(),
        path=path,
        words=operation["description"],
        fields=(*_parameters(described, operation), *_fields(described, body)),
        example=json.dumps(body["examples"][0], indent=2, ensure_ascii=False) if body.get("examples") else None,
        answers=tuple(answers),
    )


def _body(described: Described, operation: Described) -> Described:
    if "requestBody" not in operation:
        return {}
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    return _named(described, schema)


def _named(described: Described, schema: Described) -> Described:
    found: Described = schema
    if "$ref" in schema:
        found = described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _parameters(described: Described, operation: Described) -> Iterator[Drawn]:
    for one in operation.get("parameters", ()):
        yield Drawn(
            name=one["name"],
            place=one["in"],
            sort=sort_of(one["schema"], described),
            required=one.get("required", False),
            words=one.get("description", ""),
        )


def _fields(described: Described, body: Described) -> Iterator[Drawn]:
    required = set(body.get("required", ()))
    for name, schema in body.get("properties", {}).items():
        words = schema.get("description") or _named(described, schema).get("description", "")
        yield Drawn(name=name, place="body", sort=sort_of(schema, described), required=name in required, words=words)


def sort_of(schema: Described, described: Described) -> str:
    """What a value may be, in a few words."""
    if "anyOf" in schema:
        choices = (sort_of(one, described) for one in schema["anyOf"] if one.get("type") != "null")
        return " or ".join(dict.fromkeys(choices))
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return ", ".join(str(value) for value in schema["enum"][:MOST_CHOICES])
    if "$ref" in schema:
        return f"{{{', '.join(_named(described, schema)['properties'])}}}"
    if schema.get("type") == "array":
        return f"list of {sort_of(schema['items'], described)}" if schema.get("items") else "list"
    return str(schema.get("type", "anything"))
