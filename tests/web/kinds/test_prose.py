"""Markdown as pieces: what a learner reads, with every mark in its place and nothing that becomes markup."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from burnish.core.findings import Finding
from burnish.web.kinds.prose import LARGEST, ProseBlock, cut, prose, without_numbers
from burnish.web.pieces import Piece, joined, marked, numbered


def blocks(text: str, *findings: Finding) -> tuple[ProseBlock, ...]:
    return prose(text, marked(text, None, numbered({None: text}, findings)))


def said(block: ProseBlock) -> str:
    return "".join(joined(run.pieces) for run in block.runs)


def styled(block: ProseBlock) -> list[tuple[str, frozenset[str]]]:
    return [(joined(run.pieces), frozenset(run.styles)) for run in block.runs]


def about(quote: str) -> Finding:
    return Finding("rule", "error", "u", None, "Wrong.", quote=quote)


class TestBlocks:
    def test_headings_items_code_and_rules(self) -> None:
        text = "## Fronts\n\nWarm air.\n\n- one\n- two\n\n1. first\n\n```py\nx = 1\n```\n\n---\n\n> quoted\n> words\n"
        found = blocks(text)
        assert [block.shape for block in found] == [
            "heading",
            "paragraph",
            "item",
            "item",
            "item",
            "code",
            "rule",
            "paragraph",
        ]
        assert (said(found[0]), found[0].level) == ("Fronts", 2)
        assert [block.marker for block in found[2:5]] == ["•", "•", "1."]
        assert found[-1].quoted and said(found[-1]).split() == ["quoted", "words"]

    def test_what_is_no_prose_is_shown_as_it_is_written(self) -> None:
        [block] = blocks('<script src="https://evil.example/x.js"></script>')
        assert (block.shape, said(block)) == ("code", '<script src="https://evil.example/x.js"></script>')

    def test_a_very_long_text_is_shown_as_it_is_written(self) -> None:
        [block] = blocks("word **" * LARGEST)
        assert block.shape == "code"

    def test_of_fenced_code_only_the_code_is_shown(self) -> None:
        assert [said(block) for block in blocks("```py\nx = 1\n```\n\n~~~\ny\n~~~\n\n    z\n")] == ["x = 1", "y", "z"]
        assert [said(block) for block in blocks("```py\nx = 1")] == ["x = 1"]
        assert [said(block) for block in blocks("```\n```")] == ["```\n```"]

    def test_a_list_in_a_list_lies_deeper(self) -> None:
        assert [block.level for block in blocks("- one\n  - two\n")] == [0, 1]


class TestStyles:
    def test_emphasis_code_and_links(self) -> None:
        [block] = blocks("A **cold** front, *not* a `warm()` one: [a map](https://x.example/m).")
        assert styled(block) == [
            ("A ", frozenset()),
            ("cold", frozenset({"strong"})),
            (" front, ", frozenset()),
            ("not", frozenset({"em"})),
            (" a ", frozenset()),
            ("warm()", frozenset({"code"})),
            (" one: ", frozenset()),
            ("a map", frozenset({"link"})),
            ("https://x.example/m", frozenset({"target"})),
            (".", frozenset()),
        ]

    def test_both_at_once(self) -> None:
        [block] = blocks("***all*** of it")
        assert styled(block)[0] == ("all", frozenset({"strong", "em"}))

    def test_a_mark_without_its_partner_is_shown(self) -> None:
        [block] = blocks("It is **warm enough.")
        assert said(block) == "It is **warm enough."

    def test_stars_between_numbers_are_no_emphasis(self) -> None:
        [block] = blocks("3 * 4 * 5")
        assert said(block) == "3 * 4 * 5"

    def test_a_long_run_of_stars_is_strong_twice(self) -> None:
        [block] = blocks("a ****x**** b")
        assert said(block) == "a x b"


class TestMarks:
    def test_a_mark_stays_on_its_words(self) -> None:
        [block] = blocks("The **cold front** moves.", about("cold front"))
        [run] = [run for run in block.runs if run.styles]
        [piece] = run.pieces
        assert (piece.text, piece.severity, [mark.number for mark in piece.ends]) == ("cold front", "error", [1])

    def test_a_mark_over_two_blocks_shows_its_number_once(self) -> None:
        found = blocks("One two.\n\nThree four.", about("two.\n\nThree"))
        pieces = [piece for block in found for run in block.runs for piece in run.pieces]
        assert [piece.text for piece in pieces if piece.marks] == ["two.", "Three"]
        assert [piece.text for piece in pieces if piece.ends] == ["Three"]

    def test_without_numbers_the_marks_stay(self) -> None:
        pieces = without_numbers(marked("a b", None, numbered({None: "a b"}, [about("b")])))
        assert [(piece.text, piece.severity, piece.ends) for piece in pieces] == [("a ", None, ()), ("b", "error", ())]


@given(st.text(alphabet="ab *_`[]()#>-\n1.<$\\", max_size=200))
def test_nothing_is_lost_but_marks_and_nothing_comes_twice(text: str) -> None:
    pieces = [piece for block in blocks(text) for run in block.runs for piece in run.pieces]
    ends = 0
    for piece in pieces:
        assert text[piece.start : piece.start + len(piece.text)] == piece.text
        assert piece.start >= ends
        ends = piece.start + len(piece.text)
    letters = [letter for letter in text if letter in "ab"]
    assert [letter for piece in pieces for letter in piece.text if letter in "ab"] == letters


@given(st.text(max_size=40), st.data())
def test_a_cut_is_what_stands_between_its_ends(text: str, data: st.DataObject) -> None:
    places = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    bounds = [0, *places, len(text)]
    pieces = [Piece(text[a:b], a) for a, b in pairwise(bounds) if a < b]
    start, end = sorted((data.draw(st.integers(0, len(text))), data.draw(st.integers(0, len(text)))))
    assert joined(cut(pieces, start, end)) == text[start:end]
