"""Starting runs of every kind over HTTP: files that are no text, what it would cost, and the same request twice."""

from __future__ import annotations

import base64
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from burnish.app import run_starts
from burnish.engine.plan import Plan, begin
from burnish.store.journal import Journal
from burnish.store.lock import take_lock
from burnish.store.paths import RunFolder
from burnish.store.processes import system_clock
from tests.api.api_desk import API, ApiDesk
from tests.kinds.questions.formats.test_xlsx import workbook
from tests.workbench import until_rested

QUESTION = {"id": "q1", "stem": "Which of these is NOT a fish?", "options": ["Eel", "Bat", "Cod", "Ray"], "answer": 1}
PAIRS = "Where is the house?\tDónde está la casa?\nThe house is big.\tLa casa es grande.\n"
ORDERS: dict[str, dict[str, Any]] = {
    "polish": {"name": "bank.json", "content": [QUESTION]},
    "translate": {
        "name": "book.md",
        "content": "The sea is calm.\n",
        "to": "es",
        "from": "en",
        "draft": {"name": "es.md", "content": "El mar está tranquilo.\n"},
    },
    "courses": {"name": "pairs.tsv", "content": PAIRS, "course": "spa_for_eng"},
}


def at_rest(api: ApiDesk, run: str) -> Any:
    until_rested(api.here, run)
    return api.json(f"runs/{run}")


@pytest.fixture
def queued(api: ApiDesk, monkeypatch: pytest.MonkeyPatch) -> ApiDesk:
    """The API of a server that starts no process: every run is recorded and queued."""
    monkeypatch.setattr(api.here.jobs, "_most", 0)
    return api


def twice(api: ApiDesk, kind: str) -> dict[str, Any]:
    """Send an order twice, and then another one under its name: the order."""
    order = {**ORDERS[kind], "run_id": f"twice-{kind}"}
    first = api.post(kind, order)
    assert first.status_code == 202, first.text
    second = api.post(kind, order)
    assert (second.status_code, second.json()) == (200, first.json())
    assert second.headers["location"] == first.headers["location"]
    other = api.post(kind, {**order, "ceilings": {"max_tokens": 5}})
    assert (other.status_code, other.json()["code"]) == (409, "run_active")
    return order


@pytest.mark.parametrize("kind", ORDERS)
def test_the_same_start_twice_is_answered_and_another_is_refused(queued: ApiDesk, kind: str) -> None:
    twice(queued, kind)


def test_the_same_start_is_answered_when_the_run_has_ended(api: ApiDesk) -> None:
    order = twice(api, "polish")
    at_rest(api, "twice-polish")
    assert api.post("polish", order).status_code == 200


def test_the_same_start_many_times_at_once(queued: ApiDesk) -> None:
    order = {**ORDERS["polish"], "run_id": "twin"}
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: queued.post("polish", order), range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 202]
    assert len({answer.text for answer in answers}) == 1


def test_the_request_is_written_down_before_the_run_is_begun(queued: ApiDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[str | None] = []

    def seen(journal: Journal, plan: Plan) -> Plan:
        found.append(journal.get_meta(run_starts.REQUEST))
        return begin(journal, plan)

    monkeypatch.setattr(run_starts, "begin", seen)
    assert queued.post("polish", {**ORDERS["polish"], "run_id": "marked"}).status_code == 202
    assert found and found[0]


def test_a_queued_run_is_on_its_way(queued: ApiDesk) -> None:
    assert queued.post("polish", {**ORDERS["polish"], "run_id": "later"}).status_code == 202
    assert "later" in queued.here.jobs.active()
    queued.here.jobs.stop("later")
    assert "later" not in queued.here.jobs.active()


def test_a_course_is_started_and_known_by_its_code(api: ApiDesk) -> None:
    assert api.post("courses", {**ORDERS["courses"], "run_id": "taught"}).status_code == 202
    told = at_rest(api, "taught")
    assert (told["kind"], told["requested"]) == ("legos", 2)
    assert "spa_for_eng" in [course["id"] for course in api.json("courses")["courses"]]
    refused = api.post("courses", {**ORDERS["courses"], "course": "nonsense"})
    assert refused.status_code == 400, refused.text


@pytest.mark.parametrize("kind", ORDERS)
def test_what_a_start_would_cost_is_told_and_nothing_is_kept(api: ApiDesk, kind: str) -> None:
    before = sorted(api.here.runs.iterdir())
    answer = api.post("estimate", {kind: ORDERS[kind]})
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["units"] == (2 if kind == "courses" else 1)
    assert told["at_most"] == {"calls": 0, "tokens": 0, "cost": 0.0}, "no model is set here"
    assert sorted(api.here.runs.iterdir()) == before
    assert "burnish-" not in answer.text, "where it was laid out is nobody's business"


def test_an_estimate_is_of_one_start(api: ApiDesk) -> None:
    assert api.post("estimate", {}).status_code == 422
    assert api.post("estimate", {"polish": ORDERS["polish"], "courses": ORDERS["courses"]}).status_code == 422
    assert api.post("estimate", {"polish": {"name": "b.xyz", "content": "?"}}).status_code == 422


def test_a_name_that_is_taken_refuses_the_estimate_too(queued: ApiDesk) -> None:
    api = queued
    taken = {**ORDERS["polish"], "run_id": "rivers"}
    assert (api.post("polish", taken).status_code, api.post("estimate", {"polish": taken}).status_code) == (409, 409)
    own = {**ORDERS["polish"], "run_id": "own"}
    assert [api.post("estimate", {"polish": own}).status_code, api.post("polish", own).status_code] == [200, 202]
    assert api.post("estimate", {"polish": own}).status_code == 200, "its start would be answered again"


def test_files_that_are_no_text(queued: ApiDesk) -> None:
    api = queued
    given = {"name": "bank.xlsx", "base64": base64.b64encode(workbook()).decode()}
    report = api.post("check", given).json()
    assert report["documents"][0]["units"], report
    assert api.post("polish", {**given, "run_id": "sheet"}).status_code == 202
    assert [one.format for one in api.here.index.open("sheet").view.plan.documents] == ["xlsx"]
    for wrong in ({"base64": "abc"}, {"base64": "%%%%"}, {"content": "x", "base64": "YQ=="}, {}):
        assert api.post("check", {"name": "bank.xlsx", **wrong}).status_code == 422, wrong


def test_the_queue_of_all_runs(kept: ApiDesk) -> None:
    told = kept.json("queue")
    by_run = {unit["run"] for unit in told["units"]}
    assert {"rivers", "demo", "course", "book"} <= by_run
    assert told["total"] == len(told["units"]) == sum(run["waiting"] for run in kept.json("runs")["runs"])
    pages, after = [], 0
    while after is not None:
        page = kept.json("queue", after=after, limit=3)
        pages += page["units"]
        after = page["next"]
    assert pages == told["units"]
    assert {unit["kind"] for unit in kept.json("queue", kind="legos")["units"]} == {"legos"}
    assert {unit["run"] for unit in kept.json("queue", run="rivers")["units"]} == {"rivers"}
    assert kept.get("queue", run="none").status_code == 404
    assert kept.get("queue", cause="nonsense").status_code == 400, "every run has causes of its own"
    first = told["units"][0]
    assert kept.client.get(first["url"]).json()["unit"] == first["id"]


def test_a_unit_has_an_etag_and_a_decision_can_hold_to_it(api: ApiDesk) -> None:
    place = f"{API}/runs/rivers/units/river-01"
    seen = api.client.get(place)
    tag = seen.headers["etag"]
    assert api.client.get(place, headers={"If-None-Match": f'"other", {tag}'}).status_code == 304
    assert api.client.head(place).headers["etag"] == tag
    decide = {"verdict": "accept", "by": "Ada"}
    assert api.client.post(f"{place}/decision", json=decide, headers={"If-Match": '"older"'}).status_code == 412
    both = api.client.post(f"{place}/decision", json={**decide, "seen": "x"}, headers={"If-Match": tag})
    assert both.status_code == 400
    assert api.client.post(f"{place}/decision", json=decide, headers={"If-Match": tag}).status_code == 200
    late = api.client.post(f"{place}/decision", json={**decide, "by": "Grace"}, headers={"If-Match": tag})
    assert (late.status_code, late.json()["decision"]["by"]) == (412, "Ada")
    assert api.client.get(place, headers={"If-None-Match": tag}).status_code == 200


def test_if_match_holds_for_undo_too_and_follows_the_rfc(api: ApiDesk) -> None:
    place = f"{API}/runs/rivers/units/river-01"

    def decided(verdict: str, tag: str) -> int:
        order = {"verdict": verdict, "by": "Ada"}
        return int(api.client.post(f"{place}/decision", json=order, headers={"If-Match": tag}).status_code)

    before = api.client.get(place).headers["etag"]
    assert decided("accept", f"W/{before}") == 412, "a weak tag never matches"
    assert decided("accept", f'"x,y", {before}') == 200
    assert [decided("undo", tag) for tag in ('"nonsense"', before)] == [412, 412]
    assert decided("undo", api.client.get(place, params={"replies": True}).headers["etag"]) == 200
    assert decided("accept", before) == 412
    assert decided("accept", "*") == 200
    assert decided("undo", "*") == 200


def test_a_decision_in_the_inbox_is_undone_only_as_it_was_seen(api: ApiDesk) -> None:
    place = f"{API}/runs/rivers/units/river-01"
    with take_lock(RunFolder.at(api.here.runs, "rivers"), system_clock):
        accept = {"verdict": "accept", "by": "Ada"}
        assert api.client.post(f"{place}/decision", json=accept).status_code == 202
        seen = api.client.get(place).headers["etag"]
        assert api.client.post(f"{place}/decision", json={"verdict": "undo", "by": "Ada"}).status_code == 200
        gone = api.client.get(place, headers={"If-None-Match": seen})
        assert (gone.status_code, len(gone.json()["decisions"])) == (200, 1)
        assert api.client.post(f"{place}/decision", json={**accept, "by": "Ben"}).status_code == 202
        undo = {"verdict": "undo", "by": "Ada"}
        late = api.client.post(f"{place}/decision", json=undo, headers={"If-Match": seen})
        assert (late.status_code, late.json()["decision"]["by"]) == (412, "Ben")


def test_raw_replies_are_another_answer(api: ApiDesk) -> None:
    differ = 0
    for unit in api.json("runs/demo/units")["units"]:
        plain, whole = (api.client.get(unit["url"], params={"replies": replies}) for replies in (False, True))
        assert (plain.headers["etag"] == whole.headers["etag"]) == (plain.json() == whole.json())
        differ += plain.json() != whole.json()
    assert differ


def test_a_run_has_an_etag(api: ApiDesk) -> None:
    tag = api.get("runs/rivers").headers["etag"]
    unchanged = api.client.get(f"{API}/runs/rivers", headers={"If-None-Match": tag})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    api.post("runs/rivers/units/river-01/decision", {"verdict": "accept", "by": "Ada"})
    assert api.client.get(f"{API}/runs/rivers", headers={"If-None-Match": tag}).status_code == 200


@pytest.mark.parametrize("place", ["/health", f"{API}/runs", f"{API}/queue", "/runs", f"{API}/runs/demo/events"])
def test_head_is_get_without_a_body(kept: ApiDesk, place: str) -> None:
    answer = kept.client.head(place)
    assert (answer.status_code, answer.content) == (200, b"")
