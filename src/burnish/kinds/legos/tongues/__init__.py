"""Languages that courses are taught from, each a data file: `tongue_of("eng")`."""

from __future__ import annotations

from functools import cache

from burnish.kinds.legos.tongues.loading import loaded
from burnish.kinds.legos.tongues.tongue import MultiWordVerb, Tongue
from burnish.languages.tags import primary_tag

KNOWN: tuple[str, ...] = ("de", "en", "es", "fr", "it", "mk", "pt", "ru")
"""Languages of which there is a data file, by their ISO 639-1 codes."""


def tongue_of(code: str) -> Tongue | None:
    """The language of a code or a name (`en`, `eng`, `English`); None where there are no data for it."""
    tag = primary_tag(code)
    return _tongue(tag) if tag in KNOWN else None


@cache
def _tongue(tag: str) -> Tongue:
    return loaded(tag)


__all__ = ["KNOWN", "MultiWordVerb", "Tongue", "tongue_of"]
