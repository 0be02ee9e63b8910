"""People's notes: why they decide, what the next attempt should do better, what others should know.

One limit for every door. Nothing is cut: a note that is too long is refused, and pages show it again.
"""

from __future__ import annotations

from burnish.core.errors import UsageError

LONGEST_NOTE = 4_000
"""Characters."""


def note_of(text: str | None) -> str | None:
    """Return a note as it is kept, without white space at its ends; None if it is empty.

    Browsers send two characters for a line end that people see as one.
    """
    note = (text or "").replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(note) > LONGEST_NOTE:
        raise UsageError(
            f"The note has {len(note):,} characters; {LONGEST_NOTE:,} are allowed.", hint="Shorten it and try again."
        )
    return note or None
