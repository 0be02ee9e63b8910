"""JSON as bytes: what is written, what is refused, and bytes that hashes in old journals were made of."""

from typing import Any

import pytest

from burnish.core.documents import digest
from burnish.core.json_bytes import canonical, dumps, loads

VALUE = {"b": [1, -0.5, 2.5e20, None, True], "a": {"z": 'naïve \U0001f600\t"\\\x1f\x7f/', "A": ""}, "0": {}, "é": []}
NESTED = '{"a":' * 300 + "1" + "}" * 300


def test_canonical_bytes_are_the_ones_of_every_release_before() -> None:
    """As orjson wrote them, which made the hashes until November 2026."""
    assert (
        canonical(VALUE)
        == (
            '{"0":{},"a":{"A":"","z":"naïve \U0001f600\\t\\"\\\\\\u001f\x7f/"},"b":[1,-0.5,2.5e+20,null,true],"é":[]}'
        ).encode()
    )
    assert digest("v1", {"b": 0.2, "a": [1, "ж"]}) == (
        "sha256:754ddef4c38161e8264a57e4c7bdde03764d3c34492a8f15b2bdb80e7ff91b1e"
    )


def test_bytes_are_short_and_in_the_order_that_was_given() -> None:
    assert dumps({"b": "ж\u2028", "a": [1, 0.1, 3e-05]}) == '{"b":"ж\u2028","a":[1,0.1,0.00003]}'.encode()
    assert dumps({"b": [], "a": [1]}, indent=2) == b'{\n  "b": [],\n  "a": [\n    1\n  ]\n}'
    assert loads(dumps(VALUE)) == VALUE


def test_a_number_that_is_not_finite_is_null_and_has_no_hash() -> None:
    assert dumps([float("nan"), float("inf")]) == b"[null,null]"
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical(float("nan"))


@pytest.mark.parametrize("value", ["\ud800", {"\ud800": 1}, object()])
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):
        dumps(value)
    with pytest.raises((ValueError, TypeError)):
        canonical(value)


@pytest.mark.parametrize("value", [{1, 2}, b"x", {"a": {3}}])
def test_what_has_no_order_or_no_form_of_its_own_has_no_hash(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical(value)


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", '{"a":1,}', "[1 2]", "NaN", "Infinity", "-Infinity", "[1e999]", '{"a":-1E+0400}', "9" * 400 + ".5"),
        *("1" * 5_000, "01", '"a\nb"', '"\\ud800"', '"\ud800"', "\ufeff1", "1 2", "'a'", "{a:1}", "[1]//", NESTED),
    ],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    for data in (text, text.encode("utf-8", "surrogatepass")):
        with pytest.raises(ValueError):
            loads(data)


def test_the_place_is_told() -> None:
    with pytest.raises(ValueError, match="at line 2 column 6"):
        loads('{"a": 1,\n "b" 2}')


@pytest.mark.parametrize("text", ['"1e999"', "1e300", "1E-999", '["9999e999", 12e10]', "1" * 400])
def test_what_only_looks_too_large_is_read(text: str) -> None:
    loads(text)
