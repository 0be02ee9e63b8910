"""Edits on the units of every kind: each changes the one text that it names, and nothing else of the unit."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.documents import Unit
from burnish.core.edits import protected_parts
from burnish.core.replies import EditPart, EditReply
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.replies import edits_of
from burnish.kinds.questions.model import Item, Metadata, Option, Question
from tests.core.edit_lists import Text, applied, assert_kept, assert_only_that, edit_lists, texts

CASES = settings(max_examples=max(settings().max_examples, 100))


def question(draw: st.DrawFn) -> tuple[Unit, Mapping[Any, Text]]:
    """Also one with two options of one letter, of which only the later one has a name."""
    first, second, third = draw(texts()), draw(texts(0)), draw(texts(0))
    options = [Option(key=key, text=f"{key} of {place}") for place, key in enumerate(draw(st.sampled_from(LETTERS)))]
    item = Item(stem=third.text, options=(*options[:2],), correct_answer="A")
    unit = Question.model_validate(
        {
            "id": "u",
            "stem": first.text,
            "rationale": second.text,
            "options": options,
            "correct_answer": "A",
            "items": [Item(stem="Another one", correct_answer="B"), item],
            "metadata": Metadata(difficulty="hard", keywords=("a", "b")),
            "points": 3,
        }
    )
    return unit, {"stem": first, "rationale": second, "items.1.stem": third}


LETTERS = ("ABC", "ABA", "AAB", "A")


def lesson(draw: st.DrawFn) -> tuple[Unit, Mapping[Any, Text]]:
    first, second = draw(texts()), draw(texts(0))
    fields = {"title": "A title", None: first.text, "solution": second.text}
    return LessonUnit("u", "section", fields, carried={"code": "x = 1"}), {None: first, "solution": second}


def paragraph(draw: st.DrawFn) -> tuple[Unit, Mapping[Any, Text]]:
    text = draw(texts())
    return Paragraph("u", 1, "paragraph", "The source.", text.text), {None: text}


def seed(draw: st.DrawFn) -> tuple[Unit, Mapping[Any, Text]]:
    words = [f"word{number}" for number in range(draw(st.integers(1, 6)))]
    legos = tuple(Lego(word, word.upper(), 6 * place, 6 * place + 5, 0, 0) for place, word in enumerate(words))
    return Seed("C0001", "0" * 32, " ".join(words), " ".join(words).upper(), "eng-spa", legos), {}


def leaves(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every value of a record that holds no others, with its place."""
    if isinstance(record, Mapping | list | tuple):
        for name, value in record.items() if isinstance(record, Mapping) else enumerate(record):
            yield from leaves(value, (*path, name))
    else:
        yield path, record


def record_of(unit: Any) -> dict[tuple[Any, ...], Any]:
    """All of a unit as its run writes it; the places of a LEGO follow its text."""
    record = unit.model_dump(mode="json") if isinstance(unit, Question) else unit.as_record()
    return {
        path: value for path, value in leaves(record) if "start" not in str(path[-1]) and "end" not in str(path[-1])
    }


@pytest.mark.parametrize("make", [question, lesson, paragraph, seed], ids=lambda make: make.__name__)
@CASES
@given(data=st.data())
def test_edits_do_what_they_say_or_nothing(make: Any, data: st.DataObject) -> None:
    unit, made = data.draw(st.composite(make)())
    edits = data.draw(edit_lists(unit))
    allowed = data.draw(st.sampled_from((None, None, None, (), frozenset(unit.texts()), [next(iter(unit.texts()))])))
    after = applied(unit, edits, allowed)
    if after is None:
        return
    assert_only_that(unit, after, edits, allowed)
    for field in {edit.field for edit in edits} & set(made):
        assert_kept(made[field], after.texts()[field])
    old, new = record_of(unit), record_of(after)
    named = [(unit.texts()[field], after.texts()[field]) for field in {edit.field for edit in edits}]
    changed = [(old[place] or "", new[place]) for place in old if old[place] != new[place]]
    assert old.keys() == new.keys()
    assert sorted(changed) == sorted(pair for pair in named if pair[0] != pair[1])


@CASES
@given(texts(), st.data())
def test_edits_of_a_translation_keep_what_the_source_holds(text: Text, data: st.DataObject) -> None:
    unit = Paragraph("u", 1, "paragraph", text.text, text.text)
    edits = data.draw(edit_lists(unit))
    parts = [EditPart(unit=edit.unit, field=edit.field, find=edit.find, replace=edit.replace) for edit in edits]
    answered = edits_of(EditReply(reasoning="", edits=parts), [unit], lambda text, paragraph: None)
    if (after := answered.usable.get("u")) is not None:
        assert sorted(protected_parts(after)) == sorted(protected_parts(text.text))
        assert_kept(text, after)
