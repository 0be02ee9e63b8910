"""Front matter: a small part of YAML, read without ever doing anything."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.text.front_matter import front_matter, written


def values(body: str) -> Any:
    found = front_matter(f"---\n{body}\n---\nText.\n")
    assert found is not None
    return found.values


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("title: Water", {"title": "Water"}),
        ("title: 'It''s: wet' # no", {"title": "'It''s: wet' # no"}),
        ("title: 'It''s: wet'", {"title": "It's: wet"}),
        ('title: "a \\"b\\" \\n c"', {"title": 'a "b" \n c'}),
        ("n: 1  # one\nempty:\nlast: x", {"n": "1", "empty": "", "last": "x"}),
        ("a:\n- x\n- y z\nb: 1", {"a": ["x", "y z"], "b": "1"}),
        ("a:\n  - x\n  - 'y'\nb: 1", {"a": ["x", "y"], "b": "1"}),
        ("a: [x, 'y, z', \"w\"]\nb: []", {"a": ["x", "y, z", "w"], "b": []}),
        ("a: [x, {y: z}]", {"a": ["x, {y: z}"]}),
        ("a:\n  b: 1\n  c:\n    d: 2\ne: 3", {"a": {"b": "1", "c": {"d": "2"}}, "e": "3"}),
        (
            "los:\n  - id: LO1\n    text: One\n  - id: LO2\n    text: Two",
            {"los": [{"id": "LO1", "text": "One"}, {"id": "LO2", "text": "Two"}]},
        ),
        ("a: |\n  one\n  two\nb: 1", {"a": "one\ntwo", "b": "1"}),
        ("a: >-\n  one\n  two\n\nb: 1", {"a": "one two", "b": "1"}),
        ("a: one\n  two\nb: 1", {"a": "one two", "b": "1"}),
        ("a:\n  just words\n  and more\nb: 1", {"a": "just words and more", "b": "1"}),
        ('"a b": c\n# note\n\nd: e', {"a b": "c", "d": "e"}),
        ("a: b\na: c", {"a": "b"}),
        ("a: dogs'", {"a": "dogs'"}),
        ("a: 'dogs", {"a": "'dogs"}),
        ("a: '", {"a": "'"}),
        ("url: http://x.y/z", {"url": "http://x.y/z"}),
        (
            "a: !!python/object:os.system ls\nb: &x y\nc: *x",
            {"a": "!!python/object:os.system ls", "b": "&x y", "c": "*x"},
        ),
        ("- a\n- b", {}),
        ("a: b\n- c", {"a": "b"}),
        ("a:\n  - b\n  -", {"a": ["b", ""]}),
        ("", {}),
    ],
)
def test_values(body: str, wanted: dict[str, Any]) -> None:
    assert values(body) == wanted
    assert values(body.replace("\n", "\r\n")) == wanted


@pytest.mark.parametrize("text", ["", "a: b\n", "---\na: b\n", "--- x\na: b\n---\n", "text\n---\na: b\n---\n"])
def test_no_front_matter(text: str) -> None:
    assert front_matter(text) is None


def test_where_the_text_begins() -> None:
    found = front_matter("---\r\na: b\r\n...\r\nText")
    assert found is not None and found.end == 16 and found.values == {"a": "b"}


@given(st.text(st.sampled_from("ab:-#[]'\"|> \n\t{},\\"), max_size=60))
def test_it_never_fails(body: str) -> None:
    found = front_matter(f"---\n{body}\n---\n")
    assert found is None or isinstance(found.values, dict)


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z_]{1,8}", fullmatch=True), WORDS | st.lists(WORDS, min_size=1, max_size=3), max_size=4
    )
)
def test_what_is_written_reads_back(values_in: dict[str, Any]) -> None:
    found = front_matter(written(values_in) + "Text")
    assert found is not None and found.values == values_in


def test_lists_of_mappings_are_written() -> None:
    given = {"los": [{"id": "LO1", "text": "One: two"}], "n": 5}
    assert values(written(given).removeprefix("---\n").removesuffix("---\n")) == {**given, "n": "5"}


def test_depth_is_bounded() -> None:
    deep = "\n".join(f"{'  ' * level}a:" for level in range(200))
    assert values(deep)["a"]
