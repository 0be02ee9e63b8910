"""An earlier document that new ones are compared with (`--against`): it must be whole before anything is spent."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from burnish.app.kinds import detect
from burnish.core.documents import Problem
from burnish.core.errors import InputError, UsageError
from burnish.core.kinds import PublishedKind
from burnish.engine.checking import is_bad_input, opened
from burnish.engine.plan import AGAINST, MaterialPlan
from burnish.store.files import sha256_of


@dataclass(frozen=True, slots=True)
class Earlier:
    """A document to compare with, as it was when the run began."""

    path: str
    format: str
    sha256: str

    @property
    def option(self) -> list[str]:
        """How an overview is told of it."""
        return [self.path, self.format]

    @property
    def plan(self) -> MaterialPlan:
        """What a run writes down about it, so that it notices when it has changed."""
        return MaterialPlan(AGAINST, Path(self.path).name, self.path, self.sha256)


def earlier_of(path: str | None, kind: PublishedKind, off: Collection[str], *, strict: bool) -> Earlier | None:
    """The document that is to be compared with; None where there is none, or no rule is on that compares.

    One of which a part cannot be used is refused: what is compared with nothing would pass for new. `strict` refuses
    one with any other problem too.
    """
    if path is None:
        return None
    if kind.traits.is_whole:
        raise UsageError(f"--against does nothing for {kind.name}.", hint="Leave it out.")
    if all(rule.id in off for rule in kind.document_rules):
        return None
    format = detect(path, kind.name)[1]
    with opened(path) as stream:
        for part in kind.read(stream, path, format):
            if isinstance(part, Problem) and (part.blocks or (strict and is_bad_input(part))):
                raise _not_whole(part)
    whole = Path(path).absolute()
    return Earlier(str(whole), format, sha256_of(whole))


def _not_whole(part: Problem) -> InputError:
    return InputError(
        f"The document to compare with cannot be used as it stands: {part.message}",
        path=part.path,
        line=part.line,
        field=part.field,
        code=part.code,
        hint=part.hint or "Mend it, or take the part out: what cannot be read is compared with nothing.",
    )
