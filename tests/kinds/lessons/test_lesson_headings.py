"""Headings: found outside code, with exact places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.kinds.lessons.model import headings


def found(text: str) -> list[tuple[int, str, int]]:
    return [(heading.level, heading.title, heading.line) for heading in headings(text)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("# A\n## B ##\n   ### C #\n", [(1, "A", 1), (2, "B", 2), (3, "C", 3)]),
        ("#no\n#######  no\n    # code\n", []),
        ("# C#\n## F {#id}\n## G {: .x}\n", [(1, "C#", 1), (2, "F", 2), (2, "G", 3)]),
        ("A\n===\n\nB\n---\n", [(1, "A", 1), (2, "B", 4)]),
        ("a long paragraph\nwith two lines\n---\n", []),
        ("- item\n---\n\n> q\n---\n\n[^1]: note\n---\n\n1. x\n---\n\n| a\n---\n", []),
        ("# A\nB\n---\nC\n---\n", [(1, "A", 1), (2, "B", 2), (2, "C", 4)]),
        ("---\n---\nA\n\n---\n", []),
        ("x" * 301 + "\n---\n", []),
        ("```\n# no\n```\n# yes\n", [(1, "yes", 4)]),
        ("~~~~\n# no\n~~~\n# no\n~~~~~\n# yes\n", [(1, "yes", 6)]),
        ("```py\n# no\n````\nA\n---\n", [(2, "A", 4)]),
        ("```never closed\n# yes\n", [(1, "yes", 2)]),
        ("```a``` inline\n# yes\n```\n", [(1, "yes", 2)]),
        ("`````\n# yes\n```\n# also\n", [(1, "yes", 2), (1, "also", 4)]),
        ("<!-- a\n# no\n--> x\n# yes\n<!-- # open\n# last\n", [(1, "yes", 4), (1, "last", 6)]),
        ("<PRE>\n# no\n</pre>\n# yes\n<pre\n# open\n<pre\n", [(1, "yes", 4), (1, "open", 6)]),
        ("{% highlight py %}\n# no\n{% endhighlight %}\n{%- raw -%}\n# no\n{% endraw %}\n# yes", [(1, "yes", 7)]),
        ("İ<pre>\n<pre>\n# no\n</pre>\n# yes\n", [(1, "yes", 5)]),
        ("#\n#\t\n# \tA", [(1, "", 1), (1, "", 2), (1, "A", 3)]),
    ],
)
def test_headings(text: str, wanted: list[tuple[int, str, int]]) -> None:
    assert found(text) == wanted
    assert found(text.replace("\n", "\r\n")) == wanted


@given(st.lists(st.sampled_from(["# A", "## B {#x}", "B", "---", "```", "~~~", "", "<pre>", "</pre>", "<!--", "-->"])))
def test_places_are_those_of_the_text(lines: list[str]) -> None:
    text = "\n".join(lines)
    end = 0
    for heading in headings(text):
        assert text[heading.title_start : heading.title_end] == heading.title
        assert end <= heading.start <= heading.title_start <= heading.title_end <= heading.end
        assert heading.line == text.count("\n", 0, heading.start) + 1
        end = heading.end
