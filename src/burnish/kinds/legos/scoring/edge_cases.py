"""Edge cases: whether the knife went through something that should stay whole.

    .30 contractions          10, less 3 for each that is torn: "do" | "n't know"
    .30 punctuation           10, less 2 for each half that begins with a closing mark, ends with a comma or an opening
                              mark, holds one of two brackets or quotes, or reaches into the next sentence
    .20 special characters    10, less 2 for each half with a character that nobody can read, or torn from an accent
    .20 word boundaries       10, less 2 for each word that is torn, each half with blanks around it, and each half that
                              is no part of its sentence

The end mark of a sentence may stay with the LEGO ("How are you?"). A target half may be cut at an apostrophe or a
hyphen: which words hang together is said about the source language.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

import regex

from burnish.kinds.legos.model import HALVES, NOWHERE
from burnish.kinds.legos.scoring.extraction import Extraction, Piece
from burnish.kinds.legos.words import Word, bare, words_of

A_TORN_CONTRACTION, A_FAULT = 3.0, 2.0
_APOSTROPHES = "'’ʼ"
_JOINTS = f"{_APOSTROPHES}-‐‑"
"""Where a word of the target sentence may be cut."""
_BAD_START = regex.compile(r"^\s*[,.;:!?…)\]}，。；：！？、）」』》،؛؟।]")
_BAD_END = regex.compile(r"[,;:(\[{¿¡，；：、（「『《،؛–—-]\s*$")
_QUOTES = '"“”„‟«»'
_BRACKETS = ("()", "[]", "{}", "（）", "「」", "『』", "《》")
_NEXT_SENTENCE = regex.compile(r"(\p{L}*)([.!?…]+)[\"”’»)]*\s+[\"“„«¿¡(]*\p{Lu}")
_ABBREVIATION = regex.compile(r"\p{L}?|mrs?|ms|dr|st|prof|sra?|srta|mme|mlle|frl?|hr|vs|no", regex.IGNORECASE)
_UNREADABLE = regex.compile(r"[\p{Cc}\p{Co}\p{Cs}\uFFFD]|^\p{M}")
_ACCENT = regex.compile(r"\p{M}")


def edge_case_handling(extraction: Extraction) -> float:
    """The score of edge cases."""
    contractions = _less(A_TORN_CONTRACTION, len(torn_contractions(extraction)))
    punctuation = _less(A_FAULT, len(punctuation_faults(extraction)))
    special = _less(A_FAULT, len(special_character_faults(extraction)))
    boundaries = len(torn_words(extraction)) + len(blanks_around(extraction)) + len(not_verbatim(extraction))
    return 0.30 * contractions + 0.30 * punctuation + 0.20 * special + 0.20 * _less(A_FAULT, boundaries)


Fault = tuple[Piece, str]
"""A LEGO, and the words in which something is wrong."""


def torn_contractions(extraction: Extraction) -> tuple[Fault, ...]:
    """Contractions of which a LEGO holds one part, each once."""
    cut = [
        (piece, word)
        for piece, word in _cut_words(extraction.pieces, extraction.words, "source")
        if _is_contraction(word, extraction)
    ]
    found = {word.start: (piece, word.text) for piece, word in reversed(cut)}
    cutting = {piece.position for piece, _ in cut}
    # Where the sentence itself says "do n't", or the LEGO is no part of it, only the parts tell.
    parts = [
        (piece, token)
        for piece in extraction.pieces
        if piece.position not in cutting
        for token in _outer_tokens(piece.lego.source)
        if bare(token) in extraction.tongue.split_contractions
    ]
    return (*reversed(found.values()), *parts)


def torn_words(extraction: Extraction) -> tuple[Fault, ...]:
    """Other words of which a LEGO holds one part, each once, in either sentence."""
    source = {
        word.start: (piece, word.text)
        for piece, word in _cut_words(extraction.pieces, extraction.words, "source")
        if not _is_contraction(word, extraction)
    }
    target: dict[int, Fault] = {}
    if _may_cut_target(extraction):
        target = {
            word.start: (piece, word.text)
            for piece, word in _cut_words(extraction.pieces, words_of(extraction.seed.target), "target")
        }
    return (*source.values(), *target.values())


def punctuation_faults(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves with marks that do not belong to them, or without those that do."""
    return tuple((piece, half) for piece, half in _halves(extraction) if has_stray_marks(half))


def has_stray_marks(half: str) -> bool:
    """Whether the marks in a half of a LEGO are not its own, or not all there."""
    return bool(_BAD_START.search(half) or _BAD_END.search(half)) or _is_unbalanced(half) or _runs_on(half)


def special_character_faults(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves with characters that nobody can read, or cut between a letter and its accent."""
    found = [(piece, half) for piece, half in _halves(extraction) if _UNREADABLE.search(half)]
    found += [
        (piece, piece.lego.source if half == "source" else piece.lego.target)
        for piece in extraction.pieces
        for half in HALVES
        for sentence, _, end in [_place(extraction, piece, half)]
        if end != NOWHERE and _ACCENT.match(sentence, end)
    ]
    return tuple(found)


def blanks_around(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves that begin or end with a blank."""
    return tuple((piece, half) for piece, half in _halves(extraction) if half != half.strip())


def not_verbatim(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves that are no part of their sentence."""
    return tuple(
        (piece, text)
        for piece in extraction.pieces
        for start, text in ((piece.lego.start, piece.lego.source), (piece.lego.target_start, piece.lego.target))
        if start == NOWHERE
    )


def _less(cost: float, faults: int) -> float:
    return max(0.0, 10 - cost * faults)


def _halves(extraction: Extraction) -> Iterator[Fault]:
    for piece in extraction.pieces:
        yield piece, piece.lego.source
        yield piece, piece.lego.target


def _place(extraction: Extraction, piece: Piece, half: str) -> tuple[str, int, int]:
    """The sentence of a half, and where it stands there."""
    if half == "source":
        return extraction.seed.source, piece.lego.start, piece.lego.end
    return extraction.seed.target, piece.lego.target_start, piece.lego.target_end


def _cut_words(pieces: Sequence[Piece], words: Sequence[Word], half: str) -> Iterator[tuple[Piece, Word]]:
    """The words of a sentence that the edges of LEGOs go through."""
    starts = [word.start for word in words]
    for piece in pieces:
        lego = piece.lego
        edges = (lego.start, lego.end) if half == "source" else (lego.target_start, lego.target_end)
        for edge in edges:
            word = words[bisect_right(starts, edge) - 1] if starts and edge >= starts[0] else None
            if word is None or not word.start < edge < word.end:
                continue
            if half == "source" or not _is_joint(word, edge):
                yield piece, word


def _is_joint(word: Word, edge: int) -> bool:
    """Whether a word hangs together only loosely at this place of its sentence: l'|eau, vingt|-cinq."""
    inside = edge - word.start
    return any(letter in _JOINTS for letter in word.text[inside - 1 : inside + 1])


def _may_cut_target(extraction: Extraction) -> bool:
    """Whether an edge of a target half stands between two characters that are no blanks. Seldom, so that most target
    sentences need not be read."""
    target = extraction.seed.target
    return any(
        0 < edge < len(target) and target[edge - 1].isalnum() and not target[edge].isspace()
        for piece in extraction.pieces
        for edge in (piece.lego.target_start, piece.lego.target_end)
    )


def _is_contraction(word: Word, extraction: Extraction) -> bool:
    return any(mark in word.text for mark in _APOSTROPHES) or extraction.tongue.is_contraction(word.bare)


def _outer_tokens(text: str) -> tuple[str, ...]:
    tokens = text.split()
    return (tokens[0], tokens[-1]) if tokens else ()


def _is_unbalanced(half: str) -> bool:
    if sum(map(half.count, _QUOTES)) % 2:
        return True
    return any(half.count(pair[0]) != half.count(pair[1]) for pair in _BRACKETS)


def _runs_on(half: str) -> bool:
    """Whether a sentence ends in the middle: "know. I". An abbreviation ends none: "Mr. Smith"."""
    return any(not (end[2] == "." and _ABBREVIATION.fullmatch(end[1])) for end in _NEXT_SENTENCE.finditer(half))
