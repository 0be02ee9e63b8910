"""negation_changed: the translation denies what the source says, or says what the source denies.

What it looks for: more denials on one side (not, never, without, nicht, ne ... pas, не) than the other has, with all
words in which a denial may hide (un-, hardly, lack, refuse). A word that mostly means something else (only, until)
counts among those only where it translates no other word. A question denies only what it takes for a fact ("Are you
sure that ... not", "Why ... not"). Known in 28 languages; in Arabic, Finnish, Hebrew, Kabyle, Turkish and Vietnamese,
which deny in endings, in words that also ask, or in many ways, it is a warning.
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
from burnish.languages.voice import Denials, counts_denials, denials, knows_denials

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
    stated = theirs.clauses + theirs.too if theirs.clauses else 0
    if stated > len(ours.plain) + _excuses(ours, source, target) + slack:
        start, end = theirs.plain[0]
        yield Finding.at(
            paragraph,
            span=(start, end),
            severity=severity,
            message=f"The translation denies ({target.prose[start:end]!r}) what the source does not deny.",
            suggestion="Say what the source says.",
        )
        return
    if ours.clauses > len(theirs.plain) + _excuses(theirs, target, source) + slack:
        start, end = ours.plain[0]
        yield Finding.at(
            paragraph,
            severity=severity,
            message=f"The source denies something ({source.prose[start:end]!r}), the translation does not.",
            suggestion="Deny it in the translation as well.",
        )


def _excuses(found: Denials, side: Side, other: Side) -> int:
    """How many words of one side may stand for a denial of the other; no faint one that translates a word of it."""
    loose = sum(
        not is_translated(side.prose[start:end], side.language, other.prose, other.language)
        for start, end in (*found.faint, *found.turned)
    )
    return found.passed_over + len(found.hidden) + loose
