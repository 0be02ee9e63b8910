"""What a reader sees of HTML."""

from __future__ import annotations

import pytest

from burnish.kinds.questions.formats.markup import MOODLE_TEXT, XHTML, Dialect, markup_layer
from burnish.kinds.questions.formats.source import TooComplex


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("plain", "plain"),
        ("  a \n  b  ", "a b"),
        ("<p>a</p>\n\n<p>b</p>", "a\nb"),
        ("a<br>b<br/>c", "a\nb\nc"),
        ("a<br><br>b", "a\n\nb"),
        ("<p>a<br></p><p>b</p>", "a\nb"),
        ("<p>a</p><p><br>b</p>", "a\n\nb"),
        ("<br>a", "\na"),
        ("<p>a</p><br>", "a"),
        ("a <b> b</b>", "a b"),
        ("H<sub>2</sub>O", "H2O"),
        ("<ul><li>a</li><li>b</li></ul>", "a\nb"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a\tb\nc"),
        ("a<!-- x -->b<!-- open", "ab"),
        ("<style>p {}</style>a<script>if (a < b) {}</script>", "a"),
        ("<script>open", ""),
        ("a &lt; b &#233; &#x41; &eacute;&nbsp;x", "a < b é A é\u00a0x"),
        ("AT&T &unknown; & &#; 5 < 6", "AT&T &unknown; & &#; 5 < 6"),
        ("&amp", "&"),
        ("<pre>a  b\n c</pre>", "a  b\n c"),
        ('<a href="x>y">link</a>', "link"),
        ("x <y and z> w", "x w"),
        ("<![CDATA[x]]>y", "y"),
        ("<?php echo ?>y<!DOCTYPE html>z", "yz"),
        ("<b", "<b"),
        ("<TITLE>t</TITLE>x", "x"),
        ("</p>a</br>b", "ab"),
        ("<video><source src='a/x.mp4'>old browser</video>y", "⟦video: x.mp4⟧y"),
        ('<img alt="A <b> heart">', "⟦picture: A <b> heart⟧"),
        ('a <img alt="image" src="https://x.example/p/heart.png?v=1"> b', "a ⟦picture: heart.png⟧ b"),
        ('<img src="data:image/png;base64,AAAA">', "⟦picture: 23f5e9⟧"),
        ('<math alttext="x^2"><mi>x</mi></math>', "⟦formula: x^2⟧"),
        ("<math><mi>x</mi><mo>+</mo><mn>1</mn></math>!", "⟦formula: x + 1⟧!"),
        (
            "<math><mi>x</mi><annotation encoding='LaTeX'>x_1</annotation></math>",
            "⟦formula: x_1⟧",
        ),
        ('<img class="equation_image" alt="LaTeX: x^2" data-equation-content="x^2">', "⟦formula: x^2⟧"),
    ],
)
def test_html(source: str, seen: str) -> None:
    assert markup_layer(source).text == seen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("x <y and z> w", "x <y and z> w"),
        ("a\nb <b>c</b>", "a\nb c"),
        ("5 <6> 7 <i>8</i>", "5 <6> 7 8"),
        (" a \n", "a"),
    ],
)
def test_moodle_text_keeps_lines_and_unknown_tags(source: str, seen: str) -> None:
    assert markup_layer(source, MOODLE_TEXT).text == seen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("a <![CDATA[<b>  ]]> c", "a <b> c"),
        ("<h:p>a</h:p><h:p>b</h:p>", "a\nb"),
        ("a<x:note>hidden <x:note>deep</x:note></x:note>b", "ab"),
        ("a<note/>b", "ab"),
        ("<title>shown? no</title>b", "b"),
    ],
)
def test_xhtml(source: str, seen: str) -> None:
    assert markup_layer(source, Dialect(xhtml=True, hidden=frozenset({"note"}))).text == seen


def test_hidden_unknown_tags_inside_silence_stay_silent() -> None:
    assert markup_layer("<script><y></script>z", MOODLE_TEXT).text == "z"


def test_text_in_a_section_is_changed_outside_of_it() -> None:
    layer = markup_layer("<![CDATA[a b]]>", XHTML)
    assert list(layer.splices(0, 1, "<x>")) == [(9, 10, "]]>&lt;x&gt;<![CDATA[")]


@pytest.mark.no_cover  # the same lines over and over
def test_a_bomb_of_tokens_is_refused() -> None:
    with pytest.raises(TooComplex):
        markup_layer("&amp;" * 200_001)
