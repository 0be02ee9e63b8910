"""A2, the rules and the edits: nothing that reads content is slower than linear in its length, whatever it holds."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import pytest

from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.kinds.questions.duplicates import DuplicateIndex
from burnish.kinds.questions.views import example_question
from burnish.text.quotes import verify
from tests.abuse.hostile_texts import NAMES, hostile
from tests.abuse.linearity import Work, steep_checks, steepness
from tests.core.units import PlainUnit

# Tracing costs by the line, not by the work: what is timed here is the code as it runs for users.
pytestmark = pytest.mark.no_cover

CHARACTERS = 2_000
"""The shorter text of the sweep over all checks; `python -m tests.abuse.linearity` takes longer ones. Shared out among
26 options, each is still short enough to be read as a combination of labels."""
READ = 3_000
OPENING = "The very beginning. "
CHANGES = ("A new beginning. ", "`A beginning. ", "$$ beginning. ", "\\[ beginning. ", "```\nBeginning.\n", "{a} ")


def _all_triples(size: int) -> Work:
    numbers = range(size)
    return lambda: [a for a in numbers for b in numbers for c in numbers if a + b + c < 0]


def _is_seen(prepare: Callable[[int], Work], size: int) -> bool:
    """Whether one of a few looks tells it: a disturbed small size hides what is steep, and does so by chance."""
    return any(steepness(prepare, size) is not None for _ in range(5))


def test_the_sweep_sees_what_is_steep() -> None:
    assert _is_seen(_all_triples, 30)
    nested = re.compile(r"\[.*?\]", re.DOTALL)
    assert _is_seen(lambda size: lambda: nested.findall("[" * size), 1_200)


def test_the_sweep_lets_linear_work_pass() -> None:
    assert steepness(lambda size: lambda: sum(n * n for n in range(100 * size)), 1_000) is None


@pytest.mark.parametrize("name", NAMES)
def test_no_check_is_slower_than_linear(name: str) -> None:
    assert list(steep_checks(name, CHARACTERS)) == []


def _editing(name: str, size: int) -> Work:
    """Edits at the beginning of a text: each may open or close something that all the rest then belongs to."""
    text = hostile(name, size)
    unit = PlainUnit.of(stem=f"{OPENING}{text}", other=text)
    changes = [Edit("u", "stem", OPENING, change) for change in CHANGES]
    changes.append(Edit("u", "stem", f"{OPENING}{text[:3]}", OPENING))

    def work() -> None:
        for edit in changes:
            with suppress(EditRefused):
                apply_edits(unit, [edit])

    return work


def _verifying(name: str, size: int) -> Work:
    text = hostile(name, size)
    unit = PlainUnit.of(stem=text)
    claims = [Finding("r", "error", "u", "stem", text, quote=text[-60:]) for _ in range(3)]
    return lambda: verify(unit, claims, rules={"r"})


def _comparing(name: str, size: int) -> Work:
    """The same text in two questions: each is compared with the one before it."""
    text = hostile(name, size)
    questions = [example_question({"stem": f"{n} {text}", "options": (text, text[::-1])})[0] for n in range(2)]

    def work() -> None:
        with DuplicateIndex() as index:
            for question in questions:
                index.add(question)

    return work


@pytest.mark.parametrize("prepare", [_editing, _verifying, _comparing])
def test_nothing_else_that_reads_content_is_slower_than_linear(prepare: Callable[[str, int], Work]) -> None:
    steep = {name: steepness(partial(prepare, name), READ) for name in NAMES}
    assert {name: times for name, times in steep.items() if times is not None} == {}
