"""A2, the loaders: bombs are refused or read, the process stays small, and what stands beside a bomb is still read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process
PEAK_MB = 300
REFUSALS = {
    "a very long line": "too_long",
    "deep JSON line": "too_complex",
    "a million keys": "too_complex",
    "a long integer": "invalid_json",
    "options without end": "too_many_options",
    "blanks in JSON": "too_long",
    "one wide row": "too_long",
    "an open quote": "too_long",
    "answers without end": "too_complex",
    "laughs in Moodle XML": "entities_refused",
    "laughs in QTI": "entities_refused",
    "deep XML": "too_deep",
    "a long tag": "too_long",
    "references without end": "too_complex",
    "choices without end": "too_complex",
    "zip 1:1000": "package_bomb",
}


@pytest.fixture(scope="module")
def results() -> dict[str, dict[str, object]]:
    """Every bomb in one process of its own, whose memory is then the loaders' alone."""
    command = [sys.executable, "-m", "tests.abuse.loader_bombs", "20"]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return {result["bomb"]: result for result in map(json.loads, done.stdout.splitlines())}


def test_no_bomb_costs_much_memory(results: dict[str, dict[str, object]]) -> None:
    assert max(int(str(result["peak_mb"])) for result in results.values()) < PEAK_MB


@pytest.mark.parametrize(("bomb", "code"), REFUSALS.items())
def test_the_bomb_is_refused_by_name(results: dict[str, dict[str, object]], bomb: str, code: str) -> None:
    assert code in results[bomb]["codes"]  # type: ignore[operator]


@pytest.mark.parametrize(
    "bomb", ["a very long line", "deep JSON line", "a million keys", "deep JSON", "blanks in JSON"]
)
def test_the_questions_beside_the_bomb_are_read(results: dict[str, dict[str, object]], bomb: str) -> None:
    assert results[bomb]["questions"] in (1, 2)


def test_a_refused_file_is_not_copied(results: dict[str, dict[str, object]]) -> None:
    assert [results[bomb]["copied"] for bomb in ("zip 1:1000", "laughs in QTI", "deep XML")] == [None, None, None]


def test_every_bomb_is_copied_whole(results: dict[str, dict[str, object]]) -> None:
    assert [name for name, result in results.items() if result["copied"] is False] == []
