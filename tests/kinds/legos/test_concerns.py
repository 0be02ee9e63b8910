"""The catalogue of concerns and suggestions, and what raises them."""

import re

import pytest

from burnish.core.json_bytes import dumps, loads
from burnish.kinds.legos.evidence import Habit, Habits
from burnish.kinds.legos.faults import faults, quoted
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS
from burnish.kinds.legos.policy import (
    CONCERNS,
    PRIORITIES,
    RULES,
    SUGGESTIONS,
    Concern,
    Suggestion,
)
from tests.kinds.legos.seeds_cut_by_hand import extraction

STRICT = IronRule("strict", True)
LONG = "one two three four five six seven eight nine"


@pytest.mark.parametrize(
    ("sentence", "parts", "concern", "legos", "suggestion"),
    [
        ("I go with you", ["I go", "with you"], "c_iron_rule_violation", ["S5L2"], "s_extend_beyond_preposition"),
        ("Look it up now", ["Look it", "up now"], "c_phrasal_verb_split", ["S5L1", "S5L2"], "s_preserve_phrasal_verbs"),
        ("The way back was long", ["The way back", "was long"], "c_unnatural_boundary", ["S5L1"], "s_keep_particles"),
        ("She sings loudly", ["She sing", "s loudly"], "c_unnatural_boundary", ["S5L1", "S5L2"], "s_keep_words_whole"),
        ("I want to go", ["I want", "to go"], "c_incomplete_phrase", ["S5L1"], "s_finish_open_verbs"),
        ("I know you well", ["I know you"], "c_incomplete_phrase", [], "s_cover_every_word"),
        ("I know you", ["I know you", "me"], "c_incomplete_phrase", ["S5L2"], "s_copy_verbatim"),
        ("Open the big door", ["Open the", "big door"], "c_dangling_determiner", ["S5L1"], "s_keep_determiners"),
        ("I know him", ["I", "know him"], "c_too_small", ["S5L1", "S5L2"], "s_target_word_count"),
        (LONG, [LONG], "c_too_large", ["S5L1"], "s_shorten_phrases"),
        ("Spanish and French", ["Spanish", "and French"], "c_low_reusability", ["S5L1", "S5L2"], "s_prefer_frames"),
        (LONG, ["one", LONG[4:]], "c_inconsistent_granularity", ["S5L1", "S5L2"], "s_even_sizes"),
        ("I don't know", ["I do", "n't know"], "c_contraction_error", ["S5L1", "S5L2"], "s_keep_contractions"),
        ("Well, I know", ["Well,", "I know"], "c_punctuation_error", ["S5L1"], "s_leave_marks_out"),
        ("cafe\u0301 now", ["cafe", "\u0301 now"], "c_punctuation_error", ["S5L1"], "s_copy_verbatim"),
        ("I know you", ["I know ", "you"], "c_whitespace_error", ["S5L1"], "s_strip_blanks"),
    ],
)
def test_what_raises_a_concern(
    sentence: str, parts: list[str], concern: str, legos: list[str], suggestion: str
) -> None:
    found = faults(extraction(sentence, *parts), None, STRICT)
    raised = [(fault.concern.concern_id, list(fault.concern.affected_legos), fault.suggestion) for fault in found]
    assert (concern, legos, suggestion) in raised


def test_a_cut_against_the_habits_of_the_course() -> None:
    habits = Habits({("want", "to"): Habit(9, 0), ("i", "want"): Habit(1, 9)})
    (fault,) = [
        fault
        for fault in faults(extraction("I want to go", "I want", "to go"), habits, STRICT)
        if fault.concern.concern_id == "c_pattern_mismatch"
    ]
    assert fault.concern.description == "Most of the course cuts these words otherwise: 'i want', 'want to'."
    assert fault.concern.affected_legos == ("S5L1", "S5L2")


@pytest.mark.parametrize(
    ("habits", "legos"),
    [
        # "want to" is parted between the second and the third LEGO; "to" stands elsewhere, too.
        ({("want", "to"): Habit(9, 0)}, ("S5L2", "S5L3")),
        ({("to", "them"): Habit(0, 9)}, ("S5L4",)),
        ({("to", "go"): Habit(0, 9), ("want", "to"): Habit(9, 0)}, ("S5L2", "S5L3")),
    ],
)
def test_only_legos_at_the_seam_are_cut_against_the_habits(
    habits: dict[tuple[str, str], Habit], legos: tuple[str, ...]
) -> None:
    cuts = extraction("Talk to us, I want to go, to them", "Talk to us", "I want", "to go", "to them")
    [fault] = [f for f in faults(cuts, Habits(habits), STRICT) if f.concern.concern_id == "c_pattern_mismatch"]
    assert fault.concern.affected_legos == legos


@pytest.mark.parametrize(
    ("sentence", "parts", "is_low"),
    [
        ("Big houses cost much money here", ["Big houses", "cost much money here"], True),
        ("Big houses cost much money here", ["Big houses cost much money here"], False),
        ("I know big houses here", ["I know", "big houses here"], False),
        ("I want to see the big houses in old towns", ["I want to see", "the big houses", "in old towns"], True),
    ],
)
def test_reusability_is_low_where_most_legos_have_neither_pronoun_nor_frame(
    sentence: str, parts: list[str], is_low: bool
) -> None:
    ids = [fault.concern.concern_id for fault in faults(extraction(sentence, *parts), None, STRICT)]
    assert ("c_low_reusability" in ids) == is_low


def test_everything_a_finding_can_name_has_its_page() -> None:
    assert {rule.id for rule in RULES} == {*CONCERNS, "c_guarantee_broken", "c_meaning_mismatch"}
    assert all(text for rule in RULES for text in (rule.summary, *rule.sections.values()))


@pytest.mark.parametrize("sentence", ["Hello.", "Thank you.", "Where are you going?"])
def test_a_short_sentence_cut_as_one_is_no_trouble(sentence: str) -> None:
    assert faults(extraction(sentence, sentence.strip(".?")), None, STRICT) == ()


def test_nothing_cut_leaves_every_word_uncovered() -> None:
    (fault,) = faults(extraction("With you I know"), None, STRICT)
    assert fault.concern.description == "No LEGO holds 'you I know'."


def test_a_word_that_no_lawful_lego_reaches_is_not_held_against_the_cut() -> None:
    cuts = extraction("With you I know it", "you I know it")
    assert faults(cuts, None, STRICT) == ()
    assert [fault.suggestion for fault in faults(cuts, None, IronRule("phrase_aware", True))] == ["s_cover_every_word"]


def test_content_is_quoted_harmlessly() -> None:
    assert quoted("a\x1b[31m\n b\u202e") == "'a [31m b'"
    assert len(quoted("word " * 200)) <= 82


def test_the_catalogue_keeps_the_contract() -> None:
    assert {id for id, kind in CONCERNS.items() if kind.auto_fixable} == {"c_whitespace_error"}
    assert CONCERNS["c_iron_rule_violation"].severity == "critical"
    assert CONCERNS["c_contraction_error"].severity == "high"
    assert all(re.fullmatch(r"c_[a-z_]+", id) for id in CONCERNS)
    assert all(re.fullmatch(r"s_[a-z_]+", id) for id in SUGGESTIONS)
    assert {advice.priority for advice in SUGGESTIONS.values()} <= set(PRIORITIES)
    assert all(advice.dimension in DIMENSIONS and len(advice.rule) < 300 for advice in SUGGESTIONS.values())


def test_records_have_the_shape_of_the_wire() -> None:
    concern = Concern.of("c_too_small", "Small.", ("S5L1",), "Join.")
    record = loads(dumps(concern.as_record()))
    assert set(record) == {
        "concern_id",
        "severity",
        "category",
        "description",
        "affected_legos",
        "suggested_fix",
        "auto_fixable",
    }
    assert Concern.from_record({**record, "unknown": 1}) == concern
    suggestion = Suggestion.of("s_even_sizes", "Uneven.", dict.fromkeys(DIMENSIONS, 7.5))
    assert suggestion.expected_improvement == "up to +2.5 points in consistency"
    assert Suggestion.from_record({**suggestion.as_record(), "unknown": 1}) == suggestion


def test_a_concern_of_somebody_else_says_whose_it_is() -> None:
    concern = Concern("c_x", "low", "naturalness", "d", (), "f", source="model:m")
    assert concern.as_record()["source"] == "model:m"
    assert Concern.from_record(concern.as_record()) == concern
