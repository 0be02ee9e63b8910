"""The Markdown view: what is prose, and that every position is one of the original."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.text.markdown import STANDS_FOR, forget_views, markdown

PIECES = (
    "*", "**", "_", "`", "```", "~~~\n", "[", "](", ")", "]", "![", "[a]: b", "[^1]", "<div>", "</div>", "<!--",
    "{% x", "%}", "{: .a}", "$", "$$", "\\(", "\n", "\n\n", "    ", "\t", "> ", "- ", "1. ", "# ", "===\n",
    "---\n", "|",
    "word ",
    "https://a.org/b ", "水", "а", ":", "\\", "\r\n", "\x0c", "<pre>", "{% highlight %}",
    "<code>", "</code>", "\\begin{a}", "\\end{a}",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=30).map("".join)


def kinds(text: str) -> list[str]:
    return [block.kind for block in markdown(text).blocks]


@given(TEXTS)
def test_prose_is_as_long_as_the_text_and_says_nothing_else(text: str) -> None:
    view = markdown(text)
    assert len(view.prose) == len(text)
    assert all(p == t or p in f" \n{STANDS_FOR}" for p, t in zip(view.prose, text, strict=True))


@given(TEXTS)
def test_blocks_and_links_lie_in_the_text_in_order(text: str) -> None:
    view = markdown(text)
    at = 0
    for block in view.blocks:
        assert 0 <= block.start <= block.end <= len(text)
        assert block.start >= at
        at = block.start
    for link in view.links:
        assert link.start < link.text_start <= link.text_end < link.target_start <= link.target_end < link.end


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\n\nb\nc\n\nd", ["heading", "paragraph", "paragraph"]),
        ("A\n===\n\nB\n---\n\nc", ["heading", "heading", "paragraph"]),
        ("- a\n- b\n\n1. c\n2) d", ["item", "item", "item", "item"]),
        ("a\n\n    code\n    more\n\nb", ["paragraph", "code", "paragraph"]),
        ("- a\n\n    not code\n", ["item", "paragraph"]),
        ("```\na\n\n# b\n```\nc", ["code", "paragraph"]),
        ("- ```\n  a\n  ```\nc", ["item", "code", "paragraph"]),
        ("> ```\n> a\n> ```\n\nc", ["code", "paragraph"]),
        ("| a | b |\n| - | - |\n| 1 | 2 |\n\nc", ["table", "paragraph"]),
        ("a | b\n--- | ---\n", ["table"]),
        ("[a]: https://b.org\n[^1]: A note.", ["definition", "footnote"]),
        ("{% include a.html %}\n\na\n{: .b}", ["liquid", "paragraph", "liquid"]),
        ("{% include a.html\n  b %}\nc", ["liquid", "paragraph"]),
        ("{% highlight python %}\na\n{% endhighlight %}\nb", ["code", "paragraph"]),
        ("<pre>\na\n\nb\n</pre>\nc", ["html", "paragraph"]),
        ("<div class='a'>\n\nb\n\n</div>", ["html", "paragraph", "html"]),
        ("<!-- a -->\n\n$$\nx\n$$\n\n$$y$$\n\n***", ["html", "math", "math", "rule"]),
        ("text\n2. no list\n1. a list", ["paragraph", "item"]),
        ("{{ a }} and words\n\n$5", ["paragraph", "paragraph"]),
    ],
)
def test_blocks(text: str, expected: list[str]) -> None:
    assert kinds(text) == expected


@pytest.mark.parametrize("text", ["```\na", "<pre>\na", "{% raw %}\na", "{% include\n\na", "$$\na\n\nb $$ c\n\n~~~\nd"])
def test_what_never_closes_is_told(text: str) -> None:
    assert any(not block.closed for block in markdown(text).blocks)


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("a `b` c", "a ### c"),
        ("a ``b ` c`` d", "a ######### d"),
        ("a $x$ b, $5 or $6", "a ### b, $5 or $6"),
        ("a \\(x\\) b \\[ c", "a ##### b \\[ c"),
        ("[a](b_c) ![d](e)", "[a]      #######"),
        ("[a][b] [c][]", "[a]    [c]  "),
        ("a <b>c</b> <d", "a    c     <d"),
        ("see https://a.org/b_c ok: d", "see ################# ok: d"),
        ("a {{ b }} {% c %} {% d", "a                 {% d"),
    ],
)
def test_what_is_no_prose_is_blanked(text: str, prose: str) -> None:
    assert markdown(text).prose.replace(STANDS_FOR, "#") == prose


def test_the_marks_of_a_quotation_are_blanked() -> None:
    view = markdown("> a\n> b")
    assert view.prose.split() == ["a", "b"] and view.blocks[0].quoted


def test_a_view_is_made_once_until_it_is_forgotten() -> None:
    first = markdown("Some text.")
    assert markdown("Some text.") is first
    forget_views()
    assert markdown("Some text.") is not first


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("See this:\n\n\\begin{align}\na &= b ** c 的\n\nx\n\\end{align}\n\nSo it is.", "See this: So it is."),
        ("As in\n\\begin{cases} 的 \\end{cases}\nhere.", "As in here."),
        ("As \\begin{a} \\begin{a} 的 \\end{a} ** \\end{a} here.", "As here."),
        ("Call <code>**kw 的</code> now.", "Call now."),
        ("Press <kbd>*</kbd> and <SAMP>的</samp>, <code>a</code> too.", "Press and , too."),
        ("Here <script>var 的</script> it is.", "Here it is."),
        ("A <code> that never closes.", "A that never closes."),
        ("\\begin{x} that never ends.", "\\begin{x} that never ends."),
    ],
)
def test_code_in_tags_and_latex_environments_are_no_prose(text: str, kept: str) -> None:
    view = markdown(text)
    assert " ".join(view.prose.replace(STANDS_FOR, " ").split()) == kept
    assert not view.emphasis and not view.loose_marks and len(view.prose) == len(text)
