"""The short form of every fault test whose module has no test file of its own."""

import importlib

import pytest

HERE = [
    "f14_gate",
    "f15_loop",
    "f16_states",
    "f17_source",
    "f20_reasoning",
    "f22_progress",
    "f23_people",
    "a9_visitors",
]
IN_PROCESSES = ["f6_race", "f19_long", "f21_batch", "f5_server", "a11_reviewers"]


@pytest.mark.parametrize("name", [*HERE, *(pytest.param(name, marks=pytest.mark.process) for name in IN_PROCESSES)])
def test_short_form(name: str) -> None:
    figures = importlib.import_module(f"tests.faults.{name}").run(full=False)
    assert figures
