"""A2, limits before trees: what would cost much more than its size is refused before it is read, or done in little."""

from __future__ import annotations

import io
import tracemalloc

import pytest

from burnish.core.checks import run_checks, select
from burnish.core.errors import InputError
from burnish.kinds.legos.model import Course
from burnish.kinds.legos.phrases import AlignedSeed, Languages
from burnish.kinds.lessons.checks.broken_list import broken_lists
from burnish.kinds.lessons.checks.source_numbers import source_numbers
from burnish.kinds.lessons.formats import MOST_MARKS
from burnish.kinds.lessons.markdown_lesson import MarkdownLesson
from burnish.kinds.lessons.views import example_lesson
from burnish.kinds.questions.formats import format_named
from burnish.text.markdown import markdown
from tests.abuse.linearity import Work, steepness
from tests.abuse.loader_bombs import CHOICE

# Tracing costs by the line, not by the work.
pytestmark = pytest.mark.no_cover

NUMBERS = select((source_numbers,))
LESSON = "# Title\n\nSome words.\n\n"


def _nested(size: int) -> Work:
    """Items so deep in lists that the start of their line is far away."""
    opening = "".join(f"{'  ' * level}- a\n" for level in range(20))
    view = markdown(opening + f"{'  ' * 20}- a\n" * size, is_kept=False)
    return lambda: list(broken_lists(view))


def test_nested_lists() -> None:
    assert steepness(_nested, 300) is None


@pytest.mark.parametrize("again", ["*a_ ", "[a", "`", "$ "])
def test_a_lesson_of_marks_is_refused_before_it_is_parsed(again: str) -> None:
    text = LESSON + again * (MOST_MARKS + 1)
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as refused:
            MarkdownLesson().read(text.encode(), "lesson.md")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert refused.value.code == "too_complex"
    assert most < 20 * len(text), "the file is held a few times, and no tree of it"


def _numbers(size: int) -> Work:
    """A lesson and its source, in which every sentence is about the same and has a number of its own."""
    said = [f"The Treaty of Utrecht number {n} was signed in {1000 + n} by the powers of Europe." for n in range(size)]
    unit, context = example_lesson({"text": " ".join(said), "source": (" ".join(reversed(said)),)})
    return lambda: run_checks(NUMBERS, (source_numbers,), unit, context)


def test_numbers_of_a_source() -> None:
    assert steepness(_numbers, 150) is None


def _phrases(size: int) -> Work:
    """A long pair of sentences whose words are linked one by one: how sure each short phrase is."""
    text = " ".join(f"word{n}" for n in range(size))
    links = {(n, n): 0.9 for n in range(size)}
    aligned = AlignedSeed(text, text, links, Languages.of(Course.of("deu_for_eng")))
    return lambda: [aligned.confidence((n, n + 2), (n, n + 2)) for n in range(size - 2)]


def test_how_sure_the_phrases_of_a_long_sentence_are() -> None:
    assert steepness(_phrases, 200) is None


def test_an_element_of_attributes_is_refused() -> None:
    attributes = " ".join(f'a{number}="x"' for number in range(2_000))
    item = CHOICE.replace("<itemBody>", f"<itemBody {attributes}>").format(body="", more="")
    with pytest.raises(InputError) as refused:
        list(format_named("qti").read(io.BytesIO(item.encode()), "item.xml"))
    assert refused.value.code == "too_complex"
