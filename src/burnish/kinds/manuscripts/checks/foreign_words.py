"""foreign_words: a word of another language inside the translation.

What it looks for: words in another script than the translation's, and words that are the same in the source and belong
to its language only. Names, loan words, symbols, units, addresses and words in quotation marks or brackets are ignored.
Words that two languages write alike are not found.
Why it matters: a reader who does not know the source's language stumbles over it.
Fix: needs a translator, because the rule does not know the right word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import (
    NO_WORDS,
    RUN,
    TOKEN,
    Side,
    copied_runs,
    share_a_language,
    source_of,
    target_of,
    words_of,
)
from burnish.languages.detection import KNOWN, leaning, votes
from burnish.languages.dictionary import has_vocabulary, is_ordinary
from burnish.languages.scripts import BERBER, BERBER_LETTERS, outside, script_of, within
from burnish.languages.word_forms import ending_weight, has_strange_letters, is_adverb, is_at_home, is_everywhere
from burnish.languages.words import WORD, Slip, word_list
from burnish.text.markdown import span_around

DOUBTED: dict[str, Severity] = {"en": "info"}
"""How a doubtful word is told: what comes out of English is a loan most often (twitter, hashtags)."""
FEW_WORDS = 4
"""Up to this many words in quotation marks or brackets are a title or an example."""
SYMBOL = 2
"""Up to this many Greek letters are a symbol."""
SHORTEST, SHORTEST_COPIED = 3, 4
CERTAIN, CERTAIN_INTO_OTHERS, DOUBTFUL = 1.3, 2.6, 1.3
"""Logarithms of odds above which a word counts as one of the source's language. English has few loans that are not
listed; other languages take any technical word from English, so there only PLAIN words are certain."""
CERTAIN_WITH_CAPITAL = 2.5
"""The same at the beginning of a sentence, where the word may be the name of a people or a language."""
CERTAIN_OF_NOUN, LONG_NOUN, CERTAIN_OF_LONG_NOUN = 1.5, 12, 4.0
"""The same for German nouns, which are capitalised like names."""
PLAIN = 99.0
"""The weight of a function word, and of a word with letters that the language does not have."""
LONGEST_PARTICLE = 5
LONGEST_SEARCHED = 20_000
"""The longest source that is searched for quotations."""
UNSPACED = frozenset({"Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar"})
OPENED, CLOSED = re.compile(r"(?<!\w)['‘‚’]((?:[\w-]+ ){0,3})$"), re.compile(r"((?: [\w-]+){0,3})['’‘](?!\w)")
LONGEST_TITLE = 60
"""The most characters of a few words in single quotation marks."""
GLUE = frozenset("-_'’@/\\")
STARTS_SENTENCE = frozenset(".!?:;…\"“«„(['’‘*_—–-\n|¿¡。！？")


class Leftover(NamedTuple):
    """A word of another language."""

    start: int
    end: int
    certain: bool
    why: str


def leftovers(source: Side, target: Side) -> Iterator[Leftover]:
    """The words of the translation that are not in its language."""
    if not target.scripts or share_a_language(source, target):
        return
    yield from _of_other_scripts(source, target)
    if "Latin" not in target.scripts:
        yield from _latin_words(source, target)
    if set(source.scripts) & set(target.scripts):
        yield from _copied_words(source, target)


def _of_other_scripts(source: Side, target: Side) -> Iterator[Leftover]:
    """Words in letters that are neither Latin nor of the translation's script."""
    prose = target.prose
    if prose.isascii():
        return
    for match in outside(target.scripts).finditer(prose):
        letters = [c for c in match.group() if c.isalpha()]
        if not letters or _is_meant(source, target, match, letters):
            continue
        yield Leftover(match.start(), match.end(), True, f"is in another script ({script_of(letters[0])})")


def _is_meant(source: Side, target: Side, match: re.Match[str], letters: list[str]) -> bool:
    prose = target.prose
    start, end = match.span()
    if target.language in BERBER and set(letters) <= BERBER_LETTERS:
        return True
    if prose[max(0, start - 1) : start].isalpha() or prose[end : end + 1].isalpha():
        return True  # letters inside a word are look-alikes, which another rule fixes
    script = script_of(letters[0])
    if script == "Greek" and len(letters) <= SYMBOL:
        return True
    if script not in source.scripts and match.group() in source.view.text:
        return True  # foreign in the source as well
    around = span_around(target.view, start)
    return around is not None and len(target.view.text[around[0] : around[1]].split()) <= FEW_WORDS


def _latin_words(source: Side, target: Side) -> Iterator[Leftover]:
    """Lower-case Latin words in a text of another script, if the source has them."""
    if "Latin" not in source.scripts:
        return
    said = set(word_list(source.prose))
    prose = target.prose
    barred = _barred(target)
    for match in within(("Latin",)).finditer(prose):
        word = match.group()
        lower = word.lower()
        if not word.islower() or len(word) < SHORTEST or lower not in said or is_everywhere(lower):
            continue
        if len(word) < SHORTEST_COPIED and source.language not in votes([lower]):
            continue
        if match.start() in barred or _is_glued(prose, match) or _is_title(source, target, match):
            continue
        yield Leftover(match.start(), match.end(), True, "was left as in the source")


def _barred(target: Side) -> set[int]:
    """The starts of Latin words that are parts of addresses or of names such as `Rio de Janeiro`."""
    words = words_of(target)
    names = {word.start() for number, word in enumerate(words) if _is_part_of_name(words, number)}
    for token in TOKEN.finditer(target.prose):
        if NO_WORDS.search(token.group()) is not None:
            names.update(word.start() for word in within(("Latin",)).finditer(target.prose, *token.span()))
    return names


def _is_glued(prose: str, match: re.Match[str]) -> bool:
    """Whether a Latin word is joined to other letters, except those of Chinese and Japanese, which use no spaces."""
    before, after = prose[max(0, match.start() - 1) : match.start()], prose[match.end() : match.end() + 1]
    return any(sign in GLUE or (sign.isalpha() and script_of(sign) not in UNSPACED) for sign in before + after)


def _copied_words(source: Side, target: Side) -> Iterator[Leftover]:
    """Words that are the same in the source, and belong only to its language."""
    said = _cases(source)
    words = words_of(target)
    # Longer passages are for `untranslated_text`.
    runs = [run for run in copied_runs(source, target) if len(run.small_words) >= RUN - 1]
    copied = {run.first + place for run in runs for place in range(len(run.words))}
    for number, match in enumerate(words):
        lower = match.group().lower()
        if lower not in said or len(lower) < SHORTEST or number in copied or outside(target.scripts).search(lower):
            continue
        weight = _weight(lower, source.language, target.language)
        if weight < DOUBTFUL or not _is_no_name(match, said[lower], source.language, weight):
            continue
        if _is_part_of_name(words, number) or _is_title(source, target, match):
            continue
        titled = _is_part_of_title(words, number, said)
        if titled and match.group()[0].isupper():
            continue
        certain = weight >= _limit(source.language, target.language) and not titled
        if not certain and _is_taken_over(lower, source.language, target.language):
            continue
        yield Leftover(*match.span(), certain, f"was left as in the source ({source.language})")


def _is_taken_over(word: str, source: str, target: str) -> bool:
    """Whether the word is a loan (the dictionary of the translation has it) or a name (that of the source does not)."""
    return is_ordinary(word, target) or (has_vocabulary(source) and not is_ordinary(word, source))


def _limit(source: str, target: str) -> float:
    if source == "en":
        return PLAIN
    return CERTAIN if target == "en" else CERTAIN_INTO_OTHERS


def _cases(side: Side) -> dict[str, bool]:
    """Word in lower case -> whether it occurs without a capital."""
    found: dict[str, bool] = {}
    for match in words_of(side):
        lower = match.group().lower()
        found[lower] = found.get(lower, False) or match.group()[0].islower()
    return found


def _is_no_name(match: re.Match[str], small_in_source: bool, language: str, weight: float) -> bool:
    """Whether the word is no name: in lower case, capitalised as the first of a sentence, or a typical German noun."""
    word, lower = match.group(), match.group().lower()
    if word[0].islower():
        return True
    if word.isupper():
        return False
    if _starts_sentence(match.string, match.start()):
        small = small_in_source and weight >= CERTAIN_WITH_CAPITAL
        return small or is_adverb(lower, language) or language in votes([lower])
    if language != "de" or weight < CERTAIN_OF_NOUN:
        return False
    return ending_weight(lower, "de", "en") > 0 or (len(word) >= LONG_NOUN and weight >= CERTAIN_OF_LONG_NOUN)


def _starts_sentence(prose: str, place: int) -> bool:
    before = prose[max(0, place - 4) : place].rstrip(" ")
    return not before or before[-1] in STARTS_SENTENCE


@lru_cache(maxsize=20_000)
def _weight(word: str, source: str, target: str) -> float:
    """The logarithm of odds that a word belongs to the source's language and not to the target's."""
    if is_at_home(word, target):
        return 0.0
    if has_strange_letters(word, target):
        return PLAIN
    speaks_for = votes([word])
    if source in speaks_for and target not in speaks_for and target in KNOWN:
        return PLAIN
    if len(word) < SHORTEST_COPIED or target in speaks_for:
        return 0.0
    return leaning(f" {word} ", source, target) + ending_weight(word, source, target)


def _neighbours(words: list[re.Match[str]], number: int) -> Iterator[re.Match[str]]:
    """The words right before and after, if only a space or a hyphen is between."""
    here = words[number]
    for other in (*words[max(0, number - 1) : number], *words[number + 1 : number + 2]):
        gap = here.string[min(other.end(), here.end()) : max(other.start(), here.start())]
        if not gap.strip(" -'’"):
            yield other


def _is_part_of_name(words: list[re.Match[str]], number: int) -> bool:
    """ "de" in "Rio de Janeiro": a short word beside a capital inside a sentence, or any word between two of them."""
    here = words[number].group()
    if here[0].isupper():
        return False
    names = [
        other
        for other in _neighbours(words, number)
        if other.group()[0].isupper() and not _starts_sentence(other.string, other.start())
    ]
    return len(names) > (0 if len(here) <= LONGEST_PARTICLE else 1)


def _is_part_of_title(words: list[re.Match[str]], number: int, said: dict[str, bool]) -> bool:
    """Whether a short word has a capitalised neighbour that the source has too."""
    if len(words[number].group()) > LONGEST_PARTICLE:
        return False
    return any(o.group()[0].isupper() and o.group().lower() in said for o in _neighbours(words, number))


def _is_title(source: Side, target: Side, match: re.Match[str]) -> bool:
    """Whether a word is among a few in quotation marks, or among more that are the same in the source."""
    text = target.view.text
    before, behind = text[max(0, match.start() - LONGEST_TITLE) : match.start()], text[match.end() :][:LONGEST_TITLE]
    opened, closed = OPENED.search(before), CLOSED.match(behind)
    if opened is not None and closed is not None:
        words = f"{opened[1]}{match[0]}{closed[1]}"
        if words == match[0] or words in source.view.text:
            return True
    around = span_around(target.view, match.start())
    if around is None:
        return False
    inside = text[around[0] : around[1]]
    if len(WORD.findall(inside)) <= FEW_WORDS:
        return True
    return _is_kept(inside, source.view.text)


@lru_cache(maxsize=1024)
def _is_kept(inside: str, source: str) -> bool:
    """Whether the source has the quoted words in the same order."""
    return len(source) <= LONGEST_SEARCHED and " ".join(word_list(inside)) in " ".join(word_list(source))


@check(
    id="foreign_words",
    title="Word of another language",
    severity="error",
    bad=(
        pair("de>en", "Das Haus ist sehr gemütlich und warm.", "The house is very gemütlich and warm."),
        pair("ru>en", "Комета осветила небо над деревней.", "The comet lit up the небо above the village."),
        pair("pl>en", "Nadal pada deszcz i wieje wiatr.", "It is nadal raining and the wind is blowing."),
        pair("en>es", "We waited because the road was closed.", "Esperamos because el camino estaba cerrado."),
        pair("en>ru", "The knight drew his sword.", "Рыцарь обнажил свой sword."),
    ),
    good=(
        pair(
            "es>en",
            "El hospital de Rio de Janeiro compró un piano y un taxi.",
            "The hospital of Rio de Janeiro bought a piano and a taxi.",
        ),
        pair("es>en", "La palabra «caro» se escribe con una erre.", 'The word "caro" is written with one r.'),
        pair("ja>en", "東京は大きい。", "Tokyo (東京) is large."),
        pair(
            "en>ru",
            "Install `numpy` with pip from https://example.org/because now.",
            "Установите `numpy` через pip с https://example.org/because сейчас.",
        ),
        pair("en>de", "The angle α is 5 μm wide.", "Der Winkel α ist 5 μm breit."),
        pair("en>es", "It only has 'Scientific instruments'.", "Solo tiene 'Scientific instruments'."),
        pair("en>es", "Dplyr is part of the tidyverse.", "Dplyr es parte de tidyverse."),
    ),
)
def foreign_words(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    yield from slip_findings(
        paragraph,
        (
            Slip(
                found.start,
                found.end,
                f"{paragraph.translation[found.start : found.end][:60]!r} {found.why}.",
                "Translate it, or put it in quotation marks if it is meant to stay.",
                severity="error" if found.certain else DOUBTED.get(source.language, "warning"),
            )
            for found in leftovers(source, target)
        ),
    )
