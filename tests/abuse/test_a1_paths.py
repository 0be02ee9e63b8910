"""A1, at the level of the store: hostile names at every entry point. Nothing outside the workspace is touched."""

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from burnish.core.errors import StorageFailed, UsageError
from burnish.store.files import make_folder, write_atomically
from burnish.store.paths import ExportFolder, RunFolder, default_run_id, document_path, existing_run, existing_runs
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.store.samples import attempt, call, unit

UP = [
    ".",
    "..",
    "../x",
    "../../x",
    "../../../../../../tmp/burnish-led-out",
    "a/../../x",
    "./../x",
    "..//x",
    "a/./../../x",
    "../",
    "...",
]
ENCODED = [
    *("%2e%2e%2fx", "%2e%2e/x", "..%2fx", "%252e%252e%252fx", "..%252fx", "%c0%ae%c0%ae/x", "..%c0%afx", "%00", "%2e"),
    *("&#46;&#46;/x", "\\u002e\\u002e/x", "=2E=2E/x", "..%00/x", "%5c..%5cx"),
]
BACKSLASH = [
    "..\\x",
    "..\\..\\x",
    "\\x",
    "\\\\server\\share\\x",
    "C:\\x",
    "C:/x",
    "c:x",
    "a\\..\\..\\x",
    "\\\\?\\C:\\x",
]
CONTROL = [
    "x\x00",
    "\x00",
    "../x\x00.json",
    "x\n",
    "x\r\ny",
    "\x1b[2Jx",
    "x\x7f",
    "x\x85y",
    "x\u2028y",
    "x\u202egpj.exe",
    "\ud800",
]
LONG = ["x" * 5000, "x/" * 2500 + "x", "../" * 1700 + "x", "é" * 200, "." * 300]
LOOK_ALIKES = ["․․/x", "．．/x", "‥/x", "..／x", "..∕x", "..⁄x", "․․", "‥", "∕etc∕x", "..＼x"]
ABSOLUTE = [
    "/x",
    "//x",
    "/tmp/burnish-led-out",
    "~/x",
    "~root/x",
    "$HOME/x",
    "file:///tmp/burnish-led-out",
    "OUTSIDE/x",
    "OUTSIDE/secret.txt",
]
LINKS = ["trap", "trap/x", "trap/secret.txt", "deep/trap/x", "chain", "chain/x", "circle", "circle/x", "dangling"]
ODD = [
    "",
    " ",
    "x ",
    "x.",
    "-rf",
    "CON",
    "nul.json",
    "*",
    "?",
    "|x",
    ";x",
    "`x`",
    "'x'",
    '"x"',
    "<x>",
    ".hidden",
    "x\ty",
]
PAYLOADS = [*UP, *ENCODED, *BACKSLASH, *CONTROL, *LONG, *LOOK_ALIKES, *ABSOLUTE, *LINKS, *ODD]


def run_with_id(workspace: Path, text: str) -> None:
    with own_run(RunFolder.at(workspace / "runs", text), system_clock) as run:
        run.journal.write_now(unit())


def look_at_run(workspace: Path, text: str) -> None:
    existing_run(workspace / "runs", text)


def publish_document(workspace: Path, text: str) -> None:
    path = document_path(workspace / "runs" / "good" / "out", text)
    make_folder(path.parent)
    write_atomically(path, b"published")


def export_by_name(workspace: Path, text: str) -> None:
    with own_run(RunFolder.at(workspace / "runs", "good"), system_clock) as run:
        ExportFolder(run.folder, run.journal).write_json(text, {})


def run_named_after_source(workspace: Path, text: str) -> None:
    run_with_id(workspace, default_run_id(text, datetime(2026, 11, 15, tzinfo=UTC)))


def unit_with_id(workspace: Path, text: str) -> None:
    with own_run(RunFolder.at(workspace / "runs", "good"), system_clock) as run:
        run.journal.write_now(unit(text), attempt(text), call(text, unit=text))
        assert run.journal.unit(text) is not None


ENTRIES = [run_with_id, look_at_run, publish_document, export_by_name, run_named_after_source, unit_with_id]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace full of links that lead out of it, beside files that must stay as they are."""
    outside, workspace = tmp_path / "outside", tmp_path / "workspace"
    out = workspace / "runs" / "good" / "out"
    for folder in (outside / "folder", out / "deep"):
        folder.mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    for place in (workspace / "runs", workspace / "runs" / "good", out, out / "deep"):
        (place / "trap").symlink_to(outside)
        (place / "chain").symlink_to(place / "trap")
        (place / "circle").symlink_to(place / "circle")
        (place / "dangling").symlink_to(outside / "not-there-yet")
    return workspace


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    found = [path for path in folder.rglob("*") if "workspace" not in path.relative_to(folder).parts]
    return {str(path): (path.read_bytes() if path.is_file() else b"", path.stat().st_mtime_ns) for path in found}


def test_there_are_enough_cases() -> None:
    assert len(set(PAYLOADS)) * len(ENTRIES) >= 300


@pytest.mark.parametrize("entry", ENTRIES)
def test_no_name_leads_out(workspace: Path, entry: Callable[[Path, str], None]) -> None:
    sandbox = workspace.parent
    before = snapshot(sandbox)
    for payload in PAYLOADS:
        text = payload.replace("OUTSIDE", str(sandbox / "outside"))
        with suppress(UsageError, StorageFailed):
            entry(workspace, text)
        assert snapshot(sandbox) == before, f"{entry.__name__} touched something outside for {text[:80]!r}"
    assert (sandbox / "outside" / "secret.txt").read_text() == "secret"
    assert not Path("/tmp/burnish-led-out").exists()


@pytest.mark.parametrize("payload", [*UP[:-1], *ENCODED, *BACKSLASH, *CONTROL, *LOOK_ALIKES, *LINKS[:5], "", " ", "x."])
def test_none_of_these_is_the_id_of_a_run(workspace: Path, payload: str) -> None:
    with pytest.raises(UsageError) as refused:
        run_with_id(workspace, payload)
    assert refused.value.exit_code == 2
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("payload", [*UP[:-1], *BACKSLASH, *CONTROL, *LONG[:3], "/x", "//x", *LINKS])
def test_none_of_these_is_a_document_of_the_run(workspace: Path, payload: str) -> None:
    with pytest.raises(UsageError) as refused:
        publish_document(workspace, payload)
    assert refused.value.hint is not None
    assert str(refused.value).isprintable()


def test_links_among_the_runs_are_not_runs(workspace: Path) -> None:
    assert [folder.id for folder in existing_runs(workspace / "runs")] == []
