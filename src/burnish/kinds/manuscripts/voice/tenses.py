"""In which time a text plays, by the forms of its verbs that leave no doubt."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import regex

from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown

Tense = Literal["past", "present", "future"]


def _words(listed: str) -> regex.Pattern[str]:
    """A choice of whole words. (Their lengths are limited, so that no word makes the search slow.)"""
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{listed})(?!\p{{L}})", regex.IGNORECASE)


SURE: dict[str, dict[Tense, regex.Pattern[str]]] = {
    "en": {
        "past": _words(
            r"was|were|had|did|(?:was|were|did|had)n['’]t|said|went|came|took|gave|saw|became|knew|thought|wrote|began|told"
            r"|felt|got|ran|spoke|stood|heard|kept|grew|fell|sat|held|brought|bought"
            r"|(?:he|she|it|they|we|i) \p{L}+ed"
        ),
        "present": _words(r"is|are|am|(?:is|are)n['’]t|does|doesn['’]t|it['’]s|that['’]s|there['’]s"),
        "future": _words(r"will|won['’]t|shall|going to"),
    },
    "es": {
        "past": _words(
            r"fue|fueron|era|eran|estaba|estaban|había|habían|tuvo|tuvieron|hizo|hicieron|dijo|dijeron|hubo|pudo|vino|puso"
            r"|\p{L}{3,26}(?:aron|ieron|aban|aba|ó)"
        ),
        "present": _words("es|son|está|están|soy|somos|eres|hay|puede|pueden|tiene|tienen"),
        "future": _words(r"(?!(?:de|a)?trás\b)\p{L}{2,26}(?:rá|rán|remos|rás)"),
    },
    "fr": {
        "past": _words(
            r"était|étaient|avait|avaient|fut|furent|\p{L}{3,26}(?:èrent|aient)"
            r"|(?:a|ont|ai|est|sont) (?:été|\p{L}{2,26}é)"
        ),
        "present": _words(r"est|sont|suis|sommes|c['’]est|peut|peuvent|il y a"),
        "future": _words(r"\p{L}{2,26}(?:era|eront|erai|erons|ira|iront|irai)|aura|auront|pourra|pourront"),
    },
    "de": {
        "past": _words(
            "war|waren|hatte|hatten|wurde|wurden|ging|gingen|kam|kamen|sagte|sagten|gab|gaben|konnte|konnten|musste|machte"
            "|nahm|zog|stand|fand|ließ|sah|hielt|lag|blieb|schrieb|begann|begannen|starb|fiel|sprach"
        ),
        "present": _words("ist|sind|bin|hat|haben|kann|können|gibt"),
        "future": _words("wird|werden|werde|wirst"),
    },
    "it": {
        "past": _words(
            r"era|erano|aveva|avevano|fu|furono|disse|\p{L}{3,26}(?:arono|irono|avano|evano|ivano|ò)"
            r"|(?:è|sono|ha|hanno) (?:stat[oaie]|\p{L}{2,26}(?:at|it|ut)[oaie])"
        ),
        "present": _words("è|sono|può|possono|c['’]è"),
        "future": _words(r"\p{L}{2,26}(?:rà|ranno|rò|remo)"),
    },
    "pt": {
        "past": _words(
            r"foi|foram|era|eram|estava|estavam|tinha|tinham|havia|disse|fez|teve|veio|deu|\p{L}{3,26}(?:aram|iram|avam|ou)"
        ),
        "present": _words("é|são|está|estão|sou|somos|pode|podem|tem|têm"),
        "future": _words(r"\p{L}{2,26}(?:rá|rão|rei|remos)"),
    },
    "ru": {
        "past": _words(r"был|была|было|были|\p{L}{2,26}(?:лся|лась|лось|лись|вал|вала|вали|вало)"),
        "present": _words("является|являются|есть|имеет|имеют|существует|может|могут|находится"),
        "future": _words("будет|будут|буду|будем|будете|будешь"),
    },
    "mk": {
        "past": _words("беше|беа|имаше|имаа|бил|била|биле|рече"),
        "present": _words("има|имаат|можат|сме"),
    },
}
"""Forms that stand for their tense and for hardly anything else."""
EITHER: dict[str, regex.Pattern[str]] = {
    "en": _words(r"have|has|having|would|could|should|might|may|must|['’](?:ve|d|ll|s)|going|if|shall|been|let|used"),
    "es": _words(r"ha|han|he|hemos|has|va|van|voy|vas|vamos|iba|iban|si|\p{L}{2,26}ría(?:n|s|mos)?|cuando"),
    "fr": _words(
        r"ai|as|avons|avez|va|vont|vais|si|\p{L}+rait|\p{L}+raient|quand|\p{L}{2,26}(?:és?|ées?|i|u|us|is|it)"
    ),
    "de": _words(
        r"\p{L}{0,26}ge\p{L}{1,26}(?:t|en)|\p{L}{2,26}iert|(?:be|ver|er|ent|zer|über|unter)\p{L}{1,26}(?:t|en)|würde|würden|wäre|hätte|wenn"
        r"|soll|sollte|\p{L}{3,26}te|\p{L}{3,26}ten"
    ),
    "it": _words(r"ha|hanno|ho|abbiamo|va|vanno|se|\p{L}+rebbe(?:ro)?|quando|\p{L}{2,26}(?:at|it|ut)[oaie]"),
    "pt": _words(r"vai|vão|vou|vamos|ia|iam|se|\p{L}+ria(?:m|s)?|quando|\p{L}{2,26}[ai]d[oa]s?"),
    "ru": _words(
        r"бы|если|когда|чтобы|нет|\p{L}{2,26}(?:ет|ют|ут|ит|ат|ят|ешь|ишь|ем|им|ете|ите|у|ю|ется|ются|ится|л|ла|ло|ли)"
    ),
    "mk": _words(r"би|ако|кога|нема|\p{L}{3,26}(?:л|ла|ле|ло|ше|ав|ов|ме|аа|ја)"),
}
"""Forms that may stand for several times (perfects, conditionals, presents that mean the future): they excuse."""
LATER: dict[str, regex.Pattern[str]] = {
    "en": _words(r"would|could|should|might|may|must|['’](?:d|ll)|if|to|about|tomorrow|next"),
    "es": _words(
        r"\p{L}{2,26}ría(?:n|s|mos)?|ib?an?|va|van|voy|vamos|\p{L}{2,26}ré|si|mañana|próxim[oa]s?|\p{L}{1,26}[ae]ra|\p{L}{1,26}[ae]ran"
    ),
    "fr": _words(r"\p{L}+r(?:ait|aient|ais|as|ez)|va|vont|vais|allait|allaient|devait|si|demain|prochaine?"),
    "de": _words(
        r"würden?|solle?n?|sollten?|wollen?|wollten?|kann|können|ist|sind|wenn|morgen|nächste\p{L}{0,26}|(?-i:\p{Ll}{3,26}t)"
    ),
    "it": _words(r"\p{L}+reb?be(?:ro)?|va|vanno|stava|doveva|se|domani|prossim[oaie]|\p{L}+sse(?:ro)?"),
    "pt": _words(r"\p{L}+ria(?:m|s)?|vai|vão|vou|ia|iam|se|amanhã|próxim[oa]s?|\p{L}+sse(?:m)?"),
    "ru": _words(r"\p{L}{1,26}(?:ет|ют|ут|ит|ат|ят|ешь|ишь|ем|им|ете|ите|у|ю|ется|ются|ится)|бы|если|чтобы|завтра"),
    "mk": _words(r"\p{L}{1,26}"),
}
"""Forms and words of a text in the past that may speak of what comes after: they excuse a future."""
JUDGED = tuple(SURE)


class Times(NamedTuple):
    """The times of a text."""

    sure: dict[Tense, tuple[int, int]]
    """Tenses that a form stands for without doubt, and where the first one stands."""
    open: bool
    """Whether other forms may stand for other times."""


def times(view: Markdown, language: str) -> Times:
    sure = {tense: found.span() for tense, forms in SURE[language].items() if (found := forms.search(view.prose))}
    return Times(sure, EITHER[language].search(view.prose) is not None)


def changed_times(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """A translation none of whose sure tenses is one of the source."""
    if not set(languages) <= SURE.keys():
        return
    theirs, ours = times(source, languages[0]), times(view, languages[1])
    changed = _changed(theirs, ours) or _foretold(theirs, ours, source, languages[0])
    if changed is None:
        return
    lost, new = changed
    start, end = ours.sure[new]
    yield Slip(
        start,
        end,
        f"The source speaks of the {lost}, the translation of the {new} ({view.text[start:end]!r}).",
        "Keep the tense of the source.",
        severity="error" if {lost, new} == {"past", "future"} else "warning",
    )


def _changed(theirs: Times, ours: Times) -> tuple[Tense, Tense] | None:
    """The first tense of each text where they have none in common."""
    if not theirs.sure or not ours.sure or not theirs.sure.keys().isdisjoint(ours.sure):
        return None
    [lost, *_], [new, *_] = theirs.sure, ours.sure
    # A present may mean the future in every language, and what may stand for several times says nothing.
    if {lost, new} != {"past", "future"} and ("future" in (lost, new) or theirs.open or ours.open):
        return None
    return lost, new


def _foretold(theirs: Times, ours: Times, source: Markdown, language: str) -> tuple[Tense, Tense] | None:
    """A future in the translation of a text that is wholly in the past."""
    if theirs.sure.keys() != {"past"} or "future" not in ours.sure or LATER[language].search(source.prose):
        return None
    return "past", "future"
