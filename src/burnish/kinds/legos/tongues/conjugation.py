"""Forms of verbs from patterns: the patterns are data, so that a language needs no code of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def conjugated(verb: str, patterns: Mapping[str, str]) -> Iterator[str]:
    """All forms that the pattern of the verb's ending gives; none where no pattern fits.

    Patterns are looked up by how the verb ends, the longest ending first. In a pattern `~` stands for the verb without
    that ending, and `^` for the letter before it once more. A verb that ends in `+` doubles its last letter.

    >>> sorted(conjugated("hope", {"e": "~e ~ed ~ing"}))
    ['hope', 'hoped', 'hoping']
    >>> list(conjugated("stop+", {"+": "~^ed"}))
    ['stopped']
    """
    for length in range(len(verb), -1, -1):
        ending = verb[len(verb) - length :]
        if ending in patterns:
            stem = verb[: len(verb) - length]
            yield from (_filled(pattern, stem) for pattern in patterns[ending].split())
            return


def _filled(pattern: str, stem: str) -> str:
    return pattern.replace("~", stem).replace("^", stem[-1:])
