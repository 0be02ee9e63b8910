"""The review of a SEED by rules: the whole of it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.legos.evidence import HabitCounter, Habits
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, NOWHERE, Lego, Seed, words_of
from burnish.kinds.legos.placement import spans_of
from burnish.kinds.legos.policy import PRIORITIES
from burnish.kinds.legos.rule_review import Review, compare, fixed, review
from tests.kinds.legos.seeds_cut_by_hand import cut, english, lego_in

ENGLISH = english()
STRICT = IronRule("strict", True)
RULES = [STRICT, IronRule("phrase_aware", True), IronRule("strict", False)]


def reviewed(sentence: str, *parts: str) -> Review:
    return review(cut(sentence, *parts), ENGLISH, None, STRICT)


def test_a_good_cut() -> None:
    good = reviewed("I want to speak Macedonian with you now.", "I want to speak", "Macedonian with you now")
    assert good.overall >= 9
    assert (good.concerns, good.suggestions, good.uncovered) == ((), (), ())
    assert good.notes.startswith(f"2 LEGOs, {good.overall} of 10") and good.notes.endswith("No concerns.")


def test_a_bad_cut_names_what_is_wrong_and_what_would_help() -> None:
    bad = reviewed("I'm going to practise speaking", "I'm going", "to practise", "speaking")
    assert bad.overall < 8
    assert bad.concerns[0].concern_id == "c_iron_rule_violation"
    assert bad.suggestions[0].suggestion_id == "s_extend_beyond_preposition"
    order = [PRIORITIES.index(suggestion.priority) for suggestion in bad.suggestions]
    assert order == sorted(order)
    assert "'to practise' begins with the preposition 'to'." in bad.notes


def test_a_suggestion_stands_once_however_often_it_is_deserved() -> None:
    bad = reviewed("in it on it at it", "in it", "on it", "at it")
    (suggestion,) = [one for one in bad.suggestions if one.suggestion_id == "s_extend_beyond_preposition"]
    assert suggestion.rationale == "'in it' begins with the preposition 'in'. So it is 3 times."


def test_words_that_cannot_be_covered_are_told_apart() -> None:
    assert reviewed("With you I can do it", "you I can do it").uncovered == ("With",)


def test_nothing_cut() -> None:
    empty = reviewed("I know")
    assert (empty.overall, empty.notes) == (0.0, "Nothing was cut from this SEED.")


def test_a_long_sentence_that_comes_out_badly_gets_advice() -> None:
    long = "to " * 30
    suggested = {one.suggestion_id for one in reviewed(long, "to to", "to to").suggestions}
    assert "s_handle_complex_sentences" in suggested


SENTENCE_WORDS = [
    "I",
    "you",
    "want",
    "to",
    "go",
    "with",
    "don't",
    "turn",
    "on",
    "the",
    "light,",
    "house.",
    "now?",
    "café",
    "שלום",
    "“yes”",
    "к",
]


@st.composite
def seeds(draw: st.DrawFn) -> Seed:
    """Any sentence, cut anywhere, also through words and where nothing is."""
    source = " ".join(draw(st.lists(st.sampled_from(SENTENCE_WORDS), min_size=1, max_size=12)))
    legos = []
    for _ in range(draw(st.integers(0, 5))):
        start = draw(st.integers(0, len(source) - 1))
        end = draw(st.integers(start + 1, len(source)))
        if draw(st.booleans()):
            legos.append(Lego(source[start:end], source[start:end], start, end, start, end))
        else:
            legos.append(Lego("elsewhere ", " elsewhere", NOWHERE, NOWHERE, NOWHERE, NOWHERE))
    return Seed("C0001", "0" * 32, source, source, "eng_for_eng", tuple(legos))


def habits_of(course: list[Seed]) -> Habits:
    counter = HabitCounter()
    for seed in course:
        words = words_of(seed.source)
        counter.add(words, [span for span in spans_of(words, seed.legos) if span[0] < span[1]])
    return counter.habits()


@given(seeds(), st.lists(seeds(), max_size=4), st.sampled_from(RULES))
def test_scores_stay_in_range_and_only_consistency_looks_at_the_course(
    seed: Seed, course: list[Seed], rule: IronRule
) -> None:
    alone = review(seed, ENGLISH, None, rule)
    beside = review(seed, ENGLISH, habits_of([seed, *course]), rule)
    shuffled = review(seed, ENGLISH, habits_of([*reversed(course), seed]), rule)
    assert beside == shuffled
    assert all(0 <= score <= 10 for score in [*beside.scores.values(), beside.overall])
    assert {name for name in DIMENSIONS if alone.scores[name] != beside.scores[name]} <= {"consistency"}
    assert beside.notes.endswith(".")
    assert len(beside.concerns) >= len(beside.suggestions) - 1


@given(seeds())
def test_the_fix_of_blanks_is_idempotent_and_keeps_halves_verbatim(seed: Seed) -> None:
    mended = fixed(seed)
    assert fixed(mended) == mended
    for lego in mended.legos:
        assert lego.source == lego.source.strip() and lego.target == lego.target.strip()
        assert lego.start == NOWHERE or mended.source[lego.start : lego.end] == lego.source
        assert lego.target_start == NOWHERE or mended.target[lego.target_start : lego.target_end] == lego.target
    ids = {concern.concern_id for concern in review(mended, ENGLISH, None, STRICT).concerns}
    assert "c_whitespace_error" not in ids


def test_a_half_that_was_nowhere_for_its_blanks_is_found() -> None:
    source, target = "I know", "Знам"
    seed = Seed("C0001", "0" * 32, source, target, "mkd_for_eng", (lego_in(source, target, ("know ", "\tЗнам")),))
    assert fixed(seed).legos == (Lego("know", "Знам", 2, 6, 0, 4),)


def test_a_half_with_blanks_of_its_sentence_is_moved() -> None:
    assert fixed(cut("I know you", " know ")).legos == (Lego("know", "know", 2, 6, 2, 6),)


def test_a_sound_lego_is_left_alone() -> None:
    seed = cut("I know you", "I know you")
    assert fixed(seed) == seed


def test_compared_with_the_attempt_before() -> None:
    before = reviewed("I'm going to practise speaking", "I'm going", "to practise", "speaking")
    after = reviewed("I'm going to practise speaking", "I'm going to practise", "speaking")
    told = compare(before, after)
    assert told["score_delta"] == f"+{after.overall - before.overall:.1f}"
    assert f"iron_rule_compliance: {before.scores['iron_rule_compliance']} -> 10.0" in told["improvements"]
    assert "c_iron_rule_violation: 1 -> 0" in told["improvements"]
    back = compare(after, before)
    assert back["score_delta"] == f"-{after.overall - before.overall:.1f}"
    assert (sorted(back["regressions"]), sorted(back["improvements"])) == (
        sorted(_turned(line) for line in told["improvements"]),
        sorted(_turned(line) for line in told["regressions"]),
    )


def _turned(line: str) -> str:
    name, _, change = line.partition(": ")
    was, _, now = change.partition(" -> ")
    return f"{name}: {now} -> {was}"


@pytest.mark.parametrize(("was", "now", "delta"), [(6.2, 8.6, "+2.4"), (8.0, 8.0, "+0.0"), (8.1, 8.0, "-0.1")])
def test_attempts_are_compared_by_their_records(was: float, now: float, delta: str) -> None:
    def attempt(score: float) -> dict[str, object]:
        return {
            "quality_score": {"overall_score": score, "dimension_scores": dict.fromkeys(DIMENSIONS, 8)},
            "concerns": [],
        }

    assert compare(attempt(was), attempt(now)) == {"score_delta": delta, "improvements": [], "regressions": []}


def test_the_same_seed_is_reviewed_the_same_under_another_number() -> None:
    seed = cut("I want to go home", "I want", "to go home")
    one, other = (review(replace(seed, id=id), ENGLISH, None, STRICT) for id in ("C0001", "C0002"))
    assert (one.scores, one.overall) == (other.scores, other.overall)
    assert {name for concern in other.concerns for name in concern.affected_legos} == {"S2L1", "S2L2"}
