"""Drafts on their way into the journal and out of it: exactly as they were written, and without keys."""

from __future__ import annotations

from burnish.core.documents import Unit
from burnish.core.errors import InputError, StateCorrupt
from burnish.core.kinds import PublishedKind
from burnish.core.records import AttemptRecord
from burnish.store.redaction import Redactor


def recorded_draft(kind: PublishedKind, attempt: AttemptRecord) -> Unit | None:
    """The draft of an attempt, proven to be the one that was judged; None where it is the source itself."""
    if attempt.content is None:
        return None
    draft = kind.from_record(attempt.content)
    if draft.content_hash != attempt.content_hash:
        raise StateCorrupt(
            f"Attempt {attempt.number} of {attempt.unit} is not the text that was judged; it is not used.",
            hint="The journal was changed, or written by another version. Start a new run, with --replay of this one.",
        )
    return draft


def refuse_keys(redactor: Redactor, kind: PublishedKind, unit: Unit, path: str | None = None) -> None:
    """No prompt, journal or published file may spread a key; and taking it out would change what was written."""
    if redactor.knows_keys and redactor.holds_key(kind.to_record(unit)):
        raise InputError(
            f"{unit.id} holds a key of this machine: the value of a variable that is kept secret.",
            path=path,
            code="holds_key",
            hint="Take the key out of the text, and exchange it for a new one: it was written down.",
        )
