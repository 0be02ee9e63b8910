"""What a text is about: names, and sentences or words that have no partner in the other version."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from burnish.languages.contrasts import UNSPACED, Contrast, is_listed
from burnish.languages.dictionary import NOUNS_WITH_CAPITALS, has_vocabulary, is_listed_name, is_ordinary
from burnish.languages.names import can_compare
from burnish.languages.numbers import ROMAN
from burnish.languages.proper_nouns import date_words, is_place, places
from burnish.languages.tables import words_by_language, words_in
from burnish.languages.word_forms import LONGEST_ENDING, sound
from burnish.languages.words import common_length
from burnish.text.meaning.differences import Difference, became, shown
from burnish.text.meaning.passages import SHORTEST_KEY, WORD, Comparison, Sentence, Version, content_keys, key_of, said

SHORTEST_NAME = 2
TITLE_SHARE, TITLE_WORDS = 0.6, 3
"""A sentence with a larger share of capitals, of at least so many words, is a title: its capitals mean nothing."""
INFLECTING = 2
"""Languages whose words change more letters at the end than this inflect names."""
SAME_NAME = 4
LONGEST_ACRONYM = 4
SLIP, SHORTEST_SLIP = 2, 5
"""The most letters that a slip of the pen changes, and the shortest name in which it is recognised."""
COVERED, HALF_COVERED = 0.34, 0.6
"""The share of a sentence's content words that the other version must have, where a sentence has a partner, and where
it has none."""
FEWEST_KEYS = 3
SHORT = 3
"""The most content words of a short text (an option, a heading), which is replaced when none of them is left."""
ALIKE = 5
"""First letters that make two content words partners: "measure" and "measurement"."""
SLIP_SIMILARITY = 0.8
GROWS, GROWS_BY = 2.5, 200
SHRINKS, SHRINKS_FROM = 0.25, 25
MOST_SHOWN = 8
REPEATED = 3


class Named(NamedTuple):
    text: str
    start: int
    end: int


def name_differences(compared: Comparison) -> Iterator[Difference]:
    """Names that changed, went or came. In scripts without capitals, only places are known."""
    before, after = compared.before, compared.after
    if not can_compare(before.language):
        yield from _place_differences(compared)
        return
    old_text, new_text = before.text.casefold(), after.text.casefold()
    old, new = (list(_names(version)) for version in (before, after))
    gone = [
        name for name in _first(old) if not _is_in(name.text, new_text, after) and not _is_short_for(name, old, new)
    ]
    came = [
        name for name in _first(new) if not _is_in(name.text, old_text, before) and not _is_short_for(name, new, old)
    ]
    gone = [name for name in gone if _is_certain(name, before)]
    came = [name for name in came if _is_certain(name, after)]
    for one in gone:
        partner = next((name for name in came if _is_same(one.text, name.text, before.language)), None)
        if partner is not None:
            came.remove(partner)
            continue
        other = _in_its_place(compared, one, came)
        if other is not None:
            came.remove(other)
            spans = before.span_of(one.start, one.end), after.span_of(other.start, other.end)
            message = became(one.text, other.text)
            yield Difference("name", one.text, other.text, message, after.sentence_at(other.start), *spans)
        else:
            message = f'"{one.text}" was left out.'
            sentence, span = before.sentence_at(one.start), before.span_of(one.start, one.end)
            yield Difference("name", one.text, "", message, sentence, span)
    for other in came:
        message = f'"{other.text}" was added.'
        sentence, new_span = after.sentence_at(other.start), after.span_of(other.start, other.end)
        yield Difference("name", "", other.text, message, sentence, None, new_span)


def _names(version: Version) -> Iterator[Named]:
    """Capitalised words of the changed sentences, dates left out."""
    dates = {word.start for word in date_words(version.changed, version.language)}
    for number, sentence in enumerate(version.sentences):
        words = [(match[0], version.starts[number] + match.start()) for match in WORD.finditer(sentence.text)]
        capitals = sum(word[0].isupper() for word, _ in words[1:])
        is_title = len(words) > TITLE_WORDS and capitals >= TITLE_SHARE * (len(words) - 1)
        for place, (word, start) in enumerate(words):
            bare = word.removesuffix("'s").removesuffix("’s")
            if not bare[:1].isupper() or len(bare) < SHORTEST_NAME or start in dates:
                continue
            if ROMAN.fullmatch(bare) or _shouts(bare, version.language):
                continue
            opens = place == 0 or is_title or _follows_mark(version.changed, start)
            if opens and not _may_open_as_name(bare, version.language):
                continue
            yield Named(bare, start, start + len(bare))


def _may_open_as_name(word: str, language: str) -> bool:
    """Whether a word that opens a sentence may be a name. Without a dictionary nothing says so."""
    if not has_vocabulary(language) or is_ordinary(word, language) or is_listed(word, language):
        return False
    ordinary = words_by_language("names", "ordinary").get(language, frozenset())
    endings = tuple(entry[1:] for entry in ordinary if entry.startswith("*"))
    return word.lower() not in ordinary and not word.lower().endswith(endings)


def _shouts(word: str, language: str) -> bool:
    """Whether an ordinary word is written in capitals: NOT, EXCEPT."""
    if not word.isupper() or len(word) < SHORTEST_NAME:
        return False
    return not key_of(word.lower(), language) or (len(word) > LONGEST_ACRONYM and is_ordinary(word, language))


def _follows_mark(text: str, start: int) -> bool:
    before = text[max(0, start - 4) : start].rstrip(" \t\"'“„«‘(*_")
    return not before or before[-1] in ":.!?…\n;)|-–—•¿¡"


def _first(names: Sequence[Named]) -> list[Named]:
    """The first of each name."""
    seen: dict[str, Named] = {}
    for name in names:
        seen.setdefault(name.text, name)
    return list(seen.values())


def _is_in(name: str, folded_text: str, version: Version) -> bool:
    """Whether a version has the name in any case, or another form of it."""
    bare = name.casefold()
    if bare in folded_text:
        return True
    return bool(_key(name, version)) and _key(name, version) in version.all_keys and len(bare) > SAME_NAME


def _key(name: str, version: Version) -> str:
    return key_of(name.lower(), version.language)


def _is_certain(name: Named, version: Version) -> bool:
    """Whether a capitalised word is a name: in German, one that no dictionary has, a place or a known person."""
    language = version.language
    return (
        language not in NOUNS_WITH_CAPITALS
        or not is_ordinary(name.text, language)
        or is_place(name.text, language)
        or name.text.lower() in words_in("names", "persons")
    )


def _is_short_for(name: Named, own: Sequence[Named], others: Sequence[Named]) -> bool:
    """Whether a name abbreviates names of the other version, or is one of the words that an abbreviation stands for."""
    if name.text.isupper():
        initials = "".join(other.text[0] for other in others)
        return len(name.text) > 1 and name.text in initials
    own_initials = "".join(one.text[0] for one in own if not one.text.isupper())
    return any(
        other.text.isupper() and len(other.text) > 1 and other.text in own_initials and name.text[0] in other.text
        for other in others
    )


def _is_same(one: str, other: str, language: str) -> bool:
    """Whether two words are forms of one name, or the second one mends a slip of the first."""
    was, now = one.lower(), other.lower()
    if was.startswith(now) or now.startswith(was):
        return min(len(was), len(now)) >= SAME_NAME
    ending = LONGEST_ENDING.get(language, INFLECTING)
    shared = common_length(was, now)
    if ending > INFLECTING and shared >= SAME_NAME and max(len(was), len(now)) - shared <= ending:
        return True
    if min(len(was), len(now)) < SHORTEST_SLIP or Levenshtein.distance(was, now, score_cutoff=SLIP) > SLIP:
        return False
    return not is_listed_name(one, language) and (is_listed_name(other, language) or sound(was) == sound(now))


def _in_its_place(compared: Comparison, one: Named, came: Sequence[Named]) -> Named | None:
    """The new name in the sentence that belongs to the old one's."""
    group = compared.group_of[0].get(compared.before.number_of(one.start))
    fitting = (
        name for name in came if compared.group_of[1].get(compared.after.number_of(name.start)) == group is not None
    )
    return next(fitting, None)


def _place_differences(compared: Comparison) -> Iterator[Difference]:
    before, after = compared.before, compared.after
    old, new = (places(version.changed, version.language) for version in (before, after))
    gone = [
        place for place in old if not any(place.codes & other.codes for other in new) and place.text not in after.text
    ]
    came = [
        place for place in new if not any(place.codes & other.codes for other in old) and place.text not in before.text
    ]
    for one in gone:
        span = before.span_of(one.start, one.start + len(one.text))
        if came:
            other = came.pop(0)
            new_span = after.span_of(other.start, other.start + len(other.text))
            sentence = after.sentence_at(other.start)
            yield Difference("name", one.text, other.text, became(one.text, other.text), sentence, span, new_span)
        else:
            yield Difference("name", one.text, "", f'"{one.text}" was left out.', before.sentence_at(one.start), span)
    for other in came:
        new_span = after.span_of(other.start, other.start + len(other.text))
        sentence = after.sentence_at(other.start)
        yield Difference("name", "", other.text, f'"{other.text}" was added.', sentence, None, new_span)


def sentence_differences(compared: Comparison, demanding: Sequence[Contrast]) -> Iterator[Difference]:
    """Sentences without a partner, and words that were exchanged wholesale.

    `demanding`: the words of the old version that demand or say that something is always so.
    """
    before, after = compared.before, compared.after
    kept = [_covered(sentence, before.language, after) for sentence in before.sentences]
    known = [_covered(sentence, after.language, before) for sentence in after.sentences]
    told: tuple[set[int], set[int]] = (set(), set())
    for ours, theirs in compared.groups:
        if len(ours) == len(theirs) == 1:
            one, other = ours[0], theirs[0]
            is_short = 0 < len(before.sentences[one].keys) <= SHORT and len(after.sentences[other].keys) > 0
            line = 1e-9 if is_short else COVERED
            enough = is_short or len(before.sentences[one].keys) >= FEWEST_KEYS
            if enough and kept[one] < line and known[other] < line:
                yield _replaced(compared, one, other)
                told[0].add(one)
                told[1].add(other)
    weights = {before.number_of(one.start): before.changed[one.start : one.end] for one in demanding}
    for number, sentence in enumerate(before.sentences):
        alone = (
            _stands_alone(compared, 0, number) if number in compared.lost else _is_alone(sentence.keys, kept[number])
        )
        if number not in told[0] and alone:
            yield _lost(compared, number, weights.get(number))
    for number, sentence in enumerate(after.sentences):
        alone = (
            _stands_alone(compared, 1, number) if number in compared.added else _is_alone(sentence.keys, known[number])
        )
        if number not in told[1] and alone:
            text = shown(sentence.text)
            span = (sentence.start, sentence.end)
            message = f'A sentence was added: "{text}"'
            yield Difference("sentence_added", "", sentence.text.strip(), message, text, None, span)
    yield from _words(compared, told)


def _covered(sentence: Sentence, language: str, other: Version) -> float:
    """The share of a sentence's content words that the other version has, in any form or as an abbreviation."""
    keys = sentence.keys
    if not keys:
        return 1.0
    missing = keys - other.all_keys
    if missing and not sentence.text.islower():
        capitalised = [match[0] for match in WORD.finditer(sentence.text) if match[0][0].isupper()]
        initials = "".join(word[0] for word in capitalised)
        if any(acronym in initials for acronym in other.acronyms):
            missing -= {key_of(word.lower(), language) for word in capitalised}
    if missing and other.language not in UNSPACED:
        missing = _without_partner(missing, other.all_keys)
    return 1 - len(missing) / len(keys)


def _without_partner(keys: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    """The words without another form of themselves, or a slip mended, among the others."""
    if keys <= others:
        return frozenset()
    beginnings = _beginnings(others)
    left = [key for key in keys - others if not (key[:ALIKE] in beginnings or key[:SHORTEST_KEY] in others)]
    return frozenset(
        key
        for key in left
        if not any(
            abs(len(key) - len(other)) <= SLIP
            and len(key) >= SHORTEST_SLIP - 1
            and Levenshtein.normalized_similarity(key, other, score_cutoff=SLIP_SIMILARITY) > 0
            for other in others
        )
    )


@lru_cache(maxsize=16)
def _beginnings(words: frozenset[str]) -> frozenset[str]:
    """What a word begins with that is a form of one of the words: "divide" and "divi"."""
    return frozenset(word[:length] for word in words for length in (SHORTEST_KEY, ALIKE) if len(word) >= length)


def _is_alone(keys: frozenset[str], covered: float) -> bool:
    """Whether a sentence has hardly a word in common with the one that was taken for its partner."""
    return len(keys) >= FEWEST_KEYS and covered < COVERED


def _stands_alone(compared: Comparison, side: int, number: int) -> bool:
    """Whether what a sentence without a partner says, however short it is, stands in no sentence beside its place."""
    version = (compared.before, compared.after)[side]
    sentence = version.sentences[number]
    words = sentence.keys or said(sentence.text, version.language)
    if not words:
        return False
    missing = words - compared.beside(side, number)
    if missing and version.language not in UNSPACED:
        missing = _without_partner(missing, compared.beside(side, number))
    return 1 - len(missing) / len(words) < HALF_COVERED


def _replaced(compared: Comparison, one: int, other: int) -> Difference:
    old, new = compared.before.sentences[one], compared.after.sentences[other]
    message = f"Other words replace nearly all of it: {became(old.text, new.text)}"
    spans = (old.start, old.end), (new.start, new.end)
    return Difference("words", old.text.strip(), new.text.strip(), message, shown(new.text), *spans)


def _lost(compared: Comparison, number: int, demands: str | None) -> Difference:
    sentence = compared.before.sentences[number]
    text = shown(sentence.text)
    what = f'A sentence with "{demands}" was left out' if demands else "A sentence was left out"
    span = (sentence.start, sentence.end)
    return Difference("sentence_lost", sentence.text.strip(), "", f'{what}: "{text}"', text, span)


def _words(compared: Comparison, told: tuple[set[int], set[int]]) -> Iterator[Difference]:
    """Other content words in sentences that belong together: shown to a reader, and no reason to refuse."""
    before, after = compared.before, compared.after
    if before.language in UNSPACED:
        return
    for ours, theirs in compared.groups:
        if told[0].intersection(ours):
            continue
        old = frozenset().union(*(before.sentences[number].keys for number in ours))
        new = frozenset().union(*(after.sentences[number].keys for number in theirs))
        gone = _without_partner(old - new, after.all_keys)
        came = _without_partner(new - old, before.all_keys)
        if not gone and not came:
            continue
        was, now = _spelt(before, ours, gone), _spelt(after, theirs, came)
        sentence = shown(" ".join(after.sentences[number].text for number in theirs))
        message = became(was, now) if was and now else f'"{was}" was left out.' if was else f'"{now}" was added.'
        yield Difference("words", was, now, message, sentence, is_grave=False)


def _spelt(version: Version, numbers: Sequence[int], keys: frozenset[str]) -> str:
    """The content words as they are written, in order."""
    words: dict[str, None] = {}
    for number in numbers:
        for match in WORD.finditer(version.sentences[number].text):
            if key_of(match[0].lower(), version.language) in keys:
                words.setdefault(match[0])
    listed = list(words)
    return ", ".join(listed[:MOST_SHOWN]) + (" …" if len(listed) > MOST_SHOWN else "")


def length_differences(compared: Comparison) -> Iterator[Difference]:
    """A text that became several times as long or as short, or says the same sentence again and again."""
    before, after = compared.before, compared.after
    old, new = len(before.text.strip()), len(after.text.strip())
    if not old:
        return
    if new > GROWS * old + GROWS_BY:
        message = f"{old} characters became {new}: the text is {new / old:.1f} times as long."
        yield Difference("length", str(old), str(new), message, "")
    elif new < SHRINKS * old and len(content_keys(before.prose, before.language)) >= SHRINKS_FROM:
        message = f"{old} characters became {new}: only {100 * new // old} % of the text is left."
        yield Difference("length", str(old), str(new), message, "")
