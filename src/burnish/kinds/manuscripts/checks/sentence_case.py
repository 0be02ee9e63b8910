"""sentence_case: a capital letter of the source that the translation lost.

What it looks for: a translation that begins with a small letter where the source begins with a capital one, or where
the source's script has no capitals and both texts are sentences; the English pronoun "i"; a name of the source that is
written small (a warning: offices and titles are written differently, an error where no capital is left at all).
Languages without capitals, names such as iPhone, and words that the source writes small itself are left alone.
Why it matters: a text without its capitals reads as a fragment, and names in it are overlooked.
Fix: safe for the first letter and for "I"; a name needs a look.
"""

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.grammar.capitals import uncapitalised
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.telling import told


@check(
    id="sentence_case",
    severity="error",
    bad=(
        {
            "text": "The lamp stood on the table.",
            "translation": "la lámpara estaba en la mesa.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "灯放在桌子上。",
            "translation": "the lamp stood on the table.",
            "source_language": "zh",
            "target_language": "en",
        },
        {
            "text": "Ayer vi la lámpara.",
            "translation": "Yesterday i saw the lamp.",
            "source_language": "es",
            "target_language": "en",
        },
    ),
    good=(
        {
            "text": "IPhones are sold here.",
            "translation": "iPhones werden hier verkauft.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "and the lamp stood on the table.",
            "translation": "y la lámpara estaba en la mesa.",
            "source_language": "en",
            "target_language": "es",
        },
        {
            "text": "The command `grep` searches.",
            "translation": "`grep` durchsucht den Text.",
            "source_language": "en",
            "target_language": "de",
        },
        {
            "text": "The lamp stood on the table.",
            "translation": "ランプはテーブルの上にあった。",
            "source_language": "en",
            "target_language": "ja",
        },
    ),
)
def sentence_case(paragraph: Paragraph) -> Iterator[Finding]:
    yield from told(paragraph, uncapitalised(paragraph))
