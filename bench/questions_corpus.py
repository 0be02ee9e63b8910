"""Questions in any number, the same for the same seed: what the benchmarks of speed, memory and duplicates run on.

`generate(n, seed)` gives varied questions of four sorts (clinical cases, studies, invented facts, calculations), about
one in ten with a flaw of item writing. Question `i` is the same whatever `n` is. `near_duplicate` rewords one lightly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

from bench.questions_words import (
    ASIDES,
    CALCULATIONS,
    CLINICS,
    CONCLUSIONS,
    CONDITIONS,
    DRUGS,
    ENDINGS,
    EVENTS,
    FINDINGS,
    HABITS,
    JOBS,
    LEAD_INS,
    MEASURES,
    MIDDLES,
    OPENINGS,
    PLACES,
    STUDIES,
    SYLLABLES,
    SYMPTOMS,
)

Record = dict[str, Any]
LETTERS = "ABCDE"
FLAWED = 0.1
"""The share of questions that carry a flaw on purpose."""


def generate(n: int, seed: int = 0) -> Iterator[Record]:
    """`n` questions, each with its own stream of chance, so that a longer corpus begins with the shorter one."""
    for index in range(n):
        yield question(index, seed)


def question(index: int, seed: int = 0) -> Record:
    chance = Random(f"{seed}:{index}")
    make = chance.choices(SORTS, weights=(65, 12, 13, 10))[0]
    stem, answers, level = make(chance)
    record = _record(f"q{index:07d}", stem, answers, level, chance)
    if chance.random() < FLAWED:
        chance.choice(FLAWS)(record, chance)
    return record


def _record(id: str, stem: str, answers: list[str], level: str, chance: Random) -> Record:
    """`answers` begins with the right one."""
    shuffled = chance.sample(answers, len(answers))
    if all(answer[:1].isdigit() for answer in answers):
        shuffled.sort(key=lambda answer: float(answer.split()[0]))
    key = LETTERS[shuffled.index(answers[0])]
    return {
        "id": id,
        "type": "single_best_answer",
        "stem": stem,
        "options": [{"key": LETTERS[n], "text": text} for n, text in enumerate(shuffled)],
        "correct_answer": key,
        "rationale": f"{answers[0]} fits the findings best. " + _against(answers[1:]),
        "metadata": {
            "course_id": f"course-{chance.randint(1, 8)}",
            "slo_ids": [f"slo-{chance.randint(1, 60)}"],
            "bloom_level": level,
            "difficulty": chance.choice(("easy", "medium", "hard")),
        },
    }


def _against(distractors: list[str]) -> str:
    return " ".join(f"{text} would not account for the course described." for text in distractors)


def name(chance: Random, syllables: int = 3) -> str:
    """An invented name, such as a substance or a species might have."""
    return "".join(chance.choice(SYLLABLES) for _ in range(syllables)) + chance.choice(ENDINGS)


def clinical_case(chance: Random) -> tuple[str, list[str], str]:
    woman = chance.random() < 0.5
    he, his, person = ("She", "Her", "woman") if woman else ("He", "His", "man")
    age = chance.randint(18, 89)
    words = {
        "He": he,
        "he": he.lower(),
        "His": his,
        "person": f"{'an' if age in (18, *range(80, 90)) else 'a'} {age}-year-old {person}",
        "clinic": chance.choice(CLINICS),
        "span": f"{chance.randint(2, 20)} {chance.choice(('days', 'weeks', 'months'))}",
        "event": chance.choice(EVENTS),
        "job": chance.choice(JOBS),
        "habit": chance.choice(HABITS),
        "substance": name(chance, 2),
    }
    for label, pool in (("symptom", SYMPTOMS), ("condition", CONDITIONS), ("drug", DRUGS), ("finding", FINDINGS)):
        words |= {f"{label}{n}": text for n, text in enumerate(chance.sample(pool, 3))}
    middle = chance.sample(MIDDLES, chance.randint(2, 5))
    told = [chance.choice(OPENINGS), *(chance.choice(phrasings) for phrasings in middle)]
    lead_in, answers, level = chance.choice(LEAD_INS)
    drawn = [_variant(text, chance) for text in chance.sample(answers, chance.choice((4, 5, 5)))]
    return _told([*told, lead_in], words | _numbers(chance)), drawn, level


def _told(sentences: Iterable[str], words: Mapping[str, object]) -> str:
    """The sentences with their gaps filled, each begun with a capital."""
    filled = (sentence.format_map(words) for sentence in sentences)
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in filled)


def _numbers(chance: Random) -> dict[str, object]:
    return {
        "temperature": chance.randint(360, 402) / 10,
        "pulse": chance.randint(52, 130),
        "systolic": chance.randint(88, 182),
        "diastolic": chance.randint(48, 110),
        "level": chance.randint(10, 990) / 10,
        "count": chance.randint(20, 180) * 100,
    }


def _variant(text: str, chance: Random) -> str:
    roll = chance.random()
    if roll < 0.6:
        return text[0].upper() + text[1:]
    return f"{text[0].upper()}{text[1:]} {chance.choice(('due to', 'with', 'after'))} {chance.choice(SYMPTOMS)}"


def study(chance: Random) -> tuple[str, list[str], str]:
    first, second, third = chance.sample(MEASURES, 3)
    words = {
        "place": chance.choice(PLACES),
        "first": first,
        "second": second,
        "third": third,
        "substance": name(chance),
        "other": name(chance),
        "people": chance.randint(40, 9000),
        "months": chance.randint(2, 30),
        "rise": chance.randint(2, 60),
        "job": chance.choice(JOBS),
    }
    stem = _told((chance.choice(sentences) for sentences in STUDIES), words)
    return stem, [answer.format_map(words) for answer in chance.sample(CONCLUSIONS, 4)], "Evaluate"


def invented_fact(chance: Random) -> tuple[str, list[str], str]:
    place, thing, second = name(chance).capitalize(), name(chance), name(chance, 2)
    stem = chance.choice(
        (
            f"Which substance do the glands of the {thing} beetle release when {second} is scarce?",
            f"In the treaty of {place}, which party gave up its claim to the {second} trade?",
            f"Which layer of the {thing} membrane holds most of the {second} pumps?",
            f"What was the chief export of {place} while {second} was taxed?",
        )
    )
    return stem, [name(chance).capitalize() for _ in range(4)], "Remember"


def calculation(chance: Random) -> tuple[str, list[str], str]:
    words = {
        "weight": chance.randint(30, 1200) / 10,
        "dose": chance.randint(20, 400) / 10,
        "strength": chance.choice((4, 5, 8, 10, 16, 20, 25, 40, 50)),
        "times": chance.randint(2, 6),
        "drug": name(chance),
        "place": chance.choice(PLACES),
        "job": chance.choice(JOBS),
    }
    template, unit, solve = chance.choice(CALCULATIONS)
    right = solve(words["weight"], words["dose"], words["strength"], words["times"])
    factors = (1, *chance.sample((0.1, 0.25, 0.4, 0.5, 1.5, 2, 4, 10, 12), 3))
    stem = _told([*chance.sample(ASIDES, 2), template], words)
    return stem, [f"{right * factor:.5g} {unit}" for factor in factors], "Apply"


def _negative(record: Record, chance: Random) -> None:
    record["stem"] += " All of the following apply EXCEPT:"


def _all_of_the_above(record: Record, chance: Random) -> None:
    record["options"][-1]["text"] = chance.choice(("All of the above", "None of the above"))


def _absolute(record: Record, chance: Random) -> None:
    record["options"][0]["text"] = f"Always {record['options'][0]['text'].lower()}"


def _vague(record: Record, chance: Random) -> None:
    record["options"][1]["text"] = f"Usually {record['options'][1]['text'].lower()}"


def _repeated(record: Record, chance: Random) -> None:
    record["options"][0]["text"] = record["options"][1]["text"].upper()


def _untidy(record: Record, chance: Random) -> None:
    record["stem"] = record["stem"].replace(" is ", "  is ", 1) + " "


def _unexplained(record: Record, chance: Random) -> None:
    record["rationale"] = ""


def _long_key(record: Record, chance: Random) -> None:
    key = next(option for option in record["options"] if option["key"] == record["correct_answer"])
    key["text"] += ", which is the only finding that accounts for the whole course of the illness as described"


FLAWS: tuple[Callable[[Record, Random], None], ...] = (
    _negative,
    _all_of_the_above,
    _absolute,
    _vague,
    _repeated,
    _untidy,
    _unexplained,
    _long_key,
)
SORTS = (clinical_case, study, invented_fact, calculation)


def near_duplicate(record: Record, chance: Random, *, changed_words: int) -> Record:
    """The same question with its options shuffled and `changed_words` words of the stem replaced."""
    words = record["stem"].split(" ")
    for place in chance.sample(range(len(words)), min(changed_words, len(words))):
        words[place] = name(chance, 2)
    options = chance.sample(record["options"], len(record["options"]))
    key_text = next(o["text"] for o in record["options"] if o["key"] == record["correct_answer"])
    relettered = [{"key": LETTERS[n], "text": option["text"]} for n, option in enumerate(options)]
    key = next(option["key"] for option in relettered if option["text"] == key_text)
    return {
        **record,
        "id": f"{record['id']}-copy",
        "stem": " ".join(words),
        "options": relettered,
        "correct_answer": key,
    }
