"""Content over the API: checked like a file, and started like a command, with the operator's settings and no others."""

import json
import tempfile
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from burnish.app.kinds import schema_of
from burnish.app.python import check
from tests.api.api_desk import API, ApiDesk, api_desk
from tests.mixed_queue import question
from tests.workbench import until_rested

QUESTION = question(0)
LESSON = {
    "lesson_id": "tea",
    "content": {
        "intro": "Tea is made of leaves.",
        "sections": [{"id": "leaves", "title": "Leaves", "content": "They are picked by hand. TODO"}],
        "examples": [],
        "exercises": [],
    },
}
SPEC = {
    "lesson_id": "tea",
    "title": "Tea",
    "language": "en",
    "difficulty": "beginner",
    "learning_objectives": [{"id": "o1", "text": "Name the parts of a tea plant."}],
}


def rules_of(report: Any) -> set[str]:
    return {
        finding["rule"]
        for document in report["documents"]
        for unit in document["units"]
        for finding in unit["findings"]
    }


def _placeless(report: Any) -> Any:
    for document in report["documents"]:
        for unit in document["units"]:
            unit["findings"] = [{**finding, "line": None, "column": None} for finding in unit["findings"]]
    return report


# -- check


@pytest.mark.parametrize("content", [[QUESTION], json.dumps([QUESTION])], ids=["JSON", "text"])
def test_a_check_answers_as_the_command_does(kept: ApiDesk, tmp_path: Path, content: Any) -> None:
    (tmp_path / "bank.json").write_text(json.dumps([QUESTION]), encoding="utf-8")
    expected = json.loads(json.dumps(check(tmp_path / "bank.json")).replace(f"{tmp_path}/", ""))
    answer = kept.post("check", {"name": "bank.json", "content": content})
    assert answer.status_code == 200
    if isinstance(content, str):
        assert answer.json() == expected
    assert _placeless(answer.json()) == _placeless(expected)  # JSON that was sent as such has lines of its own
    jsonschema_rs.validate(schema_of("check_report"), answer.json())


def test_several_documents_and_chosen_rules(kept: ApiDesk) -> None:
    documents = [{"name": f"{name}.json", "content": [QUESTION]} for name in ("one", "two")]
    rule = "nbme_negation_detection"
    report = kept.post("check", {"documents": documents, "select": [rule]}).json()
    assert [document["path"] for document in report["documents"]] == ["one.json", "two.json"]
    assert rules_of(report) == {rule}
    assert rules_of(kept.post("check", {"documents": documents, "select": [rule], "ignore": [rule]}).json()) == set()


def test_a_lesson_is_held_against_its_spec(kept: ApiDesk) -> None:
    order = {"kind": "lessons", "name": "tea.json", "content": LESSON}
    alone = rules_of(kept.post("check", order).json())
    source = {"name": "tea.md", "content": "Tea plants have roots, stems, leaves and flowers."}
    beside = kept.post("check", {**order, "spec": {"name": "spec.json", "content": SPEC}, "sources": [source]})
    assert "objective_coverage" in rules_of(beside.json()) - alone


def test_a_translation_is_checked_beside_its_source(kept: ApiDesk) -> None:
    source = {"name": "en.md", "content": "The captain counted 14 ships in the harbour of the town."}
    order = {"kind": "manuscripts", "name": "es.md", "content": "El capitán contó 15 barcos en el puerto de la ciudad."}
    assert "numbers_changed" in rules_of(kept.post("check", {**order, "sources": [source]}).json())
    glossary = {"name": "terms.csv", "content": "source,target\nharbour,muelle\n"}
    assert "glossary_term" in rules_of(kept.post("check", {**order, "sources": [source], "glossary": glossary}).json())
    alone = kept.post("check", order)
    assert (alone.status_code, alone.json()["code"]) == (400, "usage")


def test_content_that_cannot_be_read_is_among_the_problems(kept: ApiDesk) -> None:
    report = kept.post("check", {"name": "bank.json", "content": '[{"id": "q1", '}).json()
    [problem] = report["documents"][0]["problems"] if report["documents"] else report["problems"]
    assert problem["path"] == "bank.json"


def test_nothing_of_a_check_is_kept_or_told(kept: ApiDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for body in (
        {"name": "bank.json", "content": [QUESTION]},
        {"name": "bank.xyz", "content": "?"},
        {"kind": "lessons", "name": "tea.json", "content": LESSON, "spec": {"name": "spec.json", "content": "{"}},
    ):
        answer = kept.post("check", body)
        assert answer.status_code in (200, 422)
        assert str(tmp_path) not in answer.text
    assert list(tmp_path.iterdir()) == []


def test_the_operators_settings_hold(kept_runs: Path) -> None:
    with api_desk(kept_runs, **{"check.ignore": ("nbme_negation_detection",)}) as desk:
        ids = {"ignore": ["nbme_lead_in"]}
        assert "nbme_negation_detection" not in rules_of(
            desk.post("check", {"name": "b.json", "content": [QUESTION], **ids}).json()
        )


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "bad_request"),
        ({"name": "b.json"}, 422, "bad_request"),
        ({"content": [QUESTION]}, 422, "bad_request"),
        ({"name": "b.json", "content": [], "documents": [{"name": "c.json", "content": []}]}, 422, "bad_request"),
        ({"documents": [{"name": "c.json", "content": []}, {"name": "c.json", "content": []}]}, 422, "bad_request"),
        ({"name": "b.json", "content": [], "model": "openai:gpt-4o"}, 422, "bad_request"),
        ({"name": "b.json", "content": [], "base_url": "http://127.0.0.1:1"}, 422, "bad_request"),
        ({"name": "b.json", "content": [], "path": "/etc/passwd"}, 422, "bad_request"),
        ({"name": "../b.json", "content": []}, 422, "bad_request"),
        ({"name": "b.json", "content": [], "select": ["no_such_rule"]}, 400, "bad_setting"),
        ({"name": "b.json", "content": [QUESTION], "profile": "no_such_profile"}, 400, "bad_setting"),
        ({"name": "b.json", "content": [QUESTION], "spec": {"name": "s.json", "content": {}}}, 400, "usage"),
        ({"name": "b.json", "content": [QUESTION], "glossary": {"name": "s.csv", "content": ""}}, 400, "usage"),
        ({"name": "b\u202e.json", "content": [QUESTION]}, 400, "usage"),
    ],
)
def test_wrong_orders_are_refused(kept: ApiDesk, body: Any, status: int, code: str) -> None:
    answer = kept.post("check", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["instance"] == f"{API}/check"


@pytest.mark.parametrize(
    ("data", "media_type", "status"),
    [
        (b'{"name": "b.json", "name": "c.json", "content": []}', "application/json", 400),
        (b'{"name": "b.json", "content": [NaN]}', "application/json", 400),
        (b'{"name": "b.json", "content": [1e999]}', "application/json", 400),
        (b'{"name": "b.json", "content": ' + b"[" * 200_000, "application/json", 400),
        (b'{"name": "b.json", "content": "\\ud800"}', "application/json", 400),
        (b'{"name": "b.json", "content": []', "application/json; charset=utf-8", 400),
        (b'{"name": "b.json", "content": []}', "text/plain", 415),
        (b'{"name": "b.json", "content": []}', "application/x-www-form-urlencoded", 415),
        (b'{"name": "b.json", "content": "' + b"x" * (1 << 20) + b'"}', "application/json", 413),
        (b"", "application/json", 422),
        (b"null", "application/json", 422),
        (b"[]", "application/json", 422),
    ],
)
def test_bodies_are_read_strictly(kept: ApiDesk, data: bytes, media_type: str, status: int) -> None:
    answer = kept.client.post(f"{API}/check", content=data, headers={"Content-Type": media_type})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


# -- polish and translate


def until_it_rests(desk: ApiDesk, run: str) -> Any:
    """The run when no process is at work on it any more."""
    until_rested(desk.here, run)
    return desk.json(f"runs/{run}")


def test_a_run_is_started_and_can_be_looked_at_from_the_first_moment(api: ApiDesk) -> None:
    documents = [{"name": f"{name}.json", "content": {**LESSON, "lesson_id": name}} for name in ("black", "green")]
    source = {"name": "tea.md", "content": "Tea plants have roots, stems, leaves and flowers."}
    order = {
        "documents": documents,
        "sources": [source],
        "ceilings": {"max_tokens": 1000},
        "run_id": "tea",
        "mode": "full-auto",
    }
    answer = api.post("polish", order)
    assert answer.status_code == 202, answer.text
    assert answer.headers["location"] == f"{API}/runs/tea"
    assert answer.json() == {"run_id": "tea", "run": f"{API}/runs/tea", "events": f"{API}/runs/tea/events"}
    assert api.json("runs/tea")["state"] in ("starting", "working")
    assert api.post("polish", {**order, "mode": "semi-auto"}).json()["code"] == "run_active"
    rested = until_it_rests(api, "tea")
    assert (rested["kind"], rested["documents"], rested["trouble"]) == ("lessons", ["black.json", "green.json"], None)
    assert rested["ceilings"] == {"max_tokens": 1000}
    plan = api.here.index.open("tea").view.plan
    assert [(one.role, one.name) for one in plan.materials] == [("source", "tea.md")]
    assert plan.arguments["options"] == {"mode": "full-auto"}
    assert api.json("runs/tea/units/green.json/leaves")["unit"] == "green.json/leaves"
    assert api.post("polish", order).status_code == 200


def test_a_book_is_translated(api: ApiDesk) -> None:
    """With a draft, rules alone can judge it: no model is needed."""
    order = {
        "name": "book.md",
        "content": "The captain counted 14 ships in the harbour of the town.\n",
        "to": "es",
        "from": "en",
        "draft": {"name": "es.md", "content": "El capitán contó 14 barcos en el puerto de la ciudad.\n"},
        "glossary": {"name": "terms.csv", "content": "source,target\nharbour,puerto\n"},
    }
    run = api.post("translate", order).json()["run_id"]
    assert run.startswith("book-")
    rested = until_it_rests(api, run)
    assert (rested["kind"], rested["documents"], rested["requested"]) == ("manuscripts", ["book.md"], 1)
    assert "14 barcos" in api.json(f"runs/{run}/units/p_0001")["draft"]


def test_what_cannot_be_polished_is_refused_before_anything_is_started(api: ApiDesk) -> None:
    before = sorted(api.here.runs.iterdir())
    wrong: list[tuple[Any, int]] = [
        ({"name": "b.xyz", "content": "?"}, 422),
        ({"name": "b.json", "content": [QUESTION], "mode": "full-auto"}, 400),
        ({"name": "b.json", "content": [QUESTION], "out_format": "docx"}, 400),
        ({"name": "b.json", "content": [QUESTION], "run_id": "../up"}, 422),
        ({"name": "b.json", "content": [QUESTION], "run_id": "ends."}, 400),
        ({"name": "b.json", "content": [QUESTION], "out": "/tmp/x"}, 422),
        ({"name": "b.json", "content": [QUESTION], "profile": "none"}, 400),
        ({"name": "b.json", "content": [QUESTION], "ceilings": {"max_tokens": 0}}, 422),
        ({"name": "b.json", "content": [QUESTION], "ceilings": {"max_cost": "9"}}, 422),
    ]
    for body, status in wrong:
        answer = api.post("polish", body)
        assert answer.status_code == status, answer.text
        assert str(tempfile.gettempdir()) not in answer.text.replace(str(api.here.runs), "")
    told = api.post("translate", {"name": "b.md", "content": "Hello there.", "to": "es", "from": "en"})
    assert (told.status_code, told.json()["detail"]) == (400, "Nothing can translate: no model is named.")
    assert sorted(api.here.runs.iterdir()) == before
    assert api.here.jobs.at_work() == []


def test_a_request_may_ask_for_less_than_the_operator_allows_and_not_for_more(kept_runs: Path, tmp_path: Path) -> None:
    with api_desk(tmp_path / "runs", **{"limits.max_tokens": 500, "limits.max_seconds": 60.0}) as desk:
        for ceilings in ({"max_tokens": 501}, {"max_seconds": 61}):
            answer = desk.post("polish", {"name": "b.json", "content": [QUESTION], "ceilings": ceilings})
            assert (answer.status_code, answer.json()["code"]) == (400, "usage")
    assert not (tmp_path / "runs").exists()


def test_a_run_that_cannot_go_on_says_why(tmp_path: Path) -> None:
    with api_desk(tmp_path / "runs", **{"models.model": "scripted:/no/such/script.json"}) as desk:
        order = {"name": "b.json", "content": [QUESTION], "run_id": "stuck"}
        assert desk.post("polish", order).status_code == 202
        failed = until_it_rests(desk, "stuck")
        assert "/no/such/script.json" in str(failed["trouble"])
        assert desk.post("polish", {**order, "profile": "strict"}).json()["code"] == "run_active"
        assert desk.post("runs/stuck/continue", {}).status_code == 202
        until_it_rests(desk, "stuck")


def test_no_more_runs_than_the_operator_allows(kept_runs: Path, tmp_path: Path) -> None:
    with api_desk(tmp_path / "runs", **{"serve.runs_at_once": 1}) as desk:
        desk.here.jobs.other("elsewhere", ["models", "--help"])
        answer = desk.post("polish", {"name": "b.json", "content": [QUESTION], "run_id": "second"})
        assert answer.status_code == 202
        until_it_rests(desk, "second")


def test_a_name_that_something_else_has_is_not_taken(api: ApiDesk) -> None:
    (api.here.runs / "mine").mkdir()
    (api.here.runs / "mine" / "notes.txt").write_text("keep me", encoding="utf-8")
    answer = api.post("polish", {"name": "b.json", "content": [QUESTION], "run_id": "mine"})
    assert (answer.status_code, answer.json()["code"]) == (409, "run_active")
    assert (api.here.runs / "mine" / "notes.txt").read_text(encoding="utf-8") == "keep me"
