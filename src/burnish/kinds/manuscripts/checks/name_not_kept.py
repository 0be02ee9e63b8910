"""name_not_kept: a do-not-translate name that is missing or changed in the translation.

What it looks for: every entry of the glossary that is marked do-not-translate and occurs in the source; the translation
must have it unchanged, except for an ending of the language.
Why it matters: readers cannot look up a name that was translated, respelled or left out.
Fix: safe if the translation has the name with one wrong letter or capital; else needs a translator.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.kinds.manuscripts.terminology import INFLECTING, glossary_of, keeps, variant_of
from burnish.languages.words import Slip


@check(
    id="name_not_kept",
    severity="error",
    bad=(
        pair("en>es", "Open the Sunrise Reader.", "Abre el Lector Amanecer.", kept=["Sunrise Reader"]),
        pair("en>es", "OpenRefine reads the table.", "Openrefine lee la tabla.", kept=["OpenRefine"]),
    ),
    good=(
        pair("en>pl", "Python reads the table.", "Tabelę czyta się w Pythonie.", kept=["Python"]),
        pair("en>zh", "OpenRefine reads the table.", "OpenRefine读取表格。", kept=["OpenRefine"]),
        pair("en>es", "Nothing is named here.", "Aquí no se nombra nada.", kept=["OpenRefine"]),
    ),
)
def name_not_kept(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    if not context.glossary or not paragraph.translation:
        return
    target = target_of(paragraph)
    found = {one.term for one in glossary_of(context.glossary).occurrences(source_of(paragraph))}
    names = sorted(term.source for term in found if term.keep)
    lost = (name for name in names if not keeps(paragraph.translation, name, target.language))
    yield from slip_findings(paragraph, (_slip(target, name) for name in lost))


def _slip(target: Side, name: str) -> Slip:
    suggestion, data = f"Write {name!r} unchanged.", {"source": name}
    variant = variant_of(target, name)
    if variant is None:
        return Slip(
            0, 0, f"The name {name!r} must not be changed, but is not in the translation.", suggestion, data=data
        )
    written = target.prose[variant.start : variant.end]
    mended = variant.slip and target.language not in INFLECTING
    message = f"The name {name!r} must not be changed, but is written {written!r}."
    return Slip(variant.start, variant.end, message, suggestion, replacement=name if mended else None, data=data)
