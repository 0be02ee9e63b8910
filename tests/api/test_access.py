"""Who comes in, and who does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.api import access as module
from burnish.api.access import Access, Headers, Refused, checked_token, is_loopback, new_token
from burnish.core.errors import UsageError

TOKEN = "t" * 40
ACCESS = Access.of("127.0.0.1", 8642, TOKEN)
HOST = (b"host", b"127.0.0.1:8642")


def headers(*more: tuple[bytes, bytes]) -> Headers:
    return Headers([HOST, *more])


def bearer(token: str = TOKEN) -> tuple[bytes, bytes]:
    return b"authorization", f"Bearer {token}".encode()


def cookie(value: str) -> tuple[bytes, bytes]:
    return b"cookie", f"other=1; {ACCESS.cookie}={value}".encode()


def refused(method: str, given: Headers, link: str | None = None) -> Refused:
    with pytest.raises(Refused) as caught:
        ACCESS.enter(method, given, link)
    return caught.value


class TestEntrances:
    def test_a_program_with_the_token(self) -> None:
        assert ACCESS.enter("POST", headers(bearer()), None).entrance == "bearer"

    def test_the_link_that_was_printed(self) -> None:
        assert ACCESS.enter("GET", headers(), TOKEN).entrance == "link"
        assert ACCESS.link == f"http://127.0.0.1:8642/?token={TOKEN}"

    def test_the_cookie_that_the_link_gave(self) -> None:
        assert ACCESS.enter("GET", headers(cookie(ACCESS.session)), None).entrance == "cookie"

    def test_the_token_itself_is_no_cookie(self) -> None:
        assert refused("GET", headers(cookie(TOKEN))).code == "no_token"

    def test_nobody_is_asked_without_a_token(self) -> None:
        open_house = Access.of("127.0.0.1", 8642, None)
        assert open_house.enter("GET", headers(), None).entrance == "open"
        assert open_house.link == "http://127.0.0.1:8642/"

    def test_a_link_does_not_change_anything(self) -> None:
        assert refused("POST", headers((b"origin", b"http://127.0.0.1:8642")), TOKEN).status == 401

    @pytest.mark.parametrize(
        ("given", "link", "code"),
        [
            (headers(), None, "no_token"),
            (headers(bearer("wrong")), None, "no_token"),
            (headers((b"authorization", f"Basic {TOKEN}".encode())), None, "no_token"),
            (headers(cookie("0" * 64)), None, "no_token"),
            (headers((b"cookie", b'burnish_8642="\x00; \xff=')), None, "no_token"),
            (headers(), "an-old-one", "wrong_token"),
        ],
    )
    def test_anything_else_is_refused(self, given: Headers, link: str | None, code: str) -> None:
        refusal = refused("GET", given, link)
        assert (refusal.status, refusal.code) == (401, code)

    @given(st.text(max_size=80).filter(lambda text: text != TOKEN))
    def test_no_other_token_opens(self, text: str) -> None:
        with pytest.raises(Refused):
            ACCESS.enter("GET", headers(), text)


class TestHosts:
    @pytest.mark.parametrize("name", ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642", "[::1]:8642"])
    def test_our_names(self, name: str) -> None:
        assert ACCESS.enter("GET", Headers([(b"host", name.encode()), bearer()]), None).entrance == "bearer"

    @pytest.mark.parametrize(
        "name",
        [
            *("evil.example", "evil.example:8642", "127.0.0.1", "127.0.0.1:1", "127.0.0.1:8642.evil.example", ""),
            *("127.0.0.1:8642@evil", "localhost.evil:8642", "[::1]", "127.0.0.1:99999999", "127.0.0.1:", ":8642"),
        ],
    )
    def test_other_names_are_refused(self, name: str) -> None:
        with pytest.raises(Refused) as caught:
            ACCESS.enter("GET", Headers([(b"host", name.encode()), bearer()]), None)
        assert caught.value.status == 421

    def test_a_request_without_a_host_is_refused(self) -> None:
        with pytest.raises(Refused):
            ACCESS.enter("GET", Headers([bearer()]), None)

    def test_port_80_needs_no_number(self) -> None:
        web = Access.of("127.0.0.1", 80, TOKEN)
        assert web.enter("GET", Headers([(b"host", b"127.0.0.1"), bearer()]), None).entrance == "bearer"

    def test_names_that_the_operator_allows(self) -> None:
        named = Access.of("0.0.0.0", 8642, TOKEN, names=["Desk.Example"])
        assert named.enter("GET", Headers([(b"host", b"desk.example:8642"), bearer()]), None).entrance == "bearer"
        assert named.address == "http://127.0.0.1:8642"
        assert Access.of("::1", 8642, TOKEN).address == "http://[::1]:8642"

    @pytest.mark.parametrize("name", module.SINGLE_HEADERS)
    def test_two_of_one_header_are_refused(self, name: bytes) -> None:
        twice = Headers([HOST, bearer(), (name, b"x"), (name, b"y")])
        with pytest.raises(Refused) as caught:
            ACCESS.enter("GET", twice, None)
        assert caught.value.status == 400


class TestBehindAProxy:
    DESK = Access.of("127.0.0.1", 8642, TOKEN, public="https://Desk.example/")

    def enter(self, host: str, origin: str | None, method: str = "POST") -> str:
        given = [(b"host", host.encode()), (b"cookie", f"{self.DESK.cookie}={self.DESK.session}".encode())]
        return self.DESK.enter(method, Headers([*given, *([(b"origin", origin.encode())] if origin else [])]), None)

    def test_people_decide_under_the_public_name(self) -> None:
        assert self.enter("desk.example", "https://desk.example").entrance == "cookie"
        assert self.DESK.link == f"https://desk.example/?token={TOKEN}"
        assert self.DESK.is_behind_tls
        assert not ACCESS.is_behind_tls

    def test_and_still_under_its_own(self) -> None:
        assert self.enter("127.0.0.1:8642", "http://127.0.0.1:8642").entrance == "cookie"

    @pytest.mark.parametrize(
        ("host", "origin"),
        [
            ("desk.example", "http://desk.example"),
            ("desk.example", "https://evil.example"),
            ("127.0.0.1:8642", "https://desk.example"),
            ("desk.example", None),
            ("desk.example:8642", "https://desk.example"),
            ("evil.example", "https://desk.example"),
        ],
    )
    def test_nobody_else(self, host: str, origin: str | None) -> None:
        with pytest.raises(Refused):
            self.enter(host, origin)

    @pytest.mark.parametrize(
        "url", ["desk.example", "https://", "ftp://desk.example", "https://desk.example/path", "x"]
    )
    def test_what_is_no_address(self, url: str) -> None:
        with pytest.raises(UsageError, match="not the address of a server"):
            Access.of("127.0.0.1", 8642, TOKEN, public=url)

    def test_never_without_a_token(self) -> None:
        with pytest.raises(UsageError, match="Without a token"):
            Access.of("127.0.0.1", 8642, None, public="https://desk.example")

    def test_an_address_with_colons(self) -> None:
        six = Access.of("fd00::1", 8642, TOKEN)
        assert six.address == "http://[fd00::1]:8642"
        assert six.enter("GET", Headers([(b"host", b"[fd00::1]:8642"), bearer()]), None).entrance == "bearer"


class TestOrigins:
    OURS = (b"origin", b"http://127.0.0.1:8642")

    def test_our_own_pages_may_change_things(self) -> None:
        assert ACCESS.enter("POST", headers(cookie(ACCESS.session), self.OURS), None).entrance == "cookie"

    def test_a_cookie_without_an_origin_changes_nothing(self) -> None:
        assert refused("POST", headers(cookie(ACCESS.session))).code == "foreign_origin"

    @pytest.mark.parametrize(
        "origin",
        [
            b"null",
            b"http://evil.example",
            b"http://127.0.0.1:1",
            b"https://127.0.0.1:8642",
            b"",
            b"http://localhost:8642",
        ],
    )
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    def test_other_origins_are_refused_whatever_they_hold(self, origin: bytes, method: str) -> None:
        for entrance in (cookie(ACCESS.session), bearer()):
            assert refused(method, headers(entrance, (b"origin", origin))).code == "foreign_origin"

    @pytest.mark.parametrize("site", [b"cross-site", b"same-site"])
    def test_another_site_changes_nothing(self, site: bytes) -> None:
        given = headers(cookie(ACCESS.session), self.OURS, (b"sec-fetch-site", site))
        assert refused("POST", given).code == "foreign_origin"

    def test_another_site_may_link_but_not_embed(self) -> None:
        site = (b"sec-fetch-site", b"cross-site")
        assert ACCESS.enter("GET", headers(bearer(), site, (b"sec-fetch-mode", b"navigate")), None).entrance == "bearer"
        assert refused("GET", headers(bearer(), site, (b"sec-fetch-mode", b"no-cors"))).code == "foreign_origin"


class TestPolicy:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org"])
    def test_without_a_token_only_this_machine_is_served(self, host: str) -> None:
        with pytest.raises(UsageError, match="Without a token"):
            Access.of(host, 8642, None)

    @pytest.mark.parametrize(
        ("host", "own"), [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True), ("a", False)]
    )
    def test_loopback(self, host: str, own: bool) -> None:
        assert is_loopback(host) is own

    def test_it_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            ACCESS.token = None  # type: ignore[misc]

    def test_tokens_are_compared_in_constant_time(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Every comparison goes through `hmac.compare_digest`, over digests of one length."""
        seen: list[tuple[bytes, bytes]] = []
        compare = module.hmac.compare_digest
        monkeypatch.setattr(module.hmac, "compare_digest", lambda a, b: seen.append((a, b)) or compare(a, b))
        ACCESS.enter("GET", headers(bearer()), None)
        refused("GET", headers(bearer("x"), cookie("y")), "z")
        assert len(seen) == 4
        assert {len(one) for pair in seen for one in pair} == {32}

    def test_new_tokens_differ(self) -> None:
        assert new_token() != new_token()
        assert checked_token(f"{new_token()}\n", "file")

    @pytest.mark.parametrize("text", ["", "short", "x" * 23, "a token with spaces in it, long enough", "ä" * 40])
    def test_what_is_no_token(self, text: str) -> None:
        with pytest.raises(UsageError, match="no usable token"):
            checked_token(text, "file")
