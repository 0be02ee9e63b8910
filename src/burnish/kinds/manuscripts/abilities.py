"""Which rules cannot judge a pair of languages, and why: what is not judged must be said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator

from burnish.languages import dictionary
from burnish.languages.grammar import KNOWN_CONCORDS
from burnish.languages.verbs import KNOWN_TENSES
from burnish.languages.voice import KNOWN_ADDRESSES, KNOWN_PERSONS

OF_THE_TRANSLATION = {
    "agreement": KNOWN_CONCORDS,
    "formality_mixed": KNOWN_ADDRESSES,
    "person_changed": KNOWN_PERSONS,
    "tense_changed": KNOWN_TENSES,
}
"""Rule -> languages of the translation of which it knows enough."""
OF_THE_SOURCE = {"person_changed": KNOWN_PERSONS, "tense_changed": KNOWN_TENSES}
"""Rule -> languages of the source of which it knows enough."""


def unable(source_language: str, target_language: str) -> dict[str, str]:
    """Rules that say nothing about this pair of languages, with the reason of each."""
    return dict(sorted(_reasons(source_language, target_language)))


def _reasons(source_language: str, target_language: str) -> Iterator[tuple[str, str]]:
    missing = dictionary.why_not(target_language)
    if missing is not None:
        yield "spelling", missing
    for rule, languages in OF_THE_SOURCE.items():
        if source_language not in languages:
            yield rule, f"it knows too little about {source_language}"
    for rule, languages in OF_THE_TRANSLATION.items():
        if target_language not in languages:
            yield rule, f"it knows too little about {target_language}"
