"""The queue and the sums of a run are what a look at every unit would give."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

from burnish.core.findings import SEVERITIES
from burnish.core.records import SourceRecord, event
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.read_model import cause_of, folded
from burnish.store.rows import unpack
from burnish.store.unit_queries import (
    ALL,
    COLUMNS,
    QueueFilter,
    UnitFilter,
    causes,
    count,
    findings_by_rule,
    judgement_sums,
    judgements_after,
    judgements_by_day,
    queue_groups,
    queue_page,
    queue_place,
    read_moments,
    score_counts,
    spending,
    spending_by_role,
    strip_of,
)
from tests.core.units import finding
from tests.store.samples import NOON, SetClock, attempt, call, unit

WAITING, DONE = "waiting", "done"
RULES = ("vague", "lead_in")
REASONS = ("attempts_exhausted", "model_failed")


@dataclass(frozen=True)
class Made:
    """A unit as it was made, and what lists have to say of it."""

    id: str
    document: str
    position: int
    state: str
    reason: str | None
    drafts: tuple[tuple[tuple[str, str], ...], ...]
    """The findings of each draft."""
    scores: tuple[float, ...]
    best: int

    @property
    def kept(self) -> tuple[tuple[str, str], ...]:
        return self.drafts[self.best - 1] if self.best else ()

    @property
    def severity(self) -> int:
        return min((SEVERITIES.index(severity) for _, severity in self.kept), default=len(SEVERITIES))

    @property
    def cause(self) -> str:
        blocking = [(SEVERITIES.index(s), at, rule) for at, (rule, s) in enumerate(self.kept) if s in SEVERITIES[:2]]
        return ":".join(part for part in (self.reason or "unknown", min(blocking)[2] if blocking else "") if part)


def made(chance: Random, number: int) -> list[Made]:
    units = []
    for at in range(number):
        drafts = tuple(
            tuple((chance.choice(RULES), chance.choice(SEVERITIES)) for _ in range(chance.randrange(3)))
            for _ in range(chance.randrange(4))
        )
        waits = chance.random() < 0.7
        units.append(
            Made(
                f"q{at:02}",
                chance.choice(("a.json", "b.json", "c.json")),
                at,
                WAITING if waits else DONE,
                chance.choice(REASONS) if waits else None,
                drafts,
                tuple(chance.choice((0.25, 0.5)) for _ in drafts),
                chance.randrange(len(drafts) + 1) if drafts else 0,
            )
        )
    return units


def write(journal: Journal, one: Made) -> None:
    for number, (findings, score) in enumerate(zip(one.drafts, one.scores, strict=True), start=1):
        found = tuple(finding(rule, severity).as_record() for rule, severity in findings)
        changes: dict[str, Any] = {"findings": found, "scores": {"fit": score}, "content_hash": f"sha256:{number}"}
        journal.write_now(attempt(one.id, number, **changes))
    row = unit(one.id, one.position, document=one.document, state=one.state, reason=one.reason)
    journal.write_now(type(row)(**{**{f: getattr(row, f) for f in row.__slots__}, "best_attempt": one.best}))


@pytest.fixture(scope="module")
def units() -> list[Made]:
    return made(Random(7), 60)


@pytest.fixture
def journal(units: list[Made]) -> Iterator[Journal]:
    held = MemoryJournal(clock=SetClock())
    for one in units:
        write(held, one)
    yield held
    held.close()


def queue(units: list[Made], where: QueueFilter = QueueFilter()) -> list[Made]:
    """Documents with the fewest units left first, then cause by cause, worst first, larger groups first."""
    waiting = [one for one in units if one.state == WAITING]
    left = Counter(one.document for one in waiting)
    groups: dict[tuple[str, str], list[Made]] = {}
    for one in waiting:
        groups.setdefault((one.document, one.cause), []).append(one)
    ordered = sorted(
        groups.items(),
        key=lambda g: (left[g[0][0]], g[0][0], min(one.severity for one in g[1]), -len(g[1]), g[0][1]),
    )
    return [
        one
        for (document, cause), group in ordered
        if where.document in (None, document) and where.cause in (None, cause)
        for one in sorted(group, key=lambda one: (one.severity, one.position))
    ]


FILTERS = (
    QueueFilter(),
    QueueFilter(document="a.json"),
    QueueFilter(cause="model_failed:vague"),
    QueueFilter(cause="attempts_exhausted", document="b.json"),
    QueueFilter(cause="never"),
)


@pytest.mark.parametrize("where", FILTERS)
@pytest.mark.parametrize(("offset", "limit"), [(0, 100), (0, 1), (3, 7), (30, 30), (200, 5)])
def test_a_page_of_the_queue_is_a_part_of_it(
    journal: Journal, units: list[Made], where: QueueFilter, offset: int, limit: int
) -> None:
    same = Counter(one.cause for one in units if one.state == WAITING)
    found = journal.ask(lambda held: queue_page(held, WAITING, where, offset, limit))
    at = COLUMNS.split(", ").index("id")
    assert [(unpack(row[at]), number) for row, number in found] == [
        (one.id, same[one.cause]) for one in queue(units, where)[offset : offset + limit]
    ]


@pytest.mark.parametrize("where", FILTERS)
def test_each_unit_has_its_place_in_the_queue(journal: Journal, units: list[Made], where: QueueFilter) -> None:
    wanted = [one.id for one in queue(units, where)]
    for one in units:
        place = journal.ask(lambda held, id=one.id: queue_place(held, WAITING, where, id))  # type: ignore[misc]
        assert place == (wanted.index(one.id) if one.id in wanted else None)
    assert journal.ask(lambda held: queue_place(held, WAITING, where, "nobody")) is None


def test_groups_are_the_queue_in_short(journal: Journal, units: list[Made]) -> None:
    groups = journal.ask(lambda held: queue_groups(held, WAITING, QueueFilter()))
    wanted = list(dict.fromkeys((one.document, one.cause) for one in queue(units)))
    assert [(unpack(one.document), unpack(one.cause)) for one in groups] == wanted
    for group in groups:
        inside = [one for one in queue(units) if (one.document, one.cause) == (group.document, group.cause)]
        assert (group.count, group.severity) == (len(inside), min(one.severity for one in inside))


def test_causes_are_counted_most_frequent_first(journal: Journal, units: list[Made]) -> None:
    waiting = [one for one in units if one.state == WAITING]
    counted = Counter(one.cause for one in waiting)
    found = journal.ask(lambda held: causes(held, WAITING))
    assert [(cause, number) for cause, _, _, number in found] == sorted(
        counted.items(), key=lambda pair: (-pair[1], pair[0])
    )
    for cause, reason, example, _ in found:
        first = next(one for one in waiting if one.cause == cause)
        assert (reason, example) == (first.reason, first.id)


@pytest.mark.parametrize(
    "where",
    [
        ALL,
        UnitFilter(states=(WAITING,)),
        UnitFilter(states=(WAITING, DONE, WAITING)),
        UnitFilter(rule="vague"),
        UnitFilter(rule="vague", states=(DONE,)),
        UnitFilter(open=True),
        UnitFilter(severity="error"),
        UnitFilter(cause="model_failed"),
        UnitFilter(cause="model_failed", states=(DONE,)),
        UnitFilter(document="a.json", states=("none",)),
    ],
)
def test_units_of_a_filter_are_counted_and_listed_alike(journal: Journal, units: list[Made], where: UnitFilter) -> None:
    def fits(one: Made) -> bool:
        return (
            (not where.states or one.state in where.states)
            and (where.rule is None or where.rule in [rule for rule, _ in one.kept])
            and (not where.open or bool(one.kept))
            and (where.severity is None or one.severity == SEVERITIES.index(where.severity))
            and (where.cause is None or (one.state == WAITING and one.cause == where.cause))
            and where.document in (None, one.document)
        )

    wanted = [one.id for one in units if fits(one)]
    assert journal.ask(lambda held: count(held, where, WAITING)) == len(wanted)
    moments = journal.ask(lambda held: list(read_moments(held, where, WAITING)))
    assert [unpack(id) for id, _ in moments] == wanted
    for id, at in moments:
        row = journal.unit(unpack(id))
        assert row is not None and row.at == at


def test_findings_are_summed_by_rule(journal: Journal, units: list[Made]) -> None:
    found = {one.rule: one for one in journal.ask(lambda held: findings_by_rule(held, (DONE,)))}
    for rule in RULES:
        kept = [[severity for name, severity in one.kept if name == rule] for one in units]
        earlier = [
            [s for draft in one.drafts[: one.best - 1] for name, s in draft if name == rule] if one.best else []
            for one in units
        ]
        settled = [before for before, now in zip(earlier, kept, strict=True) if before and not now]
        told = [severities for severities in kept if severities] + settled
        accepted = [severities for one, severities in zip(units, kept, strict=True) if one.state == DONE]
        others = [severities for one, severities in zip(units, kept, strict=True) if one.state != DONE]
        assert found[rule].open == sum(map(len, others))
        assert found[rule].open_units == sum(map(bool, others))
        assert found[rule].accepted == sum(map(len, accepted)) > 0
        assert found[rule].accepted_units == sum(map(bool, accepted))
        assert found[rule].settled_units == len(settled)
        assert found[rule].severity == min(SEVERITIES.index(s) for severities in told for s in severities)
    assert set(found) == set(RULES)


def test_scores_of_kept_drafts_are_counted(journal: Journal, units: list[Made]) -> None:
    wanted = Counter(one.scores[one.best - 1] for one in units if one.best)
    assert {name: dict(found) for name, found in journal.ask(score_counts).items()} == {"fit": dict(wanted)}


def test_sums_follow_when_another_draft_is_kept(journal: Journal, units: list[Made]) -> None:
    changed = [Made(**{**{f: getattr(one, f) for f in Made.__dataclass_fields__}, "best": 0}) for one in units]
    for one in changed:
        write(journal, one)
    assert journal.ask(lambda held: findings_by_rule(held, (DONE,))) == [] and journal.ask(score_counts) == {}
    for one in units:
        write(journal, one)
    test_findings_are_summed_by_rule(journal, units)
    test_scores_of_kept_drafts_are_counted(journal, units)


@pytest.mark.parametrize(("cells", "sizes"), [(1, [60]), (60, 60 * [1]), (7, [9, 9, 9, 9, 9, 9, 6]), (100, 60 * [1])])
def test_a_strip_has_at_most_so_many_groups_and_all_units(
    journal: Journal, units: list[Made], cells: int, sizes: list[int]
) -> None:
    journal.write_now(unit("blocker", 99, document=""))
    strip = journal.ask(lambda held: strip_of(held, cells))
    assert [len(group) for group in strip] == sizes
    assert [(id, state) for group in strip for id, state, _ in group] == [(one.id, one.state) for one in units]


def test_what_was_repaired_differs_from_the_first_draft_that_was_judged(journal: Journal, units: list[Made]) -> None:
    # Every draft here has scores, so the first one is the first that was judged.
    repaired = {id: repaired for group in journal.ask(lambda held: strip_of(held, 9)) for id, _, repaired in group}
    assert repaired == {one.id: one.best > 1 for one in units}


def test_spending_is_summed_in_steps() -> None:
    clock = SetClock()
    held = MemoryJournal(clock=clock)
    assert held.ask(lambda c: spending(c, 4)) == [] and held.ask(lambda c: spending_by_role(c, 4)) == []
    start = int(NOON.timestamp())
    for key, role, tokens, cost in (("a", "judge", 10, 0.5), ("b", "corrector", 5, None), ("c", "judge", 1, 0.25)):
        usage = type(call().usage)(tokens, 0, cost)
        held.write_now(call(key, role=role, usage=usage))
        clock.move(10)
    assert held.ask(lambda c: spending(c, 100)) == [
        (start, 10, 500_000_000_000, 1, 0),
        (start + 10, 5, 0, 1, 1),
        (start + 20, 1, 250_000_000_000, 1, 0),
    ]
    assert held.ask(lambda c: spending(c, 1)) == [(start + 20, 16, 750_000_000_000, 3, 1)]
    assert held.ask(lambda c: spending_by_role(c, 1)) == [("corrector", 2, 5), ("judge", 3, 11)]
    assert held.ask(lambda c: spending_by_role(c, 100)) == [("judge", 1, 10), ("corrector", 2, 5), ("judge", 3, 1)]
    held.close()


def test_verdicts_of_people_are_added_and_taken_away() -> None:
    held = MemoryJournal(clock=SetClock())
    found = (finding("vague").as_record(), finding("lead_in", source="model:m").as_record())
    held.write_now(unit("q"), attempt("q", findings=found))
    said = {"by": "Ada", "after_attempt": 1, "before": {"best_attempt": 1}}
    held.write_now(event("decision", "q", data={"verdict": "reject", **said}))
    assert sorted(held.ask(judgement_sums)) == [("model:m", True, 1), ("vague", True, 1)]
    assert held.ask(judgements_by_day) == [(f"{NOON:%Y-%m-%d}", True, 2)]
    [first, second] = held.ask(lambda c: judgements_after(c, 0))
    assert {first[2], second[2]} == {"model:m", "vague"} and first[3:] == second[3:] == (True, 1)
    assert held.ask(lambda c: judgements_after(c, first[0])) == [second]
    held.write_now(event("decision", "q", data={"verdict": "undo", "undoes": held.last_event(), "by": "Ada"}))
    assert {right: number for _, right, number in held.ask(judgement_sums)} == {True: 0}
    assert [change for *_, change in held.ask(lambda c: judgements_after(c, second[0]))] == [-1, -1]
    held.close()


def test_a_cause_is_a_reason_and_a_rule() -> None:
    assert [cause_of("r", "x"), cause_of("r", None), cause_of(None, "x"), cause_of(None, None)] == [
        "r:x",
        "r",
        "unknown:x",
        "unknown",
    ]


def test_searched_text_has_no_case_and_nothing_that_sqlite_refuses() -> None:
    assert folded("Straße\x00\ud800A") == "strasse\ufffd\ufffda"


class Plain:
    """Shows a draft by its text."""

    reviews_apart = False

    def excerpt(self, content: Any) -> str:
        return str(content["stem"])

    def texts(self, content: Any) -> dict[str | None, str]:
        return {"stem": content["stem"]}


def test_the_excerpt_is_of_the_kept_draft_or_of_the_source() -> None:
    held = MemoryJournal(clock=SetClock())
    held.present_with(Plain())

    def excerpt() -> Any:
        return held.ask(lambda c: c.execute("SELECT excerpt FROM units").fetchone()[0])

    held.write_now(unit("q"))
    assert excerpt() is None
    held.write_now(SourceRecord("q", {"stem": "source"}))
    assert excerpt() == "source"
    held.write_now(attempt("q", 1, content={"stem": "first"}), attempt("q", 2, content={"stem": "second"}))
    assert excerpt() == "source"
    for best, shown in ((2, "second"), (1, "first"), (0, "source")):
        held.write_now(unit("q", state=f"s{best}", best_attempt=best))
        assert excerpt() == shown
        texts = held.ask(lambda c: c.execute("SELECT text FROM search_texts").fetchall())
        assert texts == [(f"q\n{shown}",)]
    held.close()


def test_a_draft_that_is_the_source_is_shown_by_the_sources_excerpt() -> None:
    held = MemoryJournal(clock=SetClock())
    held.present_with(Plain())
    held.write_now(unit("q"), SourceRecord("q", {"stem": "source"}), attempt("q", 1, content=None))

    def shown() -> Any:
        return held.ask(lambda c: c.execute("SELECT excerpt, excerpt_of FROM units").fetchone())

    held.write_now(unit("q", state="s", best_attempt=1))
    assert shown() == ("source", 0)
    held.write_now(attempt("q", 2, content={"stem": "second"}), unit("q", state="t", best_attempt=2))
    assert shown() == ("second", 2)
    held.write_now(unit("q", state="u", best_attempt=1))
    assert shown() == ("source", 0)
    held.close()


def test_an_excerpt_is_made_once_for_each_draft_that_is_kept() -> None:
    made: list[str] = []

    class Counted(Plain):
        def excerpt(self, content: Any) -> str:
            made.append(content["stem"])
            return super().excerpt(content)

    held = MemoryJournal(clock=SetClock())
    held.present_with(Counted())
    held.write_now(unit("q", best_attempt=1), attempt("q", 1, content={"stem": "first"}))
    for state in "abc":
        held.write_now(unit("q", state=state, best_attempt=1))
    assert made == ["first"]
    held.write_now(attempt("q", 2, content={"stem": "second"}), unit("q", state="d", best_attempt=2))
    assert made == ["first", "second"]
    held.close()
