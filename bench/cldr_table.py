"""Writes `src/burnish/languages/data/cldr.zip` from Babel, which carries the locale data of Unicode's CLDR (33 MB).

    python -m bench.cldr_table

Needed only when a new CLDR is wanted: install a newer Babel, run this, read what the tests of translations say, and
name the version in `src/burnish/languages/data/README.md`.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from babel import Locale, UnknownLocaleError
from babel.core import get_cldr_version, get_global
from babel.languages import get_official_languages
from babel.localedata import locale_identifiers

from burnish.languages.locale_names import FILE, LocaleNames

FURTHER = "zh_Hant"
"""The one locale that is asked for by language and script."""
ALL_ZONES = "ru"
"""A locale that names every time zone; English leaves out those whose name is the zone's own."""


def main() -> None:
    members = built()
    packed = io.BytesIO()
    with ZipFile(packed, "w") as file:
        for name, text in members.items():
            # Without the time of day the same data give the same file.
            file.writestr(ZipInfo(name), text, ZIP_DEFLATED, compresslevel=9)
    FILE.write_bytes(packed.getvalue())
    print(f"{FILE}: CLDR {get_cldr_version()}, {len(members) - 1} locales, {len(packed.getvalue()):,} bytes")


def built() -> dict[str, str]:
    """Member of the file -> its text."""
    locales = {word: locale for word in words() if (locale := locale_of(word)) is not None}
    names = {str(locale): names_in(locale) for locale in locales.values()}
    codes = {
        field: sorted({code for one in names.values() for code in getattr(one, field)}) for field in LocaleNames._fields
    }
    codes["cities"] = sorted(Locale.parse(ALL_ZONES).time_zones)
    texts: dict[str, str] = {}  # text -> the first locale that has it: most regions speak as their language does
    members = {locale: f"{texts.setdefault(_text(one, codes), locale)}.txt" for locale, one in names.items()}
    about = {
        "cldr": str(get_cldr_version()),
        "codes": codes,
        "locales": {word: members[str(locale)] for word, locale in locales.items()},
        "official": {
            code: listed
            for code in codes["territories"]
            if (listed := list(get_official_languages(code, de_facto=True)))
        },
    }
    return {
        "about.json": json.dumps(about, indent=1, sort_keys=True) + "\n",
        **{f"{locale}.txt": text for text, locale in texts.items()},
    }


def words() -> list[str]:
    """Every word that names a language, or did."""
    known = {*locale_identifiers(), *get_global("language_aliases"), *get_global("likely_subtags")}
    return sorted(word for word in known if word.isalpha() or word == FURTHER)


def locale_of(word: str) -> Locale | None:
    """The locale that Babel takes a word for."""
    try:
        return Locale.parse(word)
    except (UnknownLocaleError, ValueError):
        return None


def names_in(locale: Locale) -> LocaleNames:
    cities = {zone: facts["city"] for zone, facts in locale.time_zones.items() if "city" in facts}
    return LocaleNames(*map(_plain, (locale.territories, cities, locale.languages, locale.scripts)))


def _plain(names: Mapping[Any, Any]) -> dict[str, str]:
    return {str(code): str(name) for code, name in names.items() if name}


def _text(names: LocaleNames, codes: Mapping[str, list[str]]) -> str:
    lines = [getattr(names, field).get(code, "") for field in LocaleNames._fields for code in codes[field]]
    if any("\n" in line for line in lines):
        raise ValueError("A name with a line break does not fit into this table.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
