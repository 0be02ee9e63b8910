"""Numbers and dates: read where they are plain, and compared with care."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.numbers_and_dates import mentions


def dates(text: str) -> list[tuple[int | None, int | None, int | None]]:
    return [mention.date for mention in mentions(text) if mention.measure == "date"]


def numbers(text: str) -> list[tuple[str, tuple[float, ...]]]:
    return [(mention.measure, mention.values) for mention in mentions(text) if mention.measure != "date"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("on 3 March 1990,", [(1990, 3, 3)]),
        ("on March 3rd, 1990.", [(1990, 3, 3)]),
        ("on 1990-03-03.", [(1990, 3, 3)]),
        ("in March 1990", [(1990, 3, None)]),
        ("on 3 March", [(None, 3, 3)]),
        ("el 3 de marzo de 1990", [(1990, 3, 3)]),
        ("am 3. März 1990", [(1990, 3, 3)]),
        ("in 1914", [(1914, None, None)]),
        ("you may 2 things", []),
        ("on 45 March 1990", []),
        ("on 03/04/1990", []),
        ("March on", []),
        ("room 1914a, 19145 and 3000", []),
    ],
)
def test_dates(text: str, wanted: list[tuple[int | None, int | None, int | None]]) -> None:
    assert dates(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("5 km", [("m", (5000.0,))]),
        ("1500 metres", [("m", (1500.0,))]),
        ("3.5 hours", [("hour", (3.5,))]),
        ("1,200 people", [("peopl", (1200.0, 1.2))]),
        ("1.234,5 euros", [("euro", (1234.5,))]),
        ("10 000 trees", [("tree", (10000.0,))]),
        ("45 %, 45% and 45 percent", [("%", (45.0,))] * 3),
        ("67 million people", [("peopl", (67e6,))]),
        ("67 millones de personas", [("persona", (67e6,))]),
        ("-5 °C", [("°", (-5.0,))]),
        ("Figure 3 shows", []),
        ("Python 3 is", []),
        ("7 and more", []),
        ("x=5 units, 4/5 parts, 3:30 hours, H2O, v1.2.3 files", []),
        ("5", []),
    ],
)
def test_numbers(text: str, wanted: list[tuple[str, tuple[float, ...]]]) -> None:
    assert numbers(text) == wanted


@pytest.mark.parametrize("text", ["more than 5 km", "about 5 km", "until 1990", "1914–1918", "≥5 km", "casi 5 km"])
def test_bounds_are_marked(text: str) -> None:
    assert all(mention.compared for mention in mentions(text)) and mentions(text)


@pytest.mark.parametrize(
    ("left", "right", "agree"),
    [
        ("5 km", "5000 m", True),
        ("5 km", "6 km", False),
        ("5 km", "5 kg", False),
        ("1,200 people", "1200 people", True),
        ("3.14 cups", "3.1416 cups", True),
        ("March 1990", "3 March 1990", True),
        ("1990", "3 March 1990", True),
        ("1991", "3 March 1990", False),
        ("3 March", "1990", False),
    ],
)
def test_agreement(left: str, right: str, agree: bool) -> None:
    [one], [other] = mentions(left), mentions(right)
    assert one.agrees(other) == other.agrees(one) == agree


@given(st.text(st.sampled_from("0123456789 ,.-/:aMarch%kmof")))
def test_mentions_quote_the_text(text: str) -> None:
    for mention in mentions(text):
        assert text[mention.start : mention.end] == mention.text != ""
        assert mention.agrees(mention) or mention.values == (0.0,)
