"""What a catalogue tells of real runs of all four kinds is what their journals tell."""

import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.core.attempts import findings_of
from burnish.core.errors import StateCorrupt, UsageError
from burnish.engine.unit_loader import EXCERPT
from burnish.store.unit_queries import UnitFilter
from tests.app.run_index.four_kinds import BANK, BOOK, COURSE, LESSON, RUNS


@pytest.fixture(scope="module")
def index(four_runs: Path) -> Iterator[RunIndex]:
    opened = RunIndex(four_runs)
    yield opened
    opened.close()


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest, index: RunIndex) -> RunReader:
    return index.open(request.param)


def test_every_unit_is_there_as_the_journal_has_it(run: RunReader) -> None:
    lines = run.units(limit=1_000).lines
    rows = list(run.view.journal.units())
    assert [line.id for line in lines] == [row.id for row in rows]
    for line, row in zip(lines, rows, strict=True):
        assert (line.document, line.position, line.state, line.reason) == (
            *(row.document, row.position, row.state, row.reason),
        )
        assert (line.attempts, line.best_attempt, line.open_errors, line.at) == (
            *(row.attempts, row.best_attempt, row.open_errors, row.at),
        )
        assert (line.cause is None) == (row.state != run.view.kind.states.waiting)
        assert 0 < len(line.excerpt) <= EXCERPT


def test_findings_and_scores_are_those_of_the_draft_that_stands(run: RunReader) -> None:
    open_rules: Counter[str] = Counter()
    scored: Counter[str] = Counter()
    for line in run.units(limit=1_000).lines:
        attempts = run.view.journal.attempts(line.id)
        stands = attempts[line.best_attempt - 1]
        rules = [finding.rule for finding in findings_of(stands)]
        assert set(line.rules) == set(rules)
        assert (line.severity is None) == (not rules)
        open_rules.update(rules)
        scored.update(list(stands.scores))
    assert {one.rule: one.open for one in run.findings_by_rule() if one.open} == open_rules
    assert {one.name: one.count for one in run.scores()} == scored


def test_stories_are_what_reading_the_source_gives(run: RunReader) -> None:
    for line in run.units(limit=1_000).lines:
        story, read = run.story(line.id), run.view.story(line.id)
        assert (story.row, story.attempts, story.decisions) == (read.row, read.attempts, read.decisions)
        assert story.source.texts() == read.source.texts()
        assert story.source.content_hash == read.source.content_hash


def test_a_unit_that_is_not_there(run: RunReader) -> None:
    with pytest.raises(UsageError, match="has no unit"):
        run.story("nobody")


def test_causes_add_up_to_what_waits(run: RunReader) -> None:
    waiting = UnitFilter((run.view.kind.states.waiting,))
    causes = run.causes()
    assert sum(one.count for one in causes) == run.units(waiting, limit=1).total == run.card.waiting > 0
    for one in causes:
        lines = run.units(UnitFilter(cause=one.cause)).lines
        assert len(lines) == one.count
        assert all(line.reason == one.reason and line.text == one.text for line in lines)
        assert one.rule is None or all(one.rule in line.rules for line in lines)


def test_what_was_spent_adds_up(run: RunReader) -> None:
    spent, totals = run.spending(5), run.view.journal.totals()
    assert len(spent) <= 5
    if not totals.calls:
        assert spent == []
        return
    assert (spent[-1].tokens, spent[-1].calls) == (totals.usage.total_tokens, totals.calls)
    assert spent[-1].cost == (totals.usage.cost if totals.unpriced_calls < totals.calls else None)
    assert [one.tokens for one in spent] == sorted(one.tokens for one in spent)


def test_what_is_special_about_each_kind(index: RunIndex) -> None:
    book, course = index.open(BOOK), index.open(COURSE)
    assert [one.cause for one in book.causes()] == ["repeated_hard_fail:grammar"]
    assert {one.name: one.line for one in book.scores()}["grammar"] == 0.8
    assert {one.name: one.line for one in course.scores()} == {
        "iron_rule_compliance": None,
        "naturalness": None,
        "pedagogical_value": None,
        "consistency": None,
        "edge_case_handling": None,
        "overall_score": 8.0,
    }
    overall = next(one for one in course.scores() if one.name == "overall_score")
    assert (overall.below, overall.count, overall.highest) == (1, 3, 10.0)
    torn = course.line("C0002")
    assert torn is not None
    assert (torn.score, torn.severity, torn.cause) == (6.0, "critical", "attempts_exhausted:c_iron_rule_violation")
    lesson = index.open(LESSON)
    assert {one.rule for one in lesson.findings_by_rule()} > {"clarity_readability", "factual_accuracy"}
    assert {one.line for one in lesson.scores()} == {None}
    bank = index.open(BANK)
    assert [(one.rule, one.count) for one in bank.causes()] == [
        ("ext_bias_detection", 2),
        ("nbme_distractor_plausibility", 1),
    ]


def test_units_that_were_written_without_a_presenter_have_excerpts_too(own_runs: Path) -> None:
    index = RunIndex(own_runs)
    for id in RUNS:
        run = index.open(id)
        lines = run.units().lines
        with closing(sqlite3.connect(run.view.folder.journal)) as connection, connection:
            connection.execute("UPDATE units SET excerpt = NULL")
        assert [line.excerpt for line in run.units().lines] == [line.excerpt for line in lines]
    index.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE units SET notes = 'no json'",
        "UPDATE units SET excerpt = X'7A00'",
        "UPDATE sources SET content = 'no json'",
    ],
)
def test_a_journal_that_somebody_damaged_is_told_as_such(own_runs: Path, statement: str) -> None:
    index = RunIndex(own_runs)
    run = index.open(BANK)
    with closing(sqlite3.connect(run.view.folder.journal)) as connection, connection:
        connection.execute(statement)
    look = run.story if "sources" in statement else run.line
    with pytest.raises(StateCorrupt, match="damaged"):
        look("q1")
    index.close()
