"""What a difference is: the words that went, the words that came, and where."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

Family = Literal[
    "number",
    "unit",
    "date",
    "name",
    "denial",
    "quantifier",
    "modal",
    "opposite",
    "kind",
    "order",
    "words",
    "sentence_lost",
    "sentence_added",
    "length",
    "language",
    "letters",
    "link",
    "code",
    "formula",
    "placeholder",
    "tag",
]
FAMILIES: tuple[Family, ...] = get_args(Family)
LONGEST_SHOWN = 160


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a repair changed and that can change what the text says."""

    family: Family
    before: str
    """The words that went; empty if something was added."""
    after: str
    """The words that came; empty if something was left out."""
    message: str
    """For people and models: `"500 ml" became "5 ml"`."""
    sentence: str
    """The sentence of the new text, or the old one where the new text has none."""
    span: tuple[int, int] | None = None
    """Where `before` stands in the old text."""
    new_span: tuple[int, int] | None = None
    """Where `after` stands in the new text."""
    is_grave: bool = True
    """False if the words are shown to a reader and refuse nothing: other words for what may be the same."""

    def as_record(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def shown(text: str) -> str:
    """A text for a message: on one line, and not longer than a line or two."""
    bare = " ".join(text.split())
    return bare if len(bare) <= LONGEST_SHOWN else f"{bare[: LONGEST_SHOWN - 2].rsplit(' ', 1)[0]} …"


def became(before: str, after: str) -> str:
    return f'"{shown(before)}" became "{shown(after)}".'
