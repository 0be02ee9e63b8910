"""names_changed: a name of the source that is gone from the translation, or has become another.

What it looks for: words of the source that are surely names (a capital inside a sentence, capitals throughout, Latin
letters in another script) and that nothing in the translation sounds like. Cyrillic and Greek are read as Latin
letters, endings may differ, and names that each language has its own form for (countries, saints, institutions) are
passed over.
Why it matters: somebody else is said to have done it.
Fix: needs a translator or a model, because the name's form in the other language has to be found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.facts.names import Name, name_difference
from burnish.kinds.manuscripts.facts.replaced_names import replaced_name
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.wording.sides import Side, source_of, target_of

MOST_SHOWN = 5
SPELT_OUT = re.compile(r"[A-Z]\w{2,40}(?: (?:of |the |for |and ){0,2}[A-Z]\w{2,40}){1,8}")
"""Words with capitals beside each other, of which an abbreviation may be made."""
CAPITALS = re.compile(r"\b[A-Z]+\b")


@check(
    id="names_changed",
    severity="error",
    languages=(
        "en",
        "es",
        "fr",
        "de",
        "it",
        "pt",
        "nl",
        "pl",
        "cs",
        "ru",
        "mk",
        "bg",
        "uk",
        "sr",
        "ca",
        "ro",
        "sv",
        "da",
        "kab",
    ),
    bad=(
        {
            "text": "Según explicó Ricardo Salazar, el puente sigue cerrado.",
            "translation": "As Quentin Chabert explained, the bridge is still closed.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "Глава города Артём Суворов приехал вечером.",
            "translation": "The head of the city arrived in the evening.",
            "source_language": "ru",
            "target_language": "en",
        },
        {
            "text": "As Oldfield explained, the bridge is still closed.",
            "translation": "Como explicó Chabert, el puente sigue cerrado.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The letter is for Mr Oldfield.",
            "translation": "La carta es para el señor Whitmore.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "Телефонный разговор Владимира Зеленского состоялся вчера.",
            "translation": "The telephone conversation of Volodymyr Zelensky took place yesterday.",
            "source_language": "ru",
            "target_language": "en",
        },
        {
            "text": "Después viajó a Alemania con el Ministerio de Salud y la ONU.",
            "translation": "He then travelled to Germany with the Ministry of Health and the UN.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The town lies on the lake.",
            "translation": "El pueblo está junto al lago.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "Johns Frau Mary kaufte ein Dutzend Eier. Kommen Sie herein, sagte der Wirt.",
            "translation": "John's wife, Mary, bought a dozen eggs. Come in, said the landlord.",
            "source_language": "de",
            "target_language": "en",
        },
    ),
)
def names_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not paragraph.translation.strip() or source.language == target.language:
        return
    difference = name_difference(source, target)
    lost = [name for name in difference.lost if not _may_be_rewritten(name, source, target)]
    if not lost:
        yield from _replaced(paragraph, source, target)
        return
    shown = ", ".join(repr(name.text) for name in lost[:MOST_SHOWN])
    put = next((name for name in difference.new if not name.acronym), None)
    instead = f"; it says {put.text!r}, which the source does not" if put is not None else ""
    yield Finding.at(
        paragraph,
        field=None,
        span=(put.start, put.end) if put is not None else None,
        severity="error" if any(name.sure for name in lost) else "warning",
        message=f"The translation does not have {shown} of the source{instead}.",
        suggestion="Write the name of the source, in its usual form in this language.",
    )


def _replaced(paragraph: Paragraph, source: Side, target: Side) -> Iterator[Finding]:
    found = replaced_name(source, target)
    if found is not None:
        yield Finding.at(
            paragraph,
            field=None,
            span=(found.put.start, found.put.end),
            message=f"The translation says {found.put.text!r}, the source {found.lost!r}.",
            suggestion="Write the name of the source, in its usual form in this language.",
        )


def _may_be_rewritten(name: Name, source: Side, target: Side) -> bool:
    """An abbreviation may be spelt out, or have its letters in another order: VIH and HIV, ONU and UN."""
    if not name.acronym:
        return False
    letters = set(name.text.lower())
    if source.language == "en" or not name.text.isascii():
        return True
    if any(spelt[0].lower() in letters for spelt in SPELT_OUT.findall(target.prose)):
        return True
    return any(len(word) > 1 and set(word.lower()) <= letters for word in CAPITALS.findall(target.prose))
