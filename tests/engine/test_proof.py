"""A written document is proven unit by unit, and whoever is to blame for a difference is named."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from burnish.core.documents import Part, PassedThrough, Problem, Unit
from burnish.core.errors import StateCorrupt
from burnish.engine.plan import DocumentPlan
from burnish.engine.proof import UNREADABLE, Proof, Trouble, compare
from burnish.kinds.questions.kind import QuestionsKind
from tests.core.units import PlainUnit

DOCUMENT = DocumentPlan("bank.json", "/bank.json", "json", "sha256:0")
KIND = QuestionsKind()
ESSAY = PassedThrough("essay", "essay")


def unit(id: str, stem: str = "", note: str = "") -> PlainUnit:
    return PlainUnit.of(id, stem=stem or f"What is {id}?", note=note)


A, B, C = unit("a"), unit("b"), unit("c")
SOURCE: Sequence[Part] = (A, ESSAY, B, C)


def compared(
    after: Sequence[Part],
    drafts: Mapping[str, Unit] | None = None,
    *,
    same_format: bool = True,
    before: Sequence[Part] = SOURCE,
) -> Proof:
    def draft_of(old: Unit) -> tuple[str, Unit | None]:
        return f"run:{old.id}", (drafts or {}).get(old.id)

    return compare(DOCUMENT, Path(__file__), KIND, iter(before), iter(after), draft_of, same_format=same_format)


def test_an_unchanged_document_is_proven() -> None:
    found = compared(SOURCE)
    assert (found.units, found.changed, found.left_out, found.refused) == (3, (), 0, {})


def test_a_changed_unit_is_named_and_the_others_have_one_digest() -> None:
    new = unit("b", "What is B now?")
    found = compared([A, ESSAY, new, C], {"b": new})
    assert (found.units, found.changed, found.refused) == (3, ("b",), {})
    assert found.untouched_digest == compared([A, C], before=[A, C]).untouched_digest
    assert found.untouched_digest != compared(SOURCE).untouched_digest


def test_problems_have_no_place_of_their_own() -> None:
    assert compared([A, Problem("odd", "Odd.", "bank.json"), ESSAY, B, C]).refused == {}


@pytest.mark.parametrize(
    "after",
    [
        pytest.param([unit("a", " What is a? "), ESSAY, B, C], id="white space of an unchanged unit"),
        pytest.param([A, PassedThrough("other", "essay"), B, C], id="another part passed through"),
        pytest.param([A, B, B, C], id="a unit in place of a part passed through"),
        pytest.param([A, ESSAY, B], id="too few"),
        pytest.param([A, ESSAY, B, C, C], id="too many"),
    ],
)
def test_where_nothing_was_changed_a_difference_is_a_bug_of_ours(after: Sequence[Part]) -> None:
    with pytest.raises(StateCorrupt) as caught:
        compared(after)
    assert "nothing was published" in caught.value.message


def test_a_changed_unit_may_lose_white_space_at_its_ends_and_empty_texts() -> None:
    draft = unit("b", " What is B now? ", " ")
    assert compared([A, ESSAY, unit("b", "What is B now?"), C], {"b": draft}).refused == {}
    assert compared([A, ESSAY, unit("b", "What is B?"), C], {"b": draft}).refused == {"run:b": UNREADABLE}
    assert compared([A, ESSAY, unit("x", "What is B now?"), C], {"b": draft}).refused == {"run:b": UNREADABLE}


def test_every_changed_unit_that_came_out_as_something_else_is_refused() -> None:
    new = {"a": unit("a", "One?"), "b": unit("b", "Two?")}
    found = compared([unit("a", "1"), ESSAY, unit("b", "2"), C], new)
    assert found.refused == {"run:a": UNREADABLE, "run:b": UNREADABLE}


def test_where_a_part_is_missing_only_those_before_whom_all_was_well_are_to_blame() -> None:
    new = {"a": unit("a", "One?"), "b": unit("b", "Two?")}
    found = compared([new["a"], new["b"], C], new, before=SOURCE)
    assert found.refused == {"run:a": UNREADABLE}, "all that follows is shifted, and no fault of b"


def test_an_unchanged_unit_that_came_out_otherwise_is_the_fault_of_the_change_before_it() -> None:
    new = unit("a", "One? /*")
    assert compared([new, ESSAY, unit("b", "swallowed"), C], {"a": new}).refused == {"run:a": UNREADABLE}


def test_a_part_too_many_is_the_fault_of_the_last_change() -> None:
    new = unit("c", "Three? ::d:: Four?")
    assert compared([A, ESSAY, B, new, unit("d")], {"c": new}).refused == {"run:c": UNREADABLE}


def test_in_another_format_units_are_counted() -> None:
    found = compared([A, B], same_format=False)
    assert (found.units, found.left_out, found.refused) == (3, 1, {})
    new = unit("b", "Two?")
    assert compared([A, new, C, unit("d")], {"b": new}, same_format=False).refused == {"run:b": UNREADABLE}


def proof(**more: object) -> Proof:
    return Proof("d", "/d", "before", "after", 3, ("a",), "sha256:1", **more)  # type: ignore[arg-type]


def test_a_document_with_a_hole_or_a_refusal_is_not_whole() -> None:
    assert proof().whole and proof(lost=("tags",)).whole
    assert not proof(left_out=1).whole
    assert not proof(refused={"run:a": "It has no room."}).whole


def test_a_proof_says_how_many_units_were_left_alone() -> None:
    assert proof().as_record()["untouched"] == {"units": 2, "digest": "sha256:1"}


@pytest.mark.parametrize(
    ("parts", "missing", "refused"),
    [
        ([None, "a", None, "b"], False, {"a", "b"}),
        ([None, "a", "b", None, "c"], False, {"a", "b", "c"}),
        ([None, "a", "b", None, "c"], True, {"a", "c"}),
        (["", "b"], True, {""}),
        ([None, None], True, set()),
    ],
)
def test_where_parts_are_shifted_only_the_first_of_each_row_is_to_blame(
    parts: list[str | None], missing: bool, refused: set[str]
) -> None:
    trouble = Trouble()
    for place, blamed in enumerate(parts):
        trouble.note(blamed, missing=missing and place == 0)
    assert set(trouble.refused) == refused
