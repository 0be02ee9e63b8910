"""The goals of the built-in extractor, on data that nobody here wrote. Alone: `python -m bench.eval.legos`.

Courses of Tatoeba pairs, each half of the pairs by itself (open: looked at while the cutter was written; closed: not),
and all of them; LEGOs against links that people made; damaged cuts; cuts that were labelled blind; multi-word verbs.
"""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, product
from pathlib import Path
from random import Random
from zlib import crc32

from bench.eval import alignment
from bench.eval.lego_labels import label_rows, mark
from burnish.core.json_bytes import loads
from burnish.kinds.legos.cutter import CourseCutter
from burnish.kinds.legos.evidence import CourseEvidence, HabitCounter, Habits, learn
from burnish.kinds.legos.model import Lego, Seed, words_of
from burnish.kinds.legos.phrases import AlignedSeed, Languages
from burnish.kinds.legos.placement import Sentence, guarantees, spans_of
from burnish.kinds.legos.policy import ACCEPT
from burnish.kinds.legos.resources import Terms
from burnish.kinds.legos.rule_review import review

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "data"
MARKED, PAIRS = Path("legos/streusle_dev.jsonl"), Path("translation/tatoeba_eng_mkd_dev.tsv")
BLOCKS = (
    (("I want to", "quiero"), ("I'm going to", "voy a"), ("I have to", "tengo que"), ("can you", "puedes"),
     ("I'd like to", "me gustaría")),
    (("speak Spanish", "hablar español"), ("drink coffee", "tomar café"), ("go to the beach", "ir a la playa"),
     ("read this book", "leer este libro"), ("learn something new", "aprender algo nuevo")),
    (("with you", "contigo"), ("tomorrow", "mañana"), ("this evening", "esta tarde"), ("now", "ahora")),
)  # fmt: skip
COURSES = {"mkd": "mkd_for_eng", "spa": "spa_for_eng", "rus": "rus_for_eng"}
CONSISTENT = {"bg": 0.88, "ru": 0.80, "es": 0.90}
WHOLE_VERBS = {"contiguous": 0.95, "split": 0.80}
DRAWN = 300
"""SEEDs of a course whose cuts are damaged."""


@dataclass(frozen=True)
class Course:
    """A course that was cut."""

    terms: Terms
    evidence: CourseEvidence
    seeds: Sequence[Seed]
    habits: Habits

    def score(self, seed: Seed) -> float:
        return review(seed, self.terms.profile, self.habits, self.terms.rule, self.evidence).overall


def missing(data: Path) -> Iterator[Path]:
    """Files that are not there."""
    yield from (path for path in (MARKED, PAIRS) if not (data / path).is_file())


def read_pairs(path: Path) -> list[tuple[str, str]]:
    rows = (line.split("\t")[:2] for line in path.read_text(encoding="utf-8").splitlines())
    return [(source, target) for source, target in rows]


def cut_course(pairs: Sequence[tuple[str, str]], code: str = "mkd_for_eng") -> Course:
    """Everything that the extractor does without a model."""
    terms = Terms(course_code=code)
    bare = [Seed(f"C{number:04}", "", source, target, code) for number, (source, target) in enumerate(pairs)]
    evidence = CourseEvidence(learn(bare, terms.languages, terms.rule), terms.languages)
    seeds = [evidence.built_in_cut(seed, terms.rule) for seed in bare]
    counter = HabitCounter()
    for seed in seeds:
        words = words_of(seed.source)
        counter.add(words, spans_of(words, seed.legos))
    return Course(terms, evidence, seeds, counter.habits())


def halves(pairs: Sequence[tuple[str, str]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The open half, the closed one, and all."""
    yield "open", [pair for pair in pairs if crc32(pair[0].encode()) % 2 == 0]
    yield "closed", [pair for pair in pairs if crc32(pair[0].encode()) % 2]
    yield "all", list(pairs)


def course_row(name: str, course: Course) -> tuple[str, bool]:
    """SEEDs left whole, words covered, LEGOs met twice, scores, and broken guarantees."""
    keys = [[(lego.source.lower(), lego.target.lower()) for lego in seed.legos] for seed in course.seeds]
    used = Counter(key for one in keys for key in set(one))
    shared = [used[key] > 1 for one in keys for key in one]
    sizes = [(len(words_of(seed.source)), len(seed.legos) == 1) for seed in course.seeds]
    long = statistics.fmean(whole for size, whole in sizes if size > 6)
    middle = statistics.fmean(whole for size, whole in sizes if size in (5, 6))
    source, target = _covered(course)
    broken = sum(bool(guarantees(seed, course.terms.profile, course.terms.rule)) for seed in course.seeds)
    scores = [course.score(seed) for seed in course.seeds]
    good = long < 0.05 and middle < 0.35 and source >= 0.97 and target >= 0.95 and not broken
    good = good and (statistics.fmean(shared) >= 0.30 or len(course.seeds) < 2_000)
    accepted = statistics.fmean(score >= ACCEPT for score in scores)
    return (
        f"  {name:<11} {len(course.seeds):>5} {long:>7.1%} {middle:>7.1%} {source:>7.1%} {target:>7.1%} "
        f"{statistics.fmean(shared):>7.1%} {len(used):>7,} {statistics.fmean(scores):>6.2f} {accepted:>7.1%} "
        f"{broken:>6}  {mark(good)}"
    ), good


def _covered(course: Course) -> tuple[float, float]:
    """The share of source words in a LEGO, and that of target words with a link."""
    source, target = [], []
    for seed in course.seeds:
        words, held = words_of(seed.source), [(lego.start, lego.end) for lego in seed.legos]
        source += [any(start <= word.start < end for start, end in held) for word in words]
        there = Sentence(seed.target)
        inside = {place for lego in seed.legos for place in there.inside(lego.target_start, lego.target_end)}
        target += [place in inside for place in {other for _, other in course.evidence.links(seed)}]
    return statistics.fmean(source), statistics.fmean(target)


# -- damage


def damaged(seed: Seed, dice: Random) -> Iterator[tuple[str, Seed]]:
    """The cut of a SEED made worse in the ways that a score has to see."""
    legos, words, target_words = seed.legos, words_of(seed.source), words_of(seed.target)
    place = dice.randrange(len(legos) - 1)
    one, other = legos[place], legos[place + 1]
    if one.target != other.target:
        both = _with_target(one, other), _with_target(other, one)
        yield "exchanged", replace(seed, legos=(*legos[:place], *both, *legos[place + 2 :]))
    ends = [sum(word.start < lego.target_end for word in target_words) for lego in legos]
    starts = [sum(word.start < lego.target_start for word in target_words) for lego in legos]
    if max(ends) < len(target_words) or len(legos) > 1:
        moved = [
            _half(seed, lego, min(first + 1, len(target_words) - 1), min(end + 1, len(target_words)))
            for lego, first, end in zip(legos, starts, ends, strict=True)
        ]
        yield "shifted", replace(seed, legos=tuple(moved))
    if len(words) > 4:
        yield "whole", replace(seed, legos=(Lego(seed.source, seed.target, 0, len(seed.source), 0, len(seed.target)),))
    if len(words) > len(legos) and len(target_words) >= len(legos):
        cuts = [0, *sorted(dice.sample(range(1, len(words)), len(legos) - 1)), len(words)]
        theirs = [0, *sorted(dice.sample(range(1, len(target_words)), len(legos) - 1)), len(target_words)]
        parts = zip(pairwise(cuts), pairwise(theirs), strict=True)
        drawn = tuple(_half(seed, _part(seed, first, end), low, high) for (first, end), (low, high) in parts)
        if drawn != tuple(replace(lego, confidence=1.0) for lego in legos):
            yield "random", replace(seed, legos=drawn)
        across = [place * len(target_words) // len(words) for place in range(len(words))]
        single = (_half(seed, _part(seed, n, n + 1), at, at + 1) for n, at in enumerate(across))
        yield "words", replace(seed, legos=tuple(single))


def _with_target(lego: Lego, other: Lego) -> Lego:
    return replace(lego, target=other.target, target_start=other.target_start, target_end=other.target_end)


def _part(seed: Seed, first: int, end: int) -> Lego:
    words = words_of(seed.source)
    start, stop = words[first].start, words[end - 1].end
    return Lego(seed.source[start:stop], "", start, stop, 0, 0)


def _half(seed: Seed, lego: Lego, low: int, high: int) -> Lego:
    words = words_of(seed.target)
    start, stop = words[low].start, words[max(low, high - 1)].end
    return replace(lego, target=seed.target[start:stop], target_start=start, target_end=stop)


def damage_row(name: str, course: Course) -> tuple[str, bool]:
    """For each damage how many cuts score as high as the sound one."""
    dice, high, all_of_them = Random(4), Counter[str](), Counter[str]()
    cut = [seed for seed in course.seeds if len(seed.legos) > 1]
    for seed in dice.sample(cut, min(DRAWN, len(cut))):
        own = course.score(seed)
        for damage, wrong in damaged(seed, dice):
            all_of_them[damage] += 1
            high[damage] += course.score(wrong) >= own
    good = all(high[damage] < 0.05 * count for damage, count in all_of_them.items())
    told = "  ".join(f"{damage} {high[damage] / count:.1%}" for damage, count in sorted(all_of_them.items()))
    return f"  {name:<11} {told}  {mark(good)}", good


# -- links that people made


def gold_rows(data: Path) -> tuple[list[str], bool]:
    """LEGOs that no link of people leaves, over SEEDs cut in two or more; and how many are right at each confidence."""
    lines, kept = [f"  {'pairs':<7} {'LEGOs':>6} {'right':>7} {'cut':>6}  limit"], True
    sure: list[tuple[float, bool]] = []
    for language, limit in CONSISTENT.items():
        measured = alignment.gold(data, language)
        known = read_pairs(data / f"translation/tatoeba_eng_{alignment.LANGUAGES[language]}_dev.tsv")
        code = f"{alignment.LANGUAGES[language]}_for_eng"
        course = cut_course([*known, *((one.source, one.target) for one in measured)], code)
        found: list[bool] = []
        cut = [seed for seed in course.seeds[len(known) :] if len(seed.legos) > 1]
        for seed, one in zip(course.seeds[len(known) :], measured, strict=True):
            if len(seed.legos) > 1:
                right = [_is_right(seed, lego, alignment.word_links(one)) for lego in seed.legos]
                sure += zip((lego.confidence for lego in seed.legos), right, strict=True)
                found += right
        share = statistics.fmean(found)
        kept = kept and share >= limit
        row = f"  en-{language:<4} {len(found):>6} {share:>7.1%} {len(cut) / len(measured):>6.0%}"
        lines.append(f"{row}  {limit:.0%} {mark(share >= limit)}")
    for low, high in pairwise((0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 1.01)):
        those = [right for confidence, right in sure if low <= confidence < high]
        if those:
            lines.append(
                f"  confidence {low:.2f}-{min(high, 1):.2f}: {statistics.fmean(those):.0%} of {len(those)} right"
            )
    return lines, kept


def _is_right(seed: Seed, lego: Lego, links: Sequence[tuple[int, int]]) -> bool:
    source = Sentence(seed.source).inside(lego.start, lego.end)
    target = Sentence(seed.target).inside(lego.target_start, lego.target_end)
    return not any((one in source) != (other in target) for one, other in links)


# -- blocks


def block_row() -> tuple[list[str], bool]:
    """How many LEGOs a course needs that is made of fourteen blocks: 90 SEEDs."""
    pairs = [tuple(" ".join(half) for half in zip(*blocks, strict=True)) for blocks in product(*BLOCKS)]
    course = cut_course([(one, other) for one, other in Random(2).sample(pairs, 90)], "spa_for_eng")
    needed = len({(lego.source, lego.target) for seed in course.seeds for lego in seed.legos})
    return [f"  {needed} distinct LEGOs, limit 25 {mark(needed <= 25)}"], needed <= 25


# -- multi-word verbs


def verb_rows(data: Path) -> tuple[list[str], bool]:
    """Verbs of several words that people marked, and whether a LEGO holds all of each. English alone: every word says
    itself."""
    rows = [loads(line) for line in (data / MARKED).read_bytes().splitlines()]
    terms = Terms(course_code="mkd_for_eng")
    languages = Languages(terms.profile)
    sentences = [
        AlignedSeed(row["text"], row["text"], {(n, n): 1.0 for n in range(len(words_of(row["text"])))}, languages)
        for row in rows
    ]
    held: dict[str, list[bool]] = {name: [] for name in WHOLE_VERBS}
    for row, sentence, cut in zip(rows, sentences, CourseCutter(sentences, terms.rule).cuts(), strict=True):
        starts = _starts(row["text"], row["words"])
        for unit in row["multiword"]:
            if unit["category"].startswith("V"):
                tokens = unit["tokens"]
                at = [sum(word.end <= starts[token - 1] for word in sentence.words) for token in tokens]
                name = "split" if tokens[-1] - tokens[0] >= len(tokens) else "contiguous"
                held[name].append(any(one.first <= min(at) and max(at) < one.end for one in cut))
    lines, kept = [], True
    for name, limit in WHOLE_VERBS.items():
        share = statistics.fmean(held[name])
        kept = kept and share >= limit
        lines.append(
            f"  {name:<11} {sum(held[name])} of {len(held[name])} whole, limit {limit:.0%} {mark(share >= limit)}"
        )
    return lines, kept


def _starts(text: str, tokens: Sequence[str]) -> list[int]:
    """Where each token begins in the text."""
    places, end = [], 0
    for token in tokens:
        start = text.find(token, end)
        start = end if start == -1 else start
        places.append(start)
        end = start + len(token)
    return places


def report(data: Path) -> tuple[list[str], bool]:
    """The tables, and whether every limit is kept."""
    lines = ["Courses: left whole (seven words and more, five and six), words covered, occurrences met in two SEEDs"]
    lines.append("  course      SEEDs      7+     5-6  source  target   twice distinct  score accept. broken  verdict")
    damages, verdicts, courses = [], [], {}
    for language, code in COURSES.items():
        for half, pairs in halves(read_pairs(data / f"translation/tatoeba_eng_{language}_dev.tsv")):
            courses[language] = course = cut_course(pairs, code)
            row, good = course_row(f"{language} {half}", course)
            damage, caught = damage_row(f"{language} {half}", course)
            lines.append(row)
            damages.append(damage)
            verdicts += [good, caught]
    parts = {
        "Damaged cuts that score as high as the sound one, limit 5 %": (damages, True),
        "LEGOs that no link of people leaves": gold_rows(data),
        "Labels": label_rows(courses),
        "A course of 14 blocks": block_row(),
        "Multi-word verbs": verb_rows(data),
    }
    for title, (rows, good) in parts.items():
        lines += ["", title, *rows]
        verdicts.append(good)
    return lines, all(verdicts)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.eval.legos", description=__doc__)
    parser.add_argument("--data", type=Path, default=DEFAULT, help="the folder with legos/ and translation/")
    lines, kept = report(parser.parse_args().data)
    print("\n".join(lines))
    return 0 if kept else 1


if __name__ == "__main__":
    raise SystemExit(main())
