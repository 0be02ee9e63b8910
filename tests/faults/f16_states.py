"""F16: the states of a manuscript under random events. No move outside the table, no publication with a hole."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path

from burnish.app.materials import kind_of
from burnish.app.run_sessions import session_of
from burnish.core.errors import BurnishError, InputError, StateCorrupt, UsageError
from burnish.core.records import UnitRow
from burnish.engine.decisions import Deciding, undone
from burnish.engine.plan import recorded_plan
from burnish.engine.publish import blockers
from burnish.engine.runner import RunResources
from burnish.engine.session import neighbours_of
from burnish.engine.unit_loader import examiner_of, moved
from burnish.kinds.manuscripts.kind import ManuscriptsKind
from burnish.kinds.manuscripts.policy import STATES
from burnish.store.journal import Journal, MemoryJournal
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run
from tests.faults.books import BOOK, BookRun, whimsical

TITLE = "states under random events"

ANYWHERE = {"manual_review_required", "excluded"}
TABLE: dict[str | None, set[str]] = {
    None: {"ingested", "excluded"},
    "ingested": {"translated_pass1"} | ANYWHERE,
    "translated_pass1": {"translated_pass2", "candidate_assembled"} | ANYWHERE,
    "translated_pass2": {"candidate_assembled"} | ANYWHERE,
    "candidate_assembled": {"review_in_progress"} | ANYWHERE,
    "review_in_progress": {"ready_to_merge", "review_failed"} | ANYWHERE,
    "review_failed": {"rework_queued"} | ANYWHERE,
    "rework_queued": {"reworked"} | ANYWHERE,
    "reworked": {"candidate_assembled"} | ANYWHERE,
    "ready_to_merge": {"merged"} | ANYWHERE,
    "manual_review_required": {"ready_to_merge", "rework_queued", "excluded"},
    "excluded": {"ingested"},
    "merged": set(),
}
"""The contract's table, written down a second time: the lifecycle of the seed, the immediate triggers of manual review,
a person's ways out of it, and exclusions that were reauthorised."""
FINISHED = ("ready_to_merge", "merged", "excluded")


def run(full: bool) -> str:
    rng = random.Random(16)
    walks = sum(_walk(rng) for _ in range(10_000 if full else 200))
    found = Counter[str]()
    for number in range(400 if full else 3):
        with tempfile.TemporaryDirectory() as text:
            _one_run(Path(text), random.Random(number), found)
    ends = ", ".join(f"{count} {end}" for end, count in sorted(found.items()) if end != "moves")
    return f"{walks:,} random moves by themselves; runs: {found['moves']:,} moves, all in the table; sittings: {ends}"


def _walk(rng: random.Random) -> int:
    """Rows that are pushed anywhere: what the table has not is refused, and the gate is shut unless all are ready."""
    journal, kind = MemoryJournal(), ManuscriptsKind()
    rows = [UnitRow(f"p_{at:04}", "b", at, "h", "ingested", None, 1, 1) for at in range(1, rng.randint(2, 5))]
    journal.write_now(*rows)
    states = [state for state in TABLE if state is not None]
    for _ in range(20):
        at, to = rng.randrange(len(rows)), rng.choice(states)
        before = rows[at].state
        try:
            told, rows[at] = moved(STATES, rows[at], to, None)
        except StateCorrupt:
            assert to != before, f"staying {to} was refused"
            assert to not in TABLE[before], f"{before} -> {to} is in the contract's table, not in ours"
            continue
        assert to in TABLE[before] or to == before, f"{before} -> {to} is not in the contract's table"
        journal.write_now(told, rows[at])
        held = [row.id for row in blockers(journal, kind)]
        assert held == [row.id for row in rows if row.state not in FINISHED], "the gate does not name what blocks"
    return 20


def _one_run(home: Path, rng: random.Random, found: Counter[str]) -> None:
    """Sittings with models, people and a disk that do anything, one after the other."""
    book = BookRun(home, whimsical(rng), {"exclude": str(home / "keep.txt")})
    book.begin()
    for _ in range(rng.randint(1, 6)):
        found[_sitting(book, rng)] += 1
        _check(book)
        for _ in range(rng.randrange(3)):
            _decide(book, rng)
            _check(book)
        if rng.random() < 0.06:
            book.source.write_text(BOOK.replace("12 men", rng.choice(["13 men", "12 men"])), encoding="utf-8")
    with closing(open_journal(book.folder.journal, clock=system_clock, read_only=True)) as journal:
        found["moves"] += sum(1 for _ in journal.events(types=("state_changed",)))


def _sitting(book: BookRun, rng: random.Random) -> str:
    reauthorize = rng.random() < 0.15
    authorised = book.excluded
    if reauthorize:
        book.exclude(*(f"p_000{number} because" for number in (1, 2, 3, 5) if rng.random() < 0.5), "/zzz/ nothing")
    limit = rng.choice([None, None, None, 4_000])
    try:
        plan = book.plan(reauthorize=reauthorize)
    except InputError as error:
        assert error.code == "source_changed" and reauthorize, "exclusions are about the source of the start"
        book.exclude(*authorised)
        return "refused"
    try:
        return book.sit(plan, approve=rng.random() < 0.7, max_tokens=limit).outcome.stopped
    except UsageError:
        assert book.final.exists(), "what is not published may be reauthorised"
        book.exclude(*authorised)
        return "refused"


def _decide(book: BookRun, rng: random.Random) -> None:
    """A person decides on anything, allowed or not."""
    with own_run(book.folder, system_clock) as owned:
        plan = recorded_plan(owned.journal)
        assert plan is not None
        kind = kind_of(plan)
        held = session_of(book.folder, owned.journal, plan, kind, RunResources()).why_not_held
        deciding = Deciding(
            owned.journal, examiner_of(plan, kind), neighbours_of(plan, kind, owned.journal), why_not_held=held
        )
        rows = list(owned.journal.units())
        if not rows:
            return
        row = rng.choice(rows)
        how = rng.choice(["accept", "edit", "reject", "undo"])
        text = rng.choice(["Todo va bien.", "", "a\n\nb"]) if how == "edit" else None
        open = row.state in ("manual_review_required", "rework_queued", "ready_to_merge")
        try:
            if how == "undo":
                owned.journal.write_now(*undone(kind, owned.journal, row, by="Ada").records)
                return
            deciding.decide(row, how, by="Ada", note="Again.", text=text)  # type: ignore[arg-type]
        except BurnishError:
            return
        assert open, f"{row.id} was {row.state}, and somebody could decide on it"


def _check(book: BookRun) -> None:
    with closing(open_journal(book.folder.journal, clock=system_clock, read_only=True)) as journal:
        standing = _replayed(journal)
        for row in journal.units():
            assert standing[row.id] == row.state, f"{row.id} is {row.state}, its moves lead to {standing[row.id]}"
        published = any(True for _ in journal.events(types=("published",), limit=1))
        assert book.final.exists() == published, "the final text and the journal do not agree"
        if published:
            holes = [row.id for row in journal.units() if row.state not in ("merged", "excluded")]
            assert not holes, f"published with {', '.join(holes)} open"


def _replayed(journal: Journal) -> dict[str, str]:
    """Where every unit stands after all the moves that were written down, each of which has to be in the table."""
    standing: dict[str, str] = {}
    for event in journal.events(types=("state_changed", "blocker_numbered")):
        unit = str(event.unit)
        if event.type == "blocker_numbered":
            standing[unit] = "ingested"
        else:
            before, after = event.data["from"], event.data["to"]
            assert before == standing.get(unit), f"{unit} moves from {before}, but it is {standing.get(unit)}"
            assert after in TABLE[before] or after == before, f"{unit}: {before} -> {after} is not in the table"
            standing[unit] = after
    return standing
