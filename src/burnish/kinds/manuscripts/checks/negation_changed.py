"""negation_changed: a negation is missing in the translation, or was added.

What it looks for: more negations in one text (not, never, without, nicht, ne ... pas, не) than in the other, including
words that may express one (un-, hardly, lack, refuse), unless those have a counterpart ("lose" and "perder"). A
question counts only for what it takes for granted ("Are you sure that ... not", "if ... not"), and a tag ("isn't it?")
not at all. The rule knows 28 languages; in Arabic, Kabyle, Turkish and Vietnamese, which negate by endings, by words
that also ask, or in many ways, it only informs. It also finds a negation in the wrong clause: the words of that clause
have their counterparts outside the negated clause of the other text, by the bilingual lexicon.
Why it matters: one small word reverses the meaning of a sentence, and the sentence still reads well.
Fix: needs a translator or a model, because the sentence has to be rewritten.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from operator import itemgetter

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, source_of, target_of
from burnish.languages.counterparts import relation
from burnish.languages.lexicon import Places, Stem, is_trusted, lexicon_for
from burnish.languages.names import is_translated
from burnish.languages.voice import Denials, Span, blanked, counts_denials, denials, denying_clauses, knows_denials

LONG = 300
"""One more or fewer negation is allowed for every LONG characters, as a matter of style."""
FEWEST_ELSEWHERE = 4
"""The fewest words of two negated clauses with their counterparts elsewhere: fewer may be chance."""
FEWEST_OF_A_SIDE = 2
"""The fewest of them on each side."""
FOR_ONE_AT_HOME = 4
"""How many of them outweigh one word with its counterpart in the other negated clause."""


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
        pair("cs>en", "Je to nesnesitelný hluk v zimě.", "It is not an unbearable noise in winter."),
        pair("zh>en", "病例分别超过16万例。", "The cases did not exceed 160,000."),
        pair("pl>en", "Nie robią nic złego.", "They are doing anything wrong."),
        pair("ru>en", "План хорош.", "The plan is not only good."),
        pair("it>en", "Mia madre non vuole che tu parli con me.", "My mother wants you to talk to me."),
        pair(
            "ru>en",
            "Люди пишут сообщения на экранах компьютеров, и им никогда не приходится работать с бумагой.",
            "People do not write messages on computer screens, and they have to work with paper.",
        ),
        pair(
            "de>en",
            "Das Geschäft ist heute noch geöffnet. Der Weg dorthin ist weniger lang, sagte mein Vater.",
            "The shop is not open today. The way there is less long, my father said.",
        ),
    ),
    good=(
        pair("en>de", "The bus no. 14 left the station.", "Der Bus Nr. 14 verließ den Bahnhof."),
        pair("en>es", "Nobody knew the way.", "Nadie conocía el camino."),
        pair("pl>en", "Gmach nie ma porównania.", "The edifice does n't compare ."),
        pair("en>es", "Headers are values, not names.", "Los títulos son valores en vez de nombres."),
        pair(
            "en>es",
            "Name it by its content (“a.txt”, not “b.txt”).",
            "Nómbrelo por su contenido («a.txt» en lugar de «b.txt»).",
        ),
        pair("en>es", "The layer doesn't appear on the map.", "La capa deja de verse en el mapa."),
        pair(
            "en>es",
            "Unchecking this box turns off a layer (it doesn't appear on the map). Uncheck the next.",
            "Al desmarcarla se desactiva una capa (deja de verse en el mapa). Desmarca la siguiente.",
        ),
        pair("en>es", "People say that they are, or are not, useful.", "La gente dice que son, o no, útiles."),
        pair(
            "zh>en",
            "月球表面沒有空氣，所以沒有風，也沒有聲音。",
            "Without air there can be no wind or sound on the moon.",
        ),
        pair(
            "en>zh",
            "Without air there can be no wind or sound on the moon.",
            "月球表面沒有空氣，所以沒有風，也沒有聲音。",
        ),
        pair(
            "hu>en", "A két csoport között nincs éles határ.", "There is no sharp distinction between the two groups."
        ),
        pair("pl>en", "Była z niego ledwie tratwa.", "She was no better than a raft."),
        pair("en>hu", "It's OK if people laugh at you.", "Az még nem baj, ha kinevetnek."),
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
        pair("en>cs", "It is rude to speak.", "Je nezdvořilé mluvit."),
        pair("hu>en", "Vigyázz, nehogy megcsússz!", "Be careful not to slip."),
        pair("en>he", "It's unclear why Tom did that.", "לא ברור למה תום עשה את זה."),
        pair(
            "de>en",
            "Sie kam nicht zur Arbeit, weil das Wetter schlecht war.",
            "Because the weather was bad, she did not come to work.",
        ),
    ),
)
def negation_changed(paragraph: Paragraph) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not (knows_denials(source.language) and knows_denials(target.language)) or not paragraph.translation.strip():
        return
    ours, theirs = denials(source.prose, source.language), denials(target.prose, target.language)
    # "No air, no wind": several negations may be expressed by fewer words, or by more.
    slack = max(len(source.prose) // LONG, min(ours.clauses, theirs.clauses) // 2)
    severity: Severity = "error" if counts_denials(source.language) and counts_denials(target.language) else "info"
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
            data={"source": source.prose[start:end]},
        )
        return
    if _denies_another((ours, source), (theirs, target)):
        yield Finding.at(
            paragraph,
            span=theirs.plain[0] if theirs.plain else None,
            severity=severity,
            message="The translation denies another statement than the source does.",
            suggestion="Deny what the source denies.",
        )


def _denies_another(found: tuple[Denials, Side], other: tuple[Denials, Side]) -> bool:
    """Whether the negated clause of one side has its counterpart outside the clauses of the other with a negation or an
    excuse."""
    (mine, side), (theirs, beside) = found, other
    if not mine.plain and not theirs.plain:
        return False
    here, there = (denying_clauses(one.prose, one.language, denied) for denied, one in (found, other))
    lexicon = lexicon_for(side.language, beside.language) if here and there else None
    related = relation(lexicon, side.prose, beside.prose) if lexicon is not None and is_trusted(lexicon) else None
    if related is None or not related.is_close:
        return False
    compared = related.compared
    ours = _elsewhere(compared.source, compared.places[0], (here, mine), there)
    back = _elsewhere(compared.target, compared.places[1], (there, theirs), here)
    elsewhere, at_home = ours.count(True) + back.count(True), ours.count(False) + back.count(False)
    return min(ours.count(True), back.count(True)) >= FEWEST_OF_A_SIDE and elsewhere >= max(
        FEWEST_ELSEWHERE, FOR_ONE_AT_HOME * at_home
    )


def _elsewhere(
    words: Sequence[tuple[Stem, float]],
    places: Places,
    denying: tuple[Sequence[Span], Denials],
    other: Sequence[Span],
) -> list[bool]:
    """For words of some clauses, whether their counterparts are outside those of the other text; without words with
    both, and without the negation itself."""
    clauses, denials_there = denying
    there = [
        {_is_within(place, other) for place in places.get(stem.text, ())}
        for stem, _ in words
        if _is_within(stem.start, clauses) and not _is_within(stem.start, denials_there.plain)
    ]
    return [True not in found for found in there if len(found) == 1]


def _is_within(place: int, spans: Sequence[Span]) -> bool:
    """Whether a position is inside one of the sorted `spans`."""
    number = bisect_right(spans, place, key=itemgetter(0))
    return number > 0 and place < spans[number - 1][1]


def _excuses(found: tuple[Denials, Side], other: tuple[Denials, Side]) -> int:
    """The number of words and phrases that may express a negation of the other side, and have no counterpart there.

    A word that includes a negation (unclear, without doubt) only has another such word as its counterpart: a
    translation of the rest of it ("clear") proves nothing.
    """
    (mine, side), (theirs, beside) = found, other
    # A single Chinese or Japanese character proves no counterpart: it may be part of any word.
    has_signs = {"zh", "ja"} & {side.language, beside.language}
    mine_loose, theirs_loose = _loose(found, other), 0 if has_signs else _loose(other, found)
    return max(0, len(mine.idioms) - len(theirs.idioms)) + max(0, mine_loose - theirs_loose)


def _loose(found: tuple[Denials, Side], other: tuple[Denials, Side]) -> int:
    """The number of words that translate no word of the other text."""
    (mine, side), (theirs, beside) = found, other
    alike = " ".join(beside.prose[start:end] for start, end in (*theirs.hidden, *theirs.faint))
    texts = [(mine.hidden, alike), (mine.faint, blanked(beside.prose, theirs.plain))]
    return sum(
        not is_translated(side.prose[start:end], side.language, text, beside.language)
        for spans, text in texts
        for start, end in spans
    )
