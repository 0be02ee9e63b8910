"""Forms: what a page sends, as plain fields. Browsers send them as text, so no upload ever becomes a file here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request

from burnish.core.errors import InputError

MOST_FIELDS = 500
URLENCODED = "application/x-www-form-urlencoded"


async def fields(request: Request) -> Mapping[str, str]:
    """The fields of a form, each once; where one is there twice, the last counts."""
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
