"""person_changed: the grammatical person differs from the source.

What it looks for: a source whose only subject pronoun is I, we or you, and a translation whose only one is another of
them; "he" in the source and "she" in the translation, or the other way round. Nothing is reported if a verb ending or
any other word may refer to the person, because many languages leave the pronoun out. Between languages that always
write it a changed "I" is an error, elsewhere a warning.
Why it matters: the sentence is then about another person.
Fix: needs a model or a person: the verbs have to change as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.voice import KNOWN_PERSONS, Cast, Person, cast
from burnish.languages.words import Slip
from burnish.text.markdown import Markdown, markdown

SPEAKERS: tuple[Person, ...] = ("I", "we", "you")
PERSON_NAMES = {
    "I": "the speaker",
    "we": "a group with the speaker",
    "you": "the reader",
    "he": "a man",
    "she": "a woman",
}
SAY_IT = frozenset({"en", "fr", "de"})
"""Languages that do not leave out subject pronouns."""


def changed_persons(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """Persons of the source that were replaced by others."""
    if not set(languages) <= set(KNOWN_PERSONS):
        return
    theirs, ours = cast(source.prose, languages[0]), cast(view.prose, languages[1])
    yield from _other_speaker(theirs, ours, languages)
    yield from _other_sex(theirs, ours)


def _other_speaker(theirs: Cast, ours: Cast, languages: tuple[str, str]) -> Iterator[Slip]:
    said, says = set(SPEAKERS) & theirs.sure.keys(), set(SPEAKERS) & ours.sure.keys()
    if len(said) != 1 or len(says) != 1 or said == says:
        return
    [before], [after] = said, says
    if before in ours.possible or after in theirs.possible:
        return
    word = ours.sure[after]
    yield Slip(
        *word.span,
        f"The source speaks of {PERSON_NAMES[before]}, the translation of {PERSON_NAMES[after]} ({word.text!r}).",
        "Keep the person of the source.",
        severity="error" if set(languages) <= SAY_IT and "I" in (before, after) else "warning",
    )


def _other_sex(theirs: Cast, ours: Cast) -> Iterator[Slip]:
    for before, after in (("he", "she"), ("she", "he")):
        if before not in theirs.sure or after not in ours.sure:
            continue
        if before in ours.possible or after in theirs.possible:
            continue
        word = ours.sure[after]
        message = (
            f"The source speaks of {PERSON_NAMES[before]}, the translation of {PERSON_NAMES[after]} ({word.text!r})."
        )
        yield Slip(*word.span, message, "Keep the person of the source.")


@check(
    id="person_changed",
    severity="error",
    languages=KNOWN_PERSONS,
    bad=(
        pair("de>en", "Als Kind spielte er am Fluss.", "As a child she played by the river."),
        pair("de>en", "Gestern ging ich zum Fluss.", "Yesterday you went to the river."),
        pair("fr>en", "Nous sommes partis tôt.", "You left early."),
    ),
    good=(
        pair("es>en", "Ayer fui al río con mi hermana.", "Yesterday I went to the river with my sister."),
        pair("de>en", "Die Lampe war alt; sie fiel um.", "The lamp was old; it fell over."),
        pair("en>ru", "He told her that he would come.", "Он сказал ей, что придёт."),
    ),
)
def person_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from slip_findings(paragraph, changed_persons(translation, source, languages))
