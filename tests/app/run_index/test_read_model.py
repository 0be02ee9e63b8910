"""What lists show is written with what it follows from: step by step it is the same as written at once."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.app.kinds import kind_named
from burnish.app.run_index import RunIndex
from burnish.app.run_reader import BINS, Scale, UnitLine
from burnish.core.errors import UsageError
from burnish.core.findings import SEVERITIES
from burnish.core.records import AttemptRecord, SourceRecord, event
from burnish.engine.unit_loader import EXCERPT, UNREADABLE, KindPresenter
from burnish.kinds.questions.model import Question
from burnish.store.journal import Journal
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import create_journal, open_journal
from tests.app.run_index.ledger import WAITING, Ledger, Said, finding, ledger, question

SHOWN = {
    "units": "SELECT number, severity, repaired, drafts, decided_by, cause, scores, notes, excerpt FROM units",
    "search_texts": "SELECT * FROM search_texts",
    "findings": "SELECT * FROM findings",
    "score_counts": "SELECT * FROM score_counts WHERE count > 0",
    "spending": "SELECT SUM(tokens), SUM(cost_trillionths), SUM(calls), SUM(unpriced) FROM spending",
    "judgements": "SELECT number, key, who, is_right FROM judgements GROUP BY 1, 2, 3, 4 HAVING SUM(change) > 0",
}
SIZES = (5, 3)
Act = Callable[[Ledger], None]


def shown(journal: Journal) -> dict[str, list[Any]]:
    """Everything in a journal that lists are made of."""
    return journal.ask(lambda one: {name: sorted(one.execute(query), key=repr) for name, query in SHOWN.items()})


def written_at_once(book: Ledger, home: Path) -> dict[str, list[Any]]:
    """The same of a journal into which all the records of another were written in one transaction."""
    old = book.journal
    with closing(create_journal(home / "copy.sqlite", clock=system_clock)) as copy:
        copy.present_with(KindPresenter.of(book.kind))
        rows = list(old.units())
        copy.write_now(
            *old.events(),
            *rows,
            *chain.from_iterable(old.attempts(row.id) for row in rows),
            *(SourceRecord(row.id, old.source(row.id) or {}) for row in rows),
            *old.calls(),
        )
        return shown(copy)


UNITS = st.integers(0, sum(SIZES) - 1)
FINDINGS = st.lists(
    st.tuples(
        st.sampled_from(("lead_in", "vague", "odd\x00")),
        st.sampled_from(SEVERITIES),
        st.sampled_from(("rule", "document", "model:a,b")),
    ),
    max_size=3,
)
STEMS = st.none() | st.sampled_from(("A new stem?", "Ein ganz anderer Stamm?", "Odd \x00 stem?"))


@st.composite
def acts(draw: st.DrawFn) -> Act:
    """Something that happens in a run."""
    number, findings, stem = draw(UNITS), draw(FINDINGS), draw(STEMS)
    state = draw(st.sampled_from(("draft", "correcting", "validated", WAITING)))
    verdict = draw(st.sampled_from(("accept", "reject", "edit")))
    reason = draw(st.sampled_from((None, "attempts_exhausted", "model_failed")))

    def rests(book: Ledger) -> None:
        book.write(book.attempt(book.name(number), *findings, stem=stem), book.row(book.name(number), state, reason))

    def moves(book: Ledger) -> None:
        best = min(draw_best, book.rows[book.name(number)].attempts)
        book.write(book.row(book.name(number), state, reason, best))

    def tries(book: Ledger) -> None:
        row = book.rows[book.name(number)]
        book.write(book.attempt(book.name(number), *findings, stem=stem))
        book.rows[book.name(number)] = row if row.attempts == 0 else book.rows[book.name(number)]

    def decides(book: Ledger) -> None:
        if book.rows[book.name(number)].attempts:
            book.decided(book.name(number), verdict)

    def undoes(book: Ledger) -> None:
        known = [one for one in book.journal.events(types=("decision",)) if one.data["verdict"] != "undo"]
        if known:
            data = {"verdict": "undo", "by": "Ada", "undoes": known[-1].seq, "note": None, "after_attempt": 0}
            book.write(event("decision", known[-1].unit, data=data), book.rows[str(known[-1].unit)])

    def spends(book: Ledger) -> None:
        book.spends(number + 1, cost=None if stem else 0.25)

    draw_best = draw(st.integers(0, 3))
    return draw(st.sampled_from((rests, rests, moves, tries, decides, undoes, spends)))


@settings(max_examples=12)
@given(st.lists(st.lists(acts(), max_size=4), max_size=6))
def test_step_by_step_is_the_same_as_at_once(steps: list[list[Act]]) -> None:
    home = Path(tempfile.mkdtemp())
    try:
        with ledger(home, sizes=SIZES) as book:
            for step in steps:
                with book.together():
                    for act in step:
                        act(book)
            assert shown(book.journal) == written_at_once(book, home)
    finally:
        shutil.rmtree(home)


def test_another_owner_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    """Nothing of it lives in memory only."""
    with ledger(tmp_path) as book:
        book.rests(book.name(0), ("lead_in", "error"))
        book.rests(book.name(1), ("lead_in", "error"))
        with closing(open_journal(book.folder.journal, clock=system_clock)) as other:
            other.present_with(KindPresenter.of(book.kind))
            other.write_now(
                book.attempt(book.name(0), ("vague", "warning"), stem="A new stem?"), book.row(book.name(0), WAITING)
            )
        assert shown(book.journal) == written_at_once(book, tmp_path)


def test_a_transaction_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    with ledger(tmp_path) as book:
        book.rests(book.name(0), ("lead_in", "error"))
        before, rows = shown(book.journal), dict(book.rows)
        lost = book.attempt(book.name(0), ("vague", "error")), book.row(book.name(0), WAITING)
        with pytest.raises(UsageError):
            book.write(*lost, replace(rows[book.name(1)], position=1 << 70))
        assert shown(book.journal) == before
        book.rows = rows
        book.rests(book.name(0), stem="A new stem?")
        assert shown(book.journal) == written_at_once(book, tmp_path)


@dataclass
class Page:
    """The line of one unit of a run, after some drafts of it."""

    book: Ledger
    index: RunIndex

    def draft(self, *findings: Said, text: str = "source", **more: Any) -> AttemptRecord:
        unit = self.book.name(1)
        said = tuple(finding(self.book.units[unit], *one).as_record() for one in findings)
        given = {"cause": "model", "content": None, "scores": {"rules": 1.0}, "passed": True, **more}
        return AttemptRecord(unit=unit, number=0, content_hash=text, findings=said, **given)

    def line(self, *drafts: AttemptRecord, best: int | None = None, **row: Any) -> UnitLine:
        unit = self.book.name(1)
        known = {"state": "validated", "reason": None, "attempts": len(drafts), **row}
        stands = len(drafts) if best is None else best
        numbered = [replace(draft, number=number) for number, draft in enumerate(drafts, start=1)]
        self.book.write(*numbered, replace(self.book.rows[unit], best_attempt=stands, **known))
        found = self.index.open("r").line(unit)
        assert found is not None
        return found

    def notes(self) -> dict[str, tuple[str, int]]:
        found = self.index.open("r").findings_by_rule()
        # The unit is validated, so what its draft still breaks was accepted with it.
        return {one.rule: ("open", one.accepted) if one.accepted else ("settled", one.settled) for one in found}


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with ledger(tmp_path) as book, closing(RunIndex(tmp_path / "runs")) as index:
        yield Page(book, index)


def test_the_worst_finding_of_the_kept_draft(page: Page) -> None:
    found = page.line(page.draft(("warned", "warning"), ("wrong", "critical"), ("warned", "warning")))
    assert (found.severity, found.rules) == ("critical", ("wrong", "warned"))
    assert page.notes() == {"warned": ("open", 2), "wrong": ("open", 1)}


def test_what_was_settled_on_the_way(page: Page) -> None:
    found = page.line(page.draft(("old", "error"), ("both", "warning")), page.draft(("both", "warning"), text="new"))
    assert page.notes() == {"both": ("open", 1), "old": ("settled", 1)}
    assert found.repaired


def test_what_a_draft_broke_that_was_not_kept_is_not_settled(page: Page) -> None:
    kept = page.draft(("old", "error"))
    worse = page.draft(("broken", "error"), text="worse", failure="new_errors: broken")
    page.line(kept, worse, best=1)
    assert page.notes() == {"old": ("open", 1)}
    page.line(kept, worse, page.draft(text="good"))
    assert page.notes() == {"old": ("settled", 1)}


def test_nothing_is_shown_while_nothing_was_judged(page: Page) -> None:
    found = page.line(best=0, state="draft")
    assert (found.severity, found.score, found.rules, found.cause, found.repaired) == (None, None, (), None, False)
    assert found.excerpt.startswith("Which of the following is the best answer to question 1")
    assert not page.notes()


def test_attempts_count_before_their_row_says_so(page: Page) -> None:
    assert page.line(page.draft(), page.draft(), best=0, attempts=0).attempts == 2


@pytest.mark.parametrize(
    ("findings", "cause"),
    [
        ([("minor", "warning"), ("b", "error"), ("a", "critical")], "attempts_exhausted:a"),
        ([("minor", "warning")], "attempts_exhausted"),
        ([], "attempts_exhausted"),
    ],
)
def test_the_cause_is_the_reason_and_the_first_rule_that_blocks(page: Page, findings: list[Said], cause: str) -> None:
    draft = page.draft(*findings)
    assert page.line(draft, state=WAITING, reason="attempts_exhausted").cause == cause
    assert page.line(draft, state="validated", reason="attempts_exhausted").cause is None
    assert page.line(draft, state=WAITING, reason=None).cause == cause.replace("attempts_exhausted", "unknown")


def test_an_excerpt_is_one_short_line() -> None:
    presenter = KindPresenter.of(kind_named("questions"))
    long = Question.model_validate({**question(1), "stem": "word \n\t word " * 500})
    text = presenter.excerpt(presenter.kind.to_record(long))
    assert len(text) <= EXCERPT and text.endswith("…") and "\n" not in text


def test_a_draft_that_cannot_be_read_does_not_hide_the_others(page: Page) -> None:
    assert page.line(page.draft(content={"nonsense": 1})).excerpt == UNREADABLE
    assert len(page.index.open("r").units().lines) == 6


def test_scores_that_something_depends_on_make_the_mean() -> None:
    legos = Scale.of(kind_named("legos"), 0)
    assert legos.mean({"naturalness": 2.0, "overall_score": 8.5}) == 8.5
    assert legos.line("naturalness") is None and legos.line("overall_score") == 8.0
    spread = legos.spread("overall_score", [(7.9, 2), (10.0, 1)])
    assert (spread.bins[int(0.79 * BINS)], spread.bins[-1], spread.below, spread.count) == (2, 1, 2, 3)
    lessons = Scale.of(kind_named("lessons"), 3)
    assert lessons.mean({"clarity": 0.5, "accuracy": 0.7}) == pytest.approx(0.6)
    assert lessons.mean({}) is None
    assert (lessons.spread("clarity", [(0.0, 1)]).bins[0], lessons.spread("clarity", [(0.0, 1)]).below) == (1, 0)


def test_where_drafts_are_reviewed_later_nothing_is_settled_before(page: Page) -> None:
    page.book.journal.present_with(replace(KindPresenter.of(page.book.kind), reviews_apart=True))
    first, fresh = page.draft(("grammar", "error")), page.draft(text="new", scores={})
    page.line(first, fresh)
    assert page.notes() == {}
    page.line(first, fresh, page.draft(text="new", scores={"grammar": 0.9}))
    assert page.notes() == {"grammar": ("settled", 1)}
