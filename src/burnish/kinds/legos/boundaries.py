"""Where a sentence can be cut: what the alignment ties together, the marks between words, and the cost of each seam."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise
from typing import NamedTuple, Self

import regex

from burnish.kinds.legos.edge_cases import stray_marks
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.model import Word
from burnish.kinds.legos.multiwords import mark_between
from burnish.languages.profiles import LanguageProfile


class Closures:
    """One aligned sentence pair, asked for parts of any length. Linear to make, and so are all answers for a word.

    What a part says in the target must say nothing else: where a target word in between is linked to a source word
    behind the part, the part grows; where it is linked to one before the part, no part from there on will do.
    """

    def __init__(self, words: int, target_words: int, links: Sequence[tuple[int, int]]) -> None:
        self._targets: list[list[int]] = [[] for _ in range(words)]
        self._sources: list[list[int]] = [[] for _ in range(target_words)]
        for source, target in links:
            self._targets[source].append(target)
            self._sources[target].append(source)

    def ends(self, first: int, at_least: int) -> Iterator[int]:
        """Where the parts end that begin at `first` and can stand by themselves, from a place on, in order."""
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
_STOP = regex.compile(r"[.!?…。！？؟।]")
_BEHIND = regex.compile(r'[^\s\w]*?["”“»)\]}）」』》]')
_BEFORE = regex.compile(r'(?r)["“„«(\[{（「『《][^\s\w]*?')
"""Read backwards."""


class Marks:
    """One sentence, asked for the texts of its parts. Where it is empty, its words alone tell
    where marks stand, not which. The language, where it is known, tells abbreviations."""

    def __init__(self, sentence: str, words: Sequence[Word], profile: LanguageProfile | None = None) -> None:
        self._sentence = sentence
        self._words = words
        self._profile = profile
        inside = sentence[words[0].start : words[-1].end] if words else ""
        self._plain = not _MARK.search(inside)
        """Most sentences have no mark but one at their end; then there is nothing to see."""

    @cached_property
    def pauses(self) -> list[bool]:
        """For each word whether a speaker pauses in front of it: at a comma or a dash, but not at a quote or
        behind an abbreviation."""
        found = [mark_between(word, behind, self._profile) for word, behind in pairwise(self._words)]
        if self._sentence:
            gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
            found = [marked and not _QUOTED.fullmatch(gap) for marked, gap in zip(found, gaps, strict=True)]
        return [False, *found]

    @cached_property
    def clauses(self) -> list[int]:
        """For each word behind how many pauses it stands."""
        return list(accumulate(self.pauses[1:], initial=0)) if self._words else []

    @cached_property
    def sentences(self) -> list[int]:
        """For each word in which sentence it stands, counted from 0: a SEED may be more than one."""
        if not self._words:
            return []
        gaps = (self._sentence[word.end : behind.start] for word, behind in pairwise(self._words))
        ends = [pause and bool(_STOP.search(gap)) for pause, gap in zip(self.pauses[1:], gaps, strict=True)]
        return list(accumulate(ends, initial=0))

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
        """With the next mark of a pair behind the words, before them, and both."""
        behind, before = _BEHIND.match(self._sentence, stop), _BEFORE.match(self._sentence, 0, start)
        later = behind.end() if behind else stop
        earlier = before.start() if before else start
        return [(start, later), (earlier, stop), (earlier, later)]

    def are_stray(self, first: int, end: int) -> bool:
        """Whether marks stand in that text that are not its own, or some are missing."""
        return not self._plain and stray_marks(self._sentence[slice(*self.bounds(first, end))]) is not None


class Seam(NamedTuple):
    """What it costs to cut between two words; a good place costs less than nothing."""

    close: float
    """To end a LEGO here."""
    open: float
    """To begin one here."""


EDGE = Seam(0.0, 0.0)
"""Where the sentence begins or ends."""
LOOSE = Seam(0.05, 0.05)
PAUSE = Seam(-0.15, -0.15)
CLAUSE = Seam(-0.05, -0.10)
_RELATIVE = Seam(0.12, 0.12)
"""`lo que`, `those who`: what the clause tells about stands right before it."""
_IN_PHRASE = Seam(0.40, 0.40)
_NAME = Seam(0.30, 0.30)
_BEHIND_DETERMINER = Seam(0.50, 0.30)
_BEHIND_PREPOSITION = Seam(0.60, 0.05)
_BEHIND_NEGATION = Seam(0.30, 0.25)
_BEHIND_HELPING_VERB = Seam(0.35, 0.10)
_BEHIND_QUESTION_WORD = Seam(0.35, 0.10)
_BEHIND_OPENER = Seam(0.35, 0.00)
_SUBJECT_AND_VERB = Seam(0.20, 0.25)
_BEFORE_OBJECT_PRONOUN = Seam(0.15, 0.35)
_VERB_AND_OBJECT = Seam(0.15, 0.10)
_NOUN_PHRASE = Seam(0.22, 0.25)
_PREDICATE = Seam(0.05, 0.10)
_BEFORE_PREPOSITION = Seam(0.00, 0.10)
_HABIT = 0.25
"""What it costs to cut as no other SEED of the course does."""
_LONGEST_PHRASE = 5
"""Words of the longest fixed phrase that is looked for."""


@dataclass(frozen=True, slots=True)
class _Sort:
    """What a word can be, as far as the data of its language tell."""

    determiner: bool
    preposition: bool
    pronoun: bool
    auxiliary: bool
    verb: bool
    negation: bool
    question_word: bool
    opener: bool
    content: bool
    name: bool

    @classmethod
    def of(cls, word: Word, profile: LanguageProfile) -> Self:
        bare = word.bare
        return cls(
            determiner=bare in profile.determiners,
            preposition=profile.begins_with_preposition(bare),
            pronoun=profile.is_pronoun(bare),
            auxiliary=bare in profile.auxiliaries,
            verb=profile.is_verb(bare),
            negation=bare in profile.negations,
            question_word=bare in profile.wh_words,
            opener=bare in profile.clause_openers,
            content=bare not in profile.function_words,
            name=word.text[:1].isupper() or word.text[:1].isdigit(),
        )


_NO_WORD = _Sort(*[False] * 10)


def seams_of(
    words: Sequence[Word], pauses: Sequence[bool], profile: LanguageProfile, habits: Habits | None
) -> list[Seam]:
    """The seam in front of every word, and the one behind the last. `pauses`: whether one pauses before a word."""
    sorts = [_Sort.of(word, profile) for word in words]
    if sorts:
        # The first word of a sentence has a capital letter whatever it is.
        sorts[0] = replace(sorts[0], name=False)
    seams = [EDGE] * (len(words) + 1)
    for place in range(1, len(words)):
        after = sorts[place + 1] if place + 1 < len(words) else _NO_WORD
        seam = PAUSE if pauses[place] else _seam(sorts[place - 1], sorts[place], after)
        seams[place] = _as_usual(seam, words[place - 1], words[place], habits)
    for first, end in _phrases(words, profile):
        for place in range(first + 1, end):
            seams[place] = Seam(*map(max, seams[place], _IN_PHRASE))
    return seams


def _seam(left: _Sort, right: _Sort, after: _Sort) -> Seam:
    """What a cut between two words costs: the strongest tie between them counts."""
    if right.opener and not (left.preposition or left.opener or left.auxiliary or right.determiner):
        return _RELATIVE if left.determiner else CLAUSE
    begins_clause = after.verb and ((right.pronoun and not right.determiner) or (left.verb and right.name))
    if begins_clause and not (left.opener or left.question_word or left.auxiliary or left.preposition):
        return LOOSE
    ties = list(_ties(left, right))
    return Seam(max(tie.close for tie in ties), max(tie.open for tie in ties)) if ties else LOOSE


def _ties(left: _Sort, right: _Sort) -> Iterator[Seam]:
    if left.preposition:
        yield _BEHIND_PREPOSITION
    if left.determiner and not (right.preposition or right.pronoun or right.opener):
        yield _BEHIND_DETERMINER
    if left.negation:
        yield _BEHIND_NEGATION
    if left.auxiliary:
        yield _BEHIND_HELPING_VERB
    if left.question_word:
        yield _BEHIND_QUESTION_WORD
    if left.opener:
        yield _BEHIND_OPENER
    if left.name and right.name:
        yield _NAME
    if left.pronoun and (right.verb or right.negation):
        yield _SUBJECT_AND_VERB
    if right.preposition:
        yield _BEFORE_PREPOSITION
    yield from _ties_of_content(left, right)


def _ties_of_content(left: _Sort, right: _Sort) -> Iterator[Seam]:
    if right.pronoun and not right.determiner and (left.verb or left.content):
        yield _BEFORE_OBJECT_PRONOUN
    elif left.verb and not left.auxiliary and (right.determiner or right.content):
        yield _VERB_AND_OBJECT
    elif left.content and (right.auxiliary or (left.name and right.verb)):
        yield _PREDICATE
    elif left.content and right.content:
        yield _NOUN_PHRASE


def _as_usual(seam: Seam, left: Word, right: Word, habits: Habits | None) -> Seam:
    """Dearer where the course keeps the two together, cheaper where it parts them."""
    joined = habits.share_joined(left.bare, right.bare) if habits is not None else None
    if joined is None:
        return seam
    more = _HABIT * (joined - 0.5)
    return Seam(seam.close + more, seam.open + more)


def _phrases(words: Sequence[Word], profile: LanguageProfile) -> Iterator[tuple[int, int]]:
    """Prepositions of several words and courtesies that stand in the sentence."""
    for first in range(len(words)):
        phrase = words[first].bare
        for end in range(first + 2, min(first + _LONGEST_PHRASE, len(words)) + 1):
            phrase += " " + words[end - 1].bare
            if phrase in profile.complex_prepositions or phrase in profile.courtesy:
                yield first, end
