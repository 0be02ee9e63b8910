"""Whether two words are the same: forms of a word by the endings of its language, names by their sound across scripts.

Also the typical letters and endings of languages, their loanwords, and words that two languages share. Light rules
without a dictionary, for terms and names that a translation must keep.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from anyascii import anyascii
from rapidfuzz.distance import Levenshtein
from rapidfuzz.fuzz import ratio

from burnish.languages.scripts import BERBER
from burnish.languages.tables import key_of_each, table, words_by_language, words_in
from burnish.languages.words import common_length

LONGEST_ENDING = {
    language: int(letters) for language, letters in key_of_each(table("word_forms")["longest_endings"]).items()
}
"""Language -> the most letters by which the ends of two forms of a word differ."""
USUAL_ENDING = 2
"""The same for a language that is not listed."""
COMPOUNDING = frozenset({"de", "nl", "sv", "da", "no", "fi", "hu"})
SHORTEST_STEM, SHORTEST_PART = 3, 4
SHORTEST_ALIKE, ALIKE = 6, 82.0
"""Long words that change a vowel inside (Apfelbaum, Apfelbäume) match by their similarity."""
LONGEST = 60
TURNED = str.maketrans({"ё": "е", "ß": "ss", "ł": "l", "ø": "o", "æ": "ae", "œ": "oe", "’": "'"})
CYRILLIC_MARKED = frozenset("йѓќїЙЃЌЇ")


@lru_cache(maxsize=20_000)
def folded(word: str) -> str:
    """Lower case without accents; й, ѓ and ќ stay, because they are letters of their own."""
    lower = word.lower().translate(TURNED)
    if lower.isascii():
        return lower
    return "".join(
        c
        if c in CYRILLIC_MARKED
        else "".join(p for p in unicodedata.normalize("NFD", c) if not ("\u0300" <= p <= "\u036f"))
        for c in unicodedata.normalize("NFC", lower)
    )


def is_form_of(found: str, wanted: str, language: str) -> bool:
    """Whether `found` may be a form of `wanted` (another case, number or person) or a compound with it."""
    if len(found) > LONGEST or len(wanted) > LONGEST:
        return found == wanted
    return _is_form_of(folded(found), folded(wanted), language)


@lru_cache(maxsize=50_000)
def _is_form_of(found: str, wanted: str, language: str) -> bool:
    found, wanted = found.removesuffix("'s"), wanted.removesuffix("'s")
    if found == wanted:
        return True
    if language in BERBER:
        found, wanted = _without_state(found), _without_state(wanted)
    ending = LONGEST_ENDING.get(language, USUAL_ENDING)
    shared = common_length(found, wanted)
    stem = min(len(wanted), max(SHORTEST_STEM, len(wanted) - ending))
    if shared >= stem and len(found) - shared <= ending + 1:
        return True
    if language in COMPOUNDING and len(wanted) >= SHORTEST_PART and wanted[: len(wanted) - 1] in found:
        return True
    return len(wanted) >= SHORTEST_ALIKE and ratio(found, wanted) >= ALIKE


def _without_state(word: str) -> str:
    """A Berber noun without the prefix that changes: axxam, uxxam, ixxamen; tamurt, tmurt, timura."""
    bare = word.lstrip("aeiuw") if len(word) > SHORTEST_STEM else word
    if bare.startswith("t") and len(bare) > SHORTEST_STEM:
        bare = bare[1:].lstrip("aeiu")
    return bare or word


_SOUNDS = tuple(row.split(":") for row in table("word_forms")["sounds"].split())
_DOUBLED = re.compile(r"(.)\1+")
LONGEST_WORD = 40
ALIKE_SOUND = 0.72
"""The similarity in letters that makes two words one name in two languages."""
SAME_BEGINNING = 4
"""Common first letters that are enough, because endings are inflected."""

SOFT_C = re.compile("c(?=[eiy])")
VOWELS = re.compile("[aeiou]")
BONES = 3
"""Common first consonants that are enough: Artem and Artjom."""


@lru_cache(maxsize=50_000)
def latin(word: str) -> str:
    """The word in lower-case Latin letters without accents, from any script."""
    lower = word[:LONGEST_WORD].lower()
    return lower if lower.isascii() else anyascii(lower).lower()


@lru_cache(maxsize=50_000)
def sound(word: str) -> str:
    """The rough sound of a word: those of Chomsky and Хомский, or Warschau and Warszawa, are similar."""
    said = SOFT_C.sub("s", latin(word))
    # Spanish puts an e before s and a consonant: España, Esparta.
    said = said[1:] if said[:2] == "es" and said[2:3] not in ("", *"aeiou") else said
    for written, spoken in _SOUNDS:
        said = said.replace(written, spoken)
    return _DOUBLED.sub(r"\1", said)


def are_alike(one: str, other: str) -> bool:
    """Whether two words may be one name; both are results of `sound`."""
    shorter = min(len(one), len(other))
    if shorter < 2 or (one[0] != other[0] and one[1:3] != other[1:3]):
        return False
    if shorter >= SAME_BEGINNING and one[:SAME_BEGINNING] == other[:SAME_BEGINNING]:
        return True
    if shorter == 3 and one[:3] == other[:3]:
        return True
    bones, others = VOWELS.sub("", one), VOWELS.sub("", other)
    if len(bones) >= 2 and (bones == others or (len(bones) >= BONES and bones[:BONES] == others[:BONES])):
        return True
    return Levenshtein.normalized_similarity(one, other, score_cutoff=ALIKE_SOUND) >= ALIKE_SOUND


_BONES = tuple(row.split(":") for row in table("word_forms")["bones"].split())
SPELT_ALIKE, SPELT_WITH_HAN = 0.7, 0.55
"""The similarity of consonants that makes two words one name in two scripts, and the lower one for scripts of
syllables, which spell names roughly."""
JOINED = 2
"""The most letters of small words that Hebrew and Arabic write together with the next word."""
FIRST_HAN_OR_KANA = "\u3040"
VARIANTS = ("k", "s", "")
"""How another script may spell a sound that differs between languages (ch, j, a soft g)."""


@lru_cache(maxsize=50_000)
def bones(word: str) -> tuple[str, ...]:
    """The rough consonants of a word, in each way another script may spell it: फिशिचेला, Fisichella."""
    said = latin(word)
    if "\u0900" <= word[:1] <= "\u097f":
        said = said.replace("c", "ch")
    elif "\u0590" <= word[:1] <= "\u05ff":
        said = said[:1] + said[1:].replace("v", "w")  # the letter is usually a vowel
    elif word[:1] >= FIRST_HAN_OR_KANA:
        said = said.replace("ng", "n").replace("l", "r")
    said = _DOUBLED.sub(r"\1", said)
    for written, spoken in _BONES:
        said = re.sub(written, spoken, said)
    return tuple({said.replace("*", one) for one in VARIANTS})


def are_spelt_alike(name: str, other: str) -> bool:
    """Whether a word in another script may be this name; true for a name of one consonant, which proves nothing."""
    joined = (0, 1, JOINED) if "\u0590" <= other[:1] <= "\u06ff" else (0,)
    is_east_asian = other[:1] >= FIRST_HAN_OR_KANA
    least = SPELT_WITH_HAN if is_east_asian else SPELT_ALIKE
    return any(
        len(ours) < 2 or any(_share_bones(ours, theirs[cut:], least) for cut in joined)
        for ours in bones(name.lower().replace("th", "s").replace("l", "r") if is_east_asian else name)
        for theirs in bones(other)
    )


def _share_bones(ours: str, theirs: str, least: float) -> bool:
    if ours == theirs or min(len(ours), len(theirs)) <= JOINED:
        return ours == theirs
    return Levenshtein.normalized_similarity(ours, theirs, score_cutoff=least) >= least


def is_everywhere(word: str) -> bool:
    """Whether most languages use the word (in lower case) unchanged; includes units."""
    return word in words_in("loans", "everywhere")


def is_at_home(word: str, language: str) -> bool:
    """Whether the word (in lower case) belongs to the language although it looks foreign."""
    if is_everywhere(word):
        return True
    own = words_by_language("loans", "at_home").get(language, frozenset())
    alike = words_by_language("loans", "homographs").get(language, frozenset())
    return word in own or word in alike or (word.endswith("s") and word[:-1] in own)


_COMMON_LETTERS = {"latin": "abcdefghijklmnopqrstuvwxyz", "cyrillic": "абвгдежзиклмнопрстуфхцчш"}


@cache
def _strange(language: str) -> re.Pattern[str] | None:
    for alphabet, languages in table("loans")["letters"].items():
        if language in languages:
            return re.compile(f"[^{_COMMON_LETTERS[alphabet]}{languages[language]}'’\\-]")
    return None


def has_strange_letters(word: str, language: str) -> bool:
    """Whether a word in lower case has a letter that the language does not use; False if there are no data."""
    strange = _strange(language)
    return strange is not None and strange.search(word) is not None


SHORTEST_STEM_OF_ENDING = 4
WEIGHT = 1.0
"""What an ending adds to the logarithm of the odds."""


def is_adverb(word: str, language: str) -> bool:
    """Whether a word has the ending of adverbs of the language, which no name has."""
    ending = table("loans")["adverbs"].get(language)
    return ending is not None and word.endswith(ending)


def _longest(word: str, endings: frozenset[str], shortest_stem: int) -> int:
    return max((len(end) for end in endings if word.endswith(end) and len(word) - len(end) >= shortest_stem), default=0)


def ending_weight(word: str, language: str, other: str) -> float:
    """What the ending of a word adds to the log odds that it is of `language` and not of `other`; may be negative."""
    natives, foreigns = (words_by_language("loans", name) for name in ("native_endings", "foreign_endings"))
    native = _longest(word, natives.get(other, frozenset()), SHORTEST_STEM_OF_ENDING)
    foreign = _longest(word, foreigns.get(language, frozenset()), 1) if other in natives else 0
    return WEIGHT if foreign > native else -WEIGHT if native else 0.0
