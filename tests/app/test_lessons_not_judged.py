"""What nobody judged in a lesson: it has no score, it waits unless the user accepts rules alone, and reports say so."""

from __future__ import annotations

import json

import pytest

from burnish.kinds.lessons.policy import NO_SOURCE, ONLY_JUDGES, unjudged
from tests.app.desk import Desk
from tests.golden.prove.reports import SAMPLES

LESSON = """# Water

## Where it comes from

Water moves around the earth in a circle. It rises from the sea, forms clouds and falls as rain again.

## Where it goes

Rivers carry most of the water back to the sea. Some of it sinks into the ground and stays there.
"""


@pytest.fixture
def water(desk: Desk) -> Desk:
    (desk.home / "water.md").write_text(LESSON, encoding="utf-8")
    return desk


def test_without_judges_it_waits_and_says_what_nobody_judged(water: Desk) -> None:
    said = water("polish", "water.md", "--run-id", "w")
    assert said.code == 3
    assert "No model judges the lesson" in said.err and "--rules-only" in said.err
    assert "not judged" in said.out and "no source material" in said.out
    receipt = json.loads((water.home / "runs/w/receipt.json").read_text(encoding="utf-8"))
    assert {one["dimension"] for one in receipt["not_judged"]} == set(unjudged(with_judges=False, with_sources=False))
    assert all(one["units"] == 2 for one in receipt["not_judged"])


def test_a_user_may_accept_rules_alone_and_the_receipt_says_so(water: Desk) -> None:
    said = water("polish", "water.md", "--run-id", "w", "--rules-only")
    assert said.code == 0, said.out + said.err
    assert "is accepted (--rules-only)" in said.err and "on rules alone" in said.out
    receipt = json.loads((water.home / "runs/w/receipt.json").read_text(encoding="utf-8"))
    assert receipt["rules_only"] is True and receipt["not_judged"]


def test_a_setting_accepts_it_as_well(water: Desk) -> None:
    (water.home / "burnish.toml").write_text("[models]\nrules_only = true\n")
    assert water("polish", "water.md").code == 0


def test_rules_alone_accept_no_error(water: Desk) -> None:
    (water.home / "water.md").write_text(LESSON + "\n[Insert an example here]\n", encoding="utf-8")
    assert water("polish", "water.md", "--rules-only").code in (1, 3)


def test_questions_are_accepted_by_rules_alone_only_on_demand(desk: Desk) -> None:
    said = desk("polish", str(SAMPLES / "biology.json"), "--run-id", "waits")
    assert said.code == 3 and "What has no error waits for a person." in said.err
    accepted, waiting = (
        desk("status", "waits", "--json").json["states"].get(state, 0) for state in ("validated", "needs_manual_review")
    )
    said = desk("polish", str(SAMPLES / "biology.json"), "--run-id", "rules", "--rules-only")
    assert "What has no error is accepted (--rules-only)" in said.err
    by_rules = desk("status", "rules", "--json").json["states"]
    assert accepted == 0 and by_rules["validated"] > 0
    assert by_rules["validated"] + by_rules["needs_manual_review"] == waiting
    receipt = json.loads((desk.run("rules").root / "receipt.json").read_text(encoding="utf-8"))
    assert receipt["rules_only"] is True


def test_a_check_says_it_too(water: Desk) -> None:
    said = water("check", "water.md", "--format", "json")
    told = {one["dimension"]: one["why"] for one in said.json["summary"]["not_judged"]}
    assert told["factual_accuracy"] == NO_SOURCE and told["completeness"] == ONLY_JUDGES


def test_with_judges_only_facts_without_a_source_are_left() -> None:
    assert unjudged(with_judges=True, with_sources=False) == {"factual_accuracy": NO_SOURCE}
    assert unjudged(with_judges=True, with_sources=True) == {}
