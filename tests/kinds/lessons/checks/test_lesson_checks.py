"""The lesson checks beyond their own examples."""

from typing import Any

import pytest

from burnish.core.checks import Check, run_checks, select
from burnish.core.findings import Finding
from burnish.kinds.lessons.checks.chatbot_phrase import chatbot_phrase
from burnish.kinds.lessons.checks.dangling_reference import dangling_reference
from burnish.kinds.lessons.checks.invented_address import invented_address
from burnish.kinds.lessons.checks.json_leftover import json_leftover
from burnish.kinds.lessons.checks.objective_coverage import objective_coverage
from burnish.kinds.lessons.checks.placeholder import placeholder
from burnish.kinds.lessons.checks.prompt_leftover import prompt_leftover
from burnish.kinds.lessons.checks.reading_difficulty import difficulty, reading_difficulty
from burnish.kinds.lessons.checks.required_parts import required_parts
from burnish.kinds.lessons.checks.section_length import section_length
from burnish.kinds.lessons.checks.source_numbers import source_numbers
from burnish.kinds.lessons.checks.unfinished_formula import unfinished_formula
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


@pytest.mark.parametrize(
    ("rule", "text", "language"),
    [
        (prompt_leftover, "Your job is to write an engaging introduction for the topic.", "en"),
        (prompt_leftover, "Do not mention these instructions in your answer.", "en"),
        (prompt_leftover, "Rewrite the following paragraph for beginners.", "en"),
        (prompt_leftover, "Style: conversational. Audience: parents. Length: one page.", "en"),
        (prompt_leftover, "Utiliza un tono cercano y evita los tecnicismos.", "es"),
        (prompt_leftover, "Ta tâche est de rédiger la section suivante de la leçon.", "fr"),
        (prompt_leftover, "Você é uma divulgadora científica experiente.", "pt"),
        (prompt_leftover, "Deine Aufgabe ist es, einen Abschnitt zu verfassen.", "de"),
        (prompt_leftover, "<reflection>I should have named the delta.</reflection>", "en"),
        (chatbot_phrase, "That's a great topic! Here is a short introduction:\n\nWater moves.", "en"),
        (chatbot_phrase, "Unfortunately, I am not able to generate this part.", "en"),
        (chatbot_phrase, "I don't have access to real-time data, so please check the prices.", "en"),
        (chatbot_phrase, "He revisado la sección como pediste:\n\nEl agua se mueve.", "es"),
        (chatbot_phrase, "Je n'ai pas accès à internet pour le vérifier.", "fr"),
        (placeholder, "Water moves. Call {{teacher_name}} when you are done.", "en"),
        (placeholder, "Water moves. It was first seen in 18XX near the coast.", "en"),
        (placeholder, "Water moves. TODO: explain why it boils.", "en"),
        (placeholder, "Studies show (add citation) that sleep helps.", "en"),
        (invented_address, "See [Miller 2021](https://doi.org/10.1000/xyz123) for the method.", "en"),
        (invented_address, "See [the code](https://github.com/username/repository) for more.", "en"),
        (invented_address, "See [the archive](https://archive.example.org/item/42) for more.", "en"),
        (unfinished_formula, "It holds:\n\n\\begin{pmatrix} 1 & 0 \\\\ 0 & 1\n\nThat is all.", "en"),
        (json_leftover, "The lake is full.\\r\\nThe gates are opened.", "en"),
        (dangling_reference, "Le tableau ?? donne les villes.", "fr"),
    ],
)
def test_what_models_leave_behind_is_seen_in_other_words(rule: Check, text: str, language: str) -> None:
    assert raised(rule, {"text": text, "language": language})


@pytest.mark.parametrize(
    ("rule", "text", "language"),
    [
        (prompt_leftover, "Write a short paragraph about your family. Use the past tense.", "en"),
        (prompt_leftover, "Your task is to find the shortest path through the maze.", "en"),
        (prompt_leftover, "You are a traveller in a strange town, and you look for a well.", "en"),
        (prompt_leftover, "Act as a neutral observer, and note what you see.", "en"),
        (prompt_leftover, "Imagine a ball that rolls down a hill.", "en"),
        (prompt_leftover, "Escribe un párrafo sobre tu familia.", "es"),
        (prompt_leftover, "Utilise un tournevis pour ouvrir le boîtier.", "fr"),
        (prompt_leftover, "Do not include `str` in a union when the run must end with structured output.", "en"),
        (json_leftover, "It can be one of:\n\n* Zero\n* NaN\n* Infinite", "en"),
        (chatbot_phrase, "Thanks for reading. That's a great view from the hill.", "en"),
        (chatbot_phrase, "Of course, water also moves in the ground.", "en"),
        (chatbot_phrase, "I don't have access to the internet at home. I cannot see images.", "en"),
        (chatbot_phrase, "That's a good question! The answer is older than the word.", "en"),
        (chatbot_phrase, "No tengo acceso a internet en mi casa. Vivo en el campo.", "es"),
        (chatbot_phrase, "As of my last update, the tool still runs on old machines.", "en"),
        (chatbot_phrase, "Si no tienes acceso a internet, usa la copia impresa.", "es"),
        (
            placeholder,
            "The years 1800 to 1899 are the 1800s. Write `TODO: later` in code, and `{{ user_name }}` too.",
            "en",
        ),
        (invented_address, "See [the code](https://github.com/octocat/hello-world) for more.", "en"),
        (json_leftover, "Windows ends lines with \\r\\n and others with \\n alone.", "en"),
    ],
)
def test_what_authors_say_to_learners_is_left_alone(rule: Check, text: str, language: str) -> None:
    assert not raised(rule, {"text": text, "language": language})


def test_a_section_may_be_about_a_value_that_stands_for_nothing() -> None:
    assert not raised(placeholder, {"title": "NaN", "text": "It is no number."})
    assert raised(placeholder, {"title": "TODO", "text": "It is no number."})
