"""Leftovers of prompts in a text: marks of chat templates, a model's thinking, and orders to whoever writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from burnish.core.findings import Severity
from burnish.languages.slips import Slip
from burnish.languages.tables import joined_lines, table
from burnish.text.markdown import Markdown

TOKENS = re.compile(
    r"<\|[a-z_]{2,30}\|>|\[/?INST\]|<</?SYS>>|</?(?:think|thinking|thought|reasoning|scratchpad)>|<(?:start|end)_of_turn>"
    r"|^\s{0,3}#{2,4} (?:Instruction|Response|Input|Prompt|System|Assistant|User):[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
SUGGESTION = "Take it away, and make sure that the text around it is whole."
LONGEST = 600
"""Characters of a block that are looked at: orders stand at its beginning."""
LONGEST_ORDER = 160
"""Characters of a paragraph that is nothing but an order."""


@cache
def _patterns(name: str) -> re.Pattern[str]:
    listed = table("prompts")[name]
    return re.compile("|".join(f"(?:{joined_lines(pattern)})" for pattern in listed), re.IGNORECASE)


@cache
def _orders_by_vocabulary() -> re.Pattern[str]:
    """A verb that orders a text, and behind it in the same block something that only an order speaks of."""
    found = []
    for words in table("prompts")["vocabulary"].values():
        strong, weak = words["strong"], words["weak"]
        behind = rf"(?:\b{strong}|\b{weak}\b[^\n]{{0,80}}?\b{weak}\b)"
        found.append(rf"{words['verbs']}\b[^\n]{{0,100}}?{behind}|(?:{words['answers']})\b")
    return re.compile("|".join(f"(?:{pattern})" for pattern in found), re.IGNORECASE)


def _is_order(prose: str) -> re.Match[str] | None:
    """Whether a short block is an order by its vocabulary. A longer one is a text that begins with advice."""
    return _orders_by_vocabulary().match(prose) if len(prose.strip()) <= LONGEST_ORDER else None


def prompts(view: Markdown) -> Iterator[Slip]:
    """Marks, counted words and orders."""
    code = [(b.start, b.end) for b in view.blocks if b.kind == "code"]
    for token in TOKENS.finditer(view.text):
        if not any(start <= token.start() < end for start, end in (*code, *view.structure.code)):
            yield _slip(view, *token.span(), "error")
    for block in view.prose_blocks:
        if block.quoted or block.kind in ("table", "footnote"):
            continue
        prose = view.prose[block.start : min(block.end, block.start + LONGEST)].lstrip("*_ \t")
        shift = block.end - block.start - len(view.prose_of(block).lstrip("*_ \t"))
        for name, severity in SEVERITIES:
            match = _patterns(name).match(prose)
            if match is not None:
                yield _slip(view, block.start + shift, block.start + shift + match.end(), severity)
                break
        else:
            order = _is_order(prose) if block.kind == "paragraph" else None
            if order is not None:
                yield _slip(view, block.start + shift, block.start + shift + order.end(), "warning")


SEVERITIES: tuple[tuple[str, Severity], ...] = (("counted", "error"), ("orders", "error"), ("likely", "warning"))
"""Lists of the data file, and how sure each is."""


def _slip(view: Markdown, start: int, end: int, severity: Severity) -> Slip:
    shown = " ".join(view.text[start:end].split())[:60]
    return Slip(start, end, f"This is left over from a prompt ({shown!r}).", SUGGESTION, severity=severity)
