"""People's decisions over the API: one wins, the other is told; runs go on from them."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from burnish.app import reviews
from burnish.core.errors import RunActive
from burnish.store import unit_queries
from burnish.store.lock import DECIDE
from burnish.store.processes import iso, system_clock
from burnish.store.sqlite_journal import own_run
from tests.api.api_desk import ApiDesk
from tests.api.test_content import until_it_rests

RIVER = "runs/rivers/units/river-00"
POSITIVE = '{"stem": "A barge leaves the mouth of the Danube for the open sea. Which of these towns is near it?"}'


WAITS = "needs_manual_review"


def decided(desk: ApiDesk, verdict: str, unit: str = "river-00", **more: Any) -> Any:
    return desk.post(f"runs/rivers/units/{unit}/decision", {"verdict": verdict, "by": "Ada", **more})


def test_a_unit_is_accepted_and_the_decision_taken_back(api: ApiDesk) -> None:
    before = api.json(RIVER)
    answer = decided(api, "accept", note="It is fine.", seen=before["at"])
    assert answer.status_code == 200
    told = answer.json()
    assert (told["state"], told["by"], told["note"], told["in_effect"]) == ("validated", "Ada", "It is fine.", True)
    assert api.json(RIVER)["decisions"][0]["by"] == "Ada"
    undone = decided(api, "undo")
    assert (undone.status_code, undone.json()["verdict"]) == (200, "undo")
    after = api.json(RIVER)
    assert (after["state"], after["reason"]) == (before["state"], before["reason"])
    assert after["decisions"][0]["undone_by"] == "Ada"


def test_a_unit_is_accepted_with_another_text(api: ApiDesk) -> None:
    answer = decided(api, "edit", text=POSITIVE)
    assert (answer.status_code, answer.json()["state"], answer.json()["errors"]) == (200, "validated", [])
    assert "Which of these towns is near it?" in api.json(RIVER)["draft"]


def test_a_text_that_still_breaks_rules_is_kept_and_the_unit_waits_on(api: ApiDesk) -> None:
    answer = decided(api, "edit", text='{"stem": "Which of the following towns is NOT near the Danube?"}')
    assert answer.status_code == 200
    told = answer.json()
    assert (told["state"], told["reason"]) == ("needs_manual_review", "edit_has_errors")
    assert [error["rule"] for error in told["errors"]] == ["nbme_negation_detection"]


def test_who_is_slower_is_told_what_was_decided(api: ApiDesk) -> None:
    seen = api.json(RIVER)["at"]
    assert decided(api, "accept", seen=seen).status_code == 200
    late = decided(api, "edit", text=POSITIVE, seen=seen, by="Grace")
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert (late.json()["decision"]["by"], late.json()["decision"]["verdict"]) == ("Ada", "accept")
    assert "Which of these towns is near it?" not in api.json(RIVER)["draft"]


def test_of_many_who_decide_at_once_one_wins(api: ApiDesk) -> None:
    seen = api.json(RIVER)["at"]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda at: decided(api, "accept", by=f"P{at}", seen=seen), range(8)))
    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 7
    [winner] = [answer.json()["by"] for answer in answers if answer.status_code == 200]
    assert {answer.json()["decision"]["by"] for answer in answers if answer.status_code == 409} == {winner}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"verdict": "reject"}, 400),
        ({"verdict": "edit"}, 400),
        ({"verdict": "accept", "text": "x"}, 400),
        ({"verdict": "undo"}, 400),
        ({"verdict": "undo", "note": "x"}, 400),
        ({"verdict": "edit", "text": "no JSON"}, 422),
        ({"verdict": "accept", "seen": "2020-01-01T00:00:00Z"}, 409),
        ({"verdict": "delete"}, 422),
        ({"verdict": "accept", "by": " "}, 422),
        ({"verdict": "accept", "by": "A\nB"}, 422),
        ({"verdict": "accept", "by": None}, 400),
        ({"verdict": "accept", "run": "demo"}, 422),
    ],
)
def test_decisions_that_make_no_sense_change_nothing(kept: ApiDesk, body: dict[str, Any], status: int) -> None:
    answer = kept.post("runs/rivers/units/river-00/decision", {"by": "Ada", **body})
    assert answer.status_code == status, answer.text
    assert kept.json(RIVER)["decisions"] == []


def test_a_run_at_work_takes_the_decision_in_when_it_rests(api: ApiDesk) -> None:
    with own_run(api.run("rivers"), system_clock):
        answer = decided(api, "accept")
        assert (answer.status_code, answer.json()["in_effect"]) == (202, False)
        many = api.post(
            "runs/rivers/decisions", {"verdict": "accept", "by": "Ada", "units": ["river-01"], "expected": 1}
        )
        assert (many.json()["decided"], many.json()["in_effect"]) == (["river-01"], False)
        out = decided(api, "undo", unit="river-01")
        assert (out.status_code, out.json()["verdict"]) == (200, "undo")
    api.here.reviews.apply_pending("rivers")
    assert api.json(RIVER)["state"] == "validated"
    assert api.json("runs/rivers/units/river-01")["state"] == "needs_manual_review"


def test_what_is_saved_need_not_wait_for_thirty_seconds(api: ApiDesk) -> None:
    def waits() -> dict[str, bool]:
        return {one.unit: one.due > one.at for one in api.here.reviews.pending("rivers")}

    with own_run(api.run("rivers"), system_clock):
        assert decided(api, "accept", now=True).status_code == 202
        for number in (1, 2):
            decided(api, "accept", unit=f"river-0{number}")
        assert waits() == {"river-00": False, "river-01": True, "river-02": True}
        one = api.post("runs/rivers/decisions/apply", {"unit": "river-01"})
        assert (one.status_code, one.json()) == (200, {"run": "rivers", "decisions": 1})
        late = [one for one in api.here.reviews.pending("rivers") if one.due > iso(system_clock())]
        assert [one.unit for one in late] == ["river-02"]
        assert api.post("runs/rivers/decisions/apply", {}).json()["decisions"] == 3
        assert not [one for one in api.here.reviews.pending("rivers") if one.due > iso(system_clock())]
    assert api.post("runs/none/decisions/apply", {}).status_code == 404


def test_an_undo_for_the_process_at_work_is_accepted_not_done(api: ApiDesk) -> None:
    assert decided(api, "accept").status_code == 200
    with own_run(api.run("rivers"), system_clock):
        answer = decided(api, "undo")
        assert (answer.status_code, answer.json()["in_effect"]) == (202, False)


def test_an_undo_that_names_its_decision_takes_back_no_other(api: ApiDesk) -> None:
    adas = decided(api, "accept").json()
    assert decided(api, "undo", by="Grace", seen=adas["at"]).status_code == 200
    graces = decided(api, "accept", by="Grace", note="Mine.").json()
    late = decided(api, "undo", seen=adas["at"])
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert (late.json()["decision"]["by"], late.json()["decision"]["at"]) == ("Grace", graces["at"])
    assert api.json(RIVER)["state"] == "validated"
    assert decided(api, "undo", seen=graces["at"]).status_code == 200


def test_while_others_decide_it_is_saved_whoever_applies_it(api: ApiDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "PATIENCE_SECONDS", 0.05)
    assert decided(api, "accept").status_code == 200
    with own_run(api.run("rivers"), system_clock, purpose=DECIDE):
        assert decided(api, "undo").status_code == 202
        assert decided(api, "accept", unit="river-01").status_code == 202
    api.here.reviews.apply_pending("rivers")
    assert (api.json(RIVER)["state"], api.json("runs/rivers/units/river-01")["state"]) == (WAITS, "validated")


def together(api: ApiDesk, *decisions: dict[str, Any], **more: Any) -> Any:
    return api.post("runs/rivers/decisions/together", {"by": "Ada", "decisions": list(decisions), **more})


def test_several_units_all_or_none(api: ApiDesk) -> None:
    seen = {unit: api.json(f"runs/rivers/units/{unit}")["at"] for unit in ("river-00", "river-01")}
    accepted = [{"unit": unit, "verdict": "accept", "seen": at} for unit, at in seen.items()]
    assert decided(api, "accept", unit="river-01", by="Grace").status_code == 200
    refused = together(api, *accepted)
    assert (refused.status_code, refused.json()["code"]) == (409, "already_decided")
    assert (refused.json()["decision"]["by"], refused.json()["decision"]["unit"]) == ("Grace", "river-01")
    assert api.json(RIVER)["decisions"] == [], "nothing was done"
    drop = {"unit": "river-02", "verdict": "drop", "note": "No use."}
    done = together(api, accepted[0], drop)
    assert done.status_code == 200
    assert [(one["unit"], one["state"]) for one in done.json()["decisions"]] == [
        ("river-00", "validated"),
        ("river-02", "dropped"),
    ]
    back = together(
        api, *({"unit": one["unit"], "verdict": "undo", "seen": one["at"]} for one in done.json()["decisions"])
    )
    assert [one["state"] for one in back.json()["decisions"]] == [WAITS, WAITS]


def test_what_is_dropped_with_a_near_duplicate_is_one(api: ApiDesk) -> None:
    drop = {"unit": "river-02", "verdict": "drop", "note": "No use.", "beside": {"river-99": None}}
    refused = together(api, drop)
    assert refused.status_code == 400 and "river-99 is no near-duplicate of river-02" in refused.json()["detail"]
    assert together(api).status_code == 422


def test_named_units_may_be_named_as_they_were_seen(api: ApiDesk) -> None:
    seen = {unit: api.json(f"runs/rivers/units/{unit}")["at"] for unit in ("river-00", "river-01")}
    decided(api, "accept")
    decided(api, "undo")
    order = {"verdict": "accept", "by": "Grace", "units": list(seen), "seen": seen, "expected": 2}
    told = api.post("runs/rivers/decisions", order).json()
    assert told["decided"] == ["river-01"] and "Ada undid" in told["passed_over"][0]["why"]


def test_pages_have_threads_however_many_decisions_wait(api: ApiDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as there are threads for everything else, and some more: none of them is done before a page came."""
    asked, came, in_vain = threading.Semaphore(0), threading.Event(), list[object]()

    def waiting(*_: object, **__: object) -> None:
        asked.release()
        if not came.wait(20):
            in_vain.append(asked)
        raise RunActive("The run rivers is working.")

    monkeypatch.setattr(api.here.reviews, "record", waiting)
    with ThreadPoolExecutor(45) as pool:
        decisions = [pool.submit(decided, api, "accept") for _ in range(45)]
        assert asked.acquire(timeout=30)
        assert api.json("runs/rivers")["waiting"] == 9
        came.set()
        statuses = [decision.result().status_code for decision in decisions]
    assert not in_vain and statuses.count(409) > 40


# -- many


def test_a_digest_says_which_units_are_meant(api: ApiDesk) -> None:
    listed = api.json("runs/rivers/units", waiting=True, digest=True)
    order = {"verdict": "accept", "by": "Ada", "where": {}, "expected": listed["total"], "digest": listed["digest"]}
    decided(api, "accept", by="Grace")
    decided(api, "undo", by="Grace")
    late = api.post("runs/rivers/decisions", order)
    assert (late.status_code, late.json()["code"], late.json()["expected"]) == (409, "other_units", 9)
    assert late.json()["units"] == [f"river-0{number}" for number in range(9)]
    assert api.json("runs/rivers")["waiting"] == 9
    again = api.post("runs/rivers/decisions", {**order, "digest": late.json()["digest"]})
    assert len(again.json()["decided"]) == 9
    assert api.json("runs/rivers/units")["digest"] is None


def test_many_units_are_accepted_by_name_or_by_filter(api: ApiDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unit_queries, "PORTION", 3)  # so that there is more than one
    named = {"verdict": "accept", "by": "Ada", "units": ["river-00", "river-01", "river-00", "river-99"], "expected": 3}
    told = api.post("runs/rivers/decisions", named).json()
    assert told["decided"] == ["river-00", "river-01"]
    assert [one["unit"] for one in told["passed_over"]] == ["river-99"]
    cause = api.json("runs/rivers")["causes"][0]["cause"]
    rest = {"verdict": "accept", "by": "Ada", "where": {"cause": cause}, "expected": 7}
    assert api.post("runs/rivers/decisions", rest).json()["decided"] == [f"river-0{number}" for number in range(2, 9)]
    assert api.json("runs/rivers")["waiting"] == 0
    assert api.json("runs/rivers")["resumes_in"] > 0
    assert decided(api, "undo").status_code == 200
    assert api.json("runs/rivers")["resumes_in"] is None


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"where": {}, "expected": 5}, 409),
        ({"units": ["river-00"], "expected": 2}, 409),
        ({"units": ["river-00"], "where": {}, "expected": 1}, 422),
        ({"expected": 1}, 422),
        ({"units": ["river-00"]}, 422),
        ({"units": ["river-00"], "expected": 1, "digest": "x"}, 422),
        ({"units": ["river-00"], "expected": 1, "verdict": "reject"}, 422),
        ({"where": {"state": "validated"}, "expected": 1}, 422),
    ],
)
def test_another_number_than_expected_changes_nothing(kept: ApiDesk, body: dict[str, Any], status: int) -> None:
    answer = kept.post("runs/rivers/decisions", {"verdict": "accept", "by": "Ada", **body})
    assert answer.status_code == status, answer.text
    assert kept.json("runs/rivers")["waiting"] == 9


# -- going on


def test_a_run_goes_on_and_is_published(api: ApiDesk) -> None:
    api.post("runs/rivers/decisions", {"verdict": "accept", "by": "Ada", "where": {}, "expected": 9})
    answer = api.post("runs/rivers/continue")
    assert (answer.status_code, answer.headers["location"]) == (202, "/api/v1/runs/rivers")
    again = api.post("runs/rivers/continue")
    assert (again.status_code, again.json()["code"]) == (409, "run_active")
    assert until_it_rests(api, "rivers")["state"] == "published"
    late = decided(api, "undo")
    assert (late.status_code, late.json()["code"]) == (409, "too_late")
    published = [file for file in api.json("runs/rivers/exports")["exports"] if file["sort"] == "published"]
    assert [file["name"] for file in published] == ["out/rivers.json"]
    assert api.client.get(published[0]["url"]).json()[0]["id"] == "river-00"


def test_who_approves_is_recorded(api: ApiDesk) -> None:
    waiting = api.json("runs/book/units", waiting=True)["units"]
    assert len(waiting) == 1
    for unit in waiting:
        assert api.post(f"runs/book/units/{unit['id']}/decision", {"verdict": "accept", "by": "Ada"}).status_code == 200
    assert api.post("runs/book/approve", {"by": " "}).status_code == 422
    assert api.post("runs/book/approve", {"by": "Ada Lovelace"}).status_code == 202
    assert until_it_rests(api, "book")["state"] == "published"
    told = api.json("runs/book/events", limit=500)["events"]
    assert [event["data"]["by"] for event in told if event["type"] == "approved"] == ["Ada Lovelace"]


def test_nobody_continues_a_run_that_is_not_there(kept: ApiDesk) -> None:
    assert kept.post("runs/none/continue").status_code == 404
    assert kept.post("runs/none/approve", {"by": "Ada"}).status_code == 404
    assert (
        kept.post("runs/none/decisions", {"verdict": "accept", "by": "A", "where": {}, "expected": 1}).status_code
        == 404
    )
    assert kept.post("runs/none/units/q1/decision", {"verdict": "accept", "by": "A"}).status_code == 404
    assert kept.post("runs/rivers/units/none/decision", {"verdict": "accept", "by": "A"}).status_code == 404
