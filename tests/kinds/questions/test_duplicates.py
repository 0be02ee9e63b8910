"""Near-duplicates: what is alike, what is not, and the index on disk."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.questions_corpus import generate, near_duplicate
from burnish.core.errors import StorageFailed
from burnish.kinds.questions import duplicates, similarity
from burnish.kinds.questions.duplicates import DuplicateIndex, duplicate_finding
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.similarity import FLAGGED, REJECTED, Match, Profile, profile, signature

STEM = (
    "A 54-year-old man comes to the emergency department because of crushing chest pain for 2 hours. "
    "Which of the following drugs should be given first?"
)
OPTIONS = ("Aspirin", "Digoxin", "Furosemide", "Lidocaine")


def question(
    stem: str = STEM, options: tuple[str, ...] = OPTIONS, key: str = "A", id: str = "q", **more: Any
) -> Question:
    lettered = [{"key": letter, "text": text} for letter, text in zip("ABCDEFGH", options, strict=False)]
    return Question.model_validate({"id": id, "stem": stem, "options": lettered, "correct_answer": key, **more})


def alike(one: Question, other: Question) -> float:
    return similarity.similarity(profile(one), profile(other))


@pytest.fixture
def index() -> Iterator[DuplicateIndex]:
    with DuplicateIndex() as opened:
        yield opened


# -- similarity


def test_case_punctuation_and_the_order_of_options_do_not_count() -> None:
    shuffled = question(STEM.upper().replace(".", " ;"), ("digoxin", "lidocaine", "furosemide", "ASPIRIN"), "D")
    assert alike(question(), shuffled) == 0.99, "100 % is said only of identical text"
    assert alike(question(), question()) == 1.0


def test_a_few_changed_words_are_a_potential_duplicate() -> None:
    other = question(STEM.replace("crushing chest pain", "severe pain in the chest").replace("comes", "is brought"))
    assert FLAGGED <= alike(question(), other) < 1


@pytest.mark.parametrize(
    "stem",
    [STEM.replace("54", "45"), STEM.replace("should be", "should not be"), STEM.replace("for 2", "for > 2")],
)
def test_another_number_sign_or_negation_is_never_rejected(stem: str) -> None:
    assert FLAGGED <= alike(question(), question(stem)) < REJECTED


def test_another_right_answer_is_never_rejected_unless_all_words_are_the_same() -> None:
    hypo = question(STEM.replace("crushing", "burning"), key="B")
    assert alike(question(), hypo) < REJECTED
    assert alike(question(), question(key="B")) == 1.0


def test_one_stem_with_other_options_and_other_stems_with_one_list_are_not_alike() -> None:
    assert alike(question(), question(options=("Oxygen", "Heparin", "Nitroglycerin", "Morphine"))) < FLAGGED
    other = "A 30-year-old woman has had a rash on both arms since Monday. Which of the following drugs is best?"
    assert alike(question(), question(other)) < FLAGGED


def test_boilerplate_makes_nothing_alike() -> None:
    liver = question("Which of the following is a function of the liver?", ("Making bile", "Making urine", "Breathing"))
    kidney = question(
        "Which of the following is a function of the kidney?", ("Making bile", "Making urine", "Breathing")
    )
    assert alike(liver, kidney) < FLAGGED


def test_scripts_without_spaces_are_compared_by_character() -> None:
    chinese = "患者男性五十四岁因压榨性胸痛两小时来急诊科就诊心电图显示下壁导联抬高应首先给予下列哪种药物"
    changed = chinese.replace("五十四", "四十五")
    assert FLAGGED <= alike(question(chinese), question(changed)) < 1


def test_sets_are_compared_with_their_items() -> None:
    items = [
        {"stem": "A man has a fever.", "correct_answer": "A"},
        {"stem": "A boy has a rash.", "correct_answer": "B"},
    ]
    one = question("For each patient, choose the drug.", type="extended_matching", items=items, key="")
    other = question("For each patient, choose the drug.", type="extended_matching", items=items[:1], key="")
    assert alike(one, one) == 1.0 and alike(one, other) < REJECTED


def test_questions_without_options_or_words() -> None:
    assert alike(question("", ()), question("", ())) == 1.0
    assert alike(question("Is it?", ()), question(STEM, ())) == 0.0


PROFILES = st.builds(question, st.text(max_size=60), st.lists(st.text(max_size=10), max_size=5).map(tuple)).map(profile)


@given(PROFILES, PROFILES)
def test_similarity_is_symmetric_and_bounded(one: Profile, other: Profile) -> None:
    there, back = similarity.similarity(one, other), similarity.similarity(other, one)
    assert 0 <= there <= 1 and similarity.similarity(one, one) == 1.0
    # Pairing options greedily may differ by direction, but never across a threshold by much.
    assert there == pytest.approx(back, abs=0.15)


@given(PROFILES)
def test_profiles_survive_packing(one: Profile) -> None:
    assert Profile.unpacked(one.packed()) == one
    bands, sketch = signature(one)
    again, same_sketch = signature(Profile.unpacked(one.packed()))
    assert (again == bands).all() and same_sketch == sketch


def test_the_cache_of_hashes_is_emptied_before_it_grows_large(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = similarity._Hashes()
    monkeypatch.setattr(similarity._Hashes, "LARGEST", 3)
    values = [hashes[f"word{n}"] for n in range(10)]
    assert len(hashes) <= 3 and hashes["word0"] == values[0]
    assert hashes["x" * 41] and "x" * 41 not in hashes


# -- the index


def test_the_later_question_is_told_of_the_earlier_one(index: DuplicateIndex) -> None:
    assert index.add(question(id="first")) == []
    assert index.add(question(STEM.lower(), id="second")) == [Match("first", None, 0.99)]


def test_an_earlier_bank_is_named(index: DuplicateIndex) -> None:
    index.add(question(id="old"), origin="2023.jsonl")
    (match,) = index.add(question(id="new"))
    assert (match.id, match.origin, match.rejected) == ("old", "2023.jsonl", True)


def test_written_or_waiting_makes_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(3)
    records = list(generate(60, seed=5))
    copies = [near_duplicate(record, chance, changed_words=2) for record in records]
    found: dict[int, list[list[Match]]] = {}
    for batch in (1, 7, 10_000):
        monkeypatch.setattr(similarity, "BATCH", batch)
        monkeypatch.setattr(duplicates, "FEW", 0)
        with DuplicateIndex() as index:
            found[batch] = [index.add(Question.model_validate(record)) for record in records + copies]
    monkeypatch.setattr(duplicates, "FEW", 200)
    with DuplicateIndex() as index:
        few = [index.add(Question.model_validate(record)) for record in records + copies]
    assert found[1] == found[7] == found[10_000]
    assert [matches[:1] for matches in few] == [matches[:1] for matches in found[1]], "one by one, or by the index"
    assert found[1][:60] == [[]] * 60
    assert sum(bool(matches) for matches in found[1][60:]) > 50


def test_recall_of_light_rewording(index: DuplicateIndex) -> None:
    chance, wanted, found = Random(11), 0, 0
    for record in generate(400, seed=2):
        original = Question.model_validate(record)
        index.add(original)
        copy = near_duplicate(record, chance, changed_words=max(1, len(record["stem"].split()) // 12))
        reworded = Question.model_validate(copy)
        if alike(original, reworded) >= FLAGGED:
            wanted += 1
            found += record["id"] in [match.id for match in index.add(reworded)]
    assert wanted > 300 and found / wanted > 0.97


def test_different_questions_are_hardly_ever_flagged(index: DuplicateIndex) -> None:
    flagged = [match for record in generate(1500, seed=9) for match in index.add(Question.model_validate(record))]
    assert len(flagged) <= 2 and not any(match.rejected for match in flagged)


def test_a_question_repeated_a_thousand_times_is_compared_with_a_few(index: DuplicateIndex) -> None:
    for number in range(1000):
        matches = index.add(question(id=f"q{number}"))
    assert 0 < len(matches) <= similarity.MOST_COMPARED and matches[0].id == "q0"


def a_small_index(monkeypatch: pytest.MonkeyPatch, *pragmas: str) -> DuplicateIndex:
    """Written often, and with hardly any memory of its own."""
    monkeypatch.setattr(duplicates, "FEW", 0)
    monkeypatch.setattr(similarity, "BATCH", 20)
    monkeypatch.setattr(similarity, "_PRAGMAS", ("journal_mode=OFF", "synchronous=OFF", "cache_size=5", *pragmas))
    return DuplicateIndex()


def open_files() -> set[str]:
    links = (link for link in Path("/proc/self/fd").iterdir() if os.path.lexists(link))
    return {str(link.readlink()) for link in links}


def test_the_file_has_no_name_so_a_killed_process_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    before = open_files()
    with a_small_index(monkeypatch) as index:
        for number in range(200):
            index.add(question(f"Which of the {number} roads leads to {number * 7}?", id=str(number)))
        [file] = open_files() - before
        assert file.endswith(" (deleted)"), "it lies on the disk, and no folder lists it"
    assert open_files() <= before


def test_a_full_disk_is_an_error_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    with a_small_index(monkeypatch, "max_page_count=12") as index, pytest.raises(StorageFailed) as refusal:
        for number in range(500):
            index.add(question(f"Which of the {number} roads leads to {number * 7}?", id=str(number)))
    assert "SQLITE_FULL" in refusal.value.message
    assert refusal.value.hint


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=6))
def test_any_text_can_be_indexed(stems: list[str]) -> None:
    with DuplicateIndex() as index:
        for number, stem in enumerate(stems):
            matches = index.add(question(stem, id=str(number)))
            assert all(FLAGGED <= match.similarity <= 1 for match in matches)


def test_a_huge_stem_is_hashed_in_blocks(index: DuplicateIndex) -> None:
    huge = question(" ".join(f"word{n}" for n in range(10_000)), id="huge")
    assert index.add(huge) == []
    assert index.add(huge)[0].similarity == 1.0


# -- the finding


def test_a_rejected_question_is_an_error_and_a_similar_one_a_warning() -> None:
    error = duplicate_finding("new", [Match("old", "2023.jsonl", 0.97)])
    warning = duplicate_finding("new", [Match("old", None, 0.949), Match("older", None, 0.9)])
    assert error is not None and warning is not None
    assert (error.rule, error.severity, error.unit, error.field) == ("potential_duplicate", "error", "new", None)
    assert error.message == "The question is 97 % like 'old' in 2023.jsonl."
    assert warning.severity == "warning" and "94 %" in warning.message and "1 more" in warning.message
    assert duplicate_finding("new", []) is None
