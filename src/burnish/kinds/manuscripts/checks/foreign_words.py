"""foreign_words: a word of another language inside the translation.

What it looks for: words in another script than the translation's, and words that stand in the source in the same
letters and belong to its language only. Names, loan words, symbols, units, addresses and what stands in quotation marks
or brackets are passed over. A word that two languages write alike is only told by a dictionary, so it is not seen.
Why it matters: a reader who does not know the source's language stumbles over it.
Fix: needs a translator, because the right word is not known.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.kinds.manuscripts.wording.leftovers import leftovers
from burnish.kinds.manuscripts.wording.sides import source_of, target_of
from burnish.languages.slips import Slip


@check(
    id="foreign_words",
    severity="error",
    bad=(
        {
            "text": "Das Haus ist sehr gemütlich und warm.",
            "translation": "The house is very gemütlich and warm.",
            "source_language": "de",
            "target_language": "en",
        },
        {
            "text": "Комета осветила небо над деревней.",
            "translation": "The comet lit up the небо above the village.",
            "source_language": "ru",
            "target_language": "en",
        },
        {
            "text": "Nadal pada deszcz i wieje wiatr.",
            "translation": "It is nadal raining and the wind is blowing.",
            "source_language": "pl",
            "target_language": "en",
        },
        {
            "text": "We waited because the road was closed.",
            "translation": "Esperamos because el camino estaba cerrado.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The knight drew his sword.",
            "translation": "Рыцарь обнажил свой sword.",
            "source_language": "en",
            "target_language": "ru",
        },
    ),
    good=(
        {
            "text": "El hospital de Rio de Janeiro compró un piano y un taxi.",
            "translation": "The hospital of Rio de Janeiro bought a piano and a taxi.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "La palabra «caro» se escribe con una erre.",
            "translation": 'The word "caro" is written with one r.',
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "東京は大きい。",
            "translation": "Tokyo (東京) is large.",
            "source_language": "ja",
            "target_language": "en",
        },
        {
            "text": "Install `numpy` with pip from https://example.org/because now.",
            "translation": "Установите `numpy` через pip с https://example.org/because сейчас.",
            "source_language": "en",
            "target_language": "ru",
        },
        {
            "text": "The angle α is 5 μm wide.",
            "translation": "Der Winkel α ist 5 μm breit.",
            "source_language": "en",
            "target_language": "de",
        },
    ),
)
def foreign_words(paragraph: Paragraph) -> Iterator[Finding]:
    target = target_of(paragraph)
    yield from told(
        paragraph,
        (
            Slip(
                found.start,
                found.end,
                f"{paragraph.translation[found.start : found.end][:60]!r} {found.why}.",
                "Translate it, or put it in quotation marks if it is meant to stay.",
                severity="error" if found.certain else "warning",
            )
            for found in leftovers(source_of(paragraph), target)
        ),
    )
