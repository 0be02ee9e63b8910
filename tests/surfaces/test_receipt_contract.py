"""The receipt that a run writes is the one that its contract describes."""

from pathlib import Path

from burnish.surfaces.cli.main import main
from burnish.surfaces.reports.receipt import Receipt


def receipt(folder: Path) -> Receipt:
    return Receipt.model_validate_json((folder / "runs" / "demo" / "receipt.json").read_bytes())


def test_a_receipt_before_and_after_people_decided(tmp_path: Path) -> None:
    assert main(["demo", "--keep", str(tmp_path)]) == 0
    first = receipt(tmp_path)
    assert (first.stopped, first.published) == ("needs_person", ())
    assert {unit.unit for unit in first.units if unit.state == "needs_manual_review"} == {"bio-009", "bio-011"}

    runs = str(tmp_path / "runs")
    for unit in ("bio-009", "bio-011"):
        assert main(["decide", "demo", unit, "accept", "--by", "Ann", "--runs", runs]) == 0
    assert main(["resume", "demo", "--runs", runs]) == 0
    last = receipt(tmp_path)
    [written] = last.published
    assert last.stopped == "done" and written.changed == ("bio-002", "bio-003", "bio-005", "bio-006")
    assert last.totals.calls == first.totals.calls == 15
    assert last.totals.total_tokens >= sum(unit.usage.total_tokens for unit in last.units) > 0


def test_contracts_go_by_their_types_too() -> None:
    assert main(["schema", "QuestionDraft"]) == 0
    assert main(["schema", "ValidationResult"]) == 0
    assert main(["schema", "Receipt"]) == 0
    assert main(["schema", "Nonsense"]) == 2
