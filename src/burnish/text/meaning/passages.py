"""The two versions of a text, sentence by sentence: which sentences changed, which belong together, which have no
partner. Everything that is unchanged is left out, so a small repair of a long text costs little.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import regex

from burnish.core.edits import Part, parts
from burnish.languages.contrasts import UNSPACED, Token
from burnish.languages.detection import KNOWN
from burnish.languages.sentences import sentences_in
from burnish.languages.tables import words_by_language
from burnish.languages.word_forms import LONGEST_ENDING, folded
from burnish.languages.words import STOP_WORDS, stem

WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:['’\-][\p{L}\p{M}]+)*")
PLAIN_WORD = re.compile(r"[A-Za-z]+(?:['’-][A-Za-z]+)*")
"""The same for a text in ASCII, several times as fast."""
ACRONYM = re.compile(r"\b[A-Z]{2,8}\b")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉⁻", "01234567890123456789-")
"""Raised and lowered digits as plain ones: "H₂O" and "H2O" say the same."""
SHORTEST_KEY = 4
SHORTEST_UNLISTED = 3
"""In a language without a list of words of grammar, shorter ones are taken for them."""
PARTNER = 0.34
"""The share of the content words of the shorter of two sentences that makes them partners."""
MOST_COMPARED = 400
"""The most changed sentences of a side that are paired; more are only compared as a whole."""
COMMON = range(1, 41)
"""A word in more sentences than that pairs none of them."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A changed sentence."""

    start: int
    """In the text."""
    text: str
    """Without code, addresses and formulas."""
    keys: frozenset[str]
    """Its content words, each by its stem."""
    place: int = 0
    """Its number among all sentences of the text."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Version:
    """One version of a text, and what changed in it."""

    text: str
    language: str
    parts: tuple[Part, ...]
    """Code, addresses, formulas and placeholders."""
    sentences: tuple[Sentence, ...]
    """Those that the other version does not have."""
    prose: str
    """The whole text without its parts."""
    all_sentences: tuple[str, ...] = ()
    """Every sentence of the text, unchanged ones too."""
    kept: tuple[str, ...] = ()
    """The unchanged ones, each once; the same in both versions."""

    @cached_property
    def changed(self) -> str:
        """The changed sentences, one a line."""
        return "\n".join(sentence.text for sentence in self.sentences)

    @cached_property
    def starts(self) -> list[int]:
        """Where each of the sentences begins in `changed`."""
        found, at = [], 0
        for sentence in self.sentences:
            found.append(at)
            at += len(sentence.text) + 1
        return found

    @cached_property
    def tokens(self) -> list[Token]:
        """The words of `changed`."""
        return tokens(self.changed)

    @cached_property
    def keys(self) -> frozenset[str]:
        return frozenset().union(*(sentence.keys for sentence in self.sentences))

    @cached_property
    def all_keys(self) -> frozenset[str]:
        """The content words of the whole text."""
        return self.keys | self.unchanged

    @cached_property
    def unchanged(self) -> frozenset[str]:
        """The content words of the unchanged sentences."""
        return _keys_of_all(self.kept, self.language)

    @cached_property
    def acronyms(self) -> frozenset[str]:
        return frozenset(ACRONYM.findall(self.text))

    def number_of(self, place: int) -> int:
        """The number of the changed sentence at a place of `changed`."""
        return bisect_right(self.starts, place) - 1

    def sentence_at(self, place: int) -> str:
        return " ".join(self.sentences[self.number_of(place)].text.split()) if self.sentences else ""

    def span_of(self, start: int, end: int) -> tuple[int, int]:
        """A span of `changed` as one of the text."""
        number = self.number_of(start)
        shift = self.sentences[number].start - self.starts[number]
        return start + shift, min(end + shift, len(self.text))


@dataclass(frozen=True)
class Comparison:
    """Both versions, with the changed sentences that belong together."""

    before: Version
    after: Version
    groups: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]
    """Sentences of before and of after that say the same thing in other words."""
    lost: tuple[int, ...]
    """Sentences of before without a partner."""
    added: tuple[int, ...]
    """Sentences of after without a partner."""

    def beside(self, side: int, number: int) -> frozenset[str]:
        """The words of the other version beside a sentence without a partner: of the sentences that stood next to it,
        unchanged or as they are worded there, and of those that have no partner either."""
        ours, theirs = (self.before, self.after) if side == 0 else (self.after, self.before)
        place, changed = ours.sentences[number].place, self._numbers[side]
        alone = {ours.sentences[at].place for at in (self.lost, self.added)[side]}
        words = {theirs.sentences[at].text for at in (self.added, self.lost)[side]}
        for way in (range(place - 1, -1, -1), range(place + 1, len(ours.all_sentences))):
            one = next((one for one in way if one not in alone), None)
            if one is not None and one not in changed:
                words.add(ours.all_sentences[one])
            elif one is not None and (group := self.group_of[side].get(changed[one])) is not None:
                words.update(theirs.sentences[at].text for at in self.groups[group][1 - side])
        return frozenset().union(*(said(text, ours.language) for text in words))

    @cached_property
    def _numbers(self) -> tuple[dict[int, int], dict[int, int]]:
        """Place among all sentences -> number of the changed sentence, for each version."""
        before, after = ({one.place: at for at, one in enumerate(side.sentences)} for side in (self.before, self.after))
        return before, after

    @cached_property
    def group_of(self) -> tuple[dict[int, int], dict[int, int]]:
        """Sentence -> its group, for each version."""
        found: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for number, sides in enumerate(self.groups):
            for side, sentences in enumerate(sides):
                found[side].update(dict.fromkeys(sentences, number))
        return found


def tokens(text: str) -> list[Token]:
    """The words of a text; "don't" as "do", because denials are counted apart."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    pattern = PLAIN_WORD if lower.isascii() else WORD
    return [Token(_plain(match[0]), match.start(), match.end()) for match in pattern.finditer(lower)]


CONTRACTED = {"can": "can", "ca": "can", "wo": "will", "sha": "shall", "cannot": "can"}


def _plain(word: str) -> str:
    if word.isalpha() and word != "cannot":
        return word
    bare = word.replace("’", "'")
    if bare.endswith("n't"):
        return CONTRACTED.get(bare[:-3], bare[:-3])
    return "can" if bare == "cannot" else bare.removesuffix("'s")


def content_keys(text: str, language: str) -> frozenset[str]:
    """The content words of a text by their stems; in languages without spaces, pairs of characters."""
    if language in UNSPACED:
        signs = list(_SIGNS.findall(text))
        return frozenset(run[at : at + 2] for run in signs for at in range(max(1, len(run) - 1)))
    words = PLAIN_WORD.findall(text.lower()) if text.isascii() else WORD.findall(text.lower())
    keys = {key_of(_plain(word), language) for word in words}
    keys.discard("")
    return frozenset(keys)


def said(text: str, language: str) -> frozenset[str]:
    """The content words of a text; where it has none, all its words: "Is it?"."""
    return content_keys(text, language) | frozenset(token.lower for token in tokens(text))


_SIGNS = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]+|[A-Za-z]+")


@lru_cache(maxsize=4)
def _keys_of_all(sentences: tuple[str, ...], language: str) -> frozenset[str]:
    """Both versions of a text ask for those of their common sentences."""
    return content_keys("\n".join(sentences), language)


@lru_cache(maxsize=50_000)
def key_of(word: str, language: str) -> str:
    """A content word by its stem; empty for a word of grammar."""
    if language == "en":
        return "" if word in STOP_WORDS or len(word) < 2 else stem(word)
    if len(word) < (2 if language in KNOWN else SHORTEST_UNLISTED) or word in function_words(language):
        return ""
    plain = folded(word)
    ending = LONGEST_ENDING.get(language, 2)
    return plain[: max(SHORTEST_KEY, min(len(plain) - ending, 8))]


def function_words(language: str) -> frozenset[str]:
    return words_by_language("detection", "function_words")[language] if language in KNOWN else frozenset()


def compare(before: str, after: str, language: str) -> Comparison:
    """Both versions with their changed sentences."""
    old_parts, new_parts = tuple(_parts(before)), tuple(_parts(after))
    old_prose, new_prose = _prose(before, old_parts), _prose(after, new_parts)
    old = [(one.start, one.text) for one in sentences_in(old_prose, language)]
    new = [(one.start, one.text) for one in sentences_in(new_prose, language)]
    kept = Counter(map(_bare, (text for _, text in old))) & Counter(map(_bare, (text for _, text in new)))
    versions = (
        _version(before, language, old_parts, old_prose, old, kept),
        _version(after, language, new_parts, new_prose, new, kept),
    )
    groups, lost, added = _paired(versions[0].sentences, versions[1].sentences)
    return Comparison(*versions, groups, lost, added)


def _version(
    text: str,
    language: str,
    found: tuple[Part, ...],
    prose: str,
    sentences: Sequence[tuple[int, str]],
    kept: Counter[str],
) -> Version:
    changed = _changed(sentences, Counter(kept), language)
    return Version(text, language, found, changed, prose, tuple(one for _, one in sentences), tuple(kept))


def _parts(text: str) -> list[Part]:
    return parts(text) if _MAY_HOLD_PARTS.search(text) else []


_MAY_HOLD_PARTS = re.compile(r"[`$\\<\[{%⟦]|://|\n {4}|\n\t|~~~")


def _prose(text: str, found: Sequence[Part]) -> str:
    pieces: list[str] = []
    at = 0
    for part in found:
        pieces += text[at : part.start], " " * len(part.text)
        at = part.start + len(part.text)
    return "".join((*pieces, text[at:])).translate(RAISED)


def _bare(text: str) -> str:
    return " ".join(text.split())


def _changed(found: Iterable[tuple[int, str]], kept: Counter[str], language: str) -> tuple[Sentence, ...]:
    changed = []
    for place, (start, text) in enumerate(found):
        bare = _bare(text)
        if kept[bare]:
            kept[bare] -= 1
        else:
            changed.append(Sentence(start, text, content_keys(text, language), place))
    return tuple(changed)


Groups = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]


def _paired(old: Sequence[Sentence], new: Sequence[Sentence]) -> tuple[Groups, tuple[int, ...], tuple[int, ...]]:
    """Sentences joined to those with which they share most content words; one may be split, and two may be merged."""
    if len(old) == len(new) == 1:
        return (((0,), (0,)),), (), ()
    if max(len(old), len(new)) > MOST_COMPARED:
        return ((tuple(range(len(old))), tuple(range(len(new)))),) if old and new else (), (), ()
    edges = {*_best(old, new), *((one, other) for other, one in _best(new, old))}
    group: dict[tuple[int, int], int] = {}
    members: list[tuple[set[int], set[int]]] = []
    for one, other in sorted(edges):
        numbers = sorted({group[place] for place in ((0, one), (1, other)) if place in group})
        if not numbers:
            members.append((set(), set()))
            numbers = [len(members) - 1]
        first = numbers[0]
        members[first][0].add(one)
        members[first][1].add(other)
        for number in numbers[1:]:
            members[first][0].update(members[number][0])
            members[first][1].update(members[number][1])
            members[number] = (set(), set())
        group |= {(side, place): first for side in (0, 1) for place in members[first][side]}
    groups = tuple((tuple(sorted(ours)), tuple(sorted(theirs))) for ours, theirs in members if ours)
    lost = tuple(number for number in range(len(old)) if (0, number) not in group)
    added = tuple(number for number in range(len(new)) if (1, number) not in group)
    placed = _by_place(group, lost, added)
    lost = tuple(one for one in lost if all(one not in ours for ours, _ in placed))
    added = tuple(one for one in added if all(one not in theirs for _, theirs in placed))
    return (*groups, *placed), lost, added


def _by_place(
    group: Mapping[tuple[int, int], int], lost: Sequence[int], added: Sequence[int]
) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Sentences without a partner that stand behind the same sentences: one stands for the other."""
    runs: dict[int, tuple[list[int], list[int]]] = {}
    for side, alone in enumerate((lost, added)):
        for one in alone:
            last = max((place for kind, place in group if kind == side and place < one), default=-1)
            runs.setdefault(group.get((side, last), -1), ([], []))[side].append(one)
    return tuple(
        ((one,), (other,))
        for ours, theirs in runs.values()
        if len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True)
    )


def _best(ones: Sequence[Sentence], others: Sequence[Sentence]) -> Iterable[tuple[int, int]]:
    """For each sentence the one of the other version with which it shares most content words."""
    having: dict[str, list[int]] = {}
    for number, other in enumerate(others):
        for key in other.keys:
            having.setdefault(key, []).append(number)
    for number, one in enumerate(ones):
        telling = (having[key] for key in one.keys if len(having.get(key, ())) in COMMON)
        shared = Counter(place for places in telling for place in places)
        if not shared:
            continue
        best, count = max(shared.items(), key=lambda item: (item[1], -abs(item[0] - number)))
        if count >= PARTNER * max(1, min(len(one.keys), len(others[best].keys))):
            yield number, best
