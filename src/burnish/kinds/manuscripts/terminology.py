"""Terms of a glossary: find them in a source, and tell whether a translation renders them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio

from burnish.kinds.manuscripts.model import Term
from burnish.kinds.manuscripts.sides import Side
from burnish.languages.detection import votes
from burnish.languages.scripts import UNSPACED
from burnish.languages.word_forms import LONGEST_ENDING, folded, is_form_of

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
KEY = 3
"""Letters of a term's first word by which it is indexed; forms of a word differ at its end."""
GAP = 3
"""Other words that may be among those of a rendering."""
ENGLISH_PLURALS = ("", "s", "es", "'s", "s'")


class Occurrence(NamedTuple):
    """A term in the source."""

    term: Term
    start: int
    end: int


@dataclass
class Glossary:
    """The terms of one glossary, indexed by their beginnings."""

    terms: tuple[Term, ...]
    _by_key: dict[str, list[tuple[list[str], Term]]] = field(init=False, default_factory=dict)
    _by_sign: dict[str, list[Term]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for term in sorted(self.terms, key=lambda term: -len(term.source)):
            words = WORD.findall(term.source)
            if words:
                self._by_key.setdefault(folded(words[0])[:KEY], []).append((words, term))
            if term.source:
                self._by_sign.setdefault(term.source[0], []).append(term)

    def occurrences(self, source: Side) -> Iterator[Occurrence]:
        """Terms in the source's prose from left to right. Only the longest counts: "New York" holds no term "York"."""
        return self._signs(source.prose) if source.language in UNSPACED else self._words(source)

    def _words(self, source: Side) -> Iterator[Occurrence]:
        words = list(WORD.finditer(source.prose))
        at = 0
        while at < len(words):
            found = self._beginning_at(words, at, source.language)
            if found is None:
                at += 1
                continue
            length, term = found
            yield Occurrence(term, words[at].start(), words[at + length - 1].end())
            at += length

    def _beginning_at(self, words: list[re.Match[str]], at: int, language: str) -> tuple[int, Term] | None:
        for wanted, term in self._by_key.get(folded(words[at].group())[:KEY], ()):
            here = [word.group() for word in words[at : at + len(wanted)]]
            if len(here) == len(wanted) and all(map(_matches, here, wanted, [language] * len(here))):
                return len(wanted), term
        return None

    def _signs(self, prose: str) -> Iterator[Occurrence]:
        at = 0
        while at < len(prose):
            term = next((term for term in self._by_sign.get(prose[at], ()) if prose.startswith(term.source, at)), None)
            if term is not None:
                yield Occurrence(term, at, at + len(term.source))
            at += len(term.source) if term is not None else 1


def _matches(found: str, wanted: str, language: str) -> bool:
    """Whether the word is a form of the term's word; a term with a capital is a name, and needs one."""
    if wanted[0].isupper() and not found[0].isupper():
        return False
    if language == "en":  # "stated" is no form of "state": endings distinguish English nouns and verbs
        one, other = folded(found), folded(wanted)
        return any(one == other + ending for ending in ENGLISH_PLURALS) or (
            other.endswith("y") and one == f"{other[:-1]}ies"
        )
    return is_form_of(found, wanted, language)


class _Last:
    """The last glossary: a run has one for its hundred thousand paragraphs."""

    glossary = Glossary(())


def glossary_of(terms: tuple[Term, ...]) -> Glossary:
    if _Last.glossary.terms is not terms:
        _Last.glossary = Glossary(terms)
    return _Last.glossary


def renders(target: Side, wanted: str) -> bool:
    """Whether the translation holds the words of a rendering close together, in any form and order."""
    text = target.view.text
    if target.language in UNSPACED:
        return wanted.lower() in text.lower()
    # Without articles and prepositions, which change with the sentence.
    whole: list[str] = WORD.findall(wanted)
    content = [word for word in whole if target.language not in votes([word.lower()])] or whole
    if not content:
        return wanted in text
    words = WORD.findall(text)
    reach = len(content) + GAP
    first = content[0]
    return any(
        is_form_of(word, first, target.language)
        and all(
            any(is_form_of(near, other, target.language) for near in words[max(0, at - reach) : at + reach])
            for other in content[1:]
        )
        for at, word in enumerate(words)
    )


NAME = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
ENDING = re.compile(r"[^\W\d_]{1,12}")
INFLECTING = frozenset(
    {"ru", "uk", "be", "pl", "cs", "sk", "hr", "sr", "sl", "mk", "bg", "tr", "fi", "hu", "et", "lt", "lv", "eu", "ka"}
)
UNSPACED_SCRIPTS = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")
ALIKE = 72.0
LETTERS_OF_A_SLIP = 6
"""Letters of a name for each wrong letter that is allowed; one is always allowed."""
LONGEST_NAME_WORDS = 4
SHORTEST_ALIKE = 4


class Variant(NamedTuple):
    """The words of the translation that replace the name."""

    start: int
    end: int
    slip: bool
    """So similar to the name that it must be a slip."""


def keeps(text: str, name: str, language: str) -> bool:
    """Whether the text holds the exact name, as a separate word or with an ending of the language."""
    at = text.find(name)
    while at >= 0:
        before = text[at - 1 : at] if at else ""
        begins = not before.isalnum() or not text[at].isalnum() or UNSPACED_SCRIPTS.match(before) is not None
        if begins and _ends_word(text, at + len(name), language):
            return True
        at = text.find(name, at + 1)
    return False


def _ends_word(text: str, end: int, language: str) -> bool:
    after = text[end : end + 1]
    if not text[end - 1].isalnum() or not after.isalnum() or UNSPACED_SCRIPTS.match(after):
        return True
    ending = ENDING.match(text, end)
    allowed = LONGEST_ENDING.get(language, 2) if language in INFLECTING else 1
    return ending is not None and len(ending.group()) <= allowed


def variant_of(target: Side, name: str) -> Variant | None:
    """The words of the translation that look most like the name, if any look like it."""
    count = len(NAME.findall(name))
    words = list(NAME.finditer(target.prose))
    if not count or len(name) < SHORTEST_ALIKE:
        return None
    wanted = folded(name)
    best: tuple[float, int, int] | None = None
    for at in range(len(words) - count + 1):
        start, end = words[at].start(), words[at + count - 1].end()
        if end - start > 2 * len(name):
            continue
        likeness = ratio(folded(target.prose[start:end]), wanted, score_cutoff=ALIKE)
        if likeness and (best is None or likeness > best[0]):
            best = likeness, start, end
    if best is None:
        return None
    wrong = Levenshtein.distance(folded(target.prose[best[1] : best[2]]), wanted)
    return Variant(best[1], best[2], wrong <= max(1, len(wanted) // LETTERS_OF_A_SLIP))


def names_in(source: Side, names: Mapping[str, float]) -> Iterator[str]:
    """Those of the names that are in the source. Runs of words are looked up, so many names cost no more than few."""
    words = list(NAME.finditer(source.prose))
    seen: set[str] = set()
    for at in range(len(words)):
        for count in range(1, LONGEST_NAME_WORDS + 1):
            here = words[at : at + count]
            name = " ".join(source.prose[here[0].start() : here[-1].end()].split())
            if len(here) == count and name in names and name not in seen:
                seen.add(name)
                yield name


LONGEST_KEY = 4
"""Characters at the beginning of a word by which terms are indexed."""
_TERM_WORD = re.compile(r"\w+")
_UNSPACED_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]")
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese have no spaces between words: a term may begin anywhere."""


class TermIndex:
    """A glossary, indexed for many texts. The case of letters does not matter; an ending may follow the term."""

    def __init__(self, terms: Iterable[Term]) -> None:
        self._by_beginning: dict[str, list[tuple[int, str, Term]]] = {}
        self._anywhere: list[tuple[int, str, Term]] = []
        for place, term in enumerate(terms):
            folded = term.source.casefold()
            word = _TERM_WORD.match(folded)
            if word is not None and not _UNSPACED_WORD.match(folded):
                self._by_beginning.setdefault(word.group()[:LONGEST_KEY], []).append((place, folded, term))
            elif folded.strip():
                self._anywhere.append((place, folded, term))

    def occurring(self, texts: Iterable[str], most: int | None = None) -> list[Term]:
        """The terms in any of the texts, in the glossary's order; at most `most`."""
        if not self._by_beginning and not self._anywhere:
            return []
        text = "\n".join(texts).casefold()
        found = [(place, term) for place, folded, term in self._anywhere if folded in text]
        # The beginnings of all words of the text, which are the keys of the index.
        words = set(_TERM_WORD.findall(text))
        beginnings = {word[:length] for word in words for length in range(1, LONGEST_KEY + 1)}
        for beginning in self._by_beginning.keys() & beginnings:
            of_it = self._by_beginning[beginning]
            found += [(place, term) for place, folded, term in of_it if _begins_a_word(folded, text)]
        return [term for _, term in sorted(found, key=lambda pair: pair[0])[:most]]


def _begins_a_word(term: str, text: str) -> bool:
    at = text.find(term)
    while at >= 0:
        if at == 0 or not _TERM_WORD.match(text[at - 1]):
            return True
        at = text.find(term, at + 1)
    return False
