"""unrelated_text: the translation of a different text.

What it looks for: a translation in which hardly a word of its source has a counterpart, by the bilingual lexicon of the
two languages; one made of words that its language does not have; and one that shares no fact with its source (number,
name, word of the same sound, address) although both state facts that the other lacks. If a quarter of the words have a
counterpart, it may be a free translation, which is reported for information.
Why it matters: two paragraphs that were swapped, or an answer to another question, are no translation at all.
Fix: needs a translator or a model, because the paragraph has to be translated again.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, name_difference, number_difference, source_of, target_of
from burnish.languages.counterparts import Relation, is_gibberish, relation
from burnish.languages.lexicon import COUNTERPART, is_trusted, lexicon_for
from burnish.languages.names import NAME_TOKEN, can_compare
from burnish.languages.numbers import numbers
from burnish.languages.tables import kept
from burnish.languages.word_forms import sound

BEGINNING = 4
"""First letters of sounds that are compared; shorter words are similar by chance."""


@kept
def _beginnings(text: str) -> frozenset[str]:
    heard = (sound(match[0]) for match in NAME_TOKEN.finditer(text))
    return frozenset(word[:BEGINNING] for word in heard if len(word) >= BEGINNING)


def shared_words(source: str, target: str) -> int:
    """The number of beginnings of words that both texts have."""
    return len(_beginnings(source) & _beginnings(target))


STATED = 2
"""An error needs more contradicted facts than this, of both sides together."""

SUGGESTION = "Make sure that this is the translation of this paragraph; if not, translate it again."
MOST_LONGER = 1.6
"""The ratio of lengths that translations rarely exceed."""


@check(
    id="unrelated_text",
    severity="critical",
    bad=(
        pair(
            "es>en",
            "En 1979 se enviaron al espacio 60 huevos de codorniz desde Baikonur.",
            "The 22 players of the Polish team lost 3 matches in September 2014.",
        ),
        pair(
            "de>en",
            "Latenight-Moderator Stephen Colbert begrüßte die 17-jährige Thunberg am Dienstag.",
            "It works with 802.11a and 802.11g, provided that the base station has two radios.",
        ),
        pair(
            "en>de",
            "The old woman went to the market every morning to sell her bread and milk.",
            "Niemand wusste, warum der König seine drei Söhne in den Krieg geschickt hatte.",
        ),
        pair(
            "en>fi",
            "The old woman went to the market every morning to sell her bread and milk.",
            "Lumperokka vetiskanen tuppura hoimesti kalverolla sirpakoiden metsurvaa jupikkeen.",
        ),
    ),
    good=(
        pair(
            "en>fi",
            "The old woman went to the market every morning to sell her bread and milk.",
            "Vanha nainen kävi joka aamu torilla myymässä leipäänsä ja maitoaan.",
        ),
        pair(
            "es>en",
            "En 1979 se enviaron al espacio 60 huevos de codorniz.",
            "In 1979, 60 quail eggs were sent into space.",
        ),
        pair(
            "en>zh",
            "Last time I counted, I estimated that I know around 2500 Chinese characters.",
            "我上次计算，估计我已经学会了两千五百个汉字左右。",
        ),
        pair("en>es", "The house is old.", "La casa es vieja."),
        pair(
            "en>es",
            "He was forty-two years old and he had buried two wives.",
            "Tenía veinticuatro años y había enterrado a tres esposas.",
        ),
    ),
)
def unrelated_text(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not any(map(str.isalpha, paragraph.translation)) or source.language == target.language:
        return
    lexicon = lexicon_for(source.language, target.language, context.lexicon)
    related = None if lexicon is None else relation(lexicon, source.prose, target.prose)
    is_sure = related is not None and (related.is_none or not related.is_doubtful)
    if related is not None and (is_sure or not _state_other_facts(source, target)):
        if related.is_none or (related.is_doubtful and not _state_one_number(source, target)):
            yield _without_counterparts(paragraph, related)
        return
    if lexicon is not None and is_trusted(lexicon) and is_gibberish(lexicon, source.prose, target.prose):
        yield Finding.at(
            paragraph,
            span=(0, len(paragraph.translation)),
            severity="critical",
            message="Hardly any word of the translation belongs to its language.",
            suggestion="Translate the paragraph again.",
        )
    elif _state_other_facts(source, target):
        yield Finding.at(
            paragraph,
            span=(0, len(paragraph.translation)),
            severity="critical",
            message="Source and translation have nothing in common.",
            suggestion=SUGGESTION,
        )


def _without_counterparts(paragraph: Paragraph, related: Relation) -> Finding:
    words = [weight for side in (related.compared.source, related.compared.target) for _, weight in side]
    met = sum(weight >= COUNTERPART for weight in words)
    return Finding.at(
        paragraph,
        span=(0, len(paragraph.translation)),
        severity="critical" if related.is_none else "info",
        message=f"Of {len(words)} words in source and translation, {met} have a counterpart on the other side.",
        suggestion=SUGGESTION,
    )


def _state_other_facts(source: Side, target: Side) -> bool:
    """Whether each side states facts that the other lacks, and they share none."""
    counted = number_difference(source, target)
    stated = [numbers(side.prose, side.language).stated for side in (source, target)]
    if any(len(all_of) > len(missing) for all_of, missing in zip(stated, counted, strict=True)):
        return False  # both have a number
    named = name_difference(source, target)
    lost, new = counted.lost + named.lost, counted.new + named.new
    if not lost or not new or len(lost) + len(new) <= STATED:
        return False
    if not (named.lost or named.new) and _have_one_shape(source, target, *map(len, stated)):
        return False  # only wrong numbers, which `numbers_changed` reports
    comparable = can_compare(source.language) and can_compare(target.language)
    return not (comparable and shared_words(source.view.text, target.view.text))


def _state_one_number(source: Side, target: Side) -> bool:
    """Whether both sides state the same numbers, which removes a doubt."""
    counted = number_difference(source, target)
    return not counted.lost and not counted.new and bool(numbers(source.prose, source.language).stated)


def _have_one_shape(source: Side, target: Side, ours: int, theirs: int) -> bool:
    """Whether both sides have as many numbers, and lengths that fit: a translation with wrong numbers."""
    shorter, longer = sorted((len(source.prose), len(target.prose)))
    return ours == theirs and longer <= shorter * MOST_LONGER
