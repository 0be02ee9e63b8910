"""Publishing nothing at all asks for a yes: a document of which every unit was dropped."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from burnish.cli import execution
from burnish.cli.main import main
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import biased, journal_of, sound, write_bank
from tests.web.paper import form, words
from tests.workbench import until_rested, workbench

RESUME = ("resume", "r1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over two banks: one question waits in each, and the second has another one that is ready."""
    home = tmp_path_factory.mktemp("made")
    write_bank(home / "banks", [biased(1)], "a.json")
    write_bank(home / "banks", [biased(2), sound(3)], "b.json")
    order = (str(home / "banks"), "--rules-only", "--run-id", "r1", "--runs", str(home / "runs"), "--no-color")
    assert main(["polish", *order]) == 3
    return home


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "runs", tmp_path / "runs")
    return tmp_path


def burnish(home: Path, *command: str) -> int:
    return main([*command, "--runs", str(home / "runs"), "--no-color"])


def drop(home: Path, *units: str) -> None:
    for unit in units:
        assert burnish(home, "decide", "r1", unit, "drop", "--by", "Ada", "--note", "No use.") == 0


def folder(home: Path) -> RunFolder:
    return RunFolder.at(home / "runs", "r1")


def published(home: Path) -> dict[str, int]:
    return {path.name: len(json.loads(path.read_bytes())) for path in sorted(folder(home).out.rglob("*.json"))}


def approvals(home: Path) -> list[dict[str, Any]]:
    with journal_of(folder(home)) as journal:
        return [dict(each.data) for each in journal.events(types=("approved",))]


def test_nobody_is_asked_while_something_is_left(home: Path) -> None:
    drop(home, "b.json/q2")
    assert burnish(home, "decide", "r1", "a.json/q1", "accept", "--by", "Ada") == 0
    assert burnish(home, *RESUME) == 0
    assert published(home) == {"a.json": 1, "b.json": 1} and approvals(home) == []


class TestWithoutAYes:
    @pytest.fixture
    def emptied(self, home: Path) -> Path:
        drop(home, "a.json/q1", "b.json/q2")
        return home

    def test_it_is_not_published_and_says_what_to_do(self, emptied: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert burnish(emptied, *RESUME) == 3
        said = capsys.readouterr().out
        assert "every question of a.json was dropped: an empty file would be published." in said
        assert "Approve: burnish resume r1" in said and "--approve" in said
        assert published(emptied) == {}
        assert burnish(emptied, "status", "r1") == 0
        assert "waits for approval" in capsys.readouterr().out.lower()
        assert burnish(emptied, "export", "r1") == 0 and published(emptied) == {}, "nor by another command"

    def test_yes(self, emptied: Path) -> None:
        assert burnish(emptied, *RESUME, "--approve", "--by", "Ada") == 0
        assert published(emptied) == {"a.json": 0, "b.json": 1}
        assert approvals(emptied) == [{"by": "Ada", "nothing_left": ["a.json"]}]

    def test_at_a_terminal(self, emptied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        asked: list[str] = []

        def answers(answer: str) -> None:
            monkeypatch.setattr(execution, "is_at_a_terminal", lambda: True)
            monkeypatch.setattr("typer.prompt", lambda text, **_: asked.append(text) or answer)

        answers("n")
        assert burnish(emptied, *RESUME) == 3 and published(emptied) == {}
        answers("y")
        assert burnish(emptied, *RESUME) == 0 and published(emptied) == {"a.json": 0, "b.json": 1}
        assert asked == ["Every question of a.json was dropped. Publish an empty file? [y/N]"] * 2

    def test_one_yes_is_for_what_was_shown(self, emptied: Path) -> None:
        """Another document is emptied after it: that is asked about again."""
        with journal_of(folder(emptied)) as journal:
            before = len(list(journal.events(types=("approved",))))
        drop(emptied, "b.json/q3")
        assert burnish(emptied, *RESUME) == 3 and before == 0
        assert burnish(emptied, *RESUME, "--approve") == 0
        assert approvals(emptied) == [{"by": "--approve", "nothing_left": ["a.json", "b.json"]}]

    def test_it_can_be_brought_back_instead(self, emptied: Path) -> None:
        assert burnish(emptied, *RESUME) == 3
        assert burnish(emptied, "decide", "r1", "a.json/q1", "undo", "--by", "Ada") == 0
        assert burnish(emptied, "decide", "r1", "a.json/q1", "accept", "--by", "Ada") == 0
        assert burnish(emptied, *RESUME) == 0 and published(emptied) == {"a.json": 1, "b.json": 1}

    def test_in_the_browser_and_over_http(self, emptied: Path) -> None:
        assert burnish(emptied, *RESUME) == 3
        with workbench(emptied / "runs", grace=3600.0) as server, closing(server.browser("Ada")) as browser:
            page = browser.get("/runs/r1").text
            assert "Every question of a.json was dropped: an empty file would be published" in words(page)
            yes = form(page, "/runs/r1/approve")
            assert "Publish an empty file" in words(page) and "Approve and publish" not in words(page)
            assert browser.get("/api/v1/runs/r1").json()["state"] == "waiting_for_approval"
            assert browser.post(yes.action, data=yes.fields).status_code == 303
            until_rested(server.here, "r1")
        assert published(emptied) == {"a.json": 0, "b.json": 1}
        assert approvals(emptied) == [{"by": "Ada", "nothing_left": ["a.json"]}]
