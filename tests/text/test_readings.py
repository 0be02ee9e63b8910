"""How Markdown is read, piece by piece: each sample has one reading on record, in words that a person can check.

`make golden` writes the record: read the diff.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from burnish.text.foreign_markup import foreign_markup, masked
from burnish.text.markdown import (
    STANDS_FOR,
    broken_links,
    emphasised,
    enclosed,
    inline_markdown,
    labels,
    markdown,
    undefined,
)
from burnish.text.structure import Block, Link

READINGS = Path(__file__).parent / "readings.json"
SAMPLES = (
    # paragraphs and headings
    "One line.",
    "One line\nand another.\n\n\nA new one.  \n",
    "# One\n## Two ##\n\nThree\n=====\nFour\n---\n#5\n####### six",
    "  # A\n\n    # code",
    "# \n\n#\n\nText",
    "a\r\nb\r\n\r\nc\rd",
    "\n\n  a",
    "***\n- - -\n___\na",
    # lists
    "- a\n- b\n\n- c",
    "* a\n  b\n\n  c\n* d",
    "1. a\n2. b\n   - c\n     - d\n3) e",
    "- a\n\n      code\n- b",
    "- \n- a\n-\n",
    "- [ ] a\n- [x] b\n- [X]c",
    "10. a\n11. b",
    "- # a\n- > b\n- ```\n  c\n  ```",
    "text\n- a\ntext\n1. b\n2. c\ntext",
    "-\ta\n\t-\tb",
    "- a\n  1. b\n\n     c\n\n  d\n\ne",
    # quotations
    "> a\n> b\nc\n\nd",
    "> a\n>\n> > b\n> c",
    "> # a\n> - b\n>   c\n>\n> ```\n> d\n> ```",
    ">a\n\n>b",
    # code
    "```py\na\n\nb\n```\nc",
    "~~~\na\n```\n~~~",
    "```\na",
    "a\n\n    b\n    c\n\n    d\ne",
    "    a",
    "``a ` b`` `c` ` d",
    "`a\nb` c",
    # tables and definitions
    "| a | b |\n|---|:-:|\n| c `|` | d |\ne\n\nf",
    "a | b\n--|--\nc | d",
    "| a |\n|---|",
    "[a]: /b\n[c d]: <e f> 'g'\n[h]:\n/i\n\n[a] [c d][] [j][h] [k]",
    "[^1]: a\n    b\n\nc[^1] d[^2]",
    "- [^1]: a",
    "[A  b]: /c\n\n[a B] [x][a b] [y][z]",
    # links and emphasis
    "[a](b) ![c](d 'e') [f](<g h>) [i]( j ) [k](l(m)n)",
    "[a][b] [c][] [d] ![e][f]\n\n[b]: /x\n[c]: /y\n[d]: /z",
    "[a [b](c) d](e) [](f) [g]()",
    "*a* **b** ***c*** _d_ __e__ *f **g** h* i*j*k l_m_n",
    "*a **b* c** * d * **e\n\nf** *g",
    "**a*b** **c *d*** *e***f**",
    "\\*a\\* \\[b\\](c) \\`d\\`",
    "<https://a.b> <c@d.e> https://f.g/h_i). www.j.k",
    "~~a~~ ~b~ ~~c",
    # HTML
    "a <b>c</b> <d e='f>'> < g > <h",
    "<div>\na\n</div>\nb\n\nc",
    "<div>\n\na\n\n</div>",
    "<!-- a\n\nb -->\nc",
    "<!-- a",
    "<pre>\na\n\nb",
    "<script>\nlet a = '*b*';\n\n</script>\nc",
    "<?php a\n\n?>\nb\n\n<!DOCTYPE c>\n\n<![CDATA[d\n\ne]]>\nf",
    "- <div>\n  a\n\n  b",
    # formulas
    "a $b$ c $d e$ f $5 and $6 g",
    "$$\na\n\nb\n$$\nc",
    "$$a$$\n\nb $$c$$ d\n$$e$$",
    "\\(a\\) b \\[c\\] d \\(e",
    "\\[\na\n\\]\nb",
    "\\begin{a}\nb\n\n\\begin{a}c\\end{a}\n\\end{a}\nd",
    "a \\begin{b}c\\end{b} d \\begin{e}f",
    "- $$\n  a\n  $$\n- b",
    # markup of site generators
    "{% a %}\nb {{ c }} d {% e",
    "{% highlight py %}\n# a\n\n*b*\n{% endhighlight %}\nc",
    "{% raw %}\na\n\n{% endraw",
    "a\n{: .b #c}\n\n# d {: e}\n{:f}",
    "::: note\na\n:::\n\n:::: b",
    "> {% a %}\n> b\n>\n> {% c\n> d",
    "{{ a }} {% b %}\n\n{% c\n\nd %}",
    "`{% a %}` {% b `c` %} \\{% d %}",
    "```\n{% a\n```\n%} {{ b\n```\nc }}\n```",
    "{%\na\n%}\n{{b}}{%c%}\nd",
    "{%%}\n\n{{}}\n\n{:}",
    "a {{ b\nc }} d\n\n{{ e\n\nf }}",
    "{% comment %}a{% endcomment %}{% b %}",
    "a {% raw %} b\n\nc {% endraw %} d",
    "![a [b](c)](d) ![](e) [![f](g)](h) ![i][j]\n\n[j]: /k",
    "a\u2003\n\u2003\n\u00a0b {% c\n\u2003\nd %}",
    # quotation marks
    "He said \"a b\" and “c d” and «e» and 'f' (g) [h].",
    '"a\n\nb" "c „d“ ‚e‘ »f« 「g」',
    "It's the dogs' \"5'\" (a (b) c",
    # other scripts
    "Вода **水** [ⴰⵎⴰⵏ](/a) 😀 `код` *é*.\n\n- 水\n\n> 😀",
    "\u00a0\na\u2003\n\u3000\nb",
)
"""One of each construct, and what stands between them."""


def reading(text: str) -> list[str]:
    view = markdown(text, is_kept=False)
    found = view.structure
    known = labels(view)
    spans = {
        "code": found.code,
        "formula": found.formulas,
        "tag": found.tags,
        "address": found.autolinks,
        "loose": found.loose,
        "enclosed": enclosed(view),
        "emphasised": emphasised(view),
    }
    return [
        *(_block(text, block) for block in view.blocks),
        *(_link(text, link) for link in found.links),
        *(f"{words.width} marks at {words.start} around {text[slice(*words.inside)]!r}" for words in found.emphasis),
        *(f"{name} at {start}: {text[start:end]!r}" for name, each in spans.items() for start, end in each),
        *(f"label {label!r}" for label in sorted(known)),
        *(f"undefined at {start}: {text[start:end]!r} ({label})" for start, end, label in undefined(view, known)),
        *(f"broken link: {text[slip.start : slip.end]!r} {slip.severity}" for slip in broken_links(view, known)),
        *_foreign(text),
        f"prose {view.prose.replace(STANDS_FOR, '#')!r}",
        f"as one line {inline_markdown(text).prose.replace(STANDS_FOR, '#')!r}",
    ]


def _block(text: str, block: Block) -> str:
    said = [f"{block.kind} at {block.start}: {text[block.start : block.end]!r}"]
    said += [f"level {block.level}"] if block.level else []
    said += [f"mark {block.marker!r}"] if block.marker else []
    said += [f"in {block.holder}"] if block.holder else []
    said += [f"{block.quotes} quotes"] if block.quotes else []
    said += [] if block.closed else ["never closed"]
    return ", ".join(said)


def _link(text: str, link: Link) -> str:
    words, target = text[link.text_start : link.text_end], text[link.target_start : link.target_end]
    whole = text[link.start : link.end]
    name = "image" if link.image else "link"
    return f"{name} {link.form} at {link.start}: {words!r} to {target!r}, whole {whole!r}"


def _foreign(text: str) -> Iterator[str]:
    stretches = foreign_markup(text, (), ())
    for one in stretches:
        how = "" if one.closed else ", never closed", ", alone" if one.alone else ""
        yield f"{one.kind} {one.marker!r} at {one.start}: {text[one.start : one.end]!r}{''.join(how)}"
    if stretches:
        yield f"masked {masked(text, stretches)!r}"


def recorded(samples: Sequence[str]) -> str:
    return json.dumps({text: reading(text) for text in samples}, ensure_ascii=True, indent=1) + "\n"


def test_the_record_holds_every_sample() -> None:
    if os.environ.get("WRITE_GOLDEN"):
        READINGS.write_text(recorded(SAMPLES), encoding="utf-8")
    assert list(json.loads(READINGS.read_text(encoding="utf-8"))) == list(SAMPLES)


@pytest.mark.parametrize("text", SAMPLES)
def test_a_sample_is_read_as_recorded(text: str) -> None:
    assert reading(text) == json.loads(READINGS.read_text(encoding="utf-8"))[text]
