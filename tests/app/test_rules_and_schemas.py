"""`burnish rules` and `burnish schema`."""

from __future__ import annotations

import json

import pytest

from burnish.app.kinds import contracts, known_kinds, schema_of
from burnish.cli.main import main
from burnish.kinds.legos.policy import RULES as OF_LEGOS

CONCERNS = [rule.id for rule in OF_LEGOS]
RULES = [check.id for kind in known_kinds().values() for check in kind.checks]


def test_all_rules_are_listed_with_severity_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    out = capsys.readouterr().out
    for kind in known_kinds().values():
        for check in kind.checks:
            line = next(line for line in out.splitlines() if f" {check.id} " in line)
            assert line.startswith(check.severity) and check.summary[:20] in line
    assert "potential_duplicate" in out
    for kind in known_kinds().values():
        number = len(kind.checks) + len(kind.document_rules)
        assert f"{kind.name.capitalize()}  {number} rules\n" in out


OF_BANKS = ("potential_duplicate", "ext_contradicting_keys", "key_doubtful", "options_equal")
"""Rules of questions that are no checks of one question."""


@pytest.mark.parametrize("rule", [*CONCERNS, *RULES, *OF_BANKS])
def test_each_rule_is_explained(rule: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", rule]) == 0
    out = capsys.readouterr().out
    assert f"({rule})  " in out.splitlines()[0]
    for heading in ("What it looks for", "Why it matters", "Fix"):
        assert f"\n{heading}\n" in out
    assert rule not in RULES or ("Reported" in out and "Not reported" in out)
    assert ("To ignore it" in out) == (rule not in CONCERNS)


def test_rules_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--json"]) == 0
    listed = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [rule["id"] for rule in listed] == [*CONCERNS, *RULES, *OF_BANKS]
    assert all(
        rule["title"] and rule["why_it_matters"] and rule["what_it_looks_for"] and rule["fix"] for rule in listed
    )
    assert main(["rules", "nbme_absolute_terms", "--json"]) == 0
    rule = json.loads(capsys.readouterr().out)
    assert rule["profiles"] == {"strict": "error"}
    assert rule["bad"][0]["message"] and rule["good"][0]["message"] is None


def test_an_unknown_rule_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "negation_detection"]) == 2
    assert "Did you mean `nbme_negation_detection`?" in capsys.readouterr().err
    assert main(["rules", "zzz", "--json"]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["hint"]


def test_contracts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines()] == list(contracts())


@pytest.mark.parametrize("name", contracts())
def test_every_contract_has_a_schema(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", name]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == schema_of(name)
    assert printed["$schema"].startswith("https://json-schema.org/") and printed["type"] == "object"


def test_an_unknown_contract_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "questions"]) == 2
    assert "Did you mean `question`?" in capsys.readouterr().err
    assert main(["schema", "zzzz"]) == 2
    assert "lists them all" in capsys.readouterr().err
