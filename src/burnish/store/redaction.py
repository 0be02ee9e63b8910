"""Redaction: no secret reaches the disk, a log or a terminal, and no content is rewritten on the way.

Diagnostics (errors, events, notes, error pages, logs) lose every known secret and all that has the shape of one.
Content (drafts, edits, findings, the plan) is never touched: `POSTGRES_PASSWORD=postgres` must not change a question
about databases. A key may not get into content in the first place. What is plainly a key (`is_plain_key`) is looked
for at the doors: a source or a person's text that holds one is refused, a model's answer that repeats one is not used.
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
"""From this length on a value that is more than letters is plainly a key: no text holds it by chance."""

# Every look ahead is bounded, so that no text makes a pattern slower than linear.
_MIXED = r"(?=[^\s\"',;]{0,200}(?:\d|[a-z][A-Z]|=))"  # a digit, a hump or an equals sign: prose words have none
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
"""Letters, digits and underscores alone have the shape of a secret from this length on: most of what a journal is told
are such words (states, reasons), which need no look at all the shapes."""
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|([\"\\/]))")
_SECRET_FIELDS = frozenset(
    {
        *("authorization", "proxy_authorization", "cookie", "set_cookie"),
        *("api_key", "apikey", "x_api_key", "x_goog_api_key", "secret_key", "client_secret", "password", "passwd"),
        *("access_token", "auth_token", "refresh_token", "id_token"),
    }
)
"""Fields of JSON diagnostics whose text is a secret whatever it looks like."""


def is_plain_key(secret: str) -> bool:
    """Whether a secret cannot be an ordinary word or phrase of content, as default passwords often are."""
    return len(secret) >= SHORTEST_KEY and not secret.isalpha()


class Redactor:
    """Takes secrets out of text and of JSON values."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret.strip() for secret in secrets}
        self._known = _any_of(known)
        self._keys = _any_of(secret for secret in known if is_plain_key(secret))

    def holds_key(self, value: Any) -> bool:
        """Whether a text or JSON value holds what is plainly a key. Such content is refused, never rewritten."""
        if self._keys is None:
            return False
        together = "\n".join(_texts(value))
        return any(self._keys.search(text) for text in (together, _unescaped(together)))

    @property
    def knows_keys(self) -> bool:
        """Whether there is anything to look for."""
        return self._keys is not None

    @overload
    def conversation(self, value: str) -> str: ...
    @overload
    def conversation(self, value: Any) -> Any: ...
    def conversation(self, value: Any) -> Any:
        """What was said to a model, without keys; every ordinary word stays. What it answered is never rewritten."""
        keys = self._keys
        return value if keys is None else _walk(value, lambda text: keys.sub(REDACTED, text), frozenset())

    @overload
    def diagnostics(self, value: str) -> str: ...
    @overload
    def diagnostics(self, value: Any) -> Any: ...
    def diagnostics(self, value: Any) -> Any:
        """A text or JSON value without the known secrets and without anything that looks like one."""
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
    """Every text inside a JSON value, names included."""
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
    """The text as whoever reads it as JSON sees it: `sk\\u002d1` and `a\\/b` are keys written another way."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text) if "\\" in text else text


def _any_of(secrets: Iterable[str]) -> re.Pattern[str] | None:
    forms = {form for secret in secrets for form in _forms(secret)}
    usable = sorted(
        (form for form in forms if len(form) >= SHORTEST_SECRET and form not in REDACTED), key=len, reverse=True
    )
    return re.compile("|".join(map(re.escape, usable))) if usable else None


def _forms(secret: str) -> Iterable[str]:
    """The ways in which one secret can turn up: as it is, in a URL, inside JSON, in Base64."""
    yield secret
    yield quote(secret, safe="", errors="surrogatepass")
    yield json.dumps(secret)[1:-1]
    yield base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode().rstrip("=")
