"""Units behind numbers, as a dimension and a size, so that `500 ml`, `0.5 L` and "half a litre" in any of its spellings
can be compared.

The words for units are those of `numbers.toml`; symbols are read with their prefixes (`mmol/L`, `kPa`, `m/s²`).
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from burnish.languages.numbers import unit_named
from burnish.languages.words import word_set

SECONDS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
SIZES: dict[str, tuple[str, float]] = {
    **{name: ("m", size) for name, size in {"km": 1e3, "m": 1.0, "cm": 1e-2, "mm": 1e-3}.items()},
    **{name: ("m", size) for name, size in {"mile": 1609.344, "foot": 0.3048, "inch": 0.0254, "yard": 0.9144}.items()},
    **{name: ("g", size) for name, size in {"kg": 1e3, "g": 1.0, "mg": 1e-3, "µg": 1e-6, "tonne": 1e6}.items()},
    **{name: ("L", size) for name, size in {"litre": 1.0, "ml": 1e-3}.items()},
    **{name: ("s", size) for name, size in SECONDS.items()},
    "month": ("month", 1.0),
    "year": ("month", 12.0),
}
"""Unit of `numbers.toml` -> its dimension and size; units that are not here are dimensions of their own."""
PREFIXES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "d": 1e-1, "c": 1e-2, "m": 1e-3, "n": 1e-9, "p": 1e-12}
PREFIXES |= dict.fromkeys("µμu", 1e-6)
BASES = word_set(
    "g m L l s mol Hz W J V A Pa N B bit b Eq eq Osm osm cal K Ω F C T Bq Sv Gy U IU eV bar M H lx lm ohm Wh"
)
SAME = {"l": "L", "eq": "Eq", "osm": "Osm", "ohm": "Ω", "b": "bit", "U": "IU"}
SHORT = {
    "min": ("s", 60.0),
    "mins": ("s", 60.0),
    "sec": ("s", 1.0),
    "secs": ("s", 1.0),
    "second": ("s", 1.0),
    "h": ("s", 3600.0),
    "hr": ("s", 3600.0),
    "hrs": ("s", 3600.0),
    "yr": ("month", 12.0),
    "yrs": ("month", 12.0),
    "wk": ("s", 604800.0),
    "wks": ("s", 604800.0),
    "cc": ("L", 1e-3),
    "mcg": ("g", 1e-6),
    "‰": ("per mille", 1.0),
    "°": ("degree", 1.0),
    "degree": ("degree", 1.0),
    "degrees": ("degree", 1.0),
    "mmhg": ("mmHg", 1.0),
    "bpm": ("bpm", 1.0),
    "mph": ("mph", 1.0),
    "rpm": ("rpm", 1.0),
    "ppm": ("ppm", 1.0),
}
SPELT_PREFIX = re.compile(
    r"(?P<M>mega|méga|мега)|(?P<k>kilo|quilo|chilo|кило|кіло)|(?P<d>deci|dezi|déci|deca|деци)|(?P<c>centi|zenti|senti|сант[иі])"
    r"|(?P<m>mill?i|mili|милли|мілі|мили)|(?P<u>micro|mikro|микро|мікро)|(?P<n>nano|нано)|(?P<G>giga|гига|гіга)"
)
SPELT_BASES = {
    "mole": "mol",
    "moles": "mol",
    "equivalent": "Eq",
    "equivalents": "Eq",
    "joule": "J",
    "joules": "J",
    "watt": "W",
    "watts": "W",
    "volt": "V",
    "volts": "V",
    "ampere": "A",
    "amperes": "A",
    "amps": "A",
    "hertz": "Hz",
    "newton": "N",
    "newtons": "N",
    "pascal": "Pa",
    "pascals": "Pa",
    "byte": "B",
    "bytes": "B",
    "bits": "bit",
    "calorie": "cal",
    "calories": "cal",
    "kelvin": "K",
    "ohms": "Ω",
    "units": "IU",
    "second": "s",
    "seconds": "s",
}
_ATOM = (
    r"(?:[%％‰€$£¥₽₹]|°\s?[CFcf]?|mm\s?Hg|个月|か月|ヶ月|[\u4e00-\u9fff\u30a0-\u30ff]{1,6}|[\u0900-\u0963]+"
    r"|[A-Za-zµμ]+(?=[\u3040-\u9fff])|[^\W\d_]+)"
)
_POWER = r"(?:\^?[-−]?[23])?"
_OVER = r"(?:/|·|\*|\b(?:per|pro|por|par|а|на|в)\b)"
UNIT = re.compile(
    rf"[ \u00a0\u202f-]{{0,2}}(?P<first>{_ATOM}{_POWER})(?P<rest>(?:\s?{_OVER}\s?{_ATOM}{_POWER}){{0,3}})"
)
_PART = re.compile(rf"\s?(?P<sign>{_OVER})\s?(?P<atom>{_ATOM})(?P<power>{_POWER})")
_FIRST = re.compile(rf"(?P<atom>{_ATOM})(?P<power>{_POWER})$")
BEFORE = re.compile(r"([€$£¥₽₹])\s?[-−]?$")


class Unit(NamedTuple):
    """A unit as it is written behind a number."""

    dimension: str
    """What can be compared: `g`, `g/L`, `m`, `euro`."""
    size: float
    """In the dimension's own unit."""
    written: str
    end: int
    """Where the number with its unit ends."""


def unit_of_number(prose: str, start: int, end: int) -> Unit | None:
    """The unit of the number at `start` to `end`; None if none stands beside it."""
    before = BEFORE.search(prose, max(0, start - 3), start)
    if before is not None:
        return Unit(unit_named(before[1]) or before[1], 1.0, before[1], end)
    match = UNIT.match(prose, end, end + 60)
    first = _FIRST.match(match["first"]) if match is not None else None
    if match is None or first is None:
        return None
    known = _atom(first["atom"])
    if known is None:
        return None
    dimension, size = _raised(known, first["power"])
    stop = match.end("first")
    for part in _PART.finditer(prose, stop, match.end()):
        known = _atom(part["atom"])
        if known is None or part.start() != stop:
            break
        name, factor = _raised(known, part["power"])
        over = part["sign"] not in "·*"
        dimension, size, stop = (
            f"{dimension}{'/' if over else '·'}{name}",
            size / factor if over else size * factor,
            part.end(),
        )
    return Unit(dimension, size, prose[end:stop].strip(" \u00a0\u202f-"), stop)


def _raised(known: tuple[str, float], power: str) -> tuple[str, float]:
    digits = power.lstrip("^")
    if not digits:
        return known
    exponent = int(digits.replace("−", "-"))
    return f"{known[0]}{exponent}", float(known[1] ** exponent)


@cache
def _atom(written: str) -> tuple[str, float] | None:
    bare = written.replace(" ", "").replace("\u00a0", "")
    symbol = _symbol(bare)
    if symbol is not None:
        return symbol
    lower = bare.lower()
    if lower in SHORT:
        return SHORT[lower]
    name = unit_named(bare)
    if name is not None:
        return SIZES.get(name, (name, 1.0))
    prefix = SPELT_PREFIX.match(lower)
    if prefix is not None and prefix.lastgroup is not None:
        rest = lower[prefix.end() :]
        base = SPELT_BASES.get(rest) or unit_named(rest)
        if base is not None:
            dimension, size = SIZES.get(base, (base, 1.0))
            return dimension, size * PREFIXES[prefix.lastgroup]
    base = SPELT_BASES.get(lower)
    return (base, 1.0) if base is not None else None


def _symbol(bare: str) -> tuple[str, float] | None:
    if bare in BASES:
        return SAME.get(bare, bare), 1.0
    if bare[:1] in PREFIXES and bare[1:] in BASES and bare not in ("pm", "am", "Pm", "mb"):
        return SAME.get(bare[1:], bare[1:]), PREFIXES[bare[0]]
    return None
