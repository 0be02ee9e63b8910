"""The recipe for a kind: every command and page works with a kind that they do not know."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from burnish.app import kinds
from burnish.cli.main import main
from burnish.kinds.registry import KINDS
from burnish.web.pages.reference import rulebook
from burnish.web.rendering import rule_titles
from tests.web.paper import words
from tests.workbench import workbench


@pytest.fixture(scope="module", autouse=True)
def registered() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(KINDS, "cards", "tests.recipes.cards.kind")
        forget()
        yield
    forget()


def forget() -> None:
    """What was gathered from all kinds before there was another."""
    for gathered in (kinds.known_kinds, kinds.contracts, rule_titles, rulebook):
        gathered.cache_clear()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of three cards, of which one waits for a person, and one that is published."""
    home = tmp_path_factory.mktemp("cards")
    (home / "capitals.cards").write_text("France\tParis\nItaly\t\nSpain\tMadrid\n", encoding="utf-8")
    (home / "italy.txt").write_text("Italy\tRome\n", encoding="utf-8")
    place = ["--runs", str(home / "runs")]
    for run in ("waits", "done"):
        command = ["polish", str(home / "capitals.cards"), "--kind", "cards", "--run-id", run, *place]
        assert main(command) == 3
    decision = ["decide", "done", "c2", "edit", "--by", "Ada", "--text-file", str(home / "italy.txt")]
    assert main([*decision, *place]) == 0
    assert main(["resume", "done", *place]) == 0
    return home / "runs"


@pytest.fixture(scope="module")
def ada(runs: Path) -> Iterator[httpx2.Client]:
    with workbench(runs) as server, closing(server.browser("Ada")) as browser:
        yield browser


def test_it_is_checked(runs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(runs.parent / "capitals.cards"), "--kind", "cards"]) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "Empty back (empty_back): The back is empty." in shown
    assert "capitals.cards:2, c2, back" in shown, "a unit that knows its line is found by it"


def test_it_is_published(runs: Path) -> None:
    assert (runs / "done" / "out" / "capitals.cards").read_text() == "France\tParis\nItaly\tRome\nSpain\tMadrid\n"


@pytest.mark.parametrize("command", ["status", "show", "report", "export"])
def test_every_command_knows_it(command: str, runs: Path) -> None:
    assert main([command, "done", "--runs", str(runs)]) == 0


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/runs", "2 of 3 ready"),
        ("/runs/waits", "Cards"),
        ("/runs/waits?tab=units", "Italy"),
        ("/runs/done", "The document as published"),
        ("/runs/done/units/c2", "Rome"),
        ("/runs/waits/units/c2", "The back is empty."),
        ("/queue", "The back is empty."),
        ("/rules?kind=cards", "Empty back"),
        ("/rules/empty_back", "there is nothing to learn"),
        ("/precision", "Precision"),
    ],
)
def test_every_page_knows_it(address: str, said: str, ada: httpx2.Client) -> None:
    answer = ada.get(address)
    assert answer.status_code == 200, answer.text
    assert said.casefold() in words(answer.text).casefold()
