"""Pieces of Markdown that all generated pages share."""

from __future__ import annotations

from collections.abc import Iterable

GENERATED = "<!-- Written by `make docs`; changes made here are lost. -->\n\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table, with every bar in a cell escaped."""
    lines = (head, tuple("---" for _ in head), *rows)
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def sentence(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]
