"""The sheet of a book: the renderings of its names and terms, and its form of address.

It is a fact of the document, so that requests never depend on timing. Before anything is translated it is made from the
memory; between rounds it is made again, from the memory and the accepted paragraphs. It holds only what nearly all of
these pairs render alike; the terms of the glossary are shown separately.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

from burnish.kinds.manuscripts.model import Paragraph, Term
from burnish.kinds.manuscripts.terminology import TermIndex
from burnish.kinds.manuscripts.terms import harvest, is_function_word, prose_of
from burnish.languages.voice import KNOWN_ADDRESSES, Manner, manners
from burnish.languages.words import WORD

MOST_CANDIDATES = 300
"""Names and terms of the source that are searched, the most frequent first."""
MOST_PAIRS = 3_000
"""Different translations that are read: accepted ones come before the memory."""
FEWEST, FEWEST_OF_TERM, FIRST = 3, 5, 24
"""The fewest translations with a name, and with another term, that show its rendering; and the number of those in which
renderings are searched."""
MOSTLY = 0.8
"""The share of them that must render it alike."""
OWN = 0.8
"""The least association (Dice) of a rendering with the pairs of its term: words that occur everywhere are no
rendering."""
LONGEST, SHORTEST = 4, 0.6
"""Words of a rendering, at most one more than its term has; and its least length, relative to that of a term of
several words."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Sheet:
    """The renderings of a book."""

    renderings: Mapping[str, str] = field(default_factory=dict)
    """Name or term of the source -> its rendering."""
    address: str = ""
    """The form of address of readers and characters: the manner, and the word that shows it."""

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Sheet:
        """The sheet in a document's facts, with the names that most of the candidate keeps unchanged."""
        kept = {name: name for name, share in facts.get("names", {}).items() if share >= MOSTLY}
        found = facts.get("sheet", {})
        return cls(kept | found.get("renderings", {}), found.get("address", ""))

    def as_record(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def hash(self) -> str:
        text = json.dumps(self.as_record(), ensure_ascii=False, sort_keys=True)
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"

    def occurring(self, texts: Iterable[str], most: int) -> dict[str, str]:
        """The entries that occur in these texts."""
        return {term.source: term.target for term in self._index.occurring(texts, most)}

    @cached_property
    def _index(self) -> TermIndex:
        return TermIndex(Term(source, target) for source, target in self.renderings.items())


NO_SHEET = Sheet()


def candidates(paragraphs: Iterable[Paragraph], glossary: Iterable[Term]) -> list[str]:
    """The names and terms of the source that are not in the glossary."""
    known = {term.source.casefold() for term in glossary}
    return [one.text for one in harvest(paragraphs, MOST_CANDIDATES) if one.text.casefold() not in known]


def sheet_of(terms: Sequence[str], pairs: Sequence[Pair], language: str) -> Sheet:
    """The sheet made from these pairs of source and translation, in the order of the terms."""
    held = _by_term(terms, islice(pairs, MOST_PAIRS))
    groups = {target: frozenset(_groups(target)) for targets in held.values() for target in targets}
    everywhere = Counter(group for found in groups.values() for group in found)
    made = ((term, _rendering(term, targets, groups, everywhere)) for term, targets in held.items())
    renderings = {term: rendering for term, rendering in made if rendering}
    return Sheet(renderings, _address((target for _, target in pairs), language))


def _by_term(terms: Sequence[str], pairs: Iterable[Pair]) -> dict[str, list[str]]:
    """Term -> different translations of paragraphs with it."""
    index = TermIndex(Term(term, "") for term in terms)
    held: dict[str, dict[str, None]] = {term: {} for term in terms}
    for source, target in pairs:
        for term in index.occurring([source]):
            held[term.source][target] = None
    return {term: list(targets) for term, targets in held.items() if len(targets) >= _fewest(term)}


def _fewest(term: str) -> int:
    return FEWEST if term[0].isupper() else FEWEST_OF_TERM


def _groups(text: str) -> Iterator[str]:
    """Every word and group of words that can be a rendering: with no function word at its ends."""
    words = [word.group() for word in WORD.finditer(prose_of(text))]
    means = [len(word) > 1 and not is_function_word(word) for word in words]
    for at in range(len(words)):
        for end in range(at + 1, min(at + LONGEST, len(words)) + 1):
            if means[at] and means[end - 1]:
                yield " ".join(words[at:end])


def _rendering(
    term: str, targets: Sequence[str], groups: Mapping[str, frozenset[str]], everywhere: Mapping[str, int]
) -> str | None:
    """The longest group of words that nearly all translations of the term have, and hardly any other. None if two
    unrelated groups qualify."""
    if sum(term in target for target in targets) >= max(_fewest(term), MOSTLY * len(targets)):
        return term
    first = targets[:FIRST]
    here = Counter(group for target in first for group in groups[target])
    likely = {
        group: 2 * sum(group in groups[target] for target in targets) / (len(targets) + everywhere[group])
        for group, count in here.items()
        if count >= max(_fewest(term), MOSTLY * len(first))
        # "hierro" renders one half of "iron lantern".
        and (term[0].isupper() or len(group) >= SHORTEST * len(term))
        and group.count(" ") <= term.count(" ") + 1
    }
    best = max(likely.values(), default=0.0)
    if best < OWN:
        return None
    found = sorted((group for group, share in likely.items() if share == best), key=lambda one: (-len(one), one))
    return found[0] if all(group in found[0] for group in found) else None


def _address(targets: Iterable[str], language: str) -> str:
    """The manner of nearly all texts that use exactly one manner of address."""
    if language not in KNOWN_ADDRESSES:
        return ""
    manner_counts: Counter[Manner] = Counter()
    words: Counter[tuple[Manner, str]] = Counter()
    for target in dict.fromkeys(targets):
        prose = prose_of(target)
        found = manners(prose, language)
        if len(found) == 1:
            [(manner, span)] = found.items()
            manner_counts[manner] += 1
            words[manner, prose[slice(*span)].lower()] += 1
    for manner, count in manner_counts.most_common(1):
        if count >= max(FEWEST, MOSTLY * manner_counts.total()):
            word = next(word for (one, word), _ in words.most_common() if one == manner)
            return f"{manner} ({word})"
    return ""
