"""Layers: an edit of the text becomes the smallest change of the source."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.questions.formats.markup import HTML, XHTML, Dialect, markup_layer
from burnish.kinds.questions.formats.xml_text import character_layer
from burnish.text.mapped_text import (
    Layer,
    NotCarried,
    Run,
    Stretch,
    applied,
    differing_lines,
    differing_parts,
    differing_words,
    field_text,
    merged,
    reads_as,
    trimmed,
    whole,
    words_with_blanks,
)
from tests.kinds.questions.formats.banks import hostile_texts


def edited(source: str, new: str, dialect: Dialect = HTML) -> str:
    """HTML after its text was made to read `new`."""
    field = field_text("stem", source, 0, len(source), lambda text: [markup_layer(text, dialect)])
    return applied(source, field.rewritten(source, new))


def edited_xml(source: str, new: str, codec: str = "utf-8") -> str:
    field = field_text("stem", source, 0, len(source), lambda text: [character_layer(text, codec)])
    return applied(source, field.rewritten(source, new))


@pytest.mark.parametrize(
    ("source", "new", "expected"),
    [
        ("<p>One <b>two</b> three</p>", "One two four", "<p>One <b>two</b> four</p>"),
        ("<p>One <b>two</b> three</p>", "One 2 three", "<p>One <b>2</b> three</p>"),
        ("<p>One <b>two</b> three</p>", "Four", "<p>Four<b></b></p>"),
        ("<p>a</p><p>b</p>", "a\nc", "<p>a</p><p>c</p>"),
        ("<p>a</p><p>b</p>", "a b", "<p>a b</p><p></p>"),
        ("<p>a</p>", "a\nb", "<p>a<br>b</p>"),
        ("<p>a &amp; b</p>", "a & c", "<p>a &amp; c</p>"),
        ("<p>a</p>", "a <b> & c", "<p>a &lt;b&gt; &amp; c</p>"),
        ('<p><img alt="x > y" src="i.png">Look</p>', "⟦picture: x > y⟧See", '<p><img alt="x > y" src="i.png">See</p>'),
        ("<p></p>", "new", "<p>new</p>"),
        ("", "new", "new"),
        ("<p><br></p>", "new", "<p>new<br></p>"),
        ("a<!-- note -->b", "axb", "ax<!-- note -->b"),
        ("5&nbsp;mg", "6\u00a0mg", "6&nbsp;mg"),
    ],
)
def test_words_change_and_tags_stay(source: str, new: str, expected: str) -> None:
    assert edited(source, new) == expected
    assert markup_layer(expected).text == new


@given(
    st.lists(
        st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<br>", "a", " b ", "&lt;", "\n", "<i x='>'>", "é"]), max_size=10
    ),
    hostile_texts(),
)
def test_any_html_can_be_made_to_read_any_text(parts: list[str], new: str) -> None:
    source = "".join(parts)
    try:
        result = edited(source, new)
    except NotCarried:
        # An open <pre> or a script may hide what is written into it; nothing here opens one.
        raise AssertionError(source) from None
    assert reads_as(markup_layer(result).text, new)
    assert [part for part in parts if part.startswith("<") and part != "<br>"] == [
        part for part in result_tags(result) if part in ("<p>", "</p>", "<b>", "</b>", "<i x='>'>")
    ]


def result_tags(source: str) -> list[str]:
    import regex

    return regex.findall(r"""<(?:[^<>"']|"[^"]*"|'[^']*')*>""", source)


@pytest.mark.parametrize(
    ("source", "new", "expected"),
    [
        ("<![CDATA[a < b]]>", "a < c", "<![CDATA[a < c]]>"),
        ("<![CDATA[a]]>", "a]]>b", "<![CDATA[a]]><![CDATA[]]]]><![CDATA[>b]]><![CDATA[]]>"),
        ("a &lt; b", "a < c & d", "a &lt; c &amp; d"),
        ("a<!-- c -->b", "ab!", "a<!-- c -->b!"),
        ("<![CDATA[]]>", "x", "<![CDATA[x]]>"),
        ("", "x", "x"),
        ("a>b", "a]]>b", "a&#93;&#93;>b"),
        ("]]x>", "]]>", "]]<![CDATA[]]>>"),
        ("a", "a\rb", "a&#13;b"),
        ("<![CDATA[a]]>", "a\rb", "<![CDATA[a]]>&#13;<![CDATA[b]]>"),
    ],
)
def test_characters_of_xml(source: str, new: str, expected: str) -> None:
    assert character_layer(edited_xml(source, new)).text == new
    if "]]><![CDATA[]" not in expected:
        assert edited_xml(source, new) == expected


def test_characters_outside_the_encoding_become_references() -> None:
    assert edited_xml("a", "a→", "iso8859-1") == "a&#8594;"
    assert edited_xml("<![CDATA[a]]>", "aé→", "iso8859-1") == "<![CDATA[aé]]>&#8594;<![CDATA[]]>"


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(NotCarried, match="U\\+0000"):
        edited_xml("a", "a\x00")
    with pytest.raises(NotCarried):
        edited("<p>a</p>", "a\x1b", XHTML)


def test_a_coded_run_changes_as_a_whole() -> None:
    layer = Layer([Run("ab", 0, 5, "coded"), Run("c", 5, 6)], lambda new, _setting: new)
    assert list(layer.splices(1, 2, "x")) == [(0, 5, "ax")]
    assert list(layer.splices(0, 1, "x")) == [(0, 5, "xb")]
    assert list(layer.splices(1, 1, "x")) == [(0, 5, "axb")]


def test_what_is_not_there_cannot_be_taken_away() -> None:
    layer = Layer([Run("a", 0, 1), Run("\n", 1, 1, "fixed"), Run("b", 5, 6)], lambda new, _setting: new)
    assert list(layer.splices(1, 2, " ")) == [(1, 1, " ")]
    assert list(layer.splices(0, 3, "z")) == [(0, 1, "z"), (5, 6, "")]
    fixed = Layer([Run("_", 3, 3, "fixed")], lambda new, _setting: new, home=3)
    assert list(fixed.splices(0, 0, "x")) == [(3, 3, "x")]


def test_text_goes_before_the_first_run_where_nothing_comes_before() -> None:
    layer = Layer([Run("\n", 2, 2, "fixed"), Run("b", 5, 6, style="cdata")], lambda new, setting: new + setting.style)
    assert list(layer.splices(0, 0, "x")) == [(5, 5, "xcdata")]


def test_trimming_drops_blank_runs_and_blank_ends() -> None:
    runs = [Run("\n", 0, 2, "coded"), Run("  a ", 2, 6), Run("\n", 6, 7, "coded")]
    assert [(run.text, run.start, run.end) for run in trimmed(runs)] == [("a", 4, 5)]
    assert [run.text for run in trimmed([Run("\n", 0, 2, "coded")])] == [""]
    assert trimmed([]) == []


def test_merging_joins_neighbours_only() -> None:
    runs = [Run("a", 0, 1), Run("b", 1, 2), Run("c", 3, 4), Run("d", 4, 5, style="cdata")]
    assert [(run.text, run.start, run.end) for run in merged(runs)] == [("ab", 0, 2), ("c", 3, 4), ("d", 4, 5)]


@given(st.text("ab \n", max_size=12), st.text("ab \n", max_size=12))
def test_stretches_turn_the_old_text_into_the_new(old: str, new: str) -> None:
    words = differing_words(old, new)
    for stretches in (words, words_with_blanks(old, new), differing_lines(old, new), whole(old, new)):
        pieces, done = [], 0
        for start, end, new_start, new_end in stretches:
            assert done <= start <= end
            pieces += [old[done:start], new[new_start:new_end]]
            done = end
        assert "".join((*pieces, old[done:])) == new


def test_long_texts_are_exchanged_in_one_stretch() -> None:
    old = " ".join(f"a{number}" for number in range(300))
    new = " ".join(f"b{number}" for number in range(300))
    assert len(differing_words(old, new)) == 1


@pytest.mark.parametrize(
    ("old", "new", "words", "lines", "with_blanks"),
    [
        ("same", "same", [], [("same", "same")], []),
        ("", "new", [("", "new")], [("", "new")], [("", "new")]),
        ("old", "", [("old", "")], [("old", "")], [("old", "")]),
        ("one two three", "one too three", [("w", "o")], [("one two three", "one too three")], [("w", "o")]),
        ("one two", "one two more", [("", " more")], [("one two", "one two more")], [("", " more")]),
        ("one  two", "one two", [(" ", "")], [("one  two", "one two")], [("  ", " ")]),
        ("a two b", "a b", [("two ", "")], [("a two b", "a b")], [(" two ", " ")]),
        ("a b", "a two b", [("", "two ")], [("a b", "a two b")], [(" ", " two ")]),
        ("cat sat", "cats at", [("", "s"), ("s", "")], [("cat sat", "cats at")], [(" s", "s ")]),
        (
            "a b c d e",
            "a x c y e",
            [("b", "x"), ("d", "y")],
            [("a b c d e", "a x c y e")],
            [(" b ", " x "), (" d ", " y ")],
        ),
        ("a b\nc d\ne f", "a b\nc x\ne f", [("d", "x")], [("c d", "c x")], [(" d\n", " x\n")]),
        (
            "a b\nc d\ne f",
            "x b\nc d\ne y",
            [("a", "x"), ("f", "y")],
            [("a b\nc d\ne f", "x b\nc d\ne y")],
            [("a ", "x "), (" f", " y")],
        ),
    ],
)
def test_only_what_differs_is_a_stretch(
    old: str,
    new: str,
    words: list[tuple[str, str]],
    lines: list[tuple[str, str]],
    with_blanks: list[tuple[str, str]],
) -> None:
    def texts(found: list[Stretch]) -> list[tuple[str, str]]:
        return [(old[one.start : one.end], new[one.new_start : one.new_end]) for one in found]

    assert texts(differing_words(old, new)) == texts(differing_parts(old, new)) == words
    assert texts(differing_lines(old, new)) == lines
    assert texts(words_with_blanks(old, new)) == with_blanks
    assert texts(whole(old, new)) == [(old, new)]


def test_distant_changes_of_a_long_text_stay_apart() -> None:
    middle = "\n".join(f"line {number} stays" for number in range(60))
    old, new = f"one\n{middle}\ntwo three", f"won\n{middle}\ntwo tree"
    assert [(one.start, one.end, one.new_start, one.new_end) for one in differing_parts(old, new)] == [
        (0, 3, 0, 3),
        (len(old) - 4, len(old) - 3, len(new) - 3, len(new) - 3),
    ]
