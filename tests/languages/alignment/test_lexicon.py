"""What a course says about words it hardly knows."""

import numpy as np
import pytest

from burnish.languages.alignment.corpus import Corpus, corpus_of
from burnish.languages.alignment.training import chances, lexicons

CORPUS = corpus_of([(["water"], ["вода"])] * 9 + [(["waters"], ["прска", "водата"]), (["tiger"], ["лав", "тигар"])])


def probabilities(corpus: Corpus, counts: np.ndarray, alike: np.ndarray) -> dict[tuple[str, str], float]:
    learned = lexicons(corpus, alike)[0].learned(counts)
    cells = np.arange(corpus.meetings, dtype=np.int32).reshape(1, 1, -1)
    found = learned.probabilities(cells, np.zeros(cells.shape, dtype=np.float32), axis=2)[0, 0]
    return {meeting: float(one) for meeting, one in zip(meetings(corpus), found, strict=True)}


def meetings(corpus: Corpus) -> list[tuple[str, str]]:
    words = zip(corpus.meeting_sources, corpus.meeting_targets, strict=True)
    return [(corpus.source.words[source], corpus.target.words[target]) for source, target in words]


def counted(**counts: float) -> np.ndarray:
    """`water_вода=9` -> the counts of all meetings."""
    return np.array([counts.get("_".join(meeting), 0.0) for meeting in meetings(CORPUS)])


def test_forms_that_begin_alike_share_what_is_known() -> None:
    found = probabilities(CORPUS, counted(water_вода=9), np.zeros(CORPUS.meetings))
    assert found["waters", "водата"] > 3 * found["waters", "прска"]
    assert found["water", "вода"] > 0.9
    assert found["", ""] == 0


def test_words_written_alike_have_a_bonus() -> None:
    found = probabilities(CORPUS, counted(), counted(tiger_тигар=1))
    assert found["tiger", "тигар"] > 10 * found["tiger", "лав"]


def test_a_word_is_not_sure_of_what_it_alone_has_seen() -> None:
    counts = counted(water_вода=9, waters_прска=1)
    learned = lexicons(CORPUS, np.zeros(CORPUS.meetings))[0].learned(counts)
    places = [meetings(CORPUS).index(("waters", word)) for word in ("прска", "водата")]
    cells, own = np.array([[places]], dtype=np.int32), np.array([[[1.0, 0.0]]], dtype=np.float32)
    with_echo = learned.probabilities(cells, np.zeros_like(own), axis=2)[0, 0]
    without = learned.probabilities(cells, own, axis=2)[0, 0]
    assert without[0] < with_echo[0] / 2
    assert without[1] > with_echo[1]


def test_chances_are_shares_of_the_text() -> None:
    found = chances(CORPUS.source)
    assert found[1:].sum() == pytest.approx(1)
    assert found[0] == 1
