"""The files of a run over the API: what it made, to be saved, and nothing else."""

import os
from pathlib import Path

import pytest

from burnish.api import runs
from tests.api.api_desk import ApiDesk


def test_the_files_of_a_run_are_listed_with_their_sizes(kept: ApiDesk) -> None:
    found = {file["name"]: file for file in kept.json("runs/demo/exports")["exports"]}
    assert set(found) >= {"manifest.json", "receipt.json", "report.json", "review_queue.jsonl"}
    for name, file in found.items():
        assert file["bytes"] == (kept.run("demo").root / name).stat().st_size
    assert not {"journal.sqlite", "RUNNING.lock"} & set(found)


@pytest.mark.parametrize(
    ("run", "name", "media_type"),
    [
        ("demo", "receipt.json", "application/json"),
        ("demo", "review_queue.jsonl", "application/jsonl"),
        ("lesson", "out/bread.json", "application/json"),
    ],
)
def test_a_file_is_handed_out_to_be_saved(kept: ApiDesk, run: str, name: str, media_type: str) -> None:
    answer = kept.get(f"runs/{run}/exports/{name}")
    assert answer.status_code == 200
    assert answer.content == (kept.run(run).root / name).read_bytes()
    assert answer.headers["content-type"] == media_type
    assert answer.headers["content-disposition"] == f"attachment; filename*=UTF-8''{Path(name).name}"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "name",
    [
        *("journal.sqlite", "RUNNING.lock", "input/documents/bank.json", "candidate/biology.json", "secret.json"),
        *("../rivers/receipt.json", "%2e%2e%2frivers%2freceipt.json", "out%2f..%2freceipt.json", ""),
    ],
)
def test_nothing_else_in_its_folder_is_handed_out(api: ApiDesk, name: str) -> None:
    (api.run("demo").root / "secret.json").write_text("secret", encoding="utf-8")
    answer = api.client.get(f"/api/v1/runs/demo/exports/{name}")
    assert answer.status_code in (404, 405)
    assert "secret" not in answer.text.replace(name, "")


@pytest.mark.parametrize("walks", [True, False], ids=["by folder", "by path, as on Windows"])
def test_a_link_in_the_place_of_a_file_is_not_followed(
    api: ApiDesk, tmp_path: Path, walks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "WALKS_BY_FOLDER", walks)
    (tmp_path / "secret.json").write_text("secret", encoding="utf-8")
    folder = api.run("lesson").root
    (folder / "receipt.json").unlink()
    (folder / "receipt.json").symlink_to(tmp_path / "secret.json")
    (folder / "out").rename(tmp_path / "out")
    (folder / "out").symlink_to(tmp_path / "out")
    (folder / "report.json").unlink()
    (folder / "manifest.json").unlink()
    os.mkfifo(folder / "manifest.json")
    names = [file["name"] for file in api.json("runs/lesson/exports")["exports"]]
    assert "judgements.jsonl" in names
    for gone in ("receipt.json", "out/bread.json", "report.json", "manifest.json"):
        assert gone not in names
        assert api.get(f"runs/lesson/exports/{gone}").status_code == 404
