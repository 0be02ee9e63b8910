"""Where a sentence can be cut, and what each cut costs. Costs depend on the alignment, the marks between words, the
Iron Rule, and the words beside a cut (a determiner stays with its noun).

Costs are natural logarithms, like those of the pairs (`cutter.py`): a cut that costs 60 is as expensive as a new pair
of forty letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Self

import regex

from burnish.kinds.legos.edge_cases import stray_marks
from burnish.kinds.legos.iron_rule import IronRule, closes_badly, is_adverb, opens_badly
from burnish.kinds.legos.model import Word
from burnish.kinds.legos.multiwords import Verb, mark_between
from burnish.languages.profiles import LanguageProfile
from burnish.languages.tables import words_by_language


class Closures:
    """The parts of one aligned sentence pair that can be cut out. Takes linear time, also for all parts from one word.

    The target words of a part must be linked to this part only: if a target word in between is linked to a later source
    word, the part is extended; if it is linked to an earlier one, no longer part from there is possible.
    """

    def __init__(self, words: int, target_words: int, links: Sequence[tuple[int, int]]) -> None:
        self._targets: list[list[int]] = [[] for _ in range(words)]
        self._sources: list[list[int]] = [[] for _ in range(target_words)]
        for source, target in links:
            self._targets[source].append(target)
            self._sources[target].append(source)

    def ends(self, first: int, at_least: int) -> Iterator[int]:
        """Yield the ends, in order, of the parts from `first` to at least `at_least` whose links stay inside them."""
        targets = range(0)
        end = at_least
        for place in range(first, len(self._targets)):
            for target in self._targets[place]:
                targets = targets or range(target, target)
                for new in (*range(target, targets.start), *range(targets.stop, target + 1)):
                    if min(self._sources[new], default=first) < first:
                        return
                    end = max(end, max(self._sources[new], default=-1) + 1)
                targets = range(min(targets.start, target), max(targets.stop, target + 1))
            if place + 1 >= end and targets:
                yield place + 1


_MARK = regex.compile(r'["“”„‟«»()\[\]{}（）「」『』《》.!?…,;:¿¡，。；：！？、،؛؟।–—-]')
_QUOTED = regex.compile(r"""\s*["'“”„‟«»‘’‚‛]*\s*""")
_BEHIND = regex.compile(r'[^\s\w]*?["”“»)\]}）」』》]')
_BEFORE = regex.compile(r'(?r)["“„«(\[{（「『《][^\s\w]*?')
"""Matched backwards."""


class Marks:
    """The marks in the parts of one sentence. With an empty sentence only the places of marks are known, from the gaps
    between words. The language, if known, supplies the abbreviations."""

    def __init__(self, sentence: str, words: Sequence[Word], profile: LanguageProfile | None = None) -> None:
        self._sentence = sentence
        self._words = words
        self._profile = profile
        inside = sentence[words[0].start : words[-1].end] if words else ""
        self._plain = not _MARK.search(inside)
        """Most sentences have no mark but one at their end; then no part needs a check."""

    @cached_property
    def pauses(self) -> list[bool]:
        """For each word whether a speaker pauses in front of it: at a comma or a dash, but not at a quote or after an
        abbreviation."""
        found = [mark_between(word, behind, self._profile) for word, behind in pairwise(self._words)]
        if self._sentence:
            gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
            found = [marked and not _QUOTED.fullmatch(gap) for marked, gap in zip(found, gaps, strict=True)]
        return [False, *found]

    def bounds(self, first: int, end: int) -> tuple[int, int]:
        """Where the text of the words from `first` to `end` (exclusive) begins and ends, in characters."""
        start, stop = self._words[first].start, self._words[end - 1].end
        if self._plain or not stray_marks(self._sentence[start:stop]):
            return start, stop
        return next(
            (wider for wider in self._wider(start, stop) if not stray_marks(self._sentence[slice(*wider)])),
            (start, stop),
        )

    def _wider(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Yield the bounds with the next paired mark after the words, before them, and both."""
        behind, before = _BEHIND.match(self._sentence, stop), _BEFORE.match(self._sentence, 0, start)
        later = behind.end() if behind else stop
        earlier = before.start() if before else start
        return [(start, later), (earlier, stop), (earlier, later)]

    def are_stray(self, first: int, end: int) -> bool:
        """Whether that text has marks that do not belong to it, or lacks some that do."""
        return not self._plain and stray_marks(self._sentence[slice(*self.bounds(first, end))]) is not None


class Lawful:
    """The parts of one sentence that the Iron Rule allows.

    A preposition of a multi-word verb is allowed at the edge of a LEGO that holds the whole verb, at its end only if
    its object does not follow. A LEGO holds no word before its first, so only verbs count that begin with its first
    word or end with its last.
    """

    def __init__(self, words: Sequence[Word], profile: LanguageProfile, rule: IronRule, verbs: Sequence[Verb]) -> None:
        places = range(len(words))
        strict = rule.variant == "strict"
        self._bad_opening = [strict and opens_badly(words, at, at + 1, profile, rule, ()) for at in places]
        self._bad_closing = [closes_badly(words, at, at + 1, profile, rule, ()) for at in places]
        self._markers = [word.bare == profile.infinitive_marker for word in words]
        self._shortest_from: dict[int, int] = {}
        self._shortest_to: dict[int, int] = {}
        for verb in verbs:
            self._shortest_from[verb.first] = min(verb.end, self._shortest_from.get(verb.first, verb.end))
            if verb.may_close:
                self._shortest_to[verb.end] = max(verb.first, self._shortest_to.get(verb.end, verb.first))
        for at in places:
            if at and is_adverb(words, at, profile, rule):
                self._shortest_to[at + 1] = at - 1
        self.first, self.end = self._reach(len(words))
        """The words that allowed LEGOs can hold: the first, and the one after the last."""

    def allows(self, first: int, end: int) -> bool:
        """Whether the words from `first` to `end` (exclusive) may be a LEGO: not "to" alone before a verb."""
        alone = end - first == 1 and self._markers[first]
        return not alone and self._opens(first, end) and self._closes(first, end)

    def can_open(self, first: int) -> bool:
        """Whether a LEGO may begin with this word."""
        return not self._bad_opening[first] or first in self._shortest_from

    def _opens(self, first: int, end: int) -> bool:
        return not self._bad_opening[first] or self._shortest_from.get(first, end + 1) <= end

    def _closes(self, first: int, end: int) -> bool:
        return not self._bad_closing[end - 1] or self._shortest_to.get(end, first - 1) >= first

    def _reach(self, count: int) -> tuple[int, int]:
        first, end = 0, count
        while first < end and not self.allows(first, end):
            if not self._opens(first, end):
                first += 1
            else:
                end -= 1
        return first, end


NEVER = 60.0
"""`want | to`, `turn the light | on`, `the | house`: cut there only if nothing else can be cut."""
_PAUSE, _CLAUSE, LOOSE = -1.0, -0.5, 0.5
STRONG, _FIRM, _FAIR, _SLIGHT = 20.0, 12.0, 6.0, 2.0
_HELPERS = ("do", "have", "haben", "haber", "avoir", "avere", "ter", "имам")
"""Verbs that only help another verb, which has to stay with them: "do you want", "has gone"."""
_LIGHT = ("do", "give", "make", "take", "machen", "geben", "dar", "hacer", "faire", "fare", "dare", "fazer")
"""Verbs that get their meaning from their object: "make a decision", "took my name"."""
_COPULAS = ("be", "sein", "essere", "être", "ser", "estar", "сум", "быть")
_NEGATED_HELPERS = frozenset(("don't", "doesn't", "didn't", "haven't", "hasn't", "hadn't"))
_HABITS = frozenset(("used",))
"""Words before "to" that mark a habit; other languages use a form of the verb: "used to live"."""
DROPS_PRONOUNS = frozenset({"es", "it", "mk", "pt"})
"""Languages that omit "I": the form of the verb includes it ("quiero")."""
_DEGREES = words_by_language("words", "degrees")
_LONGEST_SUBJECT = 4
"""Words between a helping verb and its verb."""
_LONGEST_PHRASE = 5
"""Words of the longest fixed phrase that is looked for."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """The possible parts of speech of a word, from the data of its language."""

    determiner: bool
    preposition: bool
    pronoun: bool
    auxiliary: bool
    copula: bool
    helper: bool
    light: bool
    verb: bool
    negation: bool
    question_word: bool
    opener: bool
    content: bool
    name: bool
    number: bool
    waiting: bool
    """A verb that needs a complement: `want`, `going`, `able`."""
    habit: bool
    infinitive_marker: bool
    contraction: bool
    degree: bool
    """`very`, `so`, `too`."""

    @classmethod
    def of(cls, word: Word, profile: LanguageProfile, is_first: bool) -> Self:
        bare = word.bare
        return cls(
            determiner=bare in profile.determiners,
            preposition=profile.begins_with_preposition(bare),
            pronoun=profile.is_pronoun(bare),
            auxiliary=bare in profile.auxiliaries,
            copula=_is_form(bare, _COPULAS, profile),
            helper=bare in _NEGATED_HELPERS or any(_is_form(one, _HELPERS, profile) for one in _readings(bare)),
            light=_is_form(bare, _LIGHT, profile),
            verb=profile.is_verb(bare),
            negation=bare in profile.negations,
            question_word=bare in profile.wh_words,
            opener=bare in profile.clause_openers,
            content=bare not in profile.function_words,
            name=word.text[:1].isupper() and not is_first,
            number=bare[:1].isdigit(),
            waiting=bare in profile.incomplete_verbs,
            habit=bare in _HABITS,
            infinitive_marker=bare == profile.infinitive_marker,
            contraction=profile.is_contraction(bare),
            degree=bare in _DEGREES.get(profile.code, ()),
        )


def _readings(bare: str) -> tuple[str, ...]:
    """A word, and the contracted verb at its end: `should've` -> `'ve`."""
    before, mark, behind = bare.rpartition("'")
    return (bare, mark + behind) if before else (bare,)


def _is_form(bare: str, bases: tuple[str, ...], profile: LanguageProfile) -> bool:
    return any(bare in profile.verb_forms.get(base, ()) for base in bases)


def seams(
    words: Sequence[Word], pauses: Sequence[bool], profile: LanguageProfile, verbs: Sequence[Verb] = ()
) -> list[float]:
    """The cost of a cut in front of each word; 0 before the first and after the last. `pauses`: whether a speaker
    pauses before a word; `verbs`: multi-word verbs."""
    sorts = [_Sort.of(word, profile, place == 0) for place, word in enumerate(words)]
    costs = [0.0] * (len(words) + 1)
    for place in range(1, len(words)):
        is_last = place + 1 == len(words) or pauses[place + 1]
        costs[place] = _PAUSE if pauses[place] else _tie(sorts, place, is_last)
    for first, end in _questions(sorts, pauses):
        for place in range(first + 1, end):
            costs[place] = max(costs[place], NEVER)
    for first, end in _phrases(words, profile):
        for place in range(first + 1, end):
            costs[place] = max(costs[place], NEVER)
    for verb in verbs:
        for place in range(verb.first + 1, verb.end):
            costs[place] = max(costs[place], NEVER)
    return costs


def _questions(sorts: Sequence[_Sort], pauses: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield the stretch from a helping verb before its subject to the main verb: "does the old man | sleep" is not cut.
    The helping verb is at the beginning of a clause, or after the question word's phrase: "how many wheels does"."""
    asked = False
    for first, sort in enumerate(sorts):
        begins = first == 0 or pauses[first] or sorts[first - 1].question_word or sorts[first - 1].opener
        acts = first > 1 and sorts[first - 1].verb and not sorts[first - 2].determiner
        asked = sort.question_word or (asked and not (pauses[first] or acts or sort.pronoun))
        if not (sort.helper and (begins or asked)):
            continue
        for place in range(first + 1, min(first + _LONGEST_SUBJECT + 2, len(sorts))):
            if pauses[place]:
                break
            if sorts[place].verb and not sorts[place - 1].determiner:
                yield first, place + 1
                break


def _tie(sorts: Sequence[_Sort], place: int, is_last: bool) -> float:
    """The cost of a cut in front of a word: the strongest tie counts. `is_last`: the word ends its clause."""
    left, right = sorts[place - 1], sorts[place]
    before = sorts[place - 2] if place > 1 else None
    ties = list(_ties(before, left, right))
    if left.verb and right.determiner and (is_last or left.light):
        ties.append(STRONG if is_last else _FIRM)  # "can't beat | this", "take | a walk"
    if right.opener and not (left.preposition or left.opener or left.auxiliary or right.determiner):
        ties = [_FAIR if left.determiner else _CLAUSE]
    return max(ties, default=LOOSE)


def _ties(before: _Sort | None, left: _Sort, right: _Sort) -> Iterator[float]:
    yield from _ties_of_grammar(left, right)
    if before is None and left.auxiliary and not right.verb:
        yield STRONG  # "Are planets | round": the subject stays with the word before it
    inverted = before is not None and before.auxiliary and left.pronoun
    if inverted and before is not None and not right.determiner:
        # "Do you | want", "Have you | ever": the helping verb goes with its verb. "Can you | ..." is a frame.
        yield NEVER if before.helper or (before.copula and right.verb) else _SLIGHT
    if left.waiting and right.infinitive_marker:
        yield NEVER
    elif left.verb and right.infinitive_marker:
        yield _FIRM
    if left.infinitive_marker and before is not None and before.habit:
        yield NEVER
    if left.infinitive_marker and not left.preposition:
        yield _SLIGHT
    elif left.pronoun and not (inverted or left.determiner or right.preposition or right.opener):
        drawn_together = left.contraction and right.verb  # "I'm | looking"
        yield NEVER if drawn_together else STRONG if right.verb or right.negation else _FIRM
    if before is not None and before.determiner and left.content and right.content and not right.verb:
        yield STRONG  # "an old | friend"
    yield from _ties_of_content(left, right)


def _ties_of_grammar(left: _Sort, right: _Sort) -> Iterator[float]:
    if left.determiner and not (right.preposition or right.pronoun or right.opener or right.auxiliary):
        yield NEVER
    if left.preposition and not left.infinitive_marker:
        yield STRONG
    if left.negation or (left.auxiliary and right.negation):
        yield STRONG
    if left.auxiliary and right.pronoun and not right.determiner:
        yield NEVER
    elif left.auxiliary and (right.verb or right.auxiliary):
        yield NEVER if left.helper else STRONG if left.copula else _FAIR
    elif left.auxiliary:
        yield _SLIGHT if left.copula or right.determiner else _FAIR
    if left.question_word:
        yield _FIRM if right.content or right.determiner else _FAIR
    if left.opener:
        yield _FAIR


def _ties_of_content(left: _Sort, right: _Sort) -> Iterator[float]:
    if left.name and right.name:
        yield _FIRM
    if left.number and right.content:
        yield _FIRM
    if right.preposition and not right.infinitive_marker:
        yield _SLIGHT if left.verb else LOOSE
    elif right.pronoun and not right.determiner and left.verb and not left.auxiliary:
        yield STRONG
    if left.content and right.content and not (left.verb or right.verb):
        yield _FIRM
    if left.degree and (right.content or right.degree or right.determiner):
        yield STRONG


def _phrases(words: Sequence[Word], profile: LanguageProfile) -> Iterator[tuple[int, int]]:
    """Yield prepositions and conjunctions of several words and courtesy phrases in the sentence."""
    fixed = profile.complex_prepositions | profile.complex_conjunctions | profile.courtesy
    for first in range(len(words)):
        phrase = words[first].bare
        for end in range(first + 2, min(first + _LONGEST_PHRASE, len(words)) + 1):
            phrase += " " + words[end - 1].bare
            if phrase in fixed:
                yield first, end
