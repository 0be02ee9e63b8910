"""Damaged and sound translations as paragraphs, and which damage a rule can see at all."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from burnish.kinds.manuscripts.model import Paragraph

DAMAGED = Path("translation/demetr_dev.jsonl")
LANGUAGES = {
    "chinese_simple": "zh",
    "czech": "cs",
    "french": "fr",
    "german": "de",
    "hindi": "hi",
    "italian": "it",
    "japanese": "ja",
    "polish": "pl",
    "russian": "ru",
    "spanish": "es",
}
CYRILLIC = dict(zip("абвгдезийклмнопрстуфхыэ", "abvgdeziiklmnoprstufhye", strict=True))
CYRILLIC |= {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": "", "ю": "yu", "я": "ya"}
SMALL_NUMBERS = {
    "2": "two dos deux zwei due dva dwa два दो 二 两",
    "3": "three tres trois drei tre tři trzy три तीन 三",
    "4": "four cuatro quatre vier quattro čtyři cztery четыре चार 四",
    "5": "five cinco cinq fünf cinque pět pięć пять पांच 五",
    "6": "six seis six sechs sei šest sześć шесть छह 六",
    "7": "seven siete sept sieben sette sedm siedem семь सात 七",
    "8": "eight ocho huit acht otto osm osiem восемь आठ 八",
    "9": "nine nueve neuf neun nove devět dziewięć девять नौ 九",
    "10": "ten diez dix zehn dieci deset dziesięć десять दस 十",
}
"""Words by which a source may state a small number; the first is the English one."""
DIGITS = re.compile(r"\d+(?:[.,]\d{3})*")
DENIAL = re.compile(r"\b(?:not|never|no|none|nothing|nobody|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)
NAME = re.compile(r"[A-Z][\w’'-]*")
CAPITALISED = re.compile(r"[^\W\d_]+")
ALIKE = 0.7
SHORTEST_NAME = 3


@dataclass(frozen=True)
class Case:
    """A damaged translation beside the sound one."""

    damage: str
    paragraph: Paragraph
    """With the damaged translation."""
    sound: str
    reference: str

    @property
    def changes(self) -> list[tuple[str, str]]:
        """Words of the sound translation, and what stands there in the damaged one."""
        before, after = self.sound.split(), self.paragraph.translation.split()
        codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        return [(" ".join(before[a:b]), " ".join(after[c:d])) for tag, a, b, c, d in codes if tag != "equal"]


class Claim(NamedTuple):
    """What is promised about a kind of damage."""

    damages: tuple[str, ...]
    visible: Callable[[Case], bool]
    meaning: str
    """Which cases a rule can see, in words."""


def cases(data: Path) -> list[Case]:
    with (data / DAMAGED).open(encoding="utf-8") as lines:
        return [_case(number, json.loads(line)) for number, line in enumerate(lines, 1)]


def _case(number: int, row: dict[str, Any]) -> Case:
    paragraph = pair(number, row["source"], row["damaged"], LANGUAGES[row["lang"]], "en")
    return Case(row["damage"], paragraph, row["translation"], row["reference"])


def pair(number: int, source: str, translation: str, source_language: str, target_language: str) -> Paragraph:
    return Paragraph(
        f"p_{number:04}",
        number,
        "paragraph",
        source,
        translation,
        source_language=source_language,
        target_language=target_language,
    )


def _digits(text: str) -> set[str]:
    return {re.sub(r"[.,]", "", found) for found in DIGITS.findall(unicodedata.normalize("NFKC", text))}


def number_is_visible(case: Case) -> bool:
    """The source states the number in digits (full-width ones too) or in a word for a small number."""
    lost = " ".join(before for before, _ in case.changes)
    if _digits(lost) & _digits(case.paragraph.text):
        return True
    # 七 stands inside other signs, and the vowels of Hindi are no letters to a pattern.
    source = case.paragraph.text.lower()
    said = {word for words in SMALL_NUMBERS.values() for word in words.split()[1:] if words.split()[0] in lost.lower()}
    return any(word in source if word > "\u0900" else word in re.findall(r"\w+", source) for word in said)


def denial_is_visible(case: Case) -> bool:
    """The damage changes how often the translation denies; a denial that has moved cannot be counted."""
    before, after = (len(DENIAL.findall(text)) for text in (case.sound, case.paragraph.translation))
    return before != after


def _latin(word: str) -> str:
    bare = unicodedata.normalize("NFKD", word.lower())
    return "".join(CYRILLIC.get(sign, sign) for sign in bare if not unicodedata.combining(sign))


def _is_alike(name: str, words: Sequence[str]) -> bool:
    return any(SequenceMatcher(None, name, word, autojunk=False).ratio() >= ALIKE for word in words if word)


def _names(text: str) -> list[str]:
    return [name for name in NAME.findall(text) if len(name.strip("’'s")) >= SHORTEST_NAME]


def name_is_visible(case: Case) -> bool:
    """A lost word with a capital stands in the source in letters that can be compared, and nowhere else any more."""
    source = [_latin(word) for word in CAPITALISED.findall(case.paragraph.text) if word[0].isupper()]
    left = {_latin(name) for name in _names(case.paragraph.translation)}
    lost = {_latin(re.sub(r"['’]s?$", "", name)) for before, _ in case.changes for name in _names(before)}
    return any(name not in left and _is_alike(name, source) for name in lost)


def foreign_word_is_visible(case: Case) -> bool:
    """What was put in stands in the source, word for word."""
    source = set(re.findall(r"\w+", case.paragraph.text.lower()))
    put_in = [word for _, after in case.changes for word in re.findall(r"\w+", after.lower())]
    return any(word in source or not word.isascii() for word in put_in)


def _has_comparable_facts(case: Case) -> bool:
    """The source and its sound translation share a number or a name, or the other text brings a number of its own."""
    source = case.paragraph.text
    shared = _digits(source) & _digits(case.sound)
    names = [_latin(word) for word in CAPITALISED.findall(source) if word[0].isupper()]
    return (
        bool(shared)
        or bool(_digits(case.paragraph.translation) - _digits(source))
        or any(_is_alike(_latin(name), names) for name in _names(case.sound))
    )


CLAIMS: dict[str, Claim] = {
    "numbers": Claim(
        ("critical_id10_numbers_replaced",), number_is_visible, "the source states it in digits or a word"
    ),
    "negation": Claim(
        ("critical_id8_negation",),
        denial_is_visible,
        "it denies more or less often than before, and not only elsewhere",
    ),
    "names": Claim(
        ("critical_id25_ne_removed", "critical_id9_ne_replaced"),
        name_is_visible,
        "the name stands in the source in letters that can be compared, and nowhere else in the translation",
    ),
    "foreign words": Claim(("critical_id4_codemix",), foreign_word_is_visible, "a word of the source, or not ASCII"),
    "end punctuation": Claim(
        ("minor_id28_final_punc_removed",),
        lambda case: not case.paragraph.text.rstrip()[-1].isalnum(),
        "the source ends with a mark",
    ),
    "repeats": Claim(("minor_id1_repeat2", "minor_id2_repeat4"), lambda case: True, "all"),
    "empty": Claim(("base_id33_empty",), lambda case: True, "all"),
    "unrelated": Claim(
        ("base_id33_shuffle_trans",), _has_comparable_facts, "source and translation have a number or name to compare"
    ),
}
SOUND_DAMAGES = frozenset({"base_id35_reference"})
"""Kinds that are no damage."""


def tatoeba(data: Path, most: int) -> Iterator[tuple[str, list[Paragraph]]]:
    """Sentence pairs by people, both ways: (name, pairs)."""
    for code, language in (("spa", "es"), ("rus", "ru"), ("mkd", "mk"), ("bul", "bg"), ("kab", "kab")):
        lines = (data / f"translation/tatoeba_eng_{code}_dev.tsv").read_text(encoding="utf-8").splitlines()
        step = max(1, len(lines) // most) if most else 1
        rows = [line.split("\t") for line in lines[::step]][: most or None]
        yield f"en-{language}", [pair(n, row[0], row[1], "en", language) for n, row in enumerate(rows, 1)]
        yield f"{language}-en", [pair(n, row[1], row[0], language, "en") for n, row in enumerate(rows, 1)]
