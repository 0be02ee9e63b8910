"""What changed, word by word, in every script."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.web import pieces as diffing
from burnish.web.pieces import diff, diff_fields, joined, letters

WORDS = st.sampled_from(
    [
        "was",
        "not",
        "afraid",
        " ",
        " ",
        "\n",
        ", ",
        "ⵓⵔ",
        "ⴰⵔⴰ",
        "الثلج",
        "我",
        "喜欢",
        "雪",
        "ภาษา",
        "e\u0301",
        "👩‍👩‍👧",
        "3.5",
        "don't",
    ]
)
TEXTS = st.one_of(st.lists(WORDS, max_size=25).map("".join), st.text(max_size=40))


def told(old: str, new: str) -> list[tuple[str, str]]:
    return [(piece.change, piece.text) for piece in diff(old, new)]


@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_the_pieces_are_both_texts(old: str, new: str) -> None:
    pieces = diff(old, new)
    assert (joined(pieces, "ins"), joined(pieces, "del")) == (old, new)
    for piece in pieces:
        text = old if piece.change == "del" else new
        assert piece.text and text[piece.start : piece.start + len(piece.text)] == piece.text
    assert all(one.change != other.change for one, other in pairwise(pieces))


@given(TEXTS)
def test_a_text_is_the_same_as_itself(text: str) -> None:
    assert told(text, text) == ([("same", text)] if text else [])


@pytest.mark.parametrize(
    ("old", "new", "pieces"),
    [
        ("Jida tettaggad adfel", "Jida ur tettaggad ara adfel", "Jida [+ur ]tettaggad [+ara ]adfel"),
        ("d ɛecra n tcekkarin", "d tnac n tcekkarin", "d [-ɛecra][+tnac] n tcekkarin"),
        ("ⵣⵣⵉⵜ ⴷ ⵄⴻⵛⵔⴰ ⵏ", "ⵣⵣⵉⵜ ⴷ ⵜⵏⴰⵛ ⵏ", "ⵣⵣⵉⵜ ⴷ [-ⵄⴻⵛⵔⴰ][+ⵜⵏⴰⵛ] ⵏ"),
        ("我喜欢下雪的冬天", "我不喜欢下雨的冬天", "我[+不]喜欢下[-雪][+雨]的冬天"),
        ("لم تكن جدتي خائفة", "كانت جدتي خائفة", "[-لم تكن][+كانت] جدتي خائفة"),
        ("caf\u00e9 noir", "cafe\u0301 noir", "[-caf\u00e9][+cafe\u0301] noir"),
        ("don't go at 3.5", "do go at 3.75", "[-don't][+do] go at [-3.5][+3.75]"),
        ("one two three", "four five six", "[-one two three][+four five six]"),
        ("first\nsecond", "1st\n2nd", "[-first][+1st]\n[-second][+2nd]"),
        ("", "new", "[+new]"),
        ("old", "", "[-old]"),
        ("🙂 ok", "👩‍👩‍👧 ok", "[-🙂][+👩‍👩‍👧] ok"),
    ],
)
def test_words_are_exchanged_whole(old: str, new: str, pieces: str) -> None:
    signs = {"same": "{}", "ins": "[+{}]", "del": "[-{}]"}
    assert "".join(signs[change].format(text) for change, text in told(old, new)) == pieces


def test_texts_about_different_things_are_not_cut_to_confetti() -> None:
    old, new = "Photosynthesis consists of reactions.", "Respiration consists of oxidations."
    assert told(old, new) == [
        ("del", "Photosynthesis"),
        ("ins", "Respiration"),
        ("same", " consists of "),
        ("del", "reactions"),
        ("ins", "oxidations"),
        ("same", "."),
    ]
    assert len(told("wonderful of colours everywhere", "terrible of noises anywhere")) == 2


def test_long_texts_are_compared_by_lines_and_longer_ones_exchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diffing, "MOST_COMPARED", 4)
    lines = [f"line number {number} of many" for number in range(4)]
    changed = [lines[0], "another line here for you", *lines[2:]]
    by_lines = told("\n".join(lines), "\n".join(["first changed", *changed[1:]]))
    assert ("del", f"{lines[0]}\n{lines[1]}\n") in by_lines
    short, long = [f"a {number}" for number in range(6)], [f"b {number}" for number in range(6)]
    whole = told("\n".join(["same", *short, "end"]), "\n".join(["same", *long, "end"]))
    assert [change for change, _ in whole] == ["same", "del", "ins", "same"]


def test_fields_that_came_and_went() -> None:
    changes = diff_fields({"stem": "a", "rationale": "why"}, {"stem": "a", "vignette": "new"})
    assert [(each.field, each.is_changed) for each in changes] == [
        ("stem", False),
        ("vignette", True),
        ("rationale", True),
    ]


def test_letters_that_only_look_alike_are_named() -> None:
    [letter] = letters(diff("the w\u0430ter, more w\u0430ter", "the water, more water"))
    assert letter.was == "cyrillic small letter a (U+0430)" and letter.came == "latin small letter a (U+0061)"
    assert diff_fields({None: "w\u0430ter"}, {None: "water"})[0].letters == (letter,)
    assert letters(diff("wider", "water")) == () and letters(diff("water", "water\u200b")) == ()
    assert letters(diff("ten", "two")) == (), "words of one script are told apart by reading them"
