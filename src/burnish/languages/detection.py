"""Which language a text is written in.

Scripts and function words decide the clear cases in microseconds. Only what they leave open goes to a statistical
model, which takes a second and 75 MB to load: an English bank never pays for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from math import log
from typing import Any

from burnish.languages.words import word_list, word_set

LONGEST_READ, LONGEST_WEIGHED = 300, 1500
"""Characters that are read for words, and that the statistical model is given: more tells nothing new."""

SHORTEST_READ = 4
"""Letters without which nothing can be told."""

CLEAR = 1.0
"""Words or letters of its own that a language must be ahead of any other; shared ones count in part."""

CERTAIN, SUPPORTED = 0.5, 0.3
"""Probability from which the statistical model is believed, alone and where the function words say the same."""

_LEAST = 1e-30
"""A probability of which the model keeps nothing but a nought."""

_NON_LATIN = re.compile(r"[\u0370-\u1cff\u2c80-\u2dff\u3040-\ud7ff]")
_SCRIPTS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("zgh", re.compile(r"[\u2d30-\u2d7f]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("hy", re.compile(r"[\u0530-\u058f]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("ka", re.compile(r"[\u10a0-\u10ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)
"""Scripts that one language, or one above all, is written in. Kana before Han: Japanese is written in both."""

_FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": word_set(
        """
        the of and is are was were be been being to in for with that this these those which what who whose
        whom when where why how from by at as it its an or if not he she his her him they their them you your
        we our us my me has have had does do did can could will would should may might must than then there
        between because after before during about into over under up down out off through against without
        within among per on both none neither above below all any each some such no only other more less least
        most likely following statement statements true false correct find compute calculate evaluate
        determine solve simplify write express called known used defined example number value approximately
        equal due caused occurs increase decrease increased decreased i'm i've don't doesn't didn't isn't
        can't it's that's let's very just like am make makes one two three never always i'll you're
        """
    ),
    "es": word_set(
        """
        el la los las de del y en que es un una por con para no se su al lo como más pero sus le ya o este sí
        porque esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos durante ni
        contra otros ese eso ante ellos e esto mí antes algunos qué unos he has han hemos yo otro cuál cuáles
        siguiente siguientes son está era fue ha tiene mi tu te
        """
    ),
    "fr": word_set(
        """
        le la les de des du et en que est un une pour avec dans par sur ne pas plus se ce cette ces il elle
        ils elles nous vous je tu son sa ses leur leurs au aux ou où qui quoi quel quelle quels quelles
        suivantes suivants mais si être avoir fait sont était a été comme tout tous bien sans c'est d'un d'une
        qu'il n'est
        """
    ),
    "de": word_set(
        """
        der die das den dem des und ist sind war waren ein eine einen einem einer eines nicht mit von zu auf
        für im in an bei aus nach wie wird werden hat haben ich du er sie es wir ihr sich auch als am oder
        aber wenn dass was wer welche welcher welches folgenden kann nur noch über unter vor durch zum zur
        kein keine mein dein sein
        """
    ),
    "pt": word_set(
        """
        o a os as de do da dos das e em no na nos nas que é um uma por com para não se seu sua ao à mais mas
        como foi são ou quando muito já eu também só pelo pela até isso ela entre depois sem mesmo aos ter
        seus quem me esse eles está você tinha foram essa num nem suas meu qual quais seguintes às minha têm
        """
    ),
    "it": word_set(
        """
        il lo la i gli le di del della dei delle e è un una uno in che per con non si su da dal dalla al alla
        nel nella come più ma sono era ha hanno questo questa questi quale quali cosa chi dove quando perché
        se anche io tu lui lei noi mi ti ci suo sua essere stato ogni tra fra molto seguenti
        """
    ),
    "nl": word_set(
        """
        de het een en van in is dat op te zijn met voor niet aan er om die dan ook als bij of door uit nog
        naar heeft hebben wordt worden was waren ik jij je hij zij ze we wij wat welke welk wie waar hoe kan
        kunnen deze dit maar over geen volgende tot mijn haar
        """
    ),
    "pl": word_set(
        "i w nie na się z do jest to że jak za co czy od po o tak ale jego jej są który która które przez dla"
    ),
    "cs": word_set(
        "a je v na se že s z do to jako za by který která které pro jsou ale není byl jeho po si co kdo tak"
    ),
    "ro": word_set(
        "și în de la cu pe nu este sunt un o din care pentru că se mai al ale ca lui ce au fost prin sau dintre"
    ),
    "sv": word_set(
        "och att det är en ett som på för av med inte den till jag har om han hon de var vi från vad vilken"
    ),
    "da": word_set("og at det er en et som på for af med ikke den til jeg har om han hun de var vi fra hvad hvilken"),
    "tr": word_set(
        "ve bir bu için ile da de ne çok olarak daha değil gibi kadar hangisi aşağıdakilerden olan var mi mı"
    ),
    "id": word_set("yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke adalah oleh mana berikut"),
    "ru": word_set(
        """
        и в не на что с как это по но из у за то от так же для вы он она они мы я ты был была было быть есть
        его её их если или при только ещё меня мне тебя чтобы какой какая какие который которая которые
        следующих нет да когда где кто все уже очень
        """
    ),
    "uk": word_set(
        "і в не на що з як це по але із у за то від так же для ви він вона вони ми я ти був була є його її або"
    ),
    "bg": word_set(
        """
        и в не на се да е са за от с по като че ще това тази този той тя те ние аз ти беше има как какво кой
        коя кои който или но ли си го му ѝ ги съм сте няма много ми във със при така къде кога защо
        """
    ),
    "mk": word_set(
        """
        и во не на се да е за од со што ќе како но тоа оваа овој ова тој таа тие ние јас ти беше има кој која
        кои или си го му ѝ ги ја сум сме сте бил до ли нема многу ми по при каде кога зошто сакам дека
        """
    ),
    "sr": word_set(
        "и у не на се да је за од са што као али то ова овај он она они ми ја ти био има како ко који или сам су"
    ),
    "kab": word_set(
        """
        ur ara ad n d s i deg seg ɣef ɣer ger yal win tin wid tid kra acu anwa anta ayen akken maca yella
        tella llan imi dayen netta nettat nekk kečč kemm d-iri mačči nni agi
        """
    ),
}
_LETTERS: dict[str, str] = {
    letter: language
    for language, letters in {
        "es": "ñ¿¡",
        "pt": "ãõ",
        "de": "ß",
        "pl": "łżśź",
        "cs": "řěů",
        "ro": "țșţ",
        "tr": "ğış",
        "da": "æø",
        "sv": "å",
        "ru": "ыэё",
        "uk": "іїєґ",
        "bg": "ъ",
        "mk": "ѓќѕ",
        "sr": "ђћ",
        "kab": "ɣɛḥṭẓḍṣṛǧγε",
    }.items()
    for letter in letters
}
"""Letters that give a language away among those written in the same script."""

_LANGUAGES_OF: dict[str, tuple[str, ...]] = {
    word: tuple(language for language, listed in _FUNCTION_WORDS.items() if word in listed)
    for word in frozenset().union(*_FUNCTION_WORDS.values())
    # One Latin letter is a symbol or an option's label as often as a word.
    if len(word) > 1 or not word.isascii()
}


_VOTES: dict[str, tuple[tuple[str, float], ...]] = {
    word: tuple((language, 1 / len(languages)) for language in languages) for word, languages in _LANGUAGES_OF.items()
}
"""What a word speaks for, and how strongly: one vote, shared by all languages that have the word."""

KNOWN = frozenset(_FUNCTION_WORDS)
"""Languages that can be told by their function words."""


def votes(lower_words: list[str]) -> dict[str, float]:
    """Language -> votes of the function words among these."""
    scores: dict[str, float] = {}
    for word in lower_words:
        for language, share in _VOTES.get(word, ()):
            scores[language] = scores.get(language, 0.0) + share
    return scores


def weighed(text: str) -> tuple[str, float]:
    """The language that the statistical model sees, and how probable it is."""
    return _model()(text[:LONGEST_WEIGHED])


def language_of(text: str) -> str | None:
    """The ISO 639 code of the text's language (two letters where there is one), or None where it cannot be told."""
    text = text[:LONGEST_WEIGHED].strip()
    clear, best = _clear(text)
    return clear or _by_statistics(text, best)


def clear_language(text: str) -> str | None:
    """The same, but only where script or function words tell: quick, and never in need of the statistical model."""
    return _clear(text[:LONGEST_WEIGHED].strip())[0]


def may_be(text: str, language: str) -> bool:
    """Whether a text that is too short to tell may be taken for `language`, because all around it is written in that.

    Only where nothing speaks for another language: no function word, and of the languages that are known well none
    is more probable. A text without words is in no language, so it can be taken for any.
    """
    text = text[:LONGEST_WEIGHED].strip()
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return True
    scores = dict(_by_words_and_letters(text[:LONGEST_READ].lower()))
    if language not in KNOWN or max(scores.values()) > scores.get(language, 0.0):
        return False
    ranked: list[tuple[str, float]] = _identifier().rank(text)
    return next(name for name, _ in ranked if name in KNOWN) == language


def leaning(text: str, language: str, other: str) -> float:
    """By how much the statistical model takes a text for `language` rather than for `other`, as a logarithm of odds.

    0 where it knows one of them not: a word or two tell between two languages what they never tell among a hundred.
    """
    probability: dict[str, float] = dict(_identifier().rank(text[:LONGEST_WEIGHED]))
    if language not in probability or other not in probability:
        return 0.0
    return log(max(probability[language], _LEAST) / max(probability[other], _LEAST))


def _clear(text: str) -> tuple[str | None, str]:
    """The language that script or words tell, if they do; and the one that words and letters speak for most."""
    if not text.isascii():
        script = _by_script(text)
        if script is not None:
            return script, script
    ranked = _by_words_and_letters(text[:LONGEST_READ].lower())
    (best, score), (_, second) = ranked[0], ranked[1]
    return best if score - second >= CLEAR and score >= 2 * second else None, best


def _by_script(text: str) -> str | None:
    """The language whose script most letters of the text have, if one language has that script."""
    foreign = len(_NON_LATIN.findall(text))
    if foreign == 0 or foreign * 2 < sum(map(str.isalpha, text)):
        return None
    for language, script in _SCRIPTS:
        found = len(script.findall(text))
        if found * (4 if language == "ja" else 2) > foreign:
            return language
    return None


def _by_words_and_letters(lower: str) -> list[tuple[str, float]]:
    """Languages with the words and letters that only they, or few others, use. Best first; at least two."""
    scores: dict[str, float] = {"": 0.0, "und": 0.0}
    for votes in filter(None, map(_VOTES.get, word_list(lower))):
        for language, share in votes:
            scores[language] = scores.get(language, 0.0) + share
    if not lower.isascii():
        for letter in _LETTERS.keys() & set(lower):
            language = _LETTERS[letter]
            scores[language] = scores.get(language, 0.0) + 1
    return sorted(scores.items(), key=lambda item: -item[1])


def _by_statistics(text: str, expected: str) -> str | None:
    if sum(map(str.isalpha, text)) < SHORTEST_READ:
        return None
    language, probability = _model()(text)
    return language if probability >= (SUPPORTED if language == expected else CERTAIN) else None


def _model() -> Callable[[str], tuple[str, float]]:
    classify: Callable[[str], tuple[str, float]] = _identifier().classify
    return classify


@cache
def _identifier() -> Any:
    """The statistical model. Loaded on first use and kept: most texts never need it."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # type: ignore[import-untyped]

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
