"""Pictures and formulas are opaque: they count as content, and no edit crosses, moves, repeats or drops them."""

# ruff: noqa: E501

from __future__ import annotations

import json

import pytest

from burnish.core.edits import Edit, apply_edits
from burnish.core.errors import EditRefused, InputError
from burnish.kinds.questions.checks.ext_formatting import slips
from burnish.kinds.questions.formats import format_named
from tests.kinds.questions.formats.banks import only, rewrite

PICTURES = "".join(
    f'<answer fraction="{100 if name == "heart" else 0}" format="html"><text><![CDATA[<img src="@@PLUGINFILE@@/{name}.png">]]>'
    "</text></answer>"
    for name in ("heart", "liver", "spleen")
)
MOODLE = f"""<quiz><question type="multichoice"><name><text>n</text></name><questiontext format="html"><text><![CDATA[
<p>The force is <math alttext="F = ma"><mi>F</mi></math> here. Which organ is <img src="@@PLUGINFILE@@/x.png" alt="this one">
in the body?</p>]]></text></questiontext><single>true</single>{PICTURES}</question></quiz>""".encode()
GIFT = b'::t::[html]<p>Which is <img src\\="x.png" alt\\="A heart"> here?</p>{=a ~b ~c}\n'
QTI = b"""<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="i" title="i" adaptive="false"
timeDependent="false"><responseDeclaration identifier="R" cardinality="single" baseType="identifier"><correctResponse><value>A</value>
</correctResponse></responseDeclaration><itemBody><choiceInteraction responseIdentifier="R" shuffle="false" maxChoices="1">
<prompt>Which is <math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math> here?</prompt><simpleChoice identifier="A">
<img src="a.png" alt="A heart"/></simpleChoice><simpleChoice identifier="B">b</simpleChoice></choiceInteraction></itemBody>
</assessmentItem>"""
STEM = "The force is ⟦formula: F = ma⟧ here. Which organ is ⟦picture: this one⟧ in the body?"


def test_every_format_with_markup_shows_them_by_their_alternative_text() -> None:
    question = only(format_named("moodle_xml"), MOODLE)
    assert question.stem == STEM
    assert [o.text for o in question.options] == [f"⟦picture: {name}.png⟧" for name in ("heart", "liver", "spleen")]
    assert only(format_named("gift"), GIFT).stem == "Which is ⟦picture: A heart⟧ here?"
    item = only(format_named("qti_item"), QTI)
    assert (item.stem, item.options[0].text) == ("Which is ⟦formula: x⟧ here?", "⟦picture: A heart⟧")


@pytest.mark.parametrize(
    "new",
    [
        STEM.replace("⟦picture: this one⟧", "this"),
        STEM.replace("this one", "that one"),
        STEM + " ⟦picture: this one⟧",
        STEM.replace("⟦picture: this one⟧ in", "in").replace("force", "force ⟦picture: this one⟧"),
        STEM.replace("⟦formula: F = ma⟧", "$F = ma$"),
    ],
)
def test_an_edit_that_touches_one_is_refused(new: str) -> None:
    question = only(format_named("moodle_xml"), MOODLE)
    with pytest.raises(InputError) as refused:
        rewrite(format_named("moodle_xml"), MOODLE, question.with_text("stem", new))
    assert refused.value.code == "cannot_write_back"
    if "⟦picture: this one⟧ in" not in new or "$" in new:
        with pytest.raises(EditRefused) as denied:
            apply_edits(question, [Edit(question.id, "stem", STEM, new)])
        assert denied.value.reason == "protected"


def test_words_around_them_change() -> None:
    question = only(format_named("moodle_xml"), MOODLE)
    new = (
        STEM.replace("The force", "A force").replace("in the body?", "in a body?").replace("Which organ is", "Which is")
    )
    expected = (
        MOODLE.replace(b"The force", b"A force").replace(b"in the body", b"in a body").replace(b"organ is", b"is")
    )
    assert rewrite(format_named("moodle_xml"), MOODLE, question.with_text("stem", new)) == expected


@pytest.mark.parametrize("html", ['<img src="a.png" alt="A heart">', "\\(x^2\\)", "$$x^2$$", "<math><mi>x</mi></math>"])
def test_markup_in_json_and_csv_is_protected_as_it_stands(html: str) -> None:
    given = {"id": "q", "stem": f"Which is {html} here?", "options": ["a", "b"], "answer": "A"}
    question = only(format_named("json"), json.dumps([given]).encode())
    text = question.stem
    with pytest.raises(EditRefused):
        apply_edits(question, [Edit("q", "stem", text, "Which is x here?")])
    assert apply_edits(question, [Edit("q", "stem", "Which", "What")]).texts()["stem"] == text.replace("Which", "What")


def test_what_stands_in_a_token_is_not_untidy() -> None:
    assert list(slips("Which value has ⟦formula: 3 \\times 10^{8}⟧ here?")) == []
    assert [slip.span for slip in slips("Take ⟦formula: x \\times y⟧ \\times 3.")] == [(27, 33)]
