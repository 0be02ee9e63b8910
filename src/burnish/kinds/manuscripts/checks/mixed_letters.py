"""mixed_letters: a word with letters of two alphabets.

What it looks for: a Cyrillic or Greek letter inside a Latin word, a Latin letter inside a Cyrillic word, where the
letters only look alike; and words of any script into which letters of another one slipped. Symbols behind abbreviations
(TNFα), Russian endings behind Latin capitals, the epsilon and gamma that Kabyle and Tamazight are often typed with,
and words that the source writes in the same manner are left alone.
Why it matters: the word looks right, and yet no search finds it and no screen reader says it.
Fix: safe where every strange letter has a look-alike in the alphabet of its word: it is exchanged.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.letters import mixed
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.text.markdown import markdown


@check(
    id="mixed_letters",
    severity="error",
    bad=(
        {
            "text": "La lámpara es vieja.",
            "translation": "The lаmp is old.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "The lamp is old.",
            "translation": "Лaмпа стара.",
            "source_language": "en",
            "target_language": "mk",
        },
        {
            "text": "The lamp is old.",
            "translation": "Лампzа старая.",
            "source_language": "en",
            "target_language": "ru",
        },
    ),
    good=(
        {
            "text": "Das Protein TNFα und die SMS des Nachbarn.",
            "translation": "Белок TNFα и SMSки соседа.",
            "source_language": "de",
            "target_language": "ru",
        },
        {
            "text": "Tamazight is the language of the Berbers.",
            "translation": "Tamaziγt d tutlayt n Yimaziɣen, ad tt-nεeddi.",
            "source_language": "en",
            "target_language": "kab",
        },
        {
            "text": "The T-shirt costs 5 €.",
            "translation": "T恤衫卖5欧元。Tシャツ。",
            "source_language": "en",
            "target_language": "zh",
        },
    ),
)
def mixed_letters(paragraph: Paragraph) -> Iterator[Finding]:
    source, translation = markdown(paragraph.text), markdown(paragraph.translation)
    yield from told(paragraph, mixed(translation, source, paragraph.target_language))
