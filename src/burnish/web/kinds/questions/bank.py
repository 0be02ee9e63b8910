"""The views of a bank's run: its questions one after the other, and the bank as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from burnish.app.run_card import format_words
from burnish.app.run_reader import UnitLine
from burnish.core.presentation import Remark, Table
from burnish.kinds.questions.policy import ALIKE
from burnish.store.unit_queries import UnitFilter
from burnish.web.kinds import Fact, RunParts, Tab
from burnish.web.kinds.questions.items import Shown, marked_item
from burnish.web.kinds.questions.review import QuestionReview
from burnish.web.kinds.unit_list import filled_tabs, unit_list

if TYPE_CHECKING:
    from burnish.app.run_reader import RunReader


MOST_BANKS = 12
"""Documents whose facts are shown on one page."""
MOST_ROWS = 60
ITEMS_A_PAGE = 16
MOST_ALIKE = 20
LEVELS = ("remember", "understand", "apply", "analyze", "evaluate", "create")
"""After Bloom, from the lowest to the highest."""


@dataclass(frozen=True, slots=True)
class ItemCard:
    """A question in the list, as it is kept."""

    line: UnitLine
    item: Shown


@dataclass(frozen=True, slots=True)
class Position:
    """How often the key stands in one place."""

    letter: str
    count: int
    width: float
    """Beside the fullest place, in per cent."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Where the keys of all questions with equally many options stand."""

    options: int
    questions: int
    positions: tuple[Position, ...]
    expected: float
    """Where every bar would end if all were equal, in per cent."""
    verdict: str
    alarming: bool


@dataclass(frozen=True, slots=True)
class Level:
    """How many questions ask for one level."""

    name: str
    count: int
    width: float


@dataclass(frozen=True, slots=True)
class BankView:
    """One document of the run."""

    name: str
    balances: tuple[Balance, ...]
    levels: tuple[Level, ...]
    tables: tuple[Table, ...]
    left_out: int
    """Rows of the tables that are not shown."""
    remarks: tuple[Remark, ...]
    alike: int
    """Questions that are much like another one."""

    @property
    def is_silent(self) -> bool:
        return not (self.balances or self.levels or self.tables or self.remarks)


def banks(run: RunReader) -> Iterator[BankView]:
    """What the run found out about its documents as wholes."""
    for document in run.view.plan.documents[:MOST_BANKS]:
        said = run.view.journal.get_meta(f"overview:{document.name}")
        facts: Mapping[str, Any] = orjson.loads(said) if said else {}
        yield bank_view(document.name, facts, run.view.kind.describe(facts))


def bank_view(name: str, facts: Mapping[str, Any], told: Sequence[Remark | Table]) -> BankView:
    tables = [part for part in told if isinstance(part, Table)]
    short = tuple(Table(one.label, one.heads, one.rows[:MOST_ROWS], one.names) for one in tables)
    return BankView(
        name=name,
        balances=tuple(_balance(group) for group in facts.get("key_balance", ())),
        levels=tuple(_levels(facts.get("blueprint", ()))),
        tables=short,
        left_out=sum(len(one.rows) for one in tables) - sum(len(one.rows) for one in short),
        # Balance is drawn, and what is much alike is listed; what else is remarked is said.
        remarks=tuple(part for part in told if isinstance(part, Remark) and not _is_shown(part)),
        alike=int(facts.get("near_duplicates", 0)),
    )


def _is_shown(remark: Remark) -> bool:
    """Whether a panel of the page says it already; what authors ignore only the remark knows."""
    return remark.label == "keys" or (remark.label == "much alike" and remark.text.replace(",", "").isdecimal())


def _balance(group: Mapping[str, Any]) -> Balance:
    counts: Sequence[int] = group["positions"]
    most = max(counts, default=0) or 1
    balanced = group["balanced"]
    verdict = str(group["message"]).rpartition("(")[2].rstrip(").")
    return Balance(
        options=int(group["options"]),
        questions=int(group["questions"]),
        positions=tuple(
            Position(chr(ord("A") + place), count, round(count / most * 100, 1)) for place, count in enumerate(counts)
        ),
        expected=round(sum(counts) / max(len(counts), 1) / most * 100, 1),
        verdict=verdict,
        alarming=balanced is False,
    )


def _levels(cells: Sequence[Mapping[str, Any]]) -> Iterator[Level]:
    """Lowest first; a name that is no level of Bloom's comes last."""
    counts: Counter[str] = Counter()
    for cell in cells:
        if cell["bloom_level"]:
            counts[str(cell["bloom_level"])] += int(cell["questions"])
    most = max(counts.values(), default=1)
    order = {level: place for place, level in enumerate(LEVELS)}
    for name in sorted(counts, key=lambda name: (order.get(name.casefold(), len(order)), name)):
        yield Level(name, counts[name], round(counts[name] / most * 100, 1))


def alike(run: RunReader) -> Sequence[UnitLine]:
    """Questions that are much like another one, the first of them."""
    return run.units(UnitFilter(rule=ALIKE.id), limit=MOST_ALIKE).lines


def run_parts(run: RunReader, query: Mapping[str, str]) -> RunParts:
    """The questions one after the other, and the bank as a whole."""
    tabs = filled_tabs(
        query,
        # What every run has, where the page begins.
        (Tab("overview", "Overview", "run_overview.html"), dict),
        (Tab("items", "Items", "kinds/questions/items.html"), lambda: items_part(run, query)),
        (
            Tab("bank", "Bank", "kinds/questions/bank.html"),
            lambda: {"banks": list(banks(run)), "alike": alike(run), "card": run.card},
        ),
    )
    return RunParts(tabs, tuple(facts_of(run)))


def items_part(run: RunReader, query: Mapping[str, str]) -> dict[str, Any]:
    """A page of questions as a learner sees them, with what is found in them."""
    shown = unit_list(run, query, "question", tab="items", limit=ITEMS_A_PAGE)
    return {"items": [_card(run, line) for line in shown.page.lines], "list": shown, "card": run.card}


def _card(run: RunReader, line: UnitLine) -> ItemCard:
    review = QuestionReview(run.story(line.id))
    return ItemCard(line, marked_item(review.after, review.open))


def facts_of(run: RunReader) -> Iterator[Fact]:
    """What is said of the run under its title."""
    plan = run.view.plan
    yield Fact(", ".join(sorted({format_words(document.format) for document in plan.documents})), "Format")
    yield Fact(str(plan.arguments.get("institution") or plan.arguments.get("profile") or "default"), "Profile")
    yield Fact(f"{len(plan.rules)} of {len(run.view.kind.checks)}", "Rules")
