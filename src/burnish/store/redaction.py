"""Redaction: no secret reaches the disk, a log or a terminal.

Two strengths. Secrets whose values are known (API keys from the settings) are taken out of everything. Text that only
has the shape of a secret is taken out of diagnostics (errors, events, logs), but not out of content: a lesson about
HTTP may well show `Authorization: Bearer ...`, and what we publish must be what was written.
"""

from __future__ import annotations

import base64
import json
import logging
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, overload
from urllib.parse import quote

REDACTED = "[redacted]"

SHORTEST_SECRET = 8
"""Shorter values are placeholders such as `none` or `ollama`; taking them out would mangle ordinary words."""

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
_SECRET_FIELDS = frozenset(
    {
        *("authorization", "proxy_authorization", "cookie", "set_cookie"),
        *("api_key", "apikey", "x_api_key", "x_goog_api_key", "secret_key", "client_secret", "password", "passwd"),
        *("access_token", "auth_token", "refresh_token", "id_token"),
    }
)
"""Fields of JSON diagnostics whose text is a secret whatever it looks like."""


class Redactor:
    """Takes secrets out of text and of JSON values."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {form for secret in secrets for form in _forms(secret.strip())}
        usable = sorted((form for form in forms if _is_usable(form)), key=len, reverse=True)
        self._known = re.compile("|".join(map(re.escape, usable))) if usable else None

    @overload
    def content(self, value: str) -> str: ...
    @overload
    def content(self, value: Any) -> Any: ...
    def content(self, value: Any) -> Any:
        """A text or JSON value without the known secrets, otherwise as it was."""
        return value if self._known is None else _walk(value, self._without_known, frozenset())

    def content_bytes(self, data: bytes) -> bytes:
        """The same for bytes of a file, which need not be valid UTF-8."""
        if self._known is None:
            return data
        return self._known.sub(REDACTED, data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    @overload
    def diagnostics(self, value: str) -> str: ...
    @overload
    def diagnostics(self, value: Any) -> Any: ...
    def diagnostics(self, value: Any) -> Any:
        """A text or JSON value without the known secrets and without anything that looks like one."""
        return _walk(value, self._without_any, _SECRET_FIELDS)

    def _without_known(self, text: str) -> str:
        return text if self._known is None else self._known.sub(REDACTED, text)

    def _without_any(self, text: str) -> str:
        text = self._without_known(text)
        for pattern, replacement in _SHAPES:
            text = pattern.sub(replacement, text)
        return text


class RedactedLog(logging.Filter):
    """A logging filter: every message that passes it is redacted. Attach it to handlers."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._redactor.diagnostics(record.getMessage()), None
        if record.exc_info:
            record.exc_text = self._redactor.diagnostics(logging.Formatter().formatException(record.exc_info))
        return True


def _walk(value: Any, clean: Callable[[str], str], secret_fields: frozenset[str]) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {
            _walk(key, clean, secret_fields): REDACTED
            if isinstance(item, str) and item and _field_name(key) in secret_fields
            else _walk(item, clean, secret_fields)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_walk(item, clean, secret_fields) for item in value]
    return value


def _field_name(key: object) -> str:
    return str(key).casefold().replace("-", "_")


def _forms(secret: str) -> Iterable[str]:
    """The ways in which one secret can turn up: as it is, in a URL, inside JSON, in Base64."""
    yield secret
    yield quote(secret, safe="", errors="surrogatepass")
    yield json.dumps(secret)[1:-1]
    yield base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def _is_usable(form: str) -> bool:
    return len(form) >= SHORTEST_SECRET and form not in REDACTED
