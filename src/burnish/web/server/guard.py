"""The guard: checks access and limits of every request, and adds security headers to every response."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import logging
import math
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Literal
from urllib.parse import parse_qs, parse_qsl, urlencode

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from burnish.api.access import SAFE_METHODS, VISITOR, Access, Headers, Refused, Visitor
from burnish.api.messages import Problem, TooMuch, problem_json, problem_of
from burnish.app.settings import Serving
from burnish.core.errors import BurnishError, UsageError
from burnish.store.people import session_for
from burnish.web.rendering import page

BODY_SECONDS = 30.0
"""How long to wait for the next part of a request's body."""
MOST_VISITORS = 10_000
"""Rate limit buckets that are kept; the least recently used one is dropped first."""
JOBS = ("/api/v1/check", "/api/v1/estimate", "/api/v1/polish", "/api/v1/translate", "/new", "/samples")
"""Paths of requests that start expensive work."""


Sort = Literal["read", "change", "job", "stranger"]
STRANGER: Sort = "stranger"
"""Refused requests: counted apart, so that outsiders cannot use up the limit of a reviewer."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Requests allowed per second on average, and at once."""

    a_second: float
    at_once: float


class Rates:
    """Rate limits per client address, as token buckets."""

    def __init__(self, serving: Serving, clock: Callable[[], float] = time.monotonic) -> None:
        self._rates: dict[Sort, Rate] = {
            "read": Rate(serving.requests_per_second, serving.requests_per_second * 3),
            STRANGER: Rate(serving.requests_per_second, serving.requests_per_second * 3),
            "change": Rate(serving.changes_per_second, serving.changes_per_second * 3),
            "job": Rate(serving.jobs_per_minute / 60, max(10, serving.jobs_per_minute / 6)),
        }
        self._clock = clock
        self._buckets: OrderedDict[tuple[str, Sort], tuple[float, float]] = OrderedDict()

    def take(self, visitor: str, sort: Sort) -> None:
        """Count one request. Raise TooMuch if the bucket is empty."""
        rate, now, key = self._rates[sort], self._clock(), (visitor, sort)
        left, since = self._buckets.pop(key, (rate.at_once, now))
        left = min(rate.at_once, left + (now - since) * rate.a_second)
        taken = left >= 1
        self._buckets[key] = (left - 1 if taken else left, now)
        if len(self._buckets) > MOST_VISITORS:
            self._buckets.popitem(last=False)
        if not taken:
            wait = math.ceil((1 - left) / rate.a_second)
            raise TooMuch(
                Problem(
                    429,
                    "too_many_requests",
                    "Too many requests at once.",
                    f"Try again in {wait} s. The operator sets the limit in [serve] of the settings.",
                    headers={"Retry-After": str(wait)},
                )
            )


def sort_of(method: str, path: str) -> Sort:
    if method in SAFE_METHODS:
        return "read"
    return "job" if path.startswith(JOBS) or path.endswith(("/regenerate", "/courses")) else "change"


def limited_body(receive: Receive, declared: str | None, largest: int) -> Receive:
    """`receive` that refuses a body larger than `largest` bytes, or one that arrives too slowly."""
    if declared is not None and (not declared.isascii() or not declared.isdigit() or int(declared) > largest):
        raise _too_large(largest)
    seen = 0

    async def counted() -> Message:
        nonlocal seen
        try:
            message = await asyncio.wait_for(receive(), BODY_SECONDS) if seen >= 0 else await receive()
        except TimeoutError:
            raise TooMuch(
                Problem(408, "too_slow", "The rest of the request did not arrive.", "Send it again.")
            ) from None
        if message["type"] == "http.request":
            seen += len(message.get("body", b""))
            if seen > largest:
                raise _too_large(largest)
            if not message.get("more_body", False):
                seen = -1  # the body is complete: only the disconnect is left, which has no time limit
        return message

    return counted


def _too_large(largest: int) -> TooMuch:
    return TooMuch(
        Problem(
            413,
            "too_large",
            f"The request is larger than {largest >> 20} MB.",
            "Send less at a time; the operator sets the limit in [serve] of the settings.",
        )
    )


API = "/api/"
HEALTH = "/health"
LIVE = "/live"
"""A stream: its response does not end."""
JOIN = "/join"
SEEN_SECONDS = 60.0
MEGABYTE = 1 << 20
log = logging.getLogger("burnish.web")
COOKIE_SECONDS = 30 * 24 * 3600
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Mapping[str, str] = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
"""Headers of every response, unless it sets its own."""

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;"
    "padding:0 1.5rem}h1{font-size:1.25rem}code{font-size:.92em}"
)
_STYLE_HASH = f"sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}"


_INLINE_POLICY = POLICY.replace("style-src 'self'", f"style-src '{_STYLE_HASH}'")
"""For a page with inline styles."""


def answer(request: Request, problem: Problem) -> Response:
    """A problem as problem+json for the API, as a page for all else."""
    path = request.scope["path"]
    if path.startswith(API):
        return problem_json(path, problem)
    response = page(request, "error.html", status=problem.status, problem=problem)
    response.headers.update(problem.headers)
    return response


def handle_errors(app: FastAPI) -> None:
    """Turn every error of a route into a response."""
    for kind in (BurnishError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, lambda request, error: answer(request, problem_of(error)))


class Guard:
    """Middleware: checks access, enforces limits, and adds headers to every response."""

    def __init__(self, app: ASGIApp, access: Access, serving: Serving) -> None:
        self._app = app
        self._access = access
        self._rates = Rates(serving)
        self._largest = serving.max_body_mb * MEGABYTE
        self._seen_at: dict[str, float] = {}
        """Member -> when "last seen" was last saved."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sender = HeaderSender(send, is_bodiless=scope["method"] == "HEAD")
        if scope["path"] == HEALTH and scope["method"] in SAFE_METHODS:
            # For monitoring: open to everybody, so it says only that the server answers.
            await Response(b'{"status":"ok"}', media_type="application/json")(scope, receive, sender)
            return
        if scope["method"] == "HEAD" and scope["path"] != LIVE:
            # Answer HEAD as GET without the body. Without `accept`, no route answers with a stream.
            headers = [header for header in scope["headers"] if header[0] != b"accept"]
            scope = {**scope, "method": "GET", "headers": headers}
        try:
            early, bounded = self._admit(scope, receive)
            await (early or self._app)(scope, bounded, sender)
        except TooMuch as much:
            await answer(Request(scope), much.problem)(scope, receive, sender)
        except ClientDisconnect:
            log.warning("%s %s: the visitor left before all was sent", scope["method"], scope["path"])
        except Exception as error:
            if sender.has_begun:
                raise
            # Details go to the log only.
            log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
            await answer(Request(scope), problem_of(error))(scope, receive, sender)

    def _admit(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """The guard's own response, if it answers the request itself, and the body with its limits."""
        headers, method = Headers(scope["headers"]), scope["method"]
        visitor = (scope.get("client") or ("",))[0]
        try:
            if scope["path"] == JOIN:
                self._rates.take(visitor, STRANGER)
                return self._accept_invitation(scope, method, headers), receive
            found = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
            guest = self._access.enter(method, headers, found[0] if found else None, scope["path"])
        except Refused as refusal:
            self._rates.take(visitor, STRANGER)
            return _refusal(scope, refusal), receive
        self._rates.take(visitor, sort_of(method, scope["path"]))
        VISITOR.set(guest)
        if guest.member is not None:
            self._note_seen(guest.member.name)
        if guest.entrance == "link":
            return self._sign_in(scope, guest), receive
        return None, limited_body(receive, headers.one(b"content-length"), self._largest)

    def _note_seen(self, name: str) -> None:
        now = time.monotonic()
        if now - self._seen_at.get(name, -SEEN_SECONDS) >= SEEN_SECONDS and self._access.people is not None:
            self._seen_at[name] = now
            self._access.people.saw(name)

    def _accept_invitation(self, scope: Scope, method: str, headers: Headers) -> Response:
        """An invitation: first a page with a button, because link previews open the link too; then the token, once."""
        self._access.check_visit(method, headers)
        secret = next(iter(parse_qs(scope["query_string"].decode("latin-1")).get("invitation", [])), "")
        people = self._access.people
        if people is None or not secret:
            raise Refused(404, "no_invitation", "There is no such invitation.", "Ask for a new link.")
        if method in SAFE_METHODS:
            target = f"{JOIN}?{urlencode({'invitation': secret})}"
            ask = f'<form method="post" action="{escape(target)}"><button>Sign in</button></form>'
            return _plain_page("You are invited to this workbench.", "The link works once, for you alone.", ask)
        try:
            name, token = people.accept(secret)
        except UsageError as refusal:
            raise Refused(404, "no_invitation", refusal.message, refusal.hint or "") from refusal
        shown = f'<p><code>{escape(token)}</code></p><p><a href="/">Open the workbench</a></p>'
        hint = "This browser is signed in. For programs and other browsers this is your token; it is not shown again."
        response = _plain_page(f"Welcome, {name}.", hint, shown)
        self._set_session(response, session_for(token))
        return response

    def _sign_in(self, scope: Scope, guest: Visitor) -> Response:
        """Redirect to the same page, with a cookie instead of the token in the address."""
        asked = parse_qsl(scope["query_string"].decode("latin-1"))
        query = [(name, value) for name, value in asked if name != "token"]
        path = Request(scope).url.path
        target = f"/{path.lstrip('/')}" + (f"?{urlencode(query)}" if query else "")
        response = RedirectResponse(target, 303)
        token = dict(asked).get("token", "")
        self._set_session(response, self._access.session if guest.member is None else session_for(token))
        return response

    def _set_session(self, response: Response, session: str) -> None:
        response.set_cookie(
            self._access.cookie,
            session,
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=self._access.is_behind_tls,
        )


def _refusal(scope: Scope, refusal: Refused) -> Response:
    """The response to a refused request. The page loads nothing else, because static files are refused too."""
    challenge = {"WWW-Authenticate": 'Bearer realm="burnish"'} if refusal.status == 401 else {}
    if scope["path"].startswith(API):
        problem = Problem(refusal.status, refusal.code, refusal.message, refusal.hint, headers=challenge)
        return answer(Request(scope), problem)
    response = _plain_page(refusal.message, refusal.hint, status=refusal.status)
    response.headers.update(challenge)
    return response


def _plain_page(title: str, hint: str, more: str = "", *, status: int = 200) -> Response:
    """A page without any other file. `more` is trusted markup."""
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Burnish</title><style>{_STYLE}</style></head><body><main><h1>{escape(title)}</h1>"
        f"<p>{_with_code(escape(hint))}</p>{more}</main></body></html>"
    )
    return Response(body, status, {"content-security-policy": _INLINE_POLICY}, "text/html")


def _with_code(text: str) -> str:
    """Escaped text as markup, with `backticks` as code."""
    parts = text.split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


class HeaderSender:
    """`send` that adds the headers to a response."""

    def __init__(self, send: Send, *, is_bodiless: bool = False) -> None:
        self._send = send
        self._is_bodiless = is_bodiless
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            present = {name.lower() for name, _ in message["headers"]}
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present]
            message = {**message, "headers": [*message["headers"], *added]}
        elif self._is_bodiless and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)
