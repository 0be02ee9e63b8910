"""Findings: where a fault is, how severe, and what is told of it outside."""

import pytest

from burnish.core.edits import Edit
from burnish.core.findings import SEVERITIES, Finding, ReportedFinding
from tests.core.units import PlainUnit, finding

UNIT = PlainUnit.of(stem="Some wrong text.")
FIX = Edit("u", "stem", "wrong", "right")


def test_the_quote_is_what_the_field_holds_there() -> None:
    found = Finding.at(UNIT, field="stem", span=(5, 10), message="m")
    assert (found.unit, found.field, found.quote, found.start, found.end) == ("u", "stem", "wrong", 5, 10)


def test_a_finding_of_a_whole_unit_has_no_quote_and_no_place() -> None:
    found = Finding.at(UNIT, message="m")
    assert (found.field, found.quote, found.start, found.end, found.fix) == (None, None, None, None, None)
    assert found.severity == "error" and found.source == "rule"
    assert dict(found.data) == {} and found.related == ()


def test_all_that_is_given_is_kept() -> None:
    found = Finding.at(
        UNIT, field="stem", message="m", suggestion="s", fix=FIX, severity="info", rule="r", source="document",
        data={"n": 2}, related=("v",),
    )  # fmt: skip
    assert (found.message, found.suggestion, found.fix, found.severity) == ("m", "s", FIX, "info")
    assert (found.rule, found.source, found.data, found.related) == ("r", "document", {"n": 2}, ("v",))


@pytest.mark.parametrize("severity", SEVERITIES)
def test_errors_and_worse_keep_a_unit_back(severity: str) -> None:
    assert finding(severity=severity).blocks is (severity in ("critical", "error"))


@pytest.mark.parametrize("found", [finding(fix=FIX, quote="wrong", start=5, end=10), finding(suggestion="s")])
def test_the_public_shape_is_the_one_that_is_described(found: Finding) -> None:
    wire = found.as_wire()
    told = ReportedFinding.model_validate(wire, strict=True)
    assert told.model_dump() == wire
    assert told.fixable is (found.fix is not None)


def test_a_journal_gives_back_what_it_was_given() -> None:
    for found in (finding(fix=FIX, related=("v", "w"), data={"other": "v"}), finding()):
        assert Finding.from_record(found.as_record()) == found


def test_findings_are_the_same_at_the_same_words_of_the_same_rule() -> None:
    one = finding(quote="wrong", start=5)
    assert one.key == finding(quote="wrong", start=5, suggestion="another", severity="info").key
    for other in (finding("q", quote="wrong", start=5), finding(quote="wrong", start=9), finding(quote="w", start=5)):
        assert one.key != other.key


def test_a_rule_gives_its_name_and_severity_and_changes_nothing_else() -> None:
    one = finding(suggestion="s")
    assert one.graded("q", "info") == finding("q", "info", suggestion="s")


def test_a_claim_is_the_same_when_the_other_document_is_moved() -> None:
    def about(path: str) -> Finding:
        data = {"other": "q7", "document": path}
        return Finding("potential_duplicate", "warning", "q1", None, "Alike.", source="document", data=data)

    assert about("/a/bank.json").claim == about("/b/bank.json").claim
