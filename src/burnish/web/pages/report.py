"""The report on a run, as one page that stands alone: to look at, or to keep and send."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from burnish.api.workplace import Here
from burnish.web.report_page import policy, report_page, report_style

MOST_UNITS = 60
"""Fewer than in a file that somebody makes on purpose: a page should be there soon."""

router = APIRouter()


@router.get("/runs/{run}/report.html")
def show(request: Request, here: Here, run: str) -> Response:
    """The report. `?download=1` gives it as a file."""
    opened = here.index.open(run)
    markup = report_page(opened, here.index.precision(), most=MOST_UNITS, clock=here.clock)
    headers = {"content-security-policy": f"{policy(report_style())}; frame-ancestors 'none'"}
    if request.query_params.get("download") == "1":
        headers["content-disposition"] = f'attachment; filename="{opened.card.id}-report.html"'
    return HTMLResponse(markup.encode("utf-8", "backslashreplace"), headers=headers)
