"""Every word of a lesson is found on its line of the file."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.kind import format_named
from burnish.kinds.lessons.model import LessonUnit

MARKDOWN = (
    "---\nlesson_id: water\n---\n\n# Water\n\nIt moves.\nIt falls.\n\n"
    "## Vapour\n\n\nThe sun warms the sea.\n\nIt **rises.\n\n## Rain\n\nDrops fall.\n"
)


def line_of(unit: LessonUnit, words: str) -> int | None:
    [(field, start)] = [(field, text.index(words)) for field, text in unit.fields.items() if words in text]
    return unit.line_of(field, start)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_markdown_is_counted_from_the_text_below_the_heading(end: str) -> None:
    lesson = format_named("markdown").read(MARKDOWN.replace("\n", end).encode(), "a.md").lesson
    lines = MARKDOWN.split("\n")
    for id, words in (("intro", "falls"), ("vapour", "Vapour"), ("vapour", "The sun"), ("vapour", "**"), ("rain", "D")):
        found = line_of(lesson.unit(id), words)
        assert found is not None and words in lines[found - 1]


def test_what_is_about_a_whole_section_points_at_its_heading() -> None:
    vapour = format_named("markdown").read(MARKDOWN.encode(), "a.md").lesson.unit("vapour")
    assert vapour.line_of(None, None) == vapour.line == vapour.line_of("title", None) == 10
    assert vapour.line_of("solution", 3) == 10, "a text that it does not have stands nowhere else"


def test_json_writes_a_text_on_one_line() -> None:
    section = {"id": "s1", "title": "Vapour", "content": "The sun.\n\nIt **rises."}
    exercise = {"question": "Why\nso?", "hints": ["Look.", "Look\nagain."], "solution": "Heat."}
    content = {"sections": [section], "exercises": [exercise]}
    text = json.dumps({"lesson_id": "water", "content": content}, indent=1)
    lesson = format_named("json").read(text.encode(), "a.json").lesson
    lines = text.split("\n")
    for id, words in (("s1", "**"), ("s1", "Vapour"), ("exercises/0", "so?"), ("exercises/0", "again")):
        found = line_of(lesson.unit(id), words)
        assert found is not None and words in lines[found - 1]


@given(st.lists(st.sampled_from(["A word.", "", "- an item", "> said", "    code"]), min_size=1, max_size=12))
def test_a_word_anywhere_is_on_its_line(lines: list[str]) -> None:
    text = "\n".join(["## One", *lines, "a marked word", "", "## Two", "The end."])
    unit = format_named("markdown").read(text.encode(), "a.md").lesson.unit("one")
    assert line_of(unit, "marked") == len(lines) + 2
