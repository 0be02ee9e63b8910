"""Finding the bilingual lexicon for two languages.

Those that come with Burnish lie in `data/lexicons`, one for English and each of 26 languages; the command
`burnish lexicon build` learns others. Two languages of which none is English are compared through English.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import Any

from burnish.languages.lexicon import Lexicon, load, pruned
from burnish.languages.tables import DATA

FOLDER = DATA / "lexicons"
GOOD_AUC = 0.97
"""A lexicon that tells sound pairs from others less well than this may warn, and never stop anything."""


@lru_cache(maxsize=8)
def lexicon_for(source: str, target: str, own: Lexicon | None = None) -> Lexicon | None:
    """The lexicon for two languages: the user's own first, then ours, then one through English; None without any."""
    ours = _shipped(source, target) or _through_english(source, target)
    if own is None or {own.source, own.target} != {source, target}:
        return ours
    mine = own if own.source == source else own.reversed
    return mine if ours is None else _first_one_then_other(mine, ours)


@lru_cache(maxsize=8)
def _shipped(source: str, target: str) -> Lexicon | None:
    if "en" not in (source, target):
        return None
    path = FOLDER / f"en-{target if source == 'en' else source}.gz"
    if not path.is_file():
        return None
    found = load(path)
    return found if source == "en" else found.reversed


def _through_english(source: str, target: str) -> Lexicon | None:
    """Links of two languages that share an English word. Nothing was measured on their pairs, so it only warns."""
    here, there = _shipped(source, "en"), _shipped("en", target)
    if here is None or there is None or source == target:
        return None
    links: dict[tuple[str, str], float] = defaultdict(float)
    for word, row in here.links.items():
        for english, count in row.items():
            shares = there.links.get(english, {})
            for other, again in shares.items():
                links[word, other] += count * again / there.source_words[english]
    kept = pruned(((one, other, count) for (one, other), count in links.items()), here.source_words, there.target_words)
    about: dict[str, Any] = {name: min(here.about[name], there.about[name]) for name in ("mean", "spread", "unrelated")}
    about |= {name: here.about[name] + there.about[name] for name in ("length", "length_spread")}
    about["shares"] = [here.about["shares"][0] * there.about["shares"][0]] * 2
    about |= {"auc": 0.0, "through": "en"}
    ends = here.source_ends, there.target_ends
    return Lexicon(source, target, here.source_words, there.target_words, kept, about, *ends)


def _first_one_then_other(mine: Lexicon, ours: Lexicon) -> Lexicon:
    """What the first knows of a word counts; the second speaks for the words that the first never met."""
    rows = {word: row for word, row in ours.links.items() if word not in mine.source_words}
    # What was measured of the better one holds for both: words are only added to it.
    about = max(ours.about, mine.about, key=lambda figures: figures["auc"])
    return Lexicon(
        mine.source,
        mine.target,
        {**ours.source_words, **mine.source_words},
        {**ours.target_words, **mine.target_words},
        {**rows, **mine.links},
        {name: value for name, value in about.items() if name != "through"},
        {**ours.source_ends, **mine.source_ends},
        {**ours.target_ends, **mine.target_ends},
    )


def is_trusted(lexicon: Lexicon) -> bool:
    """Whether it was measured to tell sound pairs from others well enough to stop something."""
    return float(lexicon.about.get("auc", 0.0)) >= GOOD_AUC


def how_words_are_compared(source: str, target: str, own: Lexicon | None = None) -> str | None:
    """What a reader of a report must know about the lexicon of two languages; None where it is good enough."""
    lexicon = lexicon_for(source, target, own)
    if source == target or (lexicon is not None and is_trusted(lexicon)):
        return None
    if lexicon is None:
        return f"no lexicon for {source!r} and {target!r}, so words are not compared"
    if lexicon.about.get("through"):
        return f"compared through English, because there is no lexicon for {source!r} and {target!r}; this only warns"
    return f"the lexicon for {source!r} and {target!r} is not good enough to stop anything; it only warns"
