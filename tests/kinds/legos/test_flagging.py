"""Decisions on a SEED, and who has to look."""

import pytest

from burnish.kinds.legos.model import words_of
from burnish.kinds.legos.policy import Concern, Severity
from burnish.kinds.legos.rule_review import count_clauses, decision, flags, unusual
from tests.kinds.legos.seeds_cut_by_hand import english


def concerns(*severities: Severity) -> tuple[Concern, ...]:
    return tuple(Concern("c_x", severity, "naturalness", "d", (), "f") for severity in severities)


@pytest.mark.parametrize(
    ("score", "meaning"),
    [(10, "accepted"), (8.0, "accepted"), (7.9, "flagged"), (5.0, "flagged"), (4.9, "failed"), (0, "failed")],
)
def test_lines(score: float, meaning: str) -> None:
    assert decision(score) == meaning


@pytest.mark.parametrize(
    ("score", "attempts", "open_concerns", "also", "flagged", "person"),
    [
        (9.0, 1, (), {}, False, False),
        (9.0, 2, ("high", "medium", "low"), {}, False, False),
        (7.9, 1, (), {"is_last": False}, True, False),
        (4.0, 2, (), {"is_last": False}, True, False),
        (9.0, 3, (), {}, True, False),
        (7.9, 3, (), {}, True, True),
        (7.9, 1, (), {}, True, False),
        (7.9, 2, (), {"most_attempts": 2}, True, True),
        (9.0, 1, (), {"most_attempts": 1}, False, False),
        (9.0, 1, ("high", "high"), {}, True, False),
        (9.0, 1, ("critical",), {}, True, True),
        (7.0, 1, ("critical",), {"is_last": False}, True, False),
        (9.0, 1, (), {"unusual": "30 words"}, True, True),
        (9.0, 1, (), {"on_request": True}, True, True),
    ],
)
def test_who_looks(
    score: float,
    attempts: int,
    open_concerns: tuple[Severity, ...],
    also: dict[str, object],
    flagged: bool,
    person: bool,
) -> None:
    found = flags(score, attempts, concerns(*open_concerns), **also)  # type: ignore[arg-type]
    assert (found.flagged_for_review, found.human_review_requested) == (flagged, person)
    assert bool(found.reasons) == flagged


def test_reasons_are_told() -> None:
    assert flags(6.0, 3, concerns("critical"), unusual="30 words").reasons == (
        "not accepted after the last attempt",
        "a critical concern is left",
        "an unusual SEED: 30 words",
    )
    assert flags(6.0, 1, (), is_last=False).reasons == ("the score is below the threshold",)


@pytest.mark.parametrize(
    ("sentence", "clauses"),
    [
        ("I know.", 1),
        ("Hello!", 1),
        ("You and I know Tom and Mary.", 1),
        ("I don't know how Tom did it, but he did it.", 3),
        ("I know what you want.", 2),
        ("Bread, butter, milk and eggs.", 1),
        ("Tom ran, Mary sang, John slept, and Bill cried.", 4),
        ("Tom often ran and Mary never sang.", 2),
        ("A walk, the light and for a drink.", 1),
        ("Tom works, eats and sleeps here.", 1),
        ("", 1),
    ],
)
def test_clauses(sentence: str, clauses: int) -> None:
    assert count_clauses(words_of(sentence), english()) == clauses


def test_unusual_seeds() -> None:
    assert unusual("word " * 25, english()) is None
    assert unusual("word " * 26, english()) == "26 words"
    assert unusual("I know what you want and I can do it.", english()) == "3 clauses"
    assert unusual("I want to speak with you now.", english()) is None
