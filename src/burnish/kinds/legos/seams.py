"""What a cut between two neighbouring words costs, by what the words are: a determiner stays with its noun.

Costs are natural logarithms, like those of the pairs themselves (`cutter.py`): a cut that costs 60 is as dear as a new
pair of forty letters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from burnish.kinds.legos.model import Word
from burnish.kinds.legos.multiwords import Verb
from burnish.languages.profiles import LanguageProfile
from burnish.languages.tables import words_by_language

NEVER = 60.0
"""`want | to`, `turn the light | on`, `the | house`: only where nothing else can be cut."""
_PAUSE, _CLAUSE, LOOSE = -1.0, -0.5, 0.5
STRONG, _FIRM, _FAIR, _SLIGHT = 20.0, 12.0, 6.0, 2.0
_HELPERS = ("do", "have", "haben", "haber", "avoir", "avere", "ter", "имам")
"""Verbs that only help another one, which has to stay with them: "do you want", "has gone"."""
_LIGHT = ("do", "give", "make", "take", "machen", "geben", "dar", "hacer", "faire", "fare", "dare", "fazer")
"""Verbs whose meaning lies in their object: "make a decision", "took my name"."""
_COPULAS = ("be", "sein", "essere", "être", "ser", "estar", "сум", "быть")
_NEGATED_HELPERS = frozenset(("don't", "doesn't", "didn't", "haven't", "hasn't", "hadn't"))
_HABITS = frozenset(("used",))
"""Words that only say when, with "to" behind them; other languages say it by the form of the verb: "used to live"."""
DROPS_PRONOUNS = frozenset({"es", "it", "mk", "pt"})
"""Languages that leave "I" out: the form of the verb says it ("quiero")."""
_DEGREES = words_by_language("words", "degrees")
_LONGEST_SUBJECT = 4
"""Words between a helping verb and its verb."""
_LONGEST_PHRASE = 5
"""Words of the longest fixed phrase that is looked for."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """What a word can be, as far as the data of its language tell."""

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
    """A verb that wants something behind it: `want`, `going`, `able`."""
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
    """A word, and the verb that is drawn to its end: `should've` -> `'ve`."""
    before, mark, behind = bare.rpartition("'")
    return (bare, mark + behind) if before else (bare,)


def _is_form(bare: str, bases: tuple[str, ...], profile: LanguageProfile) -> bool:
    return any(bare in profile.verb_forms.get(base, ()) for base in bases)


def seams(
    words: Sequence[Word], pauses: Sequence[bool], profile: LanguageProfile, verbs: Sequence[Verb] = ()
) -> list[float]:
    """What a cut in front of each word costs; 0 before the first and behind the last. `pauses`: whether one pauses
    before a word; `verbs`: those of several words."""
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
    """From a helping verb in front of its subject up to its verb: "does the old man | sleep" is not cut. It stands at
    the beginning of a clause, or behind what is asked for: "how many wheels does"."""
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
    """What a cut in front of a word costs, which may be the last of its clause: the strongest tie counts."""
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
        yield STRONG  # "Are planets | round": the subject stays with what stands before it
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
    """Prepositions and conjunctions of several words and courtesies that stand in the sentence."""
    fixed = profile.complex_prepositions | profile.complex_conjunctions | profile.courtesy
    for first in range(len(words)):
        phrase = words[first].bare
        for end in range(first + 2, min(first + _LONGEST_PHRASE, len(words)) + 1):
            phrase += " " + words[end - 1].bare
            if phrase in fixed:
                yield first, end
