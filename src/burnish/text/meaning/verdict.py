"""The differences of two versions, and the ruling on each: what the claim asked for, what the source or the unit says,
what the repair declared, and what refuses it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

from burnish.languages.contrasts import ContrastFamily, knows_contrasts
from burnish.languages.names import can_compare
from burnish.languages.numbers import number_words
from burnish.languages.proper_nouns import knows_dates
from burnish.languages.voice import knows_denials
from burnish.text.meaning.content import length_differences, name_differences, sentence_differences
from burnish.text.meaning.differences import Difference, Family
from burnish.text.meaning.figures import (
    date_differences,
    number_differences,
    number_word_differences,
    roman_differences,
)
from burnish.text.meaning.passages import Comparison, compare, content_keys
from burnish.text.meaning.surface import (
    knows_language,
    language_differences,
    letter_differences,
    part_differences,
    sign_differences,
)
from burnish.text.meaning.wording import (
    bound_differences,
    contrast_differences,
    denial_differences,
    found_contrasts,
    order_differences,
)


class ClaimWords(Protocol):
    """What a claim says: a finding, or `Words`."""

    @property
    def message(self) -> str: ...
    @property
    def suggestion(self) -> str | None: ...
    @property
    def quote(self) -> str | None: ...


class Words(NamedTuple):
    """The words of a claim."""

    message: str = ""
    suggestion: str | None = None
    quote: str | None = None


Answer = Literal["claimed", "sourced", "known", "replaced", "declared", "noted", "refused"]
CONFIRMED: frozenset[Answer] = frozenset({"replaced", "declared"})
"""Rulings that need a reader who sees both versions."""
LITTLE_WORDS: frozenset[Family] = frozenset({"denial", "quantifier", "modal"})
"""Families whose words stand in any message for other reasons: a claim holds them in quotation marks only."""
LONG_TEXTS: frozenset[Family] = frozenset({"sentence_lost", "sentence_added", "words"})
ADDITIONS: frozenset[Family] = frozenset({"sentence_added", "words", "length"})
"""What an addition that was asked for is made of; its figures and names still need support."""
KNOWN_ELSEWHERE: frozenset[Family] = frozenset(
    ("number", "date", "name", "kind", "sentence_added", "words", "link", "code")
)
"""What may come because the rest of the unit says it."""
NARROW, NARROW_FIGURE = 12, 5
"""The most words of a quote that is about a little word in it, and about a figure or name in it."""
SHARE_HELD, SHARE_SAID = 0.5, 0.75
"""The share of a sentence's content words that a claim or a declared change must hold, and a source or the unit."""
TOKEN = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’-][^\W\d_]+)*|[^\w\s]")
QUOTED = "\"'“”‘’«»„`*「」『』"


@dataclass(frozen=True, slots=True)
class Ruling:
    """A difference, and whether it was allowed."""

    difference: Difference
    answer: Answer
    reason: str

    def as_record(self) -> dict[str, Any]:
        return {**self.difference.as_record(), "answer": self.answer, "reason": self.reason}


@dataclass(frozen=True)
class Verdict:
    """The rulings on all differences of a repair."""

    rulings: tuple[Ruling, ...]
    not_judged: tuple[str, ...]
    """What the language has no table for."""

    @property
    def is_refused(self) -> bool:
        return any(ruling.answer == "refused" for ruling in self.rulings)

    @property
    def needs_reader(self) -> bool:
        """Whether a reader has to confirm a change."""
        return any(ruling.answer in CONFIRMED for ruling in self.rulings)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it is refused, for the next attempt."""
        return tuple(ruling.reason for ruling in self.rulings if ruling.answer == "refused")

    @property
    def to_confirm(self) -> tuple[str, ...]:
        """What a reader is asked about."""
        return tuple(ruling.difference.message for ruling in self.rulings if ruling.answer in CONFIRMED)

    @property
    def listed(self) -> tuple[str, ...]:
        """What code saw change, for a reader of both versions."""
        return tuple(ruling.difference.message for ruling in self.rulings)

    def as_record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "refused": self.is_refused,
            "needs_reader": self.needs_reader,
            "rulings": [ruling.as_record() for ruling in self.rulings],
            "not_judged": list(self.not_judged),
        }


def differences(before: str, after: str, *, language: str) -> tuple[Difference, ...]:
    """What changed in the meaning from `before` to `after`, two texts of one language."""
    if before == after:
        return ()
    return tuple(_differences(compare(before, after, language)))


def _differences(compared: Comparison) -> Iterator[Difference]:
    found = list(_once(_found(compared)))
    lost = [one.span for one in found if one.family == "sentence_lost" and one.span is not None]
    added = [one.new_span for one in found if one.family == "sentence_added" and one.new_span is not None]
    for one in found:
        if one.family in LONG_TEXTS:
            yield one
        elif not one.after and _is_inside(one.span, lost):
            continue  # it went with its sentence
        elif (
            not one.before
            and one.family not in KNOWN_ELSEWHERE | {"letters", "language"}
            and _is_inside(one.new_span, added)
        ):
            continue
        else:
            yield one


def _once(found: Iterator[Difference]) -> Iterator[Difference]:
    """Without what is told already: May is a month before it is a verb, and "impossible" is in two tables."""
    told: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for one in found:
        spans = [(side, span) for side, span in enumerate((one.span, one.new_span)) if span is not None]
        is_long = one.family in LONG_TEXTS or one.family == "language"
        if spans and not is_long and all(_overlaps(span, told[side]) for side, span in spans):
            continue
        if not is_long:
            for side, span in spans:
                told[side].append(span)
        yield one


def _overlaps(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    return any(span[0] < end and start < span[1] for start, end in others)


def _is_inside(span: tuple[int, int] | None, spans: Sequence[tuple[int, int]]) -> bool:
    return span is not None and any(start <= span[0] < end for start, end in spans)


def _found(compared: Comparison) -> Iterator[Difference]:
    found = found_contrasts(compared.before), found_contrasts(compared.after)
    bounds = tuple([one for one in side if one.family == "comparison"] for side in found)
    yield from letter_differences(compared)
    yield from part_differences(compared)
    numbers = list(number_differences(compared, (bounds[0], bounds[1])))
    yield from numbers
    yield from roman_differences(compared)
    yield from number_word_differences(compared)
    yield from date_differences(compared)
    yield from sign_differences(compared)
    denials, turned = denial_differences(compared, found)
    yield from denials
    yield from contrast_differences(compared, found, turned)
    yield from bound_differences(compared, found, [one for one in numbers if one.family == "quantifier"], turned)
    yield from order_differences(compared)
    yield from name_differences(compared)
    demanding = [one for one in found[0] if one.family == "modal" and one.side in ("must", "always")]
    yield from sentence_differences(compared, demanding)
    yield from language_differences(compared)
    yield from length_differences(compared)


def guard(
    before: str,
    after: str,
    *,
    language: str,
    claims: Iterable[ClaimWords] = (),
    source: str | None = None,
    context: str = "",
    changes: Iterable[str] = (),
    may_add: bool = False,
) -> Verdict:
    """Rule on each difference between a text and its repair.

    `claims`: the claims on this text that are repaired. `source`: the passage that was shown to the repairer.
    `context`: the rest of the unit (a question's other fields), which may support what is added. `changes`: what the
    repair says it changed. `may_add`: the claim is that something is missing, so that sentences may come, to be
    confirmed by a reader; figures and names in them still need support.
    """
    found = differences(before, after, language=language)
    held = _Held(tuple(claims), source or "", context, tuple(changes), may_add, language)
    return Verdict(tuple(held.ruling(one) for one in found), not_judged(language))


CONTRASTS: dict[ContrastFamily, str] = {
    "quantifier": "quantifiers",
    "modal": "modal verbs",
    "comparison": "at least and at most",
    "opposite": "opposites",
    "kind": "words of one class, such as organs and metals",
    "denying": "verbs that deny",
}


def not_judged(language: str) -> tuple[str, ...]:
    """What the guard does not judge in a language."""
    missing = {
        "numbers in words": number_words(language) is None,
        "dates": not knows_dates(language),
        "denials": not knows_denials(language),
        **{name: not knows_contrasts(language, family) for family, name in CONTRASTS.items()},
        "names other than places": not can_compare(language),
        "the language of a sentence": not knows_language(language),
    }
    return tuple(name for name, is_missing in missing.items() if is_missing)


@dataclass(frozen=True)
class _Held:
    """What may allow a difference."""

    claims: tuple[ClaimWords, ...]
    source: str
    context: str
    changes: tuple[str, ...]
    may_add: bool
    language: str

    @cached_property
    def said(self) -> str:
        """The messages and suggestions of the claims."""
        return " \n".join(f"{claim.message} \n{claim.suggestion or ''}" for claim in self.claims)

    def ruling(self, found: Difference) -> Ruling:
        answer = self._answer(found)
        return Ruling(found, answer, self._reason(found, answer))

    def _answer(self, found: Difference) -> Answer:
        if not found.is_grave:
            return "noted"
        allowed = self._allowed(found)
        if allowed is not None:
            return allowed
        if any(self._declares(change, found) for change in self.changes):
            return "declared"
        if self.may_add and not found.before and found.family in ADDITIONS:
            return "declared"
        return "refused"

    def _allowed(self, found: Difference) -> Answer | None:
        if found.family in ("length", "letters", "language"):
            return "known" if found.family == "letters" and self._has(found.after, self.context) else None
        if found.family in LITTLE_WORDS:
            return self._little_word(found)
        if not found.after:
            return "claimed" if self._is_asked_about(found) else None
        if self._says(self.said, found):
            return "claimed"
        if (
            self.source
            and self._says(self.source, found)
            and not (found.before and self._has(found.before, self.source))
        ):
            return "sourced"
        if found.before:
            return "replaced" if self._is_asked_about(found) else None
        if found.family in KNOWN_ELSEWHERE and self._says(self.context, found):
            return "known"
        return None

    def _little_word(self, found: Difference) -> Answer | None:
        """A claim is about a denial or a quantifier if it quotes it, or says it with the word beside it."""
        gone, came = found.before, found.after
        for claim in self.claims:
            quote = claim.quote or ""
            asked = [f"{claim.message} {claim.suggestion or ''}"]
            is_quoted = bool(gone) and self._has(gone, quote) and len(quote.split()) <= NARROW
            if gone and (is_quoted or _quotes(gone, asked[0])):
                return "claimed"
            if came and (_quotes(came, asked[0]) or self._beside(came, found.sentence, asked[0])):
                return "claimed"
        if self.source and came and self._beside(came, found.sentence, self.source):
            return "sourced"
        return None

    def _beside(self, word: str, sentence: str, text: str) -> bool:
        """Whether a text has the word with the next one of the sentence."""
        words = _tokens(sentence)
        for place, one in enumerate(words[:-1]):
            if one == word.casefold() and f" {one} {words[place + 1]} " in f" {' '.join(_tokens(text))} ":
                return True
        return False

    def _is_asked_about(self, found: Difference) -> bool:
        """Whether the claim is about the words that went: it quotes them, or names them."""
        if found.family in LONG_TEXTS:
            return any(_share(found.before, claim.quote or "", self.language) >= SHARE_HELD for claim in self.claims)
        if self._has(found.before, self.said):
            return True
        quotes = (claim.quote or "" for claim in self.claims)
        return any(self._has(found.before, quote) and len(quote.split()) <= NARROW_FIGURE for quote in quotes)

    def _says(self, text: str, found: Difference) -> bool:
        """Whether a text says what came."""
        if not text:
            return False
        if found.family in LONG_TEXTS:
            least = SHARE_HELD if text is self.said else SHARE_SAID
            return _share(found.after, text, self.language, without=found.before) >= least
        return self._has(found.after, text)

    @staticmethod
    def _has(words: str, text: str) -> bool:
        """Whether a text has the words, one after the other."""
        wanted = _tokens(words)
        return bool(wanted) and f" {' '.join(wanted)} " in f" {' '.join(_tokens(text))} "

    def _declares(self, change: str, found: Difference) -> bool:
        """Whether a repair names the difference: what went and what came."""
        for words in filter(None, (found.before, found.after)):
            if found.family in LONG_TEXTS:
                if _share(words, change, self.language) < SHARE_HELD and not self._names_sentence(change, words):
                    return False
            elif not self._has(words, change):
                return False
        return found.family != "letters"

    def _names_sentence(self, change: str, words: str) -> bool:
        """Whether a change quotes a part of a long text: "the sentence on dosage was dropped"."""
        keys = content_keys(change, self.language)
        return len(keys & content_keys(words, self.language)) >= 2 and len(keys) <= NARROW

    def _reason(self, found: Difference, answer: Answer) -> str:
        if answer == "refused" and found.family in ("letters", "language"):
            return f"{found.message} Write it with the letters and in the language of the text."
        if answer == "refused" and not found.before:
            advice = "Nothing that was given says it: leave it out, or name it in `changes`."
            return f"{found.message} {advice}"
        if answer == "refused":
            return f"{found.message} Nothing asks for it: keep the old words, or name the change in `changes`."
        return REASONS[answer]


REASONS: dict[Answer, str] = {
    "claimed": "The claim asks for it.",
    "sourced": "The passage of the source says it.",
    "known": "The rest of the unit says it.",
    "replaced": "The claim is about these words; a reader says whether the new ones are right.",
    "declared": "The repair names it; a reader confirms it.",
    "noted": "Other words, perhaps of the same meaning.",
}


def _tokens(text: str) -> list[str]:
    return [token.replace("’", "'") for token in TOKEN.findall(text.casefold())]


def _quotes(word: str, text: str) -> bool:
    """Whether a text has the word between quotation marks."""
    return (
        re.search(rf"[{re.escape(QUOTED)}]\s?{re.escape(word)}\s?[{re.escape(QUOTED)}]", text, re.IGNORECASE)
        is not None
    )


def _share(words: str, text: str, language: str, without: str = "") -> float:
    """The share of the content words of `words` that a text has."""
    keys = content_keys(words, language) - (content_keys(without, language) if without else frozenset())
    return len(keys & content_keys(text, language)) / len(keys) if keys and text else 0.0
