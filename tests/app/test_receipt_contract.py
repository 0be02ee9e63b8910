"""Every file that a run writes is the one that its contract describes."""

from importlib.resources import files
from pathlib import Path

import pytest

from burnish.app.kinds import schema_of
from burnish.app.receipt import Manifest, Receipt, RunReport
from burnish.cli.main import main
from burnish.kinds.questions.schemas import CorrectionRow, ReviewQueueRow, ValidationRow

SAMPLES = Path(str(files("burnish") / "samples"))


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
    assert last.totals.calls == first.totals.calls > 0, "what people decide asks no model"
    assert last.totals.total_tokens >= sum(unit.usage.total_tokens for unit in last.units) > 0


def test_every_other_file_too(tmp_path: Path) -> None:
    (tmp_path / "banks").mkdir()
    for name in ("a.json", "b.json"):
        (tmp_path / "banks" / name).write_bytes((SAMPLES / "biology.json").read_bytes())
    model = f"scripted:{SAMPLES / 'biology_model.json'}"
    runs = tmp_path / "runs"
    main(["polish", str(tmp_path / "banks"), "--model", model, "--run-id", "r", "--runs", str(runs)])
    folder = runs / "r"
    manifest = Manifest.model_validate_json((folder / "manifest.json").read_bytes())
    assert [document.name for document in manifest.documents] == ["a.json", "b.json"]
    assert len(RunReport.model_validate_json((folder / "report.json").read_bytes()).documents) == 2
    rows = [ValidationRow.model_validate_json(line) for line in (folder / "validation.jsonl").open("rb")]
    assert all(row.unit == f"{document}/{row.question_id}" for row, document in zip(rows, _names(rows), strict=True))
    corrections = [CorrectionRow.model_validate_json(line) for line in (folder / "corrections.jsonl").open("rb")]
    assert {row.question_id for row in corrections} == {row.result.question_id for row in corrections}
    queue = [ReviewQueueRow.model_validate_json(line) for line in (folder / "review_queue.jsonl").open("rb")]
    assert queue and all(row.unit.endswith(f"/{row.question_id}") for row in queue)


def _names(rows: list[ValidationRow]) -> list[str]:
    half = len(rows) // 2
    return ["a.json"] * half + ["b.json"] * half


@pytest.mark.parametrize(
    "name", ["manifest", "report", "ValidationRow", "CorrectionRow", "ReviewQueueRow", "CorrectionAttempt"]
)
def test_they_have_schemas(name: str) -> None:
    assert schema_of(name)["type"] == "object"


def test_contracts_go_by_their_types_too() -> None:
    assert main(["schema", "QuestionDraft"]) == 0
    assert main(["schema", "ValidationResult"]) == 0
    assert main(["schema", "Receipt"]) == 0
    assert main(["schema", "Nonsense"]) == 2
