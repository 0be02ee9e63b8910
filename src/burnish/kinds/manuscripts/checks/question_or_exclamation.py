"""question_or_exclamation: a statement that became a question, or the other way round.

What it looks for: question marks in one of the two texts and none in the other; exclamation marks likewise: a new one
is a warning, a lost one is reported for information, unless the language ends requests with one, as German and Polish
do. Tags ("isn't she?", じゃない？) and polite requests ("Could you please ...?") are reported for information: other
languages have no question there. Questions that Japanese and Chinese write without a mark, indirect questions ("I
wonder ...") and languages with other marks are ignored.
Why it matters: a question means something else than a statement.
Fix: needs a model or a person: the sentence has to be rewritten.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.findings import slip_findings
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.languages.voice import OTHER_MARKS, SentenceMarks, asks, only_confirms, sentence_marks
from burnish.languages.words import Slip, word_set
from burnish.text.markdown import Markdown, markdown

GOES_ON = regex.compile(r" \p{Ll}")
"""Behind a mark: the sentence is not over, so that the mark is a stray one, which another rule tells."""
COMMANDING = word_set("de hu pl cs sk sl hr sr bs ru uk bg mk ro fi et lv lt tr sv da no nb")
"""Languages that end a request with an exclamation mark, where English sets a full stop."""


def changed_questions(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """A statement that became a question, a question that became a statement; the same of exclamations, softly."""
    if not OTHER_MARKS.isdisjoint(languages):
        return
    ours, theirs = sentence_marks(view.prose), sentence_marks(source.prose)
    place = ours.questions[-1] if ours.questions else -1
    if place >= 0 and not theirs.questions and not asks(source.prose, languages[0]):
        if GOES_ON.match(view.prose, place + 1):
            return  # a stray mark inside a sentence, which asks nothing
        yield Slip(
            place,
            place + 1,
            "The translation asks, the source states.",
            "State it as the source does.",
            severity="info" if only_confirms(view.prose) else "error",
        )
    elif theirs.questions and not ours.questions and not asks(view.prose, languages[1]):
        yield Slip(
            0,
            0,
            "The source asks, the translation does not.",
            "Make it a question as in the source.",
            severity="info" if only_confirms(source.prose) else "error",
        )
    yield from _exclaimed(ours, theirs, view, languages)


def _exclaimed(
    ours: SentenceMarks, theirs: SentenceMarks, view: Markdown, languages: tuple[str, str]
) -> Iterator[Slip]:
    if languages[1 if ours.exclamations else 0] in COMMANDING:
        return
    if ours.exclamations and not theirs.exclamations:
        place = ours.exclamations[0]
        if GOES_ON.match(view.prose, place + 1):
            return
        message, suggestion = "The translation exclaims, the source does not.", "End it as the source does."
        yield Slip(place, place + 1, message, suggestion, severity="warning")
    elif theirs.exclamations and not ours.exclamations:
        message, suggestion = "The source exclaims, the translation does not.", "Exclaim, if the tone asks for it."
        yield Slip(0, 0, message, suggestion, severity="info")


@check(
    id="question_or_exclamation",
    title="Question or exclamation changed",
    severity="error",
    bad=(
        pair("es>en", "La lámpara está encendida.", "Is the lamp lit?"),
        pair("en>es", "Where is the lamp? It was here.", "La lámpara está aquí. Estaba aquí."),
        pair("en>es", "The lamp is lit.", "¡La lámpara está encendida!"),
    ),
    good=(
        pair("en>es", "“Where?” he asked. “Here!”", "«¿Dónde?», preguntó. «¡Aquí!»"),
        pair("ja>en", "ランプはどこですか。", "Where is the lamp?"),
        pair("en>es", "Click on Go and wait.", "Haga clic en «Go!» y espere."),
        pair("de>en", "Er wurde positiv getestet.", "He tested positive? for it."),
        pair("it>en", "Si trovano sui due lati della sella.", "They hang on either! side of the saddle."),
        pair("en>es", "See [the page](https://example.org/?a=b).", "Véase [la página](https://example.org/?a=b)."),
    ),
)
def question_or_exclamation(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    languages = (paragraph.source_language, paragraph.target_language)
    yield from slip_findings(
        paragraph, changed_questions(translation, source, languages) if paragraph.translation.strip() else ()
    )
