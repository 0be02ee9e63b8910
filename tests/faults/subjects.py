"""What the victims work on: a bank of questions, whose units stand alone, a lesson, whose units belong together, a
book, whose units move through stages, and a course, which has records of its own besides its run."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.engine.questions_bench import biased, filled, keyless, sound, untidy, write_bank
from tests.legos_model import COURSE, CUTS, HOUSE, LIGHT, MARKET, SAY, SEEDS, TORN, Cut, LegoWorld
from tests.legos_model import Slip as BadCut
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
from tests.manuscripts_model import BookWorld, Slip

COMMON_EXPORTS = ("manifest.json", "receipt.json", "report.json")


@dataclass(frozen=True)
class Subject:
    """One sort of input."""

    name: str
    published: str
    """Where in the run's folder the published document lies."""
    exports: tuple[str, ...]
    write: Callable[[Path], Path]
    """Puts the input into a folder."""
    beside: str | None = None
    """A folder beside the runs that is written, too; None: there is none."""


def a_bank(home: Path) -> Path:
    """Everything that can become of a question."""
    questions = [
        *(sound(number) for number in (0, 1)),
        *(biased(number) for number in (2, 3, 4)),
        filled(5),
        untidy(6),
        untidy(7),
        keyless(8),
        sound(0, "twin"),
        biased(9, "hopeless"),
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


NOTE = "Say which day it was."
"""What the person writes who sends a paragraph back."""


class Translators(BookWorld):
    """Models that mend one stubborn paragraph only when a person says so."""

    def _edited(self, work: list[dict[str, Any]]) -> object:
        told = [one for one in work if NOTE in one.get("issues", ())]
        if not told:
            return super()._edited(work)
        edits = [{"unit": one["unit"], "field": None, "find": "el lune.", "replace": "el lunes."} for one in told]
        return {"reasoning": "", "edits": edits}


def a_book(home: Path) -> Path:
    """A book with something for every phase, and what is read beside it."""
    blocks = [*(_english(number) for number in range(1, 22)), "```\ncode\n```", "# The End"]
    (home / "keep.txt").write_text("p_0012 a motto\n", encoding="utf-8")
    found = [
        {"category": "style", "severity": "critical", "description": "It reads badly.", "line": 7},
        {"category": "style", "severity": "major", "description": "It reads badly.", "quote": "nowhere"},
    ]
    (home / "found.json").write_text(json.dumps(found), encoding="utf-8")
    entry = {"source": _english(5), "target": _spanish(5)}
    (home / "memory.jsonl").write_text(json.dumps(entry) + "\n", encoding="utf-8")
    path = home / "book.md"
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    return path


def _english(number: int) -> str:
    return f"The man number {number} did not go to the market on Monday."


def _spanish(number: int) -> str:
    return f"El hombre número {number} no fue al mercado el lunes."


def book_world() -> Translators:
    """One paragraph is mended by an edit, one as a whole, one never, one when a person says so, and one is skipped at
    first. A critic means a line that is not there."""
    translations = {_english(number): _spanish(number) for number in range(1, 22)} | {"The End": "Fin"}
    stubborn = {
        number: Slip(f"El hombre número {number} no fue al mercado el lune.", "grammar", "lune.", stubborn=True)
        for number in (7, 9)
    }
    slips = {
        2: Slip("El hombre número 2 no fue al mercado el lune.", "grammar", "el lune.", "el lunes."),
        16: Slip("El hombre número 16 no fue al mercado ese día.", "style", dimension="style"),
        **stubborn,
    }

    def critics(lines: str) -> list[dict[str, Any]]:
        astray = {"category": "style", "severity": "major", "description": "It reads badly.", "line": 999}
        return [astray] if "número 20 " in lines else []

    return Translators(
        translations,
        slips={_english(number): slip for number, slip in slips.items()},
        skips=frozenset({_english(14)}),
        critics=critics,
    )


NAMES = {"Ana": "Ана", "Vesna": "Весна", "Petar": "Петар", "Elena": "Елена", "Goran": "Горан", "Stojan": "Стојан"}
COURSE_SEEDS = SEEDS | {f"I want to see {name}.": f"Сакам да ја видам {target}." for name, target in NAMES.items()}
"""C0001 to C0014."""
IMPORTED_AT = "2026-11-15T10:00:00Z"


def a_course(home: Path) -> Path:
    """A course that nobody has cut yet. Its folder is copied before anybody does."""
    from burnish.kinds.legos.pairs import Pair, record_of
    from burnish.store.records import open_records

    folder = home / "pristine"
    folder.mkdir()
    with open_records(folder, "files") as records, records.batch():
        for number, (source, target) in enumerate(COURSE_SEEDS.items(), start=1):
            records.put_translation(record_of(Pair(source, target, number), f"C{number:04}", COURSE, IMPORTED_AT))
    return folder


def course_world() -> LegoWorld:
    """One SEED is mended by edits, one as a whole, one never, and one when a person says so."""
    crumbs: Cut = (("I have to", "Морам да"), ("turn", "вклучам"), ("on the light", "светилката"))
    wrong: Cut = (("I don't know", "Не знаев"), ("what to say", "што да кажам"))
    slips = {
        MARKET: BadCut(TORN),
        HOUSE: BadCut((("They want", "Тие сакаат"), ("to see", "видат"), ("the house", "куќата")), "refused"),
        LIGHT: BadCut(crumbs, "idle", crumbs),
        SAY: BadCut(wrong, "idle", wrong, heeds=NOTE),
    }
    return LegoWorld(COURSE_SEEDS, dict(CUTS), slips)


QUESTIONS = Subject(
    "questions",
    "out/bank.json",
    (*COMMON_EXPORTS, "validation.jsonl", "corrections.jsonl", "review_queue.jsonl"),
    a_bank,
)
LESSONS = Subject("lessons", "out/water.json", (*COMMON_EXPORTS, "judgements.jsonl", "refinements.jsonl"), a_lesson)
MANUSCRIPTS = Subject(
    "manuscripts",
    "final/final.md",
    (
        "manifest.json",
        "receipt.json",
        *(f"{folder}/{name}.jsonl" for folder in ("source_pre", "pass1_pre") for name in ("paragraphs", "sentences")),
        *(f"state/{name}.jsonl" for name in ("paragraph_state", "paragraph_scores", "rework_queue")),
        *(f"review/normalized/{name}_paragraph_rows.jsonl" for name in ("grammar", "typography", "critics")),
        "final/candidate.md",
        "final/candidate_map.jsonl",
        "final/final_pre/paragraphs.jsonl",
        "final/final_pre/manuscript_tokens.json",
        "gate/gate_report.json",
    ),
    a_book,
)
LEGOS = Subject("legos", "seeds.jsonl", ("manifest.json", "receipt.json", "course.jsonl"), a_course, beside="course")
SUBJECTS = {subject.name: subject for subject in (QUESTIONS, LESSONS, MANUSCRIPTS, LEGOS)}
