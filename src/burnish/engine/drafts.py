"""Drafts on their way into the journal and out of it: exactly as they were written, and without keys."""

from __future__ import annotations

from burnish.core.documents import Unit
from burnish.core.errors import InputError
from burnish.core.kinds import PublishedKind
from burnish.store.redaction import Redactor


def refuse_keys(redactor: Redactor, kind: PublishedKind, unit: Unit, path: str | None = None) -> None:
    """No prompt, journal or published file may spread a key; and taking it out would change what was written."""
    if redactor.knows_keys and redactor.holds_key(kind.to_record(unit)):
        raise InputError(
            f"{unit.id} holds a key of this machine: the value of a variable that is kept secret.",
            path=path,
            code="holds_key",
            hint="Take the key out of the text, and exchange it for a new one: it was written down.",
        )
