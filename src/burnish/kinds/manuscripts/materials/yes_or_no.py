"""Yes or no, as people write it in a cell."""

from __future__ import annotations

from burnish.core.errors import InputError

YES = frozenset({"yes", "y", "true", "1", "x", "✓", "do not translate", "do-not-translate", "dnt"})
NO = frozenset({"", "no", "n", "false", "0", "-"})


def yes_or_no(cell: str, path: str, line: int, field: str) -> bool:
    """What the cell says; InputError where it is neither."""
    said = cell.strip().lower()
    if said not in YES | NO:
        raise InputError(
            f"{cell[:60]!r} is neither yes nor no.",
            path=path,
            line=line,
            field=field,
            code="bad_field",
            hint="Write yes or no.",
        )
    return said in YES
