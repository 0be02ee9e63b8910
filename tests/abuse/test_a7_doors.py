"""A7: every route, walked automatically, for every visitor who may not come in; and no change by GET."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from burnish.web.server import PAGES, create_app
from tests.workbench import TOKEN, Workbench, workbench


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with workbench(
        tmp_path_factory.mktemp("runs"),
        settings={"serve.requests_per_second": 10_000, "serve.changes_per_second": 10_000},
    ) as served:
        yield served


def routes(bench: Workbench) -> list[tuple[str, str]]:
    """Every method and address that the server knows, with something in every placeholder."""
    app = create_app(bench.here)
    pages = [route for module in PAGES for route in module.router.routes]
    found = [(method, route.path) for route in pages for method in sorted(getattr(route, "methods", ()))]
    api = app.openapi()["paths"]
    found += [(method.upper(), path) for path, methods in api.items() for method in methods]
    found += [("GET", "/"), ("GET", "/api/openapi.json"), ("GET", "/static/burnish.css")]
    return [(method, re.sub(r"\{[^}]+\}", "x", path)) for method, path in found]


def forged(bench: Workbench) -> dict[str, dict[str, str]]:
    good = {"Host": f"127.0.0.1:{bench.port}"}
    ours = {"Cookie": f"{bench.here.access.cookie}={bench.here.access.session}"}
    key = {"Authorization": f"Bearer {TOKEN}"}
    return {
        "no token": good,
        "a wrong token": {**good, "Authorization": "Bearer wrong"},
        "half a token": {**good, "Authorization": f"Bearer {TOKEN[:-1]}"},
        "a wrong cookie": {**good, "Cookie": f"{bench.here.access.cookie}=0"},
        "the token as a cookie": {**good, "Cookie": f"{bench.here.access.cookie}={TOKEN}"},
        "a forged host": {"Host": "evil.example", **key},
        "a name that points here": {"Host": f"evil.example:{bench.port}", **ours},
        "an origin of nobody": {**good, **ours, "Origin": "null"},
        "another origin": {**good, **key, "Origin": "https://evil.example"},
        "another port": {**good, **ours, "Origin": f"http://127.0.0.1:{bench.port + 1}"},
    }


def test_nobody_else_comes_in_anywhere(bench: Workbench) -> None:
    found = routes(bench)
    assert len(found) > 40
    with bench.stranger() as stranger:
        for method, path in found:
            for who, headers in forged(bench).items():
                answer = stranger.request(method, path, headers=headers)
                assert answer.status_code in (401, 403, 421), f"{method} {path}: {who} got {answer.status_code}"
                assert "set-cookie" not in answer.headers, f"{method} {path}: {who}"


def test_two_headers_of_a_name_are_refused(bench: Workbench) -> None:
    with bench.stranger() as stranger:
        for name in ("Authorization", "Origin", "Cookie"):
            headers = [("Authorization", f"Bearer {TOKEN}"), (name, "x"), (name, "y")]
            assert stranger.get("/runs", headers=headers).status_code == 400


def test_a_page_of_another_site_sends_no_form(bench: Workbench) -> None:
    """What a browser sends for a form on another site, to which the reviewer was lured: the cookie, and its origin."""
    ours = {"Cookie": f"{bench.here.access.cookie}={bench.here.access.session}"}
    with bench.stranger() as stranger:
        for method, path in routes(bench):
            if method in ("GET", "HEAD"):
                continue
            for headers in (
                {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
                {"Sec-Fetch-Site": "cross-site"},
                {},
            ):
                answer = stranger.request(method, path, headers={**ours, **headers}, data={"run": "x", "unit": "y"})
                assert answer.status_code == 403, f"{method} {path}"


def test_streams_are_refused_before_they_open(bench: Workbench) -> None:
    with bench.stranger() as stranger:
        for path in ("/live", "/api/v1/runs/x/events"):
            assert stranger.get(path).status_code == 401


def test_nothing_changes_by_looking(bench: Workbench) -> None:
    """Every GET of somebody who may come in leaves every file as it was."""
    before = snapshot(bench.here.runs)
    with bench.program() as program:
        for method, path in routes(bench):
            if method == "GET" and "live" not in path and "events" not in path:
                answer = program.get(path)
                assert answer.status_code < 500, f"{path}: {answer.text[:300]}"
    assert snapshot(bench.here.runs) == before


def test_refusals_say_what_to_do(bench: Workbench) -> None:
    with bench.stranger() as stranger:
        page = stranger.get("/runs")
        assert "private workbench" in page.text
        assert "burnish serve" in page.text
        wrong = stranger.get("/runs?token=old")
        assert wrong.status_code == 401 and "burnish serve" in wrong.text
        problem = stranger.get("/api/v1/runs")
        assert problem.headers["content-type"] == "application/problem+json"
        assert problem.headers["www-authenticate"].startswith("Bearer")
        assert problem.json()["code"] == "no_token"


def test_every_answer_has_its_headers(bench: Workbench) -> None:
    with bench.program() as program, bench.stranger() as stranger:
        for answer in (program.get("/runs"), program.get("/none"), program.get("/api/v1/runs"), stranger.get("/runs")):
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize("path", ["/runs", "/api/v1/runs"])
def test_an_answer_from_something_broken_has_them_too(
    bench: Workbench, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a secret of the server")

    monkeypatch.setattr(type(bench.here.index), "cards", broken)
    with bench.program() as program:
        answer = program.get(path)
    assert answer.status_code == 500
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert "a secret of the server" not in answer.text


def test_the_link_leaves_a_cookie_and_no_token(bench: Workbench) -> None:
    with bench.stranger() as browser:
        first = browser.get(f"/queue?kind=legos&token={TOKEN}")
        assert (first.status_code, first.headers["location"]) == (303, "/queue?kind=legos")
        cookie = first.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "samesite=lax" in cookie.lower()
        assert TOKEN not in cookie
        assert browser.get("/runs").status_code == 200
        away = browser.get(f"//evil.example/%2e%2e?token={TOKEN}")
        assert away.headers["location"].startswith("/")
        assert not away.headers["location"].startswith("//")


def test_a_request_without_a_token_where_none_is_asked(tmp_path: Path) -> None:
    with workbench(tmp_path, token=None) as bench, bench.stranger() as stranger:
        assert stranger.get("/runs").status_code == 200
        assert stranger.get("/runs", headers={"Host": f"evil.example:{bench.port}"}).status_code == 421
        assert stranger.post("/name", data={"name": "x"}).status_code == 403
        assert isinstance(stranger, httpx2.Client)


def snapshot(runs: Path) -> dict[str, str]:
    files = [path for path in runs.rglob("*") if path.is_file()]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


DECIDE = {
    *("/queue/decide", "/queue/undo", "/queue/bulk", "/queue/bulk/undo", "/queue/apply", "/name", "/notes", "/assign"),
    "/queue/dismiss",
    *("/api/v1/check", "/api/v1/estimate", "/api/v1/runs/x/decisions", "/api/v1/runs/x/decisions/apply"),
    *("/api/v1/runs/x/decisions/together", "/api/v1/runs/x/dismissals", "/api/v1/runs/x/dismissals/undo"),
    "/api/v1/runs/x/units/x/dismissals",
    *("/api/v1/runs/x/units/x/decision", "/api/v1/courses/x/seeds/x/accept"),
}
"""What somebody may change who decides and spends nothing. Every other change may cost money."""
ADMIN = {"/people/invite", "/people/role", "/people/revoke", "/people/withdraw", "/runs/x/delete"}


def needs(method: str, path: str) -> str:
    if path.startswith("/people") or path in ADMIN or method == "DELETE":
        return "admin"
    if method in ("GET", "HEAD"):
        return "read"
    return "decide" if path in DECIDE else "run"


def test_every_route_asks_for_its_role(tmp_path: Path) -> None:
    """Each role on each route: refused below the role that it needs, and at or above it never for want of a role."""
    roles = ("read", "decide", "run", "admin")
    many = {"serve.requests_per_second": 100_000, "serve.changes_per_second": 100_000, "serve.jobs_per_minute": 100_000}
    with workbench(tmp_path / "runs", settings=many) as served:
        tokens = {role: served.here.people.add(role.title(), role, "the test") for role in roles}
        walked = set(routes(served))
        assert {path for method, path in walked if method == "POST"} >= DECIDE | ADMIN, "the table names what is there"
        with served.stranger() as visitor:
            for method, path in sorted(walked):
                wanted = roles.index(needs(method, path))  # type: ignore[arg-type]
                for at, role in enumerate(roles):
                    if path == "/live" or (role == "admin" and path in ADMIN):
                        continue  # it has no end; it would revoke whom it is asked about
                    headers = {"Authorization": f"Bearer {tokens[role]}"}
                    answer = visitor.request(method, path, headers=headers)
                    is_refused = answer.status_code == 403
                    assert is_refused == (at < wanted), f"{role} on {method} {path}: {answer.status_code}"
