"""Who decides: a name that a person gives once; and the page of keys."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from burnish.app.terminal import UNSAFE
from burnish.core.errors import UsageError
from burnish.web.forms import Fields
from burnish.web.rendering import NAME_COOKIE, name_of, page

LONGEST_NAME = 80
YEAR = 365 * 24 * 3600

router = APIRouter()


@router.get("/keys")
def keys(request: Request) -> Response:
    return page(request, "keys.html")


@router.get("/name")
def name(request: Request, next: str = "/queue") -> Response:
    return page(request, "name.html", action="/name", kept={"next": local(next)}, given=name_of(request) or "")


@router.post("/name")
def remember_name(fields: Fields) -> Response:
    response = RedirectResponse(local(fields.get("next", "")), 303)
    remember(response, cleaned(fields.get("name", "")))
    return response


def cleaned(given: str) -> str:
    """A name to write beside decisions. UsageError where there is none."""
    name = " ".join(UNSAFE.sub(" ", given).split())[:LONGEST_NAME]
    if not name:
        raise UsageError("A decision needs a name.", hint="Go back and write yours.")
    return name


def remember(response: Response, name: str) -> None:
    """Keep the name in the browser."""
    response.set_cookie(NAME_COOKIE, quote(name, safe=""), max_age=YEAR, path="/", httponly=True, samesite="strict")


def ask_for_name(request: Request, action: str, fields: Mapping[str, str]) -> Response:
    """Ask who it is first. Everything that was sent is sent again with the name."""
    return page(request, "name.html", action=action, kept=dict(fields), given="", why=None)


def remembering(request: Request, response: Response, name: str) -> Response:
    """The answer, with the name kept in the browser where it was given just now."""
    if name_of(request) is None:
        remember(response, cleaned(name))
    return response


def local(address: str) -> str:
    """An address of ours to go back to; anything else leads to the queue."""
    inside = address.startswith("/") and not address.startswith(("//", "/\\")) and not UNSAFE.search(address)
    return address if inside else "/queue"
