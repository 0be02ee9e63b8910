"""The door to eflomal, with a stand-in behind it that speaks like it; the real one where it is installed."""

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.eval.eflomal import align_by_eflomal, grown

STAND_IN = """
class Aligner:
    def align(self, source, target, links_filename_fwd, links_filename_rev):
        assert all(word.isdecimal() for line in [*source, *target] for word in line.split())
        with open(links_filename_fwd, "w") as ahead, open(links_filename_rev, "w") as back:
            for one, other in zip(source, target):
                places = range(min(len(one.split()), len(other.split())))
                ahead.write(" ".join(f"{place}-{place}" for place in places) + "\\n")
                back.write(" ".join(f"{place}-{place}" for place in places) + "\\n" * LINES)
"""
links_sets = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)))


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path, lines: int) -> None:
    (folder / "eflomal.py").write_text(STAND_IN.replace("LINES", str(lines)), encoding="utf-8")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "eflomal", raising=False)


@pytest.fixture(autouse=True)
def forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test imported is gone after it."""
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def test_it_is_asked_and_its_links_are_put_together(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch, tmp_path, lines=1)
    pairs = [(["a", "--x"], ["б", "в", "г"]), ([], ["a"]), (["c\n"], ["d"])]
    assert align_by_eflomal(pairs) == [((0, 0), (1, 1)), (), ((0, 0),)]
    assert align_by_eflomal([([], [])]) == [()]


def test_an_answer_that_does_not_fit_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch, tmp_path, lines=2)
    with pytest.raises(RuntimeError, match="1 and 2 lines to 1"):
        align_by_eflomal([(["a"], ["b"])])


def test_neighbours_that_one_direction_saw_are_taken_for_words_without_a_link() -> None:
    assert grown([(0, 0), (1, 1)], [(0, 0), (2, 1)]) == ((0, 0), (1, 1), (2, 1))
    assert grown([(0, 0), (5, 5)], [(0, 0)]) == ((0, 0),)
    assert grown([(0, 0), (0, 1), (1, 1)], [(0, 0), (1, 1)]) == ((0, 0), (1, 1))


@given(links_sets, links_sets)
def test_grown_links_lie_between_what_both_and_what_either_say(
    ahead: set[tuple[int, int]], back: set[tuple[int, int]]
) -> None:
    links = set(grown(ahead, back))
    assert ahead & back <= links <= ahead | back
    assert grown(ahead, back) == grown(back, ahead)
