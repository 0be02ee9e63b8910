"""Charts as numbers: everything lies inside its picture."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from burnish.web.charts import (
    CURVE_FOOT,
    HISTOGRAM_HEIGHT,
    Part,
    cropped,
    curve,
    findings_bar,
    histogram,
    interval,
    stack,
)

COUNTS = st.lists(st.integers(0, 100_000), min_size=1, max_size=20)


class TestStack:
    @given(st.lists(st.integers(0, 100_000), max_size=12))
    def test_the_parts_fill_the_bar(self, counts: list[int]) -> None:
        made = stack(Part(count, "x", "ok") for count in counts)
        assert len(made.slices) == sum(count > 0 for count in counts)
        if made.slices:
            last = made.slices[-1]
            assert abs(last.x + last.width - 100) < 0.1
            assert all(a.x <= b.x for a, b in zip(made.slices, made.slices[1:], strict=False))

    def test_what_is_left_out_is_only_in_the_legend(self) -> None:
        made = stack([Part(3, "ready", "ok"), Part(1, "needs a person", "person"), Part(2, "excluded", "none")])
        assert [slice.width for slice in made.slices] == [75.0, 25.0]
        assert [slice.part.fill for slice in made.slices] == ["ok", "person"], (
            "a template hatches what waits for a person"
        )
        assert made.label == "3 ready, 1 needs a person and 2 excluded"
        assert len(made.parts) == 3

    def test_a_whole_that_is_more_than_its_parts(self) -> None:
        assert stack([Part(1, "x", "ok")], whole=4).slices[0].width == 25.0
        assert stack([]).label == "nothing yet"


class TestHistogram:
    @given(COUNTS, st.floats(0, 1))
    def test_every_bar_stands_on_the_ground_inside_the_picture(self, bins: list[int], line: float) -> None:
        made = histogram("x", bins, line=line, below=sum(bins) // 2)
        feet = {bar.x: max(other.y + other.height for other in made.bars if other.x == bar.x) for bar in made.bars}
        assert all(abs(foot - HISTOGRAM_HEIGHT) < 0.2 for foot in feet.values())
        assert all(bar.y >= -4 and bar.x >= 0 and bar.x + bar.width <= 100.1 for bar in made.bars)

    def test_bars_under_the_line_are_told_apart(self) -> None:
        made = histogram("Grammar", [1, 0, 0, 3, 9], line=0.8, below=4)
        assert [bar.below for bar in made.bars] == [True, True, False]
        assert (made.line, made.line_words, made.lowest, made.highest) == (80.0, ".80", "0", "1")
        assert made.label == "Grammar: 13 scores; 4 below the threshold of .80"

    def test_a_line_at_the_top_parts_the_last_bar(self) -> None:
        made = histogram("Rules", [0, 2, 8], line=1.0, below=5)
        assert [bar.below for bar in made.bars] == [True, True, False]
        assert made.bars[1].x == made.bars[2].x and made.bars[1].y > made.bars[2].y

    def test_a_score_without_a_line_only_informs(self) -> None:
        made = histogram("Flow", [1, 2], lowest=0, highest=10, kind="legos")
        assert made.line is None and not any(bar.below for bar in made.bars) and made.highest == "10"

    def test_what_is_empty_on_the_left_is_cut_off(self) -> None:
        bins = [0] * 14 + [1, 0, 2, 3, 5, 9]
        assert cropped(bins, 0.0, 1.0, 0.85) == (0.5, tuple(bins[10:]))
        assert cropped([1] * 20, 0.0, 1.0, None) == (0.0, (1,) * 20)
        assert cropped([0, 0, 1, 9], 0.0, 1.0, 0.2)[0] == 0.0

    @given(st.lists(st.integers(0, 9), min_size=4, max_size=20), st.floats(0, 1))
    def test_nothing_that_counts_is_cut_off(self, bins: list[int], line: float) -> None:
        lowest, kept = cropped(bins, 0.0, 1.0, line)
        assert sum(kept) == sum(bins)
        assert lowest <= line + 1e-9 or not any(bins[: len(bins) - len(kept)])


class TestCurve:
    def test_nothing_is_drawn_of_nothing(self) -> None:
        assert curve([], end_words="", label="") is None
        assert curve([(0, 0)], end_words="", label="") is None

    def test_it_grows_to_its_end(self) -> None:
        made = curve([(0, 0), (9, 100_000), (18, 214_380)], end_words="214,380", label="l", ceiling=300_000)
        assert made is not None and made.ceiling is not None
        assert made.line.startswith(f"0.0,{CURVE_FOOT}")
        assert made.end_y > made.ceiling.y
        assert [line.words.replace("\u00a0", " ") for line in made.grid] == ["100 k", "200 k"]

    def test_a_ceiling_far_away_is_not_drawn(self) -> None:
        made = curve([(0, 0), (1, 10)], end_words="10", label="l", ceiling=1_000)
        assert made is not None and made.ceiling is None

    @given(st.lists(st.integers(0, 10**9), min_size=2, max_size=40), st.none() | st.integers(1, 10**9))
    def test_everything_lies_inside(self, amounts: list[int], ceiling: int | None) -> None:
        points = [(float(at), float(amount)) for at, amount in enumerate(sorted(amounts))]
        made = curve(points, end_words="", label="", ceiling=ceiling)
        assert made is not None
        heights = [float(point.partition(",")[2]) for point in made.line.split()]
        assert all(0 <= height <= CURVE_FOOT for height in heights)
        assert len(made.grid) <= 3 and all(0 <= line.y <= CURVE_FOOT for line in made.grid)


def test_bars_of_rules_and_intervals() -> None:
    bar = findings_bar(1, 2, 1, 4)
    assert (bar.open_width, bar.accepted_x, bar.accepted_width, bar.settled_x) == (25.0, 25.0, 50.0, 75.0)
    assert findings_bar(0, 0, 0, 0).open_width == 0.0
    made = interval(0.96, 0.87, 0.99)
    assert (made.x, made.low, made.width) == (96.0, 87.0, 12.0)


def test_only_words_that_the_curve_runs_through_keep_room() -> None:
    found = curve([(0.0, 0.0), (0.0, 6_200.0), (10.0, 18_500.0)], end_words="", label="")
    assert found is not None and [line.is_crossed for line in found.grid] == [True, False, False]
