"""Banks as wholes: what is seen across several files, and drafts beside all other questions."""

from pathlib import Path
from typing import Any

import pytest

from burnish.core.checks import Examination
from burnish.core.documents import Placed
from burnish.core.findings import Finding
from burnish.kinds.questions.duplicates import BankOverview, Contradictions
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from tests.engine.questions_bench import sound, write_bank

KIND = QuestionsKind()
NOTHING = Examination(())


def question(number: int, id: str | None = None, **changes: Any) -> Question:
    return Question.model_validate(sound(number, id, **changes))


def heard(overview: BankOverview, *banks: list[Question]) -> list[Finding]:
    found = []
    for number, bank in enumerate(banks):
        overview.begin(f"{'abc'[number]}.json")
        found += [finding for one in bank for finding in overview.add(one, NOTHING)]
    overview.close()
    return found


def test_a_copy_in_the_same_bank_is_an_error_and_in_another_one_a_warning() -> None:
    [inside] = heard(BankOverview(), [question(0), question(0, "twin")])
    assert (inside.severity, inside.unit) == ("error", "twin")
    assert inside.message == "The question is 100 % like 'q0'."
    [across] = heard(BankOverview(), [question(0)], [question(1), question(0, "twin")])
    assert (across.severity, across.unit) == ("warning", "twin")
    assert across.message == "The question is 100 % like 'q0' in a.json."


def test_a_copy_in_the_same_bank_is_not_hidden_by_one_in_another() -> None:
    *_, last = heard(BankOverview(), [question(0, "old")], [question(0, "first"), question(0, "second")])
    assert (last.severity, last.unit) == ("error", "second")
    assert last.message.startswith("The question is 100 % like 'first'.")


def test_facts_are_those_of_one_bank() -> None:
    overview = BankOverview()
    overview.begin("a.json")
    overview.add(question(0), NOTHING)
    overview.add(question(0, "twin"), NOTHING)
    first = overview.result()
    overview.begin("b.json")
    overview.add(question(1), NOTHING)
    second = overview.result()
    overview.close()
    assert (first["near_duplicates"], second["near_duplicates"]) == (1, 0)
    assert (first["key_balance"][0]["questions"], second["key_balance"][0]["questions"]) == (2, 1)


def test_an_earlier_bank_is_read_once_and_its_problems_are_told(tmp_path: Path) -> None:
    earlier = write_bank(tmp_path, [sound(0, "old"), sound(2, "older")], "earlier.jsonl")
    earlier.write_text(earlier.read_text() + "{torn\n")
    overview = BankOverview((str(earlier), "jsonl"))
    problems = list(overview.prepare())
    assert [(problem.path, problem.line) for problem in problems] == [(str(earlier), 3)]
    earlier.unlink()
    assert list(overview.prepare()) == []
    found = heard(overview, [question(0)], [question(2)])
    assert [finding.severity for finding in found] == ["error", "error"], "an earlier bank is no neighbour"
    assert found[0].message == f"The question is 100 % like 'old' in {earlier}."


def test_a_rule_that_is_off_costs_nothing_and_says_nothing(tmp_path: Path) -> None:
    overview = BankOverview((str(tmp_path / "never.jsonl"), "jsonl"), off=("potential_duplicate",))
    assert list(overview.prepare()) == []
    assert heard(overview, [question(0), question(0, "twin")]) == []
    assert "near_duplicates" not in overview.result(), "nobody looked"


# -- drafts beside the others


def placed(unit: Question, document: str = "a.json") -> Placed:
    return Placed(f"{document}/{unit.id}", document, unit)


def repeated(drafts: list[Placed], others: list[Placed], **options: Any) -> dict[str, tuple[str, str]]:
    found = KIND.repetitions(drafts, iter(others), options, ())
    return {name: (finding.severity, finding.message) for name, finding in found}


def test_a_draft_that_repeats_another_question_is_told_whether_it_comes_before_or_after() -> None:
    draft, other = placed(question(0, "new")), placed(question(0, "old"))
    assert repeated([draft], [placed(question(1)), other]) == {
        "a.json/new": ("error", "The question is 100 % like 'old'.")
    }
    assert repeated([placed(question(2))], [placed(question(1)), other]) == {}


def test_of_two_drafts_that_are_alike_the_later_one_is_told() -> None:
    assert list(repeated([placed(question(0, "one")), placed(question(0, "two"))], [])) == ["a.json/two"]


def test_a_draft_like_one_of_another_file_is_worth_a_word() -> None:
    found = repeated([placed(question(0, "new"), "b.json")], [placed(question(0, "old"))])
    assert found == {"b.json/new": ("warning", "The question is 100 % like 'old' in a.json.")}


def test_a_draft_is_compared_with_an_earlier_bank(tmp_path: Path) -> None:
    earlier = write_bank(tmp_path, [sound(0, "old")], "earlier.json")
    found = repeated([placed(question(0, "new"))], [], against=[str(earlier), "json"])
    assert found["a.json/new"][0] == "error"


def test_a_question_may_ask_not_to_be_compared() -> None:
    ignoring = question(0, "new", burnish_ignore=["potential_duplicate"])
    assert repeated([placed(ignoring)], [placed(question(0, "old"))]) == {}


@pytest.mark.parametrize("off", [(), ("potential_duplicate",)])
def test_nothing_is_read_where_there_is_nothing_to_compare(off: tuple[str, ...]) -> None:
    def never() -> Any:
        raise AssertionError("nobody should ask")
        yield

    drafts = [placed(question(0))] if off else []
    assert list(KIND.repetitions(drafts, never(), {}, off)) == []


def test_the_same_text_with_another_key_is_an_error_of_both() -> None:
    bank = [
        question(0),
        question(0, "again", correct_answer="B", options=sound(0)["options"][::-1]),
        question(0, "copy"),
        question(1),
    ]
    overview = BankOverview(off=("potential_duplicate",))
    overview.begin("bank.json", bank)
    found = [finding for one in bank for finding in overview.add(one, NOTHING)]
    assert [finding.unit for finding in found] == ["q0", "again", "copy"]
    assert all(finding.blocks and finding.rule == "ext_contradicting_keys" for finding in found)
    assert ["'again'" in finding.message for finding in found] == [True] * 3
    overview.begin("other.json", bank[:1])
    assert overview.add(bank[0], NOTHING) == [], "each file is a bank of its own"
    overview.close()


def test_contradicting_keys_are_found_however_large_the_bank_and_whatever_its_letters() -> None:
    many = [question(1, f"\ud800{number}", stem=f"Number {number}: which one?") for number in range(5_000)]
    bank = [question(0), *many, question(0, "last", correct_answer="B")]
    contradictions = Contradictions(bank)
    assert [one.id for one in bank if contradictions.finding(one)] == ["q0", "last"]
    contradictions.close()
