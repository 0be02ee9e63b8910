"""Documents and units: what a user hands in, and the parts that are judged on their own."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeGuard, runtime_checkable

import orjson


def canonical(value: Any) -> bytes:
    """JSON with sorted keys and no spaces, so that equal values have equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def digest(*parts: Any) -> str:
    """`sha256:` and the hex digest of the canonical JSON of `parts`."""
    return f"sha256:{hashlib.sha256(canonical(parts)).hexdigest()}"


def text_digest(text: str) -> str:
    """`sha256:` and the hex digest of the UTF-8 bytes of `text` (lone surrogates kept apart, not refused)."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""How the names of variables end that hold a secret."""

SHORTEST_SECRET = 8
"""Shorter values are placeholders such as `none` or `ollama`; taking them out would mangle ordinary words."""


def names_secret(variable: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    return variable.upper().endswith(SECRET_ENDINGS)


Field = str | None
"""A field's name inside a unit (`stem`, `options.B`, `metadata.x`); None where the unit is plain text."""


@runtime_checkable
class Unit(Protocol):
    """The part of a document that is judged and repaired on its own. Immutable."""

    @property
    def id(self) -> str: ...

    @property
    def content_hash(self) -> str:
        """Changes exactly when something that we judge or write back changes."""
        ...

    def texts(self) -> Mapping[Field, str]:
        """Return every text that a finding may point at, in reading order."""
        ...

    def with_text(self, field: Field, text: str) -> Self:
        """Return the same unit with one field's text exchanged."""
        ...


@runtime_checkable
class Located(Protocol):
    """A unit that runs over many lines of its file, and knows on which of them its words stand."""

    def line_of(self, field: Field, start: int | None) -> int | None:
        """The line of this character of a field's text; where that is None, of the field or the unit as a whole."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """The document itself as one unit, for findings that are no single unit's fault. It has no text to edit."""

    id: str
    content_hash: str = ""

    def texts(self) -> Mapping[Field, str]:
        return {}

    def with_text(self, field: Field, text: str) -> Self:
        raise KeyError(field)


@dataclass(frozen=True, slots=True)
class Problem:
    """Input that could not be used as it stands. The rest of the document is still processed."""

    code: str
    """Stable name, such as `invalid_json` or `duplicate_id`."""
    message: str
    path: str
    line: int | None = None
    field: str | None = None
    unit: str | None = None
    """The id that the part goes by, where it has one: also where no unit could be made of it."""
    hint: str | None = None
    blocks: bool = True
    """Whether its document cannot be published: no unit was made of the part, or maybe not the one that was meant.
    Whoever made a unit of it all the same has to say that it does not."""


@dataclass(frozen=True, slots=True)
class PassedThrough:
    """A part that we carry unchanged and do not judge, such as an essay question."""

    id: str
    type: str
    line: int | None = None


Part = Unit | Problem | PassedThrough
"""What reading a document gives, in the document's order."""


def is_unit(part: Part) -> TypeGuard[Unit]:
    return not isinstance(part, Problem | PassedThrough)


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit, and where it stands in a run."""

    name: str
    """The unit's name in the run."""
    document: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Material:
    """A file that is read beside the documents: a specification, source material."""

    name: str
    """Its own name, without the folder."""
    path: str
    data: bytes
