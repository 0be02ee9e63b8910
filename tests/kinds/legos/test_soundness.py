"""What speaks against a LEGO: each sign where it holds, and where it does not."""

from dataclasses import replace

import pytest

from burnish.kinds.legos.evidence import CourseEvidence, learn
from burnish.kinds.legos.model import Lego, Seed
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.rule_review import Review, review
from burnish.kinds.legos.soundness import Signs, soundness

Cut = list[tuple[str, str]]


def known(source: str, target: str, cut: Cut, code: str) -> tuple[Seed, CourseEvidence, Terms]:
    """A course of one SEED, cut by hand."""
    terms = Terms(course_code=code)
    bare = Seed("C0001", "", source, target, code)
    legos = []
    for one, other in cut:
        start, low = source.index(one), target.index(other)
        legos.append(Lego(one, other, start, start + len(one), low, low + len(other)))
    seed = Seed("C0001", "", source, target, code, legos=tuple(legos))
    return seed, CourseEvidence(learn([bare], terms.languages, terms.rule), terms.languages), terms


def signs_of(source: str, target: str, cut: Cut, code: str = "spa_for_eng") -> list[Signs]:
    seed, evidence, _ = known(source, target, cut, code)
    return [one.signs for one in evidence.of(seed) if one.signs is not None]


def reviewed(source: str, target: str, cut: Cut, code: str = "spa_for_eng") -> Review:
    seed, evidence, terms = known(source, target, cut, code)
    return review(seed, terms.profile, None, terms.rule, evidence)


def concerns(found: Review) -> set[str]:
    return {concern.concern_id for concern in found.concerns}


def test_a_word_whose_counterpart_is_in_another_half_is_misplaced() -> None:
    pair = "I'm a bit worried now", "Ahora estoy algo preocupado"
    cut = [("I'm a bit", "Ahora estoy algo"), ("worried now", "preocupado")]
    assert [one.misplaced for one in signs_of(*pair, cut)] == [1, 1]
    found = reviewed(*pair, cut)
    assert "c_misaligned_halves" in concerns(found) and found.overall < 8
    whole = [(pair[0], pair[1])]
    assert [one.misplaced for one in signs_of(*pair, whole)] == [0]


def test_a_word_of_the_target_that_no_lego_holds_is_lost() -> None:
    pair = "I'm making a snowman", "Правам снежен човек"
    cut = [("I'm making", "Правам"), ("a snowman", "снежен")]
    assert [one.lost for one in signs_of(*pair, cut, "mkd_for_eng")] == [0, 1]
    assert "c_incomplete_phrase" in concerns(reviewed(*pair, cut, "mkd_for_eng"))
    kept = [("I'm making", "Правам"), ("a snowman", "снежен човек")]
    assert [one.lost for one in signs_of(*pair, kept, "mkd_for_eng")] == [0, 0]


def test_lost_words_before_the_first_lego_count_with_it() -> None:
    cut = [("the house", "la casa")]
    assert signs_of("I see the house", "Hoy veo la casa", cut)[0].lost == 2


def test_a_clitic_stays_with_its_verb() -> None:
    pair = "Please air the room", "Те молам излуфтирај ја собата"
    parted = [("Please", "Те молам"), ("air", "излуфтирај"), ("the room", "ја собата")]
    together = [("Please", "Те молам"), ("air", "излуфтирај ја"), ("the room", "собата")]
    assert [one.clitic for one in signs_of(*pair, parted, "mkd_for_eng")] == [False, False, True]
    assert not any(one.clitic for one in signs_of(*pair, together, "mkd_for_eng"))
    found = reviewed(*pair, parted, "mkd_for_eng")
    assert "c_unnatural_boundary" in concerns(found)
    assert "s_keep_clitics" in {suggestion.suggestion_id for suggestion in found.suggestions}


def test_an_enclitic_opens_no_half() -> None:
    cut = [("Do you have", "Имаш"), ("a stopwatch", "ли штоперица")]
    assert signs_of("Do you have a stopwatch", "Имаш ли штоперица", cut, "mkd_for_eng")[1].clitic


@pytest.mark.parametrize(
    ("cut", "parted"),
    [
        ([("I think I", "Мислам дека"), ("found one", "најдов еден")], True),
        ([("I think", "Мислам дека"), ("I found one", "најдов еден")], False),
    ],
)
def test_a_subject_stays_with_its_verb(cut: Cut, parted: bool) -> None:
    pair = "I think I found one", "Мислам дека најдов еден"
    assert signs_of(*pair, cut, "mkd_for_eng")[0].subject is parted
    assert ("c_incomplete_phrase" in concerns(reviewed(*pair, cut, "mkd_for_eng"))) is parted


@pytest.mark.parametrize(
    ("pair", "cut"),
    [
        (("Can you help me", "Puedes ayudarme"), [("Can you", "Puedes"), ("help me", "ayudarme")]),
        (("With you went my son", "Contigo fue mi hijo"), [("With you", "Contigo"), ("went my son", "fue mi hijo")]),
        (("He came home", "Él volvió a casa"), [("He", "Él"), ("came home", "volvió a casa")]),
    ],
)
def test_frames_and_lone_pronouns_are_no_parted_subjects(pair: tuple[str, str], cut: Cut) -> None:
    assert not signs_of(*pair, cut)[0].subject


def test_a_pronoun_may_be_a_lego_by_itself() -> None:
    cut = [("He", "Él"), ("came home", "volvió a casa")]
    assert not any(one.torn or one.seam for one in signs_of("He came home", "Él volvió a casa", cut))


def test_a_frame_with_an_open_end_tears_nothing() -> None:
    going = [("I'm going to", "Voy a"), ("cook tonight", "cocinar esta noche")]
    assert not any(one.torn for one in signs_of("I'm going to cook tonight", "Voy a cocinar esta noche", going))
    torn = [("We eat in", "Comemos en"), ("the garden", "el jardín")]
    assert all(one.torn for one in signs_of("We eat in the garden", "Comemos en el jardín", torn))


def test_a_helping_verb_in_front_is_a_frame_where_pronouns_are_left_out() -> None:
    cut = [("Can you turn it on", "Puedes encenderla"), ("turn it on now", "encenderla ahora")]
    pair = "Can you turn it on now?", "¿Puedes encenderla ahora?"
    assert not any(one.torn for one in signs_of(*pair, cut))


def test_a_word_of_time_goes_with_no_noun() -> None:
    cut = [("You return the call", "Devuelves la llamada"), ("tomorrow", "mañana")]
    assert not any(one.torn for one in signs_of("You return the call tomorrow", "Devuelves la llamada mañana", cut))


def test_halves_are_both_negated_or_neither() -> None:
    cut = [("He sees", "Он не видит"), ("nothing wrong", "ничего плохого")]
    pair = "He sees nothing wrong", "Он не видит ничего плохого"
    assert [one.negated for one in signs_of(*pair, cut, "rus_for_eng")] == [True, False]


def test_halves_of_unlike_length_are_stretched() -> None:
    near = signs_of("Good morning, my friend", "Buenos días, mi amigo", [("Good morning", "Buenos días")])
    far = signs_of("Good morning, my friend", "Buenos días, mi amigo", [("Good morning, my", "Buenos")])
    assert near[0].stretch < 0.3 < 2 < far[0].stretch


def test_a_cut_is_worth_as_much_as_its_worst_lego() -> None:
    sound = signs_of("Good morning, my friend", "Buenos días, mi amigo", [("Good morning", "Buenos días")])[0]
    bad = replace(sound, misplaced=1, clitic=True, lost=1)
    assert soundness(bad) < 0.05 < 0.8 < soundness(sound)


def test_a_verb_of_the_source_is_said_by_the_target_half() -> None:
    pair = "Do you have a sister", "У вас есть сестра"
    torn = [("Do you", "У вас"), ("have a sister", "есть сестра")]
    whole = [("Do you have", "У вас есть"), ("a sister", "сестра")]
    assert [one.verbless for one in signs_of(*pair, torn, "rus_for_eng")] == [True, False]
    assert not any(one.verbless for one in signs_of(*pair, whole, "rus_for_eng"))


def test_a_pronoun_and_one_more_word_are_no_phrase() -> None:
    pair = "I just want you back", "Само сакам да ми се вратиш"
    cut = [("I just", "Само"), ("want you back", "сакам да ми се вратиш")]
    assert [one.adverb for one in signs_of(*pair, cut, "mkd_for_eng")] == [True, False]


def test_a_noun_behind_a_verb_is_no_subject_of_the_next_lego() -> None:
    pair = "I hope Tom comes here", "Espero que Tom venga aquí"
    parted = [("I hope Tom", "Espero que Tom"), ("comes here", "venga aquí")]
    kept = [("I hope", "Espero"), ("Tom comes here", "que Tom venga aquí")]
    assert [one.noun for one in signs_of(*pair, parted)] == [True, False]
    assert not any(one.noun for one in signs_of(*pair, kept))


@pytest.mark.parametrize(
    ("source", "half", "count"),
    [
        ("I cut the paper in half", "the paper in half", 2),
        ("I bought a bottle of wine", "a bottle of wine", 0),
        ("I became esperantist a few years ago", "esperantist a few years ago", 1),
    ],
)
def test_two_phrases_in_one_half_are_counted(source: str, half: str, count: int) -> None:
    assert signs_of(source, "Uno dos tres", [(half, "dos")])[0].phrases == count


def test_halves_begin_alike_with_a_preposition() -> None:
    pair = "We live in Boston", "Vivimos en Boston"
    assert [one.preposition for one in signs_of(*pair, [("in Boston", "en Boston"), ("in Boston", "Boston")])] == [
        False,
        True,
    ]


def test_a_sentence_that_could_be_cut_is_not_left_whole() -> None:
    cuttable, inverted = (
        signs_of(source, target, [(source, target)], code)[0]
        for source, target, code in (
            ("I looked at the picture", "Vi la imagen", "spa_for_eng"),
            ("Are you free on Tuesdays", "Вы по вторникам свободны", "rus_for_eng"),
        )
    )
    assert cuttable.whole and inverted.whole
    assert cuttable.cuttable > inverted.cuttable
    short = signs_of("I see the house", "Veo la casa", [("I see the house", "Veo la casa")])[0]
    assert not short.whole and short.cuttable == 0


def test_who_looks_at_a_sentence_left_whole_reads_why() -> None:
    source, target = "I looked at the picture", "Vi la imagen"
    assert "c_too_large" in concerns(reviewed(source, target, [(source, target)]))
    assert "c_too_large" not in concerns(
        reviewed(source, target, [("I looked at", "Vi"), ("the picture", "la imagen")])
    )


def test_words_that_the_other_half_does_not_say_explain_nothing() -> None:
    pair = "I see the house", "Veo la casa"
    right = signs_of(*pair, [("the house", "la casa")])[0]
    wrong = signs_of(*pair, [("the house", "Veo")])[0]
    assert right.explained > 2.5 > 0 > wrong.explained


def test_a_word_of_grammar_whose_counterpart_is_elsewhere_strays() -> None:
    pair = "My brother is here with me", "Mi hermano está aquí conmigo"
    cut = [("My brother", "hermano"), ("is here with me", "Mi hermano está aquí conmigo")]
    assert [one.strayed for one in signs_of(*pair, cut)] == [0, 1]


def test_without_a_lexicon_nothing_is_misplaced() -> None:
    cut = [("the house", "i-Iglu"), ("the man", "angut")]
    found = signs_of("the house the man", "i-Iglu angut", cut, "iku_for_eng")
    assert [(one.misplaced, one.strayed, one.verbless, one.preposition) for one in found] == [(0, 0, False, False)] * 2
