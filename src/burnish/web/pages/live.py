"""Streams for pages: what happens in the folder of runs, or in one of them."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import StreamingResponse

from burnish.api.workplace import Here

router = APIRouter()


@router.get("/live")
async def folder(here: Here) -> StreamingResponse:
    """A word whenever any run gets on."""
    return here.streams.of_folder()
