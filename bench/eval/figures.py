"""Figures that can be read: shares with their 95 % interval, and halves of data that were not looked at."""

from __future__ import annotations

from hashlib import sha256
from math import sqrt


def is_open(name: str) -> bool:
    """Whether a case belongs to the half that rules were written with. By hash: nobody chooses."""
    return sha256(name.encode()).digest()[0] % 2 == 0


def interval(hits: float, n: int) -> str:
    """The share, n and Wilson's 95 % interval."""
    if n == 0:
        return "n=0"
    z, share = 1.96, hits / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    width = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return f"{share:.1%}, n={n}, 95 % {max(0.0, middle - width):.1%}-{min(1.0, middle + width):.1%}"
