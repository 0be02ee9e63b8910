"""What the knife went through."""

import pytest

from burnish.kinds.legos.edge_cases import (
    blanks_around,
    edge_case_handling,
    not_verbatim,
    punctuation_faults,
    special_character_faults,
    stray_marks,
    torn_contractions,
    torn_words,
)
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.placement import Extraction
from tests.kinds.legos.seeds_cut_by_hand import english, extraction, lego_in


def test_a_clean_cut_has_ten() -> None:
    assert edge_case_handling(extraction("I don't know you.", "I don't", "know you.")) == 10


def test_a_torn_contraction_counts_once_and_names_both_sides() -> None:
    source, target = "I don’t know", "Jag vet inte"
    legos = (lego_in(source, target, ("I do", "Jag")), lego_in(source, target, ("n’t know", "vet inte")))
    cuts = Extraction.of(Seed("C0001", "0" * 32, source, target, "swe_for_eng", legos), english())
    ((pieces, word),) = torn_contractions(cuts)
    assert ([piece.position for piece in pieces], word) == ([1, 2], "don’t")
    assert torn_words(cuts) == ()
    assert edge_case_handling(cuts) == pytest.approx(10 - 0.30 * 3)


def test_parts_of_contractions_that_stand_alone() -> None:
    ((pieces, token),) = torn_contractions(extraction("I do n't know", "I do", "n't know"))
    assert ([piece.position for piece in pieces], token) == ([2], "n't")
    assert torn_contractions(extraction("Read Don Quixote", "Read", "Don Quixote")) == ()


def test_other_torn_words() -> None:
    cuts = extraction("She was speaking", "She was speak", "ing")
    # Both sentences are the same, so the word is torn in each.
    assert [word for _, word in torn_words(cuts)] == ["speaking", "speaking"]
    assert edge_case_handling(cuts) == pytest.approx(10 - 0.20 * 4)


def in_french(*halves: tuple[str, str]) -> Extraction:
    source, target = "the water and the boat", "l'eau et le bateau-mouche"
    legos = tuple(lego_in(source, target, pair) for pair in halves)
    return Extraction.of(Seed("C0001", "0" * 32, source, target, "fra_for_eng", legos), english())


def test_a_target_half_may_be_cut_at_a_joint() -> None:
    assert torn_words(in_french(("water", "eau"), ("boat", "bateau"))) == ()
    ((_, word),) = torn_words(in_french(("water", "ea")))
    assert word == "l'eau"


@pytest.mark.parametrize(
    ("half", "trouble"),
    [
        (", and you", "begins"),
        ("」です", "begins"),
        ("you, ", "ends"),
        ("you –", "ends"),
        ("¿", "ends"),
        ("(with you", "holds one of two"),
        ('he said "yes', "holds one of two"),
        ("I know. You know", "runs on"),
        ("Really? Yes", "runs on"),
    ],
)
def test_stray_marks(half: str, trouble: str) -> None:
    assert (stray_marks(half) or "").startswith(trouble)


@pytest.mark.parametrize(
    "half",
    [
        "How are you?",
        "¿Cómo estás?",
        "“yes”, he said",
        "Mr. Smith",
        "at 5 p.m. today",
        "well, you know",
        "(yes)",
        "J. R. Ewing",
    ],
)
def test_marks_that_belong_there(half: str) -> None:
    assert not stray_marks(half)


def test_punctuation_costs() -> None:
    cuts = extraction("Well, I know", "Well,", "I know")
    assert [half for _, half in punctuation_faults(cuts)] == ["Well,", "Well,"]
    assert edge_case_handling(cuts) == pytest.approx(10 - 0.30 * 4)


def test_special_characters() -> None:
    accent = "cafe\u0301 now"
    assert [half for _, half in special_character_faults(extraction(accent, "cafe", "\u0301 now"))] == [
        "cafe",
        "cafe",
        "\u0301 now",
        "\u0301 now",
    ]
    assert special_character_faults(extraction(accent, "cafe\u0301", "now")) == ()
    assert len(special_character_faults(extraction("a \ufffd b", "a \ufffd", "b"))) == 2
    assert special_character_faults(extraction("می\u200cروم خانه", "می\u200cروم", "خانه")) == ()


def test_blanks_and_halves_from_elsewhere() -> None:
    cuts = extraction("I know you", "I know ", "somebody")
    assert [half for _, half in blanks_around(cuts)] == ["I know ", "I know "]
    assert [half for _, half in not_verbatim(cuts)] == ["somebody", "somebody"]
    assert edge_case_handling(cuts) == pytest.approx(10 - 0.20 * 8)


def test_scores_never_fall_below_zero() -> None:
    legos = tuple(Lego(",\ufffd ", ",\ufffd ", -1, -1, -1, -1) for _ in range(9))
    seed = Seed("C0001", "0" * 32, "I know", "I know", "eng_for_eng", legos)
    assert edge_case_handling(Extraction.of(seed, english())) == pytest.approx(0.30 * 10)
