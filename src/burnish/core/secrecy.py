"""Secrets: which settings of the environment are one. Whoever writes something down asks here."""

from __future__ import annotations

SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""How the names of variables end that hold a secret."""

SHORTEST_SECRET = 8
"""Shorter values are placeholders such as `none` or `ollama`; taking them out would mangle ordinary words."""


def names_secret(variable: str) -> bool:
    """Whether a variable of this name holds a secret."""
    return variable.upper().endswith(SECRET_ENDINGS)
