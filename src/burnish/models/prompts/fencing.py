"""Fences around untrusted text.

A fence's token is new for each call and the same on resume: it is derived from a secret nonce in the run's manifest
and the key of the call as it would be without fences. A token that occurs in the text is passed over for the next one,
so no text can close its fence; that nobody could have guessed it keeps a model from being talked into a wrong one.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable

TOKEN_LENGTH = 12
"""Hex digits. The content was written before the nonce was drawn, so there is one guess, not many; more would only
cost tokens."""


def fence_token(nonce: str, unfenced_key: str, texts: Iterable[str]) -> str:
    """The token for one call; it occurs in none of `texts`, whatever their case."""
    lowered = [text.casefold() for text in texts]
    round = 0
    while True:
        message = f"{round}\n{unfenced_key}".encode()
        token = hmac.new(nonce.encode(), message, hashlib.sha256).hexdigest()[:TOKEN_LENGTH]
        if not any(token in text for text in lowered):
            return token
        round += 1


def fenced(text: str, *, name: str, token: str) -> str:
    """`text` between its fence lines; the opening one says what is inside."""
    return f"<<<{token} {name}\n{well_formed(text)}\n{token}>>>"


def well_formed(text: str) -> str:
    """`text` without halves of surrogate pairs, which no request can carry."""
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
