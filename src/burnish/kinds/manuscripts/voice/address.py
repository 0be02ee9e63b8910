"""How the reader is addressed: as a friend or with respect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

import regex

from burnish.languages.sentences import sentences
from burnish.languages.slips import Slip
from burnish.text.markdown import Markdown

Manner = Literal["familiar", "polite"]
OTHER: dict[Manner, Manner] = {"familiar": "polite", "polite": "familiar"}


class Address(NamedTuple):
    """The words by which one language addresses."""

    familiar: regex.Pattern[str]
    polite: regex.Pattern[str]
    sure: bool
    """Whether the polite words address nobody else: French `vous` may be several friends."""


def _words(listed: str, *, inside: bool = False) -> regex.Pattern[str]:
    """`inside`: with a capital that no beginning of a sentence explains."""
    forms = "|".join(listed.split())
    if inside:
        return regex.compile(rf"(?<=[\p{{Ll}}\p{{N}},;] )(?:{forms})(?![\p{{L}}'’])")
    return regex.compile(rf"(?<![\p{{L}}'’-])(?:{forms})(?![\p{{L}}'’])", regex.IGNORECASE)


ADDRESSES: dict[str, Address] = {
    "es": Address(_words("tú ti contigo tu tus te"), _words("usted"), True),
    "fr": Address(_words("tu toi te tes ta"), _words("vous votre vos"), False),
    "de": Address(
        _words("du dich dir dein deine deinen deinem deiner deines"),
        _words("Sie Ihnen Ihr Ihre Ihren Ihrem Ihrer Ihres", inside=True),
        True,
    ),
    "ru": Address(
        _words("ты тебя тебе тобой твой твоя твоё твои твоего твоей твоих твоему твою"),
        _words("Вы Вас Вам Вами Ваш Ваша Ваше Ваши Вашего Вашей Ваших Вашу", inside=True),
        True,
    ),
    "mk": Address(
        _words("тебе твој твоја твое твои твојот твојата твоето твоите"),
        _words("Вие Вас Ви Вам Ваш Ваша", inside=True),
        True,
    ),
    "pt": Address(_words("tu ti teu tua teus tuas contigo"), _words("você vocês"), False),
    "it": Address(_words("tu te ti tuo tua tuoi tue"), _words("Lei Suo Sua Suoi Sue", inside=True), True),
}
JUDGED = tuple(ADDRESSES)
SPEECH = regex.compile(r"[\"“”„«»‘]|(?:^|\n)\s*[—–-]\s")
"""Where people speak, each of them may address another in another manner."""


def manners(view: Markdown, language: str) -> dict[Manner, tuple[int, int]]:
    """The manners of a text, and where each is met first."""
    address = ADDRESSES[language]
    patterns: dict[Manner, regex.Pattern[str]] = {"familiar": address.familiar, "polite": address.polite}
    return {manner: found.span() for manner, pattern in patterns.items() if (found := pattern.search(view.prose))}


def misaddressed(view: Markdown, source: Markdown, languages: tuple[str, str]) -> Iterator[Slip]:
    """Two manners in one text, or another one than in the source."""
    if languages[1] not in ADDRESSES:
        return
    ours = manners(view, languages[1])
    theirs = manners(source, languages[0]) if languages[0] in ADDRESSES else {}
    if len(ours) == 2:
        if len(theirs) < 2:
            yield from _mixed(view, ours, languages[1])
    elif len(theirs) == 1 and ours and ours.keys() != theirs.keys():
        [(manner, span)] = ours.items()
        message = f"The source addresses its reader in the {OTHER[manner]} manner, the translation in the {manner} one."
        yield Slip(*span, message, "Keep the manner of the source.", severity="warning")


def _mixed(view: Markdown, ours: dict[Manner, tuple[int, int]], language: str) -> Iterator[Slip]:
    start, end = max(ours.values())
    first = view.text[slice(*min(ours.values()))]
    in_one_breath = ADDRESSES[language].sure and not SPEECH.search(view.prose) and _in_one_sentence(view, language)
    yield Slip(
        start,
        end,
        f"The reader is addressed in two manners: {first!r} and {view.text[start:end]!r}.",
        "Address the reader in one manner.",
        severity="error" if in_one_breath else "warning",
    )


def _in_one_sentence(view: Markdown, language: str) -> bool:
    address = ADDRESSES[language]
    return any(
        address.familiar.search(sentence.text) and address.polite.search(sentence.text)
        for sentence in sentences(view.prose)
    )
