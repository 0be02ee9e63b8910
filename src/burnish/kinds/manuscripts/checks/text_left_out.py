"""text_left_out: words of the source that nothing in the translation answers.

What it looks for: a run of words of the source without a counterpart in the translation, by the bilingual lexicon of
the two languages, while the words around it have theirs. That the translation is too short by as much, that the run is
made of whole sentences, that as many sentences are missing, and that the translation ends with a word that hardly ever
stands at an end, speak for it too. At the end of a paragraph less is needed than inside, and of whole sentences there
least, in a source of a single sentence more. It is a warning where the lexicon is not good enough; where little speaks
for it, and the words are no whole sentence, it is told for information.
Why it matters: an answer that ran out of room ends with a full stop often enough, and reads well without its source.
Fix: needs a translator or a model, because the words have to be translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import quoted, source_of, target_of
from burnish.languages.counterparts import gaps_of
from burnish.languages.sentences import sentence_count

END_MARK = re.compile(r"[.!?…。！？؟۔।॥]+")
SURE = 5.0
"""From here on it is an error: below, most of what was read in sound translations was said in another way."""
TOLD_OF_A_SENTENCE, SURE_OF_A_SENTENCE = 5.5, 7.0
"""A source of a single sentence is translated more freely: a warning from the first on, an error from the second. Of
292 sound ones of news 4 reached the first and 1 the second."""
INSIDE = 2.0
"""So much more where words inside it are missing: they are mostly said in another way."""
SURE_OF_AN_END = 2.0
"""From here on where whole sentences at the end are missing, and the translation has fewer: hardly a sound one does."""
LONG = (
    "The old banker walked up and down in his study and remembered how he had given a party one autumn evening, "
    "fifteen years before. There had been many clever men there, and the talk had been interesting."
)


@check(
    id="text_left_out",
    title="Text left out",
    severity="error",
    bad=(
        pair(
            "en>es",
            LONG,
            "El viejo banquero caminaba de un lado a otro de su despacho y recordaba cómo había dado una fiesta una "
            "noche de otoño, quince años antes.",
        ),
        pair(
            "en>de",
            "The children went to school early in the morning, and their mother worked in the garden until dinner.",
            "Die Kinder gingen früh am Morgen zur Schule.",
        ),
        pair(
            "ru>en",
            "Вчера мы купили хлеб и молоко. Потом пошёл сильный дождь. Вечером мы сидели дома и читали книги.",
            "Yesterday we bought bread and milk. Then it rained heavily.",
        ),
    ),
    good=(
        pair(
            "en>es",
            LONG,
            "El viejo banquero caminaba de un lado a otro de su despacho y recordaba cómo había dado una fiesta una "
            "noche de otoño, quince años antes. Había allí muchos hombres inteligentes, y la conversación había sido "
            "interesante.",
        ),
        pair("en>de", "He shut the door and left.", "Er schloss die Tür und ging."),
        pair("en>ar", '"Is that a boy or a girl?" "Ask them."', '"هل هذا فتى أو فتاة؟" "اسأله".'),
        pair("en>ja", "The rain stopped at noon.", "正午に雨がやんだ。"),
        pair("en>cs", "What are you writing? I am writing a letter.", "Co píšeš? Píšu dopis."),
        pair(
            "hu>en",
            "Lengyelországba, vagy Magyarországra, Moldáviába, Romániába vagy akár Csehországba szeretnénk eljutni.",
            "We want to go to Poland, Hungary, Moldova, Romania, or the Czech Republic.",
        ),
    ),
)
def text_left_out(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    found = gaps_of(source.prose, target.prose, (source.language, target.language), context.lexicon)
    if found is None or found.source is None:
        return
    gap = found.source
    told = sure = SURE
    counts = ((sentence_count(side.prose), len(END_MARK.findall(side.prose))) for side in (target, source))
    fewer = all(ours < theirs for ours, theirs in zip(*counts, strict=True))
    if gap.is_whole and fewer and gap.end >= len(source.prose.rstrip()):
        told = sure = SURE_OF_AN_END
    elif sentence_count(source.prose) <= 1:
        told, sure = TOLD_OF_A_SENTENCE, SURE_OF_A_SENTENCE
        if gap.end < len(source.prose.rstrip()):
            sure += INSIDE
    if gap.score < told:
        return
    severity: Severity = "error" if found.is_trusted and gap.score >= sure else "warning"
    if gap.score < sure and not gap.is_whole:
        severity = "info"
    yield Finding.at(
        paragraph,
        message=f"Nothing in the translation corresponds to {quoted(source, gap.start, gap.end)} of the source.",
        suggestion="Translate these words too, unless the translation says them in another way.",
        severity=severity,
    )
