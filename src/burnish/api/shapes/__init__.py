"""The shapes of requests and answers. Requests are closed: a field that is not known is refused, not passed over."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from burnish.app.check_json import Shape

__all__ = ["Asked", "Problem", "Shape", "WrongField"]


class Asked(BaseModel):
    """What a request says. Whatever could name an endpoint, a key, a model or a path is no field of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, use_attribute_docstrings=True)


class WrongField(Shape):
    """A field of the request that cannot be used."""

    field: str
    detail: str


class Problem(BaseModel):
    """What went wrong, after RFC 9457."""

    model_config = ConfigDict(
        frozen=True,
        extra="allow",
        use_attribute_docstrings=True,
        json_schema_extra={
            "examples": [
                {
                    "type": "about:blank",
                    "title": "Not Found",
                    "status": 404,
                    "detail": "There is no rule 'nbme_leadin'.",
                    "instance": "/api/v1/rules/nbme_leadin",
                    "code": "not_found",
                    "hint": "Did you mean `nbme_lead_in`?",
                }
            ]
        },
    )

    type: str
    """Always `about:blank`: `code` tells problems apart."""
    title: str
    """What the status means."""
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    """What is wrong, for people."""
    instance: str
    """The path that was asked for."""
    code: str
    """Never changes once released."""
    hint: str | None = None
    """What to do about it."""
    field: str | None = None
    line: int | None = None
    errors: tuple[WrongField, ...] = ()
    """Where several fields are wrong."""
    decision: dict[str, Any] | None = None
    """With `already_decided`: the decision that was made first."""
