"""Words with which no sentence ends: an article, a conjunction, a preposition waits for what comes next."""

from __future__ import annotations

from burnish.kinds.text.words import word_set

NEVER_LAST: dict[str, frozenset[str]] = {
    "en": word_set(
        """
        the a an and or nor but of than because although though whereas whether unless until if into onto upon between
        among during despite via per my your our their every whose toward towards within without throughout
        """
    ),
    "es": word_set(
        """
        el la los las un una unos unas y e o u ni pero sino aunque porque pues de del al a en con por para sin sobre
        entre hacia hasta desde según mediante durante que cuyo cuya cuyos cuyas mi mis tu tus su sus nuestro nuestra
        cada muy
        """
    ),
    "fr": word_set(
        """
        le la les un une des du de au aux et ou ni mais car donc or que qui dont à en dans par pour avec sans sur sous
        chez vers entre parce puisque lorsque quand si mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs
        ce cet cette ces chaque très
        """
    ),
    "de": word_set(
        """
        der den dem des eine einen einem einer eines und oder aber sondern denn dass weil obwohl wenn ob als wie für von
        vom zum zur im beim durch ohne gegen wegen während trotz zwischen mein meine dein deine sein seine ihr ihre
        ihrer ihrem ihren unser unsere jeder jede jedes jedem jeden sehr
        """
    ),
    "it": word_set(
        """
        il lo la i gli le un uno una e ed o oppure né ma però perché poiché sebbene di del dello della dei degli delle a
        al allo alla ai agli alle da dal dalla dai dalle in nel nello nella nei negli nelle con su sul sulla per tra fra
        che cui mio mia suo sua loro ogni molto
        """
    ),
    "pt": word_set(
        """
        o a os as um uma uns umas e ou nem mas porém porque pois embora de do da dos das em no na nos nas por pelo pela
        pelos pelas para com sem sobre entre até desde que cujo cuja meu minha seu sua seus suas cada muito ao à aos às
        """
    ),
    "nl": word_set(
        "de het een en of maar want omdat hoewel terwijl dat die van met voor naar bij uit tot tussen door zonder mijn"
    ),
    "ru": word_set(
        """
        и или но а что чтобы потому хотя если когда как в во на с со к ко от из у о об обо для без при по про через
        между над под перед за до после ради который которая которое которые его её их мой твой наш ваш каждый каждая
        """
    ),
    "uk": word_set(
        "і й та або але що щоб хоча якщо коли як в у на з зі до від із для без при по про через між над під"
    ),
    "pl": word_set(
        "i oraz lub albo ale że żeby ponieważ choć jeśli w we na z ze do od dla bez przy po przez między nad"
    ),
    "sv": word_set("och eller men att som för med av till från en ett den det i på om utan mellan genom eftersom"),
}
"""By language: articles, conjunctions, prepositions, possessives that want a noun."""

SELDOM_LAST: dict[str, frozenset[str]] = {
    "en": word_set(
        """
        to in on at by for from with as is are was were be been has have had will would can could should must may might
        that which who this these those its it's his her we they you i he she not very such also when where while how so
        only both either using including like more most some any no other what there about
        """
    ),
    "es": word_set(
        "es son fue era está están ha han se lo le les nos me te no más este esta estos estas ese esa como si"
    ),
    "fr": word_set("est sont était a ont il elle ils elles on nous vous je ne se plus comme où"),
    "de": word_set(
        "die das ist sind war hat haben wird werden wir sie er es ich ein kein keine nicht auf in an mit zu bei"
    ),
    "it": word_set("è sono era ha hanno si non più come questo questa questi queste"),
    "pt": word_set("é são foi era está estão tem têm se não mais como este esta esse essa"),
    "ru": word_set("это не мы вы они он она этот эта эти был была было были есть также только очень"),
}
"""Words that may end a note or a phrase of a few words, but hardly a whole paragraph."""

CONTINUED = frozenset(
    {"e.g.", "i.e.", "p.ej.", "z.b.", "d.h.", "т.е.", "напр.", "p.ex.", "cf.", "vs.", "bzw.", "ad.es."}
)
"""Abbreviations after which something follows."""


def never_ends(word: str, language: str) -> bool:
    """Whether no phrase of the language ends with the word. False for a language without a list."""
    return word.lower().replace("’", "'") in NEVER_LAST.get(language, frozenset())


def seldom_ends(word: str, language: str) -> bool:
    """The same for whole sentences."""
    lower = word.lower().replace("’", "'")
    return lower in NEVER_LAST.get(language, frozenset()) or lower in SELDOM_LAST.get(language, frozenset())
