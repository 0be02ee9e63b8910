"""Where a speaker would cut: ties between neighbouring words."""

import pytest

from burnish.kinds.legos.boundaries import CLAUSE, EDGE, LOOSE, PAUSE, Marks, Seam, seams_of
from burnish.kinds.legos.habits import Habits
from burnish.kinds.legos.model import words_of
from burnish.languages.profiles import LanguageProfile, profile_of


def english() -> LanguageProfile:
    profile = profile_of("en")
    assert profile is not None
    return profile


def seam(sentence: str, habits: Habits | None = None) -> Seam:
    """The seam at the bar in a sentence."""
    left, right = (part.strip() for part in sentence.split("|"))
    words = words_of(f"{left} {right}")
    return seams_of(words, Marks(f"{left} {right}", words).pauses, english(), habits)[len(words_of(left))]


def cost(sentence: str) -> float:
    return sum(seam(sentence))


@pytest.mark.parametrize(
    ("tied", "looser"),
    [
        ("I saw the | dog", "I saw | the dog"),
        ("I want | you here", "I think | you are here"),
        ("She can | swim well", "She can swim | well"),
        ("Where | is Tom", "He said | where is Tom"),
        ("He never | sleeps at home", "He never sleeps | because he works"),
        ("We met New | York people", "We met | New York people"),
        ("I called | him yesterday", "I called him | yesterday"),
        ("because | he came", "I left | because he came"),
        ("Thank | you very much", "I thank you | because he came"),
        ("He lives in | front of us", "He lives here | and we stay"),
        ("Show me those | who left", "I left home | when you came"),
        ("a big | house", "The house | is big"),
    ],
)
def test_a_tie_costs_more_than_a_loose_seam(tied: str, looser: str) -> None:
    assert cost(tied) > cost(looser)


def test_clauses_and_pauses_are_good_places() -> None:
    assert seam("I left home | because he came") == CLAUSE
    assert seam("I left home, | he came") == PAUSE
    assert seam("I know | you are right") == LOOSE
    assert sum(CLAUSE) < 0 and sum(PAUSE) < 0


def test_a_quote_is_no_pause_and_without_a_sentence_marks_are_only_seen() -> None:
    words = words_of('I voted "remain", then')
    assert Marks('I voted "remain", then', words).pauses == [False, False, False, True]
    assert Marks("", words).pauses == [False, False, True, True]
    assert Marks("", ()).pauses == [False]


def test_phrases_are_held_together() -> None:
    assert min(seam("He sits in | front of us")) >= 0.4
    assert min(seam("Thank | you very much")) >= 0.4


def test_an_end_of_a_phrase_is_no_good_beginning_of_one() -> None:
    """Behind a preposition nothing ends, but something may begin: "the park" of "to | the park"."""
    behind = seam("We go to | the park")
    assert behind.close > behind.open


def test_habits_make_a_seam_dearer_or_cheaper() -> None:
    plain = seam("Tom read | books here")
    together = seam("Tom read | books here", Habits.from_record({"read books": [9, 0]}))
    apart = seam("Tom read | books here", Habits.from_record({"read books": [0, 9]}))
    assert apart.close < plain.close < together.close and apart.open < plain.open < together.open


def test_edges_cost_nothing() -> None:
    words = words_of("I go")
    seams = seams_of(words, [False, False], english(), None)
    assert (seams[0], seams[-1], len(seams)) == (EDGE, EDGE, 3)
    assert seams_of((), [False], english(), None) == [EDGE]
