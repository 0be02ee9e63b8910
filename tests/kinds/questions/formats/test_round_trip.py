"""What holds for every format: written files read back, unchanged files stay the same bytes, a change stays small."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.kinds.questions.formats import FORMATS, Format, format_named
from burnish.kinds.questions.formats.drafts import leaves, says_the_same
from burnish.kinds.questions.formats.xml_text import FORBIDDEN
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import differing, hostile_texts, named, questions, read, rewrite, spans, write

NAMES = [format.name for format in FORMATS]
ONE_LINE = ("aiken",)
"""Formats that hold neither ids nor line ends, nor anything but stem, options and key."""
QTI_VIGNETTES = ("qti", "qti_item", "qti3", "qti3_item")
PROFILE = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))


@cache  # a strategy costs more to make than to draw from
def texts_for(name: str) -> st.SearchStrategy[str]:
    """Texts that the format can hold: anything for JSON and tables, no blanks at the ends elsewhere."""
    if name in ("json", "jsonl"):
        return hostile_texts(controls=True)
    if name in ("csv", "tsv"):
        return hostile_texts(controls=True).filter(bool)
    if name == "xlsx":
        return hostile_texts().filter(lambda text: not FORBIDDEN.search(text))
    stripped = (
        hostile_texts()
        .map(lambda text: text.replace("\r\n", "\n").replace("\r", "\n").strip(" \t\n\x0b\x00"))
        .filter(bool)
    )
    if name in ONE_LINE:
        return stripped.map(lambda text: "xy" + " ".join(text.split("\n")).replace("\x85", "")).map(str.strip)
    return stripped.filter(lambda text: not FORBIDDEN.search(text))


@cache
def banks_for(name: str) -> st.SearchStrategy[list[Question]]:
    fields = {"rationale": st.none() | texts_for(name)} if name not in ONE_LINE else {}
    if name in ("json", "jsonl", "csv", "tsv", "xlsx") or name in QTI_VIGNETTES:
        fields["vignette"] = st.none() | texts_for(name)
    most = 1 if name in ("qti_item", "qti3_item") else 3
    return st.lists(questions(texts_for(name), **fields), min_size=1, max_size=most).map(named)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@PROFILE
def test_a_bank_is_written_read_kept_and_changed(name: str, data: st.DataObject) -> None:
    """All that holds for one bank at once: drawing it costs more than everything that is done with it."""
    format = format_named(name)
    bank = data.draw(banks_for(name))
    written, _ = write(format, bank)
    found, problems, _ = read(format, written)
    assert [problem.code for problem in problems] == []
    _assert_reads_back(name, bank, found)
    assert rewrite(format, written) == written, "an unchanged file keeps every byte"
    _assert_a_change_touches_its_question_only(name, data, written, found)


def _assert_reads_back(name: str, bank: list[Question], found: list[Question]) -> None:
    assert len(found) == len(bank)
    for before, after in zip(bank, found, strict=True):
        assert name in ONE_LINE or after.id == before.id
        assert same(before, after), (leaves(before), leaves(after))


def same(before: Question, after: Question) -> bool:
    """Equal in what the model holds; `name` and `title` repeat the id where nothing else is known."""
    extra = {name: None for name in ("name", "title") if name in (after.model_extra or {})}
    return says_the_same(before, Question.model_validate(after.model_dump(exclude=set(extra), exclude_unset=True)))


def _assert_a_change_touches_its_question_only(
    name: str, data: st.DataObject, written: bytes, found: list[Question]
) -> None:
    format = format_named(name)
    index = data.draw(st.integers(0, len(found) - 1))
    before = found[index]
    field = data.draw(st.sampled_from([f for f in before.texts() if _changeable(f, before, name)]))
    after = before.with_text(field, data.draw(texts_for(name) if field != "correct_answer" else keys_of(before)))
    try:
        rewritten = rewrite(format, written, after)
    except InputError as refused:
        # GIFT reads a leading `[html]` or `%50%` as its own mark: such a text is refused by name, never garbled.
        assert refused.code == "cannot_write_back" and name == "gift" and after.texts()[field].lstrip()[:1] in "[%"
        return
    again, problems, _ = read(format, rewritten)
    assert [problem.code for problem in problems] == []
    assert [q.id for q in again] == [q.id for q in found]
    for position, (old, new) in enumerate(zip(found, again, strict=True)):
        assert says_the_same(new, after if position == index else old)
    _assert_local(format, written, rewritten, index)


def _changeable(field: str | None, question: Question, name: str) -> bool:
    if name in ("json", "jsonl"):
        return True
    if field == "vignette":
        return name in QTI_VIGNETTES or (name in ("csv", "tsv", "xlsx") and question.vignette is not None)
    if field == "rationale":
        return name in ("gift", "moodle_xml") or question.rationale is not None
    return True


def keys_of(question: Question) -> st.SearchStrategy[str]:
    return st.sampled_from([option.key for option in question.options])


def _assert_local(format: Format, old: bytes, new: bytes, index: int) -> None:
    if old.startswith(b"PK") or old == new:
        return
    assert isinstance(format, Format)
    start, end = differing(old, new)
    own = spans(format, old)[index]
    assert own[0] <= start and end <= own[1]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("name", ["jsonl", "json", "csv", "gift", "aiken", "moodle_xml", "qti_item", "qti1_item"])
@given(data=st.data())
@settings(PROFILE, max_examples=15)
def test_other_encodings_read_the_same_and_are_kept(name: str, encoding: str, data: st.DataObject) -> None:
    format = format_named(name)
    bank = data.draw(banks_for(name))[:1]
    written, _ = write(format, bank)
    text = written.decode()
    encoded = text.encode(encoding) if encoding == "utf-8-sig" else ("\ufeff" + text).encode(encoding)
    found, problems, _ = read(format, encoded)
    assert [problem.code for problem in problems] == []
    assert [leaves(q) for q in found] == [leaves(q) for q in read(format, written)[0]]
    assert rewrite(format, encoded) == encoded
    after = found[0].with_text("stem", "Which é 😀 is it?")
    expected = rewrite(format, written, after).decode()
    assert rewrite(format, encoded, after).decode(encoding).removeprefix("\ufeff") == expected
