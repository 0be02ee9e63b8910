"""Slips of a translation told as findings of its paragraph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from burnish.core.edits import Edit
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.slips import Slip, at_most, exchange


def told(paragraph: Paragraph, slips: Iterable[Slip]) -> Iterator[Finding]:
    """A finding for each slip; one that spans nothing is about something absent."""
    for slip in at_most(slips):
        yield Finding.at(
            paragraph,
            field=None,
            span=(slip.start, slip.end) if slip.end > slip.start else None,
            message=slip.message,
            suggestion=slip.suggestion,
            fix=_fix(paragraph, slip),
            severity=slip.severity,
        )


def _fix(paragraph: Paragraph, slip: Slip) -> Edit | None:
    # What was rendered from another script is mended there and rendered again.
    if slip.replacement is None or paragraph.latin is not None:
        return None
    exchanged = exchange(paragraph.translation, slip.start, slip.end, slip.replacement)
    return Edit(paragraph.id, None, *exchanged) if exchanged is not None else None
