"""The phrase pairs of an aligned SEED that can be LEGOs, and the probability that two halves have the same meaning."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, groupby, takewhile

from burnish.kinds.legos.boundaries import NEVER, Closures, Lawful, Marks, seams
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import Course, words_of
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.languages.alignment import LEAST, SureLinks, counted
from burnish.languages.lexicon import Lexicon, lexicon_for
from burnish.languages.profiles import LanguageProfile, profile_of
from burnish.languages.tables import words_by_language

LONGEST = 8
"""The most words of a LEGO, except if words of a sentence cannot be separated."""
Key = tuple[str, str]
"""A pair for comparison: its bare words, source and target."""
Span = tuple[int, int]
_LEANING = 0.15
"""The least certainty of doubtful links that decides where an unlinked word belongs."""
_TARGET_SEAM = 0.7
"""The weight of a seam of the target: less, because the source is the language that the learner thinks in."""
_PAUSE_INSIDE, _PAUSE_CROSSED, _STRAY_MARKS = 20.0, 4.0, 4.0
"""The cost of a mark inside a pair, of one inside the target half only, and of one mark of a pair without the other."""
_TORN = 30.0
"""The cost of an edge for each unlinked content word beside it: its side is not known."""
_DOUBT = 3.0
"""The cost of doubt about the meaning of the halves, times the logarithm of their confidence."""
_SAME_CLAUSE, _OTHER_CLAUSE = 0.7, 0.1
"""The share of links that must stay in the same clause on both sides, and the weight of the others then."""
_FREQUENT = 60
"""The number of most frequent words that count as grammar words if the language has no profile."""


@dataclass(frozen=True)
class Weights:
    """The weights for and against a pair, from a logistic regression on links made by people (half of the sentences of
    three languages; `python -m bench.eval.legos` measures the other half)."""

    base: float = 3.2
    crossing: float = -4.0
    """Links that lead out of the pair, by their certainty."""
    unsure: float = -0.4
    """Linked words, by the uncertainty of the best link of each."""
    loose: float = -0.9
    loose_grammar: float = -0.4
    """Source words inside without a link."""
    loose_target: float = -0.1
    """Grammar words inside the target half without a link."""
    beside: float = -1.2
    beside_grammar: float = -0.7
    """Words without a link directly beside either half."""
    nothing: float = -5.0
    """No link at all inside."""


WEIGHTS = Weights()
UNKNOWN = 0.5
"""The confidence of a pair if a SEED has no links."""


@dataclass(frozen=True)
class Phrase:
    """A phrase pair of a SEED that can be a LEGO."""

    first: int
    end: int
    """Words of the source, end exclusive."""
    low: int
    high: int
    """Words of the target, end exclusive."""
    key: Key
    cost: float
    """Its cost in this SEED, not shared with other uses of the pair: its seams, and the doubt about its meaning."""


@dataclass(frozen=True)
class Languages:
    """The data of the two languages of a course."""

    source: LanguageProfile
    target: LanguageProfile | None = None
    lexicon: Lexicon | None = None
    enclitics: frozenset[str] = frozenset()
    """Target words that attach to the word before them: `ли`."""
    frequent: frozenset[str] = frozenset()
    """The most frequent target words, if the language has no profile."""

    @classmethod
    def of(cls, course: Course) -> Languages:
        """The languages of a course whose source language is supported (`resources.course_profile`)."""
        return _languages(course.source_tag, course.target_tag)

    def leans_back(self, word: str) -> bool:
        """Whether a grammar word of the target goes with the word before it."""
        return word in self.enclitics or (self.target is not None and word in self.target.clause_openers)

    def is_content(self, word: str) -> bool:
        """Whether a target word is a content word."""
        return word not in self.frequent and (self.target is None or word not in self.target.function_words)


@lru_cache(maxsize=8)
def _languages(source_tag: str, target_tag: str) -> Languages:
    source, target = profile_of(source_tag), profile_of(target_tag)
    assert source is not None, f"no profile of {source_tag}"
    lexicon = lexicon_for(source_tag, target_tag)
    counts = lexicon.target_words if lexicon is not None and target is None else {}
    frequent = frozenset(sorted(counts, key=lambda word: (-counts[word], word))[:_FREQUENT])
    return Languages(
        source, target, lexicon, words_by_language("words", "enclitics").get(target_tag, frozenset()), frequent
    )


class AlignedSeed:
    """One aligned sentence pair, and its possible phrases."""

    def __init__(self, source: str, target: str, links: SureLinks, languages: Languages) -> None:
        self.source, self.target = source, target
        self.words, self.target_words = words_of(source), words_of(target)
        self._languages = languages
        self.verbs = multi_word_verbs(self.words, languages.source)
        self.marks = Marks(source, self.words, languages.source)
        self.target_marks = Marks(target, self.target_words, languages.target)
        links = {link: sure for link, sure in links.items() if not self._leans_on_another(link[1])}
        self.links = links = _inside_clauses(links, self.marks.pauses, self.target_marks.pauses)
        self.seams = seams(self.words, self.marks.pauses, languages.source, self.verbs)
        self.target_seams = [0.0] * (len(self.target_words) + 1)
        if languages.target is not None:
            self.target_seams = seams(self.target_words, self.target_marks.pauses, languages.target)
        self._targets: list[list[int]] = [[] for _ in self.words]
        self._sources: list[list[int]] = [[] for _ in self.target_words]
        for one, other in counted(links):
            self._targets[one].append(other)
            self._sources[other].append(one)
        self._links_of: list[list[tuple[int, float]]] = [[] for _ in self.words]
        self._links_to: list[list[tuple[int, float]]] = [[] for _ in self.target_words]
        for (one, other), sure in links.items():
            self._links_of[one].append((other, sure))
            self._links_to[other].append((one, sure))
        self._weigh()
        self._owners = list(self._owned())

    def _leans_on_another(self, place: int) -> bool:
        """Whether a target word goes with the one before it, whatever it is linked to: 試験は."""
        leans = place > 0 and self.target_words[place].bare in self._languages.enclitics
        return leans and not self.target_marks.pauses[place]

    def _weigh(self) -> None:
        """Compute how each word counts against a pair that holds it or is beside it, and which edges are torn."""
        sure, target_sure = [0.0] * len(self.words), [0.0] * len(self.target_words)
        for (one, other), strength in self.links.items():
            sure[one], target_sure[other] = max(sure[one], strength), max(target_sure[other], strength)
        ours = [word.bare not in self._languages.source.function_words for word in self.words]
        theirs = [self._languages.is_content(word.bare) for word in self.target_words]
        self._inside = _against(sure, ours, WEIGHTS.loose, WEIGHTS.loose_grammar)
        self._target_inside = _against(target_sure, theirs, 0.0, WEIGHTS.loose_target)
        self._beside = _against(sure, ours, WEIGHTS.beside, WEIGHTS.beside_grammar, unsure=0.0)
        self._target_beside = _against(target_sure, theirs, WEIGHTS.beside, WEIGHTS.beside_grammar, unsure=0.0)
        self._torn = _torn(_together(sure, self.seams), ours)
        self._target_torn = _torn(_together(target_sure, self.target_seams), theirs)

    def phrases(self, lawful: Lawful) -> list[Phrase]:
        """The phrases of up to eight words that may be LEGOs, by first word, and for each first word the shortest
        longer one."""
        closures = Closures(len(self.words), len(self.target_words), counted(self.links))
        found = []
        for first in range(lawful.first, lawful.end):
            if not lawful.can_open(first):
                continue
            for end in takewhile(lambda end: end <= lawful.end, closures.ends(first, first + 1)):
                if lawful.allows(first, end):
                    found.append(self._phrase(first, end))
                    if end - first > LONGEST:
                        break
        return found

    def whole(self, lawful: Lawful) -> Phrase:
        """One phrase with all words that a LEGO can hold."""
        span, half = (lawful.first, lawful.end), (0, len(self.target_words))
        return Phrase(*span, *half, self.key(span, half), 0.0)

    def lawful(self, rule: IronRule) -> Lawful:
        return Lawful(self.words, self._languages.source, rule, self.verbs)

    def key(self, span: Span, half: Span) -> Key:
        return (
            " ".join(word.bare for word in self.words[slice(*span)]),
            " ".join(word.bare for word in self.target_words[slice(*half)]),
        )

    def _phrase(self, first: int, end: int) -> Phrase:
        inside = [target for place in range(first, end) for target in self._targets[place]]
        low, high = min(inside), max(inside) + 1
        if (first, end) == (0, len(self.words)):
            low, high = 0, len(self.target_words)
        core = range(low, high)
        while low > 0 and self._owners[low - 1] in core:
            low -= 1
        while high < len(self._owners) and self._owners[high] in core:
            high += 1
        span, half = (first, end), (low, high)
        return Phrase(*span, *half, self.key(span, half), self._cost(span, half))

    def _cost(self, span: Span, half: Span) -> float:
        cost = sum(self.seams[place] + 2 * _TORN * self._torn[place] for place in span) / 2
        cost += (
            sum(_TARGET_SEAM * self.target_seams[place] + 2 * _TORN * self._target_torn[place] for place in half) / 2
        )
        inner = sum(self.marks.pauses[span[0] + 1 : span[1]])
        crossed = max(0, sum(self.target_marks.pauses[half[0] + 1 : half[1]]) - inner)
        stray = self.marks.are_stray(*span) + self.target_marks.are_stray(*half)
        marks = _PAUSE_INSIDE * inner + _PAUSE_CROSSED * crossed + _STRAY_MARKS * stray
        return cost + marks - _DOUBT * math.log(self.confidence(span, half))

    def confidence(self, span: Span, half: Span) -> float:
        """The probability that both halves have the same meaning. It is 1 for the two whole sentences, because the
        course says so."""
        words, target_words = range(*span), range(*half)
        if len(words) == len(self.words) and len(target_words) == len(self.target_words):
            return 1.0
        if not self.links:
            return UNKNOWN
        crossing = kept = 0.0
        for other, sure in chain.from_iterable(self._links_of[slice(*span)]):
            if other not in target_words:
                crossing += sure
            elif sure >= LEAST:
                kept += sure
        crossing += sum(sure for one, sure in chain.from_iterable(self._links_to[slice(*half)]) if one not in words)
        value = WEIGHTS.base + WEIGHTS.crossing * crossing + (0.0 if kept else WEIGHTS.nothing)
        value += sum(self._inside[slice(*span)]) + sum(self._target_inside[slice(*half)])
        value += _at(self._beside, span) + _at(self._target_beside, half)
        return 1 / (1 + math.exp(-max(-30.0, value)))

    def _owned(self) -> Iterator[int]:
        """For every target word the linked word that it goes with: itself, a neighbour, or none (-1).

        A grammar word goes with the word after it (articles, clitics, auxiliaries), an enclitic and a word that opens a
        clause ("creo que") with the word before it. An unlinked content word goes with none, unless a doubtful link
        decides. No word goes with one beyond a mark.
        """
        linked = [bool(found) for found in self._sources]
        pauses = self.target_marks.pauses
        last = len(linked) - 1
        before = _nearest(linked, pauses[1:])
        behind = [last - place if place >= 0 else -1 for place in _nearest(linked[::-1], pauses[:0:-1])][::-1]
        for place, word in enumerate(self.target_words):
            back, ahead = before[place], behind[place]
            here, there = self._leaning(place, back), self._leaning(place, ahead)
            if linked[place]:
                yield place
            elif word.bare in self._languages.enclitics:
                yield back
            elif max(here, there) >= _LEANING:
                yield back if here > there else ahead
            elif self._languages.is_content(word.bare):
                # At the edge of a clause there is one neighbour only; in the middle the neighbour is not known.
                yield max(back, ahead) if min(back, ahead) < 0 else -1
            else:
                yield back if ahead < 0 or self._languages.leans_back(word.bare) else ahead

    def _leaning(self, place: int, neighbour: int) -> float:
        """The certainty of doubtful links between a target word and the source words of its neighbour."""
        if neighbour < 0:
            return 0.0
        return sum(self.links.get((one, place), 0.0) for one in self._sources[neighbour])


def _inside_clauses(links: SureLinks, pauses: Sequence[bool], target_pauses: Sequence[bool]) -> SureLinks:
    """The weighted links of a pair. If both sides have as many pauses and nearly all links stay in the same clause, the
    others are probably mistakes of the aligner and hardly count: "me, | please" is not "por favor"."""
    ours, theirs = list(accumulate(pauses)), list(accumulate(target_pauses))
    if not ours or not theirs or not ours[-1] or ours[-1] != theirs[-1]:
        return links
    inside = {link for link in links if ours[link[0]] == theirs[link[1]]}
    if sum(links[link] for link in inside) < _SAME_CLAUSE * sum(links.values()):
        return links
    return {link: sure if link in inside else sure * _OTHER_CLAUSE for link, sure in links.items()}


def _against(
    sure: Sequence[float], content: Sequence[bool], loose: float, grammar: float, unsure: float | None = None
) -> list[float]:
    """For each word its weight against a pair: because it has no link, or no certain one."""
    unsure = WEIGHTS.unsure if unsure is None else unsure
    return [
        unsure * (1 - strength) if strength >= LEAST else loose if is_content else grammar
        for strength, is_content in zip(sure, content, strict=True)
    ]


def _together(sure: Sequence[float], costs: Sequence[float]) -> list[float]:
    """The certainty of each word, or of the words that it is never separated from: one link is enough for "do you
    think", whichever word has it."""
    found: list[float] = []
    first = 0
    for end in range(1, len(sure) + 1):
        if end == len(sure) or costs[end] < NEVER:
            found += [max(sure[first:end])] * (end - first)
            first = end
    return found


def _torn(sure: Sequence[float], content: Sequence[bool]) -> list[int]:
    """For every place between words whether it touches a run of unlinked words with a content word; the ends of the
    sentence do not count."""
    torn = [0] * (len(sure) + 1)
    first = 0
    for is_linked, run in groupby(range(len(sure)), key=lambda place: sure[place] >= LEAST):
        end = first + len(list(run))
        if not is_linked and any(content[first:end]):
            torn[first : end + 1] = [1] * (end + 1 - first)
        first = end
    torn[0] = torn[-1] = 0
    return torn


def _at(beside: Sequence[float], span: Span) -> float:
    return sum(beside[place] for place in (span[0] - 1, span[1]) if 0 <= place < len(beside))


def _nearest(linked: Sequence[bool], marked: Sequence[bool]) -> list[int]:
    """For every word the nearest linked word up to it; -1 if a mark or the beginning comes first."""
    found: list[int] = []
    last = -1
    for place, is_linked in enumerate(linked):
        last = place if is_linked else -1 if place and marked[place - 1] else last
        found.append(last)
    return found
