"""Redaction: no secret reaches the disk, a log or a terminal, and no content is rewritten on the way.

Diagnostics (errors, events, notes, error pages, logs) lose every known secret and everything with the shape of one.
Content (drafts, edits, findings, the plan) is never changed: `POSTGRES_PASSWORD=postgres` must not change a question
about databases. So keys must not get into content at all: a source or a person's text with a plain key
(`is_plain_key`) is refused, and a model's answer that repeats one is not used.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import repeat
from typing import Any, overload
from urllib.parse import quote

from burnish.core.documents import SHORTEST_SECRET

REDACTED = "[redacted]"

SHORTEST_KEY = 16
"""A secret of this length that is not only letters is plainly a key: texts do not contain it by chance."""

# Every lookahead is bounded, so that all patterns stay linear.
_MIXED = r"(?=[^\s\"',;]{0,200}(?:\d|[a-z][A-Z]|=))"  # a digit, a camel-case hump or an equals sign: prose has none
_TOKEN = r"[A-Za-z0-9._~+/=-]"
_HEADER = r"(?i:authorization)[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
_SCHEME = r"(?i:basic|bearer|token|digest|negotiate|apikey)"
_NAMES = (
    r"(?i:(?:x-)?api[_-]?key|(?:access|auth|refresh|id)[_-]?token|client[_-]?secret|secret[_-]?(?:access[_-]?)?key"
    r"|aws[_-]?secret)"
)
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        # sk-..., sk-proj-..., sk-ant-api03-...: a long run with a digit, so that sk-learn and slugs survive
        (
            r"(?<![A-Za-z0-9_-])sk-(?:[A-Za-z0-9]{1,12}-){0,3}(?=[A-Za-z0-9_-]{0,200}\d)[A-Za-z0-9_]{16}[A-Za-z0-9_-]*",
            REDACTED,
        ),
        (r"(?<![A-Za-z0-9_-])(?:gsk|hf|ghp|gho|github_pat|xai|r8|pplx)[_-](?=\w{0,200}\d)\w{20,}", REDACTED),
        (r"\bAKIA[0-9A-Z]{16}\b|\bAIza[0-9A-Za-z_-]{35}", REDACTED),
        (r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*", REDACTED),
        (rf"\b({_HEADER}{_SCHEME}\s{{1,3}}){_MIXED}{_TOKEN}{{8,}}", rf"\1{REDACTED}"),
        (rf"\b({_HEADER}){_MIXED}{_TOKEN}{{16,}}", rf"\1{REDACTED}"),
        (rf"\b((?i:bearer|basic)\s{{1,3}}){_MIXED}{_TOKEN}{{16,}}", rf"\1{REDACTED}"),
        (rf"\b((?:{_NAMES}|(?i:password|passwd|pwd))=)[^\s\"'&;,]{{4,}}", rf"\1{REDACTED}"),
        (rf"\b({_NAMES}[\"']?\s{{0,3}}[:=]\s{{0,3}}[\"']?){_MIXED}[^\s\"'&;,]{{8,}}", rf"\1{REDACTED}"),
        (r"(?<![A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,20}://)[^\s/@:]{0,256}:[^\s/@]{1,256}@", rf"\1{REDACTED}@"),
    )
)
SHORTEST_SHAPE = 20
"""Shorter words of letters, digits and underscores cannot match a shape. Most texts in a journal are such words
(states, reasons), which are not searched."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([\"\\/]))")
_SECRET_FIELDS = frozenset(
    {
        *("authorization", "proxy_authorization", "cookie", "set_cookie"),
        *("api_key", "apikey", "x_api_key", "x_goog_api_key", "secret_key", "client_secret", "password", "passwd"),
        *("access_token", "auth_token", "refresh_token", "id_token"),
    }
)
"""Fields of JSON diagnostics whose text is always a secret."""


def is_plain_key(secret: str) -> bool:
    """Return whether a secret cannot be an ordinary word or phrase of content; default passwords often can."""
    return len(secret) >= SHORTEST_KEY and not secret.isalpha()


class Redactor:
    """Removes secrets from text and JSON values."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret.strip() for secret in secrets}
        self._known = _any_of(known)
        self._keys = _any_of(secret for secret in known if is_plain_key(secret))

    def holds_key(self, value: Any) -> bool:
        """Return whether a text or JSON value holds a plain key. Such content is refused, never changed."""
        if self._keys is None:
            return False
        together = "\n".join(_texts(value))
        return any(self._keys.search(text) for text in (together, _unescaped(together)))

    @property
    def knows_keys(self) -> bool:
        """Whether any keys are known."""
        return self._keys is not None

    @overload
    def conversation(self, value: str) -> str: ...
    @overload
    def conversation(self, value: Any) -> Any: ...
    def conversation(self, value: Any) -> Any:
        """Return a request to a model without keys; ordinary words stay. The model's answer is never changed."""
        keys = self._keys
        return value if keys is None else _walk(value, lambda text: keys.sub(REDACTED, text), frozenset())

    @overload
    def diagnostics(self, value: str) -> str: ...
    @overload
    def diagnostics(self, value: Any) -> Any: ...
    def diagnostics(self, value: Any) -> Any:
        """Return a text or JSON value without the known secrets and without anything that looks like one."""
        return _walk(value, self._without_any, _SECRET_FIELDS)

    def _without_any(self, text: str) -> str:
        text = text if self._known is None else self._known.sub(REDACTED, text)
        if len(text) < SHORTEST_SHAPE and text.isidentifier():
            return text
        for pattern, replacement in _SHAPES:
            text = pattern.sub(replacement, text)
        return text


def _walk(value: Any, clean: Callable[[str], str], secret_fields: frozenset[str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        cleaned = {}
        for key, item in value.items():
            is_secret = isinstance(item, str) and item and str(key).casefold().replace("-", "_") in secret_fields
            cleaned[_walk(key, clean, secret_fields)] = REDACTED if is_secret else _walk(item, clean, secret_fields)
        return cleaned
    if isinstance(value, list | tuple):
        return list(map(_walk, value, repeat(clean), repeat(secret_fields)))
    return value


def _texts(value: Any) -> Iterator[str]:
    """Yield every text inside a JSON value, including names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def _unescaped(text: str) -> str:
    """Return the text as a JSON parser reads it: `sk\\u002d1` and `a\\/b` are other spellings of keys."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text) if "\\" in text else text


def _any_of(secrets: Iterable[str]) -> re.Pattern[str] | None:
    forms = {form for secret in secrets for form in _forms(secret)}
    usable = sorted(
        (form for form in forms if len(form) >= SHORTEST_SECRET and form not in REDACTED), key=len, reverse=True
    )
    return re.compile("|".join(map(re.escape, usable))) if usable else None


def _forms(secret: str) -> Iterable[str]:
    """Yield the forms of a secret: plain, in a URL, inside JSON, in Base64."""
    yield secret
    yield quote(secret, safe="", errors="surrogatepass")
    yield json.dumps(secret)[1:-1]
    yield base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode().rstrip("=")
