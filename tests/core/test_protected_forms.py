"""The forms of protected text beyond backticks: what a patcher must not touch, and must not bring in."""

import pytest

from burnish.core.edits import Edit, apply_edits, outward_parts, protected_parts
from burnish.core.errors import EditRefused
from tests.core.units import PlainUnit

FORMS = {
    "a definition": ("See [the map][m].\n\n[m]: https://example.org/map", "example.org", "evil.org"),
    "an autolink": ("See <https://example.org/x> for it.", "example.org", "evil.org"),
    "an address as it is": ("See https://example.org/x, please.", "example.org", "evil.org"),
    "a source in a tag": ('Inline <img src="a.png" alt="A"> here.', "a.png", "b.png"),
    "a source after a sign in quotes": ('Inline <img alt=">" src="a.png"> here.', "a.png", "b.png"),
    "indented code": ("Run this:\n\n    one = code()\n\n    two = code()\n\nDone.", "two", "evil"),
    "indented code in a list": ("- Run this:\n\n      one = code()\n\nAll is well.", "one", "evil"),
    "an environment": ("It is\n\\begin{equation}\nE = mc^2\n\\end{equation}\nwell.", "mc^2", "mc^3"),
    "an environment in its like": (r"\begin{a}\begin{a}x\end{a} mc^2\end{a} well.", "mc^2", "mc^3"),
    "a formula": ("It is $mc^2$ and so on.", "mc^2", "mc^3"),
    "a formula on its own": ("It is\n$$\nmc^2\n$$\nand so on.", "mc^2", "mc^3"),
    "a diagram": ("Look:\n\n```mermaid\ngraph TD; A-->B\n```\n", "A-->B", "A-->C"),
    "code in a tag": ("Call <code>f(x)</code> and see.", "f(x)", "g(x)"),
    "a long tag": (f'Here <img alt="{"A" * 450}" src="a.png"> it is.', "a.png", "b.png"),
    "a picture in a tag": (f'Here <img src="data:image/png;base64,{"A" * 9_000}" alt="Map"> it is.', "Map", "Cat"),
    "a long tag with a lone quote": (f"Here <p title=it's {'x' * 9_000} id=a> it is.", "id=a", "id=b"),
    "a fence behind a mark with words": ("Run:\n\n```py\none()\n``` so\ntwo()\n```\nDone.", "two()", "evil()"),
    "a fence of waves": ("Run:\n\n~~~\none()\n~~~ so\ntwo()\n~~~~\nDone.", "two()", "evil()"),
    "a script": ("Here <SCRIPT>run()</script> it is.", "run()", "hack()"),
    "a comment": ("Here <!-- a note --> it is.", "a note", "another"),
    "a target with brackets": ("[a](wiki/B_(c)) is it.", "B_(c)", "D_(c)"),
}


@pytest.mark.parametrize("form", FORMS)
def test_no_edit_changes_it(form: str) -> None:
    text, old, new = FORMS[form]
    with pytest.raises(EditRefused) as refused:
        apply_edits(PlainUnit.of(stem=text), [Edit("u", "stem", old, new)])
    assert refused.value.reason == "protected"


@pytest.mark.parametrize(
    "more",
    [
        "[click](http://evil.example)",
        "[click](javascript:alert(1))",
        "[click]( <javascript:alert(1)> )",
        "![x](http://evil.example/p.png)",
        "<http://evil.example>",
        "http://evil.example",
        '<a href="http://evil">x</a>',
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "\n\n[Wind]: http://evil.example\n",
        "<!-- burnish-ignore: truncation -->",
        "<!-- ",
        f'<img title="{"x" * 5_000}" onerror="alert(1)">',
        f"<img title=it's {'x' * 5_000} onerror=alert(1)>",
    ],
)
def test_no_edit_brings_it_in(more: str) -> None:
    with pytest.raises(EditRefused) as refused:
        apply_edits(PlainUnit.of(stem="The wind blows. It is cold."), [Edit("u", "stem", "blows.", f"blows. {more}")])
    assert refused.value.reason == "protected"
    assert outward_parts(f"The wind blows. {more}")


@pytest.mark.parametrize(
    "text",
    [
        "1. First\n\n    More of the first.\n\n2. Second",
        "- a\n    - b\n        - c",
        "A line\n    that only hangs over.",
        "[Note]: this is a sentence.",
        "[^1]: A footnote with words.",
        "If a < b and c > d, it holds. \\begin{x} never ends.",
    ],
)
def test_prose_stays_open_to_edits(text: str) -> None:
    assert protected_parts(text) == []


def test_an_address_is_the_same_however_it_is_marked() -> None:
    assert outward_parts("<https://a.b/c>") == outward_parts("[x](https://a.b/c)") == outward_parts("https://a.b/c.")
