"""Courses of any size for the measuring of LEGOs: pairs by people where they are at hand, made-up ones for the rest.

Made-up pairs are put together from the tables below, English and Macedonian, with words that recur as a course's do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from bench.eval.legos import DEFAULT, PAIRS, read_pairs

PEOPLES = DEFAULT / PAIRS
OPENINGS = (
    ("I want to", "Сакам да"),
    ("I have to", "Морам да"),
    ("I can", "Можам да"),
    ("I would like to", "Би сакал да"),
    ("I'm going to", "Ќе одам да"),
    ("I don't want to", "Не сакам да"),
    ("I don't know how to", "Не знам како да"),
    ("I'm trying to", "Се обидувам да"),
    ("Tom told me that I should", "Том ми рече дека треба да"),
    ("My sister thinks that I could", "Сестра ми мисли дека би можел да"),
    ("It's time for me to", "Време е да"),
    ("I hope that I can", "Се надевам дека можам да"),
)
DEEDS = (
    ("look for", "побарам"),
    ("turn on", "вклучам"),
    ("buy", "купам"),
    ("sell", "продадам"),
    ("find", "најдам"),
    ("see", "видам"),
    ("take care of", "се грижам за"),
    ("talk about", "зборувам за"),
    ("think about", "мислам на"),
    ("bring back", "вратам"),
    ("pay for", "платам"),
    ("paint", "бојадисам"),
    ("clean up", "исчистам"),
    ("put away", "тргнам"),
    ("give up", "се откажам од"),
    ("wait for", "чекам"),
)
OWNERS = (
    ("the", "таа"),
    ("my", "мојата"),
    ("your", "твојата"),
    ("his", "неговата"),
    ("our", "нашата"),
    ("their", "нивната"),
)
QUALITIES = (("old", "стара"), ("new", "нова"), ("small", "мала"), ("big", "голема"), ("red", "црвена"), ("", ""))
THINGS = (
    ("house", "куќа"),
    ("car", "кола"),
    ("book", "книга"),
    ("lamp", "ламба"),
    ("table", "маса"),
    ("picture", "слика"),
    ("bag", "торба"),
    ("boat", "барка"),
    ("cat", "мачка"),
    ("door", "врата"),
    ("shirt", "кошула"),
    ("room", "соба"),
)
TIMES = (
    ("", ""),
    ("today", "денес"),
    ("tomorrow", "утре"),
    ("before the winter", "пред зимата"),
    ("in the morning", "наутро"),
    ("with a friend", "со еден пријател"),
    ("because it is late", "затоа што е доцна"),
    ("when you come home", "кога ќе дојдеш дома"),
    ("if you help me", "ако ми помогнеш"),
    ("without your brother", "без брат ти"),
)
LISTS = (OPENINGS, DEEDS, OWNERS, QUALITIES, THINGS, TIMES)


def pairs(size: int, number: int = 0) -> list[tuple[str, str]]:
    """Distinct pairs of a course, others for every number; a third of them by people, as far as there are any."""
    rng = Random(number)
    real = read_pairs(PEOPLES) if PEOPLES.is_file() else []
    found = dict.fromkeys(rng.sample(real, min(len(real), size // 3)))
    found.update(dict.fromkeys(islice(_made_up(rng), size)))
    chosen = list(islice(found, size))
    rng.shuffle(chosen)
    return chosen


def _made_up(rng: Random) -> Iterator[tuple[str, str]]:
    """Pairs without end; none twice."""
    seen = set()
    while True:
        parts = tuple(rng.choice(table) for table in LISTS)
        if parts not in seen:
            seen.add(parts)
            english, macedonian = (" ".join(part[side] for part in parts if part[side]) for side in (0, 1))
            yield f"{english}.", f"{macedonian}."


def write_pairs(path: Path, size: int, number: int = 0) -> None:
    """The pairs of a course as a TSV file."""
    path.write_text("".join(f"{source}\t{target}\n" for source, target in pairs(size, number)), encoding="utf-8")
