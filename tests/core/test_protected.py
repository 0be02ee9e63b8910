"""What no edit may touch is found in one walk through the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.edits import protected_parts


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
    ("text", "parts"),
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
def test_fenced_code(text: str, parts: list[str]) -> None:
    assert protected_parts(text) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
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
def test_protected_words_in_a_line(text: str, parts: list[str]) -> None:
    assert protected_parts(text) == parts


@given(st.text(alphabet='`~$\\[]()\n {}ax%s"', max_size=80))
def test_protected_parts_stand_in_the_text_one_after_the_other(text: str) -> None:
    at = 0
    for part in protected_parts(text):
        at = text.index(part, at) + len(part)
        assert part
