"""The API fuzzed from its own description: no 5xx, and every answer is as it is described.

`API_FUZZ_CASES=500 pytest tests/api/test_fuzz.py` looks longer.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from burnish import api
from tests.api.api_desk import TOKEN, application, copied

CASES = int(os.environ.get("API_FUZZ_CASES", "5"))
HEADERS = {"Authorization": f"Bearer {TOKEN}"}
CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
COURSE = {"course_id": "spa_for_eng_40seeds", "seed_id": "C0012"}
REAL = (
    {"run_id": "rivers", "unit_id": "river-01", "name": "receipt.json", "rule_id": "nbme_lead_in", **COURSE},
    {"run_id": "demo", "unit_id": "bio-002", "name": "review_queue.jsonl", "rule_id": "truncation", **COURSE},
    {"run_id": "lesson", "unit_id": "gas", "name": "out/bread.json", "rule_id": "c_too_small", **COURSE},
    {"run_id": "book", "unit_id": "p_0013", "name": "manifest.json", "rule_id": "numbers_changed", **COURSE},
    {"run_id": "course", "unit_id": "C0012", "name": "manifest.json", "rule_id": "spacing", **COURSE},
)
"""Names that are there: most of what is made up leads nowhere."""


def described() -> Any:
    """The operations of the API, from a description that needs no run."""
    app = FastAPI()
    app.include_router(api.router)
    api.install(app)
    return schemathesis.openapi.from_dict(app.openapi())


OPERATIONS = {found.ok().label: found.ok() for found in described().get_all_operations()}


@pytest.fixture(scope="module")
def fuzzed(kept_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FastAPI]:
    """The whole application over a copy of the runs. It starts no process: what a child does is tested elsewhere."""
    app, here = application(copied(kept_runs, tmp_path_factory.mktemp("fuzz") / "runs"))
    here.jobs.close()
    yield app
    here.close()


def test_every_operation_is_fuzzed() -> None:
    assert len(OPERATIONS) >= 25


@pytest.mark.no_cover
@pytest.mark.parametrize("label", OPERATIONS)
def test_no_request_breaks_the_server(fuzzed: FastAPI, label: str) -> None:
    operation = OPERATIONS[label]
    answered = []

    @settings(
        max_examples=CASES,
        deadline=None,
        database=None,
        derandomize=CASES < 100,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        for real in ({}, REAL[len(answered) % len(REAL)]):
            if real and not case.path_parameters:
                break
            for name in case.path_parameters if real else ():
                case.path_parameters[name] = real[name]
            answer = case.call(app=fuzzed, headers=HEADERS)
            case.validate_response(answer, checks=CHECKS)
            answered.append(answer.status_code)

    ask()
    assert answered
    assert max(answered) < 500
