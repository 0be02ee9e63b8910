"""A2 for courses: neither the review of a SEED nor its records are slower than linear in its length."""

from dataclasses import replace

import pytest

from burnish.kinds.legos.edge_cases import _runs_on
from burnish.kinds.legos.model import Lego, Seed, words_of
from burnish.kinds.legos.publish import lego_records
from burnish.kinds.legos.resources import Terms, gathered
from burnish.kinds.legos.rule_review import examination, look
from tests.abuse.linearity import Work, steepness
from tests.legos_model import COURSE

# What is timed here is the code as it runs for users.
pytestmark = pytest.mark.no_cover

TERMS = Terms(course_code=COURSE)
ALIGNED: dict[str, dict[str, str]] = {"links": {}, "cuts": {}, "pairs": {}}
AT = "2026-11-15T10:00:00Z"


def seed(piece: str, size: int) -> Seed:
    """A sentence of so many pieces, every word a LEGO of its own: as many faults as there can be."""
    text = " ".join([piece] * size)
    legos = tuple(Lego(word.text, word.text, word.start, word.end, word.start, word.end) for word in words_of(text))
    return Seed("C0001", "0" * 32, text, text, COURSE, legos)


def reviewed(piece: str, size: int) -> Work:
    made = seed(piece, size)
    return lambda: examination(made, look(made, TERMS, None))


def recorded(piece: str, size: int) -> Work:
    made = seed(piece, size)
    return lambda: lego_records(made, TERMS, AT)


def counted(piece: str, size: int) -> Work:
    made = seed(piece, size)
    return lambda: gathered([made], TERMS, ALIGNED)


@pytest.mark.parametrize("work", [reviewed, recorded, counted], ids=lambda work: work.__name__)
@pytest.mark.parametrize("piece", ["the", "turn on", "to"])
def test_long_sentences(work: object, piece: str) -> None:
    assert steepness(lambda size: work(piece, size), 150) is None  # type: ignore[operator]


@pytest.mark.parametrize("piece", ["x", ".", "a.b", ". (", '." ', "Mr. "])
def test_where_a_sentence_ends_is_found_at_once(piece: str) -> None:
    assert steepness(lambda size: lambda: _runs_on(piece * size), 2_000) is None


def test_one_endless_word() -> None:
    whole = replace(seed("x", 1), source="x" * 1_000, target="й" * 1_000)

    def work(size: int) -> Work:
        text = "x" * size
        made = replace(whole, source=text, target=text, legos=(Lego(text, text, 0, size, 0, size),))
        return lambda: look(made, TERMS, None)

    assert steepness(work, 5_000) is None
