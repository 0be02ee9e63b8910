"""Which sentence of a stem asks."""

from __future__ import annotations

import pytest

from burnish.kinds.questions.model import LONGEST_STEM, Question

CASE = "A 40-year-old man has a cough."


@pytest.mark.parametrize(
    ("stem", "asked"),
    [
        (f"{CASE} Which of the following is the diagnosis?", "Which of the following is the diagnosis?"),
        (f"{CASE} What is it? Assume no fever.", "What is it?"),
        (f"{CASE} What is the dose? (Round to the nearest whole number.)", "What is the dose?"),
        (f"{CASE} “Will I die?” he asks. The best reply is:", "The best reply is:"),
        (f"{CASE} Is he ill? The disease is caused by", "The disease is caused by"),
        (f"{CASE} The disease is called ____.", "The disease is called ____."),
        (f"{CASE} Which of the following is the cause.", "Which of the following is the cause."),
        ("Solve the equation. Here x is a real number.", "Solve the equation."),
        (f"{CASE} He is well.", "He is well."),
        ('Which is it?"', 'Which is it?"'),
        ("Which are true?\nI. Fever\nII. Cough\nIII. Rash", "Which are true?"),
        ("", ""),
    ],
)
def test_lead_in(stem: str, asked: str) -> None:
    found = Question(id="q", stem=stem).lead_in
    assert found.text == asked
    assert stem[found.start : found.end] == asked


def test_views_that_checks_share() -> None:
    options = [{"key": "A", "text": "Aspirin"}, {"key": "B", "text": "No drug"}]
    question = Question.model_validate({"id": "q", "stem": "Which drug?", "options": options})
    assert question.options_text == "Aspirin\nNo drug"
    assert question.options_words == {"aspirin", "no", "drug"}
    assert question.stem_words == {"which", "drug"}
    assert question.language_shown == "en"
    assert Question(id="q", stem="Which drug?", language="es").language_shown == "es"


def test_only_the_end_of_an_endless_stem_is_read() -> None:
    question = Question(id="q", stem="Ha. " * LONGEST_STEM + "What is it?")
    assert question.lead_in.text == "What is it?"
    assert question.stem_sentences[0].start >= len(question.stem) - LONGEST_STEM
