"""Texts made to cost more than their length: each is one piece repeated, and each pattern has a piece that it fears."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count, islice
from typing import Any

PIECES: Mapping[str, str] = {
    "fences": "```x\n",
    "fences of two sorts": "~~~~\n```\n",
    "open display formulas": "\\[ ",
    "open inline formulas": "\\( ",
    "dollars": "$",
    "single dollars": "$a ",
    "backticks": "` `` ",
    "open brackets": "[",
    "open parentheses": "(",
    "open braces": "{a",
    "open links": '](a "',
    "links": "[a](b) ",
    "placeholders": "%(a {b} %s ",
    "commands": "\\frac{",
    "escapes": "\\n",
    "open tags": "<a ",
    "open quotes in tags": """<a "<b ' """,
    "open code tags": "<code><pre> ",
    "open comments": "<!-- ",
    "open environments": "\\begin{a} ",
    "crossed environments": "\\begin{a}\\begin{b}\\end{a} ",
    "definitions": "[a]: b\n",
    "open targets": "](a(b",
    "indented lines": "    a\n\n",
    "tags": "<b></b>",
    "entities": "&nbsp;&#1",
    "bold": "**a__b ",
    "headings": "# a  #\n",
    "option letters": "A, B and C, ",
    "letters with dots": "A. (B) C) ",
    "roman numerals": "I, II, III, ",
    "numbered statements": "1. a II. b ",
    "combinations": "A and B only ",
    "negations": "not ",
    "negations in capitals": "NOT EXCEPT LEAST ",
    "paraphrased negations": "all but one of the following is not ",
    "absolute terms": "always never only ",
    "hedges": "may often most of the ",
    "questions": "Which of the following is? ",
    "announced answers": "Answer: ",
    "marks": "?? ",
    "dots": ".",
    "spaced dots": ". ",
    "ellipses": "… ...",
    "abbreviations": "e.g. U.S. Dr. ",
    "initials": "A. B. ",
    "glued sentences": "abc.Def",
    "commas": ", ",
    "semicolons": "a;b ",
    "hyphens": "a-",
    "apostrophes": "a'",
    "quotes": '"a ',
    "curly quotes": "“a",
    "blanks to fill": "_",
    "spaced blanks": "__ ",
    "spaces": " ",
    "double spaces": "a  ",
    "tabs": "\t",
    "lines": "\n",
    "short lines": "a\n",
    "lines of spaces": " \n ",
    "one endless word": "ab",
    "one endless number": "1",
    "numbers": "12 ",
    "quantities": "5 mg/dL - 10 mg, ",
    "numbers in frames": "a1b",
    "ranges": "1-2-",
    "powers": "10^2 x ",
    "fractions": "1/",
    "dates": "3 March 1990 12:30 ",
    "lists": "a and b or c, ",
    "doubled words": "the the ",
    "articles": "a an the ",
    "lost words": "the of the is ",
    "people": "black man women are ",
    "inferences": "as a woman, she ",
    "looks": "pretty young ",
    "ages": "45-year-old ",
    "notes": "Note: TODO source: ",
    "addresses": "http://a.b/",
    "pointers": "in question the figure ",
    "teaching": "as you know remember that ",
    "foreign letters": "日本。",
    "accents": "é\u0301",
    "growing letters": "İ",
    "invisible letters": "\u200b",
    "broken encoding": "â€Ã",
    "surrogates": "\ud800",
}


MADE: Mapping[str, Callable[[int], str]] = {
    "runs of backticks": lambda length: _growing("`", length),
    "runs of fences": lambda length: "\n".join(reversed(_growing("`", length).split(" "))),
    "different words": lambda length: " ".join(islice((f"word{n}" for n in count()), length // 9)),
    "different placeholders": lambda length: " ".join(islice((f"{{a{n}}}" for n in count()), length // 8)),
    "nested brackets": lambda length: "(" * (length // 2) + ")" * (length // 2),
    "spaces before a word": lambda length: "# a" + " " * length + "b",
    "a word before the end": lambda length: "a" * length + "?",
}
"""Texts that are more than one piece."""

NAMES = (*PIECES, *MADE)


def hostile(name: str, length: int) -> str:
    """The hostile text of that name, about so many characters long."""
    if name in MADE:
        return MADE[name](length)
    piece = PIECES[name]
    return piece * (length // len(piece))


def _growing(mark: str, length: int) -> str:
    """Runs of 1, 2, 3, ... marks: no two are alike, so that none closes another."""
    runs = islice((mark * n for n in count(1)), int((2 * length) ** 0.5))
    return " ".join(runs)


def shapes(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Questions that hold the text in one place or another; what is not named here stays as in a sound question."""
    yield "stem", {"stem": text}
    yield "lead-in", {"stem": f"A man is ill. Which of the following {text}?"}
    yield "options", {"options": (text, f"{text}x", text[::-1], "Aspirin", "Digoxin")}
    yield "all but the stem", {"vignette": text, "rationale": text, "options": tuple(text[n::26] for n in range(26))}
