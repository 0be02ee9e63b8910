"""untranslated_text: a stretch that was left in the source's language.

What it looks for: a translation that is the source itself; three words or more without a capital that stand in it as
in the source; a sentence, or all of it, in another language than the one that was asked for. Names, titles in quotation
marks, code, addresses and entries of a bibliography stay as they are.
Why it matters: readers bought a translation, and this part is none.
Fix: needs a translator.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.sides import source_of, target_of
from burnish.kinds.manuscripts.wording.untranslated import untranslated


@check(
    id="untranslated_text",
    severity="error",
    bad=(
        {
            "text": "The night was dark and the old banker walked up and down in his study.",
            "translation": "The night was dark and the old banker walked up and down in his study.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "He opened the door. Nobody was in the garden, and the wind had died down.",
            "translation": "Abrió la puerta. Nobody was in the garden, and the wind had died down.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "He said that it was far too late to turn back now.",
            "translation": "Er sagte, es sei far too late to umzukehren.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "Она закрыла окно и села у стола.",
            "translation": "Она закрыла окно и села у стола.",
            "source_language": "ru",
            "target_language": "en",
        },
        {
            "text": "The night was dark, and nobody in the village slept.",
            "translation": "La nuit était sombre, et dans le village personne ne dormait, car le vent soufflait sur "
            "les toits.",
            "source_language": "en",
            "target_language": "es",
        },
    ),
    good=(
        {
            "text": "Alice's Adventures in Wonderland",
            "translation": "Alice's Adventures in Wonderland",
            "source_language": "en",
            "target_language": "fr",
        },
        {
            "text": "`pip install numpy` 1.26",
            "translation": "`pip install numpy` 1.26",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "She read *The Old Man and the Sea* twice.",
            "translation": "Leyó *The Old Man and the Sea* dos veces.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The colour of the sea was grey.",
            "translation": "The colour of the sea was grey.",
            "source_language": "en",
            "target_language": "en-US",
        },
    ),
)
def untranslated_text(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, untranslated(source_of(paragraph), target_of(paragraph)))
