"""units_changed: a number with a different unit than in the source.

What it looks for: the same number with another unit or currency in each text: 5 km and 5 miles, 20 € and $20. In a
converted quantity the number changes too, which `numbers_changed` reports.
Why it matters: five miles are eight kilometres, and a dose in grams is a thousand times one in milligrams.
Fix: needs a translator or a model, because the word for the unit depends on the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.numbers import Measured, measured


@check(
    id="units_changed",
    title="Unit or currency changed",
    severity="error",
    bad=(
        pair("en>es", "The village is 5 km away.", "El pueblo está a 5 millas."),
        pair("de>en", "Es kostet 20 € im Monat.", "It costs $20 a month."),
        pair("en>es", "The road climbed 850 m; take 5 mg daily.", "El camino subía 850 km; tome 5 mg al día."),
    ),
    good=(
        pair("en>es", "It costs €20 and weighs 3 kilograms.", "Cuesta 20 euros y pesa 3 kg."),
        pair("en>de", "Wait 2 hours; then walk 2 km.", "Warte 2 Stunden, geh dann 2 Kilometer."),
    ),
)
def units_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    ours, theirs = _by_value(measured(source.prose, source.language)), list(measured(target.prose, target.language))
    said = {one.unit for units in ours.values() for one in units}
    for found in theirs:
        units = [one for reading in found.number.readings for one in ours.get(reading, ())]
        if not units or found.unit in said:
            continue
        yield Finding.at(
            paragraph,
            span=(found.number.start, found.end),
            message=f"The unit is {found.written!r}, in the source it is {units[0].written!r}.",
            suggestion="Write the unit of the source.",
            data={"target": found.written, "source": units[0].written},
        )


def _by_value(found: Iterator[Measured]) -> dict[str, list[Measured]]:
    units: dict[str, list[Measured]] = {}
    for one in found:
        for reading in one.number.readings:
            units.setdefault(reading, []).append(one)
    return units
