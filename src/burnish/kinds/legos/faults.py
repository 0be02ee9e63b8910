"""Turns the faults of an extraction into concerns: each fault that lowers a score, with the LEGOs concerned."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from burnish.kinds.legos.edge_cases import (
    blanks_around,
    not_verbatim,
    punctuation_faults,
    special_character_faults,
    stray_marks,
    torn_contractions,
    torn_words,
)
from burnish.kinds.legos.evidence import MISALIGNED, MISPLACED, Against, Habits, LegoEvidence
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import NOWHERE
from burnish.kinds.legos.placement import Extraction, Piece, coverage_of
from burnish.kinds.legos.policy import (
    LARGEST_MEAN,
    LARGEST_SPREAD,
    LOW_AGREEMENT,
    REUSABLE_FROM,
    SMALLEST_MEAN,
    Concern,
)
from burnish.kinds.legos.scoring import BoundaryFault, boundary_faults, mean, reusability, split_verbs, spread

_LONGEST_QUOTE = 80
_MOST_PAIRS, _MOST_SIZES = 3, 20
"""The most pairs, or sizes, named in one concern."""
_UNPRINTABLE = regex.compile(r"[\p{C}\s]+")


class Fault(NamedTuple):
    """A concern, and the suggestion that goes with it."""

    concern: Concern
    suggestion: str


@dataclass(frozen=True)
class Matter:
    """An extraction and the facts that it is checked against."""

    extraction: Extraction
    habits: Habits | None
    rule: IronRule
    evidence: Sequence[LegoEvidence] | None = None
    """The facts about every LEGO; None if there are none."""

    def known(self) -> Iterator[tuple[Piece, LegoEvidence]]:
        """The LEGOs with the facts about each; empty if there are none."""
        if self.evidence is not None:
            yield from zip(self.extraction.pieces, self.evidence, strict=True)

    def is_shared(self, piece: Piece) -> bool:
        """Whether two SEEDs can use it: then its size is never wrong."""
        return self.evidence is not None and self.evidence[piece.position - 1].seeds > 1

    def fault(self, id: str, suggestion: str, pieces: Sequence[Piece], description: str, fix: str) -> Fault:
        return Fault(Concern.of(id, description, self.extraction.names(pieces), fix), suggestion)

    def quote(self, piece: Piece) -> str:
        """The source half of a LEGO, for display."""
        return quoted(piece.lego.source)


def quoted(text: str) -> str:
    """Quoted words of a course: on one line, without control characters for a terminal, and cut to a length."""
    line = _UNPRINTABLE.sub(" ", text).strip()
    return f"'{line[: _LONGEST_QUOTE - 1]}…'" if len(line) > _LONGEST_QUOTE else f"'{line}'"


def faults(
    extraction: Extraction, habits: Habits | None, rule: IronRule, evidence: Sequence[LegoEvidence] | None = None
) -> tuple[Fault, ...]:
    """All faults of an extraction, in the order of the catalogue."""
    matter = Matter(extraction, habits, rule, evidence)
    return tuple(fault for look in _LOOKS for fault in look(matter))


def _iron_rule(matter: Matter) -> Iterator[Fault]:
    for piece in matter.extraction.pieces:
        violation = piece.violation(matter.extraction.profile, matter.rule)
        if violation is None:
            continue
        verb, side = ("begins", "before") if violation.edge == "start" else ("ends", "behind")
        yield matter.fault(
            "c_iron_rule_violation",
            "s_extend_beyond_preposition",
            [piece],
            f"{matter.quote(piece)} {verb} with the preposition {quoted(violation.word)}.",
            f"Take in the word {side} {quoted(violation.word)}, or leave that word out.",
        )


def _misaligned(matter: Matter) -> Iterator[Fault]:
    for piece, known in matter.known():
        misplaced = known.signs is not None and known.signs.misplaced and known.confidence < MISPLACED
        if (known.confidence < MISALIGNED or misplaced) and piece.lego.is_verbatim:
            yield matter.fault(
                "c_misaligned_halves",
                "s_match_the_halves",
                [piece],
                f"{matter.quote(piece)} and {quoted(piece.lego.target)} do not say the same, as far as the words of "
                "the course tell.",
                "Take into each half what says the other, or join the LEGO with its neighbour.",
            )


def _split_verbs(matter: Matter) -> Iterator[Fault]:
    extraction = matter.extraction
    verbs = split_verbs(extraction)
    holders = _holders(extraction, {place for verb in verbs for place in verb.places})
    for verb in verbs:
        words = " ".join(extraction.words[place].text for place in verb.places)
        holding = {piece.position: piece for place in verb.places for piece in holders[place]}
        yield matter.fault(
            "c_phrasal_verb_split",
            "s_preserve_phrasal_verbs",
            [holding[position] for position in sorted(holding)],
            f"No LEGO holds all words of {quoted(words)}.",
            f"Keep {quoted(words)} in one LEGO, with what stands in between.",
        )


def _holders(extraction: Extraction, places: set[int]) -> dict[int, list[Piece]]:
    """The LEGOs that hold the word at each of these places."""
    found: dict[int, list[Piece]] = {place: [] for place in places}
    for piece in extraction.pieces:
        for place in range(*piece.span):
            if place in found:
                found[place].append(piece)
    return found


def _unnatural(matter: Matter) -> Iterator[Fault]:
    for piece in _ending_on(matter, "particle"):
        yield matter.fault(
            "c_unnatural_boundary",
            "s_keep_particles",
            [piece],
            f"{matter.quote(piece)} ends on a particle without its verb.",
            f"Move the edge of {matter.quote(piece)} to where a speaker would pause.",
        )
    for piece, known in matter.known():
        if known.signs is not None and (known.signs.torn or known.signs.clitic):
            yield matter.fault(
                "c_unnatural_boundary",
                "s_keep_clitics",
                [piece],
                f"An edge of {quoted(piece.lego.target)} parts words that belong together.",
                "Move the edge so that clitics, particles and helping verbs are with their verb.",
            )
    for pieces, word in torn_words(matter.extraction):
        yield matter.fault(
            "c_unnatural_boundary",
            "s_keep_words_whole",
            pieces,
            f"{matter.quote(pieces[0])} holds a part of the word {quoted(word)} only.",
            f"Take in all of {quoted(word)}, or nothing of it.",
        )


def _incomplete(matter: Matter) -> Iterator[Fault]:
    for piece in _ending_on(matter, "incomplete_verb"):
        yield matter.fault(
            "c_incomplete_phrase",
            "s_finish_open_verbs",
            [piece],
            f"{matter.quote(piece)} ends on a verb that waits for something.",
            f"Extend {matter.quote(piece)} by what completes the verb.",
        )
    for piece, known in matter.known():
        if known.signs is not None and known.signs.subject:
            yield matter.fault(
                "c_incomplete_phrase",
                "s_keep_subjects",
                [piece],
                f"{matter.quote(piece)} holds a subject without its verb.",
                f"Extend {matter.quote(piece)} by the verb, or leave the subject to the next LEGO.",
            )
    for piece, half in not_verbatim(matter.extraction):
        yield matter.fault(
            "c_incomplete_phrase",
            "s_copy_verbatim",
            [piece],
            f"{quoted(half)} is no part of its sentence, letter for letter.",
            "Copy the half from its sentence.",
        )


def _uncovered(matter: Matter) -> Iterator[Fault]:
    forgotten = coverage_of(matter.extraction, matter.rule).missing
    if forgotten:
        words = quoted(" ".join(matter.extraction.words[place].text for place in forgotten))
        yield matter.fault(
            "c_incomplete_phrase",
            "s_cover_every_word",
            [],
            f"No LEGO holds {words}.",
            f"Extend a neighbouring LEGO by {words}, or add one.",
        )
    for piece, known in matter.known():
        if known.signs is not None and known.signs.lost:
            yield matter.fault(
                "c_incomplete_phrase",
                "s_cover_every_word",
                [piece],
                f"A word of the target beside {quoted(piece.lego.target)} is in no LEGO.",
                "Extend the half by that word, or add a LEGO.",
            )


def _determiners(matter: Matter) -> Iterator[Fault]:
    for piece in _ending_on(matter, "determiner"):
        yield matter.fault(
            "c_dangling_determiner",
            "s_keep_determiners",
            [piece],
            f"{matter.quote(piece)} ends on a determiner without its noun.",
            f"Extend {matter.quote(piece)} by the noun, or leave the determiner to the next LEGO.",
        )


def _sizes(matter: Matter) -> Iterator[Fault]:
    pieces = matter.extraction.pieces
    if not pieces:
        return
    average = mean([float(piece.size) for piece in pieces])
    small = [piece for piece in pieces if piece.size < SMALLEST_MEAN and not matter.is_shared(piece)]
    if average < SMALLEST_MEAN and small and not _is_whole_sentence(matter.extraction):
        said = f"The LEGOs have {average:.1f} words on average."
        yield matter.fault("c_too_small", "s_target_word_count", small, said, "Join short neighbours.")
    if average > LARGEST_MEAN:
        large = [piece for piece in pieces if piece.size > LARGEST_MEAN]
        said = f"The LEGOs have {average:.1f} words on average."
        yield matter.fault("c_too_large", "s_shorten_phrases", large, said, "Cut long LEGOs where a speaker pauses.")
        return
    for piece, known in matter.known():
        if known.signs is not None and known.signs.whole:
            said = "The whole sentence is one LEGO, which no other sentence can use."
            fix = "Cut it between two phrases that say the same on both sides."
            yield matter.fault("c_too_large", "s_shorten_phrases", [piece], said, fix)


def _reusability(matter: Matter) -> Iterator[Fault]:
    pieces = matter.extraction.pieces
    low = [
        piece
        for piece in pieces
        if reusability(piece.bares, matter.extraction.profile) < REUSABLE_FROM and not matter.is_shared(piece)
    ]
    if len(low) > len(pieces) / 2 and not _is_whole_sentence(matter.extraction):
        said = "Most LEGOs fit this sentence only."
        fix = "Cut so that a LEGO holds what other sentences need, too."
        yield matter.fault("c_low_reusability", "s_prefer_frames", low, said, fix)


def _granularity(matter: Matter) -> Iterator[Fault]:
    sizes = [piece.size for piece in matter.extraction.pieces]
    if sizes and spread(sizes) > LARGEST_SPREAD:
        listed = ", ".join(map(str, sizes[:_MOST_SIZES])) + (", ..." if len(sizes) > _MOST_SIZES else "")
        said = f"The sizes of the LEGOs are uneven: {listed} words."
        fix = "Cut the longest, or join the shortest with a neighbour."
        yield matter.fault("c_inconsistent_granularity", "s_even_sizes", matter.extraction.pieces, said, fix)


def _patterns(matter: Matter) -> Iterator[Fault]:
    extraction = matter.extraction
    if matter.habits is None or matter.habits.agreement(extraction.words, extraction.spans) >= LOW_AGREEMENT:
        return
    against = matter.habits.against(extraction.words, extraction.spans)
    pairs = list(dict.fromkeys(one.pair for one in against))
    named = ", ".join(quoted(" ".join(pair)) for pair in pairs[:_MOST_PAIRS])
    yield matter.fault(
        "c_pattern_mismatch",
        "s_cut_patterns_alike",
        _at_seams(extraction, against),
        f"Most of the course cuts these words otherwise: {named}.",
        "Cut them like the rest of the course.",
    )


def _at_seams(extraction: Extraction, against: Sequence[Against]) -> list[Piece]:
    """The LEGOs that hold both words of a pair that should be separated, and those that meet between two words that
    should be together."""
    parted = {one.place + 1 for one in against if not one.joined}
    joined = [one.place for one in against if one.joined]
    return [
        piece
        for piece in extraction.pieces
        if piece.lego.start != NOWHERE
        and (
            not parted.isdisjoint(piece.span)
            or bisect_left(joined, piece.span[0]) < bisect_left(joined, piece.span[1] - 1)
        )
    ]


def _contractions(matter: Matter) -> Iterator[Fault]:
    for pieces, word in torn_contractions(matter.extraction):
        yield matter.fault(
            "c_contraction_error",
            "s_keep_contractions",
            pieces,
            f"{matter.quote(pieces[0])} tears the contraction {quoted(word)}.",
            f"Keep {quoted(word)} whole.",
        )


def _punctuation(matter: Matter) -> Iterator[Fault]:
    for piece, half in punctuation_faults(matter.extraction):
        yield matter.fault(
            "c_punctuation_error",
            "s_leave_marks_out",
            [piece],
            f"{quoted(half)} {stray_marks(half)}.",
            "Move the edge so that the marks are outside, or all inside.",
        )
    for piece, half in special_character_faults(matter.extraction):
        yield matter.fault(
            "c_punctuation_error",
            "s_copy_verbatim",
            [piece],
            f"{quoted(half)} holds a character that cannot be read, or is torn from an accent.",
            "Mend the sentence, or move the edge.",
        )


def _blanks(matter: Matter) -> Iterator[Fault]:
    for piece, half in blanks_around(matter.extraction):
        said = f"{quoted(half)} has blanks around it."
        yield matter.fault("c_whitespace_error", "s_strip_blanks", [piece], said, "Remove the blanks.")


def _ending_on(matter: Matter, fault: BoundaryFault) -> Iterator[Piece]:
    return (piece for piece in matter.extraction.pieces if fault in boundary_faults(piece, matter.extraction))


def _is_whole_sentence(extraction: Extraction) -> bool:
    """Whether one LEGO is the whole sentence: a sentence of two words has no larger ones."""
    return len(extraction.pieces) == 1 and extraction.pieces[0].size == len(extraction.words)


_LOOKS: tuple[Callable[[Matter], Iterator[Fault]], ...] = (
    _iron_rule,
    _misaligned,
    _split_verbs,
    _unnatural,
    _incomplete,
    _uncovered,
    _determiners,
    _sizes,
    _reusability,
    _granularity,
    _patterns,
    _contractions,
    _punctuation,
    _blanks,
)
