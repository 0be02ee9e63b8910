"""The catalogue of damages to translations: lost, shifted, wrapped, untranslated or changed text."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

from burnish.core.damage import Damage, Damaged, Make, Phrase, changed_text
from burnish.core.documents import Unit
from burnish.core.effects import Effect, Outcome
from burnish.core.findings import Finding
from burnish.core.forecasts import Pretended
from burnish.core.records import AttemptRecord, UnitRow
from burnish.core.tasks import Environment, Item
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.pairing import Neighbours
from burnish.languages.sentences import sentences
from burnish.languages.tables import damage_phrases

if TYPE_CHECKING:
    from burnish.kinds.manuscripts.kind import ManuscriptsKind

DATA = Path(__file__).parent / "data"
SHORTEST = 40
"""Characters of the shortest translation that is damaged."""
RUN = 5
"""Paragraphs that are shifted together."""
WORD = re.compile(r"[^\W\d_]{6,}")
NUMBER = re.compile(r"(?<![\w.,])\d{1,4}(?![\w.,]*\d)")
NAME = re.compile(r"(?<=[\w,;] )[A-ZÀ-ÞА-ЯΑ-Ω][^\W\d_]{3,}")
PLAIN = re.compile(r"\*\*(.+?)\*\*|`(.+?)`|\*(\w.*?\w)\*")


def _is_prose(unit: Unit) -> bool:
    return isinstance(unit, Paragraph) and unit.excluded is None and len(unit.translation) >= SHORTEST


def _of(change: Callable[[Paragraph, Random, Phrase | None], str | None]) -> Make:
    """A damage that changes one translation."""

    def make(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
        paragraph = units[at]
        if not _is_prose(paragraph) or not isinstance(paragraph, Paragraph):
            return None
        text = change(paragraph, random, phrase)
        return changed_text(units, at, None, text, None) if text else None

    return make


def cut(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Cut inside a word of the second half."""
    text = paragraph.translation
    words = [word for word in WORD.finditer(text) if word.start() > len(text) // 2]
    return text[: random.choice(words).end() - 2] if words else None


def cut_with_stop(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Without the last third, which a full stop hides."""
    words = paragraph.translation.split(" ")
    return " ".join(words[: len(words) * 2 // 3]).rstrip(" ,;:.") + "." if len(words) >= 12 else None


def dropped(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Without its last sentence."""
    found = list(sentences(paragraph.translation))
    if len(found) < 2 or len(found[-1].text) < 12:
        return None
    return paragraph.translation[: found[-1].start].rstrip()


def wrapped(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    assert phrase is not None
    text = paragraph.translation
    return f"{phrase.text} {text}" if phrase.place == "first" else f"{text} {phrase.text}"


def echoed(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """The source, and then its translation."""
    return f"{paragraph.text} {paragraph.translation}"


def untranslated(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    return paragraph.text if paragraph.source_language != paragraph.target_language else None


def untranslated_sentence(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """One sentence left untranslated."""
    ours, theirs = list(sentences(paragraph.translation)), list(sentences(paragraph.text))
    if len(ours) < 2 or len(ours) != len(theirs):
        return None
    at = random.randrange(len(ours))
    text = paragraph.translation
    return text[: ours[at].start] + theirs[at].text + text[ours[at].end :]


def other_number(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    found = list(NUMBER.finditer(paragraph.translation))
    if not found:
        return None
    number = random.choice(found)
    other = int(number[0]) + random.choice((1, 2, 10))
    return f"{paragraph.translation[: number.start()]}{other}{paragraph.translation[number.end() :]}"


def other_name(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """A name of both texts replaced by another."""
    assert phrase is not None
    shared = {match[0] for match in NAME.finditer(paragraph.translation) if match[0] in paragraph.text} - {phrase.text}
    return paragraph.translation.replace(random.choice(sorted(shared)), phrase.text) if shared else None


def lost_name(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Without a name that both texts have."""
    shared = {match[0] for match in NAME.finditer(paragraph.translation) if match[0] in paragraph.text}
    if not shared:
        return None
    return re.sub(rf" ?\b{re.escape(random.choice(sorted(shared)))}\b", "", paragraph.translation)


def _at_word(text: str, word: str) -> re.Match[str] | None:
    """The place of a phrase at the beginning of a word; anywhere if the phrase begins with a space or an apostrophe."""
    edge = r"(?<![^\W\d_])" if word[0].isalpha() and "'" not in word else ""
    return re.search(edge + re.escape(word), text)


def denial_lost(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Without the negation."""
    assert phrase is not None
    if phrase.language != paragraph.target_language:
        return None
    found = _at_word(paragraph.translation, phrase.text)
    return paragraph.translation[: found.start()] + paragraph.translation[found.end() :] if found else None


def other_unit(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """A number with another unit."""
    assert phrase is not None
    if phrase.language not in ("", paragraph.target_language):
        return None
    before, after = phrase.text.split(">")
    found = re.search(rf"(?<=\d)(\s?){re.escape(before)}(?!\w)", paragraph.translation)
    if found is None:
        return None
    return f"{paragraph.translation[: found.start()]}{found[1]}{after}{paragraph.translation[found.end() :]}"


def without_marks(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Bold, italics and code without their marks."""
    text = PLAIN.sub(lambda match: next(part for part in match.groups() if part), paragraph.translation)
    return text if text != paragraph.translation else None


def gibberish(paragraph: Paragraph, random: Random, phrase: Phrase | None) -> str | None:
    """Words with their letters mixed, which still look like a language."""

    def mixed(word: re.Match[str]) -> str:
        letters = list(word[0][1:-1])
        random.shuffle(letters)
        return word[0][0] + "".join(letters) + word[0][-1]

    return re.sub(r"[^\W\d_]{4,}", mixed, paragraph.translation)


def _neighbours(units: Sequence[Unit], at: int, count: int) -> list[Paragraph]:
    """At most `count` translated paragraphs from here on."""
    found = [unit for unit in units[at:] if isinstance(unit, Paragraph) and unit.excluded is None and unit.translation]
    return found[:count]


def shifted(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Five translations, each one paragraph too far down."""
    run = _neighbours(units, at, RUN + 1)
    if len(run) < RUN + 1 or not _is_prose(units[at]):
        return None
    return Damaged(tuple(run[n].with_text(None, run[n - 1].translation) for n in range(1, RUN + 1)))


def exchanged(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Two neighbours have each other's translation."""
    pair = _neighbours(units, at, 2)
    if len(pair) < 2 or not all(map(_is_prose, pair)) or pair[0].translation == pair[1].translation:
        return None
    one, other = pair
    return Damaged((one.with_text(None, other.translation), other.with_text(None, one.translation)))


def _catalogue() -> Iterator[Damage]:
    phrases = damage_phrases(DATA, "damage.toml", "damage_held_out.toml")
    yield Damage("cut", "Breaks off in a word", _of(cut))
    yield Damage("cut_with_stop", "Last third gone, with a full stop", _of(cut_with_stop))
    yield Damage("dropped", "Last sentence dropped", _of(dropped))
    yield Damage("shifted", "Five translations shifted by one", shifted)
    yield Damage("exchanged", "Two translations exchanged", exchanged)
    yield Damage("wrapped", "Wrapped in chat", _of(wrapped), phrases["wrapped"])
    yield Damage("echoed", "Source repeated before it", _of(echoed))
    yield Damage("untranslated", "Left in the source's language", _of(untranslated))
    yield Damage("untranslated_sentence", "One sentence left untranslated", _of(untranslated_sentence))
    yield Damage("number", "Another number", _of(other_number))
    yield Damage("name", "Another name", _of(other_name), phrases["name"])
    yield Damage("name_lost", "Name left out", _of(lost_name))
    yield Damage("negation", "Denial lost", _of(denial_lost), phrases["negation"])
    yield Damage("unit", "Another unit", _of(other_unit), phrases["unit"])
    yield Damage("marks", "Marks of emphasis lost", _of(without_marks))
    yield Damage("gibberish", "Letters mixed", _of(gibberish))


@cache
def damages() -> tuple[Damage, ...]:
    return tuple(_catalogue())


def rule_findings(kind: ManuscriptsKind, changed: Sequence[Unit], env: Environment) -> list[Finding]:
    """The findings of the rules in changed paragraphs; in several in a row, also misplaced translations."""
    known = cast(ManuscriptContext, env.context)
    if len(changed) > 1:
        neighbours = Neighbours(known.lexicon)
        for unit in changed:
            neighbours.add(cast(Paragraph, unit))
        known = replace(known, misplaced=neighbours.misplaced())
    return [finding for unit in changed for finding in kind.examine(unit, env.selection, known).findings]


def judge_findings(
    kind: ManuscriptsKind, changed: Sequence[Unit], env: Environment
) -> Generator[Effect, Any, tuple[Finding, ...]]:
    """The findings of reviewers and critics in some paragraphs."""
    items = []
    for unit in changed:
        source = AttemptRecord(unit.id, 1, "source", kind.to_record(unit), unit.content_hash, {}, (), passed=False)
        place = unit.index - 1 if isinstance(unit, Paragraph) else 0
        items.append(Item(UnitRow(unit.id, "", place, unit.content_hash, "", None, 1, 1), unit, unit, (source,)))
    outcome: Outcome = yield from kind.stage("review", env).work(items, Pretended(list(changed)))
    kept = (settled.drafts[-1] for settled in outcome.units if settled.drafts)
    return tuple(finding for attempt in kept for finding in attempt.findings if finding.source != "rule")
