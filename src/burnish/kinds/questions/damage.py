"""The catalogue of damages of questions: flaws that the rules cover, wrong keys, and exchanged texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from burnish.core.checks import Examination
from burnish.core.damage import Damage, Damaged, Make, Phrase, changed_text, inserted
from burnish.core.documents import Field, Unit
from burnish.core.effects import Effect
from burnish.core.findings import Finding
from burnish.core.kinds import Kind
from burnish.core.tasks import Environment
from burnish.kinds.questions.model import Option, Question, revised
from burnish.languages.tables import damage_phrases

DATA = Path(__file__).parent / "data"
ASKING = re.compile(r"\b(is|are|was|were|would|should|can|does|will)\b(?! not\b)")
LEVELS = ("remember", "understand", "apply", "analyze", "evaluate", "create")
LONG_WORD = re.compile(r"[^\W\d_]{6,}")
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?")
VOWELS = "aeiou"
FEWEST_OPTIONS = 3

Change = Callable[[Question, Option, Random, str], "tuple[Field, str] | Question | None"]
"""Takes a question, its key, a random generator and a phrase; gives a field and its new text, or a new question."""


def _of(change: Change) -> Make:
    """A damage from a change of a single question with a key."""

    def make(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
        question = units[at]
        if not isinstance(question, Question) or question.key is None or len(question.options) < FEWEST_OPTIONS:
            return None
        made = change(question, question.key, random, phrase.text if phrase is not None else "")
        if isinstance(made, tuple):
            return changed_text(units, at, *made, None)
        return None if made is None or made.content_hash == question.content_hash else Damaged((made,))

    return make


def _field(option: Option) -> Field:
    return f"options.{option.key}"


def other_option(question: Question, key: Option, random: Random, phrase: str) -> Question:
    """Replace the last distractor, the usual place of such options."""
    chosen = question.distractors[-1]
    letters = [option.key for option in question.options if option.key != chosen.key][:2]
    return _with_option(question, chosen, phrase.format(*letters))


def _with_option(question: Question, option: Option, text: str) -> Question:
    """Replace the text of an option, and name the new text in the rationale: otherwise the missing explanation would
    be a second fault, found instead of the first."""
    options = tuple(revised(one, text=text) if one is option else one for one in question.options)
    rationale = f"{question.rationale} ({option.key}) {text}." if question.rationale else question.rationale
    return revised(question, options=options, rationale=rationale)


def in_front(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str]:
    option = random.choice(question.distractors)
    return _field(option), phrase + option.text[:1].lower() + option.text[1:]


def behind_distractor(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str]:
    option = random.choice(question.distractors)
    return _field(option), option.text.rstrip(".") + phrase


def behind_key(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str]:
    return _field(key), key.text.rstrip(".") + phrase


def other_stem_text(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str]:
    return "stem", phrase


def in_stem(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Insert the phrase before the lead-in of the stem, or after one of its words."""
    assert phrase is not None
    question = units[at]
    if not isinstance(question, Question) or not question.stem:
        return None
    places = [question.lead_in.start] if phrase.text[-1:] == " " and phrase.text.strip() else []
    places = places or [match.end() for match in LONG_WORD.finditer(question.stem)]
    return inserted(units, at, "stem", random.choice(places), phrase.text) if places else None


def negated(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    """Make the question ask for the exception (English)."""
    lead_in = question.lead_in
    found = ASKING.search(lead_in.text)
    if found is None:
        return None
    place = lead_in.start + found.end()
    word = random.choice((" NOT", " not", " LEAST likely"))
    return "stem", question.stem[:place] + word + question.stem[place:]


def asks_nothing(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    """Remove the sentence that asks."""
    before = question.stem[: question.lead_in.start].rstrip()
    return ("stem", before) if before else None


def cut_stem(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    words = question.stem.split(" ")
    return ("stem", " ".join(words[: max(2, len(words) // 2)])) if len(words) >= 8 else None


def blank(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    words = list(LONG_WORD.finditer(question.stem))[:-1]
    if not words:
        return None
    word = random.choice(words)
    return "stem", f"{question.stem[: word.start()]}_____{question.stem[word.end() :]}"


def no_key(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    return "correct_answer", random.choice(("", "Z"))


def same_options(question: Question, key: Option, random: Random, phrase: str) -> Question | None:
    return _with_option(question, random.choice(question.distractors), key.text)


def same_meaning(question: Question, key: Option, random: Random, phrase: str) -> Question | None:
    """Make a distractor say the same as the key in another form."""
    text = key.text.rstrip(".")
    first, joined, second = text.partition(" and ")
    changed = f"{second[:1].upper()}{second[1:]} and {first[:1].lower()}{first[1:]}" if joined else f"{text.lower()}"
    return _with_option(question, random.choice(question.distractors), changed) if changed != key.text else None


def repeated_word(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    """Repeat a word of the stem in the key alone."""
    words = [word[0] for word in LONG_WORD.finditer(question.stem) if word[0].lower() not in question.options_words]
    return (_field(key), f"{key.text.rstrip('.')} ({random.choice(words)})") if words else None


def out_of_order(question: Question, key: Option, random: Random, phrase: str) -> Question | None:
    """Put ordered numbers out of order; the letter of the key follows its text."""
    found = [NUMBER.match(option.text.strip()) for option in question.options]
    values = [float(match[0].replace(",", ".")) for match in found if match is not None]
    if len(values) < len(question.options) or values not in (sorted(values), sorted(values, reverse=True)):
        return None
    texts = [option.text for option in question.options]
    shuffled = texts[1::2] + texts[::2]
    options = tuple(revised(option, text=text) for option, text in zip(question.options, shuffled, strict=True))
    letter = next(option.key for option in options if option.text == key.text)
    return revised(question, options=options, correct_answer=letter)


def grammatical_cue(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """End the stem in an article that fits only some options (English)."""
    question = units[at]
    if not isinstance(question, Question) or question.key is None or question.language_shown not in (None, "en"):
        return None
    first = [option.text.strip()[:1].lower() in VOWELS for option in question.options]
    if all(first) or not any(first):
        return None
    article = "an" if question.key.text.strip()[:1].lower() in VOWELS else "a"
    stem = f"{question.stem[: question.lead_in.start]}The most likely answer is "
    return Damaged((revised(question, stem=stem + article),), "stem", sound=revised(question, stem=f"{stem}a(n)"))


def opposite_option(question: Question, key: Option, random: Random, phrase: str) -> Question | None:
    """Make a distractor deny the key, so that one of the two must be right (English)."""
    if question.language_shown not in (None, "en"):
        return None
    text = key.text.rstrip(".")
    return _with_option(question, random.choice(question.distractors), f"Not {text[:1].lower()}{text[1:]}")


def no_metadata(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    """Empty one metadata field."""
    found = [str(field) for field, text in question.texts().items() if str(field).startswith("metadata.") and text]
    return (random.choice(found), "") if found else None


def no_rationale(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    return ("rationale", "") if question.rationale else None


def other_level(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    """Claim a level at the other end of Bloom's scale."""
    claimed = (question.metadata.bloom_level or "").lower() if question.metadata else ""
    if claimed not in LEVELS:
        return None
    return "metadata.bloom_level", "create" if LEVELS.index(claimed) < 3 else "remember"


def exchanged_key(question: Question, key: Option, random: Random, phrase: str) -> tuple[Field, str] | None:
    return "correct_answer", random.choice(question.distractors).key


def _other(units: Sequence[Unit], at: int, random: Random) -> Question | None:
    others = [unit for place, unit in enumerate(units) if place != at and isinstance(unit, Question)]
    return random.choice(others) if others else None


def exchanged_stem(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Replace the stem with that of another question."""
    other = _other(units, at, random)
    return changed_text(units, at, "stem", other.stem, None) if other is not None and other.stem else None


def exchanged_rationale(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Replace the rationale with that of another question."""
    other = _other(units, at, random)
    if other is None or not other.rationale or not units[at].texts().get("rationale"):
        return None
    return changed_text(units, at, "rationale", other.rationale, None)


PLAIN: tuple[tuple[str, str, Change], ...] = (
    ("opposite_option", "Option that denies the key", opposite_option),
    ("negation", "Asks for the exception", negated),
    ("asks_nothing", "Stem without its question", asks_nothing),
    ("cut_stem", "Stem cut off", cut_stem),
    ("blank", "Blank in the stem", blank),
    ("no_key", "Key that names no option", no_key),
    ("same_options", "Two equal options", same_options),
    ("same_meaning", "Key said twice in other words", same_meaning),
    ("repeated_word", "Word of the stem in the key alone", repeated_word),
    ("out_of_order", "Numbers out of order", out_of_order),
    ("no_rationale", "Rationale missing", no_rationale),
    ("no_metadata", "Metadata missing", no_metadata),
    ("bloom_level", "Wrong Bloom level", other_level),
)
"""Damages without phrases that change one question only."""


@cache
def damages() -> tuple[Damage, ...]:
    return tuple(_catalogue())


def _catalogue() -> Iterator[Damage]:
    phrases = damage_phrases(DATA, "damage.toml", "damage_held_out.toml")
    for id, title, make in (
        ("all_of_the_above", "All of the above", _of(other_option)),
        ("none_of_the_above", "None of the above", _of(other_option)),
        ("combined_options", "Combined options", _of(other_option)),
        ("empty_lead_in", "Stem that asks only what is true", _of(other_stem_text)),
        ("absolute_term", "Absolute term in an option", _of(in_front)),
        ("vague_term", "Vague term in an option", _of(behind_distractor)),
        ("longest_key", "Key far longer than the rest", _of(behind_key)),
        ("implausible_option", "Option that nobody chooses", _of(other_option)),
        ("placeholder_option", "Placeholder as an option", _of(other_option)),
        ("spreadsheet_date", "Option turned into a date", _of(other_option)),
        ("biased_wording", "Biased wording", in_stem),
        ("unneeded_information", "Unneeded information", in_stem),
        ("formatting", "Traces of another format", in_stem),
    ):
        yield Damage(id, title, make, phrases[id])
    yield Damage("uneven_option", "Option far longer than the rest", _of(behind_distractor), phrases["longest_key"])
    yield Damage("grammatical_cue", "Article that gives the key away", grammatical_cue)
    for id, title, change in PLAIN:
        yield Damage(id, title, _of(change))
    yield Damage("exchanged_key", "Key exchanged", _of(exchanged_key), is_meaning=True)
    yield Damage("exchanged_stem", "Stem of another question", exchanged_stem, is_meaning=True)
    yield Damage("exchanged_rationale", "Rationale of another question", exchanged_rationale, is_meaning=True)


def judge_findings(
    kind: Kind, changed: Sequence[Unit], env: Environment
) -> Generator[Effect, Any, tuple[Finding, ...]]:
    """The findings of the judges, including those from solving the questions blind."""
    from burnish.kinds.questions.review import SOURCE, Reviewer

    reviewer = Reviewer(kind, env.selection, env.context, env.roles.judges)
    found: list[Finding] = []
    for unit in changed:
        review = yield from reviewer.review(unit, SOURCE, Examination(()))
        found += review.findings
    return tuple(found)
