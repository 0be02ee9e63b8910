"""What the README shows of the demo is what the demo prints."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
from pathlib import Path

import pytest

from burnish.surfaces.cli.main import main
from tests.docs.guides import TOKENS
from tests.engine.questions_bench import sound, untidy, write_bank
from tests.loopback import LoopbackModel

README = Path(__file__).parents[2] / "README.md"
SHOWN = re.compile(r"<!-- demo: begin -->\n```console\n(.*?)```\n<!-- demo: end -->", re.DOTALL)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Everything that `burnish demo --keep demo` prints, on a terminal of known width."""
    folder, output = tmp_path_factory.mktemp("readme").resolve(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(output):
        patch.setenv("COLUMNS", "96")
        patch.setenv("NO_COLOR", "1")
        patch.chdir(folder)
        assert main(["demo", "--keep", "demo"]) == 0
    return _plain(output.getvalue().replace(f"{folder}/", ""))


def _plain(text: str) -> str:
    return TOKENS.sub("#", "\n".join(line.rstrip() for line in text.splitlines()))


def test_the_readme_shows_every_sample() -> None:
    shown = SHOWN.findall(README.read_text(encoding="utf-8"))
    assert [re.search(r"\w+\.(?:json|md)", text)[0] for text in shown] == [  # type: ignore[index]
        "biology.json",
        "bread.json",
        "lighthouse.md",
    ]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_readme_shows_what_is_printed(printed: str, place: int) -> None:
    assert _plain(SHOWN.findall(README.read_text(encoding="utf-8"))[place]) in printed


def test_the_first_look_works_as_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any settings file; only the provider's address is another."""
    [look] = re.findall(r"## A first look\n\n```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    lines = [shlex.split(line, comments=True)[2:] for line in look.splitlines()]
    write_bank(tmp_path, [sound(0), untidy(1)], "bank.json")
    monkeypatch.chdir(tmp_path)
    with LoopbackModel(lambda _: {"reasoning": "It is fine.", "violations": []}) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        assert [main(line) for line in lines] == [0, 0, 0, 0]
    assert server.requests, "the last of them asks the model"
