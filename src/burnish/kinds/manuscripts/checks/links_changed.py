"""links_changed: a link or footnote mark is missing or changed.

What it looks for: links, images, addresses and footnote marks that are missing in the translation. A changed address is
a warning, unless the new one names the language of the translation (es.wikipedia.org). An additional footnote is a
warning too, because translators add their own notes; a link in a text that had none is an error.
Why it matters: the link leads nowhere, or to the wrong page.
Fix: needs a translator or a model, who can find the words to link.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import NOTE_MARK, SHORTCUT, carried_difference, links, source_of, target_of
from burnish.languages.detection import primary_tag

SHOWN = 200
REFERENCE = re.compile(r"\]\[[^\[\]\n]{0,200}\]")


@check(
    id="links_changed",
    title="Link or footnote changed",
    severity="error",
    bad=(
        pair("en>es", "See [the guide](https://example.org/guide) first.", "Vea primero la guía."),
        pair("en>es", "See the guide first.", "Vea primero [la guía](https://example.com/other)."),
        pair("en>es", "See [the guide][guide] first.", "Vea primero la guía."),
        pair("en>es", "The road climbed all day.[^1]", "El camino subía todo el día."),
    ),
    good=(
        pair(
            "en>es",
            "See [the guide](https://example.org/guide) and https://example.org/more.",
            "Vea [la guía](https://example.org/guide) y https://example.org/more.",
        ),
        pair("en>es", "See the guide.", "Vea la guía."),
        pair("en>es", "Open [R](https://cran.example.org/).", "Abra [R](https://cran.example.org)."),
        pair("en>es", "See the [museum][].", "Véase el [museo](https://museum.example.org/)."),
        pair("en>es", "See [it](/lessons/graphs).", "Véalo [aquí](/en/lessons/graphs)."),
        pair(
            "en>es",
            "See [syntax](https://en.wikipedia.org/wiki/Syntax).",
            "Véase [sintaxis](https://es.wikipedia.org/wiki/Sintaxis).",
        ),
        pair(
            "en>es",
            "The road climbed all day;[^1] `[^a]` matches.",
            "El camino subía todo el día[^2]; `[^a]` coincide.",
        ),
    ),
)
def links_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = paragraph.text, paragraph.translation
    if not target.strip():
        return
    if "[^" in source or "[^" in target:
        yield from _notes_changed(paragraph)
    if any(sign in text for text in (source, target) for sign in ("](", "][", "://")):
        yield from _addresses_changed(paragraph, source, target)


def _notes_changed(paragraph: Paragraph) -> Iterator[Finding]:
    """Translators may renumber notes and add some, but must not leave any out."""
    ours, theirs = (NOTE_MARK.findall(side.prose) for side in (source_of(paragraph), target_of(paragraph)))
    if len(ours) > len(theirs):
        mark = next(iter((Counter(ours) - Counter(theirs)).elements()))
        yield _finding(paragraph, f"The mark {mark!r} of a footnote is missing.", "Add the mark.", lost=[mark])
    elif len(theirs) > len(ours):
        mark = next(iter((Counter(theirs) - Counter(ours)).elements()))
        message = f"The mark {mark!r} of a footnote is not in the source."
        suggestion = "Remove the mark, unless it is a translator's note."
        yield _finding(paragraph, message, suggestion, _place(paragraph.translation, mark), "warning")


def _addresses_changed(paragraph: Paragraph, source: str, target: str) -> Iterator[Finding]:
    found = carried_difference(source, target, ("address",))
    left = {_page(one, paragraph) for one in found.lost}
    new = [one for one in found.new if _page(one, paragraph) not in left]
    more = links(target) - links(source)
    if more < 0:
        lost = f" ({found.lost[0][:SHOWN]})" if found.lost else ""
        yield _finding(paragraph, f"A link of the source is missing{lost}.", "Add the link.", lost=found.lost[:1])
    elif len(new) > max(0, _by_reference(source) - _by_reference(target)) and not (
        links(source) and all(_is_edition(one, paragraph.target_language) for one in new)
    ):
        # Translators may link pages in their language, but not add a link to a source that has none.
        is_local = "://" not in new[0]
        severity: Severity = "warning" if links(source) or found.lost or is_local else "error"
        yield _finding(
            paragraph,
            f"The address {new[0][:SHOWN]!r} is not in the source.",
            "Remove the link, or make sure that this page says the same in the other language.",
            _place(target, new[0]),
            severity,
        )


def _is_edition(address: str, language: str) -> bool:
    """Whether the address names the language, as https://es.wikipedia.org, example.org/es/ and /es/ do."""
    return primary_tag(language) in _steps(address)[:-1]


def _page(address: str, paragraph: Paragraph) -> tuple[str, ...]:
    """The parts of an address without a final slash and without the names of the two languages."""
    tags = {primary_tag(paragraph.source_language), primary_tag(paragraph.target_language)}
    return tuple(step for step in _steps(address) if step and step not in tags)


def _steps(address: str) -> list[str]:
    return re.split(r"[./]+", address.rpartition("://")[2].casefold())


def _by_reference(text: str) -> int:
    """The number of links with an address defined elsewhere: the other side may have it inline."""
    return len(REFERENCE.findall(text)) + len(SHORTCUT.findall(text))


def _finding(
    paragraph: Paragraph,
    message: str,
    suggestion: str,
    span: tuple[int, int] | None = None,
    severity: Severity = "error",
    lost: Sequence[str] = (),
) -> Finding:
    data = {"source": list(lost)} if lost else {}
    return Finding.at(paragraph, span=span, severity=severity, message=message, suggestion=suggestion, data=data)


def _place(text: str, address: str) -> tuple[int, int] | None:
    start = text.find(address)
    return (start, start + len(address)) if start >= 0 else None
