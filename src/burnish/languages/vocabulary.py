"""Whether a word is an ordinary word of a language, from the dictionaries of simplemma (about fifty languages).

A dictionary is read when its language is first asked for: a tenth of a second for English, three for Polish.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache

SHORTEST_FIRST, SHORTEST_LAST = 3, 4
"""Letters of the parts of a compound."""
LINKING = ("", "s", "n", "en", "es", "-")
"""What stands between them."""
CODES = {"no": "nb", "sr": "hbs", "hr": "hbs", "bs": "hbs"}
NOUNS_WITH_CAPITALS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital, so that a dictionary does not tell their names from other nouns."""


@cache
def _dictionary(language: str) -> Mapping[str, str]:
    """Its words as they are written; empty where there is none. The whole as a dict would take hundreds of MB."""
    from simplemma.strategies import StreamDictionaryFactory

    try:
        return StreamDictionaryFactory(cache_max_size=0).get_dictionary(CODES.get(language, language))
    except ValueError:
        return {}


def has_vocabulary(language: str) -> bool:
    return len(_dictionary(language)) > 0


@lru_cache(maxsize=20_000)
def is_ordinary(word: str, language: str) -> bool:
    """Whether a dictionary has the word in small letters; in German also with a capital, or as a compound."""
    known = _dictionary(language)
    if word.lower() in known:
        return True
    if language not in NOUNS_WITH_CAPITALS:
        return False
    return word in known or _is_compound(word.lower(), known)


@lru_cache(maxsize=20_000)
def is_listed_name(word: str, language: str) -> bool:
    """Whether a dictionary has the word only with a capital: Moscow, Paul, Sagittarius."""
    known = _dictionary(language)
    return word.lower() not in known and word.capitalize() in known


def _is_compound(word: str, known: Mapping[str, str]) -> bool:
    """ "Investitionszäune", "Seemeilen": a noun of the dictionary behind another word of it."""
    return any(
        word[cut:].capitalize() in known and _is_first_part(word[:cut], known)
        for cut in range(SHORTEST_FIRST, len(word) - SHORTEST_LAST + 1)
    )


def _is_first_part(part: str, known: Mapping[str, str]) -> bool:
    bare = (part.removesuffix(link) for link in LINKING if part.endswith(link))
    return any(len(word) >= SHORTEST_FIRST and (word in known or word.capitalize() in known) for word in bare)
