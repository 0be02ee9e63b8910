"""The built-in extractor on data that nobody here wrote. Alone: `python -m bench.eval.legos [--data DIR] [--shown N]`.

Multi-word verbs that people marked (English only, so the source is cut alone), a whole course from English to
Macedonian, the same course with its SEEDs in another order, and with target halves exchanged between neighbours, which
has to be doubted.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from random import Random

import orjson

from burnish.kinds.legos.cuts import Linked, cut, first_habits
from burnish.kinds.legos.habits import HabitCounter
from burnish.kinds.legos.iron_rule import IronRule
from burnish.kinds.legos.model import DIMENSIONS, Lego, Seed, words_of
from burnish.kinds.legos.pieces import spans_of
from burnish.kinds.legos.placement import doubtful, guarantees
from burnish.kinds.legos.policy import ACCEPT
from burnish.kinds.legos.rule_review import Review, review
from burnish.languages.alignment import Links, align
from burnish.languages.profiles import LanguageProfile, profile_of

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"
MARKED, PAIRS = Path("legos/streusle_dev.jsonl"), Path("translation/tatoeba_eng_mkd_dev.tsv")
WHOLE = {"contiguous": 0.95, "split": 0.80}
"""How many of the multi-word verbs have to be kept whole."""
DOUBTED, DOUBTED_OWN = 0.95, 0.02
"""How many cuts with exchanged halves have to be doubted, and how many of the extractor's own SEEDs may be."""
MEAN = 8.0
"""What the mean score of a course has to reach."""
RULE = IronRule()
_LARGE = 7
"""Sizes from here on are counted together."""


@dataclass(frozen=True, slots=True)
class Marked:
    """A multi-word verb that people marked, and whether a LEGO holds all of it."""

    text: str
    is_split: bool
    is_whole: bool


@dataclass(frozen=True)
class Course:
    """A course that was cut and reviewed."""

    seeds: Sequence[Seed]
    reviews: Sequence[Review]
    seconds: float
    links: Sequence[Links]
    """Which words say the same, for every SEED."""


def missing(data: Path) -> Iterator[Path]:
    """Files that are not there."""
    yield from (path for path in (MARKED, PAIRS) if not (data / path).is_file())


def english() -> LanguageProfile:
    profile = profile_of("en")
    assert profile is not None
    return profile


# -- multi-word verbs


def marked_verbs(data: Path) -> Iterator[Marked]:
    """The multi-word verbs that people marked, each with what the extractor does to it."""
    profile = english()
    for line in (data / MARKED).read_bytes().splitlines():
        row = orjson.loads(line)
        words = words_of(row["text"])
        found = cut(words, None, row["text"], "", (), profile, None, RULE)
        places = _places(row["text"], row["words"])
        for unit in row["multiword"]:
            if unit["category"].startswith("V"):
                tokens = unit["tokens"]
                at = [places[token - 1] for token in tokens if places[token - 1] is not None]
                whole = any(lego.start <= min(at) and max(at) < lego.end for lego in found.legos)
                yield Marked(unit["text"], tokens[-1] - tokens[0] >= len(tokens), whole)


def _places(text: str, tokens: Sequence[str]) -> list[int]:
    """Where each token begins in the text."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        start = end if start == -1 else start
        places.append(start)
        end = start + len(token)
    return places


def verb_table(data: Path) -> tuple[list[str], bool]:
    verbs = list(marked_verbs(data))
    lines = [f"{'multi-word verbs':<20} {'all':>5} {'whole':>6} {'share':>7}  limit"]
    kept = True
    for name, limit in WHOLE.items():
        those = [verb for verb in verbs if verb.is_split == (name == "split")]
        share = sum(verb.is_whole for verb in those) / max(1, len(those))
        kept = kept and share >= limit
        whole = sum(verb.is_whole for verb in those)
        lines.append(f"{name:<20} {len(those):>5} {whole:>6} {share:>7.1%}  {limit:.0%} {_mark(share >= limit)}")
    torn = [verb.text for verb in verbs if not verb.is_whole]
    return [*lines, f"torn: {', '.join(torn) or 'none'}"], kept


# -- a course


def cut_course(pairs: Sequence[tuple[str, str]], code: str = "mkd_for_eng") -> Course:
    """Everything that the extractor does without a model: words aligned, habits learned, all cut, all reviewed."""
    profile = english()
    begun = time.process_time()
    words = [(words_of(source), words_of(target)) for source, target in pairs]
    links = align([([one.bare for one in source], [one.bare for one in target]) for source, target in words])
    linked = [Linked(*both, found, *pair) for both, found, pair in zip(words, links, pairs, strict=True)]
    habits = first_habits(linked, profile, RULE)
    counter = HabitCounter()
    seeds = []
    for number, ((source, target), one) in enumerate(zip(pairs, linked, strict=True), start=1):
        made = cut(one.words, one.target_words, source, target, one.links, profile, habits, RULE)
        seeds.append(Seed(f"C{number:04}", "", source, target, code, made.legos, made.uncovered))
        counter.add(one.words, spans_of(one.words, made.legos))
    found = counter.habits()
    reviews = [review(seed, profile, found, RULE) for seed in seeds]
    return Course(seeds, reviews, time.process_time() - begun, links)


def read_pairs(path: Path) -> list[tuple[str, str]]:
    rows = (line.split("\t")[:2] for line in path.read_text(encoding="utf-8").splitlines())
    return [(source, target) for source, target in rows]


def broken(seed: Seed) -> Iterator[str]:
    """Every invariant that the LEGOs of a SEED break."""
    yield from guarantees(seed, english(), RULE)
    starts = [lego.start for lego in seed.legos]
    if starts != sorted(starts):
        yield "numbering does not follow the sentence"


def course_table(course: Course) -> tuple[list[str], bool]:
    overall = [one.overall for one in course.reviews]
    faults = [(seed, fault) for seed in course.seeds for fault in broken(seed)]
    mean = statistics.fmean(overall)
    kept = not faults and mean >= MEAN
    accepted = sum(score >= ACCEPT for score in overall) / len(overall)
    lines = [
        f"SEEDs                        {len(course.seeds):>8,}   {course.seconds:.1f} s of processor time",
        f"LEGOs                        {sum(len(seed.legos) for seed in course.seeds):>8,}",
        f"broken invariants            {len(faults):>8,}   limit 0 {_mark(not faults)}",
        f"mean score                   {mean:>8.2f}   limit {MEAN:.1f} {_mark(mean >= MEAN)}",
        f"accepted at first attempt    {accepted:>8.1%}",
        f"lowest score                 {min(overall):>8.1f}",
        f"uncovered words              {sum(len(seed.uncovered) for seed in course.seeds):>8,}",
        *(f"  {name:<26} {statistics.fmean(one.scores[name] for one in course.reviews):>8.2f}" for name in DIMENSIONS),
        f"sizes in words               {_sizes(course)}",
        f"concerns                     {_concerns(course)}",
        *(f"broken: {seed.source!r}: {fault}" for seed, fault in faults[:5]),
    ]
    return lines, kept


def _sizes(course: Course) -> str:
    sizes = Counter(min(len(words_of(lego.source)), _LARGE) for seed in course.seeds for lego in seed.legos)
    all_of_them = max(1, sizes.total())
    return "  ".join(
        f"{size}{'+' if size == _LARGE else ''}: {sizes[size] / all_of_them:.0%}" for size in range(1, _LARGE + 1)
    )


def _concerns(course: Course) -> str:
    counted = Counter(concern.concern_id for one in course.reviews for concern in one.concerns)
    return ", ".join(f"{name} {count}" for name, count in counted.most_common()) or "none"


# -- the order of SEEDs


def order_table(course: Course) -> tuple[list[str], bool]:
    """The same course with its SEEDs shuffled: which scores change."""
    order = list(range(len(course.seeds)))
    Random(5).shuffle(order)
    pairs = [(course.seeds[place].source, course.seeds[place].target) for place in order]
    again = cut_course(pairs)
    cuts = changed = 0
    for now, place in enumerate(order):
        before, after = course.reviews[place], again.reviews[now]
        cuts += course.seeds[place].legos != again.seeds[now].legos
        changed += any(before.scores[name] != after.scores[name] for name in DIMENSIONS if name != "consistency")
    rescored = _rescored(course)
    kept = not rescored
    return [
        f"SEEDs shuffled: scores of the four dimensions that change, same cuts  {rescored:>6} {_mark(kept)}",
        f"the whole course cut again in that order: other cuts                 {cuts:>6}",
        f"the whole course cut again in that order: other scores               {changed:>6}",
    ], kept


def _rescored(course: Course) -> int:
    """How many SEEDs score otherwise in a dimension that looks at one SEED if half of the course is not there."""
    profile = english()
    counter = HabitCounter()
    for seed in course.seeds[::-2]:
        words = words_of(seed.source)
        counter.add(words, spans_of(words, seed.legos))
    habits = counter.habits()
    other = [replace(seed, id=f"C{number:04}") for number, seed in enumerate(reversed(course.seeds), start=1)]
    reviews = [review(seed, profile, habits, RULE) for seed in other][::-1]
    return sum(
        any(one.scores[name] != two.scores[name] for name in DIMENSIONS if name != "consistency")
        for one, two in zip(course.reviews, reviews, strict=True)
    )


# -- doubts


def doubt_table(course: Course) -> tuple[list[str], bool]:
    """How many SEEDs are doubted as they are cut, and with the target halves of two neighbours exchanged."""
    pairs = list(zip(course.seeds, course.links, strict=True))
    own = sum(bool(doubtful(seed, links)) for seed, links in pairs) / len(pairs)
    wrong = [bool(doubtful(other, links)) for seed, links in pairs for other in exchanged(seed)]
    caught = sum(wrong) / max(1, len(wrong))
    kept = own <= DOUBTED_OWN and caught >= DOUBTED
    return [
        f"doubted as cut               {own:>8.2%}   limit {DOUBTED_OWN:.0%} {_mark(own <= DOUBTED_OWN)}",
        f"doubted, halves exchanged    {caught:>8.2%}   limit {DOUBTED:.0%} {_mark(caught >= DOUBTED)}"
        f"   of {len(wrong):,} exchanges",
    ], kept


def exchanged(seed: Seed) -> Iterator[Seed]:
    """The SEED with the target halves of two neighbouring LEGOs exchanged, for every two that differ."""
    for place, (one, other) in enumerate(pairwise(seed.legos)):
        if one.target != other.target:
            both = _with_target_of(one, other), _with_target_of(other, one)
            yield replace(seed, legos=(*seed.legos[:place], *both, *seed.legos[place + 2 :]))


def _with_target_of(lego: Lego, other: Lego) -> Lego:
    return replace(lego, target=other.target, target_start=other.target_start, target_end=other.target_end)


def _mark(good: bool) -> str:
    return "PASS" if good else "FAIL"


def report(data: Path) -> tuple[list[str], bool]:
    """The tables, and whether every limit is kept."""
    verbs, verbs_kept = verb_table(data)
    course = cut_course(read_pairs(data / PAIRS))
    cuts, cuts_kept = course_table(course)
    order, order_kept = order_table(course)
    doubts, doubts_kept = doubt_table(course)
    titles = ("Multi-word verbs, English alone", "English to Macedonian", "The order of SEEDs", "Doubts")
    parts = zip(titles, (verbs, cuts, order, doubts), strict=True)
    lines = [line for title, part in parts for line in (title, *part, "")]
    return lines[:-1], verbs_kept and cuts_kept and order_kept and doubts_kept


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.legos", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="the folder with legos/ and translation/")
    parser.add_argument("--shown", type=int, default=0, help="show so many SEEDs as they are cut")
    options = parser.parse_args()
    lines, kept = report(options.data)
    print("\n".join(lines))
    if options.shown:
        course = cut_course(read_pairs(options.data / PAIRS))
        for place in sorted(Random(7).sample(range(len(course.seeds)), options.shown)):
            seed = course.seeds[place]
            print(f"{course.reviews[place].overall:4.1f}  {seed.source}")
            print("".join(f"        {lego.source}  =  {lego.target}\n" for lego in seed.legos), end="")
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
