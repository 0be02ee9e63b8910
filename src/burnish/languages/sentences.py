"""Sentences of a text with their places, in linear time, and the words with which no sentence ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from burnish.languages.words import word_set

BOUNDARY = re.compile(r"[.?!:…][\"”’')\]]*\s+|[。！？]|\n\s*")
"""Where a sentence may end. Code decides which is an end: a pattern that knows abbreviations would not be linear."""

CLOSING = "\"”’')] \t\r\n"
OPENING = "\"“‘'([*"

WRAPPED_LINE = 60
"""A shorter line was ended on purpose; a longer one may just have been wrapped by an editor."""

_NEAR = 24
"""How far back an abbreviation may begin."""

# Nothing ends after these, whatever follows.
_INNER = word_set("dr mr mrs ms prof st vs e.g i.e eg ie approx cf ca viz gen sen rep gov capt sgt mt messrs hon")
# Nothing ends after these if a number follows.
_BEFORE_NUMBERS = word_set(
    "no nos fig figs eq eqs p pp vol ch sec art ref refs ex q jan feb mar apr jun jul aug sep sept oct nov dec"
)
# After these (and after initials and dotted abbreviations such as "U.S.") a sentence ends only before a word that
# opens sentences.
_UNDECIDED = word_set("etc inc co ltd corp jr sr al dept univ assn bros esp resp incl")
_OPENERS = word_set(
    """
    a an the this that these those he she it they we you i his her its their there here in on at by for from with
    after before during when while if which what who whose whom where why how of to as since because although
    all each both none no one two three physical laboratory examination on some many most several however select choose
    """
)
_TAIL = 4
_TAILS = frozenset(word[-_TAIL:] for word in _INNER | _BEFORE_NUMBERS | _UNDECIDED if len(word) >= _TAIL)
"""How long abbreviations end."""

_FIRST_WORD = re.compile(r"[^\W\d_]+")


class Sentence(NamedTuple):
    """A sentence and where it begins in its field. (A tuple, because a hostile field can hold half a million.)"""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    def shift(self, span: tuple[int, int]) -> tuple[int, int]:
        """A span inside the sentence as a span of the field."""
        return (span[0] + self.start, span[1] + self.start)


def sentences(text: str, start: int = 0) -> Iterator[Sentence]:
    """Cut after closing punctuation, at blank lines and after short lines; abbreviations and initials end nothing."""
    for match in BOUNDARY.finditer(text, start):
        if _ends(text, start, match):
            piece = text[start : match.end()].strip()
            if piece:
                yield Sentence(piece, text.index(piece[0], start))
            start = match.end()
    piece = text[start:].strip()
    if piece:
        yield Sentence(piece, text.index(piece[0], start))


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    if _plainly_ends(text, match.start(), match.end()):
        return True
    mark = match.group()[0]
    if mark in "。！？":
        return True
    following = _following(text, match.end())
    if "\n" in match.group() and _line_ends(text, start, match, following):
        return True
    if mark in "\n:" or not following:
        return False
    if mark == "?":
        # "Will I die?" he asks.
        return not (following.islower() and len(match.group().rstrip()) > 1)
    return not following.islower() and (mark != "." or not _is_inner_dot(text, start, match))


def _plainly_ends(text: str, mark: int, following: int) -> bool:
    """The common case, seen at a glance: a full stop after a word and before a capital."""
    if text[mark] != "." or not text[following : following + 1].isupper():
        return False
    before = text[mark - _TAIL : mark] if mark >= _TAIL else ""
    return before.islower() and before.isalpha() and before not in _TAILS


def _following(text: str, position: int) -> str:
    """The first character of what comes next, past opening quotes and brackets."""
    ahead = text[position : position + 3].lstrip(OPENING)
    return ahead[:1]


def _line_ends(text: str, start: int, match: re.Match[str], following: str) -> bool:
    if match.group().count("\n") > 1:
        return True
    line_start = max(start, text.rfind("\n", start, match.start()) + 1)
    return not following.islower() and match.start() - line_start < WRAPPED_LINE


def _is_inner_dot(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether the dot belongs to an abbreviation, an initial or a list number rather than to the sentence."""
    near = text[max(start, match.start() - _NEAR) : match.start()]
    before = near.split()
    if not before:
        return True
    token = before[-1].lstrip(OPENING)
    if match.start() - start <= 4 and len(before) == 1 and token.isalnum() and _is_label(token):
        return True
    return _is_abbreviation(token, before, _following_word(text, match.end()))


def _is_label(token: str) -> bool:
    """The "1" of "1. Fever", the "IV" of "IV. Cough"."""
    return token.isdigit() or len(token) == 1 or not token.strip("IVX")


def _following_word(text: str, position: int) -> str:
    ahead = text[position : position + _NEAR].lstrip(OPENING)
    word = _FIRST_WORD.match(ahead)
    return word.group() if word else ahead[:1]


def _is_abbreviation(token: str, before: list[str], following: str) -> bool:
    lower = token.lower()
    if lower in _INNER:
        return True
    if lower in _BEFORE_NUMBERS:
        return following.isdigit()
    if lower in _UNDECIDED or "." in token or _is_initial(token, before):
        return following.lower() not in _OPENERS
    return False


def _is_initial(token: str, before: list[str]) -> bool:
    """ "John F. Kennedy", but not "hepatitis B. Blood cultures grow ..."."""
    if len(token) != 1 or not token.isupper():
        return False
    return len(before) == 1 or before[-2][:1].isupper()


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
