"""Pairing an existing translation: block by block, and where the two part it is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from burnish.core.documents import Problem
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.block_fit import pairs
from burnish.kinds.manuscripts.formats import BookFormat
from burnish.kinds.manuscripts.model import Paragraph
from tests.kinds.manuscripts.manuscript_texts import paragraphs_of, sources

ENGLISH = "The old banker was pacing from corner to corner of his study and he was recalling the party that he gave."
SPANISH = "El viejo banquero paseaba de un rincón a otro de su despacho y recordaba la fiesta que dio en el otoño."


def paired(source: str, target: str, format: BookFormat = "markdown") -> tuple[list[tuple[str, str]], list[Problem]]:
    found = list(pairs(source.encode(), target.encode(), ("s", "t"), (format, format)))
    units = [(part.text, part.translation) for part in found if isinstance(part, Paragraph)]
    return units, [part for part in found if isinstance(part, Problem)]


def test_texts_are_paired_paragraph_by_paragraph() -> None:
    assert paired("a\nb\n\nc\n", "x\n\n\ny\nz\n", "text") == ([("a\nb", "x"), ("c", "y\nz")], [])


def test_markdown_is_paired_block_by_block_without_what_is_carried() -> None:
    source = "# A\n\n```\nx\n```\n\n- b\n- c\n\n> d\n"
    target = "# 1\n- 2\n- 3\n\n> 4\n"
    assert paired(source, target) == ([("A", "1"), ("b", "2"), ("c", "3"), ("d", "4")], [])


def test_unequal_texts_are_paired_as_far_as_they_go() -> None:
    units, [problem] = paired("a\n\nb\n\nc\n\nd\n", "x\n\ny\n", "text")
    assert units == [("a", "x"), ("b", "y")]
    assert (problem.code, problem.unit, problem.line) == ("bitext_parts", "p_0003", None)
    assert "line 5" in problem.message and "2 paragraphs of the source" in problem.message and problem.hint
    _, [longer] = paired("a\n", "x\n\ny\n", "text")
    assert (longer.unit, longer.line, longer.path) == (None, 3, "t")


def test_a_section_that_parts_disturbs_no_other() -> None:
    units, told = paired("p\n\n# A\n\na\n\nb\n\n# B\n\nc\n", "q\n\n# 1\n\n2\n\n# 3\n\n4\n")
    assert units == [("p", "q"), ("A", "1"), ("a", "2"), ("B", "3"), ("c", "4")]
    assert [problem.unit for problem in told] == ["p_0004"]


def test_blocks_of_other_kinds_part() -> None:
    units, [problem] = paired("a\n\n- b\n\nc\n", "x\n\ny\n\n- z\n")
    assert (
        units == [("a", "x")] and "a list on line 3" in problem.message and "a paragraph on line 3" in problem.message
    )


def test_other_headings_pair_from_the_beginning() -> None:
    units, told = paired("# A\n\na\n", "## 1\n\n2\n")
    assert units == [] and len(told) == 1
    units, told = paired("One\n===\n\na\n", "# Uno\n\nb\n")
    assert units == [] and len(told) == 1


def test_a_text_may_stand_against_markdown() -> None:
    found = list(pairs(b"Title\n\nwords\n", b"# T\n\nw\n", ("s.txt", "t.md"), ("text", "markdown")))
    assert [part.translation for part in found if isinstance(part, Paragraph)] == ["T", "w"]


def test_languages_are_those_of_the_unit_or_of_its_file() -> None:
    source = f"# Yes\n\n{ENGLISH}\n\n{SPANISH}\n"
    target = f"# Sí\n\n{SPANISH}\n\n{SPANISH}\n"
    found = list(pairs(source.encode(), target.encode(), ("s", "t"), ("markdown", "markdown")))
    assert [(p.source_language, p.target_language) for p in found if isinstance(p, Paragraph)] == [
        ("en", "es"),
        ("en", "es"),
        ("es", "es"),
    ]


def test_problems_of_both_files_are_told_and_an_empty_one_is_refused() -> None:
    _, told = paired("a\n\n```\nx\n", "b\n")
    assert [problem.code for problem in told] == ["never_closed"]
    with pytest.raises(InputError):
        paired("a", "\n")


def test_a_long_file_tells_its_language_from_its_beginning() -> None:
    source, target = (f"{text}\n\n" * 40 for text in (ENGLISH, SPANISH))
    units = [
        p for p in pairs(source.encode(), target.encode(), ("s", "t"), ("text", "text")) if isinstance(p, Paragraph)
    ]
    assert len(units) == 40 and {(p.source_language, p.target_language) for p in units} == {("en", "es")}


@given(source=sources)
@settings(max_examples=60, deadline=None)
def test_a_text_is_paired_with_itself(source: str) -> None:
    wanted = [p.text for p in paragraphs_of(source) if p.excluded is None]
    if wanted:
        units, told = paired(source, source)
        assert units == [(text, text) for text in wanted]
        assert "bitext_parts" not in {problem.code for problem in told}


ENGLISH = (
    "The old men of the village are sitting in front of their houses and talk about the sea.",
    "He has many boats and he does not want to sell any of them to the rich man.",
)
SPANISH = "Los viejos del pueblo están sentados delante de sus casas y hablan del mar que conocen."


def test_a_paragraph_that_was_left_as_it_was_is_judged_in_the_language_of_its_file() -> None:
    target = "\n\n".join((SPANISH, SPANISH, ENGLISH[1]))
    source = "\n\n".join((ENGLISH[0], ENGLISH[0], ENGLISH[1]))
    found = list(pairs(source.encode(), target.encode(), ("a.txt", "b.txt"), ("text", "text")))
    left = found[-1]
    assert isinstance(left, Paragraph)
    assert (left.source_language, left.target_language) == ("en", "es")


def test_two_files_in_one_language_are_told() -> None:
    text = "\n\n".join(ENGLISH).encode()
    first = next(pairs(text, text, ("a.txt", "b.txt"), ("text", "text")))
    assert isinstance(first, Problem) and first.code == "same_language"
