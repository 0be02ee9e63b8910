"""spelling: a word that no dictionary of the target language knows.

What it looks for: words in small letters that the dictionary does not know. Under the profile `strict` one that is a
slip of the hand away from a known word is an error: of every hundred paragraphs that people translated and published
one or two hold such a slip, so it fails none by default. Names, words that stand in the source or in the glossary,
code, parts of compounds and rows of unknown words (a phrase in another language) are left alone or told softly.
It needs the extra `burnish[spelling]`; without it, and for languages without a dictionary (Macedonian, Kabyle,
Tamazight), the rule is listed as skipped.
Why it matters: one misspelled word makes a reader doubt the whole page.
Fix: needs a look: the nearest word of the dictionary may not be the one that was meant.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.dictionary import dictionary, languages
from burnish.kinds.manuscripts.grammar.spelling import misspelled
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph
from burnish.kinds.manuscripts.telling import told
from burnish.languages.words import word_list
from burnish.text.markdown import markdown


@check(
    id="spelling",
    severity="warning",
    languages=languages(),
    bad=(
        {
            "text": "La lámpara estaba sobre la mesa del gobernador.",
            "translation": "The lamp stood on the tabel of the govenor.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "Ella lo escribió muchas veces.",
            "translation": "She has writen it many times.",
            "source_language": "es",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "La lámpara del señor Grindel estaba sobre el tatami.",
            "translation": "Mr Grindel's lamp stood on the tatami, as it hadn't before; its colour was grey.",
            "source_language": "es",
            "target_language": "en",
        },
        {
            "text": "Ejecuta `grpe` en la carpeta.",
            "translation": "Run `grpe` in the folder.",
            "source_language": "es",
            "target_language": "en",
        },
    ),
)
def spelling(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    excused = {*word_list(paragraph.text), *(word for term in context.glossary for word in word_list(term.target))}
    words = dictionary(paragraph.target_language)
    yield from told(paragraph, misspelled(markdown(paragraph.translation), excused, words))
