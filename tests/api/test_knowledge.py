"""Rules, schemas and precision over the API."""

import pytest

from burnish.app.kinds import contracts, schema_of
from burnish.app.rulebook import rule_named, rules
from tests.api.api_desk import ApiDesk


def test_every_rule_is_listed(kept: ApiDesk) -> None:
    listed = kept.json("rules")["rules"]
    assert [rule["id"] for rule in listed] == [rule.id for rule in rules(examples=False)]
    of_lessons = kept.json("rules", kind="lessons", severity="error")["rules"]
    assert {(rule["kind"], rule["severity"]) for rule in of_lessons} == {("lessons", "error")}
    assert kept.client.get(listed[0]["url"]).json()["id"] == listed[0]["id"]


def test_a_rule_is_explained_with_its_examples(kept: ApiDesk) -> None:
    told = kept.json("rules/nbme_negation_detection")
    assert told == rule_named("nbme_negation_detection").as_wire()
    assert told["bad"][0]["message"] and told["why_it_matters"]


def test_every_schema_is_listed_and_served(kept: ApiDesk) -> None:
    listed = kept.json("schema")["schemas"]
    assert {entry["name"]: entry["what"] for entry in listed} == contracts()
    assert kept.json("schema/check_report") == schema_of("check_report")
    assert kept.json("schema/RefinementPlanDisplay")["title"] == "RefinementPlanDisplay"


@pytest.mark.parametrize("path", ["rules/nbme_negation", "schema/check_reports"])
def test_a_name_that_is_nearly_right_gets_a_hint(kept: ApiDesk, path: str) -> None:
    answer = kept.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert answer.json()["hint"].startswith("Did you mean")


def test_precision_counts_what_people_decided(api: ApiDesk) -> None:
    assert api.json("precision") == {"precision": []} or all(line["of"] for line in api.json("precision")["precision"])
    for at, verdict in enumerate(("accept", "edit", "accept")):
        stem = "A barge leaves the mouth of the Elbe for the open sea. Which of these towns is near it?"
        text = {"text": f'{{"stem": "{stem}"}}'} if verdict == "edit" else {}
        body = {"verdict": verdict, "by": "Ada", **text}
        assert api.post(f"runs/rivers/units/river-0{at}/decision", body).status_code == 200
    [line] = [one for one in api.json("precision")["precision"] if one["who"] == "nbme_negation_detection"]
    assert (line["right"], line["of"], line["kind"]) == (1, 3, "questions")
    assert 0 <= line["low"] < line["share"] < line["high"] <= 1
