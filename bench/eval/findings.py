"""`python -m bench.eval.findings --kind manuscripts --seed N`: random findings, for a person to judge.

Manuscripts: the open half of DEMETR (damaged and sound), of Tatoeba's fifteen languages and of lessons with their
translations. Pairs are drawn before any is looked at, so it takes about a minute; one in eight is of lessons, which
alone are as long as what people translate, and have links, code and emphasis. Lessons: what all of them have, and
then what the rules say of lessons that the catalogue damaged. Questions: the open half of MedQA, MedMCQA and
MMLU-Redux. Warnings and errors alike; the draw depends on nothing but the seed.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from random import Random
from typing import cast

from bench.eval import lessons, questions
from bench.eval.translation import DEFAULT
from bench.eval.translation_cases import cases
from bench.eval.translation_goals import half_of, many, sound_into_english
from bench.eval.translation_pairs import lesson_pairs
from burnish.core.checks import discover, run_checks_on_all, select
from burnish.core.damage import phrases_for
from burnish.core.findings import Finding
from burnish.kinds.lessons.damage import damages
from burnish.kinds.lessons.model import LessonUnit
from burnish.kinds.manuscripts import checks
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.questions import checks as question_checks
from burnish.kinds.questions.bank import BankContext
from burnish.kinds.questions.kind import KIND
from burnish.kinds.questions.model import Question

DRAWN, PAIRS, LONG = 50, 420, 8
"""Findings that are shown, of those about so many pairs, of which one in so many is of lessons."""
COPIES = 60
"""Lessons that are damaged."""
AROUND = 160
"""Characters of a lesson that are shown on either side of a finding."""


def of_manuscripts(data: Path, dice: Random) -> Iterator[str]:
    paragraphs = [case.paragraph for case in cases(data)]
    paragraphs += [one for some in sound_into_english(data).values() for one in some]
    open_ones = [one for one in paragraphs if half_of(one.text, quarter=True) == "open"]
    open_ones += [one for some in many(data).values() for one in some if half_of(one.text) == "open"]
    long = [one for _, pairs, _ in lesson_pairs(data) for one in pairs if half_of(one.text) == "open"]
    open_ones = dice.sample(open_ones, PAIRS - PAIRS // LONG) + dice.sample(long, PAIRS // LONG)
    selection = select(discover(checks))
    told: dict[tuple[str, str, str], str] = {}
    for language in sorted({one.target_language for one in open_ones}):
        mine = [one for one in open_ones if one.target_language == language]
        able, _ = selection.for_language(language)
        found = run_checks_on_all(selection, able, mine, ManuscriptContext())
        for one, some in zip(mine, found, strict=True):
            # DEMETR damages each source up to 35 times: what is said of all of these alike counts once.
            told |= {(one.text, finding.rule, finding.message): _beside(one, finding) for finding in _told(some)}
    yield from told.values()


def _told(found: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in found if finding.severity != "info"]


def _beside(one: Paragraph, finding: Finding) -> str:
    return (
        f"{finding.rule} ({finding.severity}): {finding.message}\n"
        f"   {one.source_language}: {one.text}\n   {one.target_language}: {one.translation}"
    )


def of_lessons(data: Path, dice: Random) -> Iterator[str]:
    every = lessons.lessons(data)
    for lesson in every:
        yield from (_in_lesson(lesson, finding) for finding in _told(lessons.examine(lesson)))
    for lesson, damage in zip(dice.choices(every, k=COPIES), cycle(damages()), strict=False):
        units, at = lesson.lesson.units, dice.randrange(len(lesson.lesson.units))
        phrases = [one for one in phrases_for(damage, lesson.context.language) if one.half == "open"]
        if damage.is_meaning or (damage.phrases and not phrases):
            continue
        done = damage.make(units, at, dice, dice.choice(phrases) if phrases else None)
        if done is None:
            continue
        [unit] = cast(Sequence[LessonUnit], done.units)
        known = {(one.rule, one.message) for one in lessons.examine(lesson, [lesson.lesson.units[at]])}
        changed = replace(lesson, text=unit.text, lesson=lesson.lesson.replaced([unit]))
        changed = replace(changed, context=replace(lesson.context, lesson=changed.lesson))
        for finding in _told(lessons.examine(changed, [unit])):
            if (finding.rule, finding.message) not in known:
                yield f"[{damage.title}] {_in_lesson(changed, finding)}"


def _in_lesson(lesson: lessons.Read, finding: Finding) -> str:
    place = lesson.text.find(finding.quote) if finding.quote else -1
    around = lesson.text[max(0, place - AROUND) : place + len(finding.quote or "") + AROUND] if place >= 0 else ""
    told = f"{finding.rule} ({finding.severity}): {finding.message}"
    return f"{told}\n   {lesson.name} {finding.unit}: {finding.quote!r}\n   {around!r}"


def of_questions(data: Path, dice: Random) -> Iterator[str]:
    selection = select(discover(question_checks))
    banks = [questions.sound_questions(data), questions.sound_questions(data, questions.MIXED)]
    for bank in (*banks, questions.labelled_questions(data)):
        mine = [question for question, _ in bank if half_of(question.id) == "open"]
        for question in mine:
            found = KIND.examine(question, selection, BankContext(language="en")).findings
            yield from (_of_question(question, finding) for finding in _told(found))


def _of_question(question: Question, finding: Finding) -> str:
    texts = "\n".join(f"   {field}: {text}" for field, text in question.texts().items() if text)
    return f"{finding.rule} ({finding.severity}): {finding.message}\n   {question.id} {finding.field}\n{texts}"


KINDS = {"manuscripts": of_manuscripts, "lessons": of_lessons, "questions": of_questions}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.findings", description=__doc__)
    parser.add_argument("--kind", choices=KINDS, required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--data", type=Path, default=DEFAULT)
    given = parser.parse_args()
    dice = Random(given.seed)
    every = list(KINDS[given.kind](given.data, dice))
    drawn = dice.sample(every, min(DRAWN, len(every)))
    print(f"{len(drawn)} of {len(every)} findings, seed {given.seed}")
    print("\n".join(f"\n{number}. {told}" for number, told in enumerate(drawn, 1)))


if __name__ == "__main__":
    main()
