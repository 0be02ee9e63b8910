"""Lessons as Markdown: sections, ids, and changes that leave every other byte alone."""

import pytest

from burnish.core.errors import InputError
from burnish.kinds.lessons.formats import LARGEST, MOST_UNITS, Loaded
from burnish.kinds.lessons.kind import format_named
from burnish.kinds.lessons.markdown_lesson import slug
from burnish.kinds.lessons.model import LessonUnit

FORMAT = format_named("markdown")
LESSON = """---
title: "Water: a lesson"
lang: en
topics: [nature]
---

{% include toc.html %}

Water moves.

## Vapour

It *rises*.

### Higher

Still.

## Rain

It falls.

```python
## no heading
```

## Rain

Again.
"""


def read(text: str, path: str = "lessons/water-1.md") -> Loaded:
    return FORMAT.read(text.encode(), path)


def outline(text: str) -> list[tuple[str, str | None, str]]:
    return [(unit.id, unit.title, unit.text) for unit in read(text).lesson.units]


def test_a_whole_lesson() -> None:
    loaded = read(LESSON)
    lesson = loaded.lesson
    assert (lesson.lesson_id, lesson.title, lesson.language, lesson.id_declared) == (
        "water-1",
        "Water: a lesson",
        "en",
        False,
    )
    assert [(unit.id, unit.role, unit.line) for unit in lesson.units] == [
        ("intro", "intro", 7),
        ("vapour", "section", 11),
        ("rain", "section", 19),
        ("rain-2", "section", 27),
    ]
    assert lesson.unit("vapour").text == "It *rises*.\n\n### Higher\n\nStill."
    assert lesson.unit("rain").text.endswith("```") and lesson.unit("rain").words == 2
    assert lesson.details["topics"] == ["nature"] and loaded.problems == () and loaded.spec is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# Title\n\nIntro.\n\n## A\na\n\n## B\nb\n", [("intro", None, "Intro."), ("a", "A", "a"), ("b", "B", "b")]),
        ("# A\n\na\n\n## A1\n\nx\n\n## A2\n\n# B\n", [("a", "A", "a\n\n## A1\n\nx\n\n## A2"), ("b", "B", "")]),
        ("A\n=\n\na\n\nB\n===\nb", [("a", "A", "a"), ("b", "B", "b")]),
        ("Intro.\n\nA\n---\n\na\n\n## B ##\nb", [("intro", None, "Intro."), ("a", "A", "a"), ("b", "B", "b")]),
        ("## A\n\na\n\n# Odd\n\no\n\n## B\n\nb", [("a", "A", "a"), ("odd", "Odd", "o"), ("b", "B", "b")]),
        ("# Title\n\n## Only\n\ntext", [("only", "Only", "text")]),
        ("# Title\n\nJust text.", [("intro", None, "Just text.")]),
        ("Just text.", [("intro", None, "Just text.")]),
        ("{% include x %}\n\n* TOC\n{:toc}\n\n# T\n\n## A\na\n## B\nb", [("a", "A", "a"), ("b", "B", "b")]),
        ("One.\n\n# T\n\nTwo.\n\n## A\n## B", [("intro", None, "One.\n\n# T\n\nTwo."), ("a", "A", ""), ("b", "B", "")]),
        ("## A {#x}\n\na\n\n## B {: .c #y}\n\nb", [("x", "A", "a"), ("y", "B", "b")]),
        ("## Lección ñ!\n\na\n\n## 第一课\n\nb", [("lección-ñ", "Lección ñ!", "a"), ("第一课", "第一课", "b")]),
        ("##\n\na\n\n## !\n\nb", [("section", "", "a"), ("section-2", "!", "b")]),
        ("## Intro\n\na\n\n## Lesson\n\n    code\n", [("intro-2", "Intro", "a"), ("lesson-2", "Lesson", "    code")]),
        ("## A\n\n```\nlost fence\n\n## B\n\nb", [("a", "A", "```\nlost fence"), ("b", "B", "b")]),
    ],
)  # fmt: skip
def test_sections(text: str, wanted: list[tuple[str, str | None, str]]) -> None:
    assert outline(text) == wanted
    assert outline(text.replace("\n", "\r\n")) == wanted


def test_equal_ids_that_were_declared_are_told() -> None:
    loaded = read("## A {#x}\n\na\n\n## B {#x}\n\nb")
    assert [unit.id for unit in loaded.lesson.units] == ["x", "x#2"]
    assert [(problem.code, problem.line, problem.unit) for problem in loaded.problems] == [("duplicate_id", 5, "x#2")]


def test_front_matter_may_hold_the_spec() -> None:
    loaded = read(
        "---\nlesson_id: L1\ntitle: Water\nlanguage: en\ndifficulty: beginner\nlearning_objectives:\n- Explain rain\n"
        "- Explain snow\nduration_minutes: 30\n---\nText.\n"
    )
    assert loaded.spec is not None and loaded.lesson.id_declared
    assert [objective.id for objective in loaded.spec.learning_objectives] == ["LO1", "LO2"]
    assert loaded.spec.duration_minutes == 30.0


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b"---\ntitle: x\n---\n\n{% include toc.html %}\n", "empty"),
        (b"Caf\xe9 and more", "wrong_encoding"),
        (b"text " * 20 + b"\x00", "binary"),
        (b"a" * (LARGEST + 1), "too_large"),
        (b"## a\n" * (MOST_UNITS + 1), "too_complex"),
    ],
)
def test_bad_input_is_refused_by_name(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as raised:
        FORMAT.read(data, "x.md")
    assert raised.value.code == code and raised.value.hint


def rewritten(data: bytes, *units: LessonUnit) -> bytes:
    changed = {unit.id: unit for unit in units}
    return FORMAT.rewrite(data, "x.md", changed.get)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_only_the_changed_words_change(newline: str, encoding: str) -> None:
    text = LESSON.replace("\n", newline)
    data = text.encode(encoding)
    unit = FORMAT.read(data, "x.md").lesson.unit("vapour")
    changed = unit.with_text(None, unit.text.replace("Still.", "Still.\n\nAnd on."))
    assert rewritten(data, changed) == text.replace("Still.", f"Still.{newline * 2}And on.").encode(encoding)
    assert rewritten(data, unit) == data


def test_an_empty_section_can_be_filled() -> None:
    for text, wanted in (
        ("## A\n## B\n\nb", "## A\n\nNew.\n\n## B\n\nb"),
        ("## A\n\n\n## B\n\nb", "## A\n\nNew.\n\n## B\n\nb"),
        ("## B\n\nb\n\n## A", "## B\n\nb\n\n## A\n\nNew.\n"),
    ):
        unit = read(text).lesson.unit("a")
        assert rewritten(text.encode(), unit.with_text(None, "New.")).decode() == wanted


def test_a_new_title_keeps_the_sections_id() -> None:
    data = b"## Vapour\n\na\n\nRain\n----\n\nb\n\n## Snow {#s}\n\nc\n\n##\n\nd\n"
    vapour, rain, snow, untitled = FORMAT.read(data, "x.md").lesson.units
    out = rewritten(
        data,
        vapour.with_text("title", "Vapour!"),
        rain.with_text("title", "Rains"),
        snow.with_text("title", "Snows"),
        untitled.with_text("title", "Section"),
    )
    assert out == b"## Vapour!\n\na\n\nRains {#rain}\n----\n\nb\n\n## Snows {#s}\n\nc\n\n## Section\n\nd\n"
    assert [unit.id for unit in FORMAT.read(out, "x.md").lesson.units] == ["vapour", "rain", "s", "section"]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("title", ""),
        ("title", "two\nlines"),
        ("title", "Vapour #"),
        (None, "a\n\n## A new section\n\nb"),
        (None, "\n\nblank lines before"),
        (None, "```\nan open fence"),
        (None, ""),
        (None, "carriage\r\nreturn"),
        (None, "lone \ud800"),
        (None, "a NUL \x00"),
    ],
)
def test_what_would_not_read_back_is_refused(field: str | None, text: str) -> None:
    unit = read(LESSON).lesson.unit("vapour")
    if (field, text) == (None, ""):
        out = FORMAT.read(rewritten(LESSON.encode(), unit.with_text(None, "")), "x.md").lesson
        assert out.unit("vapour").text == ""
        return
    with pytest.raises(InputError) as raised:
        rewritten(LESSON.encode(), unit.with_text(field, text))
    assert raised.value.code == "cannot_write_back" and "'vapour'" in raised.value.message


def test_slugs() -> None:
    assert slug("What's new, Dr. X?") == "what-s-new-dr-x"
    assert slug("???") == "section" and len(slug("word " * 100)) <= 80
    assert slug("नमस्ते") == "नमस्ते"
