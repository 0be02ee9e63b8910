"""text_left_out: words of the source that nothing in the translation answers.

What it looks for: a run of words of the source without a counterpart in the translation, by the bilingual lexicon of
the two languages, while the words around it have theirs. That the translation is too short by as much, that the run is
made of whole sentences, that as many sentences are missing, and that the translation ends with a word that hardly ever
stands at an end, speak for it too. At the end of a paragraph less is needed than inside, and of whole sentences there
least, in a short source more. It is a warning where the lexicon is not good enough; where little speaks for it, and the
words are no whole sentence, it is told for information.
Why it matters: an answer that ran out of room ends with a full stop often enough, and reads well without its source.
Fix: needs a translator or a model, because the words have to be translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, quoted, source_of, target_of
from burnish.languages.counterparts import Gap, gaps_of
from burnish.languages.sentences import sentence_count

END_MARK = re.compile(r"[.!?…。！？؟۔।॥]+")
SURE = 5.0
"""From here on it is an error: below, most of what was read in sound translations was said in another way."""
TOLD_OF_A_SENTENCE, SURE_OF_A_SENTENCE = 5.5, 10.0
"""A source of a single sentence is translated more freely: below the second it is told for information."""
INSIDE = 2.0
"""So much more where words inside it are missing: they are mostly said in another way."""
LONG_SENTENCE, LEAST_SHARE, SURE_OF_ITS_END = 100, 0.22, 6.5
"""But so large a share at the end of a sentence of so many characters is an error from here on: of 144 such
sentences of news without their last third 111 reach it, and of 1,858 sound pairs 1. From 4.5 on 136 do, but of the
findings on the draws of random ones more were wrong than right."""
SHORT = 60
"""Of shorter texts each sentence is translated as freely as a single one."""
SURE_OF_AN_END, SURE_OF_A_LAST = 2.0, 3.0
"""From here on where whole sentences at the end are missing: hardly a sound one has fewer; and where it has as many."""
STRONG = 10.0
"""From here on whole sentences are an error although the lexicon is not good enough for less: no sound pair had 8."""
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
    ),
)
def text_left_out(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    found = gaps_of(source.prose, target.prose, (source.language, target.language), context.lexicon)
    if found is None or found.source is None:
        return
    gap = found.source
    told, sure = _floors(gap, source, target)
    if gap.score < told:
        return
    is_strong = found.is_fair and gap.is_whole and gap.score >= STRONG
    severity: Severity = "error" if is_strong or (found.is_trusted and gap.score >= sure) else "warning"
    if gap.score < sure and not gap.is_whole:
        severity = "info"
    yield Finding.at(
        paragraph,
        message=f"Nothing in the translation corresponds to {quoted(source, gap.start, gap.end)} of the source.",
        suggestion="Translate these words too, unless the translation says them in another way.",
        severity=severity,
        data={"source": source.prose[gap.start : gap.end]},
    )


def _floors(gap: Gap, source: Side, target: Side) -> tuple[float, float]:
    """From which score on the gap is told, and is an error."""
    counts = ((sentence_count(side.prose), len(END_MARK.findall(side.prose))) for side in (target, source))
    fewer = all(ours < theirs for ours, theirs in zip(*counts, strict=True))
    at_end, size = gap.end >= len(source.prose.rstrip()), len(source.prose)
    if gap.is_whole and at_end and fewer:
        return SURE_OF_AN_END, SURE_OF_AN_END
    if sentence_count(source.prose) <= 1:
        if at_end and size >= LONG_SENTENCE and gap.end - gap.start >= LEAST_SHARE * size:
            return TOLD_OF_A_SENTENCE, SURE_OF_ITS_END
        return TOLD_OF_A_SENTENCE, SURE_OF_A_SENTENCE + (0 if at_end else INSIDE)
    if size < SHORT and not fewer:
        return SURE_OF_A_SENTENCE, SURE_OF_A_SENTENCE
    return (SURE_OF_A_LAST, SURE_OF_A_LAST) if gap.is_whole and at_end else (SURE, SURE)
