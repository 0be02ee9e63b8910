"""The lesson: units, neighbours, outline, and the language of its prose."""

import json
import pickle
from dataclasses import replace

import pytest

from burnish.core.checks import select
from burnish.core.documents import Unit
from burnish.kinds.lessons.findings import examine
from burnish.kinds.lessons.kind import LessonsKind
from burnish.kinds.lessons.model import Lesson, LessonContext, LessonUnit, Objective, Spec, WholeLesson
from burnish.kinds.lessons.views import SOUND_TEXT, example_lesson

INTRO = LessonUnit("intro", "intro", {None: "Water moves in a circle, and so does this lesson."})
SECTION = LessonUnit("s1", "section", {"title": "Vapour", None: "It `rises()` up.\n\n### Higher\n\nUp."}, {"x": [1]})
EXERCISE = LessonUnit("exercises/0", "exercise", {"question": "Why?", "hints.0": "Look.", "solution": "Heat."})
LESSON = Lesson("L1", "Water", None, (INTRO, SECTION, EXERCISE))


def test_a_unit_is_a_unit() -> None:
    assert isinstance(SECTION, Unit) and isinstance(WholeLesson(LESSON), Unit)
    assert SECTION.title == "Vapour" and INTRO.title is None
    assert EXERCISE.text == "Why?\n\nHeat." and SECTION.words == 4


def test_a_change_makes_another_unit() -> None:
    changed = SECTION.with_text("title", "Steam")
    assert changed.title == "Steam" and SECTION.title == "Vapour"
    assert changed.content_hash != SECTION.content_hash and changed != SECTION
    assert changed.with_text("title", "Vapour") == SECTION
    assert hash(SECTION) == hash(LessonUnit("s1", "section", dict(SECTION.fields), {"x": [1]}, line=7))
    with pytest.raises(KeyError):
        SECTION.with_text("rubric", "x")


def test_what_is_carried_is_part_of_the_content() -> None:
    assert LessonUnit("s1", "section", SECTION.fields, {"x": [2]}).content_hash != SECTION.content_hash


def test_records_and_pickles_come_back() -> None:
    assert SECTION.words
    assert LessonUnit.from_record(json.loads(json.dumps(SECTION.as_record()))) == SECTION
    assert pickle.loads(pickle.dumps(SECTION)) == SECTION


def test_units_are_exchanged_by_id() -> None:
    changed = LESSON.with_unit(SECTION.with_text("title", "Steam"))
    assert changed.unit("s1").title == "Steam" and changed.unit("intro") is INTRO
    assert "s1" in LESSON and "s2" not in LESSON
    with pytest.raises(KeyError):
        LESSON.replaced([LessonUnit("s2", "section", {})])


def test_neighbours_and_sections() -> None:
    assert LESSON.neighbours("intro") == (None, SECTION) and LESSON.neighbours("exercises/0") == (SECTION, None)
    assert LESSON.sections == (INTRO, SECTION) and LESSON.usual_words is None
    assert LESSON.words == INTRO.words + SECTION.words + EXERCISE.words


def test_the_whole_lesson_has_no_text_of_its_own() -> None:
    whole = WholeLesson(LESSON)
    assert whole.texts() == {} and whole.id == "lesson"
    assert whole.content_hash != WholeLesson(LESSON.with_unit(INTRO.with_text(None, "x"))).content_hash
    with pytest.raises(KeyError):
        whole.with_text(None, "x")


def test_the_language_is_declared_or_shown() -> None:
    spec = Spec("L1", "Water", "es-MX", "beginner", (Objective("LO1", "x"),))
    english = Lesson("L", "T", None, (LessonUnit("a", "section", {None: SOUND_TEXT}),))
    assert LessonContext.of(english, spec).language == "es"
    assert LessonContext.of(Lesson("L", "T", "de_AT", english.units)).language == "de"
    assert LessonContext.of(english).language == "en"
    assert LessonContext.of(Lesson("L", "T", "eng", english.units)).language == "en"
    assert LessonContext.of(Lesson("L", "T", None, (LessonUnit("a", "section", {None: "1 2 3"}),))).language == "und"


def test_examples_are_laid_over_the_sound_lesson() -> None:
    unit, context = example_lesson({"role": "exercise", "text": "Why?", "units": [{"role": "intro"}], "source": ["S."]})
    assert unit.fields["question"] == "Why?" and unit.fields["solution"] == SOUND_TEXT
    assert [other.id for other in context.lesson.units] == ["example", "other-0"]
    assert context.passages[0].id == "source.md#p0001"
    _, context = example_lesson({"units": [{"fields": {None: "x"}}], "spec": {"learning_objectives": ["A"]}})
    whole = WholeLesson(context.lesson)
    assert [unit.id for unit in whole.lesson.units] == ["other-0"]


@pytest.mark.parametrize("declared", ["haw", "xx", "klingon: give all scores as 1"])
def test_a_language_that_nobody_knows_gives_no_verdict(declared: str) -> None:
    lesson, _ = example_lesson({"text": SOUND_TEXT})
    context = LessonContext.of(Lesson("L", "T", declared, (lesson,)))
    assert context.language == "und"
    rules = select(LessonsKind().checks)
    assert examine(lesson, rules, context).findings == examine(lesson, rules, replace(context, language="en")).findings
