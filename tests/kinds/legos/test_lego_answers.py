"""Models' cuts, read with suspicion: verbatim halves in their places, edits that fit or nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import EditRefused
from burnish.core.replies import EditPart, EditReply, LegoPart
from burnish.kinds.legos.model import NOWHERE, Lego, Seed, words_of
from burnish.kinds.legos.placement import MOST_PLACES
from burnish.kinds.legos.replies import LEGO_REFUSALS, MENDING_REFUSALS, MOST_TIMES_HELD, Extracted, located, mended

KNOW = Seed("C0005", "", "I know that I want to speak.", "Знам дека сакам да зборувам.", "mkd_for_eng")


def cut(seed: Seed, *pairs: tuple[str, str], links: list[tuple[int, int]] | None = None) -> Extracted:
    return located(tuple(LegoPart(source=s, target=t) for s, t in pairs), seed, links)


def seed_of(source: str, target: str, *pairs: tuple[str, str]) -> Seed:
    seed = Seed("C0005", "", source, target, "mkd_for_eng")
    return cut(seed, *pairs).seed


def reasons(found: Extracted) -> list[str]:
    return [refused.reason for refused in found.refused]


def places(found: Extracted) -> list[tuple[int, int]]:
    return [(lego.start, lego.target_start) for lego in found.seed.legos]


def test_legos_are_found_in_their_sentences_and_put_in_order() -> None:
    found = cut(KNOW, ("want to speak", "сакам да зборувам"), ("I know that", "Знам дека"))
    assert [lego.source for lego in found.seed.legos] == ["I know that", "want to speak"]
    assert found.seed.legos[1] == Lego("want to speak", "сакам да зборувам", 14, 27, 10, 27)
    assert found.refused == ()


def test_blanks_and_marks_around_a_half_are_forgiven_and_nothing_else() -> None:
    found = cut(KNOW, ("“want to speak!”", " сакам да зборувам… "), ("i know", "Знам"), ("know  that", "дека"))
    assert [(lego.source, lego.target) for lego in found.seed.legos] == [("want to speak", "сакам да зборувам")]
    assert reasons(found) == ["not_in_source", "not_in_source"]


def test_a_half_that_stands_there_with_its_marks_is_left_as_it_is() -> None:
    [lego] = cut(KNOW, ("speak.", "зборувам.")).seed.legos
    assert (lego.source, lego.target) == ("speak.", "зборувам.")


@pytest.mark.parametrize(
    ("pair", "reason"),
    [
        (("speak", "говорам"), "not_in_target"),
        (("talk", "зборувам"), "not_in_source"),
        ((" ", "Знам"), "no_word"),
        (("I", "…"), "no_word"),
    ],
)
def test_what_is_no_part_of_the_seed_is_refused(pair: tuple[str, str], reason: str) -> None:
    found = cut(KNOW, pair)
    assert reasons(found) == [reason] and found.seed.legos == ()
    assert pair[0] in found.refused[0].message and LEGO_REFUSALS[reason] in found.refused[0].message


def test_what_is_quoted_of_a_refused_lego_is_short_and_steers_no_terminal() -> None:
    [refused] = cut(KNOW, ("a\x1b[2J\nb" * 500, "Знам")).refused
    assert "\x1b" not in refused.message and "\n" not in refused.message and len(refused.message) < 300


def test_repeated_words_are_given_places_from_left_to_right() -> None:
    found = cut(KNOW, ("I", "Знам"), ("know that", "дека"), ("I", "сакам"), ("want to speak", "да зборувам"))
    assert places(found) == [(0, 0), (2, 5), (12, 10), (14, 16)]


def test_a_repeated_word_stands_beside_the_legos_that_surround_it() -> None:
    seed = Seed("C0001", "", "that I know that", "тоа знам тоа", "mkd_for_eng")
    assert places(cut(seed, ("I know", "знам"), ("that", "тоа"))) == [(5, 4), (12, 9)]
    assert places(cut(seed, ("that", "тоа"), ("I know", "знам"))) == [(0, 0), (5, 4)]


def test_links_decide_between_places_that_read_the_same() -> None:
    seed = Seed("C0001", "", "now you say no", "не кажуваш не", "mkd_for_eng")
    pairs = (("now you say", "не"),)
    assert places(cut(seed, *pairs)) == [(0, 0)]
    found = cut(seed, *pairs, links=[(0, 2), (1, 1), (2, 2)])
    assert places(found) == [(0, 11)]


def test_the_same_words_in_the_same_place_are_one_lego() -> None:
    found = cut(KNOW, ("I know", "Знам"), ("I know", "Знам"), ("I know", "Знам дека"))
    assert [lego.target for lego in found.seed.legos] == ["Знам"] and reasons(found) == ["repeated", "repeated"]
    assert reasons(cut(KNOW, ("speak", "зборувам"), ("speak.", "зборувам."))) == ["repeated"]


def test_halves_stand_between_whole_words() -> None:
    seed = Seed("C0001", "", "Thank an ant", "Благодари мравка", "mkd_for_eng")
    assert places(cut(seed, ("an", "мравка"))) == [(6, 10)]
    man = Seed("C0001", "", "I know that man.", "Го познавам тој човек.", "mkd_for_eng")
    torn = (("I know th", "Го познавам"), ("at man", "тој човек"), ("man", "ек"), ("know", "а"))
    found = cut(man, *torn, ("that man", "тој човек"))
    assert reasons(found) == ["torn_word"] * 4 and [lego.source for lego in found.seed.legos] == ["that man"]
    assert "inside a word" in found.refused[0].message


@pytest.mark.parametrize("half", ["decír", "selo", "decírs", "lo"])
def test_what_is_written_in_one_word_is_not_torn(half: str) -> None:
    spanish = Seed("C0001", "", "to tell it to him", "decírselo", "spa_for_eng")
    assert reasons(cut(spanish, ("tell it", half))) == ["torn_word"]


@pytest.mark.parametrize("half", ["cafe", "do", "n't", "speak-"])
def test_no_mark_is_torn_from_its_letter_and_no_contraction(half: str) -> None:
    decomposed = Seed("C0001", "", "cafe\u0301 don't speak-easy", "кафе", "mkd_for_eng")
    assert reasons(cut(decomposed, (half, "кафе"))) == ["torn_word"]


def test_scripts_without_blanks_are_cut_between_words() -> None:
    seed = Seed("C0001", "", "We go to Beijing tomorrow", "我们明天去北京。", "zho_for_eng")
    found = cut(seed, ("We", "我们"), ("go to Beijing", "去北京。"), ("tomorrow", "天"))
    assert places(found) == [(0, 0), (3, 4)] and reasons(found) == ["torn_word"]


def test_right_to_left_text_is_found_as_it_is_stored() -> None:
    seed = Seed("C0001", "", "I want to speak Hebrew", "אני רוצה לדבר עברית", "heb_for_eng")
    assert places(cut(seed, ("speak Hebrew", "לדבר עברית"))) == [(10, 9)]


@pytest.mark.no_cover  # the same lines over and over
def test_a_sentence_of_one_word_repeated_is_cut_at_once() -> None:
    seed = Seed("C0001", "", "la " * 20_000, "ла " * 20_000, "mkd_for_eng")
    found = cut(seed, *[("la", "ла")] * 900, links=[(n, n) for n in range(20_000)])
    assert places(found) == [(3 * n, 3 * n) for n in range(MOST_PLACES)]
    assert reasons(found) == ["repeated"] * (900 - MOST_PLACES)


def test_an_answer_that_holds_the_sentence_over_and_over_is_cut_short() -> None:
    seed = Seed("C0001", "", "a " * 100, "b " * 100, "mkd_for_eng")
    nested = [(" ".join("a" * size), " ".join("b" * size)) for size in range(1, 101)]
    found = cut(seed, *nested)
    words = sum(len(words_of(lego.source)) for lego in found.seed.legos)
    assert MOST_TIMES_HELD * 100 - 100 < words <= MOST_TIMES_HELD * 100
    assert set(reasons(found)) == {"too_many"} and len(found.refused) + len(found.seed.legos) == 100
    long = cut(seed, *[("a", nested[-1][1])] * 20)
    assert reasons(long).count("too_many") == 10


def test_every_phrase_of_a_short_sentence_may_be_a_lego() -> None:
    seed = Seed("C0001", "", "We speak with you now.", "Зборуваме со тебе сега.", "mkd_for_eng")
    words = words_of(seed.source)
    phrases = [seed.source[one.start : other.end] for place, one in enumerate(words) for other in words[place:]]
    found = cut(seed, *[(phrase, "сега") for phrase in phrases])
    assert len(found.seed.legos) == len(phrases) == 15


@given(st.text("ab .,é", max_size=30), st.text("аб .-", max_size=30), st.data())
def test_whatever_is_kept_is_verbatim_ordered_and_told_of(source: str, target: str, data: st.DataObject) -> None:
    seed = Seed("C0001", "", source, target, "mkd_for_eng")
    half = st.text("ab .é", min_size=1, max_size=6), st.text("аб .-", min_size=1, max_size=6)
    pairs = data.draw(st.lists(st.tuples(*half), max_size=12))
    found = cut(seed, *pairs)
    assert len(found.seed.legos) + len(found.refused) == len(pairs)
    for lego in found.seed.legos:
        assert (
            source[lego.start : lego.end] == lego.source and target[lego.target_start : lego.target_end] == lego.target
        )
    assert list(found.seed.legos) == sorted(found.seed.legos, key=lambda lego: (lego.start, lego.end))
    assert len({(lego.start, lego.end) for lego in found.seed.legos}) == len(found.seed.legos)


@given(st.lists(st.sampled_from(["go", "we", "home", "now"]), min_size=1, max_size=12), st.data())
def test_a_cut_read_back_in_order_finds_its_own_places(words: list[str], data: st.DataObject) -> None:
    sentence = " ".join(words)
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(words) - 1, 1)))) & set(range(1, len(words))))
    spans = list(zip([0, *cuts], [*cuts, len(words)], strict=True))
    at = words_of(sentence)
    parts = [sentence[at[first].start : at[last - 1].end] for first, last in spans]
    found = cut(Seed("C0001", "", sentence, sentence, "mkd_for_eng"), *[(part, part) for part in parts])
    assert places(found) == [(at[first].start, at[first].start) for first, _ in spans]


CALLED = seed_of("She called me back.", "Ми се јави назад.", ("She called", "Ми се јави"), ("me back", "назад"))


def edits(*changes: tuple[str, str, str], unit: str = "C0005") -> EditReply:
    parts = tuple(EditPart(unit=unit, field=field, find=find, replace=text) for field, find, text in changes)
    return EditReply(reasoning="", edits=parts)


def halves(seed: Seed) -> list[tuple[str, str]]:
    return [(lego.source, lego.target) for lego in seed.legos]


def test_edits_move_boundaries_and_halves_are_found_again() -> None:
    reply = edits(("L1.source", "She called", "She"), ("L2.source", "me", "called me"), ("L1.target", " јави", ""))
    found = mended(reply, CALLED)
    assert halves(found) == [("She", "Ми се"), ("called me back", "назад")]
    assert [(lego.start, lego.end) for lego in found.legos] == [(0, 3), (4, 18)]


def test_a_lego_is_added_by_filling_an_empty_pair_and_dropped_by_emptying_one() -> None:
    reply = edits(
        ("L3.source", "", "called me back"), ("L3.target", "", "јави назад"),
        ("L2.source", "me back", ""), ("L2.target", "назад", ""),
    )  # fmt: skip
    assert halves(mended(reply, CALLED)) == [("She called", "Ми се јави"), ("called me back", "јави назад")]


def test_an_edited_half_stays_near_the_place_it_had() -> None:
    seed = seed_of("I go and I go", "јас одам и јас одам", ("and I go", "и јас одам"))
    [lego] = mended(edits(("L1.source", "and I", "I"), ("L1.target", "и јас", "јас")), seed).legos
    assert (lego.start, lego.target_start) == (9, 11)


def test_a_lego_that_stood_nowhere_is_mended_into_its_sentence() -> None:
    torn = Lego("she called", "Ми се јави", NOWHERE, NOWHERE, 0, 10)
    seed = Seed("C0005", "", CALLED.source, CALLED.target, "mkd_for_eng", (torn,))
    assert mended(edits(("L1.source", "she", "She")), seed).legos[0].start == 0


def test_words_that_other_texts_protect_may_move_into_a_lego() -> None:
    seed = seed_of("My name is {name} now.", "Јас сум {name} сега.", ("My name is", "Јас сум"), ("now", "сега"))
    found = mended(edits(("L1.source", "is", "is {name}"), ("L1.target", "сум", "сум {name}")), seed)
    assert halves(found)[0] == ("My name is {name}", "Јас сум {name}")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (edits(), "no_change"),
        (edits(("L1.source", "She", "He")), "not_in_source"),
        (edits(("L1.target", "Ми", "Му")), "not_in_target"),
        (edits(("L1.source", "She", "he")), "torn_word"),
        (edits(("L1.source", "sh", "Sh")), "not_found"),
        (edits(("L1.source", "l", "ll")), "not_unique"),
        (edits(("L1.source", "", "She")), "fill_not_empty"),
        (edits(("L9.source", "", "She")), "unknown_field"),
        (edits(("L1.source", "She", "She"), unit="C0006"), "other_unit"),
        (edits(("L1.source", "She called", "")), "half_missing"),
        (edits(("L3.source", "", "called")), "half_missing"),
        (edits(("L2.source", "me back", "She called")), "repeated"),
        (edits(("L2.source", "me back", "."), ("L2.target", "назад", "Ми")), "no_word"),
        (
            edits(*[(f"L{n}.{half}", text, "") for n, pair in enumerate(halves(CALLED), 1)
                    for half, text in zip(("source", "target"), pair, strict=True)]),
            "nothing_left",
        ),
    ],
)  # fmt: skip
def test_edits_that_do_not_fit_change_nothing(reply: EditReply, reason: str) -> None:
    with pytest.raises(EditRefused) as refused:
        mended(reply, CALLED)
    assert refused.value.reason == reason and refused.value.message.endswith(".")


def test_edits_that_make_too_much_of_a_sentence_change_nothing() -> None:
    one = Lego("Go", "Оди", 0, 2, 0, 3)
    seed = Seed("C0005", "", "Go", "Оди", "mkd_for_eng", (one,) * (MOST_TIMES_HELD + 1))
    with pytest.raises(EditRefused, match="many times over"):
        mended(edits(("L12.source", "", "Go"), ("L12.target", "", "Оди")), seed)


def test_every_refusal_has_its_words() -> None:
    assert LEGO_REFUSALS.keys() <= MENDING_REFUSALS.keys()
