"""Reading manuscripts: every block has its exact place, nothing between blocks is lost, bad input is named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.kinds.manuscripts.formats import (
    LARGEST_BOOK,
    LONGEST_PARAGRAPH,
    BookFormat,
    blocks_of,
    format_of,
    read_manuscript,
    source_text,
)
from burnish.kinds.manuscripts.model import Frame, Paragraph
from tests.kinds.manuscripts.manuscript_texts import paragraphs_of, sources


def seen(text: str) -> list[tuple[str, str]]:
    return [(p.excluded or p.block, p.text) for p in paragraphs_of(text)]


def problems(text: str) -> list[Problem]:
    return [part for part in read_manuscript(text.encode(), "book.md", "markdown") if isinstance(part, Problem)]


@pytest.mark.parametrize("format", ["markdown", "text"])
@given(source=sources)
@settings(max_examples=250, deadline=None)
def test_every_block_has_its_exact_place_and_only_blanks_lie_between(format: BookFormat, source: str) -> None:
    done, line_ends = 0, 0
    for block in blocks_of(source, format):
        assert source[block.start : block.end] == block.frame.around(block.text)
        assert block.start >= done and block.end > block.start
        between = source[done : block.start]
        assert not between.replace(">", "").strip()
        done = block.end
        upto = source[: block.start].replace("\r\n", "\n").replace("\r", "\n")
        line_ends = upto.count("\n")
        assert block.line == line_ends + 1
    assert not source[done:].replace(">", "").strip()


@given(source=sources)
@settings(max_examples=100, deadline=None)
def test_paragraphs_hold_no_blank_line_and_are_numbered_in_order(source: str) -> None:
    found = paragraphs_of(source)
    numbers = [p.index for p in found]
    assert numbers == sorted(set(numbers)) and all(p.id == f"p_{p.index:04d}" for p in found)
    for p in found:
        assert p.excluded is not None or all(line.strip() for line in p.text.split("\n"))


def test_ids_grow_beyond_four_digits() -> None:
    text = "".join(f"w{n}\n\n" for n in range(10_001))
    *_, last = read_manuscript(text.encode(), "b.txt", "text")
    assert isinstance(last, Paragraph) and (last.id, last.index) == ("p_10001", 10_001)


def test_headings_leave_their_marks_in_the_frame() -> None:
    atx, closed, marked, setext = paragraphs_of("# One\n\n## Two ##\n\n### Three {#three}\n\nFour\nlines  \n====\n")
    assert (atx.text, atx.frame.first) == ("One", "# ")
    assert (closed.text, closed.frame.last) == ("Two", " ##")
    assert (marked.text, marked.frame.last) == ("Three", " {#three}")
    assert (setext.text, setext.frame.last, setext.block) == ("Four\nlines", "  \n====", "heading")


def test_items_are_blocks_of_their_own_with_their_marks_outside() -> None:
    found = paragraphs_of("- one\n  more\n- [ ] two\n  1. deep\n\n  second of two\n\n10) ten\n")
    assert [(p.block, p.text) for p in found] == [
        ("list", "one\nmore"),
        ("list", "two"),
        ("list", "deep"),
        ("list", "second of two"),
        ("list", "ten"),
    ]
    assert [p.frame.first for p in found] == ["- ", "- [ ] ", "  1. ", "  ", "10) "]
    assert found[0].frame.rest == "  " and found[4].frame.rest == "    "


def test_quotes_nest_and_their_blank_lines_belong_to_nobody() -> None:
    found = paragraphs_of("> a\n> b\n>\n> c\n> > d\n> - e\n")
    assert [(p.block, p.text) for p in found] == [("quote", "a\nb"), ("quote", "c"), ("quote", "d"), ("list", "e")]
    assert found[0].frame == Frame("> ", "> ")
    assert found[3].frame == Frame("> - ", ">   ")


def test_lazy_lines_are_kept_with_or_without_a_frame() -> None:
    [simple] = paragraphs_of("> a\nb\n")
    assert (simple.text, simple.frame) == ("a\nb", Frame("> ", ""))
    [whole] = paragraphs_of("> a\n> b\nc\n")
    assert (whole.text, whole.frame) == ("> a\n> b\nc", Frame())


def test_a_table_is_one_block_with_its_delimiter_row() -> None:
    found = paragraphs_of("Before:\n| a | b |\n|---|:-:|\n| 1 | 2 |\n# After\n")
    assert [(p.block, p.text) for p in found] == [
        ("paragraph", "Before:"),
        ("table", "| a | b |\n|---|:-:|\n| 1 | 2 |"),
        ("heading", "After"),
    ]
    assert seen("a | b\n--|--\n")[0][0] == "table"
    assert seen("a | b\n|---|\n")[0][0] == "paragraph"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("```py\nx = 1\n\ny\n```\nwords", "code block"),
        ("~~~\n```\n~~~~\nwords", "code block"),
        ("    x = 1\n\n    y\n\nwords", "code block"),
        ("- item\n\n      x = 1\n\nwords", "code block"),
        ("{% highlight r %}\nx\n{% endhighlight %}\nwords", "code block"),
        ("$$\nx\n$$\nwords", "formula"),
        ("$$ x $$\nwords", "formula"),
        ("\\begin{eq}\nx\n\\end{eq}\nwords", "formula"),
        ("\\begin{eq} x \\end{eq}\nwords", "formula"),
        ("---\ntitle: x\n---\nwords", "front matter"),
        ('+++\ntitle = "x"\n+++\nwords', "front matter"),
        ("<div>\ninside\n</div>\n\nwords", "HTML block"),
        ("<!-- a\n\nb -->\nwords", "HTML block"),
        ("<SCRIPT>\n\na()</script>\nwords", "HTML block"),
        ("<?php\n\n?>\nwords", "HTML block"),
        ("<!DOCTYPE html>\nwords", "HTML block"),
        ('<img src="a" alt=b>\n\nwords', "HTML block"),
        ("* * *\nwords", "thematic break"),
        ("{% include toc.html %}\nwords", "template tag"),
        ("{% include\n  figure.html\n%}\nwords", "template tag"),
        ("{: .note}\nwords", "block attributes"),
        ("::: warning\nwords", "directive"),
        ('[x]: /url "t"\nwords', "link definition"),
        ("[x]: /url\n  'title'\nwords", "link definition"),
        ("-\n\nwords", "nothing to translate"),
        ("##\n\nwords", "nothing to translate"),
    ],
)
def test_what_nobody_translates_is_carried_with_its_reason(text: str, why: str) -> None:
    found = paragraphs_of(text)
    assert why in [p.excluded for p in found]
    assert (found[-1].text, found[-1].excluded) == ("words", None)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("in\n1984. It was", ["paragraph"]),
        ("---\n\nChapter\n\n---\n\nwords", ["thematic break", "paragraph", "thematic break", "paragraph"]),
        ("text <b>x</b>\n<b>\nmore", ["paragraph"]),
        ("<b>Note</b> words", ["paragraph"]),
        ("{{ never closed\n\nwords", ["paragraph", "paragraph"]),
        ("$$ never\n\nclosed", ["paragraph", "paragraph"]),
        ("{% if x %} Words here {% endif %}", ["paragraph"]),
        ("[note]: this is prose", ["paragraph"]),
        ("[^1]: a note\n[^2]: another", ["paragraph", "paragraph"]),
        ("#hashtag", ["paragraph"]),
        ("```inline``` code", ["paragraph"]),
        ("-\n  words", ["nothing to translate", "list"]),
        ("words\n-", ["heading"]),
        ("| verse\n| lines", ["table"]),
        ("\\begin{eq} x \\end{eq} and words", ["paragraph"]),
        ("-\tTabs\n\n\tmore", ["list", "list"]),
        (">\t\tcode\n\nwords", ["code block", "paragraph"]),
        ("> ```\n> code\nwords", ["code block", "paragraph"]),
        ("> | a | b |\n> |---|---|\nwords", ["table", "paragraph"]),
        ("+++\nnot toml\n+++", ["paragraph"]),
        ("+++\na = 1\n", ["paragraph"]),
    ],
)
def test_what_looks_like_something_else(text: str, kinds: list[str]) -> None:
    assert [kind for kind, _ in seen(text)] == kinds


def test_line_ends_are_those_of_the_file_and_mixed_ones_are_kept() -> None:
    [crlf] = paragraphs_of("a\r\nb\r\n")
    assert (crlf.text, crlf.frame.newline) == ("a\nb", "\r\n")
    [mac] = paragraphs_of("a\rb\r")
    assert (mac.text, mac.frame.newline) == ("a\nb", "\r")
    [mixed] = paragraphs_of("a\r\nb\nc\n")
    assert mixed.text == "a\r\nb\nc"
    [code, _] = paragraphs_of("```\r\nx\r\n```\r\n\r\nwords")
    assert (code.text, code.frame.newline) == ("```\nx\n```", "\r\n")
    assert [p.frame.newline for p in paragraphs_of("one\r\n\r\ntwo")] == ["\r\n", "\r\n"]


def test_byte_order_marks_are_no_text() -> None:
    for data in ("\ufeff# Tifinaɣ".encode(), "\ufeff# Tifinaɣ".encode("utf-16-le")):
        [paragraph] = read_manuscript(data, "b.md", "markdown")
        assert isinstance(paragraph, Paragraph) and (paragraph.text, paragraph.start) == ("Tifinaɣ", 0)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty"),
        (b" \n\t\r\n>\n", "empty"),
        (b"```\ncode\n```\n", "empty"),
        (b"caf\xe9", "wrong_encoding"),
        (b"\xed\xa0\x80 lone", "wrong_encoding"),
        (b"a\n\nb \x00 c", "binary"),
    ],
)
def test_bad_input_is_named(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        list(read_manuscript(data, "book.md", "markdown"))
    assert caught.value.code == code and caught.value.path == "book.md" and caught.value.hint


def test_a_paragraph_of_two_megabytes_is_a_problem_and_the_rest_is_read() -> None:
    text = f"First.\n\n{'word ' * 400_000}\n\nLast."
    first, problem, last = read_manuscript(text.encode(), "book.md", "markdown")
    assert isinstance(problem, Problem) and problem.blocks
    assert (problem.code, problem.line, problem.unit) == ("paragraph_too_long", 3, "p_0002")
    assert problem.hint is not None and "blank lines" in problem.hint
    assert isinstance(first, Paragraph) and isinstance(last, Paragraph) and last.id == "p_0003"


def test_long_code_is_no_problem() -> None:
    text = f"```\n{'x' * (LONGEST_PARAGRAPH + 1)}\n```\n\nwords"
    assert problems(text) == []


@pytest.mark.parametrize("opening", ["```", "<!--", "{% raw %}"])
def test_what_never_closes_is_told(opening: str) -> None:
    [problem] = problems(f"words\n\n{opening}\nall the rest\n")
    assert (problem.code, problem.line, problem.blocks) == ("never_closed", 3, True)
    assert opening in problem.message


def test_a_code_that_ends_with_its_quote_is_closed() -> None:
    assert problems("> ```\n> x\n\nwords") == []


def test_verse_that_markdown_takes_for_code_is_told() -> None:
    [problem] = problems("words\n\n     How doth the little crocodile\n      Improve his shining tail,\n")
    assert (problem.code, problem.line, problem.blocks) == ("prose_as_code", 3, False)
    assert problems("words\n\n    pip install numpy\n\n    x = f(y)\n") == []


def test_formats_are_told_by_name_and_unknown_ones_are_refused() -> None:
    assert format_of("a/B.MD") == "markdown" and format_of("a\\b.txt") == "text" and format_of("a.odt") is None
    with pytest.raises(UsageError, match="odt"):
        blocks_of("x", "odt")  # type: ignore[arg-type]


def test_a_file_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("burnish.kinds.manuscripts.formats.LARGEST_BOOK", 10)
    assert LARGEST_BOOK > 10
    with pytest.raises(InputError) as caught:
        source_text(b"x" * 11, "book.md")
    assert caught.value.code == "too_large"


@pytest.mark.parametrize(
    "line",
    ["> " * 5000, "- " * 5000, "{% " * 5000, "[a" * 5000, "<a " * 5000, "|" * 10_000, "$$" * 5000, "[^a]: " * 2000],
)
def test_hostile_lines_cost_no_more_than_their_length(line: str) -> None:
    """No time is measured: what is not linear would not come to an end here."""
    text = f"{line}x\n" * 20
    for block in blocks_of(text, "markdown"):
        assert text[block.start : block.end] == block.frame.around(block.text)


def test_a_line_of_rare_blanks_in_front_is_no_line_of_the_paragraph() -> None:
    note, words = paragraphs_of("[^a]: \xa0\nword\n")
    assert (note.text, note.excluded) == ("", "nothing to translate") and words.text == "word"
