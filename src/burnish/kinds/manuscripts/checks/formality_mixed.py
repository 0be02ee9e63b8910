"""formality_mixed: the reader is addressed both formally and informally.

What it looks for: tú and usted, du and Sie, tu and vous, ты and Вы, ти and Вие, tu and Lei in one paragraph; or a
familiar address where the source is polite, or the other way round. Both in one sentence outside of speech are an
error, elsewhere a warning, because several people may be addressed. A source that mixes them too is ignored.
Why it matters: a text that changes its form of address sounds like two authors.
Fix: needs a model or a person: the verbs have to change as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.voice import KNOWN_ADDRESSES, Manner, address_of, manners, mixes_manners
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, markdown

OTHER: dict[Manner, Manner] = {"familiar": "polite", "polite": "familiar"}
SPEECH = regex.compile(r"[\"“”„«»‘]|(?:^|\n)\s*[—–-]\s")
"""Signs of speech, in which each person may use another form of address."""


def misaddressed(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """Two forms of address in one text, or a different one than in the source."""
    if languages[1] not in KNOWN_ADDRESSES:
        return
    ours = manners(view.prose, languages[1])
    theirs = manners(source.prose, languages[0]) if languages[0] in KNOWN_ADDRESSES else {}
    if len(ours) == 2:
        if len(theirs) < 2:
            yield from _mixed(view, ours, languages[1])
    elif len(theirs) == 1 and ours and ours.keys() != theirs.keys():
        [(manner, span)] = ours.items()
        message = f"The source addresses its reader in the {OTHER[manner]} manner, the translation in the {manner} one."
        yield Slip(*span, message, "Keep the manner of the source.", severity="warning")


def _mixed(view: Markdown, ours: dict[Manner, tuple[int, int]], language: str) -> Iterator[Slip]:
    start, end = max(ours.values())
    first = view.text[slice(*min(ours.values()))]
    in_one_breath = address_of(language).sure and not SPEECH.search(view.prose) and mixes_manners(view.prose, language)
    yield Slip(
        start,
        end,
        f"The reader is addressed in two manners: {first!r} and {view.text[start:end]!r}.",
        "Address the reader in one manner.",
        severity="error" if in_one_breath else "warning",
    )


@check(
    id="formality_mixed",
    title="Mixed forms of address",
    severity="error",
    languages=KNOWN_ADDRESSES,
    bad=(
        pair("en>de", "You can take your lamp with you.", "Du kannst Ihre Lampe mitnehmen."),
        pair(
            "en>es", "Close the door. The lamp is yours.", "Cierra la puerta, que es para ti. La lámpara es de usted."
        ),
        pair("de>fr", "Du kannst deine Lampe mitnehmen.", "Vous pouvez prendre votre lampe."),
    ),
    good=(
        pair(
            "en>de",
            "You can take your lamp. They took their lamp.",
            "Du kannst deine Lampe mitnehmen. Sie nahmen ihre Lampe.",
        ),
        pair("en>es", "You can take your lamp.", "Usted puede llevarse su lámpara."),
    ),
)
def formality_mixed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from slip_findings(paragraph, misaddressed(translation, source, languages))
