"""Whether units are still the ones that somebody looked at: none came, none went, none has moved."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

SIZE = 32
"""Characters of a digest."""


def digest_of(moments: Mapping[str, str]) -> str:
    """One value for units and the moments of their rows, in their order."""
    found = sha256()
    for unit, at in moments.items():
        found.update(f"{len(unit)}:{unit}{at}\n".encode("utf-8", "surrogatepass"))
    return found.hexdigest()[:SIZE]
