"""What the catalogue says of one unit."""

from typing import Any

import pytest

from burnish.app.catalogue.entries import BINS, EXCERPT, UNREADABLE, Entry, Lens, Scale, entry_of, excerpt_of
from burnish.app.kinds import kind_named
from burnish.core.records import UnitRow
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.following import Sketch
from tests.app.catalogue.ledger import WAITING, Said, finding, question

KIND = QuestionsKind()
LENS = Lens.of(KIND, 0)
UNIT = Question.model_validate(question(1))


def sketch(number: int, *findings: Said, text: str = "source", **more: Any) -> Sketch:
    said = tuple(finding(UNIT, *one).as_record() for one in findings)
    given = {"cause": "model", "content": None, "scores": {"rules": 1.0}, "failure": None, **more}
    return Sketch(unit="q1", number=number, content_hash=text, findings=said, **given)


def entry(*attempts: Sketch, best: int | None = None, lens: Lens = LENS, **row: Any) -> Entry:
    stands = len(attempts) if best is None else best
    given = {"state": "validated", "reason": None, "attempts": len(attempts), **row}
    return entry_of(lens, 7, UnitRow("q1", "bank.json", 3, "source", best_attempt=stands, **given), attempts, [])


def notes(of: Entry) -> dict[str, tuple[str, int]]:
    return {one.rule: ("settled" if one.settled else "open", one.times) for one in of.notes}


def test_the_worst_finding_of_the_draft_that_stands() -> None:
    found = entry(sketch(1, ("warned", "warning"), ("wrong", "critical"), ("warned", "warning")))
    assert (found.severity, found.rules) == (0, ("wrong", "warned"))
    assert notes(found) == {"warned": ("open", 2), "wrong": ("open", 1)}


def test_what_was_settled_on_the_way() -> None:
    found = entry(sketch(1, ("old", "error"), ("both", "warning")), sketch(2, ("both", "warning"), text="new"))
    assert notes(found) == {"both": ("open", 1), "old": ("settled", 1)}
    assert found.repaired


def test_what_a_draft_broke_that_was_not_kept_is_not_settled() -> None:
    kept, worse = (
        sketch(1, ("old", "error")),
        sketch(2, ("broken", "error"), text="worse", failure="new_errors: broken"),
    )
    assert notes(entry(kept, worse, best=1)) == {"old": ("open", 1)}
    assert notes(entry(kept, worse, sketch(3, text="good"))) == {"old": ("settled", 1)}


def test_nothing_stands_while_nothing_was_judged() -> None:
    found = entry(best=0, state="draft")
    assert (found.severity, found.score, found.rules, found.cause, found.repaired) == (None, None, (), None, False)
    assert found.excerpt is None and not found.notes


def test_attempts_count_before_their_row_says_so() -> None:
    assert entry(sketch(1), sketch(2), best=0, attempts=0).attempts == 2


@pytest.mark.parametrize(
    ("findings", "cause"),
    [
        ([("minor", "warning"), ("b", "error"), ("a", "critical")], "attempts_exhausted:a"),
        ([("minor", "warning")], "attempts_exhausted"),
        ([], "attempts_exhausted"),
    ],
)
def test_the_cause_is_the_reason_and_the_first_rule_that_blocks(findings: list[Said], cause: str) -> None:
    assert entry(sketch(1, *findings), state=WAITING, reason="attempts_exhausted").cause == cause
    assert entry(sketch(1, *findings), state="validated", reason="attempts_exhausted").cause is None


def test_an_excerpt_is_one_short_line() -> None:
    long = Question.model_validate({**question(1), "stem": "word \n\t word " * 500})
    text = excerpt_of(KIND, long)
    assert len(text) <= EXCERPT and text.endswith("…") and "\n" not in text
    assert excerpt_of(KIND, UNIT).startswith("Which of the following is the best answer to question 1")


def test_scores_that_something_depends_on_make_the_mean() -> None:
    legos = Scale.of(kind_named("legos"), 0)
    assert legos.mean({"naturalness": 2.0, "overall_score": 8.5}) == 8.5
    assert legos.line("naturalness") is None and legos.line("overall_score") == 8.0
    assert legos.place("overall_score", 7.9) == (int(0.79 * BINS), True)
    assert legos.place("overall_score", 10.0) == (BINS - 1, False)
    lessons = Scale.of(kind_named("lessons"), 3)
    assert lessons.mean({"clarity": 0.5, "accuracy": 0.7}) == pytest.approx(0.6)
    assert lessons.mean({}) is None
    assert lessons.place("clarity", 0.0) == (0, False)


def test_where_drafts_are_reviewed_later_nothing_is_settled_before() -> None:
    lens = Lens.of(kind_named("manuscripts"), 0)
    first, fresh = sketch(1, ("grammar", "error")), sketch(2, text="new", scores={})
    assert notes(entry(first, fresh, lens=lens, state="reworked")) == {}
    judged = sketch(3, text="new", scores={"grammar": 0.9})
    assert notes(entry(first, fresh, judged, lens=lens, state="ready_to_merge")) == {"grammar": ("settled", 1)}


def test_a_draft_that_cannot_be_read_does_not_hide_the_others() -> None:
    assert entry(sketch(1, content={"nonsense": 1})).excerpt == UNREADABLE
