"""The catalogue of damage to lessons: model leftovers, lost content, and faults that only a reader notices."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, cast

from burnish.core.damage import Damage, Damaged, Make, Phrase, changed_text, inserted
from burnish.core.documents import Unit
from burnish.core.effects import Effect
from burnish.core.findings import Finding, Severity
from burnish.core.tasks import Environment
from burnish.kinds.lessons.findings import examine, examine_whole, rules_on
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.kinds.lessons.panel import SEVERITIES, judge_lesson
from burnish.kinds.lessons.prejudge import first_review
from burnish.kinds.lessons.progress import LessonProgress
from burnish.kinds.lessons.verdicts import PanelFailed, distinct_issues
from burnish.languages.detection import sure_language
from burnish.languages.tables import damage_phrases
from burnish.text.markdown import markdown

DATA = Path(__file__).parent / "data"
FEWEST_WORDS = 40
"""Shorter units are not damaged: they may be a list of commands or of books."""
SHORTEST = 80
"""The fewest characters of a paragraph that is damaged."""
FOREIGN = "жщдяюлθψξλδς的是水学中大あのはをん한글의는عحقشضغאבגדהשकखगमनสกขคงაბგდევաբգդեզ"
"""Letters of scripts that do not look like Latin ones."""
ALIKE = dict(zip("aceopxy", "асеорху", strict=True))
"""Latin letters and their Cyrillic look-alikes."""
DENIALS = re.compile(r"\b(is|are|was|were|can|will|does|do)\b(?! not\b)")
NUMBER = re.compile(r"(?<![\w.,/-])\d{2,4}(?![\w/-])(?![.,]\d)")
WORD = re.compile(r"[^\W\d_]{5,}")


def _text(units: Sequence[Unit], at: int) -> str:
    return units[at].texts().get(None, "")


def _paragraphs(text: str) -> list[tuple[int, int]]:
    """The spans of paragraphs of running text that are long enough."""
    blocks = markdown(text).blocks
    plain = (block for block in blocks if block.kind == "paragraph" and block.level == 0 and not block.quoted)
    return [(block.start, block.end) for block in plain if block.end - block.start > SHORTEST]


def _words(text: str) -> list[re.Match[str]]:
    """Words of prose in paragraphs, except file names and addresses."""
    words = []
    for match in _in_paragraphs(WORD, text):
        blank = text.find(" ", match.end())
        token = text[text.rfind(" ", 0, match.start()) + 1 : blank if blank != -1 else len(text)]
        if not set(token) & set("/_@#=<>\\`"):
            words.append(match)
    return words


def _whole_words(text: str) -> list[re.Match[str]]:
    """Words after a blank."""
    return [word for word in _words(text) if text[word.start() - 1 : word.start()] == " "]


def _in_paragraphs(pattern: re.Pattern[str], text: str) -> list[re.Match[str]]:
    prose = markdown(text).prose
    return [match for start, end in _paragraphs(text) for match in pattern.finditer(prose, start, end)]


def in_prose(make: Make) -> Make:
    """Limit a damage to units of running text."""

    def damage(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
        unit = units[at]
        is_prose = isinstance(unit, LessonUnit) and unit.words >= FEWEST_WORDS and bool(_paragraphs(_text(units, at)))
        return make(units, at, random, phrase) if is_prose else None

    return damage


@in_prose
def left_behind(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Insert a phrase: at the beginning, at the end, as a paragraph, between sentences, or in place of everything."""
    assert phrase is not None, "a phrase is put in"
    text = _text(units, at)
    if phrase.place == "whole":
        return changed_text(units, at, None, phrase.text, None)
    if phrase.place == "first":
        return inserted(units, at, None, len(text) - len(text.lstrip()), f"{phrase.text}\n\n")
    if phrase.place == "last":
        return inserted(units, at, None, len(text.rstrip()), f"\n\n{phrase.text}")
    places = [start for start, _ in _paragraphs(text)]
    if phrase.place == "inside":  # between two sentences
        prose = markdown(text).prose
        inner = (i for start, end in _paragraphs(text) for i in range(start + 20, end - 20))
        places = [i + 2 for i in inner if prose[i : i + 2] == ". " and prose[i - 1].islower()]
    put = f"{phrase.text} " if phrase.place == "inside" else f"{phrase.text}\n\n"
    return inserted(units, at, None, random.choice(places), put) if places else None


@in_prose
def cut_off(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Cut the text in a word of its last paragraph, like a reply that ran out of tokens."""
    text = _text(units, at)
    words = [word for word in _words(text) if word.start() > len(text) // 3]
    if not words:
        return None
    word = random.choice(words)
    end = word.start() + max(2, len(word[0]) // 2)
    return changed_text(units, at, None, text[:end], (max(0, end - 20), end))


@in_prose
def foreign_letters(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Insert one to three letters of another script into a word."""
    words = _words(_text(units, at))
    if not words:
        return None
    word = random.choice(words)
    letter = random.choice(FOREIGN)
    place = random.randrange(word.start() + 1, word.end())
    return inserted(units, at, None, place, letter * random.randint(1, 3))


@in_prose
def lookalike(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Replace a Latin letter by its Cyrillic look-alike."""
    text = _text(units, at)
    places = [i for word in _words(text) for i in range(*word.span()) if text[i] in ALIKE]
    if not places:
        return None
    place = random.choice(places)
    return changed_text(units, at, None, f"{text[:place]}{ALIKE[text[place]]}{text[place + 1 :]}", (place, place + 1))


@in_prose
def wrong_language(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Replace the whole unit by text in another language."""
    assert phrase is not None, "a passage takes the unit's place"
    if sure_language("\n".join(_text(units, n) for n in range(len(units)))) == phrase.place:
        return None
    return changed_text(units, at, None, phrase.text, None)


@in_prose
def emptied(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Remove the text of a unit."""
    return changed_text(units, at, None, "", None)


@in_prose
def unclosed_emphasis(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Begin bold text without an end."""
    words = _whole_words(_text(units, at))
    return inserted(units, at, None, random.choice(words).start(), "**") if words else None


@in_prose
def broken_link(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Remove the end or target of a link; without a link, make words look like a broken one."""
    text = _text(units, at)
    links = [link for link in markdown(text).links if link.form == "inline" and not link.image]
    if links:
        link = random.choice(links)
        gone = random.choice(((link.target_start, link.target_end), (link.end - 1, link.end)))
        return changed_text(units, at, None, text[: gone[0]] + text[gone[1] :], (link.start, link.text_end))
    words = _whole_words(text)
    if not words:
        return None
    word = random.choice(words)
    new = f"{text[: word.start()]}[{word[0]}](){text[word.end() :]}"
    return changed_text(units, at, None, new, (word.start(), word.end() + 4))


@in_prose
def repeated(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Repeat a paragraph."""
    text = _text(units, at)
    spans = _paragraphs(text)
    if not spans:
        return None
    start, end = random.choice(spans)
    return inserted(units, at, None, len(text.rstrip()), f"\n\n{text[start:end]}")


def other_number(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Change a number."""
    text = _text(units, at)
    found = _in_paragraphs(NUMBER, text)
    if not found:
        return None
    match = random.choice(found)
    number = str(int(match[0]) + random.choice((-1, 1)) * max(1, int(match[0]) // 3))
    new = text[: match.start()] + number + text[match.end() :]
    return changed_text(units, at, None, new, (match.start(), match.start() + len(number)))


def denied(units: Sequence[Unit], at: int, random: Random, phrase: Phrase | None) -> Damaged | None:
    """Negate a sentence (English)."""
    found = _in_paragraphs(DENIALS, _text(units, at))
    return inserted(units, at, None, random.choice(found).end(), " not") if found else None


def _catalogue() -> Iterator[Damage]:
    phrases = damage_phrases(DATA, "damage.toml", "damage_held_out.toml")
    for id, title in (
        ("prompt_leftover", "Order to a model left in"),
        ("chat_token", "Token of a chat template"),
        ("thinking", "Thinking of a model"),
        ("chatbot_phrase", "Chatbot talk"),
        ("word_count", "Word count left in"),
        ("json_leftover", "JSON or escapes left in"),
        ("unfinished_latex", "Unfinished formula"),
        ("unclosed_fence", "Code block never closed"),
        ("placeholder_alone", "Placeholder instead of text"),
        ("placeholder_inside", "Placeholder in a paragraph"),
        ("dangling_reference", "Reference to nothing"),
        ("invented_address", "Invented address"),
    ):
        yield Damage(id, title, left_behind, phrases[id])
    yield Damage("cut_off", "Text breaks off", cut_off)
    yield Damage("empty", "Section without text", emptied)
    yield Damage("wrong_language", "Section in another language", wrong_language, phrases["wrong_language"])
    yield Damage("foreign_letters", "Stray letters of another script", foreign_letters)
    yield Damage("lookalike", "Look-alike letter", lookalike)
    yield Damage("unclosed_emphasis", "Bold never closed", unclosed_emphasis)
    yield Damage("broken_link", "Link without a target", broken_link)
    yield Damage("repeated", "Paragraph said twice", repeated)
    yield Damage("number", "Another number", other_number, is_meaning=True)
    yield Damage("negation", "Says the opposite", denied, is_meaning=True)
    yield Damage("gutted", "Section that says nothing", left_behind, phrases["gutted"], is_meaning=True)


@cache
def damages() -> tuple[Damage, ...]:
    return tuple(_catalogue())


# -- detection


def rule_findings(changed: Sequence[Unit], env: Environment) -> list[Finding]:
    """The rules' findings on changed units, in the lesson that contains them."""
    known = _revised(changed, env)
    found = [examine(cast(LessonUnit, unit), env.selection, known) for unit in changed]
    ids = {unit.id for unit in changed}
    whole = [finding for finding in examine_whole(env.selection, known)[0] if finding.unit in ids]
    return [*(finding for one in found for finding in one.findings), *whole]


def _revised(changed: Sequence[Unit], env: Environment) -> LessonContext:
    known = cast(LessonContext, env.context)
    return replace(known, lesson=known.lesson.replaced(cast(Sequence[LessonUnit], changed)))


FLAGS: Mapping[str, Severity] = {"CRITICAL": "critical", "COMPLEX": "error", "FIXABLE": "warning", "INFO": "info"}


def judge_findings(changed: Sequence[Unit], env: Environment) -> Generator[Effect, Any, tuple[Finding, ...]]:
    """The issues of the first reader and the panel in the lesson with these units."""
    known = _revised(changed, env)
    progress = LessonProgress.begun(known, env.roles, rules_on(known, env.selection))
    found: list[Finding] = []
    reader = env.roles.of("reviewer")
    if reader is not None:
        review = yield from first_review(progress)
        flags = [issue for issue in review.issues if issue.severity != "FIXABLE"]
        found += [
            _said(f.type.lower(), FLAGS[f.severity], f.location, f.description, f.quote, f"model:{reader}")
            for f in flags
        ]
    if env.roles.judges:
        panel = yield from judge_lesson(progress)
        issues = [] if isinstance(panel, PanelFailed) else distinct_issues(panel.verdicts)
        for issue in issues:
            unit, severity = issue.location.split(": ")[0], SEVERITIES[issue.severity]
            found.append(_said(issue.criterion, severity, unit, issue.description, issue.quoted_text, "judges"))
    return tuple(found)


def _said(rule: str, severity: Severity, unit: str, message: str, quote: str | None, by: str) -> Finding:
    return Finding(rule, severity, unit, None, message, quote=quote, source=by)
