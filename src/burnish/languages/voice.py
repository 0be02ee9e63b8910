"""The voice of a text in each language: persons, how the reader is addressed, questions and exclamations."""

from __future__ import annotations

from typing import Literal, NamedTuple

import regex

from burnish.languages.sentences import sentences
from burnish.languages.words import Word, word_set, words

Person = str
"""`I`, `we`, `you`, `he` or `she`."""

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
_VERB_ENDINGS = """
    es I: o é í oy aba ía e / we: mos / you: as es ás és ís áis éis a e d n ste
    pt I: o ei i ou ava ia / we: mos / you: as es ste a e m
    it I: o ai ei ii vo / we: mo / you: i te sti a e
    ru I: у ю л ла / we: ем им ём ли / you: шь шься те тесь й и ь ли
    mk I: м в / we: ме / you: ш те вте и ј ше
"""
"""Endings of verbs that may stand for a person where no pronoun has to be written: they only excuse."""


def _persons(listed: str) -> dict[str, dict[Person, frozenset[str]]]:
    """Lines of a language, each with persons and their forms."""
    table: dict[str, dict[Person, frozenset[str]]] = {}
    for line in listed.strip().splitlines():
        language, _, rest = line.strip().partition(" ")
        for entry in rest.split(" / "):
            person, _, forms = entry.partition(": ")
            table.setdefault(language, {})[person] = word_set(forms)
    return table


SUBJECTS, OTHERS = _persons(_SUBJECTS), _persons(_OTHERS)
VERB_ENDINGS = {
    language: {person: tuple(sorted(tails)) for person, tails in persons.items()}
    for language, persons in _persons(_VERB_ENDINGS).items()
}
KNOWN_PERSONS = tuple(SUBJECTS)


class Cast(NamedTuple):
    """The persons of a text."""

    sure: dict[Person, Word]
    """Persons whose subject pronoun stands there, and the first one."""
    possible: frozenset[Person]
    """Persons that anything in the text may stand for."""


def cast(prose: str, language: str) -> Cast:
    found: dict[Person, Word] = {}
    possible: set[Person] = set()
    endings = VERB_ENDINGS.get(language, {})
    for word in words(prose):
        lower = word.lower.replace("’", "'")
        for person, forms in SUBJECTS[language].items():
            if lower in forms:
                found.setdefault(person, word)
        possible.update(person for person, forms in OTHERS[language].items() if lower in forms)
        possible.update(person for person, tails in endings.items() if lower.endswith(tails))
    return Cast(found, frozenset(possible | found.keys()))


Manner = Literal["familiar", "polite"]


class Address(NamedTuple):
    """The words by which one language addresses."""

    familiar: regex.Pattern[str]
    polite: regex.Pattern[str]
    sure: bool
    """Whether the polite words address nobody else: French `vous` may be several friends."""


def _forms(listed: str, *, inside: bool = False) -> regex.Pattern[str]:
    """`inside`: with a capital that no beginning of a sentence explains."""
    forms = "|".join(listed.split())
    if inside:
        return regex.compile(rf"(?<=[\p{{Ll}}\p{{N}},;] )(?:{forms})(?![\p{{L}}'’])")
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{forms})(?![\p{{L}}'’])", regex.IGNORECASE)


ADDRESSES: dict[str, Address] = {
    "es": Address(_forms("tú ti contigo tu tus te"), _forms("usted"), True),
    "fr": Address(_forms("tu toi te tes ta"), _forms("vous votre vos"), False),
    "de": Address(
        _forms("du dich dir dein deine deinen deinem deiner deines"),
        _forms("Sie Ihnen Ihr Ihre Ihren Ihrem Ihrer Ihres", inside=True),
        True,
    ),
    "ru": Address(
        _forms("ты тебя тебе тобой твой твоя твоё твои твоего твоей твоих твоему твою"),
        _forms("Вы Вас Вам Вами Ваш Ваша Ваше Ваши Вашего Вашей Ваших Вашу", inside=True),
        True,
    ),
    "mk": Address(
        _forms("тебе твој твоја твое твои твојот твојата твоето твоите"),
        _forms("Вие Вас Ви Вам Ваш Ваша", inside=True),
        True,
    ),
    "pt": Address(_forms("tu ti teu tua teus tuas contigo"), _forms("você vocês"), False),
    "it": Address(_forms("tu te ti tuo tua tuoi tue"), _forms("Lei Suo Sua Suoi Sue", inside=True), True),
}
KNOWN_ADDRESSES = tuple(ADDRESSES)


def manners(prose: str, language: str) -> dict[Manner, tuple[int, int]]:
    """The manners of a text, and where each is met first."""
    address = ADDRESSES[language]
    patterns: dict[Manner, regex.Pattern[str]] = {"familiar": address.familiar, "polite": address.polite}
    return {manner: found.span() for manner, pattern in patterns.items() if (found := pattern.search(prose))}


def mixes_manners(prose: str, language: str) -> bool:
    """Whether one sentence addresses in both manners."""
    address = ADDRESSES[language]
    return any(
        address.familiar.search(sentence.text) and address.polite.search(sentence.text) for sentence in sentences(prose)
    )


MARKS_IN_A_ROW = regex.compile(r"[!?！？؟\"'”’“»«)\]）」』*_,.;…]+")
"""Marks in a row: a sentence ends with the last of them."""
ASKS, EXCLAIMS = frozenset("?？؟"), frozenset("!！")
GOES_ON = regex.compile(r"[\p{L}\p{N}=&/]")
CAN_FOLLOW = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}]")
"""Letters that stand behind a mark without a blank."""
UNMARKED: dict[str, regex.Pattern[str]] = {
    "ja": regex.compile(r"(?:か|かい|のか|かな|だろう)[。」』]|か$"),
    "zh": regex.compile(r"[吗呢么][。」』”]|[吗呢么]$|难道|是否"),
    "ko": regex.compile(r"(?:까|나요|니|가요|는가)[.。]"),
}
"""Questions that are written without a mark."""
OTHER_MARKS = word_set("el hy th lo my km bo ti am")
"""Languages whose questions end otherwise, or without any mark."""
ASKED_INDIRECTLY = regex.compile(
    r"\b(?:I wonder|I'd like to know|I want to know|tell me|may I|would you|could you|wonder (?:if|why|what|how|who)"
    r"|me pregunto|quisiera saber|ich frage mich|je me demande|mi chiedo|pergunto-me|интересно|ли)\b",
    regex.IGNORECASE,
)
"""A statement that asks: another language may ask outright."""


class SentenceMarks(NamedTuple):
    """Where the sentences end that ask and that exclaim."""

    questions: list[int]
    exclamations: list[int]


def sentence_marks(prose: str) -> SentenceMarks:
    found = SentenceMarks([], [])
    for run in MARKS_IN_A_ROW.finditer(prose):
        after = prose[run.end() : run.end() + 1]
        if GOES_ON.match(after) and not CAN_FOLLOW.match(after):
            continue  # part of an address, of code, of a name
        characters = run.group()
        asked = next((place for place, mark in enumerate(characters) if mark in ASKS), None)
        exclaims = next((place for place, mark in enumerate(characters) if mark in EXCLAIMS), None)
        if asked is not None:
            found.questions.append(run.start() + asked)
        elif exclaims is not None:
            found.exclamations.append(run.start() + exclaims)
    return found


def asks(prose: str, language: str) -> bool:
    """Whether a text asks without a mark."""
    unmarked = UNMARKED.get(language)
    return bool(unmarked and unmarked.search(prose)) or ASKED_INDIRECTLY.search(prose) is not None
