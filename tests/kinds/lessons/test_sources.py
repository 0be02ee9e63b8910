"""Sources: passages with stable ids, and the search over them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import InputError
from burnish.core.replies import ClaimPart, ClaimsReply, ClaimVerdictPart, ClaimVerdictReply
from burnish.kinds.lessons.materials import (
    LARGEST,
    LONG,
    Claim,
    ClaimVerdict,
    Hit,
    PassageIndex,
    claims_of,
    passage_differs,
    passages,
    read_source,
    terms,
    verify_claim,
    verify_verdicts,
)
from burnish.kinds.lessons.model import Lesson, LessonUnit, Passage

SOURCE = """# Water

The circle of water is driven by the sun. Water evaporates from the sea.

# Metals

Copper melts at 1085 degrees. Iron melts at 1538 degrees.

# Trees

Oaks may live for 500 years and longer.
"""


def test_passages_have_ids_lines_and_whole_paragraphs() -> None:
    found = passages(SOURCE, "facts.md")
    assert [(passage.id, passage.line) for passage in found] == [
        ("facts.md#p0001", 1),
        ("facts.md#p0002", 5),
        ("facts.md#p0003", 9),
    ]
    assert found[1].text.startswith("# Metals\n\nCopper") and found[1].source == "facts.md"


def test_short_paragraphs_are_joined_and_long_ones_cut_at_sentences() -> None:
    short = passages("One short line.\n\n" * 100, "s")
    assert all(300 <= len(passage.text) <= LONG for passage in short[:-1])
    long = passages("This sentence has some words in it. " * 200, "s")
    assert len(long) > 7 and all(passage.text.endswith(".") and len(passage.text) <= LONG for passage in long)
    assert [len(passage.text) for passage in passages("x" * 2000, "s")] == [LONG, LONG, 200]
    assert passages("word " * 500, "s")[0].text.endswith("word")


@given(st.text(st.sampled_from("ab. \n#é。")), st.integers(1, 400))
def test_no_word_is_lost(text: str, times: int) -> None:
    text = text * times
    found = passages(text, "s")
    assert "".join("".join(passage.text for passage in found).split()) == "".join(text.split())
    assert [passage.id for passage in found] == [f"s#p{place:04d}" for place in range(1, len(found) + 1)]
    assert all(0 < len(passage.text) <= LONG for passage in found)


def test_the_best_passage_comes_first() -> None:
    index = PassageIndex(passages(SOURCE, "facts.md"))
    assert index.search("At how many degrees does iron melt?")[0].passage.id == "facts.md#p0002"
    assert [hit.passage.id for hit in index.search("the sun and the sea, water evaporating", 1)] == ["facts.md#p0001"]
    assert index.search("500")[0].passage.id == "facts.md#p0003"
    assert index.search("quantum") == [] and index.search("") == [] and PassageIndex(()).search("iron") == []
    scores = [hit.score for hit in index.search("iron water oaks live melts")]
    assert scores == sorted(scores, reverse=True)


def test_terms() -> None:
    assert terms("The trees are 1,200 years old") == ["tree", "1,200", "year", "old"]
    assert terms("数据科学") == ["数据", "据科", "科学"] and terms("木") == ["木"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n\x00\x01\x02", "binary"),
        (b"PK\x03\x04\x14\x00\x08\x00", "binary"),
        ("año".encode("latin-1"), "wrong_encoding"),
        (b" \n ", "empty"),
        (b"", "empty"),
        (b"a" * (LARGEST + 1), "too_large"),
    ],
)
def test_what_is_no_source_is_refused(data: bytes, code: str) -> None:
    with pytest.raises(InputError) as raised:
        read_source(data, "facts.bin")
    assert raised.value.code == code and raised.value.path == "facts.bin" and raised.value.hint


def test_sources_in_other_encodings() -> None:
    assert read_source(SOURCE.encode("utf-16"), "f") == read_source(SOURCE.encode("utf-8-sig"), "f")


@given(st.lists(st.text(st.sampled_from("abc 12")), max_size=8), st.text(st.sampled_from("abc 12")))
def test_the_search_looks_only_at_passages_that_share_a_word(texts: list[str], query: str) -> None:
    index = PassageIndex([passage for place, text in enumerate(texts) for passage in passages(text, f"s{place}")])
    sharing = {p.id for p in index.passages if set(terms(p.text)) & set(terms(query))}
    assert {hit.passage.id for hit in index.search(query, 100)} == sharing


UTRECHT = Passage("s#p0001", "The Treaty of Utrecht was signed in 1713.", "s", 1)
WATER = Passage("s#p0002", "Vapour rises from the sea.", "s", 3)
CLAIM = Claim("s1", "signed in 1715", "The Treaty of Utrecht was signed in 1715.")
OFFERED = {CLAIM.claim: [Hit(UTRECHT, 2.0), Hit(WATER, 1.0)]}


def verdict(*parts: tuple[str, str, str | None]) -> ClaimVerdict:
    reply = ClaimVerdictReply(
        reasoning="because",
        verdicts=tuple(ClaimVerdictPart(claim=c, verdict=v, passage=p) for c, v, p in parts),  # type: ignore[arg-type]
    )
    [found] = verify_verdicts([CLAIM], reply, OFFERED)
    return found


def test_a_contradiction_stands_with_its_passage() -> None:
    found = verdict((CLAIM.claim, "contradicted", "s#p0001"))
    assert (found.verdict, found.passage, found.doubt) == ("contradicted", UTRECHT, None)


def test_spaces_in_the_claim_make_no_difference() -> None:
    assert verdict((CLAIM.claim.replace(" ", "  "), "supported", "s#p0001")).verdict == "supported"


@pytest.mark.parametrize(
    ("parts", "doubt"),
    [
        ((), "no_verdict"),
        (((CLAIM.claim, "not_found", None),), None),
        (((CLAIM.claim, "contradicted", None),), "passage_not_offered"),
        (((CLAIM.claim, "contradicted", "s#p0099"),), "passage_not_offered"),
        (((CLAIM.claim, "supported", "made up"),), "passage_not_offered"),
        (((CLAIM.claim, "contradicted", "s#p0002"),), "passage_unrelated"),
        (((CLAIM.claim, "contradicted", "s#p0001"), (CLAIM.claim, "supported", "s#p0001")), "conflicting_verdicts"),
    ],
)
def test_anything_else_is_not_found(parts: tuple[tuple[str, str, str | None], ...], doubt: str | None) -> None:
    found = verdict(*parts)
    assert (found.verdict, found.passage, found.doubt) == ("not_found", None, doubt)


def test_a_passage_that_says_the_same_contradicts_nothing() -> None:
    claim = Claim("s1", "signed in 1713", "The treaty of Utrecht was signed in 1713")
    reply = ClaimVerdictReply(
        reasoning="r", verdicts=(ClaimVerdictPart(claim=claim.claim, verdict="contradicted", passage="s#p0001"),)
    )
    [found] = verify_verdicts([claim], reply, {claim.claim: [Hit(UTRECHT, 1.0)]})
    assert (found.verdict, found.doubt) == ("not_found", "passage_agrees")


def test_a_contradiction_in_words_needs_common_ground() -> None:
    claim = Claim("s1", "sinks", "Vapour sinks into the sea.")
    reply = ClaimVerdictReply(
        reasoning="r", verdicts=(ClaimVerdictPart(claim=claim.claim, verdict="contradicted", passage="s#p0002"),)
    )
    [found] = verify_verdicts([claim], reply, {claim.claim: [Hit(WATER, 1.0)]})
    assert found.verdict == "contradicted" and not passage_differs(claim.claim, WATER.text)


def test_the_passages_for_a_claim() -> None:
    index = PassageIndex([UTRECHT, WATER])
    assert [hit.passage for hit in verify_claim(index, CLAIM)] == [UTRECHT]


def test_claims_without_a_true_quote_are_dropped() -> None:
    lesson = Lesson("L", "T", None, (LessonUnit("s1", "section", {"title": "T", None: "It was signed in 1715."}),))
    parts = [("s1", "signed in 1715"), ("s1", "signed in 1715"), ("s1", "signed in 1999"), ("s9", "x"), ("s1", " ")]
    reply = ClaimsReply(reasoning="r", claims=tuple(ClaimPart(unit=u, quote=q, claim="C") for u, q in parts))
    kept, dropped = claims_of(reply, lesson)
    assert kept == [Claim("s1", "signed in 1715", "C")]
    assert [reason for _, reason in dropped] == ["duplicate", "quote_not_found", "unknown_unit", "no_quote"]
