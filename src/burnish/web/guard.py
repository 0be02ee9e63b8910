"""The door: every request passes here before anything else sees it, and every answer on its way out."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from html import escape
from urllib.parse import parse_qs, parse_qsl, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from burnish.app.settings import Serving
from burnish.web.access import Access, Headers, Refused
from burnish.web.limits import STRANGER, Rates, TooMuch, limited_body, sort_of
from burnish.web.problems import API, Problem, answer, unforeseen

MEGABYTE = 1 << 20
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
"""On every answer, unless the answer has its own."""

_STYLE = (
    ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;"
    "padding:0 1.5rem}h1{font-size:1.25rem}code{font-size:.92em}"
)
_STYLE_HASH = f"sha256-{base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()}"


_OWN_POLICY = POLICY.replace("style-src 'self'", f"style-src '{_STYLE_HASH}'")
"""For a page that brings its style with it."""


class Guard:
    """Lets in who may come in, holds everybody to the limits, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, access: Access, serving: Serving) -> None:
        self._app = app
        self._access = access
        self._rates = Rates(serving)
        self._largest = serving.max_body_mb * MEGABYTE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        leaving = Leaving(send)
        try:
            early, bounded = self._received(scope, receive)
            await (early or self._app)(scope, bounded, leaving)
        except TooMuch as much:
            await answer(Request(scope), much.problem)(scope, receive, leaving)
        except Exception as error:
            if leaving.has_begun:
                raise
            await unforeseen(Request(scope), error)(scope, receive, leaving)

    def _received(self, scope: Scope, receive: Receive) -> tuple[Response | None, Receive]:
        """What is answered at the door, if anything is, and the request's body with its limits."""
        headers, method = Headers(scope["headers"]), scope["method"]
        visitor = (scope.get("client") or ("",))[0]
        try:
            entrance = self._access.enter(method, headers, _link_token(scope))
        except Refused as refusal:
            self._rates.take(visitor, STRANGER)
            return _refusal(scope, refusal), receive
        self._rates.take(visitor, sort_of(method, scope["path"]))
        if entrance == "link" and not scope["path"].startswith(API):
            return self._welcome(scope), receive
        return None, limited_body(receive, headers.one(b"content-length"), self._largest)

    def _welcome(self, scope: Scope) -> Response:
        """Where the link leads: the same place, with a cookie instead of the token in its address."""
        rest = [(name, value) for name, value in parse_qsl(scope["query_string"].decode("latin-1")) if name != "token"]
        path = Request(scope).url.path
        target = f"/{path.lstrip('/')}" + (f"?{urlencode(rest)}" if rest else "")
        response = RedirectResponse(target, 303)
        response.set_cookie(
            self._access.cookie,
            self._access.session,
            max_age=COOKIE_SECONDS,
            httponly=True,
            samesite="lax",
            secure=self._access.is_behind_tls,
        )
        return response


def _link_token(scope: Scope) -> str | None:
    found = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
    return found[0] if found else None


def _refusal(scope: Scope, refusal: Refused) -> Response:
    """Why a request does not come in. The page is complete in itself: nothing else is handed out before the door."""
    challenge = {"WWW-Authenticate": 'Bearer realm="burnish"'} if refusal.status == 401 else {}
    if scope["path"].startswith(API):
        problem = Problem(refusal.status, refusal.code, refusal.message, refusal.hint, headers=challenge)
        return answer(Request(scope), problem)
    body = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Burnish</title><style>{_STYLE}</style></head><body><main><h1>{escape(refusal.message)}</h1>"
        f"<p>{_with_code(escape(refusal.hint))}</p></main></body></html>"
    )
    headers = {**challenge, "content-security-policy": _OWN_POLICY}
    return Response(body, refusal.status, headers, "text/html")


def _with_code(text: str) -> str:
    """Our own words with `code` in them, as markup; the text is escaped already."""
    parts = text.split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))


class Leaving:
    """An answer on its way out: it gets its headers here."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            present = {name.lower() for name, _ in message["headers"]}
            own = [(name.encode(), value.encode()) for name, value in HEADERS.items() if name.encode() not in present]
            message = {**message, "headers": [*message["headers"], *own]}
        await self._send(message)
