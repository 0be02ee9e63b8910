"""What no edit may touch is found in one walk through the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.edits import outward_parts, parts, protected_parts


def test_what_is_protected() -> None:
    text = "A `b` and $x^2$ and [c](http://d/e?f) %s {g} %(h)s\n```py\ncode\n```\n\\(y\\) costs $5 or $6"
    assert protected_parts(text) == [
        "`b`",
        "$x^2$",
        "http://d/e?f",
        "%s",
        "{g}",
        "%(h)s",
        "```py\ncode\n```",
        "\\(y\\)",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("````\n```\n````", ["````\n```\n````"]),
        ("```\na\n````", ["```\na\n````"]),
        ("~~~\n```\n~~~\n`a`", ["~~~\n```\n~~~", "`a`"]),
        ("  ```\n{a}\n  ```\n", ["  ```\n{a}\n  ```"]),
        ("```\na\n```\nb\n```\nc\n```", ["```\na\n```", "```\nc\n```"]),
        ("```\n{a} and `b`", ["{a}", "`b`"]),
        ("```\n{a}\n```py\n{b}", ["{a}", "{b}"]),
        ("```\n{a}\n``` b\n{c}\n```\n{d}", ["```\n{a}\n``` b\n{c}\n```", "{d}"]),
        ("~~~\n{a}\n~~~ b\n{c}", ["{a}", "{c}"]),
        ("```\n{a}\n```  \n{b}", ["```\n{a}\n```  ", "{b}"]),
        ("```a``` is code\n```\nb\n```", ["```a```", "```\nb\n```"]),
    ],
)
def test_fenced_code(text: str, expected: list[str]) -> None:
    assert protected_parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("``a ` b`` and `c`", ["``a ` b``", "`c`"]),
        ("`a\n` `b`", ["` `"]),
        ("`a `` {b}", ["{b}"]),
        ("$$a\nb$$ and $c$", ["$$a\nb$$", "$c$"]),
        ("$$a$ b", ["$a$"]),
        ("\\[a\nb\\] \\[ {c}", ["\\[a\nb\\]", "{c}"]),
        ("\\(a\\] b\\)", ["\\(a\\] b\\)"]),
        ("a $5, b $6, c $ 7 $", []),
        ('[a](b "c d") [e](f g)', ['b "c d"']),
        ("{1} { a } {a.b_2} 5%string %d", ["{a.b_2}", "%d"]),
    ],
)
def test_protected_words_in_a_line(text: str, expected: list[str]) -> None:
    assert protected_parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("    a\n    b\n\nc", ["    a\n    b"]),
        ("    a\n\n    b\nc", ["    a\n\n    b"]),
        ("    a\nb\n    c", ["    a"]),
        ("a\n    b", []),
        ("a\n\n    b", ["    b"]),
        ("a\n\n   b", []),
        ("a\n\n\tb\n  \tc\n", ["\tb\n  \tc"]),
        ("a\n\n    b\nc\n\n    d\n", ["    b", "    d"]),
        ("a\n   \n    b", ["    b"]),
        ("    a", []),
        ("\n    a\n", []),
        ("- a\n\n    b\n", []),
        ("- a\n\n      b\n", ["      b"]),
        ("10. a\n\n       b\n\n        c\n", ["        c"]),
        ("- a\n\n  b\n\n      c\n", ["      c"]),
        ("- a\n\nb\n\n    c\n", ["    c"]),
        ("- a\n\n  b\n\n    c\n", []),
        ("10. a\n\n    b\n\n      c\n", []),
        ("10. a\n\n   b\n\n      c\n", ["      c"]),
        ("- a\nb\n\n    c\n", []),
        ("    a\n```\nb\n```\n    c\nd", ["    a", "```\nb\n```", "    c"]),
        ("a\n\n    `b`\n\n`c`", ["    `b`", "`c`"]),
    ],
)
def test_indented_code_follows_a_blank_line_and_is_further_in_than_its_list(text: str, expected: list[str]) -> None:
    assert protected_parts(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>x</b>", ["<b>", "</b>"]),
        ('<a title="x > y">z', ['<a title="x > y">']),
        ("<a title='x > y'>z", ["<a title='x > y'>"]),
        ("<a title='x > y>z", ["<a title='x >"]),
        ("<a href='b' <c>", ["<c>"]),
        ("a <b and c", []),
        ('a <b" c> "<d>', ['<b" c>', "<d>"]),
        ("<!-- a -->b", ["<!-- a -->"]),
        ("<!-- a", ["<!--"]),
        ("<code>a</code>b", ["<code>a</code>"]),
        ("<PRE>a</Pre >b", ["<PRE>a</Pre >"]),
        ("<code>a", ["<code>"]),
        ("<codes>a</codes>", ["<codes>", "</codes>"]),
        ("<https://a.example>b", ["<https://a.example>"]),
        ("<a@b.example>c", ["<a@b.example>"]),
        ("\\begin{a}x\\end{a}y\\end{a}", ["\\begin{a}x\\end{a}", "{a}"]),
        ("\\begin{a}x\\begin{b}y\\end{a}", ["\\begin{a}x\\begin{b}y\\end{a}"]),
        ("\\begin{a}x {b}", ["{b}"]),
        ("`` a ` b", []),
        ("`a` `b` `c", ["`a`", "`b`"]),
        ("$$a$$b$$c$$", ["$$a$$", "$$c$$"]),
        ("$$$$ a $$", ["$$$$ a $$"]),
    ],
)
def test_tags_comments_and_environments_end_where_they_end(text: str, expected: list[str]) -> None:
    assert protected_parts(text) == expected


@pytest.mark.parametrize(
    ("text", "outward"),
    [
        ("<https://a.example> and https://a.example", {"https://a.example"}),
        ("[a]( b.html ) `code` $x$ {y}", {"b.html"}),
        ("<b>x</b>", {"<b>", "</b>"}),
    ],
)
def test_addresses_and_tags_lead_away_and_nothing_else(text: str, outward: set[str]) -> None:
    assert outward_parts(text) == outward


def test_each_part_is_told_with_its_kind_and_place() -> None:
    text = "é `a` $b$ [c](d) <e> {f} \n\n    g\n\n⟦h⟧ \\(i\\)"
    found = parts(text)
    assert [(part.kind, part.text) for part in found] == [
        ("code", "`a`"),
        ("formula", "$b$"),
        ("address", "d"),
        ("tag", "<e>"),
        ("placeholder", "{f}"),
        ("code", "    g"),
        ("placeholder", "⟦h⟧"),
        ("formula", "\\(i\\)"),
    ]
    assert all(text[part.start : part.start + len(part.text)] == part.text for part in found)


@given(st.text(alphabet='`~$\\[]()\n {}ax%s"', max_size=80))
def test_protected_parts_stand_in_the_text_one_after_the_other(text: str) -> None:
    at = 0
    for part in protected_parts(text):
        at = text.index(part, at) + len(part)
        assert part
