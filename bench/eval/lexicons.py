"""The bilingual lexicons on pairs they were not learned from: Tatoeba's dev sets, and news and a lesson, other kinds of
text.

Alone: `python -m bench.eval.lexicons [--data DIR]`. `--build` learns all of them anew from `translation/lexicon_train`
into src/burnish/languages/data/lexicons: that is how the ones that come with Burnish were made. The AUC that decides
whether one may stop something is the least that was measured: on the tenth kept apart, and on each of these sets.
"""

from __future__ import annotations

import argparse
import gzip
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from burnish.core.json_bytes import loads
from burnish.kinds.manuscripts.block_fit import pairs as pairs_of
from burnish.kinds.manuscripts.model import Paragraph
from burnish.languages.alignment import area, learned
from burnish.languages.counterparts import SURE, floor
from burnish.languages.detection import primary_tag
from burnish.languages.lexicon import FOLDER, Lexicon, lexicon_for, load

TRAINED = Path("translation/lexicon_train")
NEWS = Path("translation/demetr_sound_dev.jsonl")
MANY = Path("translation/tatoeba_many_dev.tsv")
LESSON = Path("lessons/many")
FEWEST_LETTERS = 40
"""Of a paragraph of the lesson; headings say too little."""
SINGLE = ("bul", "kab", "mkd", "rus", "spa")
MOST = 500
"""Pairs of a set that are looked at."""
BEST, GOOD = 0.99, 0.97
NAMES = {"chinese_simple": "zh"}

Pairs = list[tuple[str, str]]


def missing(data: Path) -> list[Path]:
    return [path for path in (NEWS, MANY, LESSON) if not (data / path).exists()]


def report(data: Path) -> tuple[list[str], bool]:
    """One line a language and set: AUC against other texts of it, and what is stopped at the lexicon's own floor."""
    lines = ["own translation against another's, by the lexicon alone; false alarms and stops at its own floor", ""]
    best, good, seen = set(), set(), set()
    others: dict[str, Pairs] = defaultdict(list)
    for language, name, pairs in (*_sets(data), *_lesson(data)):
        lexicon = lexicon_for("en", language)
        if lexicon is None:
            continue
        seen.add(language)
        others[language] += pairs if name != "tatoeba" else []
        auc, alarms, stopped = measured(lexicon, pairs)
        lines.append(
            f"  {language:<4} {name:<8} n {len(pairs):<4} AUC {auc:.3f}   sound pairs stopped {alarms:6.1%}"
            f"   exchanged pairs stopped {stopped:6.1%}"
        )
        best |= {language} if auc >= BEST else set()
        good |= {language} if auc >= GOOD else set()
    for path in sorted(FOLDER.glob("*.gz")):
        lexicon = load(path)
        if lexicon.target not in seen:
            auc = lexicon.about["auc"]
            lines.append(f"  {lexicon.target:<4} no set of its own: AUC {auc:.3f} on the tenth kept apart")
            best |= {lexicon.target} if auc >= BEST else set()
            good |= {lexicon.target} if auc >= GOOD else set()
    reached = len(best) >= 12 and len(good) >= 18
    lines.append("")
    verdict = "reached" if reached else "NOT REACHED"
    lines.append(f"  AUC {BEST} in {len(best)} languages (goal 12), {GOOD} in {len(good)} (goal 18): {verdict}")
    figures = [
        measured(lexicon, some)[0] for code, some in others.items() if some and (lexicon := lexicon_for("en", code))
    ]
    apart = [sum(auc >= line for auc in figures) for line in (BEST, GOOD)]
    lines.append(
        f"  on text of another kind alone (news and lesson together): {BEST} in {apart[0]} and {GOOD} in {apart[1]} of"
        f" {len(figures)} languages that have any"
    )
    return lines, reached


def measured(lexicon: Lexicon, pairs: Pairs) -> tuple[float, float, float]:
    """AUC, the share of sound pairs below the floor, and of pairs with texts from elsewhere in the set."""
    own = [lexicon.compare(*pair) for pair in pairs]
    # Sets are sorted, so that neighbours are alike: texts are taken from far away.
    strange = [
        lexicon.compare(pair[0], pairs[number - 1 - len(pairs) // part][1])
        for number, pair in enumerate(pairs)
        for part in (2, 3, 5)
    ]
    sides = [[(one.score, one.looked_at) for one in some if one.score is not None] for some in (own, strange)]
    higher, lower = (np.array([score for score, _ in side]) for side in sides)
    alarms, stopped = (float(np.mean([score < floor(lexicon, count, SURE) for score, count in side])) for side in sides)
    return area(higher, lower), alarms, stopped


def _sets(data: Path) -> Iterator[tuple[str, str, Pairs]]:
    news: dict[str, Pairs] = defaultdict(list)
    for line in (data / NEWS).read_bytes().splitlines():
        row = loads(line)
        language = NAMES.get(row["lang"]) or primary_tag(row["lang"]) or row["lang"]
        news[language].append((row["translation"], row["source"]))
    sentences: dict[str, Pairs] = defaultdict(list)
    for code, english, other in _rows(data / MANY):
        sentences[primary_tag(code) or code].append((english, other))
    for code in SINGLE:
        path = data / f"translation/tatoeba_eng_{code}_dev.tsv"
        sentences[primary_tag(code) or code] = [(row[0], row[1]) for row in _rows(path)][:: max(1, 3000 // MOST)]
    for name, sets in (("news", news), ("tatoeba", sentences)):
        for language, pairs in sorted(sets.items()):
            yield language, name, pairs


def _lesson(data: Path) -> Iterator[tuple[str, str, Pairs]]:
    """One lesson in many languages, paired by its paragraphs."""
    english = (data / LESSON / "en.md").read_bytes()
    for path in sorted((data / LESSON).glob("*.md")):
        if path.stem == "en" or lexicon_for("en", path.stem) is None:
            continue
        found = pairs_of(english, path.read_bytes(), ("en", path.stem), ("markdown",) * 2, ("en", path.stem))
        paragraphs = [one for one in found if isinstance(one, Paragraph) and len(one.text) > FEWEST_LETTERS]
        yield path.stem, "lesson", [(one.text, one.translation) for one in paragraphs]


def _rows(path: Path) -> Iterator[Sequence[str]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield line.split("\t")


def build(data: Path) -> None:
    """Learn all lexicons anew."""
    FOLDER.mkdir(exist_ok=True)
    sets: dict[str, list[Pairs]] = defaultdict(list)
    for language, _, pairs in _sets(data):
        sets[language].append(pairs)
    for path in sorted((data / TRAINED).glob("eng_*.tsv.gz")):
        code = path.name.removeprefix("eng_").removesuffix(".tsv.gz")
        language = primary_tag(code) or code
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            pairs = [(row[0], row[1]) for row in (line.rstrip("\n").split("\t") for line in lines)]
        lexicon = learned(pairs, "en", language)
        figures = [lexicon.about["auc"], *(round(measured(lexicon, some)[0], 4) for some in sets[language])]
        target = FOLDER / f"en-{language}.gz"
        target.write_bytes(replace(lexicon, about={**lexicon.about, "auc": min(figures)}).packed())
        print(f"{target.name}: {dict(load(target).about)}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.eval.lexicons", description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[3] / "shared" / "data")
    parser.add_argument("--build", action="store_true")
    given = parser.parse_args()
    if given.build:
        build(given.data)
    print("\n".join(report(given.data)[0]))
