"""Cuts, drawn: every word once and in order, every bar from its first word to its last, no two on each other."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.legos.model import words_of
from burnish.web.kinds.legos.cuts import MOST_BARS, MOST_WORDS, drawn

SENTENCES = st.text(alphabet="ab' —.,¿?«»我想ⵜ\u0301", max_size=40)
PLACES = st.lists(st.tuples(st.integers(-1, 40), st.integers(-1, 40)), max_size=6)


def test_words_carry_their_marks_and_blanks() -> None:
    cut = drawn("¿Quieres —dijo— venir?  Sí, «ahora».", [], label="Now")
    assert [word.text for word in cut.words] == ["¿Quieres", "—dijo—", "venir?", "Sí,", "«ahora»."]
    assert [word.spaced for word in cut.words] == [True, True, True, True, False]
    assert all(word.is_loose for word in cut.words) and cut.as_text == "no LEGO"


def test_scripts_without_blanks_are_cut_between_words() -> None:
    cut = drawn("我想说", [(0, 2), (1, 3)], label="Now", lang="zh")
    assert [word.text for word in cut.words] == ["我想", "说"]
    assert not any(word.spaced for word in cut.words)
    assert [[lane and lane.name for lane in word.lanes] for word in cut.words] == [
        ["L1", "L2"],
        [None, "L2"],
    ]


def test_bars_that_share_a_word_lie_in_two_rows() -> None:
    cut = drawn("I want to speak with you", [(0, 15), (10, 24)], label="Now", tones={2: "bad"}, marked={4: "critical"})
    assert cut.as_text == "L1: I want to speak; L2: speak with you"
    speak, last = cut.words[3], cut.words[5]
    assert [(lane.name, lane.tone, lane.opens, lane.closes) for lane in speak.lanes if lane] == [
        ("L1", "plain", False, True),
        ("L2", "bad", True, False),
    ]
    assert cut.words[4].severity == "critical" and last.lanes[0] is None


def test_what_stands_nowhere_is_not_drawn() -> None:
    assert drawn("I want", [(-1, -1), (7, 9), (2, 2)], label="Now").bars == ()
    assert drawn("  ", [(0, 1)], label="Now").words == ()


def test_a_page_never_waits_for_a_text() -> None:
    cut = drawn("a " * 100_000, [(0, 200_000)] * 5000, label="Now")
    assert len(cut.words) == MOST_WORDS and cut.left_out == 100_000 - MOST_WORDS
    assert len(cut.bars) == MOST_BARS


@given(SENTENCES, PLACES)
@settings(max_examples=150, deadline=None)
def test_nothing_is_lost_and_nothing_overlaps(sentence: str, places: list[tuple[int, int]]) -> None:
    cut = drawn(sentence, places, label="Now")
    words = words_of(sentence)
    assert len(cut.words) == len(words)
    if words:
        assert "".join("".join(word.text for word in cut.words).split()) == "".join(sentence.split())
    assert all(len(word.lanes) == len(cut.words[0].lanes) for word in cut.words)
    for bar in cut.bars:
        start, end = places[int(bar.name[1:]) - 1]
        held = [at for at, word in enumerate(words) if word.start < end and start < word.end]
        assert list(range(bar.first, bar.end)) == held
        rows = [[row for row, lane in enumerate(cut.words[at].lanes) if lane and lane.name == bar.name] for at in held]
        assert len(rows[0]) == 1 and all(row == rows[0] for row in rows)
