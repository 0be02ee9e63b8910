"""What the rules were able to look at in a paragraph; what they were not has no score.

A rule that stays silent because it cannot see must not pass for one that found nothing wrong. Each dimension lists what
counts as looking. Style is always looked at: marks, spaces and lengths are compared in every language.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from burnish.core.findings import Finding
from burnish.core.protected import PartKind
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.policy import RULES, DimensionName
from burnish.kinds.manuscripts.sides import Side, carried, source_of, target_of
from burnish.kinds.manuscripts.terminology import glossary_of
from burnish.languages.counterparts import relation
from burnish.languages.dates import date_words
from burnish.languages.detection import language_of
from burnish.languages.lexicons import how_words_are_compared, is_trusted, lexicon_for
from burnish.languages.names import names
from burnish.languages.numbers import numbers
from burnish.languages.tags import UNKNOWN_LANGUAGE
from burnish.languages.voice import OTHER_MARKS, denials, knows_denials, sentence_marks

OF_GRAMMAR = frozenset({"agreement", "spelling"})
"""Rules that know words of the language. Doubled words, marks and capitals alone say nothing about its grammar."""
OF_VOICE = frozenset({"formality_mixed", "person_changed", "tense_changed"})
COMPARED: frozenset[PartKind] = frozenset({"address", "code", "formula", "placeholder"})


def unjudged(
    paragraph: Paragraph, ran: Collection[str], findings: Iterable[Finding], context: ManuscriptContext
) -> dict[str, str]:
    """Dimension -> why no rule was able to look at it, of those in which none was."""
    if not paragraph.translation.strip():
        return {}
    spoken = {RULES[finding.rule].dimension for finding in findings if finding.rule in RULES}
    source, target = source_of(paragraph), target_of(paragraph)
    return {name: why for name, why in _reasons(source, target, ran, context) if name not in spoken}


def _reasons(
    source: Side, target: Side, ran: Collection[str], context: ManuscriptContext
) -> Iterator[tuple[DimensionName, str]]:
    if not OF_GRAMMAR & set(ran):
        yield "grammar", f"no dictionary and no grammar of {_named(target)} is at hand"
    if not _has_term(source, context) and language_of(target.prose) != target.language:
        yield "vocabulary", f"the text cannot be told to be {_named(target)}, and no term of a glossary stands in it"
    if not OF_VOICE & set(ran) and not _is_marked(source, target):
        yield "voice", f"persons and tenses of {_named(source)} or {_named(target)} are not known, and nothing is asked"
    if (
        not any(map(_states, (source, target)))
        # A word of the translation that no dictionary has may be a name or nonsense: only those of the source count.
        and next(names(source.prose, source.language), None) is None
        and not _both_deny_or_not(source, target)
        and not _words_are_known(source, target, context)
    ):
        how = how_words_are_compared(source.language, target.language, context.lexicon)
        words = ", and too few words" if how is None else f"; words: {how}"
        yield "semantic_fidelity", f"there is no number, date, name, denial, link or code to compare{words}"


def _named(side: Side) -> str:
    return "a language that is not told" if side.language == UNKNOWN_LANGUAGE else repr(side.language)


def _has_term(source: Side, context: ManuscriptContext) -> bool:
    return bool(context.glossary) and any(glossary_of(context.glossary).occurrences(source))


def _is_marked(source: Side, target: Side) -> bool:
    """Whether one side asks or exclaims, which is then compared."""
    if {source.language, target.language} & OTHER_MARKS:
        return False
    return any(marks for side in (source, target) for marks in sentence_marks(side.prose))


def _states(side: Side) -> bool:
    """Whether there is anything that the other side must have as well."""
    prose, language = side.prose, side.language
    return (
        bool(numbers(prose, language).stated)
        or bool(date_words(prose, language))
        or any(part.kind in COMPARED for part in carried(side.view.text))
    )


def _words_are_known(source: Side, target: Side, context: ManuscriptContext) -> bool:
    """Whether a bilingual lexicon knows enough words of both sides, and most of those have a counterpart: where they
    have none it may be the lexicon that lacks them."""
    lexicon = lexicon_for(source.language, target.language, context.lexicon)
    related = None if lexicon is None else relation(lexicon, source.prose, target.prose)
    return lexicon is not None and is_trusted(lexicon) and related is not None and related.is_close


def _both_deny_or_not(source: Side, target: Side) -> bool:
    """Whether a denial of either side was looked for on the other."""
    if not (knows_denials(source.language) and knows_denials(target.language)):
        return False
    return any(denials(side.prose, side.language).plain for side in (source, target))
