"""sentences_missing: the translation has far fewer sentences than the source.

What it looks for: a paragraph of several sentences of which a third or more are missing, and whose length has shrunk
accordingly. A translator may join two sentences; then the length stays.
Why it matters: the rest reads well, and without the source no reader notices that something is missing.
Fix: needs a translator or a model, because the sentences have to be translated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import source_of, target_of
from burnish.languages.sentences import bulk, sentence_count

JOINED = re.compile(r"[,;،、\uff0c\uff1a:–—]")
FEWEST = 2
SHRUNK = 0.6
"""The share of the source's length; a Chinese character counts as several letters."""
SHORT = 60
"""Letters of a source so short that a comma in the translation may have joined its sentences."""
LEFT = 0.67
"""The share of the source's sentences."""


@check(
    id="sentences_missing",
    severity="error",
    bad=(
        pair(
            "en>es",
            "The sea was calm. We sailed at noon. Nobody spoke until the evening came.",
            "El mar estaba en calma.",
        ),
        pair(
            "fr>en",
            "Il pleuvait. La route était longue et personne ne parlait plus depuis des heures.",
            "It was raining.",
        ),
    ),
    good=(
        pair("en>es", "The sea was calm. We sailed at noon.", "El mar estaba en calma y zarpamos al mediodía."),
        pair("ja>en", "ごめんなさい。今日来れません。", "I'm sorry, I can't come today."),
        pair("zh>en", "他来了。他走了。", "He came. He left."),
    ),
)
def sentences_missing(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph).prose, target_of(paragraph).prose
    ours, theirs = sentence_count(source), sentence_count(target)
    if ours < FEWEST or theirs == 0 or theirs > ours * LEFT or bulk(target) >= bulk(source) * SHRUNK:
        return
    if bulk(source) < SHORT and len(JOINED.findall(target)) >= ours - theirs:
        return
    yield Finding.at(
        paragraph,
        message=f"The source has {ours} sentences, the translation {theirs}, and it is much shorter.",
        suggestion="Translate the sentences that are missing.",
    )
