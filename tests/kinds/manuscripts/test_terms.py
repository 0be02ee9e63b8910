"""Candidates for a glossary, and names that translations keep."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.kinds.manuscripts import terms
from burnish.kinds.manuscripts.glossary import read_glossary
from burnish.kinds.manuscripts.model import BlockKind, Paragraph
from burnish.kinds.manuscripts.terms import Candidate, Tally, as_csv, harvest, kept_names, names, prose_of

TEXTS = (
    "One night the banker Peter Karlov gave a party in Moscow. The capital punishment was discussed.",
    "Moscow was cold. Capital punishment is immoral, said Peter Karlov, and `Moscow` is [here](http://Moscow.org).",
    "They talked about capital punishment in Moscow until morning. Nobody in Moscow slept.",
    "Then came spring. The party was over.",
)


def book(*texts: str, block: BlockKind = "paragraph", language: str = "en") -> list[Paragraph]:
    return [
        Paragraph(f"p_{number:04d}", number, block, text, source_language=language)
        for number, text in enumerate(texts, 1)
    ]


def named(text: str) -> list[str]:
    return [name.text for name in names(prose_of(text)) if not name.opens]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He met Anna Karenina and Leonardo da Vinci in Rome.", ["Anna Karenina", "Leonardo da Vinci", "Rome"]),
        ("The Isle of Man is small. Nothing else is.", ["Isle of Man"]),
        ("Anna slept, and I slept.", []),
        ("She said, 'Tell them,' to Anna's aunt.", ["Anna"]),
        ("See `Anna` and <b>Boris</b> at http://Rome.it now.", ["Boris"]),
        ("In Moscow, Peter O’Neill\nwent home.", ["Moscow", "Peter O’Neill"]),
        ("Иван видел Анну Каренину в Москве.", ["Анну Каренину", "Москве"]),
        ("THIS WHOLE LINE IS WRITTEN IN LARGE LETTERS ONLY", []),
        ("", []),
    ],
)
def test_names_are_told_by_capitals_inside_a_sentence(text: str, expected: list[str]) -> None:
    assert named(text) == expected


def test_names_and_repeated_terms_are_harvested_with_counts_and_an_example() -> None:
    found = {one.text: one for one in harvest(book(*TEXTS))}
    assert found["Moscow"].count == 4 and found["Moscow"].kind == "name" and found["Moscow"].paragraph == "p_0001"
    assert found["Peter Karlov"].count == 2 and "banker Peter Karlov gave" in found["Peter Karlov"].example
    assert found["capital punishment"] == Candidate(
        "capital punishment", "term", 3, found["capital punishment"].example, "p_0002"
    )
    assert "Nobody" not in found and "Then" not in found


def test_the_most_frequent_stand_first_and_the_list_is_bounded() -> None:
    found = harvest(book(*TEXTS))
    assert [one.count for one in found] == sorted((one.count for one in found), reverse=True)
    assert harvest(book(*TEXTS), most=1) == found[:1]


def test_headings_code_and_what_is_left_out_give_no_names() -> None:
    text = "We saw Peter and Peter again."
    assert harvest(book(text, block="heading")) == [] == harvest(book(text, block="code"))
    assert harvest([Paragraph("p_0001", 1, "paragraph", text, excluded="x")]) == []


def test_german_nouns_are_terms() -> None:
    found = harvest(book("Ich sah das Haus. Wir sahen das Haus.", language="de"))
    assert [(one.text, one.kind, one.count) for one in found] == [("Haus", "term", 2)]


def test_a_part_that_never_stands_alone_is_left_out() -> None:
    found = harvest(book(*["we use large language models daily"] * 3))
    assert [one.text for one in found] == ["language models daily", "large language models", "use large language"]


def test_the_csv_is_a_glossary_to_be_filled_in() -> None:
    found = [*harvest(book(*TEXTS)), Candidate("=cmd()", "term", 3, 'a "quoted", example', "p_0001")]
    text = as_csv(found)
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["source"] for row in rows][:-1] == [one.text for one in found[:-1]]
    assert rows[-1]["source"] == "'=cmd()" and all(row["target"] == "" for row in rows)
    filled = text.replace(",,", ",x,", len(rows))
    assert len(read_glossary(filled.encode(), "g.csv", "en", "es")) == len(rows)


def test_kept_names_are_shares_of_paragraphs() -> None:
    kept = ("I saw Anna and Boris.", "Vi a Anna y a Borís.")
    lost = ("I saw Anna.", "La vi.")
    shares = kept_names([kept, kept, kept, lost])
    assert shares == {"Anna": 0.75, "Boris": 0.0}
    assert kept_names([kept, lost]) == {}


def test_a_tally_forgets_the_rare_and_never_counts_too_much() -> None:
    tally = Tally(100)
    for number in range(5000):
        tally.add("often")
        tally.add(f"rare {number}")
    assert tally.count("often") == 5000
    assert len(list(tally.most_common())) <= 101
    assert list(tally.most_common(2)) == [("often", 5000)]


def test_a_tally_of_equals_keeps_some() -> None:
    tally = Tally(10)
    for number in range(11):
        tally.add(str(number))
    assert 0 < len(list(tally.most_common())) <= 10


def test_examples_of_what_was_forgotten_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms, "MOST_COUNTED", 20)
    texts = [f"we saw Peter and Name{chr(97 + number % 26)}{chr(97 + number // 26)} there" for number in range(200)]
    found = harvest(book(*texts))
    assert ("Peter", 200) in [(one.text, one.count) for one in found]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=5))
def test_any_text_is_harvested(texts: list[str]) -> None:
    for one in harvest(book(*texts * 3)):
        assert one.count >= 2 and one.example.isprintable()
    assert all(0 <= share <= 1 for share in kept_names([(text, text) for text in texts * 3]).values())
