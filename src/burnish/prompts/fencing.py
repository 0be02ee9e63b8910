"""Fences: untrusted text stands between two lines that it can neither guess nor contain.

The fence is made from a nonce of the run and from everything that shapes the call, so it is new for every call and yet
the same when the run is resumed: the recorded reply is found again.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

LENGTH = 24
"""Hex digits: 96 bits that a text would have to guess."""


def fence_for(nonce: str, unfenced_key: str, texts: Iterable[str]) -> str:
    """A token that none of `texts` contains."""
    contained = list(texts)
    for turn in range(1_000):
        message = f"{unfenced_key}:{turn}".encode()
        token = hmac.new(nonce.encode(), message, hashlib.sha256).hexdigest()[:LENGTH]
        if not any(token in text for text in contained):
            return token
    raise AssertionError("a thousand tokens of 96 bits cannot all stand in the text")


def fenced(name: str, text: str, fence: str) -> str:
    """`text` between its fences, which say what it is."""
    return f"[{fence} {name}]\n{text}\n[/{fence} {name}]"
