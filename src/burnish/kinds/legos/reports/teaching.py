"""teaching_order.json: every distinct LEGO that may be taught, once, in the order in which a learner meets them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from burnish.languages.words import bare


def teaching_order(legos: Iterable[Mapping[str, Any]], taught: Collection[str]) -> dict[str, Any]:
    """LEGO records -> the order. The same LEGO: both halves the same, whatever their capitals.

    A learner goes from SEED to SEED by number, and through a SEED by the position of its LEGOs. `taught`: uuids
    of the translations that are accepted and that nobody is asked to look at. LEGOs of others are only counted.
    """
    met: dict[tuple[str, str], dict[str, Any]] = {}
    others: set[tuple[str, str]] = set()
    seeds: dict[str, int] = {}
    for lego in sorted(legos, key=_place):
        key = bare(lego["source"]), bare(lego["target"])
        if lego["source_translation_uuid"] not in taught:
            others.add(key)
            continue
        seed = seeds.setdefault(lego["source_seed_id"], len(seeds) + 1)
        row = met.setdefault(key, _row(lego, seed, len(met) + 1))
        row["times_met"] += 1
    return {"count": len(met), "left_out": len(others - met.keys()), "legos": list(met.values())}


def _place(lego: Mapping[str, Any]) -> tuple[int, int, str]:
    """`S44L2` -> (44, 2), and the uuid, so that even a name given twice has its place."""
    seed, _, position = lego["provenance"][1:].partition("L")
    return int(seed), int(position), lego["uuid"]


def _row(lego: Mapping[str, Any], seed: int, position: int) -> dict[str, Any]:
    return {
        "position": position,
        "uuid": lego["uuid"],
        "provenance": lego["provenance"],
        "source": lego["source"],
        "target": lego["target"],
        "seed_id": lego["source_seed_id"],
        "first_met": seed,
        "times_met": 0,
    }
