"""Hostile edits of files as other programs write them: with markup, files, comments and other types of questions."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burnish.kinds.questions.formats import format_named
from burnish.kinds.questions.formats.base import Format
from burnish.kinds.questions.formats.drafts import says_the_same
from burnish.kinds.questions.formats.xml_text import FORBIDDEN
from burnish.kinds.questions.model import Question
from tests.kinds.questions.formats.banks import differing, hostile_texts, read, rewrite, spans
from tests.kinds.questions.formats.test_gift import BANK as GIFT
from tests.kinds.questions.formats.test_moodle import BANK as MOODLE
from tests.kinds.questions.formats.test_qti import THREE, TWO

SAMPLES = {
    "moodle_xml": MOODLE,
    "qti": TWO,
    "qti 3": THREE,
    "gift": GIFT,
    "jsonl": b'\xef\xbb\xbf{"id" : "a","stem":"S \\u00e9 \\n" ,"options":{"A":"x","B":"y"}, "answer":"y","n":1.0}\r\n{',
    "csv": b'id;stem;A;B;key;rationale\r\n1;"a ""b""\n;c";=x; y ;b;\r\n"2";s;a;b;A;"r"\r\n',
}
TEXTS = hostile_texts().filter(lambda text: not FORBIDDEN.search(text) and bool(text.strip()))


@pytest.mark.parametrize("sample", SAMPLES)
@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_edit_reads_back_and_nothing_else_moves(sample: str, data: st.DataObject) -> None:
    format, old = format_named(sample.partition(" ")[0]), SAMPLES[sample]
    assert isinstance(format, Format)
    found, problems, passed = read(format, old)
    index = data.draw(st.integers(0, len(found) - 1))
    before = found[index]
    fields = [field for field in before.texts() if field != "correct_answer" and _has_place(field, before, sample)]
    after = before
    # GIFT has no way to write a text that begins like one of its own marks.
    texts = TEXTS.filter(lambda text: text.strip()[0] not in "[%/") if sample == "gift" else TEXTS
    for field in data.draw(st.lists(st.sampled_from(fields), min_size=1, max_size=3, unique=True)):
        # A picture stays where it is: at the end of the text, in these samples.
        _, bracket, token = before.texts()[field].partition("\n⟦")
        after = after.with_text(field, data.draw(texts).rstrip() + bracket + token)
    new = rewrite(format, old, after)
    again, still, same = read(format, new)
    assert [problem.code for problem in still] == [problem.code for problem in problems]
    assert [part.id for part in same] == [part.id for part in passed]
    for position, question in enumerate(again):
        assert says_the_same(question, after if position == index else found[position])
    if new != old:
        start, end = differing(old, new)
        own = [span for span in spans(format, old) if span[0] <= start and end <= span[1]]
        assert own
    if sample in ("moodle_xml", "qti", "qti 3"):
        ElementTree.fromstring(new)
        assert new.count(b"<img ") == old.count(b"<img ") and new.count(b"<file ") == old.count(b"<file ")


def _has_place(field: str | None, before: Question, sample: str) -> bool:
    if before.type == "true_false" and str(field).startswith("options."):
        return False
    if field == "vignette":
        return sample in ("qti", "jsonl")
    return field != "rationale" or sample != "qti 3"
