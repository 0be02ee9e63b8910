"""The searchable source: which text counts as one."""

from burnish.kinds.lessons.progress import source_index
from burnish.kinds.lessons.views import example_lesson


def test_a_source_that_shares_no_word_with_the_lesson_is_none() -> None:
    _, context = example_lesson({"source": ["Quarterly dividends accrue pursuant to statute."]})
    assert source_index(context) is None


def test_a_source_that_speaks_of_the_same_things_can_be_searched() -> None:
    _, context = example_lesson({"source": ["Vapour becomes clouds when it cools."]})
    index = source_index(context)
    assert index is not None
    assert [hit.passage.id for hit in index.search("clouds")] == ["source.md#p0001"]


def test_no_source_is_none() -> None:
    _, context = example_lesson({})
    assert source_index(context) is None
