"""The built-in extractor: what it always keeps, and what it makes of known sentences."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.legos.cuts import Cut, Linked, cut, first_habits
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.iron_rule import IronRule, unreachable
from burnish.kinds.legos.model import Seed, words_of
from burnish.kinds.legos.multiwords import multi_word_verbs
from burnish.kinds.legos.placement import coverage, guarantees
from burnish.languages.profiles import LanguageProfile, profile_of

STRICT = IronRule()
Links = tuple[tuple[int, int], ...]


def profile(code: str = "en") -> LanguageProfile:
    found = profile_of(code)
    assert found is not None
    return found


def cut_pair(
    source: str, target: str, links: Links, habits: Habits | None = None, rule: IronRule = STRICT, code: str = "en"
) -> Cut:
    return cut(words_of(source), words_of(target), source, target, links, profile(code), habits, rule)


def word_for_word(source: str, target: str, rule: IronRule = STRICT) -> list[tuple[str, str]]:
    """Cut with the words of both sentences in the same order."""
    count = min(len(words_of(source)), len(words_of(target)))
    found = cut_pair(source, target, tuple((place, place) for place in range(count)), rule=rule)
    return [(lego.source, lego.target) for lego in found.legos]


def seed_of(source: str, target: str, found: Cut) -> Seed:
    return Seed("C0001", "0" * 32, source, target, "mkd_for_eng", found.legos, found.uncovered)


def alone(source: str, rule: IronRule = STRICT) -> list[str]:
    """The source cut by itself."""
    found = cut(words_of(source), None, source, "", (), profile(), None, rule)
    return [lego.source for lego in found.legos]


def test_clauses_and_marks_are_where_a_speaker_cuts() -> None:
    assert alone("I went home and she stayed here.") == ["I went home", "and she stayed here"]
    assert alone("When you see him, please tell him the news.") == ["When you see him", "please tell him the news"]


def test_a_short_sentence_is_one_lego_without_its_outer_marks() -> None:
    assert word_for_word("How are you?", "Como estas tu?") == [("How are you", "Como estas tu")]
    assert word_for_word("Wait!", "Espera!") == [("Wait", "Espera")]


def test_target_halves_follow_the_links_when_the_order_differs() -> None:
    source, target = "I saw your brother yesterday in the park here", "Вчера во паркот тука го видов брат ти"
    links = ((0, 5), (1, 5), (2, 7), (3, 6), (4, 0), (5, 1), (6, 2), (7, 2), (8, 3))
    found = cut_pair(source, target, links)
    assert not guarantees(seed_of(source, target, found), profile(), STRICT)
    halves = {lego.source: lego.target for lego in found.legos}
    assert halves["I saw your brother"] in ("видов брат ти", "го видов брат ти")


@pytest.mark.parametrize(
    ("source", "target", "links", "wanted"),
    [
        (
            "Come in, he said to me.",
            "«Pasa», me dijo él.",
            ((0, 0), (1, 2), (2, 3), (5, 1)),
            [("Come in", "Pasa"), ("he said to me", "me dijo él")],
        ),
        (
            "How much does one kilo of rice weigh? What do you think?",
            "¿Cuánto pesa un kilo de arroz? ¿Tú qué crees?",
            ((0, 0), (1, 0), (3, 2), (4, 3), (5, 4), (6, 5), (7, 6), (8, 7), (10, 6), (11, 8)),
            [
                ("How much does one", "Cuánto pesa un"),
                ("kilo of rice weigh", "kilo de arroz"),
                ("What do you think", "Tú qué crees"),
            ],
        ),
        (
            "Can you help me please?",
            "¿Puedes ayudarme, por favor?",
            ((0, 0), (2, 1), (3, 2), (4, 3)),
            [("Can you help", "Puedes ayudarme"), ("me please", "por favor")],
        ),
    ],
)
def test_target_halves_do_not_run_over_marks(
    source: str, target: str, links: tuple[tuple[int, int], ...], wanted: list[tuple[str, str]]
) -> None:
    found = cut_pair(source, target, links)
    assert [(lego.source, lego.target) for lego in found.legos] == wanted


def test_a_sentence_that_the_target_turns_round_is_not_said_twice() -> None:
    links = ((0, 2), (1, 2), (2, 4), (3, 6), (4, 7), (5, 5), (6, 7))
    found = cut_pair("I had some really weird dreams tonight.", "Esta noche he tenido unos sueños muy raros.", links)
    held = [set(range(lego.target_start, lego.target_end)) for lego in found.legos]
    assert not any(one < other or other < one for one, other in pairwise(held))


def test_links_between_clauses_stay_where_there_are_several() -> None:
    found = cut_pair("I go, you stay.", "Du bleibst, ich gehe.", ((0, 2), (1, 3), (2, 0), (3, 1)))
    assert [(lego.source, lego.target) for lego in found.legos] == [("I go", "ich gehe"), ("you stay", "Du bleibst")]


def test_a_word_that_no_lawful_lego_reaches_is_uncovered() -> None:
    found = cut_pair("In winter it snows.", "Во зима врне снег.", ((0, 0), (1, 1), (2, 2), (3, 3)))
    assert found.uncovered == ("In",)
    assert found.legos[0].source.startswith("winter")
    loose = cut_pair(
        "In winter it snows.", "Во зима врне снег.", ((0, 0), (1, 1), (2, 2), (3, 3)), rule=IronRule("phrase_aware")
    )
    assert loose.uncovered == () and loose.legos[0].source.startswith("In winter")


def test_a_preposition_that_dangles_at_the_end_is_uncovered() -> None:
    found = cut_pair("Tom is a man without", "Том е човек без", ((0, 0), (1, 1), (3, 2), (4, 3)))
    assert found.uncovered == ("without",)
    assert [lego.target for lego in found.legos] == ["Том е човек"]


def test_a_word_of_an_uncovered_one_in_the_middle_does_no_harm() -> None:
    """ "In" is said between "winter" and the rest: only if it says nothing can all others be one LEGO or more."""
    found = cut_pair("In winter snow", "зима во снег", ((0, 1), (1, 0), (1, 2), (2, 2)))
    assert (found.uncovered, [lego.target for lego in found.legos]) == (("In",), ["зима во снег"])


def test_what_an_uncovered_word_says_binds_nothing() -> None:
    """One target word says "in winter"; "winter" keeps it although "in" is left out."""
    found = cut_pair("In winter it snows.", "Зиме врне.", ((0, 0), (1, 0), (2, 1), (3, 1)))
    assert found.legos[0].target.startswith("Зиме")


@pytest.mark.parametrize("sentence", ["in", "in at on", ""])
def test_a_sentence_of_prepositions_has_no_lego(sentence: str) -> None:
    found = cut_pair(sentence, "во", ((0, 0),) if sentence else ())
    assert found.legos == () and list(found.uncovered) == sentence.split()


def test_a_pair_without_links_is_one_lego() -> None:
    [lego] = cut_pair("Good grief, what is that thing over there?", "Леле мајко!", ()).legos
    assert (lego.target, lego.confidence) == ("Леле мајко", 0.0)
    assert cut_pair("Good grief!", "!!", ()).legos == ()


def test_the_iron_rule_holds_words_together_and_legos_may_share_some() -> None:
    legos = alone("I found your old slippers under the new bed in our room.")
    assert len(legos) > 1
    for lego in legos:
        assert not {lego.split()[0], lego.split()[-1]} & {"under", "in", "the"}


@pytest.mark.parametrize(
    ("sentence", "whole"),
    [
        ("I was so glad that he finally called me back last night.", "called me back"),
        ("Please turn the small lamp on before you go to bed.", "turn the small lamp on"),
        ("My old friends take very good care of the little dog.", "care of"),
        ("This is the nicest of all the shops that we have been to.", "been to"),
    ],
)
def test_multi_word_verbs_stay_whole(sentence: str, whole: str) -> None:
    assert any(whole in lego for lego in alone(sentence))


def test_infinitives_may_begin_a_lego_where_the_switch_allows_it() -> None:
    free = IronRule("strict", infinitive_to=False)
    assert all(not lego.startswith("to ") for lego in alone("She wants her brother to buy the small red car."))
    found = alone("She wants her brother to buy the small red car.", free)
    assert " ".join(found).count("to buy") >= 1


def test_both_of_two_marks_are_kept() -> None:
    assert word_for_word('I voted "remain".', "Гласав за „останување“.") == [
        ('I voted "remain"', "Гласав за „останување“")
    ]


def test_words_that_cannot_be_parted_make_a_long_lego() -> None:
    """The first word says the first and the last of the target: only the whole pair agrees."""
    count = 20
    source = " ".join(f"word{place}" for place in range(count))
    target = " ".join(f"збор{place}" for place in range(count))
    links = (*((place, place) for place in range(count)), (0, count - 1))
    [lego] = cut_pair(source, target, tuple(sorted(links))).legos
    assert (lego.source, lego.target) == (source, target)


def test_a_source_that_cannot_be_cut_is_one_long_lego() -> None:
    """Eight prepositions on either side: nothing short is lawful where they stand."""
    sentence = "Tom in in in in in in in in in Paris"
    assert alone(sentence) == [sentence]


def test_a_part_that_cannot_be_cut_short_is_cut_where_it_can_be() -> None:
    """Nine words hang together; the four behind them do not."""
    links = (*((place, 8 - place) for place in range(9)), *((place, place) for place in range(9, 13)))
    links = tuple(sorted({*links, (0, 0)}))
    source = " ".join(f"word{place}" for place in range(13))
    found = cut_pair(source, source, links)
    assert found.legos[0].source == " ".join(f"word{place}" for place in range(9))
    assert len(found.legos) > 1


def test_habits_of_the_course_decide_between_cuts() -> None:
    source = "Tom quickly read many long books"
    apart = Habits.from_record({"read many": [0, 90], "tom quickly": [90, 0], "quickly read": [90, 0]})
    together = Habits.from_record({"read many": [90, 0], "quickly read": [0, 90]})
    words = words_of(source)

    def cut_with(habits: Habits) -> list[str]:
        return [lego.source for lego in cut(words, None, source, "", (), profile(), habits, STRICT).legos]

    assert cut_with(apart) == ["Tom quickly read", "many long books"]
    assert cut_with(together) != cut_with(apart)


def test_first_habits_do_not_depend_on_the_order_of_seeds() -> None:
    sentences = ["I want to go home.", "I want to stay here and you know it.", "You know it, I want to see him."]
    pairs = [Linked(words_of(one), None, ()) for one in sentences]
    habits = first_habits(pairs, profile(), STRICT)
    assert habits.as_record() == first_habits(pairs[::-1], profile(), STRICT).as_record()
    assert habits.share_joined("i", "want") == 1.0


@pytest.mark.no_cover  # the same lines over and over
def test_five_hundred_words_are_cut() -> None:
    source = " ".join(["We went to the park and he called me because it was late."] * 40)
    found = cut_pair(source, source, tuple((place, place) for place in range(13 * 40)))
    assert not guarantees(seed_of(source, source, found), profile(), STRICT)
    assert max(len(words_of(lego.source)) for lego in found.legos) <= 8


VOCABULARY = 'I you want to go with the big house in turn on light, and if cafe\u0301 "so" שלום don\'t of up'
SENTENCES = st.lists(st.sampled_from(VOCABULARY.split()), min_size=1, max_size=16).map(" ".join)
TARGET_VOCABULARY = "да не „тоа“ ми كتاب го, сакам."
TARGETS = st.lists(st.sampled_from(TARGET_VOCABULARY.split()), min_size=1, max_size=14).map(" ".join)


@given(SENTENCES, TARGETS, st.data())
@settings(max_examples=100)
def test_whatever_the_links_the_guarantees_hold(source: str, target: str, data: st.DataObject) -> None:
    one, two = len(words_of(source)), len(words_of(target))
    link = st.tuples(st.integers(0, one - 1), st.integers(0, two - 1))
    links = tuple(sorted(data.draw(st.sets(link, max_size=20))))
    rule = IronRule(data.draw(st.sampled_from(["strict", "phrase_aware"])), data.draw(st.booleans()))
    found = cut_pair(source, target, links, rule=rule)
    seed = seed_of(source, target, found)
    if found.legos:
        assert guarantees(seed, profile(), rule) == ()
    words = words_of(source)
    assert found.uncovered == tuple(words[place].text for place in coverage(seed, profile(), rule).lawful)
    assert [lego.start for lego in found.legos] == sorted({lego.start for lego in found.legos})
    assert found == cut_pair(source, target, links, rule=rule)


@given(SENTENCES)
def test_multi_word_verbs_are_whole_where_a_lego_can_hold_them(source: str) -> None:
    words = words_of(source)
    found = cut(words, None, source, "", (), profile(), None, STRICT)
    verbs = multi_word_verbs(words, profile())
    beyond = unreachable(words, profile(), STRICT, verbs)
    for verb in verbs:
        first, last = words[verb.first].start, words[verb.end - 1].end
        assert not beyond.isdisjoint(verb.places) or any(
            lego.start <= first and last <= lego.end for lego in found.legos
        )
