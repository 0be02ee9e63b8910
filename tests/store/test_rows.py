from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.store.rows import COMPRESS_ABOVE, pack, pack_json, pack_name, unpack, unpack_json

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
