"""Words of models and of content, made fit to be quoted: one short line, without anything that steers a terminal."""

from __future__ import annotations

from burnish.core.edits import CONTROL


def plain_line(text: str, longest: int) -> str:
    """The text on one line, without control characters, cut off with `…` where it is longer."""
    line = " ".join(CONTROL.sub(" ", text).split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"
