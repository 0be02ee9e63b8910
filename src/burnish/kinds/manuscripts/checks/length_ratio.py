"""length_ratio: a translation that is far longer or shorter than expected.

What it looks for: the number of characters against that of the source, adjusted to how much text each language needs.
Short texts may differ more than long ones: from about half as much again it is a warning, from about twice an error.
Why it matters: if half is missing, something was left out; if there is twice as much, something was made up.
Fix: needs a translator, who knows what is missing or extra.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import exp, log, sqrt
from typing import NamedTuple

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.sentences import per_english_letter, size

ERROR, ERROR_OF_SHORT = 0.55, 3.2
WARNING, WARNING_OF_SHORT = 0.35, 2.4
"""Logarithms of the ratio: the tolerance of any text, and the additional one of a text of one letter."""
SHORTEST = 12
"""The fewest letters of a source for judging the length of its translation."""
LEAST_DIFFERENCE = 8
SHORT = 60
"""With fewer expected characters than this a warning would mean nothing."""
TERSE, FEWEST = 40, 6
"""With fewer expected characters than TERSE, a translation of FEWEST characters may be complete: "Esto da:"."""


class Length(NamedTuple):
    """The length found and the length expected."""

    found: int
    expected: float
    excess: float
    """The logarithm of the ratio to the expected length; negative: too short."""
    warning: float
    error: float

    @property
    def times(self) -> float:
        """The ratio, as a number of 1 or more."""
        return exp(abs(self.excess))


def compared(source: Side, target: Side) -> Length | None:
    """The comparison; None if the source is too short, or if there is no translation (`translation_missing`)."""
    found = size(target.prose)
    own, guessed = per_english_letter(source.prose, source.language)
    other, guessed_too = per_english_letter(target.prose, target.language)
    meaning = size(source.prose) / own
    expected = size(source.prose) * other / own
    if meaning < SHORTEST or not found or abs(found - expected) < LEAST_DIFFERENCE:
        return None
    more = guessed + guessed_too
    short = 1 / sqrt(meaning)
    return Length(
        found,
        expected,
        log(found / expected),
        WARNING + WARNING_OF_SHORT * short + more,
        ERROR + ERROR_OF_SHORT * short + more,
    )


LONG = (
    "The old banker walked up and down in his study and remembered how he had given a party one autumn evening, "
    "fifteen years before. There had been many clever men there, and the talk had been interesting."
)


@check(
    id="length_ratio",
    title="Unexpected length",
    severity="error",
    bad=(
        pair("en>es", LONG, "El viejo banquero caminaba de un lado a otro."),
        pair(
            "en>es",
            "He shut the door and left.",
            "Cerró la puerta con mucho cuidado, miró por última vez el jardín que tanto había querido, "
            "suspiró y se marchó para siempre.",
        ),
        pair(
            "zh>en",
            "彗星可能是地球上的水和有机物的来源，这些有机物可以形成蛋白质并维持生命的存续。",
            "Comets may be it.",
        ),
    ),
    good=(
        pair(
            "en>es",
            LONG,
            "El viejo banquero caminaba de un lado a otro de su despacho y recordaba cómo había "
            "dado una fiesta una noche de otoño, quince años antes. Había allí muchos hombres inteligentes, y la "
            "conversación había sido interesante.",
        ),
        pair(
            "zh>en",
            "彗星可能是地球上的水和有机物的来源。",
            "Comets may have been the source of water and organic matter on Earth.",
        ),
        pair("en>es", "Yes.", "Sí, por supuesto."),
        pair("en>es", "Which outputs the following:", "Esto da:"),
        pair("en>cs", "The Polish language has seven grammatical cases.", "Polština má sedm pádů."),
        pair("en>kab", "Thanks a lot, my friend!", "Tanemmirt!"),
    ),
)
def length_ratio(paragraph: Paragraph) -> Iterator[Finding]:
    length = compared(source_of(paragraph), target_of(paragraph))
    if length is None or abs(length.excess) < length.warning:
        return
    is_sure = abs(length.excess) >= length.error
    how = "longer" if length.excess > 0 else "shorter"
    if how == "shorter" and length.expected < TERSE and length.found >= FEWEST:
        return
    if not is_sure and length.expected < SHORT:
        return
    yield Finding.at(
        paragraph,
        message=f"The translation is {length.times:.1f} times {how} than expected "
        f"({length.found} characters, about {length.expected:.0f} expected).",
        suggestion="Look for what is missing." if how == "shorter" else "Look for what the source does not say.",
        severity="error" if is_sure else "warning",
    )
