"""Edge cases: whether a cut goes through something that should stay whole.

    .30 contractions          10, less 3 for each that is torn: "do" | "n't know"
    .30 punctuation           10, less 2 for each half that begins with a closing mark, ends with a comma or an opening
                              mark, holds one of two brackets or quotes, or reaches into the next sentence
        .20 special characters    10, less 2 for each half with an unreadable character, or separated from an accent
        .20 word boundaries       10, less 2 for each torn word, each half with blanks around it, and each half that is
                                  not part of its sentence

The end mark of a sentence may stay with the LEGO ("How are you?"). A target half may be cut at an apostrophe or a
hyphen: the data about indivisible words are for the source language.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Literal

import regex

from burnish.kinds.legos.model import NOWHERE, Word, words_of
from burnish.kinds.legos.placement import Extraction, Piece
from burnish.languages.words import bare

A_TORN_CONTRACTION, A_FAULT = 3.0, 2.0
Half = Literal["source", "target"]
_APOSTROPHES = "'’ʼ"
_JOINTS = f"{_APOSTROPHES}-‐‑"
"""Where a word of the target sentence may be cut."""
_BAD_START = regex.compile(r"^\s*[,.;:!?…)\]}，。；：！？、）」』》،؛؟।]")
_BAD_END = regex.compile(r"[,;:(\[{¿¡，；：、（「『《،؛–—-]\s*$")
_QUOTES = '"“”„‟«»'
_BRACKETS = ("()", "[]", "{}", "（）", "「」", "『』", "《》")
_NEXT_SENTENCE = regex.compile(
    # Start at a word or at a row of marks and never backtrack: linear, however long these are.
    r"(?:(?<!\p{L})(\p{L}++)|(?<![\p{L}.!?…]))([.!?…]++)[\"”’»)]*+\s++[\"“„«¿¡(]*+\p{Lu}"
)
_ABBREVIATION = regex.compile(r"\p{L}?|mrs?|ms|dr|st|prof|sra?|srta|mme|mlle|frl?|hr|vs|no", regex.IGNORECASE)
_UNREADABLE = regex.compile(r"[\p{Cc}\p{Co}\p{Cs}\uFFFD]|^\p{M}")
_ACCENT = regex.compile(r"\p{M}")


def edge_case_handling(extraction: Extraction, torn_targets: int = 0) -> float:
    """The score of edge cases. `torn_targets`: LEGOs whose target half is parted from a word that belongs to it."""
    contractions = _less(A_TORN_CONTRACTION, len(torn_contractions(extraction)))
    punctuation = _less(A_FAULT, len(punctuation_faults(extraction)))
    special = _less(A_FAULT, len(special_character_faults(extraction)))
    boundaries = (
        len(torn_words(extraction)) + len(blanks_around(extraction)) + len(not_verbatim(extraction)) + torn_targets
    )
    return 0.30 * contractions + 0.30 * punctuation + 0.20 * special + 0.20 * _less(A_FAULT, boundaries)


Fault = tuple[Piece, str]
"""A LEGO, and its faulty half."""
Torn = tuple[tuple[Piece, ...], str]
"""The LEGOs that hold part of a word, and the word."""


def torn_contractions(extraction: Extraction) -> tuple[Torn, ...]:
    """Contractions of which a LEGO holds only one part, each once."""
    torn = [
        (pieces, word.text)
        for word, pieces in _cut_words(extraction.pieces, extraction.words, "source")
        if _is_contraction(word, extraction)
    ]
    cutting = {piece.position for pieces, _ in torn for piece in pieces}
    # If the sentence says "do n't", or the LEGO is not part of it, only the parts show the contraction.
    parts = [
        ((piece,), token)
        for piece in extraction.pieces
        if piece.position not in cutting
        for token in _outer_tokens(piece.lego.source)
        if _shows_a_tear(bare(token), extraction)
    ]
    return (*torn, *parts)


def torn_words(extraction: Extraction) -> tuple[Torn, ...]:
    """Other words of which a LEGO holds only one part, each once, in either sentence."""
    source = [
        (pieces, word.text)
        for word, pieces in _cut_words(extraction.pieces, extraction.words, "source")
        if not _is_contraction(word, extraction)
    ]
    if not _may_cut_target(extraction):
        return tuple(source)
    target_words = words_of(extraction.seed.target)
    target = [(pieces, word.text) for word, pieces in _cut_words(extraction.pieces, target_words, "target")]
    return (*source, *target)


def punctuation_faults(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves with marks that do not belong to them, or without marks that do."""
    return tuple((piece, half) for piece, half in _halves(extraction) if stray_marks(half))


def stray_marks(half: str) -> str | None:
    """The fault in the marks of a half, in words; None if they are complete and belong to it."""
    if _BAD_START.search(half):
        return "begins with a mark that belongs to what stands before it"
    if _BAD_END.search(half):
        return "ends with a mark that belongs to what stands behind it"
    if _is_unbalanced(half):
        return "holds one of two marks that belong together"
    return "runs on into the next sentence" if _runs_on(half) else None


def special_character_faults(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves with unreadable characters, or cut between a letter and its accent."""
    source, target = extraction.seed.source, extraction.seed.target
    halves = [
        half
        for piece in extraction.pieces
        for half in (
            (piece, piece.lego.source, source, piece.lego.end),
            (piece, piece.lego.target, target, piece.lego.target_end),
        )
    ]
    return tuple(
        (piece, text)
        for piece, text, sentence, end in halves
        if _UNREADABLE.search(text) or (end != NOWHERE and _ACCENT.match(sentence, end))
    )


def blanks_around(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves that begin or end with a blank."""
    return tuple((piece, half) for piece, half in _halves(extraction) if half != half.strip())


def not_verbatim(extraction: Extraction) -> tuple[Fault, ...]:
    """Halves that are not part of their sentence."""
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


def _cut_words(pieces: Sequence[Piece], words: Sequence[Word], half: Half) -> Iterator[tuple[Word, tuple[Piece, ...]]]:
    """The words of a sentence that an edge of a LEGO cuts through, with these LEGOs."""
    starts = [word.start for word in words]
    cutting: dict[int, dict[int, Piece]] = {}
    for piece in pieces:
        lego = piece.lego
        edges = (lego.start, lego.end) if half == "source" else (lego.target_start, lego.target_end)
        for edge in edges:
            place = bisect_right(starts, edge) - 1
            if place >= 0 and _is_cut(words[place], edge, half):
                cutting.setdefault(place, {})[piece.position] = piece
    for place in sorted(cutting):
        yield words[place], tuple(cutting[place].values())


def _is_cut(word: Word, edge: int, half: Half) -> bool:
    return word.start < edge < word.end and (half == "source" or not _is_joint(word, edge))


def _is_joint(word: Word, edge: int) -> bool:
    """Whether a word may be cut at this place: l'|eau, vingt|-cinq."""
    inside = edge - word.start
    return any(letter in _JOINTS for letter in word.text[inside - 1 : inside + 1])


def _may_cut_target(extraction: Extraction) -> bool:
    """Whether an edge of a target half is between two characters that are not blanks. This is rare, so most target
    sentences need not be split into words."""
    target = extraction.seed.target
    return any(
        0 < edge < len(target) and target[edge - 1].isalnum() and not target[edge].isspace()
        for piece in extraction.pieces
        for edge in (piece.lego.target_start, piece.lego.target_end)
    )


def _is_contraction(word: Word, extraction: Extraction) -> bool:
    return any(mark in word.text for mark in _APOSTROPHES) or extraction.profile.is_contraction(word.bare)


def _shows_a_tear(token: str, extraction: Extraction) -> bool:
    """Whether a word is part of a contraction. Without its apostrophe it may be another word: Don Quixote."""
    return "'" in token and token in extraction.profile.split_contractions


def _outer_tokens(text: str) -> tuple[str, ...]:
    tokens = text.split()
    return (tokens[0], tokens[-1]) if tokens else ()


def _is_unbalanced(half: str) -> bool:
    if sum(map(half.count, _QUOTES)) % 2:
        return True
    return any(half.count(pair[0]) != half.count(pair[1]) for pair in _BRACKETS)


def _runs_on(half: str) -> bool:
    """Whether a sentence ends inside the half: "know. I". An abbreviation does not end one: "Mr. Smith"."""
    return any(not (end[2] == "." and _ABBREVIATION.fullmatch(end[1] or "")) for end in _NEXT_SENTENCE.finditer(half))
