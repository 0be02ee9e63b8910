"""How refinement's types look on the wire: camelCase there, snake_case here, closed and finite everywhere."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

Score = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]


class Wire(BaseModel):
    """Immutable and closed. Both spellings are read; the wire's is written."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True, allow_inf_nan=False
    )

    def as_wire(self) -> dict[str, Any]:
        """JSON-ready, with the names of the wire; what is not there is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
