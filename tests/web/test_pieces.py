"""Findings as numbered marks in the text."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.findings import SEVERITIES, Finding
from burnish.web.pieces import MOST_PLACES, Mark, Numbered, Place, joined, marked, marked_fields, numbered, places_of

TEXT = "Jida tettaggad adfel, adfel."


def finding(quote: str | None = None, **changes: object) -> Finding:
    given = {"rule": "r", "severity": "error", "unit": "u", "field": None, "message": "m", "quote": quote, **changes}
    return Finding(**given)  # type: ignore[arg-type]


@st.composite
def spans(draw: st.DrawFn) -> tuple[str, list[Numbered]]:
    text = draw(st.text(max_size=30))
    ends = st.integers(0, len(text))
    found = draw(st.lists(st.tuples(ends, ends, st.sampled_from(SEVERITIES)), max_size=6))
    return text, [
        Numbered(Mark(number, severity), finding(), (Place(None, min(a, b), max(a, b)),))
        for number, (a, b, severity) in enumerate(found, 1)
    ]


@settings(max_examples=150, deadline=None)
@given(spans())
def test_the_pieces_are_the_text_and_every_mark_covers_its_words(given: tuple[str, list[Numbered]]) -> None:
    text, findings = given
    pieces = marked(text, None, findings)
    assert joined(pieces) == text
    for one in findings:
        [place] = one.places
        covered = "".join(piece.text for piece in pieces if one.mark in piece.marks)
        assert covered == text[place.start : place.end]
        assert [piece.start + len(piece.text) for piece in pieces if one.mark in piece.ends] == [place.end]


def test_findings_are_numbered_worst_first_then_as_they_are_read() -> None:
    late, early = finding("adfel", severity="critical", start=15, end=20), finding("Jida", severity="critical")
    mild, silent = finding("tettaggad", severity="warning"), finding(None, severity="info")
    found = numbered({None: TEXT}, [mild, silent, late, early])
    assert [(one.mark.number, one.finding) for one in found] == [(1, early), (2, late), (3, mild), (4, silent)]
    assert found[3].places == ()
    drawn = [(piece.text, [mark.number for mark in piece.ends]) for piece in marked(TEXT, None, found)]
    assert drawn == [("Jida", [1]), (" ", []), ("tettaggad", [3]), (" ", []), ("adfel", [2]), (", adfel.", [])]


def test_marks_may_lie_over_each_other() -> None:
    found = numbered({None: TEXT}, [finding("tettaggad adfel"), finding("adfel, adfel", severity="info")])
    drawn = [
        (p.text, p.severity, [m.number for m in p.marks], [m.number for m in p.ends]) for p in marked(TEXT, None, found)
    ]
    assert drawn == [
        ("Jida ", None, [], []),
        ("tettaggad ", "error", [1], []),
        ("adfel", "error", [1, 2], [1]),
        (", adfel", "info", [2], [2]),
        (".", None, [], []),
    ]


def test_a_place_that_does_not_hold_the_quote_is_looked_up() -> None:
    assert list(places_of({None: TEXT}, finding("adfel", start=0, end=5))) == [Place(None, 15, 20), Place(None, 22, 27)]
    assert next(places_of({None: TEXT}, finding("adfel", start=900, end=905))) == Place(None, 15, 20)
    assert list(places_of({None: TEXT}, finding(None, start=5, end=14))) == [Place(None, 5, 14)]
    assert list(places_of({None: TEXT}, finding("ara"))) == []
    assert list(places_of({None: TEXT}, finding(" "))) == []


def test_a_finding_about_a_list_is_marked_in_its_parts() -> None:
    texts: dict[str | None, str] = {"stem": "Always?", "options.A": "Always", "options.B": "Never, always"}
    found = numbered(texts, [finding("lways", field="options")])
    assert [place.field for place in found[0].places] == ["options.A", "options.B"]
    assert [(each.field, each.is_marked) for each in marked_fields(texts, found)] == [
        ("stem", False),
        ("options.A", True),
        ("options.B", True),
    ]


def test_words_that_stand_beside_themselves_are_two_places() -> None:
    [found] = numbered({None: "abab"}, [finding("ab")])
    assert [(p.text, len(p.ends)) for p in marked("abab", None, [found])] == [("ab", 1), ("ab", 1)]


def test_a_quote_that_stands_everywhere_is_marked_so_often_and_no_more() -> None:
    assert len(list(places_of({None: "a" * 10_000}, finding("a")))) == MOST_PLACES


def test_something_missing_is_a_mark_on_nothing() -> None:
    pieces = marked("ab", None, numbered({None: "ab"}, [finding(None, start=1, end=1)]))
    assert [(piece.text, len(piece.ends)) for piece in pieces] == [("a", 0), ("", 1), ("b", 0)]
