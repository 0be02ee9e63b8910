"""Dismissals over the API: a claim, and a rule in a run; both are undone."""

from typing import Any

import pytest

from burnish.api.access import needed_role
from tests.api.api_desk import ApiDesk

RIVER = "runs/rivers/units/river-00"
NEGATION = "nbme_negation_detection"


def dismissed(desk: ApiDesk, *claims: str, by: str = "Ada", **more: Any) -> Any:
    return desk.post(f"{RIVER}/dismissals", {"claims": list(claims), "by": by, **more})


def waiting(desk: ApiDesk) -> set[str]:
    return {one["id"] for one in desk.json("runs/rivers/units")["units"] if one["state"] == "needs_manual_review"}


def test_a_claim_is_dismissed_by_the_id_that_its_finding_has_and_taken_back(api: ApiDesk) -> None:
    before = api.json(RIVER)
    [found] = [one for one in before["attempts"][-1]["findings"] if one["rule"] == NEGATION]
    assert found["standing"] == "trusted"
    answer = dismissed(api, found["claim"], note="The exception is the point.", seen=before["at"])
    assert answer.status_code == 200
    told = answer.json()
    assert (told["verdict"], told["state"], told["reason"]) == ("dismiss", "validated", "claims dismissed by Ada")
    [decision] = api.json(RIVER)["decisions"]
    assert [one["rule"] for one in decision["dismissals"]] == [NEGATION]
    undone = api.post(f"{RIVER}/decision", {"verdict": "undo", "by": "Ada"})
    assert undone.status_code == 200
    after = api.json(RIVER)
    assert (after["state"], after["reason"]) == (before["state"], before["reason"])


def test_who_is_slower_is_told_who_was_faster(api: ApiDesk) -> None:
    seen = api.json(RIVER)["at"]
    assert dismissed(api, NEGATION, seen=seen).status_code == 200
    late = dismissed(api, NEGATION, seen=seen, by="Grace")
    assert (late.status_code, late.json()["code"]) == (409, "already_decided")
    assert (late.json()["decision"]["by"], late.json()["decision"]["verdict"]) == ("Ada", "dismiss")


def test_a_rule_is_dismissed_in_the_run_and_counts_again(api: ApiDesk) -> None:
    before = waiting(api)
    answer = api.post("runs/rivers/dismissals", {"rule": NEGATION, "by": "Ada"})
    assert answer.status_code == 200
    decided = set(answer.json()["decided"])
    assert decided and answer.json()["passed_over"] == []
    assert waiting(api) < before
    undone = api.post("runs/rivers/dismissals/undo", {"rule": NEGATION, "by": "Ada"})
    assert (undone.status_code, undone.json()) == (200, {"run": "rivers", "rule": NEGATION, "units": len(decided)})
    assert waiting(api) == before
    again = api.post("runs/rivers/dismissals/undo", {"rule": NEGATION, "by": "Ada"})
    assert again.status_code == 400


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        (f"{RIVER}/dismissals", {"claims": [], "by": "Ada"}, 422),
        (f"{RIVER}/dismissals", {"claims": ["00000000"], "by": "Ada"}, 400),
        (f"{RIVER}/dismissals", {"claims": [NEGATION]}, 400),
        ("runs/rivers/units/nobody/dismissals", {"claims": [NEGATION], "by": "Ada"}, 404),
        ("runs/rivers/dismissals", {"rule": "no_rule", "by": "Ada"}, 404),
        ("runs/rivers/dismissals", {"rule": "nbme_true_false", "by": "Ada"}, 400),
        ("runs/nowhere/dismissals", {"rule": NEGATION, "by": "Ada"}, 404),
    ],
)
def test_what_cannot_be_dismissed_is_refused(api: ApiDesk, path: str, body: dict[str, Any], status: int) -> None:
    before = api.json(RIVER)["at"]
    assert api.post(path, body).status_code == status
    assert api.json(RIVER)["at"] == before


def test_who_decides_may_dismiss() -> None:
    for path in ("/api/v1/runs/r/dismissals", "/api/v1/runs/r/dismissals/undo", "/api/v1/runs/r/units/a/b/dismissals"):
        assert needed_role("POST", path) == "decide"
    assert needed_role("POST", "/queue/dismiss") == "decide"
