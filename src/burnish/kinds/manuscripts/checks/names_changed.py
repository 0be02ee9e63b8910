"""names_changed: a name of the source that is missing or different in the translation.

What it looks for: countries, continents and cities that only one of the two texts mentions, by their names from CLDR
in both languages; and names (capitalised words that no dictionary has in lower case, words in capitals, Latin words in
another script) without a word of the same sound or a translation in the other text. Names in two scripts are compared
by their consonants, endings may differ, and names with a form of their own in each language (saints, kings) are
ignored. It is an error if it is surely a name: a place, a word that no dictionary has, two names side by side, a name
that the book has elsewhere, or a name with another one in its place; otherwise a warning. A name that only the
translation has is a warning if the source is English: it may explain something.
Why it matters: the sentence is then about another person or place.
Fix: needs a translator or a model, who can find the form of the name in the other language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import regex
from rapidfuzz.distance import Levenshtein

from burnish.core.checks import check
from burnish.core.findings import Finding, Severity
from burnish.kinds.manuscripts.model import ManuscriptContext, Paragraph, pair
from burnish.kinds.manuscripts.sides import Side, name_difference, source_of, target_of
from burnish.languages.dictionary import is_ordinary
from burnish.languages.names import NAME_TOKEN, ORDINAL, Name, has_match, is_translated
from burnish.languages.proper_nouns import Place, has_demonym, mentions_place, places
from burnish.languages.word_forms import sound

MOST_SHOWN = 5
CLIPPED = re.compile(
    r"(?:Мин(?:обор|здрав|фин|юст|обр|пром|эк|транс|энерго|культ|сельхоз|природ)|Гос(?:дум|деп)|Центробанк)"
)
"""Offices of Russia and Bulgaria with a clipped first part, which are translated."""
SPELT_OUT = re.compile(r"[A-Z]\w{2,40}(?: (?:of |the |for |and ){0,2}[A-Z]\w{2,40}){1,8}")
"""Consecutive capitalised words, which an abbreviation may stand for."""
CAPITALS = re.compile(r"\b[A-Z]+\b")
ACRONYM_IN = regex.compile(r"\b\p{Lu}{2,}\b")
CAPITALISED = regex.compile(r"\b\p{Lu}\p{Ll}{3,}")
BLENDED = re.compile(r"(?:Afro|Anglo|Austro|Euro|Franco|Indo|Latino|Latyno|Афро|Англо|Евро|Индо|Латино)-?(?=\w{5})")
NEAR = 0.6
"""The similarity that makes two words with the same first sound forms of one name in two languages."""


KIN = ({"v", "b"}, {"k", "h"}, {"k", "s"}, {"i", "g"}, {"i", "h"}, {"s", "c"}, {"v", "u"}, {"k", "c"}, {"f", "p"})
"""First sounds that differ between languages."""


@check(
    id="names_changed",
    title="Name changed or missing",
    severity="error",
    bad=(
        pair(
            "es>en",
            "Según explicó Ricardo Salazar, el puente sigue cerrado.",
            "As Quentin Chabert explained, the bridge is still closed.",
        ),
        pair("ru>en", "Глава города Артём Суворов приехал вечером.", "The head of the city arrived in the evening."),
        pair(
            "en>es",
            "As Oldfield explained, the bridge is still closed.",
            "Como explicó Chabert, el puente sigue cerrado.",
        ),
        pair("en>es", "The letter is for Mr Oldfield.", "La carta es para el señor Whitmore."),
        pair("en>fr", "In that year Louis Pasteur left.", "Cette année-là, Marie Curie n’est pas partie."),
        pair("it>en", "Lo stato d'emergenza vale negli Stati Uniti.", "The state of emergency is in force."),
        pair("bg>en", "Мисля, че трябва да извикате Том.", "I think you should call Reginald."),
        pair("es>en", "El portavoz de la NASA lo explicó ayer.", "The spokesman of Greenpeace explained it."),
    ),
    good=(
        pair(
            "ru>en",
            "Телефонный разговор Владимира Зеленского состоялся вчера.",
            "The telephone conversation of Volodymyr Zelensky took place yesterday.",
        ),
        pair(
            "es>en",
            "Después viajó a Alemania con el Ministerio de Salud y la ONU.",
            "He then travelled to Germany with the Ministry of Health and the UN.",
        ),
        pair("es>en", "Lo dijo un periodista tapatío.", "A journalist from Guadalajara said it."),
        pair("ru>en", "По данным Минобороны, всё спокойно.", "According to the Ministry of Defense, all is quiet."),
        pair("en>es", "The town lies on the lake.", "El pueblo está junto al lago."),
        pair("en>vi", "Many people in Africa need help.", "Nhiều người ở châu Phi cần giúp đỡ."),
        pair("hi>en", "यह बस हांगकांग से आई थी।", "This bus came from Hong Kong."),
        pair("en>ja", "Tottori Prefecture's capital is Tottori City.", "鳥取県の県庁所在地は鳥取市です。"),
        pair("es>en", "Está previsto en Mauna Kea.", "It is planned for mauna kea."),
        pair("pl>en", "Mieszka tu wielu Afroamerykanów.", "Many African Americans live here."),
        pair("pl>en", "Sąd w Gandawie ogłosił wyrok.", "The court in Ghent gave its verdict."),
        pair("pl>en", "W wielu hotelach Majorki jest drogo.", "Many hotels on Mallorca are expensive."),
        pair("it>en", "Lo ha detto la Piegza.", "Mrs Piegża said it."),
        pair("en>es", "See the other list.", "Véase *[An Introductory List](https://example.org)*."),
        pair(
            "de>en",
            "Johns Frau Mary kaufte ein Dutzend Eier. Kommen Sie herein, sagte der Wirt.",
            "John's wife, Mary, bought a dozen eggs. Come in, said the landlord.",
        ),
    ),
)
def names_changed(paragraph: Paragraph, context: ManuscriptContext) -> Iterator[Finding]:
    source, target = source_of(paragraph), target_of(paragraph)
    if not paragraph.translation.strip() or source.language == target.language:
        return
    lost_place, put_place = _strange_place(source, target), _strange_place(target, source)
    if lost_place is not None:
        message = f"The translation does not mention {lost_place.text!r}."
        yield _found(paragraph, message, "error", lost=[lost_place.text])
        return
    if put_place is not None:
        span = (put_place.start, put_place.start + len(put_place.text))
        yield _found(paragraph, f"The translation mentions {put_place.text!r}, the source does not.", "error", span)
        return
    difference = name_difference(source, target)
    lost = [name for name in difference.lost if not _may_be_rewritten(name, source, target)]
    # An abbreviation may be an ordinary word (PKW, TGV), or be spelt out in the translation: alone it proves nothing.
    lost = [name for name in lost if not CLIPPED.match(name.text) and not has_demonym(name.text, target.prose)]
    small = set(NAME_TOKEN.findall(target.prose))
    lost = [name for name in lost if name.text.lower() not in small and not _is_blended(name.text, target)]
    lost = [name if not name.acronym else name._replace(sure=False) for name in lost]
    # An abbreviation counts as put in place of a name only if the source has none.
    abbreviates = ACRONYM_IN.search(source.prose) is not None
    put = [name for name in difference.new if not name.acronym or (_is_long(name) and not abbreviates)]
    instead = next((name for name in put if not any(_may_be_one(name, each) for each in lost)), None)
    paired = [(name, each) for name in lost if not name.sure for each in put if _may_be_one(name, each)]
    lost = [name for name in lost if all(name is not one for one, _ in paired)]
    put = [name for name in put if all(name is not other for _, other in paired)]
    lost = [name for name in lost if not name.faint or instead is not None]
    put = [name for name in put if not name.faint and not name.acronym and not has_demonym(name.text, source.prose)]
    put = [name for name in put if not is_ordinary(name.text, "en") and not _is_near(name, source)]
    if lost:
        yield _lost(paragraph, lost, instead, context)
    elif put:
        name = max(put, key=lambda one: one.sure)
        message = f"{name.text!r} is another name or misspelt: nothing in the source sounds like it."
        # English names are easy to recognise, and none is missing, so this one was added as an explanation. In other
        # languages a name of the source may look like a word (том, a volume).
        certain = name.sure and source.language != "en"
        yield _found(paragraph, message, "error" if certain else "warning", (name.start, name.end))


def _strange_place(side: Side, other: Side) -> Place | None:
    """A country, continent or city that only `side` mentions."""
    for place in places(side.prose, side.language):
        if not mentions_place(place, other.view.text, other.language) and not all(
            is_translated(word, side.language, other.prose, other.language) for word in place.text.split()
        ):
            return place
    return None


def _lost(paragraph: Paragraph, lost: list[Name], instead: Name | None, context: ManuscriptContext) -> Finding:
    """The finding for missing names; an error if one is surely a name, or has another in its place."""
    shown = ", ".join(repr(name.text) for name in lost[:MOST_SHOWN])
    said = f"; it says {instead.text!r}, which the source does not" if instead is not None else ""
    words = [name for name in lost if not name.acronym or _is_long(name)]
    certain = any(name.sure or name.text in context.names or _is_beside(name, words) for name in words)
    return _found(
        paragraph,
        f"The translation does not have {shown} of the source{said}.",
        _weight(certain, lost, words, instead),
        (instead.start, instead.end) if instead is not None else None,
        [name.text for name in lost[:MOST_SHOWN]],
    )


def _weight(certain: bool, lost: list[Name], words: list[Name], instead: Name | None) -> Severity:
    if certain or (instead is not None and (words or instead.sure)):
        return "error"
    # A missing abbreviation with nothing in its place was most often translated or spelt out.
    return "info" if instead is None and all(name.acronym for name in lost) else "warning"


def _is_beside(name: Name, lost: list[Name]) -> bool:
    """Whether the next word is a lost name as well: a first and a last name."""
    return any(other.start - name.end == 1 for other in lost)


def _may_be_one(one: Name, other: Name) -> bool:
    """Whether two names may be the same in two languages: nearly all such pairs begin alike (Gandawa, Ghent)."""
    return _begins_alike(one.sound, other.sound)


def _begins_alike(one: str, other: str) -> bool:
    return one[:1] == other[:1] or {one[:1], other[:1]} in KIN


def _is_blended(word: str, target: Side) -> bool:
    """Whether the translation has the second half of a blended name: Afroamerykanów, African Americans."""
    first = BLENDED.match(word)
    return first is not None and has_match(word[first.end() :].capitalize(), target.view.text, target.language)


def _is_near(name: Name, source: Side) -> bool:
    """Whether the source has a capitalised word of similar sound: Majorki and Mallorca."""
    sounds = (sound(word) for word in CAPITALISED.findall(source.prose) if _begins_alike(sound(word), name.sound))
    return any(Levenshtein.normalized_similarity(one, name.sound) >= NEAR for one in sounds)


def _found(
    paragraph: Paragraph,
    message: str,
    severity: Severity,
    span: tuple[int, int] | None = None,
    lost: Sequence[str] = (),
) -> Finding:
    return Finding.at(
        paragraph,
        span=span,
        severity=severity,
        message=message,
        suggestion="Write the name of the source, in its usual form in this language.",
        data={"source": list(lost)} if lost else {},
    )


def _is_long(acronym: Name) -> bool:
    """Whether an acronym has three letters or more and is no numeral: shorter ones (US, EB) have other names too."""
    return len(acronym.text) > 2 and not ORDINAL.fullmatch(acronym.text)


def _may_be_rewritten(name: Name, source: Side, target: Side) -> bool:
    """Whether an abbreviation may be spelt out, or have other letters or another order: VIH and HIV, ONU and UN."""
    if not name.acronym:
        return False
    letters = set(name.text.lower())
    if source.language == "en" or not name.text.isascii():
        return True
    if any(spelt[0].lower() in letters for spelt in SPELT_OUT.findall(target.prose)):
        return True
    return any(len(word) > 1 and set(word.lower()) <= letters for word in CAPITALS.findall(target.prose))
