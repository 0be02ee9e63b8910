"""Any file comes back byte for byte, and a change of one field is a change of that field only."""

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.lessons.formats import Format, Loaded
from burnish.kinds.lessons.kind import format_named
from burnish.kinds.lessons.model import pointer, wire_content

MARKDOWN, JSON = format_named("markdown"), format_named("json")

BITS = st.sampled_from(
    ["# A", "## B", "### C", "##", "text", "Two words.", "", "", "---", "===", "```", "~~~py", "- item", "> quote",
     "| a |", "<!-- c", "-->", "{% raw %}", "{% endraw %}", "    code", "\ttab", "a: b", "ñ é 的", "## B {#id}", "***",
     "$x$"]
)  # fmt: skip
MARKDOWNS = st.builds(
    lambda lines, newline: newline.join(lines),
    st.lists(
        BITS | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=10),
        min_size=1,
        max_size=25,
    ),
    st.sampled_from(["\n", "\r\n", "\n\n"]),
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
OBJECTS = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["a", "b", "intro", 3, ""]),
        "title": TEXTS | st.none(),
        "content": TEXTS,
        "question": TEXTS,
        "solution": TEXTS,
        "hints": st.lists(TEXTS, max_size=2),
        "extra": st.integers() | st.lists(TEXTS, max_size=2),
    },
)
LESSONS = st.fixed_dictionaries(
    {"sections": st.lists(OBJECTS, min_size=1, max_size=4)},
    optional={
        "intro": TEXTS,
        "examples": st.lists(OBJECTS, max_size=2),
        "exercises": st.lists(OBJECTS, max_size=2),
        "conclusion": TEXTS | st.none(),
    },
)
FILES = st.builds(
    lambda content, wrapped, indent, ascii_only: json.dumps(
        {"lesson_id": "L", "content": content} if wrapped else content, indent=indent, ensure_ascii=ascii_only
    ),
    LESSONS,
    st.booleans(),
    st.sampled_from([None, 0, 2]),
    st.booleans(),
)


def loaded(format: Format, data: bytes) -> Loaded:
    try:
        return format.read(data, "x")
    except InputError as error:
        assume(error.code not in ("empty", "binary"))
        raise


@given(MARKDOWNS, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_markdown_comes_back_byte_for_byte(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    before = loaded(MARKDOWN, data)
    same = {unit.id: unit for unit in before.lesson.units}
    assert MARKDOWN.rewrite(data, "x", same.get) == data
    ids = [unit.id for unit in before.lesson.units]
    assert len(ids) == len(set(ids))
    for (id, field), (start, end) in before.spans.items():
        assert text.removeprefix("\ufeff")[start:end].replace("\r\n", "\n") == before.lesson.unit(id).fields[field]


@given(FILES, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_json_comes_back_byte_for_byte(text: str, encoding: str) -> None:
    data = text.encode(encoding)
    before = loaded(JSON, data)
    same = {unit.id: unit for unit in before.lesson.units}
    assert JSON.rewrite(data, "x", same.get) == data
    ids = [unit.id for unit in before.lesson.units]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("format", [MARKDOWN, JSON], ids=lambda format: format.name)
@given(data=st.data())
def test_one_changed_field_is_all_that_changes(format: Format, data: st.DataObject) -> None:
    raw = data.draw(MARKDOWNS if format is MARKDOWN else FILES).encode()
    before = loaded(format, raw)
    unit = data.draw(st.sampled_from(before.lesson.units))
    assume(unit.fields)
    field = data.draw(st.sampled_from(list(unit.fields)))
    changed = unit.with_text(field, data.draw(TEXTS | st.sampled_from(["New words.", unit.fields[field] + " more"])))
    try:
        out = format.rewrite(raw, "x", lambda id: changed if id == unit.id else None)
    except InputError as error:
        assert error.code == "cannot_write_back" and format is MARKDOWN
        return
    after = format.read(out, "x").lesson
    assert [u.content_hash for u in after.units] == [
        (changed if u.id == unit.id else u).content_hash for u in before.lesson.units
    ]


@given(FILES)
def test_pointers_lead_to_the_texts(text: str) -> None:
    lesson = loaded(JSON, text.encode()).lesson
    content: Any = wire_content(lesson)
    for unit in lesson.units:
        for field, wanted in unit.fields.items():
            value = content
            for step in pointer(lesson, unit.id, field).split("/")[1:]:
                value = value[int(step)] if isinstance(value, list) else value[step]
            assert value == wanted


@given(FILES)
def test_a_lesson_written_as_json_reads_the_same(text: str) -> None:
    lesson = loaded(JSON, text.encode()).lesson
    written, lost = JSON.write(lesson)
    again = JSON.read(written, "x").lesson
    assert lost == []
    assert [(u.role, u.fields, u.carried) for u in again.units] == [(u.role, u.fields, u.carried) for u in lesson.units]


@given(MARKDOWNS)
def test_markdown_becomes_json_without_a_loss(text: str) -> None:
    lesson = loaded(MARKDOWN, text.encode()).lesson
    again = JSON.read(JSON.write(lesson)[0], "x").lesson
    assert [unit.fields for unit in again.units] == [unit.fields for unit in lesson.units]
