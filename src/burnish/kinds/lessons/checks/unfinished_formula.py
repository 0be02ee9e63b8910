"""unfinished_formula: a formula that is not closed, or lacks a part.

What it looks for: `$`, `$$`, `\\(`, `\\[` and `\\begin{...}` before a formula without an end, unbalanced braces and
`\\left` inside a formula, and LaTeX commands in prose (a warning). Prices, shell variables, escaped brackets and code
are not reported.
Why it matters: the page shows the LaTeX source instead of the formula, and the text after it may disappear.
Fix: needs an author or a model to find where the formula ends.
"""

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import text_findings
from burnish.kinds.lessons.model import LessonUnit
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown
from burnish.text.structure import Block

COMMAND = (
    r"\\(?:d?frac|sqrt|sum|prod|int|lim|alpha|beta|gamma|delta|epsilon|theta|lambda|mu|pi|rho|sigma|tau|phi|omega|cdot"
    r"|times|div|left|right|bar|hat|vec|overline|text|mathbf|mathrm|mathbb|infty|partial|nabla|le|leq|ge|geq|neq|approx"
    r"|equiv|pm|sin|cos|tan|log|ln|exp)(?![A-Za-z])"
)
MATHS = re.compile(rf"{COMMAND}|[\w)}}][_^][{{\w(]|[\w)}}&]\s*=\s*[\w\\({{-]|\w\s?&\s?-?\w{{1,8}}\s?(?:&|\\\\)")
"""Signs that are common in formulas and rare in prose."""
OPENING = re.compile(r"\\begin\{[a-z]+\*?\}|\\\[|\\\(|\$\$|(?<![\w$\\])\$(?=[A-Za-z\\{(])")
BARE = re.compile(COMMAND)
BRACE = re.compile(r"(?<!\\)[{}]")
SIDE = re.compile(r"\\(left|right|begin|end)(?![A-Za-z])")
DOUBLED = re.compile(r"\\\\[(\[](?:[^\\\n]|\\(?!\\[)\]])){1,400}+\\\\[)\]]")
"""A formula between doubled backslashes, which some sites require."""
NEAR = 120
"""Characters after an opening mark that must contain a sign of a formula."""
SHELL = re.compile(r"\$[A-Za-z_]+(?:\s*=\s*[\"'$\d]|[\[\].,;:)]|$|\s+[a-z]{3})")
"""A shell or PHP variable that is not marked as code."""
SUGGESTION = "Close the formula, or write the rest of it."


def unfinished(view: Markdown) -> Iterator[Slip]:
    """Formulas without an end, incomplete formulas, and commands outside formulas."""
    if "$" not in view.text and "\\" not in view.text:
        return
    for start, end in sorted(
        (*view.structure.formulas, *((block.start, block.end) for block in view.blocks if block.kind == "math"))
    ):
        lost = _lost(view.text[start:end])
        if lost is not None:
            yield Slip(start, end, f"This formula lost a part: {lost}.", SUGGESTION)
    prose = DOUBLED.sub(lambda formula: " " * len(formula.group()), view.prose)
    for block in view.prose_blocks:
        yield from _opened(prose, block)


def _lost(formula: str) -> str | None:
    """The part of a formula that is unbalanced; None if there is none."""
    depth = 0
    for brace in BRACE.finditer(formula):
        depth += 1 if brace.group() == "{" else -1
        if depth < 0:
            return "a brace is closed that was never opened"
    if depth:
        return "a brace is never closed"
    counts = dict.fromkeys(("left", "right", "begin", "end"), 0)
    for side in SIDE.finditer(formula):
        counts[side[1]] += 1
    if counts["left"] != counts["right"]:
        return "\\left and \\right do not match"
    return "\\begin and \\end do not match" if counts["begin"] != counts["end"] else None


def _opened(prose: str, block: Block) -> Iterator[Slip]:
    """The first formula of a block without an end, or else its first command outside a formula."""
    for mark in OPENING.finditer(prose, block.start, block.end):
        end = min(block.end, mark.end() + NEAR)
        if MATHS.search(prose, mark.end(), end) is not None and not SHELL.match(prose, mark.start()):
            message = f"A formula is opened with {mark.group()!r} and never closed."
            yield Slip(mark.start(), end, message, SUGGESTION)
            return
    command = BARE.search(prose, block.start, block.end)
    if command is not None:
        message = f"{command.group()!r} is outside a formula."
        yield Slip(*command.span(), message, "Put the formula between dollar signs.", severity="warning")


@check(
    id="unfinished_formula",
    severity="error",
    bad=(
        {"text": "The force is $F = m \\cdot a and it grows with the mass."},
        {"text": "The area is \\( \\pi r^2 in all cases."},
        {"text": "It holds:\n\n\\begin{equation}\nE = mc^2\n\nThat is all."},
        {"text": "One half is $\\frac{1}{2$ of it."},
        {"text": "So we get \\frac{a}{b} as well."},
    ),
    good=(
        {"text": "The force is $F = m \\cdot a$, and $$\\frac{1}{2}$$ is one half."},
        {"text": "It costs $5 or $10 a month, and \\[this\\] is no link."},
        {"text": "Set $PATH to your folder, then run `x = \\frac` as code. Here \\\\(\\frac{a}{b}\\\\) is one half."},
        {"text": "It holds:\n\n$$\n\\left( a \\right) = \\begin{cases} 1 \\end{cases}\n$$\n\nThat is all."},
    ),
)
def unfinished_formula(unit: LessonUnit) -> Iterator[Finding]:
    yield from text_findings(unit, unfinished)
