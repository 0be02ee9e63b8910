"""Course codes: which language is taught to speakers of which."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from typing import Self

from burnish.core.errors import UsageError
from burnish.languages.tags import is_known, primary_tag

MOST_SEEDS = 10_000
"""SEEDs in one course: the id has four digits, `C0000` to `C9999`."""

_CODE = re.compile(r"([a-z]{2,3})_for_([a-z]{2,3})(?:_([0-9]{1,9})seeds)?(?:_[a-z0-9]+)*")
_LONGEST = 64
_HINT = "A code says which language is taught to speakers of which: mkd_for_eng_574seeds, or spa_for_eng."


@dataclass(frozen=True, slots=True)
class Course:
    """A course, as its code names it."""

    code: str
    """`mkd_for_eng_574seeds`; also the name of its folder, so it holds small letters, digits and `_` only."""
    target: str
    """The language that is taught, as the code has it: `mkd`."""
    source: str
    """The language of those who learn: `eng`."""
    seeds: int | None = None
    """The number in the code: a name, not a limit."""

    @classmethod
    def of(cls, code: str) -> Self:
        """The course of a code. UsageError where it names no two languages."""
        match = _CODE.fullmatch(code) if len(code) <= _LONGEST else None
        if match is None:
            raise UsageError(f"{code[:_LONGEST]!r} is no course code.", hint=_nearest(code))
        target, source, seeds = match.groups()
        for language in (target, source):
            if not is_known(language):
                raise UsageError(f"The course code {code!r} names no language with {language!r}.", hint=_HINT)
        course = cls(code, target, source, int(seeds) if seeds else None)
        if course.target_tag == course.source_tag:
            raise UsageError(f"The course code {code!r} names the same language twice.", hint=_HINT)
        return course

    @property
    def source_tag(self) -> str:
        """The language of those who learn, by its shortest tag: `en`."""
        return primary_tag(self.source) or self.source

    @property
    def target_tag(self) -> str:
        """The language that is taught: `mk`."""
        return primary_tag(self.target) or self.target


def _nearest(code: str) -> str:
    """What may have been meant: capitals and hyphens are the usual slips."""
    meant = re.sub(r"[-\s]+", "_", code.strip().lower())
    if meant != code and len(meant) <= _LONGEST and _CODE.fullmatch(meant):
        return f"Did you mean {meant}?"
    words = meant.split("_")
    if len(words) > 1 and difflib.get_close_matches(words[1], ["for"], cutoff=0.5):
        words[1] = "for"
        repaired = "_".join(words)
        if len(repaired) <= _LONGEST and _CODE.fullmatch(repaired):
            return f"Did you mean {repaired}?"
    return _HINT
