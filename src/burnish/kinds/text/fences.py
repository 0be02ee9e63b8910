"""Code fences: one that never closes turns the rest of the text into code."""

from __future__ import annotations

from collections.abc import Iterator

from burnish.kinds.text.markdown import Markdown
from burnish.kinds.text.slips import Slip


def open_fences(view: Markdown) -> Iterator[Slip]:
    """The fence that is never closed; there is at most one, because it takes all that follows."""
    if view.blocks and (last := view.blocks[-1]).kind == "code" and not last.closed:
        end = view.text.find("\n", last.start)
        fence = last.marker if last.marker[:1] in ("`", "~") else f"{{% {last.marker} %}}"
        yield Slip(
            last.start,
            end if end > 0 else last.end,
            f"This code is opened with {fence} and never closed: the text breaks off in it, or swallows what follows.",
            "Close the code, or write the rest of it.",
            severity="critical",
        )
