"""From JSON to Markdown and back: what is lost is named."""

import json

import pytest

from burnish.core.errors import UsageError
from burnish.kinds.lessons.formats import format_name
from burnish.kinds.lessons.kind import format_named
from burnish.kinds.lessons.model import Lesson, LessonUnit
from burnish.kinds.registry import shows_lesson
from tests.kinds.lessons.test_json_lesson import LESSON

MARKDOWN, JSON = format_named("markdown"), format_named("json")


def test_sections_go_both_ways() -> None:
    lesson = Lesson(
        "L1",
        'Water: "wet"',
        "en",
        (
            LessonUnit("intro", "intro", {None: "Intro."}),
            LessonUnit("s1", "section", {"title": "Vapour", None: "a\n\n### Sub\n\nb"}),
            LessonUnit("rain", "section", {"title": "Rain", None: "```\n# code\n```"}),
        ),
        {"topics": ["x", "y"], "n": 3},
    )
    data, lost = MARKDOWN.write(lesson)
    again = MARKDOWN.read(data, "x.md").lesson
    assert lost == [] and b"## Vapour {#s1}\n" in data and b"## Rain\n" in data
    assert again.units == lesson.units
    assert (again.lesson_id, again.title, again.language) == ("L1", 'Water: "wet"', "en")
    assert again.details["topics"] == ["x", "y"]


def test_sections_with_large_headings_inside_get_larger_ones() -> None:
    units = tuple(LessonUnit(id, "section", {"title": id.upper(), None: "## In\n\nx"}) for id in ("a", "b"))
    data, lost = MARKDOWN.write(Lesson("L", "T", None, units))
    assert lost == [] and MARKDOWN.read(data, "x.md").lesson.units == units
    huge = (LessonUnit("a", "section", {"title": "A", None: "# In\n\nx"}),)
    assert MARKDOWN.write(Lesson("L", "T", None, huge))[1] == [
        "Headings of the first level inside a section begin sections of their own."
    ]


def test_what_markdown_cannot_carry_is_named() -> None:
    lesson = JSON.read(json.dumps({**LESSON, "tree": {"a": 1}}).encode(), "x.json").lesson
    data, lost = MARKDOWN.write(lesson)
    assert lost == [
        "s1: `citations` is not carried.",
        "s1: `x` is not carried.",
        "examples/0 becomes a section: Markdown has no place of its own for it.",
        "exercises/0 becomes a section: Markdown has no place of its own for it.",
        "exercises/1 becomes a section: Markdown has no place of its own for it.",
        "conclusion becomes a section: Markdown has no place of its own for it.",
        "`tree` of the lesson is not carried.",
    ]
    text = data.decode()
    assert "```\nboil()\n```" in text and "## Conclusion\n\nWater returns." in text and "## Exercise 0" in text
    assert "Look down." in text and "owner: me" in text


def test_code_with_fences_stays_code() -> None:
    unit = LessonUnit("examples/0", "example", {"title": "", None: "x"}, {"code": "```\na\n```\n"})
    assert "````\n```\na\n```\n````" in MARKDOWN.write(Lesson("L", "T", None, (unit,)))[0].decode()


@pytest.mark.parametrize(
    ("path", "head", "wanted"),
    [
        ("a.md", b"anything", "markdown"),
        ("dir\\A.Markdown", b"{}", "markdown"),
        ("a.json", b'{"lesson_id": "x", "content": {"intro": "', "json"),
        ("a.json", b'\xef\xbb\xbf{"content": {"title": "x", "sections": [', "json"),
        ("a.txt", '{"sections": ['.encode("utf-16"), "json"),
        ("a.json", b'{"sections": [{"stem": "Which?", "options": []}]}', None),
        ("a.json", b'{"content": {"intro": "x"}, "options": 1}', "json"),
        ("a.json", b'{"questions": []}', None),
        ("a.json", b'[{"sections": []}]', None),
        ("a.csv", b"a,b", None),
    ],
)
def test_recognition(path: str, head: bytes, wanted: str | None) -> None:
    assert format_name(path, head) == wanted
    assert shows_lesson(head) == (wanted == "json")


def test_an_unknown_format_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="no format 'odt'"):
        format_named("odt")
