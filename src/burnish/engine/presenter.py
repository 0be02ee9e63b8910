"""How the journal's lists show the drafts of a kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from burnish.core.documents import Field, Unit
from burnish.core.kinds import Kind
from burnish.core.records import Json

EXCERPT = 160
"""Characters of a unit that lists show."""
UNREADABLE = "(This draft cannot be read.)"
_READ = 4 * EXCERPT
"""Characters that an excerpt is made from: what is longer costs nothing."""


@dataclass(frozen=True, slots=True)
class KindPresenter:
    """See `burnish.store.read_model.Presenter`."""

    kind: Kind
    reviews_apart: bool

    @classmethod
    def of(cls, kind: Kind) -> KindPresenter:
        return cls(kind, kind.is_phased)

    def excerpt(self, content: Json) -> str:
        """The beginning of a draft as a person reads it. One that cannot be read is listed all the same."""
        try:
            words = " ".join(self.kind.shown(self._unit(content))[:_READ].split())
        except (ValueError, TypeError, LookupError):
            return UNREADABLE
        return words if len(words) <= EXCERPT else words[: EXCERPT - 1].rstrip() + "…"

    def texts(self, content: Json) -> Mapping[Field, str]:
        return self._unit(content).texts()

    def _unit(self, content: Json) -> Unit:
        return self.kind.from_record(content)
