"""The short form of every fault test whose module has no test file of its own."""

import importlib

import pytest

NAMES = [
    "f14_gate",
    "f15_loop",
    "f16_states",
    "f17_source",
    "f19_long",
    "f20_reasoning",
    "f21_batch",
    "f5_server",
    "a9_visitors",
]


@pytest.mark.parametrize("name", NAMES)
def test_short_form(name: str) -> None:
    figures = importlib.import_module(f"tests.faults.{name}").run(full=False)
    assert figures
