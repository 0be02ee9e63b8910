"""What languages call countries, cities, languages and scripts: the names of Unicode's CLDR.

They lie in `data/cldr.zip`, which `python -m bench.cldr_table` writes: `about.json` with the version of CLDR and all
codes, and a text for each locale with one name a line, in the order of the codes. A line is empty if there is no name.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple
from zipfile import ZipFile

from burnish.languages.tables import DATA

FILE = DATA / "cldr.zip"


class LocaleNames(NamedTuple):
    """Names in one language, by their codes."""

    territories: Mapping[str, str]
    """Of countries (`DE`), continents and regions (`150`)."""
    cities: Mapping[str, str]
    """Of the cities that time zones are named after (`Europe/Moscow`)."""
    languages: Mapping[str, str]
    scripts: Mapping[str, str]
    """By ISO 15924 code: `Cyrl`."""


@cache
def about() -> Mapping[str, Any]:
    """`cldr`: its version; `codes`: the codes of each field of LocaleNames, in order; `locales`: language -> its text;
    `official`: territory -> its official languages."""
    with ZipFile(FILE) as packed:
        facts: dict[str, Any] = json.loads(packed.read("about.json"))
    return facts


@cache
def locale_names(language: str) -> LocaleNames | None:
    """The names that a language uses; None if CLDR does not have it. `language`: a code of two or three letters, or
    `zh_Hant`."""
    member = about()["locales"].get(language)
    if member is None:
        return None
    with ZipFile(FILE) as packed:
        lines = iter(packed.read(member).decode().split("\n"))
    codes = (about()["codes"][field] for field in LocaleNames._fields)
    return LocaleNames(*({code: name for code in of_one for name in [next(lines)] if name} for of_one in codes))


def official_languages(territory: str) -> Sequence[str]:
    """The codes of the languages that are official in a territory, by law or in fact."""
    listed: Sequence[str] = about()["official"].get(territory, ())
    return listed
