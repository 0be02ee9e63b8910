"""Which rules cannot judge a pair of languages, and why: what is not judged must be said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator

from burnish.kinds.manuscripts.grammar import concord, dictionary
from burnish.kinds.manuscripts.voice import address, persons, tenses

OF_THE_TRANSLATION = {
    "agreement": concord.JUDGED,
    "formality_mixed": address.JUDGED,
    "person_changed": persons.JUDGED,
    "tense_changed": tenses.JUDGED,
}
"""Rule -> languages of the translation of which it knows enough."""
OF_THE_SOURCE = {"person_changed": persons.JUDGED, "tense_changed": tenses.JUDGED}
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
