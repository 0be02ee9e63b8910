"""Questions as the engine and the doors see them."""

import io
import json
from pathlib import Path

import pytest

from burnish.core.errors import InputError
from burnish.kinds.questions import checks
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from tests.engine.questions_bench import BIASED, biased, sound

KIND = QuestionsKind()


def question(**changes: object) -> Question:
    return Question.model_validate({**sound(0), **changes})


def test_a_record_gives_the_question_back_as_it_was() -> None:
    made = question(rationale=None, metadata={"difficulty": "easy", "of_our_own": [1]}, extra={"kept": True})
    again = KIND.from_record(json.loads(json.dumps(KIND.to_record(made))))
    assert again == made
    assert again.content_hash == made.content_hash
    assert "rationale" in KIND.to_record(made), "a field that was given as null is still given"
    assert "vignette" not in KIND.to_record(made)


def test_a_person_may_give_only_what_changes() -> None:
    edited = KIND.from_person(question(), '{"rationale": "Because."}')
    assert edited == question(rationale="Because.")
    whole = KIND.from_person(question(), json.dumps(sound(1, "q0")))
    assert whole == Question.model_validate(sound(1, "q0"))


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        (["w", "x", "y", "z"], "ABCD"),
        (["x", "y"], "AB"),
        ({"P": "x", "Q": "y"}, "PQ"),
        ([{"key": "K", "text": "x"}], "K"),
    ],
)
def test_options_may_come_in_the_shapes_that_banks_use(options: object, keys: str) -> None:
    edited = KIND.from_person(question(), json.dumps({"options": options}))
    assert "".join(option.key for option in edited.options) == keys


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '"text"', '{"options": "none"}', '{"stem": null}', '{"stim": "x"}', '{"id": "other"}']
)
def test_what_is_no_question_is_refused_with_a_hint(text: str) -> None:
    with pytest.raises(InputError) as refusal:
        KIND.from_person(question(), text)
    assert "Give the fields that change" in (refusal.value.hint or "")


@pytest.mark.parametrize(
    ("path", "like", "format"),
    [
        ("a.json", "json", "json"),
        ("a.JSONL", "json", "jsonl"),
        ("a.txt", "gift", "gift"),
        ("a.gift", "json", "gift"),
        ("a.txt", "json", "aiken"),
        ("a.xml", "qti", "qti_item"),
        ("a.xml", "qti3_item", "qti3_item"),
        ("a.zip", "qti_item", "qti"),
        ("a.zip", "qti3_item", "qti3"),
        ("a.qti", "qti3", "qti3"),
        ("a.zip", "json", "qti"),
        ("a.qti", "json", "qti"),
        ("a.xml", "json", "moodle_xml"),
        ("a.unknown", "csv", "csv"),
        ("noending", "json", "json"),
    ],
)
def test_the_name_decides_the_format_unless_the_source_may_keep_its_own(path: str, like: str, format: str) -> None:
    assert KIND.output_format(path, like) == format


def test_reading_rewriting_and_converting_go_through_the_formats() -> None:
    raw = json.dumps([sound(0), biased(1)]).encode()
    parts = list(KIND.read(io.BytesIO(raw), "bank.json", "json"))
    assert [part.id for part in parts] == ["q0", "q1"]  # type: ignore[union-attr]
    target = io.BytesIO()
    mended = Question.model_validate(sound(1))
    KIND.rewrite(io.BytesIO(raw), "bank.json", "json", lambda id: mended if id == "q1" else None, target)
    assert target.getvalue() == raw.replace(BIASED.encode(), b"")
    gift = io.BytesIO()
    assert KIND.convert(iter(parts), "gift", gift) == []  # type: ignore[arg-type]
    assert gift.getvalue().count(b"::") == 4


def test_the_context_joins_what_all_documents_carry_with_what_is_demanded() -> None:
    first = KIND.survey(io.BytesIO(json.dumps([sound(0, rationale="x")]).encode()), "a.json", "json")
    second = KIND.survey(io.BytesIO(json.dumps([sound(1, vignette="y")]).encode()), "b.json", "json")
    context = KIND.context([first, second], {"required_metadata": ["course_id"], "concepts": {"k": ["word"]}})
    assert context.carried == {"rationale", "vignette"}
    assert context.required_metadata == ("course_id",)
    assert context.concepts == {"k": ("word",)}
    assert KIND.context([], {}).required_metadata is None
    assert KIND.context([], {}).language is None
    facts = [{"carried": [], "language": name} for name in ("en", "en", "es")]
    assert KIND.context(facts[:2], {}).language == "en"
    assert KIND.context(facts, {}).language is None, "two banks in two languages say nothing of a third"


NAMES = ("correct", "review", "solve", "answer", "compare")


def test_structure_is_fatal_and_the_prompts_are_named() -> None:
    assert "nbme_single_best_answer" in KIND.fatal_rules
    assert KIND.prompts == tuple(f"burnish.kinds.questions.prompts:{name}" for name in NAMES)
    files = Path(checks.__file__).parent.glob("[a-z]*_*.py")
    assert [check.id for check in KIND.checks] == sorted(path.stem for path in files), "one file is one check"


def test_only_questions_are_taken() -> None:
    with pytest.raises(AssertionError, match="not a question"):
        KIND.shown("a text")  # type: ignore[arg-type]
