"""Anchors lead to paragraphs in the contract's order, and a wrong one leads nowhere."""

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.manuscripts.review_rows import LineMap, Placement
from burnish.kinds.manuscripts.reviews import ForeignIssue

# 1 2 | 4 | 6 7 8, as in a candidate with one blank line between blocks.
LINES = LineMap(
    [
        Placement("p_0003", 3, 6, 8, "El banquero\ndurmió. Y el abogado\nno."),
        Placement("p_0001", 1, 1, 2, "Era de noche.\nEl banquero caminaba."),
        Placement("p_0002", 2, 4, 4, "# El banquero"),
    ]
)


@dataclass(frozen=True)
class Anchor:
    line: int | None = None
    start_line: int | None = None
    end_line: int | None = None
    quote: str | None = None


@pytest.mark.parametrize(
    ("anchor", "ids"),
    [
        (Anchor(line=1), ["p_0001"]),
        (Anchor(line=2), ["p_0001"]),
        (Anchor(line=8), ["p_0003"]),
        (Anchor(start_line=1, end_line=1), ["p_0001"]),
        (Anchor(start_line=2, end_line=4), ["p_0001", "p_0002"]),
        (Anchor(start_line=3, end_line=5), ["p_0002"]),
        (Anchor(start_line=1, end_line=900), ["p_0001", "p_0002", "p_0003"]),
        (Anchor(start_line=4), ["p_0002"]),
        (Anchor(end_line=7), ["p_0003"]),
        (Anchor(quote="El banquero"), ["p_0001"]),
        (Anchor(quote="# El banquero"), ["p_0002"]),
        (Anchor(quote="abogado\nno."), ["p_0003"]),
        # The first that is given counts, and the others are not looked at.
        (Anchor(start_line=4, end_line=4, line=1, quote="abogado"), ["p_0002"]),
        (Anchor(line=4, quote="abogado"), ["p_0002"]),
        (Anchor(line=4, quote="not in the book"), ["p_0002"]),
    ],
)
def test_an_anchor_leads_to_its_paragraphs(anchor: Anchor, ids: list[str]) -> None:
    assert LINES.resolve(anchor) == tuple(ids)


@pytest.mark.parametrize(
    ("anchor", "says"),
    [
        (Anchor(), "neither a line"),
        (Anchor(quote=""), "neither a line"),
        (Anchor(quote=" \n"), "neither a line"),
        (Anchor(quote="el banquero Durmió"), "No paragraph has"),
        (Anchor(quote="caminaba.\n\n# El"), "No paragraph has"),
        (Anchor(line=3), "line 3"),
        (Anchor(line=9), "line 9"),
        (Anchor(line=0), "line 0"),
        (Anchor(line=-4), "line -4"),
        (Anchor(start_line=4, end_line=2), "not a range"),
        (Anchor(start_line=3, end_line=3), "lines 3 to 3"),
        (Anchor(start_line=20, end_line=30), "lines 20 to 30"),
        # A wrong anchor does not fall through to a lower one that would be right.
        (Anchor(start_line=20, end_line=30, line=1, quote="abogado"), "lines 20 to 30"),
        (Anchor(line=5, quote="abogado"), "line 5"),
    ],
)
def test_a_wrong_anchor_is_a_mapping_error(anchor: Anchor, says: str) -> None:
    answer = LINES.resolve(anchor)
    assert isinstance(answer, str) and says in answer


def test_a_paragraph_can_be_named() -> None:
    issue = ForeignIssue("style", "error", "Why?", "tool", line=1, paragraph_id="p_0002")
    assert LINES.resolve(issue) == ("p_0002",)
    assert isinstance(LINES.resolve(replace(issue, paragraph_id="p_0009")), str)


def test_the_paragraphs_are_in_order() -> None:
    assert LINES.paragraph_ids == ("p_0001", "p_0002", "p_0003")


def test_of_two_blocks_on_one_line_the_lower_index_comes_first() -> None:
    lines = LineMap([Placement("b", 2, 1, 1, "same"), Placement("a", 1, 1, 1, "same")])
    assert lines.resolve(Anchor(quote="same")) == ("a",)


@st.composite
def candidates(draw: st.DrawFn) -> list[Placement]:
    heights = draw(st.lists(st.integers(1, 4), min_size=1, max_size=12))
    placements, line = [], 1
    for index, height in enumerate(heights, 1):
        text = "\n".join(draw(st.sampled_from(["a", "b", "ab", "a b"])) for _ in range(height))
        placements.append(Placement(f"p_{index:04d}", index, line, line + height - 1, text))
        line += height + 1
    return placements


NUMBER = st.none() | st.integers(-2, 60)


@given(candidates(), st.builds(Anchor, NUMBER, NUMBER, NUMBER, st.none() | st.sampled_from(["", "a", "b\na", "zz"])))
def test_the_map_agrees_with_looking_at_every_paragraph(placements: list[Placement], anchor: Anchor) -> None:
    start = anchor.start_line if anchor.start_line is not None else anchor.end_line
    end = anchor.end_line if anchor.end_line is not None else anchor.start_line
    if start is None:
        start = end = anchor.line
    if start is not None and end is not None:
        expected = [p.paragraph_id for p in placements if p.start_line <= end and start <= p.end_line and start <= end]
    else:
        expected = [p.paragraph_id for p in placements if anchor.quote and anchor.quote in p.text][:1]
    answer = LineMap(reversed(placements)).resolve(anchor)
    assert answer == tuple(expected) if expected else isinstance(answer, str)
