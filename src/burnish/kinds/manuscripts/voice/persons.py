"""Who speaks, who is spoken to and who is spoken of, by the pronouns of a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from burnish.languages.slips import Slip
from burnish.languages.words import Word, word_set, words
from burnish.text.markdown import Markdown

Person = str
"""`I`, `we`, `you`, `he` or `she`."""
SPEAKERS: tuple[Person, ...] = ("I", "we", "you")
NAMES = {"I": "the speaker", "we": "a group with the speaker", "you": "the reader", "he": "a man", "she": "a woman"}

_SUBJECTS = """
    en I: i i'm i've i'll i'd / we: we we're we've we'll / you: you you're you've you'll
    en he: he he's he'll he'd / she: she she's she'll she'd
    es I: yo / we: nosotros nosotras / you: tú vosotros vosotras usted ustedes / he: él / she: ella
    fr I: je j'ai / we: nous / you: tu vous / she: elle
    de I: ich / we: wir / you: du / he: er
    ru I: я / we: мы / you: ты вы / he: он / she: она
    mk I: јас / we: ние / you: вие / he: тој
    pt I: eu / we: nós / you: tu você vocês / he: ele / she: ela
    it I: io / we: noi / you: tu voi / he: egli
"""
"""Pronouns that do something."""
_OTHERS = """
    en I: me my mine myself / we: us our ours ourselves let's / you: your yours yourself yourselves
    en he: him his himself / she: her hers herself
    es I: me mí mi mis conmigo mío mía / we: nos nuestro nuestra nuestros nuestras
    es you: te ti tu tus contigo os vuestro vuestra vuestros vuestras le les su sus se lo la
    fr I: me moi mon ma mes m'a / we: notre nos on / you: te toi ton ta tes votre vos / he: il lui
    de I: mich mir mein meine meinen meinem meiner meines / we: uns unser unsere unseren unserem unserer man
    de you: dich dir dein deine deinen deinem deiner euch euer eure ihr ihnen sie ihre ihren ihrem ihrer
    de he: ihm ihn sein seine seinen seinem seiner seines / she: sie ihr ihre ihren ihrem ihrer
    ru I: меня мне мной мой моя моё мое мои моего моей моих моему моим мою
    ru we: нас нам нами наш наша наше наши нашего нашей наших нашему нашим нашу
    ru you: тебя тебе тобой твой твоя твоё твои твоего твоей вас вам вами ваш ваша ваше ваши вашего вашей ваших вашему
    ru he: его ему него нему им ним нем нём / she: её ее ей неё нее ней ею
    mk I: мене ме ми мој моја мое мои мојот мојата моето моите
    mk we: нас нè не ни наш наша наше наши нашиот нашата нашето нашите нам
    mk you: ти тебе те твој твоја твое твои твојот твојата вас ве ви ваш ваша ваше ваши вам
    mk he: него го му негов негова негово / she: таа неа ја и ѝ нејзин нејзина
    pt I: me mim meu minha meus minhas comigo / we: nos nosso nossa nossos nossas conosco
    pt you: te ti teu tua teus tuas contigo vos vosso seu sua seus suas lhe o a se
    pt he: dele seu sua / she: dela seu sua
    it I: me mi mio mia miei mie / we: ci nostro nostra nostri nostre ce
    it you: te ti tuo tua tuoi tue vi vostro vostra vostri vostre lei suo sua le la si
    it he: lui gli lo suo sua / she: lei le la sua ella
"""
"""Other words that may stand for a person; some may stand for others too, so they only excuse."""
_ENDINGS = """
    es I: o é í oy aba ía e / we: mos / you: as es ás és ís áis éis a e d n ste
    pt I: o ei i ou ava ia / we: mos / you: as es ste a e m
    it I: o ai ei ii vo / we: mo / you: i te sti a e
    ru I: у ю л ла / we: ем им ём ли / you: шь шься те тесь й и ь ли
    mk I: м в / we: ме / you: ш те вте и ј ше
"""
"""Endings of verbs that may stand for a person where no pronoun has to be written: they only excuse."""


def _table(listed: str) -> dict[str, dict[Person, frozenset[str]]]:
    """Lines of a language, each with persons and their forms."""
    table: dict[str, dict[Person, frozenset[str]]] = {}
    for line in listed.strip().splitlines():
        language, _, rest = line.strip().partition(" ")
        for entry in rest.split(" / "):
            person, _, forms = entry.partition(": ")
            table.setdefault(language, {})[person] = word_set(forms)
    return table


SUBJECTS, OTHERS = _table(_SUBJECTS), _table(_OTHERS)
ENDINGS = {
    language: {person: tuple(sorted(tails)) for person, tails in persons.items()}
    for language, persons in _table(_ENDINGS).items()
}
JUDGED = tuple(SUBJECTS)
SAY_IT = frozenset({"en", "fr", "de"})
"""Languages in which a verb has its pronoun beside it: what is not there is not meant."""


class Cast(NamedTuple):
    """The persons of a text."""

    sure: dict[Person, Word]
    """Persons whose subject pronoun stands there, and the first one."""
    possible: frozenset[Person]
    """Persons that anything in the text may stand for."""


def cast(view: Markdown, language: str) -> Cast:
    found: dict[Person, Word] = {}
    possible: set[Person] = set()
    endings = ENDINGS.get(language, {})
    for word in words(view.prose):
        lower = word.lower.replace("’", "'")
        for person, forms in SUBJECTS[language].items():
            if lower in forms:
                found.setdefault(person, word)
        possible.update(person for person, forms in OTHERS[language].items() if lower in forms)
        possible.update(person for person, tails in endings.items() if lower.endswith(tails))
    return Cast(found, frozenset(possible | found.keys()))


def changed_persons(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """A person of the source whose place another one took."""
    if not set(languages) <= SUBJECTS.keys():
        return
    theirs, ours = cast(source, languages[0]), cast(view, languages[1])
    yield from _other_speaker(theirs, ours, languages)
    yield from _other_sex(theirs, ours)


def _other_speaker(theirs: Cast, ours: Cast, languages: tuple[str, str]) -> Iterator[Slip]:
    said, says = set(SPEAKERS) & theirs.sure.keys(), set(SPEAKERS) & ours.sure.keys()
    if len(said) != 1 or len(says) != 1 or said == says:
        return
    [before], [after] = said, says
    if before in ours.possible or after in theirs.possible:
        return
    word = ours.sure[after]
    yield Slip(
        *word.span,
        f"The source speaks of {NAMES[before]}, the translation of {NAMES[after]} ({word.text!r}).",
        "Keep the person of the source.",
        severity="error" if set(languages) <= SAY_IT and "I" in (before, after) else "warning",
    )


def _other_sex(theirs: Cast, ours: Cast) -> Iterator[Slip]:
    for before, after in (("he", "she"), ("she", "he")):
        if before not in theirs.sure or after not in ours.sure:
            continue
        if before in ours.possible or after in theirs.possible:
            continue
        word = ours.sure[after]
        message = f"The source speaks of {NAMES[before]}, the translation of {NAMES[after]} ({word.text!r})."
        yield Slip(*word.span, message, "Keep the person of the source.")
