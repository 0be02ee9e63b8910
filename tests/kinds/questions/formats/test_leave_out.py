"""A question that a person dropped is left out of the file, and every other question stays as it was."""

from __future__ import annotations

import io
import json

import pytest

from burnish.core.documents import PassedThrough, Problem
from burnish.kinds.questions.formats import format_named

ITEMS = [
    {"id": f"q{number}", "stem": f'What is {number} plus 1, {{"a": [1, 2]}}?', "options": ["1", "2", "3"], "answer": 1}
    for number in range(1, 5)
]
GIFT = "\n\n".join(f"::q{n}:: What is {n} plus one? {{ =right ~wrong ~worse }}" for n in range(1, 5)) + "\n"
AIKEN = "\n".join(f"What is {n} plus one?\nA. one\nB. two\nC. three\nANSWER: B\n" for n in range(1, 5))
CSV = "id,stem,option_a,option_b,option_c,answer\n" + "".join(
    f'q{n},"What, is {n}?",one,two,three,B\n' for n in range(1, 5)
)
MOODLE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n<!-- kept, -->\n'
    + "".join(
        f'<question type="multichoice"><name><text>q{n}</text></name>'
        f'<questiontext format="html"><text>What is {n}?</text></questiontext>'
        '<answer fraction="100"><text>one</text></answer><answer fraction="0"><text>two</text></answer>'
        "</question>\n"
        for n in range(1, 5)
    )
    + "</quiz>\n"
)
FILES = {
    "json": ("json", json.dumps(ITEMS, indent=1)),
    "one line": ("json", json.dumps(ITEMS)),
    "in an object": ("json", json.dumps({"title": "a, b", "questions": ITEMS, "more": [1, 2]}, indent=2)),
    "jsonl": ("jsonl", "".join(json.dumps(item) + "\n" for item in ITEMS)),
    "gift": ("gift", GIFT),
    "aiken": ("aiken", AIKEN),
    "csv": ("csv", CSV),
    "moodle": ("moodle_xml", MOODLE),
}


def read(format: str, data: bytes) -> list[tuple[str, str]]:
    parts = list(format_named(format).read(io.BytesIO(data), f"bank.{format}"))
    assert not [part for part in parts if isinstance(part, Problem)], parts
    return [(part.id, str(part.texts())) for part in parts if not isinstance(part, Problem | PassedThrough)]


@pytest.mark.parametrize("gone", [(0,), (1,), (3,), (0, 1), (1, 2), (2, 3), (0, 3), (0, 1, 2), (1, 2, 3)])
@pytest.mark.parametrize("file", FILES)
def test_what_is_left_out_is_gone_and_the_rest_is_the_same(file: str, gone: tuple[int, ...]) -> None:
    format, text = FILES[file]
    before = read(format, text.encode())
    assert len(before) == 4
    target = io.BytesIO()
    ids = {before[at][0] for at in gone}
    format_named(format).leave_out(io.BytesIO(text.encode()), f"bank.{format}", ids, target)
    kept = [hash for at, (_, hash) in enumerate(before) if at not in gone]
    assert [hash for _, hash in read(format, target.getvalue())] == kept


def test_every_other_byte_stays() -> None:
    target = io.BytesIO()
    format_named("moodle_xml").leave_out(io.BytesIO(MOODLE.encode()), "bank.xml", {"q2"}, target)
    assert b"<!-- kept, -->" in target.getvalue() and b"<name><text>q2" not in target.getvalue()
    target = io.BytesIO()
    format_named("json").leave_out(io.BytesIO(FILES["in an object"][1].encode()), "bank.json", {"q1", "q4"}, target)
    left = json.loads(target.getvalue())
    assert [item["id"] for item in left["questions"]] == ["q2", "q3"] and left["more"] == [1, 2]


def test_all_of_a_list() -> None:
    target = io.BytesIO()
    format_named("json").leave_out(
        io.BytesIO(json.dumps(ITEMS).encode()), "bank.json", {"q1", "q2", "q3", "q4"}, target
    )
    assert json.loads(target.getvalue()) == []
