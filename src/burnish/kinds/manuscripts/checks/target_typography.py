"""target_typography: quotation marks, dashes or spaces as another language writes them.

What it looks for: quotation marks of another language (German „so“, Russian «так», French with spaces inside), straight
and curved ones mixed; a Spanish question or exclamation without an opening mark; French marks without the space before
them; a hyphen in place of the source's dash; narrow marks between Chinese or Japanese characters. Questions of style
are warnings, and every accepted style passes.
Why it matters: foreign typography is the first thing readers notice in a translation.
Fix: safe if one mark replaces another. A translator decides where a Spanish question begins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.tables import key_of_each, table
from burnish.languages.words import Slip
from burnish.text.markdown import span_around

Pair = tuple[str, str]
QUOTES: dict[str, tuple[Pair, ...]] = {
    language: tuple((pair[0], pair[1]) for pair in pairs.split())
    for language, pairs in table("typography")["quotes"].items()
}
"""Language -> its accepted pairs of quotation marks; a fix uses the first one."""
NARROW, WIDE = "\u202f", "\u00a0"
OPENED: dict[str, str] = {"?": "¿", "!": "¡"}
DASHES = key_of_each(table("typography")["dashes"])
WIDE_MARKS: dict[str, dict[str, str]] = {
    language: dict(zip(",.;:!?", signs, strict=True)) for language, signs in table("typography")["wide_marks"].items()
}

ALL_PAIRS: tuple[Pair, ...] = (("“", "”"), ("«", "»"), ("„", "“"), ("„", "”"), ("「", "」"), ("”", "”"))
_ANY = re.escape("".join(dict.fromkeys(chain(*ALL_PAIRS))))
PAIRED = re.compile("|".join(f'{re.escape(a)}[^{_ANY}"\n]{{1,600}}{re.escape(b)}' for a, b in ALL_PAIRS))
CURLY = re.compile("[“”„«»]")
STRAIGHT_PAIR = re.compile(r'"[^"\n]{1,600}"')
OPENING_MARK = re.compile("[¿¡]")
SINGLE_QUOTED = re.compile(r"(?<![^\W_])['‘][^\W_]*[?!]+['’]$")
FEW_WORDS, LONGEST_NAME = 2, 30
MARKS_AROUND = "\"'“‘«*_([¿¡"
FRENCH_MARK = re.compile(r"(?<=[^\s;:!?«(\[])[;:!?](?=[\s»\")\]]|$)")
FRENCH_OPENING = re.compile(r"«(?=[^\s\u00a0\u202f])")
FRENCH_CLOSING = re.compile(r"(?<=[^\s\u00a0\u202f])»")
SPANISH_RUN = re.compile(r"[?!]+|[¿¡]+")
DASH = re.compile(r"(?<=[^\s|]) --? (?=[^\s|\d-])")
REAL_DASH = re.compile("[–—―]")
HAN_BEFORE_ASCII = re.compile(r"(?<=[\u3040-\u30ff\u3400-\u9fff])[,.;:!?](?=[\u3040-\u30ff\u3400-\u9fff\s]|$)")


def typography(source: Side, target: Side) -> Iterator[Slip]:
    """Places where the translation has the typography of another language, or mixes two."""
    if not target.prose.isascii():
        yield from _quotes(target)
    yield from _dashes(source, target)
    if target.language == "es":
        yield from _opening_marks(source, target)
    if target.language == "fr":
        yield from _french_blanks(target)
    if target.language in WIDE_MARKS:
        yield from _wide_marks(target)


def _found(pattern: re.Pattern[str], side: Side) -> Iterator[re.Match[str]]:
    """Matches in prose: blanked code and links differ from the text."""
    text, prose = side.view.text, side.prose
    for match in pattern.finditer(text):
        end = match.end()
        if text[match.start()] == prose[match.start()] and text[end - 1 : end] == prose[end - 1 : end]:
            yield match


def _quotes(target: Side) -> Iterator[Slip]:
    own = QUOTES.get(target.language)
    found = [] if own is None else list(_found(PAIRED, target))
    for match in found:
        pair = match.group()[0], match.group()[-1]
        if own is None or pair in own:
            continue
        opening, closing = own[0]
        inner = match.group()[1:-1].strip(f" {NARROW}{WIDE}")
        blank = WIDE if target.language == "fr" and opening == "«" else ""
        yield Slip(
            *match.span(),
            f"{pair[0]}…{pair[1]} are not the quotation marks of the language.",
            f"Write {opening}…{closing}.",
            replacement=f"{opening}{blank}{inner}{blank}{closing}",
            severity="warning",
        )
    straight = next(_found(STRAIGHT_PAIR, target), None)
    if straight is not None and CURLY.search(target.prose):
        message = "Straight and curved quotation marks are mixed in one paragraph."
        yield Slip(*straight.span(), message, "Use one sort of quotation marks.", severity="warning")


def _dashes(source: Side, target: Side) -> Iterator[Slip]:
    """A hyphen between spaces where the source has a dash."""
    sign = DASHES.get(target.language)
    if sign is None or not REAL_DASH.search(source.prose):
        return
    for match in _found(DASH, target):
        yield Slip(
            *match.span(), "There is a hyphen where the source has a dash.", f"Write {sign.strip()!r}.",
            replacement=sign, severity="warning",
        )  # fmt: skip


def _opening_marks(source: Side, target: Side) -> Iterator[Slip]:
    """Spanish questions and exclamations without an opening mark, in the same sentence or an earlier one."""
    opened: set[str] = set()
    for run in _runs(target):
        text = run.group()
        if text[0] in OPENED.values():
            opened.update(text)
            continue
        if _is_quoted_word(target, run):
            continue
        wanted = [OPENED[mark] for mark in dict.fromkeys(text)]
        if opened.isdisjoint(wanted) and not _is_aside(source, target, run):
            suggestion = f"Add {' or '.join(wanted)} where it begins."
            yield Slip(*run.span(), f"{text!r} has no opening mark.", suggestion)
        opened.clear()


def _runs(target: Side) -> Iterator[re.Match[str]]:
    """Opening marks, and closing marks at the end of a word: "?q=" belongs to an address."""
    for match in _found(SPANISH_RUN, target):
        after = target.view.text[match.end() : match.end() + 1]
        if match.group()[0] in "¿¡" or not after.isalnum():
            yield match


def _is_quoted_word(target: Side, run: re.Match[str]) -> bool:
    """ "Go!", (!): one or two words with their own mark, in quotation marks or brackets."""
    text = target.view.text
    around = span_around(target.view, run.start())
    if around is not None and not OPENING_MARK.search(text, *around):
        return len(text[around[0] : around[1]].split()) <= FEW_WORDS
    return SINGLE_QUOTED.search(text[max(0, run.start() - LONGEST_NAME) : run.end() + 1]) is not None


def _is_aside(source: Side, target: Side, run: re.Match[str]) -> bool:
    """Whether the source has the mark after the same word: Yahoo!"""
    word = target.view.text[max(0, run.start() - LONGEST_NAME) : run.start()].split(" ")[-1]
    return bool(word) and f"{word.strip(MARKS_AROUND)}{run.group()}" in source.view.text


def _french_blanks(target: Side) -> Iterator[Slip]:
    text = target.view.text
    for match in _found(FRENCH_MARK, target):
        mark = match.group()
        blank = WIDE if mark == ":" else NARROW
        if mark == ":" and text[match.end() : match.end() + 1] in ")(":
            continue
        yield Slip(
            *match.span(), f"French puts a narrow space before {mark!r}.", "Use a non-breaking space.",
            replacement=blank + mark, severity="warning",
        )  # fmt: skip
    for pattern, mended in ((FRENCH_OPENING, f"«{WIDE}"), (FRENCH_CLOSING, f"{WIDE}»")):
        for match in _found(pattern, target):
            yield Slip(
                *match.span(), "French puts spaces inside its quotation marks.", "Use a non-breaking space.",
                replacement=mended, severity="warning",
            )  # fmt: skip


def _wide_marks(target: Side) -> Iterator[Slip]:
    for match in _found(HAN_BEFORE_ASCII, target):
        wide = WIDE_MARKS[target.language][match.group()]
        yield Slip(
            *match.span(), f"A narrow {match.group()!r} follows a wide character.", f"Write {wide!r}.",
            replacement=wide, severity="warning",
        )  # fmt: skip


@check(
    id="target_typography",
    title="Typography of another language",
    severity="error",
    bad=(
        pair("en>es", "Where are you going? he asked.", "Adónde vas? preguntó."),
        pair("en>de", "“Come in,” she said.", "“Komm herein”, sagte sie."),
        pair("en>ru", "“Come in,” she said.", "“Войдите”, — сказала она."),
        pair("en>fr", "“Who is there?” he asked.", "«Qui est là?» demanda-t-il."),
        pair("en>ru", "He waited — in vain.", "Он ждал - напрасно."),
        pair("fr>en", "«Entrez», dit-elle.", "«Come in», she said."),
        pair("en>zh", "It rained, and he left.", "下雨了,他走了."),
    ),
    good=(
        pair("en>es", "“Where are you going?” he asked. “Now!”", "«¿Adónde vas?», preguntó. “¡Ahora!”"),
        pair("en>de", "“Come in,” she said.", "„Komm herein“, sagte sie. »Und du?«"),
        pair("en>fr", "“Who is there?” he asked.", "«\u00a0Qui est là\u202f?\u00a0» demanda-t-il à 10:30."),
        pair("de>en", '"Come in," she said.', '"Come in," she said. See https://example.org/?a=b!'),
    ),
)
def target_typography(paragraph: Paragraph) -> Iterator[Finding]:
    yield from slip_findings(paragraph, typography(source_of(paragraph), target_of(paragraph)))
