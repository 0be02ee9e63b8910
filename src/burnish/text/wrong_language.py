"""Whether a text is written in the language it should be.

References to books, quotations and titles keep their own language: what stands in quotation marks, emphasis or links
is left out, and so are paragraphs that cite. Where nobody told the language of the text, nothing is critical.
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
"""Characters of a paragraph that are read for words."""
READ_OF_ALL = 2000
"""Characters of a whole text that are read where its paragraphs are short."""
ALONE = 100
"""A paragraph of so many characters is judged on its own."""
FEWEST_WORDS = 15
"""Fewer words may be a name, a title or a quotation in any language."""
AHEAD, AHEAD_TIMES = 3.0, 2.5
"""Votes of function words by which another language must be ahead, and how many times."""
SHARE_OF_WORDS = 0.25
"""Function words among all words of an ordinary text, at least."""
FEW_OF_ITS_OWN = 0.06
"""A text with fewer function words of its language among its words is looked at once more."""
MOST_WEIGHED = 6
"""Paragraphs of a text that are given to the statistical model, which is slow."""
LATIN_SHARE = 0.85
"""A text in another script with more Latin letters than this is not written in it."""
FEWEST_LETTERS = 60
CITES = re.compile(
    r"\b(?:1[5-9]|20)\d\d[a-z]?\b|\bpp?\. ?\d|\bISBN\b|\bdoi\b|\bvol\. ?\d|\bet al\b|\b[Ee]ds?\.|\bch(?:ap)?\. ?\d",
    re.I,
)
CAPITAL = re.compile(r"(?<![^\W\d_])[A-ZÀ-ÞĀ-ŽА-ЯΑ-Ω]")
CAPITALS_OF_A_LIST = 0.3
"""Words with a capital among those of a reference, at least."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """What the function words say."""

    language: str
    """Empty: none that they know."""
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
    """A paragraph, or short ones together: where, and what its author says himself."""

    start: int
    end: int
    said: str


def strange_paragraphs(view: Markdown, language: str) -> tuple[list[Strange], int]:
    """Paragraphs that are surely in another language, and how many words were looked at in all."""
    found: list[Strange] = []
    total = asked = 0
    for piece in _pieces(view):
        words = word_list(piece.said[:READ])
        if len(words) < FEWEST_WORDS:
            continue
        weight = max(len(words), len(piece.said) // 6)
        total += weight
        suspicion = _suspected(words, language)
        if suspicion is None:
            continue
        asked += 1
        # After a few paragraphs that were confirmed, plain words are believed by themselves.
        other = suspicion.language if suspicion.plain and found else None
        if asked <= MOST_WEIGHED:
            other = other_language(piece.said, language)
        if other is not None:
            found.append(Strange(piece.start, piece.end, other, weight))
    return found, total


def _pieces(view: Markdown) -> Iterator[_Piece]:
    """Paragraphs; and short ones taken together."""
    short: list[tuple[Block, str]] = []
    for block, said in _paragraphs(view):
        if block.end - block.start >= ALONE:
            yield _Piece(block.start, block.end, said)
            continue
        short.append((block, said))
        if sum(len(part) for _, part in short) >= READ:
            yield _joined(short)
            short = []
    if short:
        yield _joined(short)


def _joined(blocks: list[tuple[Block, str]]) -> _Piece:
    return _Piece(blocks[0][0].start, blocks[-1][0].end, " ".join(said for _, said in blocks))


def _paragraphs(view: Markdown) -> Iterator[tuple[Block, str]]:
    """What an author says in sentences: no block quotes, tables, notes and lists, no references, titles, quotations."""
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
        said = "".join((*pieces, view.prose[done : block.end]))
        if not _cites(view.prose_of(block)):
            yield block, said


def _cites(prose: str) -> bool:
    """Whether this is an entry of a list of references: a year, pages or a chapter, and many capitals."""
    if CITES.search(prose) is None:
        return False
    words = word_list(prose)
    return len(CAPITAL.findall(prose)) >= CAPITALS_OF_A_LIST * max(1, len(words))


def _suspected(words: list[str], language: str) -> Suspicion | None:
    """The language that the function words speak for, if it is not this one; or none of those that we have lists of."""
    ranked = votes(words)
    own = ranked.pop(language, 0.0)
    best = max(ranked, key=lambda name: ranked[name], default="")
    score = ranked.get(best, 0.0)
    if language not in KNOWN:
        # Words of another language are proof only where they are as many as in a text of that language.
        is_kin = are_kin(language, best)
        return Suspicion(best, plain=True) if score >= SHARE_OF_WORDS * len(words) and not is_kin else None
    if score - own >= AHEAD and score >= AHEAD_TIMES * own:
        return Suspicion(best, plain=True)
    if score - own >= AHEAD / 2 and score >= own * 1.5:
        return Suspicion(best, plain=False)
    return Suspicion("", plain=False) if own < FEW_OF_ITS_OWN * len(words) else None


def strange_language(view: Markdown, language: str, *, is_guess: bool = False) -> Iterator[Slip]:
    """Another language: critical where most of the text is in it, else a warning for each paragraph.

    `is_guess`: nobody told the language of the text, so that nothing about it is critical.
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
    """Whether the text lacks the script of its language, such as a Russian lesson in Latin letters."""
    home = scripts_of(language)
    if not home or "Latin" in home:
        return False
    own, latin = letters_of(home, view.prose), letters_of(("Latin",), view.prose)
    return own + latin >= FEWEST_LETTERS and latin >= LATIN_SHARE * (own + latin)


def _language_of_all(view: Markdown, language: str) -> str | None:
    """The other language of a text whose paragraphs are too short to be told one by one."""
    pieces, length = [], 0
    for _, said in _paragraphs(view):
        pieces.append(said)
        length += len(said)
        if length > READ_OF_ALL:
            break
    prose = " ".join(pieces)
    words = word_list(prose)
    suspicion = _suspected(words, language) if len(words) >= FEWEST_WORDS else None
    return other_language(prose, language) if suspicion is not None else None


def _slip(view: Markdown, message: str, severity: Severity) -> Slip:
    block: Block = view.prose_blocks[0]
    return Slip(block.start, block.end, message, "Write it again in its own language.", severity=severity)
