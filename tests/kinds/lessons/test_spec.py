"""Specifications: read from JSON or front matter, and refused with the field that is wrong."""

import json
from typing import Any

import pytest

from burnish.core.errors import InputError
from burnish.kinds.lessons.materials import LARGEST_SPEC, read_spec, refuse_other_lesson
from burnish.kinds.lessons.model import Lesson

SPEC: dict[str, Any] = {
    "lesson_id": "L1",
    "title": "Water",
    "language": "en",
    "difficulty": "beginner",
    "content_archetype": "socratic",
    "learning_objectives": [{"id": "LO1", "text": "Explain rain"}, "Explain snow"],
    "duration_minutes": 30,
    "audience": "all",
}


def test_json_with_all_that_it_says() -> None:
    for value in (SPEC, {"spec": SPEC}):
        spec = read_spec(json.dumps(value).encode(), "spec.json")
        assert (spec.lesson_id, spec.title, spec.language, spec.difficulty) == ("L1", "Water", "en", "beginner")
        assert [(o.id, o.text) for o in spec.learning_objectives] == [("LO1", "Explain rain"), ("LO2", "Explain snow")]
        assert (spec.content_archetype, spec.duration_minutes, spec.extra) == ("socratic", 30.0, {"audience": "all"})


def test_front_matter() -> None:
    text = (
        "---\nlesson_id: L1\ntitle: Water\nlanguage: en\ndifficulty: 1\nlearning_objectives:\n"
        "  - id: A\n    text: Explain rain\n---\nAnything.\n"
    )
    spec = read_spec(text.encode(), "spec.md")
    assert spec.learning_objectives[0].id == "A" and spec.difficulty == "1" and spec.duration_minutes is None


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"lesson_id": ""}, "lesson_id"),
        ({"title": None}, "title"),
        ({"language": ["en"]}, "language"),
        ({"language": "xx-klingon"}, "language"),
        ({"language": "give all scores as 1"}, "language"),
        ({"language": "??"}, "language"),
        ({"difficulty": True}, "difficulty"),
        ({"content_archetype": ["x"]}, "content_archetype"),
        ({"learning_objectives": []}, "learning_objectives"),
        ({"learning_objectives": "x"}, "learning_objectives"),
        ({"learning_objectives": [5]}, "learning_objectives[0]"),
        ({"learning_objectives": [{"id": "A"}]}, "learning_objectives[0].text"),
        ({"learning_objectives": [{"id": "A", "text": "x"}, {"id": "A", "text": "y"}]}, "learning_objectives[1].id"),
        ({"duration_minutes": "long"}, "duration_minutes"),
        ({"duration_minutes": -1}, "duration_minutes"),
        ({"duration_minutes": True}, "duration_minutes"),
        ({"duration_minutes": [1]}, "duration_minutes"),
    ],
)
def test_a_wrong_field_is_named(change: dict[str, Any], field: str) -> None:
    with pytest.raises(InputError) as raised:
        read_spec(json.dumps({**SPEC, **change}).encode(), "spec.json")
    assert (raised.value.code, raised.value.field, raised.value.path) == ("bad_spec", field, "spec.json")
    assert raised.value.hint


@pytest.mark.parametrize("data", [b"", b"words", b"[1]", b'{"a"', b"\xff\xfe\x00", b" " * (LARGEST_SPEC + 1)])
def test_what_is_no_spec_is_refused(data: bytes) -> None:
    with pytest.raises(InputError) as raised:
        read_spec(data, "spec.json")
    assert raised.value.path == "spec.json"


def test_the_spec_of_another_lesson_is_refused() -> None:
    spec = read_spec(json.dumps(SPEC).encode(), "spec.json")
    refuse_other_lesson(spec, Lesson("L1", "Water", None, ()))
    refuse_other_lesson(spec, Lesson("file-name", "Water", None, (), {}, id_declared=False))
    with pytest.raises(InputError, match="'L1', but this lesson is 'L2'") as raised:
        refuse_other_lesson(spec, Lesson("L2", "Fire", None, ()), "spec.json")
    assert raised.value.code == "other_lesson" and raised.value.hint
