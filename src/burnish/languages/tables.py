"""Caches: the word tables of languages (TOML files in `data/`, read on first use), and results of reading a text that
several checks need.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

from burnish.core.damage import Half, Phrase

DATA = Path(__file__).parent / "data"


@cache
def table(subject: str) -> dict[str, Any]:
    """The whole file of a subject."""
    return tomllib.loads((DATA / f"{subject}.toml").read_text(encoding="utf-8"))


@cache
def words_in(subject: str, name: str) -> frozenset[str]:
    """One list of words."""
    return frozenset(table(subject)[name].split())


@cache
def words_by_language(subject: str, name: str) -> Mapping[str, frozenset[str]]:
    """Language -> its words, from one table of lists."""
    return {language: frozenset(listed.split()) for language, listed in table(subject)[name].items()}


@cache
def patterns_by_language(subject: str, name: str) -> Mapping[str, str]:
    """Language -> a pattern. Its lines are joined, so the file may break it after any bar."""
    return {language: joined_lines(listed) for language, listed in table(subject)[name].items()}


def damage_phrases(folder: Path, *names: str) -> dict[str, tuple[Phrase, ...]]:
    """Damage -> the phrases that it inserts, from TOML files: `[damage.place]`, then a list for each language. A file
    with `held_out` in its name is the half that rules are not developed on."""
    found: dict[str, list[Phrase]] = {}
    for name in names:
        half: Half = "held_out" if "held_out" in name else "open"
        for damage, places in tomllib.loads((folder / name).read_text(encoding="utf-8")).items():
            found.setdefault(damage, []).extend(
                Phrase(text, language, half, place)
                for place, languages in places.items()
                for language, texts in languages.items()
                for text in texts
            )
    return {damage: tuple(phrases) for damage, phrases in found.items()}


def key_of_each(rows: Mapping[str, str]) -> dict[str, str]:
    """Word -> the key of the list that contains it."""
    return {word: key for key, listed in rows.items() for word in listed.split()}


def joined_lines(pattern: str) -> str:
    return "".join(line.strip() for line in pattern.splitlines())


LONGEST_KEPT = 20_000
"""Longest text, in characters, whose results are cached."""
MOST_KEPT = 512

P = ParamSpec("P")
R = TypeVar("R")


def kept(read: Callable[P, R]) -> Callable[P, R]:
    """Cache the results of a function whose first argument is a text; very long texts are not cached."""
    remembered = lru_cache(maxsize=MOST_KEPT)(read)

    @wraps(read)
    def reading(*given: P.args, **named: P.kwargs) -> R:
        if len(cast(str, given[0])) > LONGEST_KEPT:
            return read(*given, **named)
        return remembered(*given, **named)  # type: ignore[arg-type]

    return reading
