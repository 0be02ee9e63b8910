"""All errors that Burnish raises on purpose.

    BurnishError
    ├── InputError            bad content: says file, line, field            exit 2
    │   ├── CannotWriteBack   changes that their file cannot hold, by unit
    │   └── SourceUnavailable a run's document is missing or has changed
    ├── UsageError            the call itself is wrong                       exit 2
    │   ├── NotFound          there is no such run, unit or rule
    │   ├── SettingsError     a setting is wrong: says file and key
    │   ├── TooLate           a decision can no longer be undone
    │   └── SelfCorrectionError   the correction service was misused
    ├── RunActive             another process holds the run                  exit 4
    ├── StateCorrupt          the journal cannot be trusted                  exit 5
    │   └── OwnershipLost     another process took the run over
    ├── StorageFailed         the disk failed; nothing is half-written       exit 2
    ├── LimitReached          budget or time; the run can be resumed         exit 6
    ├── ModelFailed           a model call that will not succeed             exit 1
    │   └── ReplyUnreadable   the model answered, but not in the asked shape
    ├── EditRefused           an edit that would change more than it may     exit 1
    └── InternalError         parts of Burnish do not fit together: a bug    exit 1

A message says what is wrong, `hint` says what to do next, and `code` never changes once released.
"""

from __future__ import annotations

from collections.abc import Mapping


class BurnishError(Exception):
    """The root of all errors that Burnish raises on purpose."""

    code = "burnish_error"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class InputError(BurnishError):
    """Content cannot be read. Gives the place where reading stopped."""

    code = "bad_input"
    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        field: str | None = None,
        hint: str | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.path = path
        self.line = line
        self.field = field
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path, self.line) if part is not None)
        field = f" (field {self.field})" if self.field else ""
        return f"{place}: {self.message}{field}" if place else f"{self.message}{field}"


class CannotWriteBack(InputError):
    """Changes that their file cannot hold: all of them, so that they can be corrected together."""

    code = "cannot_write_back"

    def __init__(self, refusals: Mapping[str, InputError]) -> None:
        """`refusals`: the unit's id in the document -> why its change was refused. At least one."""
        first, more = next(iter(refusals.values())), len(refusals) - 1
        others = f" The same applies to {more} more." if more else ""
        super().__init__(
            f"{first.message}{others}", path=first.path, line=first.line, field=first.field, hint=first.hint
        )
        self.refusals = dict(refusals)


class SourceUnavailable(InputError):
    """The document of a run is missing or has changed: the run cannot continue until it is back."""

    code = "source_unavailable"


class UsageError(BurnishError):
    """The command or call is not valid."""

    code = "usage"
    exit_code = 2


class NotFound(UsageError):
    """The named run, unit, rule or course does not exist."""

    code = "not_found"


class SettingsError(UsageError):
    """A setting is wrong."""

    code = "bad_setting"

    def __init__(self, message: str, *, source: str, key: str | None = None, hint: str | None = None) -> None:
        """`key` is None if the whole source is wrong."""
        super().__init__(": ".join(part for part in (source, key, message) if part), hint=hint)
        self.source = source
        self.key = key


class TooLate(UsageError):
    """A decision can no longer be undone, because the run has continued from it."""

    code = "too_late"


class SelfCorrectionError(UsageError):
    """The correction service was called without a usable validation result."""

    code = "self_correction_misuse"


class RunActive(BurnishError):
    """The run is held by a live process."""

    code = "run_active"
    exit_code = 4


class StateCorrupt(BurnishError):
    """The recorded state is damaged, or was written by a newer Burnish."""

    code = "state_corrupt"
    exit_code = 5


class OwnershipLost(StateCorrupt):
    """Another process took over this run: this process must not write any more."""

    code = "ownership_lost"


class StorageFailed(BurnishError):
    """The disk failed (full, read-only, faulty). Existing files are unchanged."""

    code = "storage_failed"
    exit_code = 2


class LimitReached(BurnishError):
    """A ceiling on tokens, money or time was reached before the work was done."""

    code = "limit_reached"
    exit_code = 6


class Submitted(LimitReached):
    """Calls were submitted to the provider in batches. `resume` collects the answers."""

    code = "submitted"


class CallDeferred(BurnishError):
    """A call was queued for a batch; its answer is available after the batch is collected."""

    code = "call_deferred"
    exit_code = 6


class ModelFailed(BurnishError):
    """A model call failed for good: no retries are left, or retrying cannot help."""

    code = "model_failed"


class ModelAway(ModelFailed):
    """A model does not answer at all: it is unreachable, refuses the key, has no quota, or fails repeatedly.

    Nothing is recorded for it and no attempt is used up: the work stays open until the run is resumed.
    """

    code = "model_away"
    exit_code = 6

    def __init__(self, model: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(reason, hint=hint)
        self.model = model


class ReplyUnreadable(ModelFailed):
    """The reply is recorded, but it is not the requested object."""

    code = "reply_unreadable"


class EditRefused(BurnishError):
    """An edit was not applied. `reason` is a key of `core.edits.REFUSALS`."""

    code = "edit_refused"

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class InternalError(BurnishError):
    """Parts of Burnish do not fit together: no content and no setting can cause this."""

    code = "internal_error"
