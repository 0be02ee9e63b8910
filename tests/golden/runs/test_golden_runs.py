"""Golden runs agree with what was recorded; every recording has a case."""

import json
from pathlib import Path

import pytest

from tests.golden.runs import compare
from tests.golden.runs.bench import recording
from tests.golden.runs.table import CASES


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    now = json.loads(json.dumps(recording(CASES[name], tmp_path / "home")))
    found = list(compare.differences(compare.recorded(name), now))
    assert not found, "\n".join([f"{name} differs in {len(found)} places:", *found[:40]])


def test_every_recording_has_a_case() -> None:
    assert {path.stem for path in compare.CASES.glob("*.json")} == set(CASES)


def test_differences_name_every_place() -> None:
    assert list(compare.differences({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3, "c": 4}]})) == [
        "/a/1/b: 2 -> 3",
        "/a/1/c: new: 4",
    ]
