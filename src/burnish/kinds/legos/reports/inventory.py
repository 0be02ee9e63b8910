"""The learner's path through a course: the order of SEEDs, the new LEGOs of each, and how often LEGOs are repeated.

Pure functions, linear in the course. A SEED counts if it is accepted and no review is requested.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any, Literal

from burnish.kinds.legos.model import words_of
from burnish.languages.words import bare

Order = Literal["fewest_new", "course"]
"""The order of SEEDs: next the one with the fewest new LEGOs, or by their numbers in the course."""
Key = tuple[str, str]
"""A distinct LEGO: both halves, ignoring case."""
REVIEWS = (1, 2, 4, 8, 16, 32)
"""The numbers of SEEDs after which a LEGO is repeated, one for each time that it was met."""
MOST_REVIEWS = 5
"""The most LEGOs repeated before one SEED; the longest overdue come first."""


@dataclass(frozen=True, slots=True)
class TaughtSeed:
    """A SEED with its distinct LEGOs, in the order of the sentence."""

    id: str
    source: str
    target: str
    legos: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Taught:
    """The part of a course that is ready to be taught."""

    seeds: tuple[TaughtSeed, ...]
    """In the order of the course."""
    records: Mapping[Key, Mapping[str, Any]]
    """The first record in the course of each distinct LEGO."""
    left_out: int
    """Distinct LEGOs that are only in other SEEDs."""


def taught_seeds(
    translations: Mapping[str, Mapping[str, Any]], legos: Iterable[Mapping[str, Any]], ready: Collection[str]
) -> Taught:
    """`translations` by uuid; `ready`: uuids of those that may be taught."""
    records: dict[Key, Mapping[str, Any]] = {}
    others: set[Key] = set()
    cuts: dict[str, dict[Key, None]] = {}
    for lego in sorted(legos, key=_place):
        key = bare(lego["source"]), bare(lego["target"])
        uuid = lego["source_translation_uuid"]
        if uuid not in ready:
            others.add(key)
            continue
        records.setdefault(key, lego)
        cuts.setdefault(uuid, {})[key] = None
    seeds = tuple(
        TaughtSeed(str(seed["seed_id"]), str(seed["source"]), str(seed["target"]), tuple(keys))
        for uuid, keys in cuts.items()
        for seed in (translations[uuid],)
    )
    return Taught(seeds, records, len(others - records.keys()))


def _place(lego: Mapping[str, Any]) -> tuple[int, int, str]:
    """`S44L2` -> (44, 2), and the uuid, so that a repeated name still has a definite place."""
    seed, _, position = lego["provenance"][1:].partition("L")
    return int(seed), int(position), lego["uuid"]


def in_order(cuts: Sequence[Sequence[Hashable]], order: Order) -> list[int]:
    """The order of cuts for a learner, as indexes: next is the cut with the fewest new parts, then the earlier one.

    Of two with as many new parts, one whose parts other SEEDs also need comes first: it makes more SEEDs accessible.
    """
    if order == "course":
        return list(range(len(cuts)))
    holders: defaultdict[Hashable, list[int]] = defaultdict(list)
    for place, cut in enumerate(cuts):
        for part in set(cut):
            holders[part].append(place)
    new = [len(set(cut)) for cut in cuts]
    use = [-sum(len(holders[part]) for part in set(cut)) / max(len(set(cut)), 1) for cut in cuts]
    heap = [(count, use[place], place) for place, count in enumerate(new)]
    heapify(heap)
    known: set[Hashable] = set()
    taken: list[int] = []
    done = [False] * len(cuts)
    while heap:
        count, _, place = heappop(heap)
        if done[place] or count != new[place]:
            continue  # an outdated entry of a SEED that now has fewer new parts
        done[place] = True
        taken.append(place)
        for part in set(cuts[place]) - known:
            known.add(part)
            for other in holders[part]:
                new[other] -= 1
                if not done[other]:
                    heappush(heap, (new[other], use[other], other))
    return taken


def teaching_order(taught: Taught, order: Order = "fewest_new") -> dict[str, Any]:
    """SEEDs and LEGOs in the order of teaching. A LEGO `opens` the SEEDs of which it is the last new one."""
    met = Counter(key for seed in taught.seeds for key in seed.legos)
    positions: dict[Key, int] = {}
    rows: list[dict[str, Any]] = []
    seeds: list[dict[str, Any]] = []
    for number, place in enumerate(in_order([seed.legos for seed in taught.seeds], order), start=1):
        seed = taught.seeds[place]
        new = [key for key in seed.legos if key not in positions]
        for key in new:
            positions[key] = len(positions) + 1
            rows.append(_lego_row(taught.records[key], seed.id, number, positions[key], met[key]))
        last = max(positions[key] for key in seed.legos)
        rows[last - 1]["opens"].append(seed.id)
        seeds.append(
            {
                "position": number,
                "seed_id": seed.id,
                "source": seed.source,
                "target": seed.target,
                "new_legos": [positions[key] for key in new],
                "known_legos": [positions[key] for key in seed.legos if key not in new],
            }
        )
    return {"order": order, "count": len(rows), "left_out": taught.left_out, "legos": rows, "seeds": seeds}


def _lego_row(lego: Mapping[str, Any], seed: str, first_met: int, position: int, times: int) -> dict[str, Any]:
    return {
        "position": position,
        "uuid": lego["uuid"],
        "provenance": lego["provenance"],
        "source": lego["source"],
        "target": lego["target"],
        "seed_id": seed,
        "first_met": first_met,
        "times_met": times,
        "opens": [],
    }


def reuse_figures(taught: Taught, order: Order = "fewest_new") -> dict[str, dict[str, Any]]:
    """How often LEGOs are reused, compared with the same SEEDs cut word by word and left whole.

    Words are compared by their source half only, which favours them: one word can need several translations.
    """
    cuts: dict[str, list[tuple[Hashable, ...]]] = {
        "course": [seed.legos for seed in taught.seeds],
        "word_by_word": [
            tuple(dict.fromkeys(bare(word.text) for word in words_of(seed.source))) for seed in taught.seeds
        ],
        "whole_sentences": [((bare(seed.source), bare(seed.target)),) for seed in taught.seeds],
    }
    words = sum(len(words_of(key[0])) for seed in taught.seeds for key in seed.legos)
    lengths = {
        "course": words / max(sum(len(cut) for cut in cuts["course"]), 1),
        "word_by_word": 1.0,
        "whole_sentences": sum(len(words_of(seed.source)) for seed in taught.seeds) / max(len(taught.seeds), 1),
    }
    return {name: _figures(found, order, lengths[name]) for name, found in cuts.items()}


def _figures(cuts: Sequence[Sequence[Hashable]], order: Order, words: float) -> dict[str, Any]:
    met = Counter(part for cut in cuts for part in set(cut))
    again = {part for part, times in met.items() if times > 1}
    known: set[Hashable] = set()
    sayable = 0
    for place in in_order(cuts, order):
        sayable += known.issuperset(cuts[place])
        known.update(cuts[place])
    occurrences = sum(met.values())
    return {
        "distinct": len(met),
        "met_in_two_seeds": len(again),
        "share_met_in_two_seeds": _share(len(again), len(met)),
        "share_of_occurrences_met_in_two_seeds": _share(sum(met[part] for part in again), occurrences),
        "seeds_said_with_known": sayable,
        "new_a_seed": round(len(met) / len(cuts), 2) if cuts else None,
        "words_a_lego": round(words, 2) if cuts else None,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def inventory(order: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every distinct LEGO of a teaching order, the most useful first, with its SEEDs as examples."""
    holders: defaultdict[int, list[dict[str, Any]]] = defaultdict(list)
    for seed in order["seeds"]:
        for position in (*seed["new_legos"], *seed["known_legos"]):
            holders[position].append({name: seed[name] for name in ("seed_id", "source", "target")})
    rows = ({**lego, "seeds": holders[lego["position"]]} for lego in order["legos"])
    return sorted(rows, key=lambda row: (-row["times_met"], row["position"]))


def practice(order: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Spaced repetition: before each SEED the LEGOs that are due, then its new LEGOs, then the SEED itself.

    A LEGO met in a SEED counts as repeated, so LEGOs that the course reuses are seldom repeated separately.
    """
    legos, due, waiting = order["legos"], dict[int, int](), list[tuple[int, int]]()
    stage: Counter[int] = Counter()
    steps: list[dict[str, Any]] = []

    def meet(position: int, now: int) -> None:
        due.pop(position, None)
        if stage[position] < len(REVIEWS):
            due[position] = now + REVIEWS[stage[position]]
            heappush(waiting, (due[position], position))
        stage[position] += 1

    def add(action: str, now: int, row: Mapping[str, Any], provenance: str) -> None:
        texts = {"source": row["source"], "target": row["target"]}
        steps.append({"step": len(steps) + 1, "seed": now, "action": action, "from": provenance, **texts})

    for seed in order["seeds"]:
        now, held = seed["position"], sorted([*seed["new_legos"], *seed["known_legos"]])
        reviewed: list[int] = []
        while waiting and waiting[0][0] <= now and len(reviewed) < MOST_REVIEWS:
            when, position = heappop(waiting)
            if due.get(position) == when and position not in held:
                reviewed.append(position)
                add("review", now, legos[position - 1], legos[position - 1]["provenance"])
        for position in seed["new_legos"]:
            add("new", now, legos[position - 1], legos[position - 1]["provenance"])
        add("say", now, seed, seed["seed_id"])
        for position in (*reviewed, *held):
            meet(position, now)
    return steps
