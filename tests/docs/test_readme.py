"""What the README shows of the demo is what the demo prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from burnish.cli.main import main
from tests.api.api_desk import api_desk
from tests.api.guide import run_guide
from tests.docs.guides import TOKENS
from tests.docs.readme import README, SHOWN, printed_in, rewritten
from tests.engine.questions_bench import sound, untidy, write_bank
from tests.loopback import LoopbackModel

pytestmark = pytest.mark.guide


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readme").resolve()


@pytest.fixture(scope="module")
def printed(home: Path) -> str:
    return printed_in(home)


def _plain(text: str) -> str:
    return TOKENS.sub("#", text.rstrip("\n"))


def test_the_readme_shows_what_is_printed(printed: str) -> None:
    [shown] = SHOWN.findall(README.read_text(encoding="utf-8"))
    assert "burnish polish biology.json" in shown
    assert _plain(shown) in _plain(printed), "write today's output into the README: python -m tests.docs.readme"


def test_the_readme_is_written_anew_command_by_command() -> None:
    text = "<!-- demo: begin -->\n```console\n$ one x   # why\n\nold\n\n$ two\n\nolder\n```\n<!-- demo: end -->\n"
    printed = "\n$ nought\n\n0\n\n$ one x   # why\n\n1\n\n2\n\n$ two\n\n3\n\nEverything is in demo. Try:\n"
    shown = "<!-- demo: begin -->\n```console\n$ one x   # why\n\n1\n\n2\n\n$ two\n\n3\n```\n<!-- demo: end -->\n"
    assert rewritten(text, printed) == shown


def test_the_first_look_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any settings file; only the provider's address is another."""
    [look] = re.findall(r"## A first look\n.*?```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [shlex.split(line, comments=True)[2:] for line in look.splitlines()]
    write_bank(tmp_path, [sound(0), untidy(1)], "bank.json")
    monkeypatch.chdir(tmp_path)
    with LoopbackModel(lambda _: {"reasoning": "It is fine.", "violations": []}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert [main(line) for line in lines] == [0, 0, 0, 0]
    assert server.requests, "the last of them asks the model"


def test_the_api_answers_as_the_readme_says(printed: str, home: Path) -> None:
    assert printed, "the demo has made the runs that are asked about"
    with api_desk(home / "demo" / "runs") as desk:
        [(_, [ran])] = run_guide(README.read_text(encoding="utf-8"), desk)
        assert ran.kept, ran.shown()
