"""Documents: digests, names of secrets, and what a document as a whole has."""

import pytest

from burnish.core.documents import PassedThrough, Problem, Unit, Whole, digest, is_unit, names_secret, text_digest
from tests.core.units import PlainUnit


def test_digests_are_told_apart_by_everything_and_by_nothing_else() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1}) != digest({"a": 1}, {"b": 2})
    assert text_digest("a").startswith("sha256:") and text_digest("a") != text_digest("b")
    assert text_digest("\ud800") != text_digest("?")


@pytest.mark.parametrize(
    ("name", "is_secret"),
    [("OPENAI_API_KEY", True), ("openai_api_key", True), ("GITHUB_TOKEN", True), ("A_SECRET", True),
     ("DB_PASSWORD", True), ("PATH", False), ("API_KEYS", False), ("TOKEN_LIMIT", False), ("HOME", False)],
)  # fmt: skip
def test_variables_with_secrets_are_known_by_the_ends_of_their_names(name: str, is_secret: bool) -> None:
    assert names_secret(name) is is_secret


def test_a_document_as_a_whole_is_a_unit_without_text() -> None:
    whole = Whole("bank")
    assert isinstance(whole, Unit) and whole.texts() == {} and whole.content_hash == ""
    with pytest.raises(KeyError):
        whole.with_text("stem", "x")


def test_only_what_was_read_as_one_is_a_unit() -> None:
    assert is_unit(PlainUnit.of(stem="x"))
    assert not is_unit(PassedThrough("e", "essay"))
    problem = Problem("invalid_json", "m", "a.json")
    assert not is_unit(problem) and problem.blocks
