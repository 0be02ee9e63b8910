"""Words whose exchange reverses or widens a statement: quantifiers, modal verbs, opposites, words of one class.

A group holds several sides, and each side several words of the same meaning: `increase rise grow / decrease fall`. Two
texts that say the same have the same sides of a group. The words are data (`data/contrasts.toml`), because they are
facts about languages, and a language without a list is not judged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Literal, NamedTuple, get_args

from burnish.languages.tables import table

ContrastFamily = Literal["quantifier", "modal", "comparison", "opposite", "kind", "denying"]
FAMILIES: tuple[ContrastFamily, ...] = get_args(ContrastFamily)
UNSPACED = frozenset({"zh", "ja", "th", "lo", "km", "my"})
"""Languages without spaces between words: their words are found as parts of the text."""
LONGEST_STEM = 14
BLANKS = 2
"""The most characters between two words of a phrase: no number stands between them."""
IDIOM = "idiom"
"""The side of phrases whose words count for nothing: "after all" and "at all" are no "all"."""
COMPLEMENT = "~ "
"""The mark of a row whose sides are complements."""


class Contrast(NamedTuple):
    """A word of a group in a text."""

    family: ContrastFamily
    group: int
    """The number of the group in its family: only sides of one group exclude each other."""
    side: str
    """The name of the side, or its first word."""
    start: int
    end: int
    is_complement: bool = False
    """Whether one side with a negation says the other: "not true" and "false"."""


class Token(NamedTuple):
    """A word in lower case and its place."""

    lower: str
    start: int
    end: int


class _Entry(NamedTuple):
    words: tuple[str, ...]
    stars: tuple[bool, ...]
    family: ContrastFamily
    group: int
    side: str
    is_complement: bool


class _Index(NamedTuple):
    """Entries by their first word, or by its stem where the entry has a star."""

    exact: dict[str, list[_Entry]]
    stems: dict[str, list[_Entry]]
    unspaced: tuple[_Entry, ...]


def knows_contrasts(language: str, family: ContrastFamily) -> bool:
    """Whether there is a list of the family for the language."""
    return language in table("contrasts")[family]


def is_listed(word: str, language: str) -> bool:
    """Whether a word begins an entry: "only", "all", "before" are no names where they open a sentence."""
    index = _index(language)
    lower = word.lower()
    return lower in index.exact or any(True for _ in _by_stem(lower, index.stems))


@cache
def _index(language: str) -> _Index:
    found = _Index({}, {}, ())
    entries = list(_entries(language))
    if language in UNSPACED:
        longest_first = sorted(entries, key=lambda entry: -len(entry.words[0]))
        return found._replace(unspaced=tuple(longest_first))
    for entry in entries:
        index = found.stems if entry.stars[0] else found.exact
        index.setdefault(entry.words[0], []).append(entry)
    for listed in (*found.exact.values(), *found.stems.values()):
        listed.sort(key=lambda entry: -len(entry.words))
    return found


def _entries(language: str) -> Iterator[_Entry]:
    subjects = table("contrasts")
    for family in FAMILIES:
        listed = subjects.get(family, {}).get(language)
        if listed is None:
            continue
        # Named sides form one group; a list holds many groups, with bars between their sides.
        groups = [listed] if isinstance(listed, dict) else [_sides(row.removeprefix(COMPLEMENT)) for row in listed]
        complements = {number for number, row in enumerate(listed) if row.startswith(COMPLEMENT)}
        for number, sides in enumerate(groups):
            is_complement = number in complements and not isinstance(listed, dict)
            for side, words in sides.items():
                for word in words.split():
                    parts = word.lower().split("_")
                    stars = tuple(part.endswith("*") for part in parts)
                    yield _Entry(tuple(part.rstrip("*") for part in parts), stars, family, number, side, is_complement)


def _sides(row: str) -> dict[str, str]:
    return {side.split()[0].rstrip("*").replace("_", " "): side for side in row.split("/")}


def contrasts(text: str, tokens: Sequence[Token], language: str) -> list[Contrast]:
    """Every listed word of a text in order; a phrase counts before the words in it. A word may be in several groups."""
    index = _index(language)
    if language in UNSPACED:
        return _in_unspaced(text, index.unspaced)
    found: list[Contrast] = []
    covered: dict[str, int] = {}
    for at, token in enumerate(tokens):
        entries = [*index.exact.get(token.lower, ()), *_by_stem(token.lower, index.stems)]
        fitting = [entry for entry in entries if _fits(entry, tokens, at)]
        for family in {entry.family for entry in fitting}:
            longest = max(len(entry.words) for entry in fitting if entry.family == family)
            if at < covered.get(family, 0):
                continue
            end = tokens[at + longest - 1].end
            # Two entries of one side may fit: "obligatory" and "obligator*".
            sides = dict.fromkeys(
                Contrast(family, entry.group, entry.side, token.start, end, entry.is_complement)
                for entry in fitting
                if entry.family == family and len(entry.words) == longest and entry.side != IDIOM
            )
            found.extend(sides)
            if longest > 1:
                covered[family] = at + longest
    return found


def _by_stem(word: str, stems: dict[str, list[_Entry]]) -> Iterator[_Entry]:
    for length in range(2, min(len(word), LONGEST_STEM) + 1):
        yield from stems.get(word[:length], ())


def _fits(entry: _Entry, tokens: Sequence[Token], at: int) -> bool:
    if at + len(entry.words) > len(tokens):
        return False
    rest = tokens[at + 1 : at + len(entry.words)]
    return all(
        (token.lower.startswith(word) if star else token.lower == word) and token.start - before.end <= BLANKS
        for word, star, token, before in zip(entry.words[1:], entry.stars[1:], rest, tokens[at:], strict=False)
    )


def _in_unspaced(text: str, entries: Sequence[_Entry]) -> list[Contrast]:
    found: list[Contrast] = []
    taken: set[tuple[str, int]] = set()
    for entry in entries:
        word = entry.words[0]
        at = text.find(word)
        while at >= 0:
            places = {(entry.family, place) for place in range(at, at + len(word))}
            if taken.isdisjoint(places):
                taken |= places
                found.append(Contrast(entry.family, entry.group, entry.side, at, at + len(word), entry.is_complement))
            at = text.find(word, at + len(word))
    return sorted(found, key=lambda contrast: contrast.start)
