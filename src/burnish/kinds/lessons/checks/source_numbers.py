"""source_numbers: a number or a date that differs from the source.

What it looks for: a sentence that says nearly the same as a sentence of the source, with the same names, but with
another number of the same things or another date.
Why it matters: learners remember a wrong year or dose, and the source has the right one.
Fix: needs an author or a model, because either of the two texts may be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.materials import PassageIndex, terms
from burnish.kinds.lessons.model import LessonContext, LessonUnit, Passage
from burnish.kinds.lessons.numbers_and_dates import Mention, mentions
from burnish.languages.sentences import Sentence, sentences
from burnish.languages.words import WORD
from burnish.text.markdown import markdown

LOOKED_AT = 5
"""Passages that are compared. If any of them has the number of the lesson, nothing is reported."""
SAME_WORDS = 4
"""Fewest content words that both sentences share."""
SAME_SHARE = 0.6
"""Smallest share of common words in the longer sentence."""
MOST_READ = 4_000
"""Characters of a passage that are compared. Those that are cut from a file have about 900."""
LONGEST = 400
"""Characters of a sentence: a longer one is a list or a table, in which numbers belong to different things."""


@check(
    id="source_numbers",
    title="Number differs from source",
    severity="warning",
    bad=(
        {
            "text": "The Treaty of Utrecht was signed in 1715 by the powers of Europe.",
            "source": ("The Treaty of Utrecht was signed in 1713 by the powers of Europe. It ended a long war.",),
        },
        {
            "text": "Adults should drink 5 litres of clean water each day in hot weather.",
            "source": ("In hot weather adults should drink 3 litres of clean water each day.",),
        },
    ),
    good=(
        {
            "text": "The Treaty of Utrecht was signed in 1713 by the powers of Europe.",
            "source": ("The Treaty of Utrecht was signed on 11 April 1713 by the powers of Europe.",),
        },
        {
            "text": "The population of France was 67 million people in the census of that year.",
            "source": ("The population of Germany was 83 million people in the census of that year.",),
        },
        {
            "text": "Adults should drink 3000 ml of clean water each day in hot weather.",
            "source": ("In hot weather adults should drink 3 litres of clean water each day.",),
        },
        {"text": "The Treaty of Utrecht was signed in 1715 by the powers of Europe."},
    ),
)
def source_numbers(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    if not context.passages:
        return
    index = _index(context.passages)
    for field, text in unit.texts().items():
        for sentence in sentences(markdown(text).prose):
            if len(sentence.text) <= LONGEST and (given := mentions(sentence.text)):
                yield from _conflicts(unit, field, sentence, given, index)


_index = lru_cache(maxsize=4)(PassageIndex)
"""Cached, because all units of a lesson use the same sources."""


def _conflicts(
    unit: LessonUnit, field: str | None, sentence: Sentence, given: list[Mention], index: PassageIndex
) -> Iterator[Finding]:
    found = [hit.passage for hit in index.search(sentence.text, LOOKED_AT)]
    near = next(_same_statements(sentence.text, found), None)
    if near is None:
        return
    passage, statement = near
    known = [mention for other in found for mention in _mentions(other.text)]
    for mention in given:
        other = _other_value(mention, given, mentions(statement), known)
        if other is not None:
            yield Finding.at(
                unit,
                field=field,
                span=sentence.shift((mention.start, mention.end)),
                message=f"The source says {other.text!r} here ({passage.id}), the lesson {mention.text!r}.",
                suggestion="Compare the two, and correct the one that is wrong.",
                data={"source": other.text, "lesson": mention.text, "passage": passage.id},
            )


def _same_statements(sentence: str, found: list[Passage]) -> Iterator[tuple[Passage, str]]:
    """Sentences of the source that say nearly the same about the same names, best passage first."""
    words, names = _content(sentence), _names(sentence)
    for passage in found:
        for statement, others in _statements(passage.text):
            shared = len(words & others)
            alike = shared >= SAME_WORDS and shared >= SAME_SHARE * max(len(words), len(others))
            if alike and names <= _all_words(statement) and _names(statement) <= _all_words(sentence):
                yield passage, statement


@lru_cache(maxsize=256)
def _statements(passage: str) -> tuple[tuple[str, set[str]], ...]:
    """The sentences of a passage with their content words."""
    read = (statement.text for statement in sentences(passage[:MOST_READ]))
    return tuple((text, _content(text) if len(text) <= LONGEST else set()) for text in read)


@lru_cache(maxsize=256)
def _mentions(passage: str) -> tuple[Mention, ...]:
    return tuple(mentions(passage[:MOST_READ]))


def _content(text: str) -> set[str]:
    return {term for term in terms(text) if not term[0].isdigit()}


def _names(text: str) -> set[str]:
    """The capitalised words except the first: the names in a sentence."""
    return {match.group().lower() for match in list(WORD.finditer(text))[1:] if match.group()[0].isupper()}


def _all_words(text: str) -> set[str]:
    return {match.group().lower() for match in WORD.finditer(text)}


def _other_value(mention: Mention, given: list[Mention], stated: list[Mention], known: list[Mention]) -> Mention | None:
    """The single value of the same measure that the source has instead; None if there is any doubt."""
    if mention.compared or any(mention.agrees(other) for other in known):
        return None
    mine = [other for other in given if other.measure == mention.measure]
    theirs = [other for other in stated if other.measure == mention.measure]
    odd = [other for other in theirs if not any(other.agrees(own) for own in mine)]
    unmatched = [own for own in mine if not any(own.agrees(other) for other in theirs)]
    if len(odd) != 1 or unmatched != [mention] or len(mine) != len(theirs) or odd[0].compared:
        return None
    return odd[0]
