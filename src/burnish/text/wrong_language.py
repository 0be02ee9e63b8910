"""Check whether a text is written in its language.

References, quotations and titles keep their own language: text in quotation marks, emphasis or links is left out, and
so are paragraphs that cite. If the language of the text is only a guess, nothing is critical.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from burnish.core.findings import Severity
from burnish.languages.detection import KNOWN, are_kin, other_language, votes
from burnish.languages.scripts import letters_of, scripts_of
from burnish.languages.words import Slip, word_list
from burnish.text.markdown import Markdown, enclosed
from burnish.text.structure import Block

READ = 400
"""Characters of a paragraph that are searched for words."""
READ_OF_ALL = 2000
"""Characters that are read of a whole text with short paragraphs."""
ALONE = 100
"""The fewest characters of a paragraph that is judged alone."""
FEWEST_WORDS = 15
"""Fewer words may be a name, a title or a quotation in any language."""
AHEAD, AHEAD_TIMES = 3.0, 2.5
"""The lead in votes of function words, and the ratio, that another language needs."""
SHARE_OF_WORDS = 0.25
"""The smallest share of function words in an ordinary text."""
FEW_OF_ITS_OWN = 0.06
"""A text with a smaller share of its own function words is checked again."""
MOST_WEIGHED = 6
"""The most paragraphs given to the statistical model, which is slow."""
LATIN_SHARE = 0.85
"""A text with a larger share of Latin letters is not written in another script."""
FEWEST_LETTERS = 60
CITES = re.compile(
    r"\b(?:1[5-9]|20)\d\d[a-z]?\b|\bpp?\. ?\d|\bISBN\b|\bdoi\b|\bvol\. ?\d|\bet al\b|\b[Ee]ds?\.|\bch(?:ap)?\. ?\d",
    re.I,
)
CAPITAL = re.compile(r"(?<![^\W\d_])[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω]")
CAPITALS_OF_A_LIST = 0.3
"""The smallest share of capitalised words in a reference."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """The language that the function words suggest."""

    language: str
    """Empty: none with a list of function words."""
    plain: bool


@dataclass(frozen=True, slots=True)
class Strange:
    """A paragraph in another language."""

    start: int
    end: int
    language: str
    words: int


@dataclass(frozen=True, slots=True)
class _Piece:
    """A paragraph, or several short ones: the place, and the author's own words."""

    start: int
    end: int
    own_text: str


def strange_paragraphs(view: Markdown, language: str) -> tuple[list[Strange], int]:
    """Return the paragraphs that are certainly in another language, and the number of words checked."""
    found: list[Strange] = []
    total = asked = 0
    for piece in _pieces(view):
        words = word_list(piece.own_text[:READ])
        if len(words) < FEWEST_WORDS:
            continue
        weight = max(len(words), len(piece.own_text) // 6)
        total += weight
        suspicion = _suspected(words, language)
        if suspicion is None:
            continue
        asked += 1
        # After a few confirmed paragraphs, clear function words are enough.
        other = suspicion.language if suspicion.plain and found else None
        if asked <= MOST_WEIGHED:
            other = other_language(piece.own_text, language)
        if other is not None:
            found.append(Strange(piece.start, piece.end, other, weight))
    return found, total


def _pieces(view: Markdown) -> Iterator[_Piece]:
    """Yield paragraphs, and short ones joined."""
    short: list[tuple[Block, str]] = []
    for block, own_text in _paragraphs(view):
        if block.end - block.start >= ALONE:
            yield _Piece(block.start, block.end, own_text)
            continue
        short.append((block, own_text))
        if sum(len(part) for _, part in short) >= READ:
            yield _joined(short)
            short = []
    if short:
        yield _joined(short)


def _joined(blocks: list[tuple[Block, str]]) -> _Piece:
    return _Piece(blocks[0][0].start, blocks[-1][0].end, " ".join(own_text for _, own_text in blocks))


def _paragraphs(view: Markdown) -> Iterator[tuple[Block, str]]:
    """Yield the author's sentences: no block quotes, tables, notes, lists, references, titles or quotations."""
    spans = enclosed(view)
    at = 0
    for block in view.blocks:
        if block.kind != "paragraph" or block.quoted:
            continue
        while at < len(spans) and spans[at][1] <= block.start:
            at += 1
        pieces, done = [], block.start
        inside = at
        while inside < len(spans) and spans[inside][0] < block.end:
            pieces.append(view.prose[done : max(done, spans[inside][0])])
            done = max(done, min(spans[inside][1], block.end))
            inside += 1
        own_text = "".join((*pieces, view.prose[done : block.end]))
        if not _cites(view.prose_of(block)):
            yield block, own_text


def _cites(prose: str) -> bool:
    """Return whether this is an entry in a list of references: a year, pages or a chapter, and many capitals."""
    if CITES.search(prose) is None:
        return False
    words = word_list(prose)
    return len(CAPITAL.findall(prose)) >= CAPITALS_OF_A_LIST * max(1, len(words))


def _suspected(words: list[str], language: str) -> Suspicion | None:
    """Return another language that the function words suggest, or an empty one if too few of them are known."""
    ranked = votes(words)
    own = ranked.pop(language, 0.0)
    best = max(ranked, key=lambda name: ranked[name], default="")
    score = ranked.get(best, 0.0)
    if language not in KNOWN:
        # Words of another language prove it only if they are as frequent as in a text of that language.
        is_kin = are_kin(language, best)
        return Suspicion(best, plain=True) if score >= SHARE_OF_WORDS * len(words) and not is_kin else None
    if score - own >= AHEAD and score >= AHEAD_TIMES * own:
        return Suspicion(best, plain=True)
    if score - own >= AHEAD / 2 and score >= own * 1.5:
        return Suspicion(best, plain=False)
    return Suspicion("", plain=False) if own < FEW_OF_ITS_OWN * len(words) else None


def strange_language(view: Markdown, language: str, *, is_guess: bool = False) -> Iterator[Slip]:
    """Yield a slip for another language: one if most of the text is in it, otherwise a warning for each paragraph.

    `is_guess`: the language of the text is a guess, so nothing about it is critical.
    """
    if language in ("", "und"):
        return
    severity: Severity = "error" if is_guess else "critical"
    if is_wrong_script(view, language):
        yield _slip(
            view, f"The text is not in the script of its language ({', '.join(scripts_of(language))}).", severity
        )
        return
    strange, total = strange_paragraphs(view, language)
    mostly = strange[0].language if strange and 2 * sum(part.words for part in strange) >= total else None
    mostly = mostly or (_language_of_all(view, language) if not strange else None)
    if mostly is not None:
        yield _slip(view, f"The text is in another language ({mostly}) than {language}.", severity)
        return
    for part in strange:
        message = f"This paragraph is in another language ({part.language}) than the text ({language})."
        yield Slip(part.start, part.end, message, "Translate it, or mark it as a quotation.", severity="warning")


def is_wrong_script(view: Markdown, language: str) -> bool:
    """Return whether the text lacks the script of its language, such as a Russian lesson in Latin letters."""
    home = scripts_of(language)
    if not home or "Latin" in home:
        return False
    own, latin = letters_of(home, view.prose), letters_of(("Latin",), view.prose)
    return own + latin >= FEWEST_LETTERS and latin >= LATIN_SHARE * (own + latin)


def _language_of_all(view: Markdown, language: str) -> str | None:
    """Return the language of a text with too short paragraphs as a whole, if it is not the given one."""
    pieces, length = [], 0
    for _, own_text in _paragraphs(view):
        pieces.append(own_text)
        length += len(own_text)
        if length > READ_OF_ALL:
            break
    prose = " ".join(pieces)
    words = word_list(prose)
    suspicion = _suspected(words, language) if len(words) >= FEWEST_WORDS else None
    return other_language(prose, language) if suspicion is not None else None


def _slip(view: Markdown, message: str, severity: Severity) -> Slip:
    block: Block = view.prose_blocks[0]
    return Slip(block.start, block.end, message, "Write it again in its own language.", severity=severity)
