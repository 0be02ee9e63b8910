"""Lessons as JSON: read, and written back in their own manner."""

import json
from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.kinds.lessons.formats import LARGEST, MOST_UNITS, Loaded
from burnish.kinds.lessons.kind import format_named
from burnish.kinds.lessons.model import LessonUnit, wire_content

FORMAT = format_named("json")
CONTENT: dict[str, Any] = {
    "intro": "Water moves.",
    "sections": [
        {"id": "s1", "title": "Vapour", "content": "It rises.", "citations": ["a"], "x": 1},
        {"id": "s2", "title": "Rain", "content": "It falls."},
    ],
    "examples": [{"title": "A kettle", "content": "It boils.", "code": "boil()"}],
    "exercises": [
        {"question": "Why?", "hints": ["Look up.", "Look down."], "solution": "Heat.", "grading_rubric": "1 point"},
        {"question": "When?", "solution": "Always."},
    ],
    "conclusion": "Water returns.",
}
LESSON = {"lesson_id": "L1", "title": "Water", "content": CONTENT, "owner": "me"}


def read(value: Any, path: str = "lessons/water.json") -> Loaded:
    return FORMAT.read(json.dumps(value).encode(), path)


def codes(loaded: Loaded) -> list[tuple[str, str | None, str | None]]:
    return [(problem.code, problem.field, problem.unit) for problem in loaded.problems]


def test_every_unit_with_its_fields() -> None:
    loaded = read(LESSON)
    lesson = loaded.lesson
    assert (lesson.lesson_id, lesson.title, lesson.language, lesson.id_declared) == ("L1", "Water", None, True)
    assert [(unit.id, unit.role, dict(unit.fields), dict(unit.carried)) for unit in lesson.units] == [
        ("intro", "intro", {None: "Water moves."}, {}),
        ("s1", "section", {"title": "Vapour", None: "It rises."}, {"citations": ["a"], "x": 1}),
        ("s2", "section", {"title": "Rain", None: "It falls."}, {}),
        ("examples/0", "example", {"title": "A kettle", None: "It boils."}, {"code": "boil()"}),
        (
            "exercises/0",
            "exercise",
            {
                "question": "Why?",
                "hints.0": "Look up.",
                "hints.1": "Look down.",
                "solution": "Heat.",
                "grading_rubric": "1 point",
            },
            {},
        ),
        ("exercises/1", "exercise", {"question": "When?", "solution": "Always."}, {}),
        ("conclusion", "conclusion", {None: "Water returns."}, {}),
    ]
    assert lesson.details == {"owner": "me"} and loaded.problems == ()


def test_the_content_alone_is_a_lesson_named_by_its_file() -> None:
    lesson = read({**CONTENT, "language": "en", "mood": "calm"}).lesson
    assert (lesson.lesson_id, lesson.title, lesson.language, lesson.id_declared) == ("water", "water", "en", False)
    assert lesson.details == {"mood": "calm"} and len(lesson.units) == 7


def test_unknown_members_of_the_content_are_kept() -> None:
    assert read({"content": {**CONTENT, "mood": "calm"}}).lesson.details == {"content": {"mood": "calm"}}


def test_units_know_their_lines() -> None:
    data = json.dumps(LESSON, indent=1)
    loaded = FORMAT.read(data.encode(), "x.json")
    assert data.split("\n")[(loaded.lesson.unit("s2").line or 0)].strip() == '"id": "s2",'
    start, end = loaded.spans["s2", None]
    assert data[start:end] == "It falls."


def test_a_spec_in_the_same_file() -> None:
    spec = {
        "lesson_id": "L1",
        "title": "Water",
        "language": "en",
        "difficulty": "beginner",
        "learning_objectives": [{"id": "LO1", "text": "Explain rain"}],
    }
    loaded = read({"content": CONTENT, "spec": spec})
    assert loaded.spec is not None and loaded.spec.learning_objectives[0].text == "Explain rain"
    assert (loaded.lesson.lesson_id, loaded.lesson.language) == ("L1", "en")
    bad = read({"content": CONTENT, "spec": {**spec, "title": ""}})
    assert bad.spec is None and codes(bad) == [("bad_spec", "spec.title", None)]


def test_ids_are_made_unique_by_position_and_told() -> None:
    sections = [
        {"id": "a", "title": "A", "content": "x"},
        {"id": "a", "title": "B", "content": "x"},
        {"title": "C", "content": "x"},
        {"id": "intro", "title": "D", "content": "x"},
        {"id": 7, "title": "E", "content": "x"},
        {"id": "exercises/0", "title": "F", "content": "x"},
        {"id": "bell\x07", "title": "G", "content": "x"},
        {"id": "a#2", "title": "H", "content": "x"},
        {"id": "", "title": "I", "content": "x"},
    ]
    loaded = read({"content": {"sections": sections, "exercises": [{"question": "Q", "solution": "S"}]}})
    ids = [unit.id for unit in loaded.lesson.units]
    assert ids == [
        "a",
        "a#2",
        "section-3",
        "intro#4",
        "7",
        "exercises/0#6",
        "section-7",
        "a#2#8",
        "section-9",
        "exercises/0",
    ]
    assert codes(loaded)[:2] == [
        ("duplicate_id", "content.sections[1].id", "a#2"),
        ("missing_id", "content.sections[2].id", "section-3"),
    ]
    assert [code for code, *_ in codes(loaded)[2:]] == [
        "duplicate_id",
        "duplicate_id",
        "bad_id",
        "duplicate_id",
        "missing_id",
    ]
    assert all(problem.line and problem.hint for problem in loaded.problems)


@pytest.mark.parametrize("rubric", [{"points": [1, {"for": "heat"}]}, ["heat", 2], None, 3, {}, []])
def test_a_rubric_of_any_make_and_null_for_nothing_are_carried_in_silence(rubric: Any) -> None:
    exercise = {"question": "Why?", "hints": None, "solution": "Heat.", "grading_rubric": rubric}
    content = {"intro": "Water moves.", "sections": [], "examples": [], "exercises": [exercise], "conclusion": None}
    for whole in ({"lesson_id": "L1", "content": content}, content):
        loaded = read(whole)
        assert codes(loaded) == []
        intro, only = loaded.lesson.units
        assert intro.role == "intro" and dict(only.fields) == {"question": "Why?", "solution": "Heat."}
        assert only.carried == {"hints": None, "grading_rubric": rubric}
        assert wire_content(loaded.lesson) == content
    data = json.dumps(content).encode()
    assert rewritten(data, only.with_text("solution", "The sun.")) == data.replace(b"Heat.", b"The sun.")


def test_what_has_to_be_there_is_empty_where_it_is_null() -> None:
    loaded = read({"intro": None, "sections": [], "exercises": [{"question": "Why?", "solution": None}]})
    assert [dict(unit.fields) for unit in loaded.lesson.units] == [{None: ""}, {"question": "Why?", "solution": ""}]


def test_what_is_no_text_is_carried_and_told() -> None:
    loaded = read(
        {
            "content": {
                "intro": 5,
                "sections": [{"id": "a", "title": ["x"], "content": None}, "no object"],
                "examples": {"title": "x"},
                "exercises": [{"question": "Q", "hints": [1], "solution": "S"}, {"question": "Q", "hints": "H"}],
            }
        }
    )
    assert codes(loaded) == [
        ("wrong_type", "content.intro", None),
        ("wrong_type", "content.sections[0].title", None),
        ("wrong_type", "content.sections[1]", None),
        ("wrong_type", "content.examples", None),
        ("wrong_type", "content.exercises[0].hints", None),
    ]
    section, first, second = loaded.lesson.units
    assert dict(section.fields) == {None: ""} and section.carried == {"title": ["x"]} and section.title is None
    assert first.carried == {"hints": [1]}
    assert dict(second.fields) == {"question": "Q", "hints": "H", "solution": ""} and second.text == "Q"


def refusal(data: bytes) -> InputError:
    with pytest.raises(InputError) as raised:
        FORMAT.read(data, "x.json")
    return raised.value


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"[]", "not_a_lesson"),
        (b'{"content": "text"}', "not_a_lesson"),
        (b'{"content": {}}', "empty"),
        (b'{"sections": []}', "empty"),
        (b'{"content": {"intro": "a", "sections": [{"id"', "truncated"),
        (b'{"content": {"intro": "\xff"}}', "wrong_encoding"),
        (b'{"content": \x00{}}', "binary"),
        (b"[" * 1000, "too_deep"),
        (b" " * (LARGEST + 1), "too_large"),
        (json.dumps({"sections": [{}] * (MOST_UNITS + 1)}).encode(), "too_complex"),
    ],
)
def test_bad_input_is_refused_by_name(data: bytes, code: str) -> None:
    error = refusal(data)
    assert error.code == code and error.path == "x.json" and error.message.endswith(".")


def test_fifty_megabytes_are_refused_before_they_are_parsed() -> None:
    assert refusal(b'{"content": {"intro": "' + b"a" * (50 << 20) + b'"}}').code == "too_large"


def test_a_lesson_without_sections_is_still_read() -> None:
    assert [unit.id for unit in read({"content": {"intro": "Only this."}}).lesson.units] == ["intro"]


def rewritten(data: bytes, *units: LessonUnit) -> bytes:
    changed = {unit.id: unit for unit in units}
    return FORMAT.rewrite(data, "x.json", changed.get)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_only_the_changed_words_change(encoding: str) -> None:
    text = '{ "content" :{"intro":"Caf\\u00e9 \\/ water\\nmoves.","sections":[ ],\r\n"x": 1e5} }\n'
    data = text.encode(encoding)
    unit = FORMAT.read(data, "x.json").lesson.unit("intro")
    assert unit.text == "Café / water\nmoves."
    wanted = text.replace("moves", "moves fast, s\\u00ed")
    assert rewritten(data, unit.with_text(None, "Café / water\nmoves fast, sí.")) == wanted.encode(encoding)
    assert rewritten(data, unit) == data and rewritten(data) == data


def test_letters_beyond_ascii_are_written_as_the_author_writes_them() -> None:
    data = '{"sections": [{"id": "a", "title": "Año", "content": "x"}]}'.encode()
    unit = FORMAT.read(data, "x.json").lesson.unit("a")
    assert rewritten(data, unit.with_text(None, "ñ")) == data.replace(b'"x"', '"ñ"'.encode())


def test_empty_and_missing_fields_can_be_filled() -> None:
    data = b'{"sections": [{"id": "a", "content": null}], "exercises": [{"question": ""}]}'
    section, exercise = FORMAT.read(data, "x.json").lesson.units
    out = rewritten(
        data,
        section.with_text(None, "Text.").with_text("title", "T"),
        exercise.with_text("solution", "S").with_text("question", "Q?"),
    )
    assert out == (
        b'{"sections": [{"id": "a", "content": "Text.", "title": "T"}], '
        b'"exercises": [{"question": "Q?", "solution": "S"}]}'
    )


def test_a_change_that_json_cannot_hold_is_refused() -> None:
    data = json.dumps(LESSON).encode()
    unit = FORMAT.read(data, "x.json").lesson.unit("s1")
    for changed in (
        unit.with_text(None, "lone \ud800"),
        LessonUnit("s1", "section", {"title": "Vapour"}, unit.carried),
        LessonUnit("s1", "section", unit.fields, {}),
    ):
        with pytest.raises(InputError) as raised:
            rewritten(data, changed)
        assert raised.value.code == "cannot_write_back" and raised.value.hint
