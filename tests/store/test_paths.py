from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import UsageError
from burnish.store.paths import (
    RunFolder,
    check_run_id,
    default_run_id,
    document_path,
    existing_run,
    existing_runs,
    is_run_id,
    nearest_path,
    operator_path,
    shown,
)

NOW = datetime(2026, 11, 15, 18, 0, 25, tzinfo=UTC)


def test_a_run_keeps_its_files_in_one_folder(tmp_path: Path) -> None:
    folder = RunFolder.at(tmp_path, "tx_001")
    files = (folder.journal, folder.manifest, folder.receipt, folder.lock, folder.out, folder.candidate)
    names = ["journal.sqlite", "manifest.json", "receipt.json", "RUNNING.lock", "out", "candidate"]
    assert [file.name for file in files] == names
    assert {file.parent for file in files} == {tmp_path / "tx_001"} == {folder.exports}
    assert not folder.root.exists()


@pytest.mark.parametrize("id", ["a", "tx_001", "2026-11-15", "A.b", "x" * 64])
def test_good_run_ids(id: str) -> None:
    assert check_run_id(id) == id


@pytest.mark.parametrize(
    "id", ["", ".", "..", "a.", "-a", "_a", ".a", "x" * 65, "a/b", "a b", "a\n", "é", "a\x00", "CON:"]
)
def test_bad_run_ids_are_refused_with_a_hint(id: str) -> None:
    with pytest.raises(UsageError, match="cannot be the id of a run") as refused:
        check_run_id(id)
    assert refused.value.hint is not None


def test_a_run_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "r1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="link to another place"):
        RunFolder.at(tmp_path / "runs", "r1")


def test_the_folder_of_all_runs_may_be_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "runs").symlink_to(tmp_path / "real")
    assert RunFolder.at(tmp_path / "runs", "r1").root == tmp_path / "real" / "r1"


def test_a_link_in_a_circle_is_refused(tmp_path: Path) -> None:
    (tmp_path / "runs").symlink_to(tmp_path / "runs")
    with pytest.raises(UsageError):
        existing_run(tmp_path / "runs", "r1")


def test_a_run_without_a_journal_does_not_exist(tmp_path: Path) -> None:
    (tmp_path / "r1").mkdir()
    with pytest.raises(UsageError, match="There is no run r1"):
        existing_run(tmp_path, "r1")


def test_runs_are_listed_by_name_and_other_things_are_passed_over(tmp_path: Path) -> None:
    for name in ("b", "a", ".hidden", "not a run"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "journal.sqlite").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "file").touch()
    assert [folder.id for folder in existing_runs(tmp_path)] == ["a", "b"]
    assert existing_run(tmp_path, "a").root == tmp_path / "a"
    assert list(existing_runs(tmp_path / "nowhere")) == []


def test_a_default_run_id_is_made_of_stem_and_time() -> None:
    assert default_run_id("banks/Cardiology (new).json", NOW) == "Cardiology-new-20261115-180025"
    assert default_run_id("вопросы.json", NOW) == "run-20261115-180025"


@given(st.text(max_size=200))
def test_a_default_run_id_is_always_an_id(source: str) -> None:
    assert is_run_id(default_run_id(source, NOW))


@pytest.mark.parametrize(
    "relative", ["bank.json", "unit 1/Frage.md", "a/b/c.txt", "%2e%2e/x", "...", "ملف.json", "a:b/c.md"]
)
def test_good_document_paths_stay_inside(tmp_path: Path, relative: str) -> None:
    if relative == "a:b/c.md":  # looks like a drive
        with pytest.raises(UsageError):
            document_path(tmp_path, relative)
        return
    assert document_path(tmp_path, relative) == tmp_path / relative


def test_a_name_that_is_not_utf8_is_carried(tmp_path: Path) -> None:
    assert document_path(tmp_path, "caf\udce9.md").parent == tmp_path


@pytest.mark.parametrize(
    ("relative", "trouble"),
    [
        ("", "is empty"),
        ("../x", "`..`"),
        ("a/../../x", "`..`"),
        ("./x", "`.`"),
        ("a//b", "empty part"),
        ("a/", "empty part"),
        ("/etc/passwd", "not relative"),
        ("C:/x", "not relative"),
        ("a\\b", "backslash"),
        ("a\x00b", "do not belong"),
        ("a\x1b[2Jb", "do not belong"),
        ("a\u202egpj.exe", "do not belong"),
        ("a\ud800", "do not belong"),
        ("x" * 256, "too long"),
        ("/".join(["x" * 200] * 6), "too long"),
    ],
)
def test_bad_document_paths_are_refused(tmp_path: Path, relative: str, trouble: str) -> None:
    with pytest.raises(UsageError, match=trouble):
        document_path(tmp_path, relative)


def test_a_link_out_of_the_folder_is_refused_and_one_inside_is_followed(tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "real").mkdir(parents=True)
    (out / "away").symlink_to(tmp_path)
    (out / "near").symlink_to(out / "real")
    (out / "self").symlink_to(out)
    assert document_path(out, "near/x.md") == out / "real" / "x.md"
    for relative in ("away/x.md", "away", "self"):
        with pytest.raises(UsageError, match="by a link"):
            document_path(out, relative)


def test_exports_lie_in_the_run_but_not_over_its_own_files(tmp_path: Path) -> None:
    folder = RunFolder.at(tmp_path, "r1")
    assert folder.export("quality_reports/report.json") == folder.root / "quality_reports" / "report.json"
    for name in ("journal.sqlite", "RUNNING.lock", "RUNNING.stale.1.lock", "out/x.json", "candidate", ".RUNNING.guard"):
        with pytest.raises(UsageError, match="needs that name"):
            folder.export(name)


def test_the_operator_may_name_any_path_but_it_must_be_one() -> None:
    assert operator_path("../banks/x.json") == Path("../banks/x.json")
    for text in ("", "a\x00b", "a\ud800b", "x" * 300):
        with pytest.raises(UsageError):
            operator_path(text)


def test_hostile_text_in_a_message_is_escaped_and_short() -> None:
    assert shown("\x1b[31mred") == r"'\x1b[31mred'"
    assert len(shown("x" * 5000)) < 70


def test_a_path_that_leads_nowhere_is_helped_along(tmp_path: Path) -> None:
    (tmp_path / "bank.json").touch()
    assert nearest_path(tmp_path / "bank.json") is None
    assert nearest_path(tmp_path / "bnak.json") == f"Did you mean {tmp_path / 'bank.json'}?"
    assert nearest_path(str(tmp_path / "zzz")) == "Paths are relative to the current folder."
    assert "There is no folder" in (nearest_path(tmp_path / "banks" / "bank.json") or "")
    assert nearest_path(tmp_path / ("x" * 5000)) is None
