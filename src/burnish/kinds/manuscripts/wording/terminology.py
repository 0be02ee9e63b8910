"""Terms of a glossary: where they stand in a source, and whether a translation renders them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from burnish.kinds.manuscripts.model import Term
from burnish.kinds.manuscripts.wording.sides import Side
from burnish.kinds.manuscripts.wording.stems import folded, is_form_of
from burnish.languages.detection import votes

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
UNSPACED = frozenset({"zh", "ja", "yue", "th", "lo", "km", "my", "bo"})
"""Written without blanks between words: terms are looked for sign by sign."""
KEY = 3
"""Letters of a term's first word by which it is found; forms of a word differ at its end."""
GAP = 3
"""Other words that may stand among those of a rendering."""
ENGLISH_PLURALS = ("", "s", "es", "'s", "s'")


class Occurrence(NamedTuple):
    """A term in the source."""

    term: Term
    start: int
    end: int


@dataclass
class Glossary:
    """The terms of one glossary, by how they begin."""

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
        """Terms of the source's prose from left to right. The longest counts: "York" is not in "New York" as well."""
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
    """A form of the term's word; a term with a capital is a name, and wants one."""
    if wanted[0].isupper() and not found[0].isupper():
        return False
    if language == "en":  # "state" is not in "stated": English tells nouns and verbs apart by their endings
        one, other = folded(found), folded(wanted)
        return any(one == other + ending for ending in ENGLISH_PLURALS) or (
            other.endswith("y") and one == f"{other[:-1]}ies"
        )
    return is_form_of(found, wanted, language)


class _Last:
    """The glossary that was asked for last: a run has one, and a hundred thousand paragraphs ask for it."""

    glossary = Glossary(())


def glossary_of(terms: tuple[Term, ...]) -> Glossary:
    if _Last.glossary.terms is not terms:
        _Last.glossary = Glossary(terms)
    return _Last.glossary


def renders(target: Side, wanted: str) -> bool:
    """Whether the translation has the words of a rendering close together, in any form and order."""
    text = target.view.text
    if target.language in UNSPACED:
        return wanted.lower() in text.lower()
    content = _content_words(wanted, target.language)
    if not content:
        return wanted in text
    words = WORD.findall(text)
    reach = len(content) + GAP
    first = content[0]
    return any(
        is_form_of(word, first, target.language)
        and _all_near(words[max(0, at - reach) : at + reach], content[1:], target.language)
        for at, word in enumerate(words)
    )


def _all_near(near: Sequence[str], content: Sequence[str], language: str) -> bool:
    return all(any(is_form_of(word, wanted, language) for word in near) for wanted in content)


def _content_words(wanted: str, language: str) -> list[str]:
    """Its words without articles and prepositions, which change with the sentence."""
    words: list[str] = WORD.findall(wanted)
    content = [word for word in words if language not in votes([word.lower()])]
    return content or words
