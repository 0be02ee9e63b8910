"""What a text is made of: letters, links, code, formulas, placeholders, and the language of its sentences."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator

from burnish.core.edits import Part, PartKind
from burnish.languages.contrasts import UNSPACED
from burnish.languages.detection import KNOWN, are_kin, language_name, votes
from burnish.languages.scripts import mixed_words, script_of, scripts_of
from burnish.languages.words import word_list, word_set
from burnish.text.meaning.differences import Difference, Family, became, shown
from burnish.text.meaning.passages import Comparison, Version

FAMILY: dict[PartKind, Family] = {
    "code": "code",
    "formula": "formula",
    "address": "link",
    "tag": "tag",
    "placeholder": "placeholder",
}
NAMES: dict[Family, str] = {
    "code": "The code",
    "formula": "The formula",
    "link": "The link",
    "tag": "The tag",
    "placeholder": "The placeholder",
}
INVISIBLE = re.compile(
    "[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
JOINERS = "\u200c\u200d"
"""Persian, Hindi and other languages need them between letters."""
NEED_JOINERS = word_set("fa ar ur hi mr ne bn ta te kn ml si pa gu my km")
STYLED = re.compile("[\u2100-\u214f\uff01-\uff5e\U0001d400-\U0001d7ff\u24b6-\u24e9]")
"""Letters that are pictures of letters: mathematical, full width, in circles."""
WORD = re.compile(r"[^\W\d_]+")
SIGNS = re.compile(r"[<>≤≥=≠±×÷√∞∝≈∈∉⊂⊃∪∩∧∨¬~→←↔⇒⇔]|(?<=\d)\s?[+*/^−](?=\s?\d)")
ASCII = re.compile("[A-Za-z]+")
FEWEST_WORDS, LEAD = 4, 1.5
"""The fewest new words of a sentence that show another language, and the votes by which it must lead."""


def part_differences(compared: Comparison) -> Iterator[Difference]:
    """Links, code, formulas, tags and placeholders that changed, went or came."""
    before, after = compared.before, compared.after
    if not before.parts and not after.parts:
        return
    had, has = (Counter(_bare(part) for part in version.parts) for version in (before, after))
    gone = [part for part in before.parts if _taken(has, part)]
    came = [part for part in after.parts if _taken(had, part)]
    for one in gone:
        if one.kind != "code" and one.text.strip("<>") in after.text:
            continue
        other = next((part for part in came if part.kind == one.kind), None)
        family = FAMILY[one.kind]
        span = (one.start, one.start + len(one.text))
        if other is not None:
            came.remove(other)
            new_span = (other.start, other.start + len(other.text))
            message = became(one.text, other.text)
            yield Difference(family, one.text, other.text, message, shown(other.text), span, new_span)
        else:
            message = f'{NAMES[family]} "{shown(one.text)}" was left out.'
            yield Difference(family, one.text, "", message, shown(one.text), span)
    for other in came:
        if other.text.strip("<>`$") in before.text:
            continue
        family = FAMILY[other.kind]
        new_span = (other.start, other.start + len(other.text))
        message = f'{NAMES[family]} "{shown(other.text)}" was added.'
        yield Difference(family, "", other.text, message, shown(other.text), None, new_span)


def _bare(part: Part) -> str:
    return "".join(part.text.split()) if part.kind in ("formula", "tag") else part.text.strip("<> \n\t")


def _taken(counts: Counter[str], part: Part) -> bool:
    """Whether no such part is left among the counted ones; takes one if there is."""
    bare = _bare(part)
    if counts[bare]:
        counts[bare] -= 1
        return False
    return True


def sign_differences(compared: Comparison) -> Iterator[Difference]:
    """Signs of comparison and calculation in prose: "x < 5" and "x > 5"."""
    before, after = compared.before, compared.after
    old, new = (list(SIGNS.finditer(version.changed)) for version in (before, after))
    had, has = (Counter(match[0].strip() for match in found) for found in (old, new))
    if had == has:
        return
    gone = [match for match in old if has[match[0].strip()] < had[match[0].strip()]]
    came = [match for match in new if had[match[0].strip()] < has[match[0].strip()]]
    for one, other in zip(gone, came, strict=False):
        was, now = before.sentence_at(one.start()), after.sentence_at(other.start())
        spans = before.span_of(*one.span()), after.span_of(*other.span())
        yield Difference("formula", one[0].strip(), other[0].strip(), became(was, now), now, *spans)


def letter_differences(compared: Comparison) -> Iterator[Difference]:
    """Look-alikes inside words, invisible characters, letters of a script that the text did not have."""
    before, after = compared.before, compared.after
    if after.text.isascii():
        return
    yield from _invisible(before, after)
    old = before.text
    home = set(scripts_of(after.language)) | {script_of(letter) for letter in old if letter.isalpha()}
    told: set[str] = set()
    for start, end, mended in mixed_words(after.text, after.language):
        word = after.text[start:end]
        if word not in old and word not in told:
            told.add(word)
            message = f'"{word}" has letters of another script that only look like those of "{mended}".'
            yield Difference("letters", mended if mended in old else "", word, message, shown(word), None, (start, end))
    for match in WORD.finditer(after.text):
        # No space stands between "20 ml" and the word behind it in Chinese and Japanese.
        word = ASCII.sub("", match[0]) if after.language in UNSPACED else match[0]
        if word.isascii() or word in told or word in old:
            continue
        scripts = {script_of(letter) for letter in word if letter.isalpha()}
        strange = scripts - home
        is_mixed = len(scripts - {"Common", "Inherited", ""}) > 1 and not scripts <= JAPANESE
        if (strange or is_mixed) and home and not _is_symbol(word):
            told.add(word)
            message = f'"{shown(word)}" has letters of another script ({", ".join(sorted(strange or scripts))}).'
            yield Difference("letters", "", word, message, shown(word), None, match.span())


JAPANESE = frozenset({"Han", "Hiragana", "Katakana"})


def _is_symbol(word: str) -> bool:
    """Whether Greek letters are symbols of quantities: μ, ΔH, TNFα."""
    return all(script_of(letter) in ("Greek", "Latin") for letter in word) and (
        len(word) <= 2 or (len(word) <= 6 and (word[0] in "ΔΣμβαγδκλσω" or word[-1] in "αβγδκλσω"))
    )


def _invisible(before: Version, after: Version) -> Iterator[Difference]:
    allowed = JOINERS if before.language in NEED_JOINERS else ""
    had = Counter(INVISIBLE.findall(before.text)) + Counter(STYLED.findall(before.text))
    for pattern, what in ((INVISIBLE, "an invisible character"), (STYLED, "a letter that only looks like one")):
        for match in pattern.finditer(after.text):
            sign = match[0]
            if sign in allowed or unicodedata.normalize("NFKC", sign) in ("°C", "°F", "№", "Ω", "K", "Å"):
                continue
            if had[sign]:
                had[sign] -= 1
                continue
            around = after.text[max(0, match.start() - 12) : match.end() + 12]
            message = f'"{shown(around)}" has {what} (U+{ord(sign):04X}).'
            yield Difference("letters", "", sign, message, shown(around), None, match.span())
            break


def knows_language(language: str) -> bool:
    """Whether a sentence in another language is told: by its words, or by its letters where the language has others."""
    return language in KNOWN or "Latin" not in (scripts_of(language) or ("Latin",))


def language_differences(compared: Comparison) -> Iterator[Difference]:
    """A sentence, or half of one, in another language than the text."""
    before, after = compared.before, compared.after
    language = after.language
    if not knows_language(language):
        return
    known = set(word_list(before.prose))
    for sentence in after.sentences:
        words = [word for word in word_list(sentence.text) if word not in known]
        if language not in KNOWN:
            words = [word for word in words if script_of(word[0]) not in scripts_of(language)]
        if len(words) < FEWEST_WORDS:
            continue
        ranked = votes(words)
        own = ranked.pop(language, 0.0)
        kin = {name for name in ranked if are_kin(name, language)}
        best = max((name for name in ranked if name not in kin), key=lambda name: ranked[name], default="")
        if best and ranked[best] >= LEAD and ranked[best] > 2 * own + max((ranked[name] for name in kin), default=0):
            message = f'Part of a sentence is in {language_name(best)}: "{shown(sentence.text)}"'
            span = (sentence.start, sentence.end)
            yield Difference("language", "", sentence.text.strip(), message, shown(sentence.text), None, span)
