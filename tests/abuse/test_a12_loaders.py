"""A12, the loaders: whatever bytes come, a loader gives parts or one InputError, and a copy is the same bytes."""

from __future__ import annotations

import io
import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from burnish.core.documents import PassedThrough, Problem
from burnish.core.errors import InputError
from burnish.kinds.questions.formats import FORMATS, format_named, format_of
from burnish.kinds.questions.model import Question

NAMES = [format.name for format in FORMATS]
PROFILE = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
MOODLE = b"""<?xml version="1.0" encoding="UTF-8"?>
<quiz><question type="category"><category><text>c</text></category></question>
<question type="multichoice"><name><text>n</text></name><questiontext format="html"><text>
<![CDATA[<p>A <b>b</b> &amp; c</p>]]></text></questiontext>
<generalfeedback format="markdown"><text/></generalfeedback><single>true</single>
<answer fraction="100" format="plain_text"><text>x &lt; y</text><feedback><text>f</text></feedback></answer>
<answer fraction="0"><text>z</text></answer><tags><tag><text>t</text></tag></tags></question>
<question type="essay"><name><text>e</text></name></question></quiz>
"""
QTI = b"""<?xml version="1.0"?><!-- c --><a:assessmentItem xmlns:a="http://www.imsglobal.org/xsd/imsqti_v2p1"
identifier="i" title="t" adaptive="false" timeDependent="false">
<a:responseDeclaration identifier="R" cardinality="single"
baseType="identifier"><a:correctResponse><a:value>B</a:value></a:correctResponse></a:responseDeclaration><a:itemBody>
<a:p>Case &#65; <![CDATA[<x>]]></a:p><a:choiceInteraction responseIdentifier="R" shuffle="false" maxChoices="1">
<a:prompt>Q? </a:prompt><a:simpleChoice identifier="A">a</a:simpleChoice>
<a:simpleChoice identifier="B">b<a:feedbackInline
outcomeIdentifier="F" identifier="x" showHide="show">f</a:feedbackInline></a:simpleChoice></a:choiceInteraction>
</a:itemBody><a:modalFeedback outcomeIdentifier="F" identifier="x" showHide="show">why</a:modalFeedback>
</a:assessmentItem>
"""
QTI_1 = b"""<?xml version="1.0"?><questestinterop xmlns="http://www.imsglobal.org/xsd/ims_qtiasiv1p2"><section>
<item ident="i" title="t"><itemmetadata><qtimetadata><qtimetadatafield><fieldlabel>question_type</fieldlabel>
<fieldentry>multiple_choice_question</fieldentry></qtimetadatafield></qtimetadata></itemmetadata><presentation><material>
<mattext texttype="text/html">&lt;p&gt;Q &lt;img src="a.png" alt="A heart"&gt;?&lt;/p&gt;</mattext>
<matimage uri="b.png"/><mattext texttype="text/html"><![CDATA[<b>b</b>]]></mattext></material>
<response_lid ident="r" rcardinality="Single"><render_choice><response_label ident="x"><material>
<mattext>a &lt; b</mattext>
</material></response_label><flow_label><response_label ident="y"><material><matimage uri="c.png"/></material>
</response_label></flow_label></render_choice></response_lid></presentation><resprocessing><respcondition><conditionvar>
<varequal respident="r">y</varequal></conditionvar><setvar action="Set">SCORE.max</setvar></respcondition>
</resprocessing>
<itemfeedback ident="general_fb"><material><mattext>why</mattext></material></itemfeedback></item></section>
</questestinterop>
"""
ITEM = (
    b'{"id":"a","stem":"S\\u00e9","options":[{"key":"A","text":"x"},{"key":"B","text":"y"}],'
    b'"correct_answer":"A","n":1.5e3}'
)
GIFT = (
    b"$CATEGORY: c\n\n// [id:1] [tag:t]\n::t::[html]<p>S \\= \\{</p>{\n=a#f\n~%50%b\n####why}\n\n"
    b"Is {~a =b} so.\n\nE{}\n\nT{T}\n"
)
SEEDS = {
    "jsonl": b"\xef\xbb\xbf" + ITEM + b'\r\n{"question":"Q","choices":["x","y"],"answer":"1"}\n\n' + ITEM,
    "json": b'{"title": "t", "questions": [\n  ' + ITEM + b",\n  " + ITEM + b'\n], "n": [1, {"a": null}]}\n',
    "csv": b'id;stem;A;B;"C c";answer;bloom level\r\n1;"s ""q""\nt";a;=b;;b;Apply\r\n2;s;a;b;c;x;\r\n',
    "tsv": b"id\tstem\tA\tB\tanswer\n1\ts\ta\tb\tA\n",
    "gift": GIFT,
    "aiken": b"Stem?\nA. x\nB) y\nANSWER: B\n\nLost\n\nS\nA. 1\nB. 2\nANSWER: A",
    "moodle_xml": MOODLE,
    "qti": QTI,
    "qti3": QTI.replace(b"a:", b"").replace(b":a=", b"="),
    "qti_item": QTI,
    "qti1": QTI_1,
    "qti1_item": QTI_1,
    "qti3_item": QTI.replace(b"a:", b"").replace(b":a=", b"="),
}


def _workbook() -> bytes:
    target = io.BytesIO()
    options = [{"key": "A", "text": "x <y>"}, {"key": "B", "text": " z "}]
    format_named("xlsx").write([Question(id="a", stem="S\n?", options=options, correct_answer="B")], target)
    return target.getvalue()


SEEDS["xlsx"] = _workbook()


def _package(content: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("imsmanifest.xml", "<manifest/>")
        package.writestr("a.xml", content)
        package.writestr("b/", "")
        package.writestr("b/c.xml", "<assessmentTest/>")
    return target.getvalue()


def assert_harmless(name: str, data: bytes) -> None:
    """Reading, surveying and copying end well, or in one InputError each."""
    format = format_named(name)
    ids: list[str] = []
    try:
        for part in format.read(io.BytesIO(data), "fuzz"):
            assert isinstance(part, Question | Problem | PassedThrough)
            if not isinstance(part, Problem):
                ids.append(part.id)
            if isinstance(part, Question):
                assert part.content_hash.startswith("sha256:")
    except InputError as error:
        assert error.code and error.message
    assert len(ids) == len(set(ids))
    target = io.BytesIO()
    try:
        format.rewrite(io.BytesIO(data), "fuzz", lambda _id: None, target)
        assert target.getvalue() == data
    except InputError as error:
        assert error.code != "cannot_write_back"
    try:
        assert isinstance(format.carried(io.BytesIO(data)), frozenset)
    except InputError as error:
        assert error.code
    for path in ("a.json", "a.txt", "a.xml", "a.zip", "a"):
        format_of(path, data[:4096])


@st.composite
def damaged(draw: st.DrawFn, seed: bytes) -> bytes:
    """A sound file after a few cuts, repetitions and foreign bytes."""
    data = bytearray(seed)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 30)))
        part = bytes(data[at:end])
        data[at:end] = draw(st.one_of(st.binary(max_size=4), st.just(part * 2), st.just(b""), st.sampled_from(TOKENS)))
    return bytes(data)


TOKENS = (
    b"<",
    b">",
    b"&",
    b'"',
    b"]]>",
    b"<!--",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b"\\",
    b"\r",
    b"\n\n",
    b"\x00",
    b"\xff\xfe",
    b"<text/>",
)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_itself_reads(name: str) -> None:
    parts = list(format_named(name).read(io.BytesIO(SEEDS[name]), "seed"))
    assert any(isinstance(part, Question) for part in parts)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.binary(max_size=300))
@PROFILE
def test_any_bytes(name: str, data: bytes) -> None:
    assert_harmless(name, data)


@pytest.mark.parametrize("name", NAMES)
@given(choice=st.data())
@PROFILE
def test_damaged_files(name: str, choice: st.DataObject) -> None:
    assert_harmless(name, choice.draw(damaged(SEEDS[name])))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32", "cp1252", "utf-7"])
@pytest.mark.parametrize("name", [name for name in NAMES if name != "xlsx"])
def test_other_encodings(name: str, encoding: str) -> None:
    text = SEEDS[name].decode("utf-8-sig").replace("S", "é’")
    assert_harmless(name, text.encode(encoding, "replace"))


@pytest.mark.parametrize("name", NAMES)
def test_every_cut(name: str) -> None:
    for end in range(0, len(SEEDS[name]), 13):
        assert_harmless(name, SEEDS[name][:end])


@given(choice=st.data())
@PROFILE
def test_damaged_packages(choice: st.DataObject) -> None:
    assert_harmless("qti", choice.draw(damaged(_package(QTI))))


@given(content=st.binary(max_size=60))
@settings(PROFILE, max_examples=30)
def test_packages_of_anything(content: bytes) -> None:
    assert_harmless("qti", _package(content + b"assessmentItem"))


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
FIELD_NAMES = (
    "id type stem question options choices correct_answer answer answer_idx rationale metadata items language "
    "burnish_ignore vignette explanation key _texts model_config"
)
FIELDS = FIELD_NAMES.split()


@given(items=st.lists(st.dictionaries(st.sampled_from(FIELDS), JSON_VALUES, max_size=6), max_size=3))
@settings(PROFILE, max_examples=100)
def test_json_of_the_wrong_shape(items: list[dict[str, object]]) -> None:
    assert_harmless("json", json.dumps(items).encode())
    assert_harmless("jsonl", "\n".join(map(json.dumps, items)).encode())
