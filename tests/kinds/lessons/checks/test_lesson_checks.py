"""The lesson checks beyond their own examples."""

from typing import Any

import pytest

from burnish.core.checks import Check, run_checks, select
from burnish.core.findings import Finding
from burnish.kinds.lessons.checks.objective_coverage import objective_coverage
from burnish.kinds.lessons.checks.reading_difficulty import difficulty, reading_difficulty
from burnish.kinds.lessons.checks.required_parts import required_parts
from burnish.kinds.lessons.checks.section_length import section_length
from burnish.kinds.lessons.checks.source_numbers import source_numbers
from burnish.kinds.lessons.views import example_lesson, example_of

LONG = "One two three four five six seven eight nine ten " * 4


def raised(check: Check, example: dict[str, Any]) -> list[Finding]:
    unit, context = example_of(check, example)
    return run_checks(select([check]), [check], unit, context)


def test_the_finding_names_both_numbers_and_the_passage() -> None:
    [finding] = raised(
        source_numbers,
        {
            "text": "Intro.\n\nThe bridge over the **river** was opened on 3 May 1931 by the mayor of the town.",
            "source": ["Nothing here.", "The bridge over the river was opened on 3 May 1932 by the mayor of the town."],
        },
    )
    assert finding.quote == "3 May 1931" and finding.severity == "warning"
    assert "'3 May 1932'" in finding.message and "source.md#p0002" in finding.message


@pytest.mark.parametrize(
    "text",
    [
        "The bridge over the river was opened in 1932 by the mayor of the town.",
        "The bridge over the river was opened before 1940 by the mayor of the town.",
        "The bridge over the Danube was opened in 1931 by the mayor of the town.",
        "The bridge over the river, opened in 1931, was closed in 1950 by the mayor of the town.",
        "Code: `The bridge over the river was opened in 1931 by the mayor of the town.`",
        "A ship left the harbour in 1931.",
    ],
)
def test_where_there_is_doubt_nothing_is_said(text: str) -> None:
    source = ["The bridge over the river was opened in 1932 by the mayor of the town."]
    assert raised(source_numbers, {"text": text, "source": source}) == []


def test_a_number_that_stands_elsewhere_in_the_source_is_fine() -> None:
    text = "The bridge over the river was opened in 1931 by the mayor of the town."
    source = ["The bridge over the river was opened in 1932 by the mayor of the town.", "The old bridge: opened 1931."]
    assert raised(source_numbers, {"text": text, "source": source}) == []


def test_a_page_is_a_lesson_of_one_section_and_no_introduction_a_warning() -> None:
    assert raised(required_parts, {"units": ({"role": "intro", "text": LONG},)}) == []
    assert [f.severity for f in raised(required_parts, {"units": ({"role": "exercise"},)})] == ["error"]
    long = {"title": "Vapour", "text": LONG * 20}
    assert [f.severity for f in raised(required_parts, {"units": (long, long)})] == ["warning"]


def test_parts_that_the_spec_orders() -> None:
    spec = {"extra": {"required_parts": ["intro", "conclusion", "examples", "songs"]}}
    found = raised(required_parts, {"units": ({"role": "intro"}, {"title": "Rain"}), "spec": spec})
    assert [f.message for f in found] == [
        "The lesson has no conclusion, which the specification asks for.",
        "The lesson has no examples, which the specification asks for.",
    ]
    ended = {"units": ({"role": "intro"}, {"title": "Summary and outlook"}, {"role": "example"}), "spec": spec}
    assert raised(required_parts, ended) == []


def test_long_sections_with_headings_are_no_wall_of_text() -> None:
    others = [{"text": LONG * 3}] * 3
    wall = LONG * 60
    parted = "\n\n".join(f"### Part {n}\n\n{LONG * 10}" for n in range(6))
    assert raised(section_length, {"text": wall, "units": others})
    assert raised(section_length, {"text": parted, "units": others}) == []
    assert raised(section_length, {"role": "intro", "text": "Short.", "units": others}) == []


def test_hard_words_are_named() -> None:
    text = "Internationalisation notwithstanding, characteristically misunderstood interdependencies proliferate. " * 25
    [finding] = raised(reading_difficulty, {"text": text})
    assert "letters on average" in finding.message
    assert raised(reading_difficulty, {"text": text, "language": "th"}) == []
    [exercise] = raised(reading_difficulty, {"text": text, "role": "exercise"})
    assert exercise.field == "question"


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("Beginner", "beginner"),
        ("upper-intermediate", "intermediate"),
        ("3", "advanced"),
        ("hard", "advanced"),
        ("?", None),
    ],
)
def test_difficulties(said: str, level: str | None) -> None:
    _, context = example_lesson({"spec": {"difficulty": said}})
    assert difficulty(context.spec) == level
    assert difficulty(None) is None


def test_objectives_in_another_language_cannot_be_compared() -> None:
    spec = {"learning_objectives": ["Explicar cómo funciona la erupción de los volcanes y de la lava en la tierra"]}
    assert raised(objective_coverage, {"spec": spec}) == []


def test_kin_of_a_word_counts() -> None:
    example = {
        "text": "A photosynthetic cell makes sugar.",
        "spec": {"learning_objectives": ["Explain photosynthesis"]},
    }
    assert raised(objective_coverage, example) == []
    [finding] = raised(objective_coverage, {"spec": example["spec"]})
    assert "LO1: 'Explain photosynthesis'" in finding.message and finding.unit == "lesson"
