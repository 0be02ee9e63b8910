"""Damage that is made by code in sound pairs: texts cut off, digits changed, names exchanged, denials dropped or added.

Each maker takes a source and its translation and gives the damaged translation, or None where it cannot be damaged in
that way. What a maker changes stands on both sides, so that a rule is able to see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from zlib import crc32

from burnish.languages.voice import TAG_QUESTION

Make = Callable[[str, str], str | None]
MakeMany = Callable[[str, str], Iterator[str]]
"""Every way in which a translation can be damaged so."""

DIGITS = re.compile(r"(?<![\w.,:])\d+(?![\w.,:/-]*\d)")
GIVEN = re.compile(
    r"\b(?:Tom|Mary|John|Jack|Bill|Alice|Jane|Sami|Layla|Ziri|Ken|Bob|Jim|Emily|Kate|Lucy|Nancy|Susan|Yanni|Rima)\b"
)
OTHERS = (
    "Gregory",
    "Stephanie",
    "Vladimir",
    "Beatrice",
    "Humphrey",
    "Fernando",
    "Wolfgang",
    "Priscilla",
    "Desmond",
    "Gwendolyn",
    "Reginald",
    "Yolanda",
)
DENIED = re.compile(
    r"\b(do|does|did|is|are|was|were|has|have|had|would|could|should|must|need)(?:n['’]t| not)(?= )"
    r"|\b(ca)n['’]t(?= )|\b(wo)n['’]t(?= )|\b(can)not(?= )|(?<=\bwill)( not)(?= )|(?<=\b\w)( never)(?= )"
)
UNDENIED = {"ca": "can", "wo": "will", " not": "", " never": ""}
"""What is left of a denial; of any other, its verb."""
STATED = re.compile(r"(?<=[a-z] )(is|are|was|were|can|will|should|must|could|would)(?= [a-z])")
DENIED_BESIDE = re.compile(r"(?<!\w)(?:no|non|nicht|nie|nem|не|δεν|नहीं) (?=\w)", re.IGNORECASE)
"""How ten other languages deny a verb, in a word of its own."""
ENGLISH_DENIAL = re.compile(
    r"n['’]t\b|\b(?:not|never|no|none|nobody|nothing|nowhere|neither|nor|without)\b", re.IGNORECASE
)


def halved(_: str, text: str) -> str | None:
    return text[: len(text) // 2].rstrip() if len(text) >= 40 else None


def broken_off(_: str, text: str) -> str | None:
    """Cut inside its last long word, as a reply is that ran out of room."""
    words = list(re.finditer(r"[^\W\d_]{6,}", text))
    return text[: words[-1].end() - 2] if words else None


def last_dropped(_: str, text: str) -> str | None:
    ends = [match.end() for match in re.finditer(r"[.!?。！？](?=\s|\S)", text[:-2])]
    return text[: ends[-1]].rstrip() if ends and ends[-1] < len(text) - 12 else None


def wrapped(_: str, text: str) -> str:
    return f"Here is the translation: {text}"


def renumbered(source: str, text: str) -> str | None:
    """One digit of a number that both sides write in digits."""
    both = _in_both(source, text)
    if not both:
        return None
    number = both[crc32(text.encode()) % len(both)]
    changed = _with_another_digit(text, number, crc32(source.encode()) % len(number[0]))
    return changed if changed != text else None


def renumbered_everywhere(source: str, text: str) -> Iterator[str]:
    """The same with every such number, and with every digit of it."""
    for number in _in_both(source, text):
        made = (_with_another_digit(text, number, place) for place in range(len(number[0])))
        yield from (changed for changed in made if changed != text)


def _in_both(source: str, text: str) -> list[re.Match[str]]:
    both = [match for match in DIGITS.finditer(text) if re.search(rf"(?<!\d){match[0]}(?!\d)", source)]
    return [match for match in both if int(match[0]) > 1]


def _with_another_digit(text: str, number: re.Match[str], place: int) -> str:
    at = number.start() + place
    digit = str((int(text[at]) + 1 + crc32(text.encode()) % 8) % 10)
    return f"{text[:at]}{digit if place or digit != '0' else '4'}{text[at + 1 :]}"


def renamed(source: str, text: str) -> str | None:
    """A first name of the English side, where the other has it too as far as that can be seen, becomes another."""
    name = GIVEN.search(text)
    if name is None or (source.isascii() and name[0] not in source):
        return None
    other = OTHERS[crc32(source.encode()) % len(OTHERS)]
    return re.sub(rf"\b{name[0]}\b", other, text)


def undenied(_: str, text: str) -> str | None:
    """The one denial of an English sentence dropped."""
    if len(ENGLISH_DENIAL.findall(text)) != 1 or text.rstrip(" \"'”’").endswith("?"):
        return None
    return next(undenied_everywhere(_, text), None)


def denied(_: str, text: str) -> str | None:
    """A denial put into an English sentence that has none."""
    if ENGLISH_DENIAL.search(text) or text.rstrip(" \"'”’").endswith("?"):
        return None
    changed = STATED.sub(r"\1 not", text, count=1)
    return changed if changed != text else None


def denied_everywhere(_: str, text: str) -> Iterator[str]:
    """A denial put in behind each verb that can take one, as long as the sentence has none of its own."""
    if not ENGLISH_DENIAL.search(text) and not text.rstrip(" \"'”’").endswith("?"):
        yield from (f"{text[: verb.end()]} not{text[verb.end() :]}" for verb in STATED.finditer(text))


def undenied_everywhere(_: str, text: str) -> Iterator[str]:
    """Each denial of an English sentence dropped, one at a time. A tag ("isn't it?") and an offer ("Why don't you")
    deny nothing."""
    denying_nothing = [tag.span() for tag in TAG_QUESTION.finditer(text)]
    for match in DENIED.finditer(text):
        if any(start <= match.start() < end for start, end in denying_nothing):
            continue
        group = match[match.lastindex or 0]
        yield f"{text[: match.start()]}{UNDENIED.get(group, group)}{text[match.end() :]}"


def undenied_beside(source: str, text: str) -> Iterator[str]:
    """The one "not" dropped that both an English source and its translation have; "not any" is two words elsewhere."""
    denied = [word.lower() for word in ENGLISH_DENIAL.findall(source)]
    is_plain = len(denied) == 1 and denied[0] in ("not", "n't", "n’t") and " any" not in source and "?" not in source
    if is_plain and len(DENIED_BESIDE.findall(text)) == 1:
        yield DENIED_BESIDE.sub("", text)
