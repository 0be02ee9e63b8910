"""Forms of verbs: those of English exam options, and those that show the tense of a text in each language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

import regex

from burnish.languages.words import word_set

VerbForm = Literal["base", "third", "gerund", "past"]

AUXILIARIES = word_set(
    """
    is are was were am has have had does do did can could will would shall should may might must cannot
    isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't can't couldn't won't wouldn't shouldn't
    """
)
"""They make a clause wherever they stand."""

_PLAIN = """
    open close produce treat dilate constrict depolarize hyperpolarize carry consume compete concentrate
    contribute cooperate
    accept achieve acquire activate add adjust administer admit advise affect agree allow alter appear apply
    arise ask assess assign assume avoid become begin believe belong bind bring catalyze choose come compare
    compute conclude confirm conserve consider consist constitute construct contain continue contract convert
    convince create cross decide declare define degrade delay deliver demonstrate deny depend deplete derive
    describe destroy detect determine develop differ diffuse diminish direct disclose discontinue discuss
    disrupt dissolve divide document eliminate emit enable encode encourage enhance ensure enter establish
    evaluate examine exceed exclude exhibit exist expand explain express extend facilitate fail follow generate
    give grow have hydrolyze identify ignore improve include indicate induce inform inhibit initiate inject
    insert instruct interact interfere introduce involve keep lead let locate lose lower maintain make
    metabolize migrate modify monitor neutralize notify obtain occur oppose oxidize participate perform permit
    phosphorylate predict prepare prescribe preserve prevent proceed promote protect prove provide raise receive
    recognize recommend recruit reduce refer reflect refuse regulate relate relax rely remain remove repeat
    replace represent require resemble resolve respond restrict resume retain reveal secrete seek select send
    separate serve slow solve stimulate strengthen suggest suppress surround synthesize take tell tend terminate
    transform transmit undergo utilize vary weaken
"""
# The same word names a thing as well ("increase", "a block"), so it tells nothing at the head of an option.
_NOUNS_TOO = """
    act aim attack balance benefit block break call cause change charge check claim contact control cost cover
    cut damage decay decline decrease demand design display drop effect exercise fall flow focus force form
    function gain help impact increase influence interest issue lack limit link loss measure move need offer
    order place plan play practice present process progress project rate reach release report request
    research result return rise risk schedule search shift show sign start state stop store stress study supply
    support switch target test touch trade transfer transport trigger turn use view visit vote watch work
"""
NOUN_LIKE = word_set(_NOUNS_TOO)
VERBS = word_set(_PLAIN) | NOUN_LIKE
_DOUBLING = word_set("admit begin cut drop let permit plan refer stop transfer transmit transfer occur")


def _third(verb: str) -> str:
    if verb == "have":
        return "has"
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}s"


def _gerund(verb: str) -> str:
    if verb in _DOUBLING:
        return f"{verb}{verb[-1]}ing"
    return f"{verb[:-1]}ing" if verb.endswith("e") and not verb.endswith("ee") else f"{verb}ing"


def _past(verb: str) -> str:
    if verb in _DOUBLING:
        return f"{verb}{verb[-1]}ed"
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if verb.endswith("y") and verb[-2] not in "aeiou" else f"{verb}ed"


_FORMS: dict[str, VerbForm] = {
    **{_past(verb): "past" for verb in VERBS},
    **{_third(verb): "third" for verb in VERBS},
    **{_gerund(verb): "gerund" for verb in VERBS},
    **dict.fromkeys(VERBS, "base"),
}
_AMBIGUOUS = NOUN_LIKE | {_third(verb) for verb in NOUN_LIKE}


def verb_form(word: str) -> VerbForm | None:
    """The form of a known verb, also where the word could be a noun; None for any other word."""
    return _FORMS.get(word)


def sure_verb_form(word: str) -> VerbForm | None:
    """The form of a known verb that is hardly ever a noun in that form."""
    return None if word in _AMBIGUOUS else _FORMS.get(word)


def has_clause(lower_words: Sequence[str]) -> bool:
    """Whether the words hold a finite verb after a subject, so that they state something."""
    return any(_is_finite(word, lower_words[index]) for index, word in enumerate(lower_words[1:]))


def _is_finite(word: str, before: str) -> bool:
    if word in AUXILIARIES:
        return True
    return before not in ("to", "and", "or") and sure_verb_form(word) in ("third", "base")


Tense = Literal["past", "present", "future"]


def _whole(listed: str) -> regex.Pattern[str]:
    """A choice of whole words. (Their lengths are limited, so that no word makes the search slow.)"""
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{listed})(?!\p{{L}})", regex.IGNORECASE)


SURE_FORMS: dict[str, dict[Tense, regex.Pattern[str]]] = {
    "en": {
        "past": _whole(
            r"was|were|had|did|(?:was|were|did|had)n['’]t|said|went|came|took|gave|saw|became|knew|thought|wrote|began|told"
            r"|felt|got|ran|spoke|stood|heard|kept|grew|fell|sat|held|brought|bought"
            r"|(?:he|she|it|they|we|i) \p{L}+ed"
        ),
        "present": _whole(r"is|are|am|(?:is|are)n['’]t|does|doesn['’]t|it['’]s|that['’]s|there['’]s"),
        "future": _whole(r"will|won['’]t|shall|going to"),
    },
    "es": {
        "past": _whole(
            r"fue|fueron|era|eran|estaba|estaban|había|habían|tuvo|tuvieron|hizo|hicieron|dijo|dijeron|hubo|pudo|vino|puso"
            r"|\p{L}{3,26}(?:aron|ieron|aban|aba|ó)"
        ),
        "present": _whole("es|son|está|están|soy|somos|eres|hay|puede|pueden|tiene|tienen"),
        "future": _whole(r"(?!(?:de|a)?trás\b)\p{L}{2,26}(?:rá|rán|remos|rás)"),
    },
    "fr": {
        "past": _whole(
            r"était|étaient|avait|avaient|fut|furent|\p{L}{3,26}(?:èrent|aient)"
            r"|(?:a|ont|ai|est|sont) (?:été|\p{L}{2,26}é)"
        ),
        "present": _whole(r"est|sont|suis|sommes|c['’]est|peut|peuvent|il y a"),
        "future": _whole(r"\p{L}{2,26}(?:era|eront|erai|erons|ira|iront|irai)|aura|auront|pourra|pourront"),
    },
    "de": {
        "past": _whole(
            "war|waren|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|sagte|sagten|gab|gaben|konnte|konnten|musste|machte"
            "|nahm|zog|stand|fand|ließ|sah|hielt|lag|blieb|schrieb|begann|begannen|starb|fiel|sprach"
        ),
        "present": _whole("ist|sind|bin|hat|haben|kann|können|gibt"),
        "future": _whole("wird|werden|werde|wirst"),
    },
    "it": {
        "past": _whole(
            r"era|erano|aveva|avevano|fu|furono|disse|\p{L}{3,26}(?:arono|irono|avano|evano|ivano|ò)"
            r"|(?:è|sono|ha|hanno) (?:stat[oaie]|\p{L}{2,26}(?:at|it|ut)[oaie])"
        ),
        "present": _whole("è|sono|può|possono|c['’]è"),
        "future": _whole(r"\p{L}{2,26}(?:rà|ranno|rò|remo)"),
    },
    "pt": {
        "past": _whole(
            r"foi|foram|era|eram|estava|estavam|tinha|tinham|havia|disse|fez|teve|veio|deu|\p{L}{3,26}(?:aram|iram|avam|ou)"
        ),
        "present": _whole("é|são|está|estão|sou|somos|pode|podem|tem|têm"),
        "future": _whole(r"\p{L}{2,26}(?:rá|rão|rei|remos)"),
    },
    "ru": {
        "past": _whole(r"был|была|было|были|\p{L}{2,26}(?:лся|лась|лось|лись|вал|вала|вали|вало)"),
        "present": _whole("является|являются|есть|имеет|имеют|существует|может|могут|находится"),
        "future": _whole("будет|будут|буду|будем|будете|будешь"),
    },
    "mk": {
        "past": _whole("беше|беа|имаше|имаа|бил|била|биле|рече"),
        "present": _whole("има|имаат|можат|сме"),
    },
}
"""Forms that stand for their tense and for hardly anything else."""
EITHER_FORMS: dict[str, regex.Pattern[str]] = {
    "en": _whole(r"have|has|having|would|could|should|might|may|must|['’](?:ve|d|ll|s)|going|if|shall|been|let|used"),
    "es": _whole(r"ha|han|he|hemos|has|va|van|voy|vas|vamos|iba|iban|si|\p{L}{2,26}ría(?:n|s|mos)?|cuando"),
    "fr": _whole(
        r"ai|as|avons|avez|va|vont|vais|si|\p{L}+rait|\p{L}+raient|quand|\p{L}{2,26}(?:és?|ées?|i|u|us|is|it)"
    ),
    "de": _whole(
        r"\p{L}{0,26}ge\p{L}{1,26}(?:t|en)|\p{L}{2,26}iert|(?:be|ver|er|ent|zer|über|unter)\p{L}{1,26}(?:t|en)|würde|würden|wäre|hätte|wenn"
        r"|soll|sollte|\p{L}{3,26}te|\p{L}{3,26}ten"
    ),
    "it": _whole(r"ha|hanno|ho|abbiamo|va|vanno|se|\p{L}+rebbe(?:ro)?|quando|\p{L}{2,26}(?:at|it|ut)[oaie]"),
    "pt": _whole(r"vai|vão|vou|vamos|ia|iam|se|\p{L}+ria(?:m|s)?|quando|\p{L}{2,26}[ai]d[oa]s?"),
    "ru": _whole(
        r"бы|если|когда|чтобы|нет|\p{L}{2,26}(?:ет|ют|ут|ит|ат|ят|ешь|ишь|ем|им|ете|ите|у|ю|ется|ются|ится|л|ла|ло|ли)"
    ),
    "mk": _whole(r"би|ако|кога|нема|\p{L}{3,26}(?:л|ла|ле|ло|ше|ав|ов|ме|аа|ја)"),
}
"""Forms that may stand for several times (perfects, conditionals, presents that mean the future): they excuse."""
LATER_FORMS: dict[str, regex.Pattern[str]] = {
    "en": _whole(r"would|could|should|might|may|must|['’](?:d|ll)|if|to|about|tomorrow|next"),
    "es": _whole(
        r"\p{L}{2,26}ría(?:n|s|mos)?|ib?an?|va|van|voy|vamos|\p{L}{2,26}ré|si|mañana|próxim[oa]s?|\p{L}{1,26}[ae]ra|\p{L}{1,26}[ae]ran"
    ),
    "fr": _whole(r"\p{L}+r(?:ait|aient|ais|as|ez)|va|vont|vais|allait|allaient|devait|si|demain|prochaine?"),
    "de": _whole(
        r"würden?|solle?n?|sollten?|wollen?|wollten?|kann|können|ist|sind|wenn|morgen|nächste\p{L}{0,26}|(?-i:\p{Ll}{3,26}t)"
    ),
    "it": _whole(r"\p{L}+reb?be(?:ro)?|va|vanno|stava|doveva|se|domani|prossim[oaie]|\p{L}+sse(?:ro)?"),
    "pt": _whole(r"\p{L}+ria(?:m|s)?|vai|vão|vou|ia|iam|se|amanhã|próxim[oa]s?|\p{L}+sse(?:m)?"),
    "ru": _whole(r"\p{L}{1,26}(?:ет|ют|ут|ит|ат|ят|ешь|ишь|ем|им|ете|ите|у|ю|ется|ются|ится)|бы|если|чтобы|завтра"),
    "mk": _whole(r"\p{L}{1,26}"),
}
"""Forms and words of a text in the past that may speak of what comes after: they excuse a future."""
KNOWN_TENSES = tuple(SURE_FORMS)


class Times(NamedTuple):
    """The times of a text."""

    sure: dict[Tense, tuple[int, int]]
    """Tenses that a form stands for without doubt, and where the first one stands."""
    open: bool
    """Whether other forms may stand for other times."""


def times(prose: str, language: str) -> Times:
    sure = {tense: found.span() for tense, forms in SURE_FORMS[language].items() if (found := forms.search(prose))}
    return Times(sure, EITHER_FORMS[language].search(prose) is not None)
