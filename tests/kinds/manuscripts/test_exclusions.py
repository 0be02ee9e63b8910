"""Exclusions: lines, JSON and CSV; patterns that would never end."""

import pytest

from burnish.core.errors import InputError
from burnish.kinds.manuscripts import style_sheet
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.style_sheet import Exclusions

LINES = "# what stays\n\np_0002 a poem\np_0003: it is Latin\r\n/^Copyright (?:©|\\(c\\)) a\\/b/ the notice\n"
OBJECTS = (
    '{"paragraph_id": "p_0002", "reason": "a poem"}',
    '{"paragraph_id": "p_0003", "reason": "it is Latin"}',
    '{"pattern": "^Copyright (?:©|\\\\(c\\\\)) a/b", "reason": "the notice"}',
)
JSON = f"[{', '.join(OBJECTS)}]"
ROWS = "\n".join(OBJECTS)
OBJECT = f'{{"exclusions": {JSON}}}'
CSV = 'paragraph_id,pattern,reason\np_0002,,a poem\np_0003,,it is Latin\n,"^Copyright (?:©|\\(c\\)) a/b",the notice\n'


def paragraph(number: int, text: str) -> Paragraph:
    return Paragraph(f"p_{number:04d}", number, "paragraph", text)


def read(text: str) -> Exclusions:
    return Exclusions.read(text.encode(), "exclude.txt")


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(text)
    assert caught.value.path == "exclude.txt"
    return caught.value


@pytest.mark.parametrize("text", [LINES, JSON, ROWS, OBJECT, CSV])
def test_every_form_says_the_same(text: str) -> None:
    given = read(text)
    assert given.excluded(paragraph(1, "Once upon a time")) is None
    assert given.excluded(paragraph(2, "Once upon a time")) == "a poem"
    assert given.excluded(paragraph(3, "Copyright © a/b")) == "it is Latin"
    assert given.excluded(paragraph(4, "by\nCopyright (c) a/b 1999")) == "the notice"


def test_the_first_pattern_that_fits_gives_the_reason() -> None:
    assert read("/b/ second letter\n/a/ first letter").excluded(paragraph(1, "ab")) == "second letter"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", None),
        ("  \n", None),
        ("p_0001 a\nnonsense", 2),
        ("p_0001", 1),
        ("/x/", 1),
        ("/(/ open", 1),
        ("/x*/ everything", 1),
        ("/x{100000}/ much", 1),
        ("/(?:(?:x{999}y?){999}z?){999}(?:(?:x{999}y?){999}z?){999}/ nested", 1),
        (f"/{'x' * 501}/ long", 1),
        ("p_0001 a\np_0001 b", 2),
        ('{"paragraph_id": "p_1", "reason": "x"}', 1),
        ('{"paragraph_id": "p_0001", "pattern": "x", "reason": "x"}', 1),
        ('{"reason": "x"}', 1),
        ('{"paragraph_id": 5, "reason": "x"}', 1),
        ('{"paragraph_id": "p_0001", "reason": "x"}\n{"paragraph_id": }', 2),
        ('[{"paragraph_id": "p_0001"}]', None),
        ("[1]", None),
        ('{"exclusions": 1}', None),
        ("paragraph_id,reason\np_0001,a,b\n", 2),
        ('paragraph_id,reason\n"p_0001,a\n', 2),
        ("\n".join(f"/x{number}/ y" for number in range(1001)), None),
    ],
)
def test_what_is_not_understood_is_named_with_its_line(text: str, line: int | None) -> None:
    error = refusal(text)
    assert error.line == line and error.message


def test_ids_that_the_manuscript_has_not_are_refused() -> None:
    given = read("p_0001 a\np_0004 b\np_0005 c")
    given.refuse_unknown(f"p_{number:04d}" for number in range(1, 9))
    with pytest.raises(InputError) as caught:
        given.refuse_unknown(["p_0001", "p_0002"])
    assert caught.value.code == "unknown_paragraph" and caught.value.line == 2
    assert "'p_0004', and 1 more" in caught.value.message


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|a)*b$", "(a|aa)+$"])
def test_no_pattern_is_waited_for_without_end(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_sheet, "PATIENCE", 0.05)
    given = read(f"/{pattern}/ never")
    try:
        assert given.excluded(paragraph(7, "a" * 5000 + "!")) is None
    except InputError as error:
        assert error.code == "slow_pattern" and "p_0007" in error.message and error.line == 1


def test_one_that_backtracks_without_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_sheet, "PATIENCE", 0.05)
    with pytest.raises(InputError, match="takes too long on p_0007"):
        read("/(a|aa)+(b|c)(a|aa)+$/ never").excluded(paragraph(7, "ab" + "a" * 5000 + "!"))


def test_a_file_too_large_is_refused() -> None:
    with pytest.raises(InputError, match="larger than 8 MB"):
        Exclusions.read(b" " * ((8 << 20) + 1), "exclude.txt")
