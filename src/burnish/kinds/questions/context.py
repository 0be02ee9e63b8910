"""What a check may know beyond the question: facts about the bank, and what the institution asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

DEFAULT_REQUIRED_METADATA = ("course_id", "slo_ids", "bloom_level", "difficulty")
"""Required where the bank carries the field at all and no institution says otherwise."""


@dataclass(frozen=True, slots=True)
class BankContext:
    """Facts about the whole bank, and the institution's demands."""

    carried: frozenset[str] = frozenset()
    """Optional fields that occur somewhere in the bank: `rationale`, `vignette`, `metadata.bloom_level`, ..."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata that the institution requires; None where it does not say."""
    concepts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The concept graph: concept id -> words that show it in a text. Empty: no graph."""
    language: str | None = None
    """What the bank is written in, as far as one language prevails: a question that is too short to tell is in it."""

    def carries(self, name: str) -> bool:
        """Whether the bank has this field at all: a bank without rationales is not full of missing ones."""
        return name in self.carried or any(known.startswith(f"{name}.") for known in self.carried)
