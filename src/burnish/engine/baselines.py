"""Baselines: the findings a bank already has, so that only new ones fail.

A baseline is a JSONL file: a header, then one line for every finding, in the order of the document. A finding is
recognised by rule, unit, field and its quoted words, so it stays known when lines move
or the rest of the question changes.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Self

from burnish.core.errors import InputError
from burnish.core.findings import Finding
from burnish.core.hashing import text_digest

HEADER = {"burnish_baseline": 1}
"""The first line, with the number of the file's version."""
HEADER_LINE = json.dumps(HEADER).encode() + b"\n"
LONGEST_LINE = 1_000_000
HINT = "Write it again with --write-baseline."


def entry(finding: Finding) -> dict[str, str | None]:
    """What a baseline keeps of a finding."""
    quote = text_digest(finding.quote) if finding.quote is not None else None
    return {"rule": finding.rule, "unit": finding.unit, "field": finding.field, "quote": quote}


def line(finding: Finding) -> bytes:
    """A finding's line in a baseline."""
    return _written(entry(finding)) + b"\n"


class Baseline:
    """Findings that are known. Each entry excuses one finding: a second one like it is new."""

    def __init__(self, entries: Iterable[dict[str, str | None]] = ()) -> None:
        self._left = Counter(_name(known) for known in entries)

    @classmethod
    def load(cls, path: str) -> Self:
        return cls(_entries(path))

    def split(self, findings: Iterable[Finding]) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
        """The new findings and the known ones."""
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in findings:
            (known if self._excuses(finding) else new).append(finding)
        return tuple(new), tuple(known)

    def _excuses(self, finding: Finding) -> bool:
        name = _name(entry(finding))
        if not self._left[name]:
            return False
        self._left[name] -= 1
        return True


def _name(known: dict[str, str | None]) -> bytes:
    """A short name, because a baseline may hold a million entries."""
    return hashlib.blake2b(_written(known), digest_size=12).digest()


def _written(known: dict[str, str | None]) -> bytes:
    # The standard library, because ids and fields may hold lone surrogates, which orjson refuses.
    return json.dumps(known, sort_keys=True, separators=(",", ":")).encode()


def _entries(path: str) -> Iterator[dict[str, str | None]]:
    try:
        with Path(path).open("rb") as file:
            _refuse_other_files(file.readline(LONGEST_LINE), path)
            for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE), b""), start=2):
                yield _known(line, path, number)
    except OSError as error:
        raise InputError(f"The baseline cannot be read: {error.strerror}.", path=path, hint=HINT) from error


def _refuse_other_files(line: bytes, path: str) -> None:
    header = _parsed(line, path, 1)
    if header != HEADER:
        raise InputError("This is no baseline that this version of Burnish reads.", path=path, line=1, hint=HINT)


def _known(line: bytes, path: str, number: int) -> dict[str, str | None]:
    value = _parsed(line, path, number)
    if not isinstance(value, dict) or set(value) != {"rule", "unit", "field", "quote"}:
        raise InputError("This line is no baseline entry.", path=path, line=number, hint=HINT)
    return value


def _parsed(line: bytes, path: str, number: int) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"This line is not JSON: {error}.", path=path, line=number, hint=HINT) from error
