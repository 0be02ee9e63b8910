"""Documents and units: the user's input, and the parts that are judged separately."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeGuard, runtime_checkable

from burnish.core.json_bytes import canonical


def digest(*parts: Any) -> str:
    """Return `sha256:` and the hex digest of the canonical JSON of `parts`."""
    return f"sha256:{hashlib.sha256(canonical(parts)).hexdigest()}"


def text_digest(text: str) -> str:
    """Return `sha256:` and the hex digest of the UTF-8 bytes of `text`. Lone surrogates are allowed."""
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


SECRET_ENDINGS = ("_API_KEY", "_TOKEN", "_SECRET", "_PASSWORD")
"""Endings of the names of variables that hold a secret."""

SHORTEST_SECRET = 8
"""Shorter values are placeholders such as `none` or `ollama`; removing them would damage ordinary words."""


def names_secret(variable: str) -> bool:
    """Return whether a variable of this name holds a secret."""
    return variable.upper().endswith(SECRET_ENDINGS)


Field = str | None
"""A field's name inside a unit (`stem`, `options.B`, `metadata.x`); None if the unit is plain text."""


@runtime_checkable
class Unit(Protocol):
    """The part of a document that is judged and repaired separately. Immutable."""

    @property
    def id(self) -> str: ...

    @property
    def content_hash(self) -> str:
        """Changes if and only if something that is judged or written back changes."""
        ...

    def texts(self) -> Mapping[Field, str]:
        """Return every text that a finding may refer to, in reading order."""
        ...

    def with_text(self, field: Field, text: str) -> Self:
        """Return the same unit with another text in one field."""
        ...


@runtime_checkable
class Located(Protocol):
    """A unit of many lines that knows the line of each of its words."""

    def line_of(self, field: Field, start: int | None) -> int | None:
        """Return the line of a character in a field's text, or without `start` of the field or the unit."""
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """The document as one unit, for findings that concern no single unit. It has no text to edit."""

    id: str
    content_hash: str = ""

    def texts(self) -> Mapping[Field, str]:
        return {}

    def with_text(self, field: Field, text: str) -> Self:
        raise KeyError(field)


@dataclass(frozen=True, slots=True)
class Problem:
    """Input that could not be used. The rest of the document is still processed."""

    code: str
    """Stable name, such as `invalid_json` or `duplicate_id`."""
    message: str
    path: str
    line: int | None = None
    field: str | None = None
    unit: str | None = None
    """The id of the part, if it has one, even if no unit could be made of it."""
    hint: str | None = None
    blocks: bool = True
    """Whether the document cannot be published: no unit was made of the part, or perhaps a wrong one. Set it to False
    if a correct unit was made anyway."""


@dataclass(frozen=True, slots=True)
class PassedThrough:
    """A part that is copied unchanged and not judged, such as an essay question."""

    id: str
    type: str
    line: int | None = None


Part = Unit | Problem | PassedThrough
"""The results of reading a document, in its order."""


def is_unit(part: Part) -> TypeGuard[Unit]:
    return not isinstance(part, Problem | PassedThrough)


@dataclass(frozen=True, slots=True)
class Placed:
    """A unit with its place in a run."""

    name: str
    """The unit's name in the run."""
    document: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Material:
    """A file that is read besides the documents: a specification, source material."""

    name: str
    """Its file name, without the folder."""
    path: str
    data: bytes
