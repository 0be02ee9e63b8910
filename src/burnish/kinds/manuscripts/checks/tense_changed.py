"""tense_changed: the translation is in another tense than the source.

What it looks for: verbs whose form shows their tense without doubt. A translation in the future of a source entirely in
the past, or the other way round (an error under the profile `strict`), or in the present of such a source. Nothing is
reported for forms with several meanings (perfects, conditionals, narrative presents, reported speech).
Why it matters: past events then read as future ones.
Fix: needs a model or a person: the verbs have to change their tense.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.grammar import KNOWN_TENSES, Tense, Times, may_tell_later, times
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, markdown


def changed_times(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """A translation that shares no sure tense with its source."""
    if not set(languages) <= set(KNOWN_TENSES):
        return
    theirs, ours = times(source.prose, languages[0]), times(view.prose, languages[1])
    changed = _changed(theirs, ours) or _foretold(theirs, ours, source, languages[0])
    if changed is None:
        return
    lost, new = changed
    start, end = ours.sure[new]
    yield Slip(
        start,
        end,
        f"The source speaks of the {lost}, the translation of the {new} ({view.text[start:end]!r}).",
        "Keep the tense of the source.",
        severity="error" if {lost, new} == {"past", "future"} else "warning",
    )


def _changed(theirs: Times, ours: Times) -> tuple[Tense, Tense] | None:
    """The first tense of each text, if they have none in common."""
    if not theirs.sure or not ours.sure or not theirs.sure.keys().isdisjoint(ours.sure):
        return None
    [lost, *_], [new, *_] = theirs.sure, ours.sure
    # A present may mean the future in every language, and ambiguous forms prove nothing.
    if {lost, new} == {"past", "future"}:
        return None if theirs.open else (lost, new)
    return None if "future" in (lost, new) or theirs.open or ours.open else (lost, new)


def _foretold(theirs: Times, ours: Times, source: Markdown, language: str) -> tuple[Tense, Tense] | None:
    """A future in the translation of a text that is entirely in the past."""
    if theirs.sure.keys() != {"past"} or "future" not in ours.sure or may_tell_later(source.prose, language):
        return None
    return "past", "future"


@check(
    id="tense_changed",
    severity="warning",
    languages=KNOWN_TENSES,
    bad=(
        pair("en>es", "The lamp was old.", "La lámpara será antigua."),
        pair("de>en", "Die Lampe war alt.", "The lamp will be old."),
        pair("en>de", "The lamp was old.", "Die Lampe wird alt sein."),
    ),
    good=(
        pair("de>en", "Die Lampe ist gefallen.", "The lamp fell."),
        pair("en>de", "The sea could be heard from there.", "Das Meer kann von dort aus gehört werden."),
        pair("es>en", "Mañana voy al río.", "Tomorrow I will go to the river."),
        pair("it>en", "A me non piace nuotare, però a Tom sì.", "I don't like swimming, but Tom does."),
        pair(
            "en>es",
            "Before you know it, you may find yourself liking it. Your toolkit just got bigger.",
            "Antes de que te des cuenta, te encontrarás a gusto. Tu caja de herramientas acaba de crecer.",
        ),
    ),
)
def tense_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from slip_findings(paragraph, changed_times(translation, source, languages))
