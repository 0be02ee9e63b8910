"""Recorded answers of real models as blind solvers of exam items: which rule on the key puts which items before a
person, how many wrong keys it leaves, and how many models have to be asked.

The items are those of MMLU-Redux, on which experts said whether the key is right; the answers are of ten models of
2024. They carry no confidence, so each rule is shown twice: once as if every solver were sure, and once as if a solver
were sure where two thirds of the models that are not on its panel answer the same. The second is a stand-in, and a kind
one: it knows what the other models think, which a real solver does not.

What was chosen was chosen on the open half of the items; the figures with a verdict are those of the closed half.
"""

from __future__ import annotations

import itertools
import json
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from bench.eval.figures import is_open
from bench.lines import Line, below, beside
from burnish.core.claims import wilson
from burnish.kinds.questions.solvers import KeyStanding, Vote, standing_of

TITLE = "recorded answers of real models as blind solvers, against the labels of experts"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "questions" / "replay_dev.jsonl"
LETTERS = "ABCDEFGHIJ"

Label = Literal["ok", "wrong_key", "unclear"]
WRONG_KEY = {"wrong groundtruth", "no correct answer", "multiple correct answers"}
"""Labels of items whose key is not the one right option. The other labels are about wording."""
SURE = 2 / 3
"""The stand-in for a solver's confidence: the share of the models off its panel that answer the same."""
ENOUGH = 2
"""Answers for the key alone after which the third model is not asked. Chosen on the open half."""
MOST_CALLS = 2.1
"""The goal for the verdict of three models, in calls an item."""
DRAWN = 120
"""Panels of one size, at most; all of them for one, two and three of ten models."""


class Item(NamedTuple):
    """One exam item, the label that experts gave it, and the option that each model chose without seeing the key."""

    id: str
    key: str
    label: Label
    answers: Mapping[str, str | None]
    """None where no answer could be read: a call, but no vote."""


Policy = Callable[[Sequence[Vote], str, int], KeyStanding]
"""Votes, key, seats that are left -> the verdict, or that asking goes on because it can still change."""


def the_rule(enough: int | None = None) -> Policy:
    return lambda votes, key, seats_left: standing_of(votes, key, seats_left, enough)


def until_november(votes: Sequence[Vote], key: str, seats_left: int) -> KeyStanding:
    """The rule until November 2026: an error where two sure models choose the same other option, else a warning, which
    did not keep an item from being accepted. All judges were asked in any case."""
    if seats_left:
        return "keep_asking"
    chosen = Counter(vote.choice for vote in votes if vote.is_sure and vote.choice not in (None, key))
    return "objected" if max(chosen.values(), default=0) >= 2 else "no_objection"


def objections(fewest: int) -> Policy:
    """A rule that counts answers other than the key alone, whatever they are and however sure: from so many on."""

    def counted(votes: Sequence[Vote], key: str, seats_left: int) -> KeyStanding:
        against = sum(bool(vote.against(key)) for vote in votes)
        if against >= fewest:
            return "objected"
        return "keep_asking" if against + seats_left >= fewest else "no_objection"

    return counted


def any_two(votes: Sequence[Vote], key: str, seats_left: int) -> KeyStanding:
    """The rule as it is not: two unsure models object even if they have different things against the key."""
    against = sum(bool(vote.against(key)) for vote in votes)
    return "objected" if against > 1 else standing_of(votes, key, seats_left)


def hear(policy: Policy, answers: Sequence[Vote | None], key: str) -> tuple[KeyStanding, list[Vote], int]:
    """The verdict of models that are asked one after the other, the votes that were heard, and the number of calls."""
    heard: list[Vote] = []
    for calls, answer in enumerate([*answers, None]):
        verdict = policy(heard, key, len(answers) - calls)
        if verdict != "keep_asking":
            return verdict, heard, calls
        heard += [answer] if answer is not None else []
    raise AssertionError("a policy asks on although no seat is left")


class Case(NamedTuple):
    """An item before a panel, reduced to what policies see: the answers in the order of asking."""

    key: str
    label: Label
    answers: tuple[Vote | None, ...]


def cases(items: Sequence[Item], seats: int, *, all_sure: bool, most: int = DRAWN) -> Counter[Case]:
    """Every item before every panel of so many models, or before a draw of them. The order of asking rotates."""
    models = list(items[0].answers)
    panels = list(itertools.combinations(models, seats))
    if len(panels) > most:
        panels = Random(seats).sample(panels, most)
    found: Counter[Case] = Counter()
    for panel in panels:
        orders = list(itertools.islice(itertools.permutations(range(seats)), 6))
        others = [model for model in models if model not in panel]
        for number, item in enumerate(items):
            elsewhere = Counter(item.answers[model] for model in others)
            votes = [
                _vote(str(seat), item.answers[panel[seat]], None if all_sure else elsewhere)
                for seat in orders[number % len(orders)]
            ]
            found[Case(item.key, item.label, tuple(votes))] += 1
    return found


def _vote(model: str, choice: str | None, elsewhere: Counter[str | None] | None) -> Vote | None:
    if choice is None:
        return None
    if elsewhere is None:
        return Vote(model, choice)
    read = elsewhere.total() - elsewhere[None]
    return Vote(model, choice, is_sure=elsewhere[choice] >= SURE * read)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a policy makes of all cases. Shares are means over panels; intervals are over items, of which all panels
    see the same."""

    items: int
    wrong_keys: int
    calls: float
    """An item."""
    waiting: float
    """The share of items that wait for a person."""
    doubtful: float
    """The share that is accepted and says that its key is in doubt."""
    hushed: float
    """The share that is accepted without a word although a sure solver was heard who answers anything but the key."""
    missed: float
    """The share of wrong keys that are accepted."""
    unmarked: float
    """The share of wrong keys that are accepted and not even marked as doubtful."""
    precision: float
    """The share of waiting items whose key is wrong."""
    f1: float
    f1_of_faults: float
    """The same for wrong keys and unclear wording together."""

    @property
    def left(self) -> tuple[float, float, float]:
        """Wrong keys among 1,000 accepted items, and the ends of the 95 % interval."""
        accepted = max(1, round(self.items * (1 - self.waiting)))
        hits = self.missed * self.wrong_keys
        low, high = wilson(hits, accepted)
        return 1000 * hits / accepted, 1000 * low, 1000 * high


def outcome(found: Counter[Case], items: Sequence[Item], policy: Policy) -> Outcome:
    sums: Counter[str] = Counter()
    for case, count in found.items():
        verdict, heard, calls = hear(policy, case.answers, case.key)
        sums["calls"] += count * calls
        sums[verdict] += count
        sums[f"{verdict} {case.label}"] += count
        if verdict == "no_objection" and any(vote.is_sure and vote.against(case.key) for vote in heard):
            sums["hushed"] += count
    labels = Counter(item.label for item in items)
    total = found.total()
    waiting = sums["objected"]
    caught = sums["objected wrong_key"]
    wrong = total * labels["wrong_key"] / len(items)
    faults = total * (len(items) - labels["ok"]) / len(items)
    return Outcome(
        items=len(items),
        wrong_keys=labels["wrong_key"],
        calls=sums["calls"] / total,
        waiting=waiting / total,
        doubtful=sums["doubtful"] / total,
        hushed=sums["hushed"] / total,
        missed=1 - caught / wrong if wrong else 0.0,
        unmarked=sums["no_objection wrong_key"] / wrong if wrong else 0.0,
        precision=caught / waiting if waiting else 0.0,
        # F1 = 2 x caught / (waiting + to be caught)
        f1=2 * caught / (waiting + wrong) if wrong else 0.0,
        f1_of_faults=2 * (caught + sums["objected unclear"]) / (waiting + faults) if faults else 0.0,
    )


def same_verdicts(found: Counter[Case], one: Policy, other: Policy) -> float:
    """The share of cases in which two policies both put the item before a person, or both accept it."""
    alike = 0
    for case, count in found.items():
        verdicts = {hear(policy, case.answers, case.key)[0] == "objected" for policy in (one, other)}
        alike += count * (len(verdicts) == 1)
    return alike / found.total()


def correlation(items: Iterable[Item]) -> float:
    """How alike models err: the mean correlation of two models' wrong answers to items whose key is right."""
    sound = [item for item in items if item.label == "ok"]
    found = []
    for one, other in itertools.combinations(sound[0].answers, 2):
        both = [item for item in sound if item.answers[one] is not None and item.answers[other] is not None]
        errors = [[float(item.answers[model] != item.key) for item in both] for model in (one, other)]
        if all(0 < sum(each) < len(each) for each in errors):
            found.append(statistics.correlation(*errors))
    return statistics.fmean(found) if found else 0.0


def load(path: Path) -> list[Item]:
    records = (json.loads(line) for line in path.read_bytes().splitlines())
    return [Item(r["id"], LETTERS[r["answer"]], _label(r["error_type"]), r["answers"]) for r in records]


def _label(error_type: str) -> Label:
    if error_type == "ok":
        return "ok"
    return "wrong_key" if error_type in WRONG_KEY else "unclear"


def run(full: bool, data: Path = DATA) -> list[Line]:
    if not data.is_file():
        print(f"There is no {data.name} in ../shared/data/questions: nothing is replayed.")
        return []
    items = load(data)
    halves = {name: [item for item in items if is_open(item.id) == (name == "open")] for name in ("open", "closed")}
    for name, half in halves.items():
        labels = Counter(item.label for item in half)
        print(f"{name} half: {len(half):,} items, {labels['wrong_key']} wrong keys, {labels['unclear']} unclear")
    print(LEGEND)
    print("\n".join(_choices(halves["open"])))
    print("\n".join(_curves(halves["closed"], full)))
    lines: list[Line] = []
    for seats in (1, 2, 3):
        lines += _side_by_side(halves["closed"], seats)
    rho, models = correlation(items), len(items[0].answers)
    return [
        *lines,
        Line("correlation of two models' errors, keys that are right, all items", rho),
        Line(f"independent votes that {models} models are worth", models / (1 + (models - 1) * rho)),
    ]


HEAD = (
    f"{'':<44} {'calls':>5} {'waits':>6} {'doubt':>6} {'hushed':>6} {'missed':>6} {'unmarked':>8}"
    f" {'wrong in 1,000 accepted':>23} {'precision':>9} {'F1':>5} {'faults':>6}"
)
LEGEND = """calls an item; waits: for a person; doubt: accepted, and marked as doubtful; hushed: accepted without a mark
although a sure solver answered otherwise; missed: wrong keys that are accepted; unmarked: without a mark; wrong keys in
1,000 accepted items, with the 95 % interval; precision and F1 of those that wait, for wrong keys; F1 for all faults"""


def _row(name: str, made: Outcome) -> str:
    left, low, high = made.left
    return (
        f"{name:<44} {made.calls:>5.2f} {made.waiting:>6.1%} {made.doubtful:>6.1%} {made.hushed:>6.1%}"
        f" {made.missed:>6.1%} {made.unmarked:>8.1%} {f'{left:.1f} ({low:.1f} - {high:.1f})':>23}"
        f" {made.precision:>9.1%} {made.f1:>5.3f} {made.f1_of_faults:>6.3f}"
    )


def _choices(items: Sequence[Item]) -> Iterator[str]:
    """What was chosen on the open half: what two unsure models need to object, and how many answers are enough."""
    yield f"\nChosen on the open half, three models\n{HEAD}"
    for all_sure in (True, False):
        found = cases(items, 3, all_sure=all_sure)
        tried: dict[str, Policy] = {"the rule": the_rule()}
        if not all_sure:
            tried["any two unsure object"] = any_two
        tried |= {f"the rule, {enough} for the key are enough": the_rule(enough) for enough in (2, 1)}
        for name, policy in tried.items():
            yield _row(f"{name}{'' if all_sure else ' (stand-in)'}", outcome(found, items, policy))


def _curves(items: Sequence[Item], full: bool) -> Iterator[str]:
    """More models, and more objections: what they buy."""
    names = list(items[0].answers)
    models = len(names)
    yield f"\nEach model alone, closed half\n{HEAD}"
    for name in names:
        alone = [item._replace(answers={name: item.answers[name]}) for item in items]
        yield _row(name, outcome(cases(alone, 1, all_sure=True), alone, objections(1)))
    yield f"\nMore models, closed half, every answer sure\n{HEAD}"
    for seats in sorted({1, 2, 3, 5, models} & set(range(1, models + 1))):
        found = cases(items, seats, all_sure=True, most=1000 if full else DRAWN)
        for name, fewest in (("anybody", 1), ("majority", seats // 2 + 1)):
            yield _row(f"{_models(seats)}, {name}", outcome(found, items, objections(fewest)))
    yield f"\n{models} models, so many objections, closed half\n{HEAD}"
    for fewest in range(1, models + 1):
        yield _row(f"{fewest:>2} of {models} or more", outcome(found, items, objections(fewest)))


def _side_by_side(items: Sequence[Item], seats: int) -> Iterator[Line]:
    """The policies beside each other on the closed half, and the goals."""
    sure, standing_in = (cases(items, seats, all_sure=all_sure) for all_sure in (True, False))
    anybody = outcome(sure, items, objections(1))
    ruled, stood = outcome(sure, items, the_rule()), outcome(standing_in, items, the_rule())
    rows = {
        "(a) until November": outcome(sure, items, until_november),
        "(b) the rule": ruled,
        "(c) anybody objected": anybody,
        "(d) majority": outcome(sure, items, objections(seats // 2 + 1)),
        "(e) all objected": outcome(sure, items, objections(seats)),
        "(a) until November (stand-in)": outcome(standing_in, items, until_november),
        "(b) the rule (stand-in)": stood,
    }
    shorter: dict[str, Outcome] = {}
    if seats > ENOUGH:
        for found, stand_in in ((sure, ""), (standing_in, " (stand-in)")):
            shorter[f"(b) {ENOUGH} for the key are enough{stand_in}"] = outcome(found, items, the_rule(ENOUGH))
    print(f"\n{_models(seats)}, closed half\n{HEAD}")
    print("\n".join(_row(name, made) for name, made in (rows | shorter).items()))
    told = f"{_models(seats)}: "
    yield Line(f"{told}(a) accepted in silence against a sure solver", 100 * rows["(a) until November"].hushed, "%")
    for name, made in (("(b)", ruled), ("(b) stand-in", stood)):
        hushed = 100 * made.hushed
        yield Line(f"{told}{name} accepted in silence against a sure solver", hushed, "%", "none", hushed, at_most=0)
        yield beside(f"{told}{name} F1 of the queue", made.f1, "", "anybody objected", anybody.f1 or 1, at_least=1.0)
    for name, made in shorter.items():
        yield below(f"{told}{name}: calls an item", made.calls, "calls", MOST_CALLS)
    if shorter:
        for found, name in ((sure, ""), (standing_in, " (stand-in)")):
            same = 100 * same_verdicts(found, the_rule(), the_rule(ENOUGH))
            yield Line(f"{told}the same verdict as that of all three{name}", same, "% of items")


def _models(seats: int) -> str:
    return f"{seats} model{'s' if seats > 1 else ''}"
