"""Addresses of pages. Ids are content: this is the one place where they become part of a URL."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote, urlencode

from starlette.requests import Request

Given = str | int | tuple[str, ...] | None
"""A value of a query, or several; None: the name is left out."""


def _address(path: str, query: Mapping[str, Given]) -> str:
    given = [(name, one) for name, value in query.items() for one in _values(value)]
    return f"{path}?{urlencode(given, errors='surrogatepass')}" if given else path


def _values(value: Given) -> tuple[str, ...]:
    if value is None:
        return ()
    return value if isinstance(value, tuple) else (str(value),)


def _part(id: str) -> str:
    return quote(id, safe="", errors="surrogatepass")


def runs_link(**query: Given) -> str:
    return _address("/runs", query)


def run_link(run: str, part: str = "", /, **query: Given) -> str:
    """The page of a run, or a part of it that has an address of its own (`continue`, `report.html`)."""
    return _address(f"/runs/{_part(run)}{f'/{part}' if part else ''}", query)


def export_link(run: str, name: str) -> str:
    """Where a file that a run has made is to be had."""
    return _address(f"/api/v1/runs/{_part(run)}/exports/{quote(name, safe='/', errors='surrogatepass')}", {})


def unit_link(run: str, unit: str, /, **query: Given) -> str:
    """A unit's page. The slash in `bank.json/q1` is encoded too, so that no id is taken for a way through folders."""
    return _address(f"/runs/{_part(run)}/units/{_part(unit)}", query)


def new_link(id: str | None = None, part: str = "", /) -> str:
    """The page on which a run begins, or what was uploaded there."""
    return "/new" + (f"/{_part(id)}" if id else "") + (f"/{part}" if part else "")


def fixed_link(id: str, name: str) -> str:
    """A file of an upload with its safe fixes."""
    return f"/new/{_part(id)}/fixed/{_part(name)}"


def queue_link(**query: Given) -> str:
    return _address("/queue", query)


def rules_link(**query: Given) -> str:
    return _address("/rules", query)


def rule_link(rule: str) -> str:
    return _address(f"/rules/{_part(rule)}", {})


def precision_link(**query: Given) -> str:
    return _address("/precision", query)


def same_page(request: Request, **changes: Given) -> str:
    """The page that is looked at, with some of its query changed: a filter is a link. None takes a name out."""
    asked = request.query_params
    return _address(request.url.path, {**{name: tuple(asked.getlist(name)) for name in asked}, **changes})


LINKS = {
    link.__name__: link
    for link in (
        *(runs_link, run_link, unit_link, queue_link, rules_link, rule_link, precision_link),
        *(new_link, fixed_link, export_link),
    )
}
"""As templates know them."""
