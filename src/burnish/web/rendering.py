"""Rendering: the template environment, the context that all templates share, links between pages, and form fields.

Everything that a template prints is made safe twice: invisible and bidirectional control characters are shown as their
codes, and markup is escaped. A form's field must keep its text unchanged, so `exactly` skips the first step; nothing
skips the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Annotated, Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

from fastapi import Depends
from jinja2 import Environment, PackageLoader, StrictUndefined, Undefined, select_autoescape
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from burnish.api.access import VISITOR
from burnish.app.rulebook import rules
from burnish.core.errors import InputError
from burnish.core.notes import LONGEST_NOTE
from burnish.kinds.registry import KINDS
from burnish.web import Drawn, charts
from burnish.web import formatting as wording
from burnish.web.labels import ICONS, STATE_LOOKS, kind_icon, kind_words, look_of, model_name, nth, on_a_page, said_by

NAME_COOKIE = "burnish_name"
FIRST_STYLES = ("tokens", "base", "chrome", "parts", "text", "charts", "pages", "start", "kinds")
LAST_STYLES = ("review", "people", "narrow")
"""The style sheets in their order, since later ones override earlier ones. Those of the kinds come between."""
STYLESHEET = "burnish.css"
"""All style sheets in one file, as browsers load it."""
SCRIPTS = ("keys", "live", "drop")


def page(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """A page of the workbench. `crumbs`: the breadcrumb; `events`: the event stream that keeps the page up to date."""
    made = environment().get_template(template).render({**shared(request, status), **context})
    return HTMLResponse(made, status)


def shared(request: Request, status: int = 200) -> dict[str, Any]:
    """The context that every template gets."""
    place = getattr(getattr(request.scope.get("app"), "state", None), "workplace", None)
    # An error page must not depend on what may have caused the error.
    waiting = sum(place.index.queue_counts().values()) if place is not None and status < 400 else None
    return {
        "here": place,
        "nav": Drawn(queue=waiting),
        "who": name_of(request),
        "has_people": VISITOR.get().member is not None,
        "is_admin": VISITOR.get().may("admin"),
        "may_decide": VISITOR.get().may("decide"),
        "may_run": VISITOR.get().may("run"),
        "request": request,
        "section": {"": "runs", "new": "runs"}.get(place := request.url.path.strip("/").partition("/")[0], place),
        "same_page": partial(same_page, request),
        "crumbs": (),
        "events": None,
    }


def name_of(request: Request) -> str | None:
    """The name that the visitor decides under: that of the token, else the one from the cookie."""
    member = VISITOR.get().member
    if member is not None:
        return member.name
    return unquote(request.cookies.get(NAME_COOKIE, "")).strip() or None


@cache
def environment() -> Environment:
    """The template environment with its filters and globals."""
    made = Environment(
        loader=PackageLoader("burnish.web"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        extensions=["jinja2.ext.do"],
    )
    made.filters.update(
        {
            name: getattr(wording, name)
            for name in (
                "clean", "clock", "count", "delta", "did_it", "exact", "filesize", "in_words", "initials", "lasting",
                "listed", "money", "percent", "plural", "roughly", "score", "sentence", "share", "short_hash",
                "short_id", "thousands",
            )
        },
        age=lambda at: wording.age(at, datetime.now(UTC)),
        tokens=wording.count,
        exactly=exactly,
        coded=coded,
        keyed=wording.keyed,
        kind_icon=kind_icon,
        kind_words=kind_words,
        look=lambda line: look_of(line.state, line.sort),
        model_name=model_name,
        nth=nth,
        on_a_page=on_a_page,
        rule_name=rule_name,
        said_by=said_by,
    )  # fmt: skip
    made.globals.update(
        LINKS,
        charts=charts,
        icons=ICONS,
        longest_note=LONGEST_NOTE,
        looks=STATE_LOOKS,
        rule_titles=rule_titles,
        static=static_link,
        scripts=SCRIPTS,
    )
    return made


def _shown(value: object) -> object:
    """A value as it is printed: text without dangerous characters, trusted markup unchanged."""
    return value if hasattr(value, "__html__") or isinstance(value, Undefined) else wording.clean(str(value))


def exactly(text: str) -> Markup:
    """The value of a form's field: escaped, but with every character kept, so that it is sent back unchanged."""
    return escape(str(text))


def coded(text: str) -> Markup:
    """A message with `backticks` shown as code."""
    parts = wording.clean(text).split("`")
    marked = [Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts)]
    return Markup("").join(marked)


@cache
def rule_titles() -> Mapping[str, str]:
    """Id -> title of every rule that has a page. Categories that only judges name have none."""
    return {rule.id: rule.title for rule in rules(examples=False)}


def rule_name(id: str) -> Markup:
    """A rule's title, then its id. A category that only judges name gets its id in words as the title."""
    title = rule_titles().get(id) or wording.sentence(wording.in_words(wording.clean(id)))
    return Markup('{} <code class="rid">{}</code>').format(title, wording.clean(id))


@cache
def static_link(name: str) -> str:
    """The address of a static file, with its hash, so that browsers can cache it for good."""
    content = stylesheet().encode() if name == STYLESHEET else (_static() / name).read_bytes()
    return f"/static/{name}?v={sha256(content).hexdigest()[:12]}"


@cache
def stylesheet() -> str:
    """All styles as one text, for browsers and for standalone pages."""
    return "\n".join((_static() / f"{name}.css").read_text(encoding="utf-8") for name in styles())


@cache
def styles() -> tuple[str, ...]:
    """Every style sheet, in order. That of a kind has the kind's name."""
    return (*FIRST_STYLES, *(kind for kind in KINDS if (_static() / f"{kind}.css").is_file()), *LAST_STYLES)


def _static() -> Traversable:
    return files("burnish.web") / "static"


def crumbs(*steps: tuple[str, str | None]) -> Sequence[Drawn]:
    """A breadcrumb of (label, address); the current page has no address."""
    return tuple(Drawn(label=label, href=href) for label, href in steps)


# -- addresses of pages; ids are untrusted content, and only this section puts them into URLs

Given = str | int | tuple[str, ...] | None
"""One or more values of a query parameter; None leaves it out."""


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
    """The page of a run, or an address under it (`continue`, `report.html`)."""
    return _address(f"/runs/{_part(run)}{f'/{part}' if part else ''}", query)


def export_link(run: str, name: str) -> str:
    """The download address of a file that a run has made."""
    return _address(f"/api/v1/runs/{_part(run)}/exports/{quote(name, safe='/', errors='surrogatepass')}", {})


def unit_link(run: str, unit: str, /, **query: Given) -> str:
    """A unit's page. The slash in `bank.json/q1` is encoded too, so that no id is read as a path."""
    return _address(f"/runs/{_part(run)}/units/{_part(unit)}", query)


def new_link(id: str | None = None, part: str = "", /) -> str:
    """The page that starts a run, or the page of an upload."""
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
    """The current page with some of its query changed, for filters that are links. None removes a parameter."""
    asked = request.query_params
    return _address(request.url.path, {**{name: tuple(asked.getlist(name)) for name in asked}, **changes})


LINKS = {
    link.__name__: link
    for link in (
        *(runs_link, run_link, unit_link, queue_link, rules_link, rule_link, precision_link),
        *(new_link, fixed_link, export_link),
    )
}
"""Link functions by the names that templates use."""


# -- forms

MOST_FIELDS = 500
URLENCODED = "application/x-www-form-urlencoded"


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form; if a field is sent twice, the last one counts."""
    body = await request.body()
    if not body:
        return {}
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != URLENCODED:
        raise InputError(f"A form is sent as {URLENCODED}.", code="bad_form")
    try:
        pairs = parse_qsl(
            body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS, encoding="utf-8"
        )
    except ValueError as wrong:
        raise InputError(f"The form cannot be read: {wrong}.", code="bad_form") from wrong
    return {name: value.replace("\r\n", "\n") for name, value in pairs}


Fields = Annotated[Mapping[str, str], Depends(fields)]
