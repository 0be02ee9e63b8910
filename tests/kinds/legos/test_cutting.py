"""The built-in extractor: what it always keeps, and what it makes of small courses."""

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.legos.boundaries import NEVER, STRONG, seams
from burnish.kinds.legos.evidence import PAIRS, CourseEvidence, HabitCounter, learn
from burnish.kinds.legos.iron_rule import IronRule, Variant
from burnish.kinds.legos.model import Lego, Seed, words_of
from burnish.kinds.legos.phrases import AlignedSeed
from burnish.kinds.legos.placement import guarantees
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.rule_review import review

OPENINGS = (
    ("I want to", "quiero"),
    ("I'm going to", "voy a"),
    ("I have to", "tengo que"),
    ("can you", "puedes"),
    ("I'd like to", "me gustaría"),
)
DEEDS = (
    ("speak Spanish", "hablar español"),
    ("drink coffee", "tomar café"),
    ("go to the beach", "ir a la playa"),
    ("read this book", "leer este libro"),
    ("learn something new", "aprender algo nuevo"),
)
TIMES = (("with you", "contigo"), ("tomorrow", "mañana"), ("this evening", "esta tarde"), ("now", "ahora"))
FOURTEEN_BLOCKS = [
    (" ".join(block[0] for block in blocks), " ".join(block[1] for block in blocks))
    for blocks in product(OPENINGS, DEEDS, TIMES)
]


def course(
    pairs: list[tuple[str, str]], code: str = "spa_for_eng", variant: Variant | None = None
) -> tuple[CourseEvidence, list[Seed], Terms]:
    terms = Terms(course_code=code, rule=IronRule.of(variant))
    seeds = [Seed(f"C{place:04}", "", *pair, code) for place, pair in enumerate(pairs)]
    evidence = CourseEvidence(learn(seeds, terms.languages, terms.rule), terms.languages)
    return evidence, [evidence.built_in_cut(seed, terms.rule) for seed in seeds], terms


def halves(seed: Seed) -> list[tuple[str, str]]:
    return [(lego.source, lego.target) for lego in seed.legos]


def test_a_course_of_fourteen_blocks_is_told_with_few_legos() -> None:
    pairs = Random(2).sample(FOURTEEN_BLOCKS, 90)
    evidence, seeds, _ = course(pairs)
    used = Counter(half for seed in seeds for half in halves(seed))
    assert len(used) <= 25
    assert ("I have to", "tengo que") in used and ("this evening", "esta tarde") in used
    uses = evidence.record[PAIRS]["i have to"]["tengo que"]
    assert uses == [sum(source.startswith("I have to") for source, _ in pairs)] * 2


def test_the_order_of_seeds_changes_no_cut() -> None:
    pairs = Random(2).sample(FOURTEEN_BLOCKS, 40)
    one = {seed.source: halves(seed) for seed in course(pairs)[1]}
    assert {seed.source: halves(seed) for seed in course(pairs[::-1])[1]} == one


def test_a_course_of_one_seed_knows_please_from_the_lexicon() -> None:
    _, [seed], _ = course([("Can you help me, please?", "¿Puedes ayudarme, por favor?")])
    assert halves(seed) == [("Can you help me", "Puedes ayudarme"), ("please", "por favor")]


SAID = "I you want to go with the house in a big dog and not me please turn on it"
SAID_THERE = "yo quiero ir con la casa en un perro y no por favor"
WORDS = st.lists(st.sampled_from(SAID.split()), min_size=1, max_size=14)
OTHERS = st.lists(st.sampled_from(SAID_THERE.split()), min_size=1, max_size=14)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(WORDS, OTHERS), min_size=1, max_size=4), st.sampled_from(["strict", "phrase_aware"]))
def test_whatever_the_sentences_the_guarantees_are_kept(
    pairs: list[tuple[list[str], list[str]]], variant: Variant
) -> None:
    evidence, seeds, terms = course([(" ".join(one), " ".join(other)) for one, other in pairs], variant=variant)
    for seed in seeds:
        assert guarantees(seed, terms.profile, terms.rule) == () or not seed.legos
        assert [lego.start for lego in seed.legos] == sorted(lego.start for lego in seed.legos)
        assert all(0 <= known.confidence <= 1 for known in evidence.of(seed))


def test_the_seeds_own_examples_keep_the_strict_rule() -> None:
    _, [seed], terms = course([("I want to speak with you now", "Quiero hablar contigo ahora")], variant="strict")
    assert terms.rule == IronRule("strict", True)
    assert not guarantees(seed, terms.profile, terms.rule)
    assert not any(lego.source.split()[0] in ("with", "to") for lego in seed.legos)


@pytest.mark.parametrize(
    ("sentence", "place"),
    [
        ("I want to go", 2),
        ("I am going to leave", 3),
        ("We have to go", 2),
        ("Have you ever seen it", 2),
        ("Do you want tea", 2),
        ("He doesn't know", 2),
        ("Turn the light on", 3),
        ("Take my old shoes off", 4),
        ("I see the house", 3),
        ("How many wheels does a car have", 6),
        ("I should've checked", 2),
        ("As soon as he comes", 2),
        ("I used to live there", 3),
    ],
)
def test_what_belongs_together_is_not_cut(sentence: str, place: int) -> None:
    terms = Terms(course_code="spa_for_eng")
    aligned = AlignedSeed(sentence, "", {}, terms.languages)
    assert aligned.seams[place] == NEVER


@pytest.mark.parametrize(
    ("sentence", "place"),
    [("Are planets round", 1), ("I asked him to come", 2), ("You can't beat this", 3), ("Let me see", 1)],
)
def test_what_a_verb_needs_stays_with_it(sentence: str, place: int) -> None:
    aligned = AlignedSeed(sentence, "", {}, Terms(course_code="spa_for_eng").languages)
    assert aligned.seams[place] >= STRONG


def test_one_link_is_enough_for_words_that_are_never_parted() -> None:
    """The aligner may tie "crees" to "do" as well as to "think"."""
    links = {(0, 0): 0.9, (3, 2): 1.0, (4, 3): 1.0}
    seed = AlignedSeed(
        "Do you think Tom sleeps", "Crees que Tom duerme", links, Terms(course_code="spa_for_eng").languages
    )
    found = {phrase.key: phrase.cost for phrase in seed.phrases(seed.lawful(IronRule()))}
    assert found["do you think", "crees que"] < STRONG


def test_words_drawn_together_are_aligned_by_their_parts() -> None:
    pairs = [("That's a house", "Тоа е куќа"), ("That's blackmail", "Тоа е уцена"), ("That's ugly", "Тоа е грдо")]
    _, seeds, _ = course(pairs, "mkd_for_eng")
    assert not any(lego.target.startswith("е ") for seed in seeds for lego in seed.legos)


def test_the_word_before_an_infinitive_is_no_lego() -> None:
    lawful = AlignedSeed("I asked Tom to go", "", {}, Terms(course_code="spa_for_eng").languages).lawful(IronRule())
    assert not lawful.allows(3, 4) and lawful.allows(3, 5)


def test_a_last_word_of_grammar_goes_with_what_stands_before_it() -> None:
    links = {(0, 0): 1.0, (1, 1): 1.0, (2, 2): 1.0}
    seed = AlignedSeed(
        "Don't hesitate to jump", "No dudes en levantar la voz", links, Terms(course_code="spa_for_eng").languages
    )
    [last] = [phrase for phrase in seed.phrases(seed.lawful(IronRule())) if (phrase.first, phrase.end) == (2, 4)]
    assert last.high == len(seed.target_words)


def test_a_frame_and_a_clause_may_be_cut() -> None:
    terms = Terms(course_code="spa_for_eng")
    words = words_of("Can you help me when he comes")
    costs = seams(words, [False] * len(words), terms.profile)
    assert costs[2] < STRONG and costs[4] < 0


def test_target_words_of_grammar_stay_with_what_they_belong_to() -> None:
    pairs = [
        ("I don't watch television", "No veo la televisión"),
        ("I watch football", "Veo fútbol"),
        ("The television is old", "La televisión es vieja"),
    ]
    _, seeds, _ = course(pairs)
    assert not any(lego.target.split()[-1] in ("la", "no") for seed in seeds for lego in seed.legos)


def damaged(seed: Seed) -> Seed:
    """The target halves of the first two LEGOs exchanged."""

    def with_target(lego: Lego, other: Lego) -> Lego:
        return replace(lego, target=other.target, target_start=other.target_start, target_end=other.target_end)

    first, second, *rest = seed.legos
    return replace(seed, legos=(with_target(first, second), with_target(second, first), *rest))


def whole(seed: Seed) -> Seed:
    return replace(seed, legos=(Lego(seed.source, seed.target, 0, len(seed.source), 0, len(seed.target)),))


def test_exchanged_halves_and_whole_sentences_score_below_the_cut_they_were_made_from() -> None:
    evidence, seeds, terms = course(Random(3).sample(FOURTEEN_BLOCKS, 90))
    counter = HabitCounter()
    for seed in seeds:
        counter.add(words_of(seed.source), [])
    for seed in (seed for seed in seeds if len(seed.legos) > 1):
        known = (terms.profile, counter.habits(), terms.rule, evidence)
        own, wrong = review(seed, *known), review(damaged(seed), *known)
        assert wrong.overall < own.overall > review(whole(seed), *known).overall
        assert "c_misaligned_halves" in {concern.concern_id for concern in wrong.concerns}
        assert "c_misaligned_halves" not in {concern.concern_id for concern in own.concerns}


def test_a_model_is_shown_what_fits_and_never_only_the_seeds_own() -> None:
    evidence, seeds, _ = course([*FOURTEEN_BLOCKS[:40], ("The moon is bright", "La luna brilla")])
    assert ("i want to", "quiero") in evidence.fitting(seeds[0])
    assert evidence.fitting(seeds[-1]) == []


def test_a_particle_goes_with_the_word_before_it_whatever_the_aligner_says() -> None:
    languages = Terms(course_code="jpn_for_eng").languages
    # The aligner ties the particle of the topic to "will".
    links = {(0, 0): 0.9, (1, 0): 0.9, (2, 1): 0.8, (3, 2): 0.9}
    seed = AlignedSeed("The exam will begin", "試験 は 始まる", links, languages)
    found = {phrase.key for phrase in seed.phrases(seed.lawful(IronRule.of(None)))}
    assert ("the exam", "試験 は") in found
    assert not any(target.startswith("は") for _, target in found)
