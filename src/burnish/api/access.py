"""Access control: one policy, fixed before the port opens and never changed after.

A browser enters with the link that is printed at the start, and by cookie after that; a program with
`Authorization: Bearer`. Both must name one of our own hosts (which stops DNS rebinding), and a request that changes
something must come from one of our own pages or from a program that holds the token.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import Literal

from burnish.core.errors import UsageError
from burnish.store.people import Member, People, Role, digest_of, session_for

SHORTEST_TOKEN = 24
"""The fewest characters of a token from a file: fewer than a generated one has, but more than any word."""
ANY_ADDRESS = ("0.0.0.0", "::")
WEB_PORT = 80
"""The port of an address that names none."""
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SINGLE_HEADERS = (
    b"host",
    b"origin",
    b"authorization",
    b"cookie",
    b"content-length",
    b"content-type",
    b"sec-fetch-site",
)
"""Headers that may be sent once only: a proxy and this server could each believe another of two."""

Entrance = Literal["bearer", "cookie", "link", "open"]
"""How a request was authenticated; `open`: the server requires no token."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """The sender of a request."""

    entrance: Entrance
    member: Member | None = None
    """None: the holder of the server's token, who may do everything and gives a name with each decision."""

    @property
    def mark(self) -> str:
        """Identifies the token in the audit trail; empty for the server's token."""
        return "" if self.member is None else self.member.mark

    def may(self, role: Role) -> bool:
        return self.member is None or self.member.may(role)


OPERATOR = "operator"
"""The name of the holder of the server's token, if none is given."""
VISITOR: ContextVar[Visitor] = ContextVar("visitor", default=Visitor("open"))  # noqa: B039 - it is frozen
"""The sender of the current request."""


def signature(given: str | None) -> str:
    """The name to record: that of the token's owner, or the given one if the token has no owner."""
    member = VISITOR.get().member
    if member is not None:
        if given is not None and given != member.name:
            raise UsageError(f"This token is {member.name}'s.", hint="Leave `by` out: the token signs.")
        return member.name
    if given is None:
        raise UsageError("The request does not say who decides.", hint="Name it in `by`, or use a token of your own.")
    return given


DECIDING = re.compile(
    r"/queue/(?:decide|dismiss|undo|bulk|bulk/undo|apply|drop)|/name|/notes|/assign|/api/v1/check|/api/v1/estimate"
)
DECIDING_UNIT = re.compile(
    r"/api/v1/runs/[^/]+/(?:decisions(?:/apply|/together)?|dismissals(?:/undo)?)"
    r"|/api/v1/runs/[^/]+/units/.+/(?:decision|dismissals|notes|assign|look)|/api/v1/courses/.+/accept"
)


DELETING = re.compile(r"/runs/[^/]+/delete")


def needed_role(method: str, path: str) -> Role:
    """The role that a request needs. A change that is not known to be a decision may cost money: it needs `run`."""
    if path.startswith(("/people", "/api/v1/people")):
        return "admin"
    if method in SAFE_METHODS:
        return "read"
    if method == "DELETE" or DELETING.fullmatch(path):
        return "admin"  # a run's journal is also the record of who decided what
    decides = DECIDING.fullmatch(path) or DECIDING_UNIT.fullmatch(path)
    return "decide" if decides else "run"


class Refused(Exception):
    """A request that the policy refuses."""

    def __init__(self, status: int, code: str, message: str, hint: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Access:
    """The access policy. `token` is None if no token is required, which only a loopback address allows."""

    host: str
    port: int
    token: str | None
    names: frozenset[str]
    """Host names of this machine that a request may use, in lower case, without the port."""
    public: str | None = None
    """Its address for browsers behind a proxy, such as `https://desk.example`; None: where it listens."""
    people: People | None = None
    """People who have a token of their own."""

    @classmethod
    def of(
        cls,
        host: str,
        port: int,
        token: str | None,
        *,
        names: Iterable[str] = (),
        public: str | None = None,
        people: People | None = None,
    ) -> Access:
        """The policy of a server. Raise UsageError if it would be open to others without a token."""
        if token is None and not is_loopback(host):
            raise UsageError(
                f"Without a token, everyone who reaches {host} could decide and spend.",
                hint="Leave --no-token out, or serve on 127.0.0.1.",
            )
        if token is None and public is not None:
            raise UsageError(
                f"Without a token, everyone who reaches {public} could decide and spend.", hint="Leave --no-token out."
            )
        hosts = {_as_in_addresses(host)} - set(ANY_ADDRESS)
        if is_loopback(host) or host in ANY_ADDRESS:
            hosts |= {"127.0.0.1", "localhost", "[::1]"}
        if host in ANY_ADDRESS:
            hosts.add(socket.gethostname().lower())
        return cls(host, port, token, frozenset(hosts | {name.lower() for name in names}), _public(public), people)

    @property
    def cookie(self) -> str:
        """The cookie's name. It has the port in it, because all ports of a host share their cookies."""
        return f"burnish_{self.port}"

    @property
    def session(self) -> str:
        """The cookie's value: derived from the token, so that the token itself is never kept in a browser."""
        assert self.token is not None, "without a token there are no cookies"
        return session_for(self.token)

    @property
    def address(self) -> str:
        """The server's own address, as a browser writes it."""
        if self.public is not None:
            return self.public
        return f"http://{'127.0.0.1' if self.host in ANY_ADDRESS else _as_in_addresses(self.host)}:{self.port}"

    @property
    def is_behind_tls(self) -> bool:
        """Whether browsers reach it over TLS: then cookies are sent over TLS only."""
        return self.public is not None and self.public.startswith("https:")

    @property
    def link(self) -> str:
        """The link that is printed at the start."""
        return f"{self.address}/" if self.token is None else f"{self.address}/?token={self.token}"

    def enter(self, method: str, headers: Headers, link_token: str | None, path: str = "/") -> Visitor:
        """The sender of a request. Raise Refused if the policy does not admit it. `link_token`: from the address."""
        self._check_host(headers)
        if link_token is not None and path.startswith("/api/"):
            raise Refused(
                400,
                "token_in_address",
                "An address of the API must not contain a token: addresses are kept in logs.",
                "Send `Authorization: Bearer TOKEN`.",
            )
        visitor = self._visitor(headers, link_token if method in SAFE_METHODS else None)
        self._check_origin(method, headers, visitor.entrance)
        role = needed_role(method, path)
        if not visitor.may(role):
            raise Refused(
                403, "role_needed", f"This needs the role {role}.", "A person with the role admin can give it to you."
            )
        return visitor

    def check_visit(self, method: str, headers: Headers) -> None:
        """Raise Refused unless a request without a token uses our own host name and comes from our own page."""
        self._check_host(headers)
        self._check_origin(method, headers, "open")

    def _check_host(self, headers: Headers) -> None:
        for header in SINGLE_HEADERS:
            if headers.times(header) > 1:
                raise Refused(400, "header_twice", f"The header {header.decode()} is sent twice.", "Send it once.")
        host = headers.one(b"host") or ""
        name, port = _host_and_port(host)
        if not self._is_public(host) and (name not in self.names or port != self.port):
            raise Refused(
                421,
                "unknown_host",
                "This server does not answer to that host name.",
                f"Use {self.address}, or name the host with --allow-host when it is started.",
            )

    def _check_origin(self, method: str, headers: Headers, entrance: Entrance) -> None:
        """Refuse requests from another site's page: it may neither change anything here nor read it."""
        origin, site = headers.one(b"origin"), headers.one(b"sec-fetch-site")
        if origin is not None and not self._is_ours(origin, headers.one(b"host") or ""):
            raise _foreign_origin()
        if method in SAFE_METHODS:
            if site == "cross-site" and headers.one(b"sec-fetch-mode") != "navigate":
                raise _foreign_origin()
            return
        if site is not None and site not in ("same-origin", "none"):
            raise _foreign_origin()
        if origin is None and entrance != "bearer":
            raise _foreign_origin()

    def _is_public(self, host: str) -> bool:
        return self.public is not None and host.lower() == self.public.partition("://")[2]

    def _is_ours(self, origin: str, host: str) -> bool:
        ours = self.public if self.public is not None and self._is_public(host) else f"http://{host}".lower()
        return _is_same(origin.lower(), ours)

    def _visitor(self, headers: Headers, link_token: str | None) -> Visitor:
        scheme, _, given = (headers.one(b"authorization") or "").partition(" ")
        bearer = given.strip() if scheme.lower() == "bearer" else None
        cookie = headers.cookies().get(self.cookie, "")
        members = self.people.active() if self.people is not None else []
        for member in members:
            if bearer is not None and _is_same(digest_of(bearer), member.digest):
                return Visitor("bearer", member)
            if link_token is not None and _is_same(digest_of(link_token), member.digest):
                return Visitor("link", member)
            if cookie and _is_same(digest_of(cookie), member.session):
                return Visitor("cookie", member)
        if self.token is None:
            # If people have roles, a request without a cookie or with a revoked token must not have more rights.
            if not members:
                return Visitor("open")
        elif bearer is not None and _is_same(bearer, self.token):
            return Visitor("bearer")
        elif link_token is not None and _is_same(link_token, self.token):
            return Visitor("link")
        elif _is_same(cookie, self.session):
            return Visitor("cookie")
        if link_token is not None:
            raise Refused(
                401, "wrong_token", "This link is no longer valid.", "Use the one `burnish serve` printed last."
            )
        raise Refused(
            401,
            "no_token",
            "This is a private workbench.",
            "Open it with the link that `burnish serve` printed. Programs send `Authorization: Bearer TOKEN`.",
        )


class Headers:
    """The raw headers of a request."""

    def __init__(self, raw: Iterable[tuple[bytes, bytes]]) -> None:
        self._values: dict[bytes, list[bytes]] = {}
        for name, value in raw:
            self._values.setdefault(name.lower(), []).append(value)

    def times(self, name: bytes) -> int:
        return len(self._values.get(name, ()))

    def one(self, name: bytes) -> str | None:
        values = self._values.get(name)
        return values[0].decode("latin-1") if values else None

    def cookies(self) -> Mapping[str, str]:
        jar: SimpleCookie = SimpleCookie()
        try:
            jar.load(self.one(b"cookie") or "")
        except CookieError:  # a malformed cookie, perhaps of another program
            return {}
        return {name: morsel.value for name, morsel in jar.items()}


def new_token() -> str:
    return secrets.token_urlsafe(32)


def checked_token(text: str, place: str) -> str:
    """The token in the text of a file. Raise UsageError if it is not usable."""
    token = text.strip()
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(
            f"{place} holds no usable token.",
            hint=f"One line of {SHORTEST_TOKEN} or more letters and digits, such as `openssl rand -hex 32` prints.",
        )
    return token


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _as_in_addresses(host: str) -> str:
    return f"[{host.lower()}]" if ":" in host else host.lower()


def _public(url: str | None) -> str | None:
    """A web address without a path, in lower case."""
    if url is None:
        return None
    scheme, _, place = url.rstrip("/").lower().partition("://")
    if scheme not in ("http", "https") or not place or set(place) & set("/?#@ \\"):
        raise UsageError(f"{url} is not the address of a server.", hint="Use https://desk.example, without a path.")
    return f"{scheme}://{place}"


def _host_and_port(host: str) -> tuple[str, int]:
    """The host, in lower case, and the port that a request names; without a port, that of the web."""
    name, colon, port = host.rpartition(":")
    if not colon or host.endswith("]"):
        return host.lower(), WEB_PORT
    return name.lower(), int(port) if port.isascii() and port.isdigit() and len(port) < 6 else -1


def _is_same(given: str, ours: str) -> bool:
    """Compare in constant time: the duration reveals neither where the texts differ nor how long they are."""
    digests = [hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (given, ours)]
    return hmac.compare_digest(*digests)


def _foreign_origin() -> Refused:
    return Refused(
        403, "foreign_origin", "This request comes from another site.", "Use the workbench's own pages, or a token."
    )
