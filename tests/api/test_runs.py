"""Runs over the API: what there is, how it stands, and everything that happened."""

import time
from pathlib import Path
from urllib.parse import quote

import pytest

from burnish.api.runs import LARGEST, resumed
from burnish.app.runs import unit_record, view
from burnish.core.json_bytes import dumps, loads
from tests.api.api_desk import API, ApiDesk


def test_every_run_is_listed_the_latest_first(kept: ApiDesk) -> None:
    told = kept.json("runs")
    assert [run["id"] for run in told["runs"]] == ["rivers", "course", "book", "lesson", "demo"]
    assert (told["total"], told["next"], told["unreadable"]) == (5, None, [])
    assert {run["kind"] for run in told["runs"]} == {"questions", "lessons", "manuscripts", "legos"}


def test_the_list_is_filtered_and_paged(kept: ApiDesk) -> None:
    first = kept.json("runs", kind="questions", limit=1)
    assert ([run["id"] for run in first["runs"]], first["total"], first["next"]) == (["rivers"], 2, 1)
    assert [run["id"] for run in kept.json("runs", kind="questions", after=1)["runs"]] == ["demo"]
    assert [run["id"] for run in kept.json("runs", find="BIOLOGY")["runs"]] == ["demo"]
    waiting = kept.json("runs", state=["waiting_for_people", "published"])["runs"]
    assert {run["id"] for run in waiting} >= {"rivers", "demo"}
    assert kept.get("runs", state="asleep").status_code == 422


def test_a_run_that_cannot_be_read_is_named(api: ApiDesk) -> None:
    api.run("rivers").journal.write_bytes(b"no database at all, whatever its name says")
    told = api.json("runs")
    assert [run["id"] for run in told["unreadable"]] == ["rivers"]
    assert "rivers" not in [run["id"] for run in told["runs"]]


def test_a_run_is_told_closely(kept: ApiDesk) -> None:
    run = kept.json("runs/demo")
    assert (run["state"], run["waiting"], run["ready"], run["requested"]) == ("waiting_for_people", 2, 10, 12)
    assert sum(cause["count"] for cause in run["causes"]) == 2
    assert sum(rule["open"] for rule in run["findings"]) > 0
    assert run["scores"][0]["count"] == 12
    assert run["totals"]["total_tokens"] == kept.json("runs")["runs"][-1]["totals"]["total_tokens"] > 0
    assert (run["trouble"], run["resumes_in"]) == (None, None)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("runs/none", 404),
        ("runs/none/units", 404),
        ("runs/none/units/q1", 404),
        ("runs/none/exports", 404),
        ("runs/none/refinement", 404),
        ("runs/none/events", 404),
        ("runs/none/events", 404),
        ("runs/rivers/units/none", 404),
        ("runs/rivers/exports/journal.sqlite", 404),
        ("runs/rivers/refinement", 404),
        ("nothing", 404),
        ("runs/%20", 422),
        ("runs/rivers/units?limit=0", 422),
        ("runs/rivers/units?limit=501", 422),
        ("runs/rivers/units?severity=bad", 422),
        ("runs/rivers/units?after=1.1&before=2.2", 400),
        ("runs/rivers/units?after=nowhere", 422),
        ("runs/rivers/units?after=9999999999999999999.0", 422),
        ("runs/rivers/events?after=-1", 422),
        ("runs/rivers/events?after=99999999999999999999", 422),
    ],
)
def test_what_is_not_there_is_told_as_a_problem(kept: ApiDesk, path: str, status: int) -> None:
    answer = kept.get(path) if "?" not in path else kept.client.get(f"{API}/{path}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    told = answer.json()
    assert (told["status"], told["type"], told["instance"]) == (
        status,
        "about:blank",
        f"{API}/{path.partition('?')[0]}".replace("%20", " "),
    )


# -- units


def test_units_are_paged_forwards_and_backwards(kept: ApiDesk) -> None:
    seen, page = [], kept.json("runs/rivers/units", limit=5)
    while True:
        seen += [unit["id"] for unit in page["units"]]
        if page["next"] is None:
            break
        page = kept.json("runs/rivers/units", limit=5, after=page["next"])
    assert seen == [f"river-0{number}" for number in range(9)]
    assert page["total"] == 9
    back = kept.json("runs/rivers/units", limit=5, before=page["previous"])
    assert [unit["id"] for unit in back["units"]] == seen[:5]


def test_units_are_filtered(kept: ApiDesk) -> None:
    def found(**query: object) -> list[str]:
        return [unit["id"] for unit in kept.json("runs/demo/units", **query)["units"]]

    waiting = found(state="needs_manual_review")
    assert len(waiting) == 2
    cause = kept.json("runs/demo")["causes"][0]["cause"]
    assert set(found(cause=cause)) <= set(waiting)
    assert found(text="BIO-001") == ["bio-001"]
    assert found(document="none.json") == []
    assert set(waiting) <= set(found(open=True))
    assert 0 < len(found(repaired=True)) < 12
    rule = kept.json("runs/demo/units", state="needs_manual_review")["units"][0]["rules"][0]
    assert waiting[0] in found(rule=rule)
    assert found(severity="error") and not set(found(severity="error")) & set(found(severity="info"))


@pytest.mark.parametrize(
    ("run", "unit"), [("demo", "bio-002"), ("lesson", "gas"), ("book", "p_0013"), ("course", "C0001")]
)
def test_a_unit_is_told_as_show_tells_it(kept: ApiDesk, kept_runs: Path, run: str, unit: str) -> None:
    with view(kept_runs, run) as opened:
        expected = unit_record(opened, opened.story(unit), replies=True)
    assert kept.json(f"runs/{run}/units/{unit}", replies=True) == loads(dumps(expected))
    briefly = kept.json(f"runs/{run}/units/{unit}")
    assert all("replies" not in attempt for attempt in briefly["attempts"])
    assert briefly["draft"]


def test_the_address_of_a_unit_is_told_whatever_its_id(kept: ApiDesk) -> None:
    unit = kept.json("runs/book/units", limit=1)["units"][0]
    assert kept.client.get(unit["url"]).json()["unit"] == unit["id"]
    odd = quote("a b/../c?d#é", safe="")
    assert kept.get(f"runs/rivers/units/{odd}").json()["detail"].startswith("The run rivers has no unit 'a b/../c?d#é'")


# -- events


def test_events_are_paged(kept: ApiDesk) -> None:
    first = kept.json("runs/rivers/events", limit=2)
    assert [event["seq"] for event in first["events"]] == [1, 2]
    assert first["events"][0]["type"] == "run_started"
    assert (first["last"], first["next"]) == (2, 2)
    rest = kept.json("runs/rivers/events", after=2, limit=500)
    assert (rest["events"][0]["seq"], rest["next"]) == (3, None)
    assert rest["last"] == kept.json("runs/rivers")["event"]
    assert kept.json("runs/rivers/events", after=rest["last"]) == {
        "events": [],
        "last": rest["last"],
        "next": None,
    }


@pytest.mark.parametrize(("after", "seen", "first"), [(3, None, 4), (0, "5", 6)])
def test_events_are_streamed_from_any_number(api: ApiDesk, after: int, seen: str | None, first: int) -> None:
    last = api.json("runs/rivers")["event"]
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": seen} if seen is not None else {})}
    answer = api.client.get(f"{API}/runs/rivers/events", params={"after": after}, headers=headers)
    assert answer.headers["content-type"].startswith("text/event-stream")
    numbers = [int(line.removeprefix("id: ")) for line in answer.text.splitlines() if line.startswith("id: ")]
    assert numbers == list(range(first, last + 1))
    end = f'event: end\ndata: {{"state":"waiting_for_people","last":{last}}}\n\n'
    assert answer.text.endswith(end), "the run is at rest, and so the stream ends"


@pytest.mark.parametrize(
    ("seen", "after", "from_"),
    [(None, 3, 3), ("5", 7, 7), ("5", 0, 5), ("x", 2, 2), ("٣", 2, 2), ("9" * 99, 0, LARGEST)],
)
def test_a_stream_goes_on_where_it_was_broken_off(seen: str | None, after: int, from_: int) -> None:
    assert resumed(seen, after) == from_


# -- refinement


def test_lessons_are_shown_in_the_types_of_their_contract(kept: ApiDesk) -> None:
    told = kept.json("runs/lesson/refinement")
    [lesson] = told["documents"]
    plan = lesson["refinement"]["refinementPlan"]
    assert (lesson["document"], plan["status"], plan["agreementLevel"]) == ("bread.json", "COMPLETED", "high")
    assert plan["iterations"][0]["tasks"][0]["actionType"] == "SURGICAL_EDIT"
    assert lesson["refinement"]["canEscalate"] is True
    assert [vote["votingMethod"] for vote in lesson["votes"]] == ["unanimous", "unanimous"]
    assert {verdict["role"] for verdict in lesson["votes"][0]["verdicts"]} == {"primary", "secondary"}


def test_a_run_is_stopped_and_deleted(api: ApiDesk) -> None:
    order = {"name": "b.json", "content": [{"id": "q1", "stem": "Why?", "options": ["a", "b"], "answer": 0}]}
    assert api.post("polish", {**order, "run_id": "gone"}).status_code == 202
    for _ in range(300):
        if not api.here.jobs.is_at_work("gone") and api.json("runs/gone")["state"] != "working":
            break
        time.sleep(0.1)
    assert api.post("runs/gone/stop", {}).status_code == 400
    assert api.client.delete(f"{API}/runs/gone").status_code == 204
    assert not api.run("gone").root.exists()
    assert api.client.delete(f"{API}/runs/gone").status_code == 404
