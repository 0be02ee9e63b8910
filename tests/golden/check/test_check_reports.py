"""Whole documents with the exact report."""

from __future__ import annotations

import json

import pytest

from burnish.app.check_json import CheckReport
from tests.golden.check.cases import REPORTS, Case, cases


@pytest.mark.parametrize("format", REPORTS)
@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_the_report_is_exactly_this(case: Case, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "BURNISH_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    code, report = case.run(format)
    assert code == case.exit_code
    assert report == (case.folder / REPORTS[format]).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.folder.name)
def test_the_json_report_keeps_its_contract(case: Case) -> None:
    report = json.loads((case.folder / REPORTS["json"]).read_text(encoding="utf-8"))
    parsed = CheckReport.model_validate(report)
    units = [unit for document in parsed.documents for unit in document.units]
    findings = [finding for unit in units for finding in unit.findings]
    assert parsed.summary.units == len(units) and parsed.summary.findings == len(findings)
    assert sum(parsed.summary.by_rule.values()) == sum(parsed.summary.by_severity.values()) == len(findings)
    for finding in findings:
        assert (finding.quote is None) == (finding.start is None) == (finding.end is None)
        assert finding.quote is None or finding.end - finding.start == len(finding.quote)  # type: ignore[operator]
