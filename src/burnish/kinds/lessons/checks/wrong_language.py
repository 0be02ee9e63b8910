"""wrong_language: a text in another language or script than the lesson's.

What it looks for: the function words of the prose, paragraph by paragraph, confirmed by a statistical model, and the
script (more than ten foreign letters and more than one in two hundred). Most of a text in another language is
critical, or an error if the lesson's language was only detected; a single paragraph is a warning, because it may be
intended. Code, formulas, addresses, tables, references, titles and quotations are ignored. Works for all languages; if
one cannot be distinguished from a related one, nothing is reported.
Why it matters: a learner who does not read that language learns nothing from it.
Fix: needs an author or a model: the text has to be written again in the lesson's language.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.lessons.findings import facts, text_findings
from burnish.kinds.lessons.model import LessonContext, LessonUnit
from burnish.languages.words import Slip
from burnish.text.foreign_letters import pervasive
from burnish.text.markdown import Markdown
from burnish.text.wrong_language import strange_language

SPANISH = (
    "El agua se mueve en un círculo. El sol calienta el mar y el vapor sube al aire, donde se enfría y se convierte en "
    "nubes. La lluvia y la nieve caen, y los ríos llevan el agua de vuelta al mar."
)
RUSSIAN = (
    "Вода движется по кругу. Солнце нагревает море, и пар поднимается в воздух, где он остывает и превращается в "
    "облака. Дождь и снег падают, и реки несут воду обратно в море."
)
ENGLISH = (
    "Water moves in a circle. The sun warms the sea, and the vapour rises into the air, where it cools and turns into "
    "clouds. Rain and snow fall, and the rivers carry the water back to the sea."
)


@check(
    id="wrong_language",
    severity="critical",
    fatal=True,
    bad=(
        {"text": SPANISH},
        {"text": ENGLISH, "language": "es"},
        {"text": ENGLISH, "language": "ru"},
        {"text": "Water 水在大海和天空之间循环往复不止息 moves in a circle."},
        {"text": f"{ENGLISH} {ENGLISH}\n\n{ENGLISH}\n\n{SPANISH}"},
    ),
    good=(
        {"text": ENGLISH},
        {"text": SPANISH, "language": "es"},
        {"text": RUSSIAN, "language": "ru"},
        {"text": f"{ENGLISH}\n\nA poet wrote:\n\n> {SPANISH}"},
        {"text": "Запрос SELECT name FROM users WHERE id = 1 в PostgreSQL, API и React.", "language": "ru"},
    ),
)
def wrong_language(unit: LessonUnit, context: LessonContext) -> Iterator[Finding]:
    language, is_guess = context.language, not context.is_language_told
    document = facts(context.lesson, language).text

    def look(view: Markdown) -> Iterator[Slip]:
        foreign = pervasive(view, language, document=document, is_guess=is_guess)
        if foreign is not None:
            yield foreign
        else:
            yield from strange_language(view, language, is_guess=is_guess)

    yield from text_findings(unit, look)
