"""negation_changed: the translation denies what the source says, or says what the source denies.

What it looks for: more denials on one side (not, never, without, nicht, ne ... pas, не) than the other has, with all
words in which a denial may hide (un-, hardly, lack, refuse), as long as those have no counterpart there ("lose" and
"perder"). A question denies only what it takes for a fact ("Are you sure that ... not", "if ... not"), and a tag
("isn't it?") nothing. Known in 28 languages; in Arabic, Kabyle, Turkish and Vietnamese, which deny in endings, in words
that also ask, or in many ways, it is a warning.
Why it matters: one small word turns the meaning of a sentence round, and the sentence still reads well.
Fix: needs a translator or a model, because the sentence has to be built anew.
"""

from __future__ import annotations

from collections.abc import Iterator

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.names import is_translated
from burnish.languages.voice import Denials, blanked, counts_denials, denials, knows_denials

LONG = 300
"""In so many characters one denial more or less is a matter of style."""


@check(
    id="negation_changed",
    severity="error",
    bad=(
        pair("en>es", "The bridge is open in winter.", "El puente no está abierto en invierno."),
        pair("ru>en", "Он не пришёл на встречу.", "He came to the meeting."),
        pair("es>en", "¿Estás segura de que no quieres ir?", "Are you sure you want to go?"),
        pair("it>en", "Perché Tom non ti ha aiutato?", "Why did Tom help you?"),
        pair("es>en", "No he podido averiguarlo.", "I have been able to figure it out."),
        pair("bg>en", "Не искам да изгубя Мери.", "I want to lose Mary."),
        pair("es>en", "Nunca había visto un templo así.", "I have seen a temple like this."),
        pair("es>en", "Él no está en casa, ¿verdad?", "He is at home, isn't he?"),
        pair("ru>en", "Что ты сделаешь, если он не придёт?", "What will you do if he comes?"),
        pair("es>en", "Las personas sin hogar son vecinos nuestros.", "Homeless people are not our neighbours."),
        pair("ja>en", "近頃の子供は、外で遊ばないんだよ。", "Nowadays children play outdoors."),
        pair("fi>en", "Hän ei tullut kokoukseen.", "He came to the meeting."),
        pair("bg>en", "Той е щастлив, че неговият живот върви добре.", "He is not happy that his life is going well."),
    ),
    good=(
        pair("en>de", "The bus no. 14 left the station.", "Der Bus Nr. 14 verließ den Bahnhof."),
        pair("en>es", "Nobody knew the way.", "Nadie conocía el camino."),
        pair("de>en", "Es ist kaum möglich.", "It is not really possible."),
        pair("en>es", "She does not remember.", "Ella lo ha olvidado."),
        pair("bg>en", "Той никого не видя, и тя ни даде ключа.", "He did not see anyone, and she gave us the key."),
        pair("fr>en", "C'est plus long que je ne le pensais.", "It is longer than I thought."),
        pair("en>tr", "Tell your son not to harass my daughter.", "Oğluna kızımı taciz etmemesini söyle."),
        pair("tr>en", "Çekinmeden bütün limonu yiyebilir.", "He can eat an entire lemon without wincing."),
        pair("tr>en", "Ramazan'ın zor geçtiğini söyledi.", "He said that Ramadan was difficult."),
        pair("es>en", "¿No te quieres sentar?", "Would you like to sit down?"),
        pair("es>en", "Todavía no ha llegado.", "He has yet to arrive."),
        pair("ro>en", "Existența este un concept fără sens.", "Existence is a meaningless concept."),
        pair("bg>en", "Доста те бива с френския, нали?", "You are pretty good at French, aren't you?"),
        pair("ja>en", "家に帰らなければならない。", "I must go home."),
        pair("es>en", "Lo sabe mejor que nadie.", "She knows it better than anyone."),
    ),
)
def negation_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not (knows_denials(source.language) and knows_denials(target.language)) or not paragraph.translation.strip():
        return
    ours, theirs = denials(source.prose, source.language), denials(target.prose, target.language)
    slack = len(source.prose) // LONG
    severity: Severity = "error" if counts_denials(source.language) and counts_denials(target.language) else "warning"
    stated = theirs.clauses + max(0, theirs.too - len(ours.hidden + ours.faint)) if theirs.clauses else 0
    if stated > len(ours.plain) + _excuses((ours, source), (theirs, target)) + slack:
        start, end = theirs.plain[0]
        yield Finding.at(
            paragraph,
            span=(start, end),
            severity=severity,
            message=f"The translation denies ({target.prose[start:end]!r}) what the source does not deny.",
            suggestion="Say what the source says.",
        )
        return
    if ours.clauses > len(theirs.plain) + _excuses((theirs, target), (ours, source)) + slack:
        start, end = ours.plain[0]
        yield Finding.at(
            paragraph,
            severity=severity,
            message=f"The source denies something ({source.prose[start:end]!r}), the translation does not.",
            suggestion="Deny it in the translation as well.",
        )


def _excuses(found: tuple[Denials, Side], other: tuple[Denials, Side]) -> int:
    """How many words and phrases of one side may stand for a denial of the other: none that has a counterpart there.

    A word with a denial inside (unclear, without doubt) has its counterpart in another such word: what the lexicon
    says of the rest of it ("clear") proves nothing.
    """
    (mine, side), (theirs, beside) = found, other
    # A sign of Chinese or Japanese is hardly ever the counterpart of a word: it may be part of any other.
    has_signs = {"zh", "ja"} & {side.language, beside.language}
    mine_loose, theirs_loose = _loose(found, other), 0 if has_signs else _loose(other, found)
    return max(0, mine.passed_over - theirs.passed_over) + max(0, mine_loose - theirs_loose)


def _loose(found: tuple[Denials, Side], other: tuple[Denials, Side]) -> int:
    """How many of the words translate no word of the other text."""
    (mine, side), (theirs, beside) = found, other
    alike = " ".join(beside.prose[start:end] for start, end in (*theirs.hidden, *theirs.faint))
    texts = [(mine.hidden, alike), (mine.faint, blanked(beside.prose, theirs.plain))]
    return sum(
        not is_translated(side.prose[start:end], side.language, text, beside.language)
        for spans, text in texts
        for start, end in spans
    )
