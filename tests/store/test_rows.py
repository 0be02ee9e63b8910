from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.store.journal import MemoryJournal
from burnish.store.rows import COMPRESS_ABOVE, pack, pack_json, pack_name, unpack, unpack_json
from tests.store.samples import SetClock, attempt

ANY_TEXT = st.text(st.characters(exclude_categories=()))  # lone surrogates and NULs too
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(ANY_TEXT)
def test_any_text_comes_back_exactly(text: str) -> None:
    assert unpack(pack(text)) == text
    assert unpack(pack_name(text)) == text


@pytest.mark.parametrize("text", ["a" * 100_000, "\ud83d\ude00" * 10_000, "\x00" * 20_000, "ж" * 9000])
def test_long_text_is_compressed_and_comes_back(text: str) -> None:
    packed = pack(text)
    assert len(packed) < 2000 < len(text)
    assert unpack(packed) == text
    assert len(pack_name(text)) >= len(text)


def test_ordinary_text_stays_readable_in_any_sqlite_tool() -> None:
    assert pack("Which drug? 😀") == "Which drug? 😀"
    assert pack("x" * COMPRESS_ABOVE) == "x" * COMPRESS_ABOVE


@given(ANY_JSON)
def test_any_json_comes_back_exactly(value: Any) -> None:
    assert unpack_json(pack_json(value)) == value


def test_two_lone_surrogates_do_not_become_one_character() -> None:
    assert unpack_json(pack_json({"x": "\ud83d\ude00"})) == {"x": "\ud83d\ude00"}


def test_read_only_mappings_are_json_and_other_objects_are_not() -> None:
    assert unpack_json(pack_json(MappingProxyType({"a": (1, 2)}))) == {"a": [1, 2]}
    with pytest.raises(TypeError, match="not object"):
        pack_json({"a": object()})


TEXTS = st.none() | st.dictionaries(st.sampled_from("abcd"), st.integers(0, 2), max_size=4)


@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_text_that_repeats_the_first_one_comes_back_whole(texts: list[dict[str, int] | None]) -> None:
    """Later attempts hold only what differs from the first."""
    journal = MemoryJournal(clock=SetClock())
    for number, content in enumerate(texts, start=1):
        journal.write_now(attempt("q1", number, content=content))
    found = [one.content for one in journal.attempts("q1")]
    assert found == texts
    for content, first in zip(found, texts, strict=True):
        assert content is None or [name for name in content if name in (texts[0] or {})] == [
            name for name in texts[0] or {} if name in content
        ]
        assert first is None or set(content or {}) == set(first)
    journal.close()


def test_an_attempt_that_was_written_with_bare_findings_is_read() -> None:
    journal = MemoryJournal(clock=SetClock())
    journal.write_now(attempt("q1", 1, checked={"applied": 3}), attempt("q1", 2, checked={}))
    assert [one.checked for one in journal.attempts("q1")] == [{"applied": 3}, {}]
    assert [len(one.findings) for one in journal.attempts("q1")] == [1, 1]
    journal.close()


def test_text_stays_readable_up_to_a_size_that_is_worth_compressing() -> None:
    assert COMPRESS_ABOVE == 8192, "the limit of what other tools can read"
    assert isinstance(pack("a" * COMPRESS_ABOVE), str)
    assert isinstance(pack("a" * (COMPRESS_ABOVE + 1)), bytes)


def test_what_a_later_attempt_repeats_is_not_stored_again() -> None:
    journal = MemoryJournal(clock=SetClock())
    first = {"stem": "a long stem that stays", "note": "one"}
    journal.write_now(attempt("q1", 1, content=first), attempt("q1", 2, content={**first, "note": "two"}))
    [[stored]] = journal.ask(lambda held: held.execute("SELECT content FROM attempts WHERE number = 2").fetchall())
    assert "that stays" not in stored and "two" in stored
    journal.close()
