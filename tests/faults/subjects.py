"""What the victims work on: a bank of questions, whose units stand alone, and a lesson, whose units belong together."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.engine.questions_bench import above, keyless, negative, sound, untidy, write_bank
from tests.lessons_model import (
    BOILS,
    DRY,
    SOURCE,
    SPEC,
    VAGUE,
    WRONG_YEAR,
    Question,
    World,
    as_text,
    edits,
    lesson,
)

COMMON_EXPORTS = ("manifest.json", "receipt.json", "report.json")


@dataclass(frozen=True)
class Subject:
    """One sort of input."""

    name: str
    document: str
    """The input's file name, and the name of what is published."""
    exports: tuple[str, ...]
    write: Callable[[Path], Path]
    """Puts the input into a folder."""


def a_bank(home: Path) -> Path:
    """Everything that can become of a question."""
    questions = [
        *(sound(number) for number in (0, 1)),
        *(negative(number) for number in (2, 3, 4)),
        above(5),
        untidy(6),
        untidy(7),
        keyless(8),
        sound(0, "twin"),
        negative(9, "hopeless"),
        sound(11, "judged"),
    ]
    return write_bank(home, questions)


def a_lesson(home: Path) -> Path:
    """A lesson with something for every stage: a fix, a repair of a rule, edits, a section anew, and a person."""
    made = lesson(BOILS, VAGUE, WRONG_YEAR, DRY)
    made["content"]["intro"] = f"Sure! Here is the lesson:\n\n{made['content']['intro']}"
    made["content"]["conclusion"] += " It is as old as the"
    (home / "source.md").write_text(SOURCE, encoding="utf-8")
    (home / "spec.json").write_text(json.dumps(SPEC), encoding="utf-8")
    path = home / "water.json"
    path.write_text(as_text(made), encoding="utf-8")
    return path


def lesson_world() -> World:
    """One judge cannot be read, so that the third takes its seat; one section is only mended when a person says so."""

    def answers(question: Question) -> object:
        told = question.parts.get("issues", "")
        if question.reply == "edit_reply" and "as old as the" in question.user:
            return edits("conclusion", ("as old as the", "as old as the hills."))
        if question.reply == "edit_reply" and "sent this back" in told:
            return edits(question.unit, ("High above the ground", "Far above the ground"))
        if question.reply == "delta_reply" and "sent this back" in told:
            return {"reasoning": "Looked.", "passed": True, "confidence": "high", "newIssues": []}
        if question.reply in ("edit_reply", "section_reply") and VAGUE.bad in told:
            return {"reasoning": "No.", "unit": "another", "text": "x", "edits": []}
        return None

    return World(base=0.86, override=answers, characters={"judge-a": "garbled"})


QUESTIONS = Subject(
    "questions",
    "bank.json",
    (*COMMON_EXPORTS, "validation.jsonl", "corrections.jsonl", "review_queue.jsonl"),
    a_bank,
)
LESSONS = Subject("lessons", "water.json", (*COMMON_EXPORTS, "judgements.jsonl", "refinements.jsonl"), a_lesson)
SUBJECTS = {subject.name: subject for subject in (QUESTIONS, LESSONS)}
