"""inconsistent_name: a name that the rest of the book keeps unchanged, but this paragraph does not.

What it looks for: names of the source that nearly all other paragraphs keep unchanged in the translation, and this one
does not. An error if a similar word is in its place; else a warning, because a pronoun may replace it.
Why it matters: readers take a person with two spellings for two persons.
Fix: safe if the similar word differs by a letter or a capital and the language has no cases; else needs a translator.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.kinds.manuscripts.terminology import INFLECTING, NAME, keeps, names_in, variant_of
from burnish.languages.word_forms import is_form_of
from burnish.languages.words import Slip

NEARLY_ALL = 0.85
"""The share of paragraphs that must keep a name."""


@check(
    id="inconsistent_name",
    severity="error",
    bad=(
        pair("en>es", "Alice looked at the Duchess.", "Alise miró a la Duquesa.", names={"Alice": 0.98}),
        pair(
            "en>es",
            "Then Mr Brown met Alice again.",
            "Entonces el señor Brown se encontró de nuevo con la niña.",
            names={"Alice": 0.98, "Brown": 1.0},
        ),
    ),
    good=(
        pair(
            "en>es", "Alice looked at the Duchess.", "Alice miró a la Duquesa.", names={"Alice": 0.98, "Duchess": 0.1}
        ),
        pair("en>pl", "He gave it to Marek.", "Dał to Markowi.", names={"Marek": 0.9}),
    ),
)
def inconsistent_name(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    if not context.names or not paragraph.translation:
        return
    target = target_of(paragraph)
    lost = (
        name
        for name in names_in(source_of(paragraph), context.names)
        if context.names[name] >= NEARLY_ALL and not _is_there(target, name)
    )
    yield from slip_findings(paragraph, (_slip(target, name) for name in lost))


def _is_there(target: Side, name: str) -> bool:
    if keeps(target.view.text, name, target.language):
        return True
    # Cases change the stem as well: Marek, Markowi.
    return target.language in INFLECTING and any(
        word[0].isupper() and is_form_of(word, name, target.language) for word in NAME.findall(target.prose)
    )


def _slip(target: Side, name: str) -> Slip:
    suggestion = f"Write {name!r} as in the rest of the book, if it is meant."
    variant = variant_of(target, name)
    if variant is None or not target.prose[variant.start].isupper():
        message = f"The rest of the translation keeps the name {name!r}; here it is missing."
        return Slip(0, 0, message, suggestion, severity="warning", data={"source": name})
    written = target.prose[variant.start : variant.end]
    message = f"The rest of the translation writes {name!r}, here it is {written!r}."
    certain = variant.slip and target.language not in INFLECTING
    return Slip(
        variant.start,
        variant.end,
        message,
        suggestion,
        replacement=name if certain else None,
        severity="error" if certain else "warning",
        data={"source": name},
    )
