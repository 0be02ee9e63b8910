"""The description of the API: whole, honest, and without a way in for what is the operator's alone."""

from typing import Any

import pytest
from fastapi import FastAPI

from burnish.api import install, router
from burnish.web.pages.reference import sort_of
from tests.api.api_desk import API, ApiDesk

FORBIDDEN = (
    "model",
    "models",
    "judges",
    "base_url",
    "endpoint",
    "url",
    "key",
    "api_key",
    "path",
    "folder",
    "dir",
    "out",
)


@pytest.fixture(scope="module")
def described() -> dict[str, Any]:
    app = FastAPI()
    app.include_router(router)
    install(app)
    return app.openapi()


def operations(described: dict[str, Any]) -> list[tuple[str, str, Any]]:
    return [(path, method, one) for path, found in described["paths"].items() for method, one in found.items()]


def test_it_is_served_with_the_token_only(kept: ApiDesk) -> None:
    told = kept.client.get("/api/openapi.json").json()
    assert told["openapi"] == "3.1.0"
    assert all(path.startswith(f"{API}/") for path in told["paths"])
    assert kept.client.get("/api/openapi.json", headers={"Authorization": "Bearer other"}).status_code == 401


def test_every_operation_is_named_and_explained(described: dict[str, Any]) -> None:
    found = operations(described)
    names = [one["operationId"] for _, _, one in found]
    assert len(set(names)) == len(found) >= 25
    for path, method, one in found:
        assert one["description"] and one["tags"], f"{method} {path}"
        assert any(status.startswith("2") for status in one["responses"])


def test_problems_are_described_as_they_are(described: dict[str, Any]) -> None:
    for path, method, one in operations(described):
        refusals = {status: answer for status, answer in one["responses"].items() if status >= "400"}
        assert {"400", "401", "422", "429"} <= set(refusals), f"{method} {path}"
        for answer in refusals.values():
            assert list(answer["content"]) == ["application/problem+json"]
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert described["components"]["schemas"]["Problem"]["required"][0] == "type"


def test_requests_have_examples_and_are_closed(described: dict[str, Any]) -> None:
    schemas = described["components"]["schemas"]
    bodies = [
        one["requestBody"]["content"]["application/json"]["schema"]
        for _, _, one in operations(described)
        if "requestBody" in one
    ]
    assert len(bodies) >= 8
    for body in bodies:
        name = body["$ref"].rpartition("/")[2]
        assert schemas[name]["additionalProperties"] is False
        assert not set(FORBIDDEN) & set(schemas[name]["properties"]), name
        assert schemas[name].get("examples") or not schemas[name].get("required"), name


def test_it_can_be_read_as_a_page(kept: ApiDesk, described: dict[str, Any]) -> None:
    answer = kept.client.get("/api/docs")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    for path, method, one in operations(described):
        assert f"<code>{method.upper()} {path}</code>" in answer.text
        assert f'id="{one["operationId"]}"' in answer.text
    assert "http://" not in answer.text and "https://" not in answer.text
    assert "<script>" not in answer.text and "style=" not in answer.text


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer"),
        ({"enum": ["a", "b"]}, "a, b"),
        ({"const": "accept"}, '"accept"'),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Given"}}, "list of {name, content, base64}"),
        ({"type": "array", "items": {}}, "list"),
        ({}, "anything"),
    ],
)
def test_what_a_field_may_be_is_said_in_words(described: dict[str, Any], schema: dict[str, Any], words: str) -> None:
    assert sort_of(schema, described) == words


def test_nothing_changes_by_get(described: dict[str, Any]) -> None:
    assert {method for _, method, _ in operations(described)} == {"get", "post", "delete"}
    assert all("requestBody" not in one for _, method, one in operations(described) if method == "get")


def test_another_method_is_told_as_a_problem(kept: ApiDesk) -> None:
    answer = kept.client.delete(f"{API}/runs")
    assert (answer.status_code, answer.headers["content-type"]) == (405, "application/problem+json")
    assert "GET" in answer.headers["allow"]
