"""sentence_case: a missing capital letter in the translation.

What it looks for: a translation that begins with a small letter where the source begins with a capital one, or where
the source's script has no capitals and both texts are sentences; the English pronoun "i"; a name of the source in lower
case (a warning, because offices and titles differ between languages; an error if no capital is left at all). Languages
without capitals, names such as iPhone, and words that are in lower case in the source are ignored.
Why it matters: a text without its capitals reads as a fragment, and readers overlook names in it.
Fix: safe for the first letter and for "I"; a name needs a person or a model.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.dictionary import is_ordinary
from burnish.languages.names import peoples
from burnish.languages.scripts import scripts_of
from burnish.languages.words import Slip, word_set
from burnish.text.markdown import Markdown, markdown

CASED = frozenset({"Latin", "Cyrillic", "Greek", "Armenian"})
"""Scripts with capitals."""
FIRST_WORD = regex.compile(r"[^\p{L}\p{N}\ufffc]*(?P<word>\p{L}[\p{L}\p{M}'’-]*)")
"""The first word, unless a number, code or formula comes before it."""
WORDS = regex.compile(r"\p{L}[\p{L}\p{M}'’-]*")
SENTENCE_MARK = regex.compile(r"[.!?…。！？।؟](?=[\"'”’»)\]*_]*\s*$)")
"""A mark at the end of a text shows that it is a sentence, not a label."""
INNER_CAPITAL = regex.compile(r"(?<=[\p{Ll},;] )\p{Lu}\p{Ll}{2,}")
"""A name in the middle of a sentence."""
LONE_I = regex.compile(r"(?<=(?:^|\s)[\"“'‘(]?)i(?=['’](?:m|ve|ll|d)\b|\s\p{Ll}{2})")
FEWEST_WORDS = 4
LONGER = 4
"""The fewest letters of a name; shorter words are often other words in another language."""
LOWER_BEGINNINGS = word_set("d' de del della di van von der ten ter al bin ibn")
"""Beginnings of names that may stay in lower case at the start of a sentence, if they are in the source."""
NOUN_CAPITALS = word_set("de lb")
"""Languages that capitalise every noun, so that capitals do not show names."""


def uncapitalised(paragraph: Paragraph) -> Iterator[Slip]:
    """What should be capital in the translation and is not."""
    view, source = markdown(paragraph.translation), markdown(paragraph.text)
    language = paragraph.target_language
    scripts = scripts_of(language)
    if scripts and CASED.isdisjoint(scripts):
        return
    if paragraph.block not in ("table", "code"):
        yield from _beginning(view, source, paragraph)
    if language == "en":
        yield from (_small_i(match) for match in LONE_I.finditer(view.prose))
    if paragraph.block != "heading" and paragraph.source_language not in NOUN_CAPITALS:
        yield from _names(view, source, paragraph)


def _beginning(view: Markdown, source: Markdown, paragraph: Paragraph) -> Iterator[Slip]:
    first = FIRST_WORD.match(view.prose)
    if first is None or not _should_begin_high(view, source, first["word"]):
        return
    start, end = first.span("word")
    word = first["word"]
    yield Slip(
        start,
        end,
        f"The text begins with a small letter ({word!r}), the source does not.",
        f"Write {word[0].upper() + word[1:]!r}.",
        replacement=word[0].upper() + word[1:],
        severity="error" if paragraph.block in ("paragraph", "heading", "quote") else "warning",
    )


def _should_begin_high(view: Markdown, source: Markdown, word: str) -> bool:
    if not word[0].islower() or not word.islower() or word[0].upper() == word[0] or len(word[0].upper()) > 1:
        return False  # iPhone, eBay: a name that begins low; a letter that has no capital
    original = FIRST_WORD.match(source.prose)
    if word in LOWER_BEGINNINGS and original is not None and original["word"].lower() == word:
        return False
    if len(word) >= LONGER and _holds(source.prose, word):
        return False
    letter = original["word"][0] if original is not None else _first_letter(source.prose)
    if letter.isupper():
        return original is not None
    # A script without capitals says nothing: what ends like a sentence on both sides begins like one.
    caseless = bool(letter) and letter.upper() == letter.lower()
    ends = SENTENCE_MARK.search(view.prose.rstrip()[-8:]) and SENTENCE_MARK.search(source.prose.rstrip()[-8:])
    return caseless and bool(ends) and len(WORDS.findall(view.prose[:200])) >= FEWEST_WORDS


def _first_letter(prose: str) -> str:
    found = WORDS.search(prose)
    return found.group()[0] if found is not None else ""


def _holds(prose: str, word: str) -> bool:
    """Whether the source writes the very word with a small letter, as it does with names of commands."""
    return any(match.group() == word for match in WORDS.finditer(prose))


def _small_i(match: regex.Match[str]) -> Slip:
    return Slip(match.start(), match.end(), "The pronoun I is written with a small letter.", "Write I.", "I")


def _names(view: Markdown, source: Markdown, paragraph: Paragraph) -> Iterator[Slip]:
    """Names of the source that the translation writes with a small letter only."""
    names = {match.group() for match in INNER_CAPITAL.finditer(source.prose)}
    if not names:
        return
    found: dict[str, regex.Match[str]] = {}
    for match in WORDS.finditer(view.prose):
        found.setdefault(match.group(), match)
    lost = [found[name.lower()] for name in sorted(names) if name.lower() in found and name not in found]
    # One may be an office or a title, which languages write differently; more, and no capital left, are a lost case.
    bare = len(lost) > 1 and not any(character.isupper() for character in view.prose)
    for match in lost:
        if not bare and _may_be_small(match.group(), paragraph.source_language, paragraph.target_language):
            continue
        name = match.group().capitalize()
        message = f"{match.group()!r} is a name with a capital letter in the source ({name!r})."
        severity: Severity = "error" if bare else "warning"
        advice = f"Write {name!r}, if it is a name."
        yield Slip(*match.span(), message, advice, severity=severity, data={"source": name})


def _may_be_small(word: str, source: str, target: str) -> bool:
    """Whether the capital was that of an adjective, of a word in a title, or of a language: toki pona in French."""
    return is_ordinary(word, source) or (target != "en" and word.capitalize() in peoples(source))


@check(
    id="sentence_case",
    title="Capital letter missing",
    severity="error",
    bad=(
        pair("en>es", "The lamp stood on the table.", "la lámpara estaba en la mesa."),
        pair("zh>en", "灯放在桌子上。", "the lamp stood on the table."),
        pair("es>en", "Ayer vi la lámpara.", "Yesterday i saw the lamp."),
    ),
    good=(
        pair("en>de", "IPhones are sold here.", "iPhones werden hier verkauft."),
        pair("en>es", "and the lamp stood on the table.", "y la lámpara estaba en la mesa."),
        pair("en>de", "The command `grep` searches.", "`grep` durchsucht den Text."),
        pair("en>ja", "The lamp stood on the table.", "ランプはテーブルの上にあった。"),
        pair("en>fr", "Learning Toki Pona is hard.", "Apprendre le toki pona est difficile."),
        pair("en>es", "It is Trudeau's Liberal cabinet.", "Es el gabinete del liberal Trudeau."),
    ),
)
def sentence_case(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, uncapitalised(paragraph))
