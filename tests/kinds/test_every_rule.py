"""Every rule of every kind: documented in the same manner, in a file of its own name."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from burnish.app.kinds import known_kinds
from burnish.core.checks import HEADINGS, Check, run_checks, select
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.presentation import DocumentRule

EXAMPLES = [
    pytest.param(kind, check, example, quality == "bad", id=f"{kind.name}-{check.id}-{quality}-{number}")
    for kind in known_kinds().values()
    for check in kind.checks
    for quality in ("bad", "good")
    for number, example in enumerate(getattr(check, quality))
]
CHECKS = [pytest.param(check, id=f"{kind.name}-{check.id}") for kind in known_kinds().values() for check in kind.checks]

RULES = [
    pytest.param(rule, id=f"{kind.name}-{rule.id}")
    for kind in known_kinds().values()
    for rule in (*kind.checks, *kind.document_rules)
]


@pytest.mark.parametrize("check", CHECKS)
def test_documented(check: Check) -> None:
    assert check.doc.startswith(f"{check.id}: ") and check.summary.endswith(".")
    assert all(check.section(heading) for heading in HEADINGS)
    assert len(check.bad) >= 2 and len(check.good) >= 2


@pytest.mark.parametrize(("kind", "check", "example", "is_bad"), EXAMPLES)
def test_speaks_on_its_bad_examples_only(kind: Kind, check: Check, example: Mapping[str, Any], is_bad: bool) -> None:
    shown = kind.example(check, example)
    found = run_checks(select([check]), [check], shown.unit, shown.context)
    assert {finding.rule for finding in found} == ({check.id} if is_bad else set()), found
    # What a finding says for programs survives the journal.
    assert [Finding.from_record(json.loads(json.dumps(finding.as_record()))) for finding in found] == found


@pytest.mark.parametrize("rule", RULES)
def test_has_a_title_for_people(rule: Check | DocumentRule) -> None:
    assert rule.title[0].isupper() and "_" not in rule.title and not rule.title.endswith(".")
    assert len(rule.title.split()) <= 5


def test_titles_of_a_kind_differ() -> None:
    for kind in known_kinds().values():
        titles = [rule.title for rule in (*kind.checks, *kind.document_rules)]
        assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("check", CHECKS)
def test_id_is_the_file_name(check: Check) -> None:
    module = sys.modules[check.run.__module__]
    assert Path(str(module.__file__)).stem == check.id
