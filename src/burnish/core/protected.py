"""Protected text: code, LaTeX, link targets and placeholders, which no edit may touch.

One walk through the text, however it was written: what opens and never closes is looked for once, not once for each
opening. Content is hostile, and a pattern that starts again at every fence would take the square of its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,})(?P<after>.*)$", re.MULTILINE)
TICKS = re.compile(r"`+|\n")
OPENING = re.compile(
    r"""
    (?P<ticks>`+)
  | (?P<display>\$\$|\\\[|\\\()
  | (?P<whole>
        \$(?=\S)[^$\n]{1,400}(?<=\S)\$(?!\d)                # $x$, but not the prices in "$5 or $6"
      | (?<=\]\()[^()\s]+(?:\s+"[^"\n]*")?(?=\))            # the target of a Markdown link
      | \{[A-Za-z_][\w.]*\} | %\([A-Za-z_]\w*\)[sdfr] | %[sdfr]\b
    )
    """,
    re.VERBOSE,
)
CLOSING = {"$$": "$$", r"\[": r"\]", r"\(": r"\)"}


def protected_parts(text: str) -> list[str]:
    """Every protected part of the text, in order."""
    parts: list[str] = []
    at = 0
    for start, end in _fenced(text):
        parts += _inline(text[at:start])
        parts.append(text[start:end])
        at = end
    parts += _inline(text[at:])
    return parts


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Fenced code, from the line that opens it to the line that closes it. A fence that never closes is no code."""
    lines = list(FENCE.finditer(text))
    closable = _longest_closing(lines)
    opening: re.Match[str] | None = None
    for line, longest_after in zip(lines, closable, strict=True):
        mark = line["mark"]
        if opening is None:
            is_closed = longest_after.get(mark[0], 0) >= len(mark)
            opening = line if is_closed and not _is_inline(line) else None
        elif _closes(line) and mark.startswith(opening["mark"]):
            yield opening.start(), line.end()
            opening = None


def _longest_closing(lines: list[re.Match[str]]) -> list[dict[str, int]]:
    """For each line with a fence, the longest fence of either sort that closes something on a later line."""
    longest: dict[str, int] = {}
    after: list[dict[str, int]] = []
    for line in reversed(lines):
        after.append(longest)
        mark = line["mark"]
        if _closes(line) and len(mark) > longest.get(mark[0], 0):
            longest = {**longest, mark[0]: len(mark)}
    return after[::-1]


def _closes(line: re.Match[str]) -> bool:
    return not line["after"].strip()


def _is_inline(line: re.Match[str]) -> bool:
    """Three backticks that close on their own line are code within the line."""
    return line["mark"][0] == "`" and "`" in line["after"]


def _inline(text: str) -> Iterator[str]:
    """The protected parts of text without fenced code."""
    code_ends = _code_ends(text)
    hopeless: set[str] = set()
    at = 0
    while match := OPENING.search(text, at):
        end: int | None = match.end()
        if match.lastgroup == "ticks":
            end = code_ends.get(match.start())
        elif match.lastgroup == "display":
            end = _display_end(text, match, hopeless)
        if end is None:
            # Of two dollars that open nothing, the second may still open something with the third.
            at = match.start() + 1 if match["display"] == "$$" else match.end()
        else:
            yield text[match.start() : end]
            at = end


def _code_ends(text: str) -> dict[int, int]:
    """Where a run of backticks begins -> where the next run of that length on the same line ends."""
    ends: dict[int, int] = {}
    latest: dict[int, int] = {}
    for run in TICKS.finditer(text):
        if run.group() == "\n":
            latest.clear()
            continue
        length = run.end() - run.start()
        if length in latest:
            ends[latest[length]] = run.end()
        latest[length] = run.start()
    return ends


def _display_end(text: str, opening: re.Match[str], hopeless: set[str]) -> int | None:
    """Where the formula ends. What was not found once stands nowhere further on either, and is `hopeless`."""
    closing = CLOSING[opening.group()]
    found = -1 if closing in hopeless else text.find(closing, opening.end() + 1)
    if found < 0:
        hopeless.add(closing)
        return None
    return found + len(closing)
