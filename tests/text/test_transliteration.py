"""Whole texts: what is rendered, what stays, what is noted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.errors import UsageError
from burnish.languages.tamazight import ORTHOGRAPHIES, TO_LATIN, VARIANTS, Orthography
from burnish.text.transliteration import TextFormat, normalise, render

STAYS = (
    "`azul fell-awen`",
    "``a ` b``",
    "<span class='azul'>",
    "<code>azul</code>",
    "<!-- azul -->",
    "https://example.org/azul?a=b",
    "www.azul.com/tamurt",
    "azul.org",
    "amazigh@tamurt.dz",
    "mailto:azul@tamurt.dz",
    "{isem}",
    "{azal:.2f}",
    "${isem}",
    "{{ isem }}",
    "{% include azul %}",
    "{: .azul #id}",
    "{#azul}",
    "%s",
    "%(isem)s",
    "%1$s",
    "%.2f",
    "&nbsp;",
    "&eacute;",
    "&#x2D30;",
    "[^azul]",
    "$a_b + c$",
    "1949",
    "٣٤",
    "Tizi Wezzu",
    "C++",
    ".NET",
)
KEPT = ("Tizi Wezzu", "Tizi", "C++", ".NET", "Ḍa", "Ǧ")
ALPHABET = "".join(sorted(set(TO_LATIN) - set(VARIANTS) - {"\u2d7f", "ⵞ", "ⴵ", "ⵧ"}))
tifinagh_words = st.text(st.sampled_from(ALPHABET), min_size=1, max_size=8)
hostile = st.text(st.sampled_from("aɣε°ḍd\u0323 \n\t`*_[]()<>!{}#%$&@:/\\.^|-ⴰO1é~+=\r\x00\u200d") | st.characters())
formats: st.SearchStrategy[TextFormat] = st.sampled_from(("markdown", "text"))


@given(st.lists(st.sampled_from(STAYS), min_size=1, max_size=6), formats)
def test_what_is_no_tamazight_stays(stays: list[str], format: TextFormat) -> None:
    text = " azul ".join(("", *stays, ""))
    expected = " ⴰⵣⵓⵍ ".join(("", *stays, ""))
    assert render(text, keep=KEPT, format=format).text == expected
    assert render(expected, "latin", keep=KEPT, format=format).text == text


@given(st.lists(tifinagh_words, max_size=12), st.sampled_from(ORTHOGRAPHIES))
def test_sentences_in_tifinagh_come_back_exactly(words: list[str], orthography: Orthography) -> None:
    text = ", ".join(words) + ". 1 – 2!"
    there = render(text, "latin", orthography)
    assert not set(there.text) & set(ALPHABET)
    assert render(there.text, "tifinagh", orthography).text == text


@given(hostile, formats, st.sampled_from(("tifinagh", "latin")))
def test_any_text_is_rendered_and_every_note_has_its_place(text: str, format: TextFormat, to: str) -> None:
    for result in (render(text, to, "kabyle", format=format), normalise(text, format=format)):  # type: ignore[arg-type]
        assert all(text[note.start : note.end] == note.found for note in result.notes)
        assert [note.start for note in result.notes] == sorted(note.start for note in result.notes)
        assert [c for c in result.text if c in "\n`*_[](){}<>#|0123456789"] == [
            c for c in text if c in "\n`*_[](){}<>#|0123456789"
        ]


@given(st.text("abgγεԑţḍd\u0323 .,аоkÉ", max_size=40))
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text).text
    assert normalise(once).text == once and not normalise(once).notes


def test_links_keep_their_targets_and_images_their_addresses() -> None:
    text = '[awal](https://x.org/awal "isem") ![tugna n *wass*](tugna.png) [adlis][adlis-1] [amur][]'
    assert render(text).text == (
        '[ⴰⵡⴰⵍ](https://x.org/awal "isem") ![ⵜⵓⴳⵏⴰ ⵏ *ⵡⴰⵙⵙ*](tugna.png) [ⴰⴷⵍⵉⵙ][adlis-1] [amur][]'
    )
    assert render("![![a](b) c](d) e").text == "![![a](b) ⵛ](d) ⴻ"


def test_labels_that_the_text_defines_stay() -> None:
    text = "Wali [adlis] d [awal].\n\n[adlis]: https://x.org\n"
    assert render(text).text == "ⵡⴰⵍⵉ [adlis] ⴷ [ⴰⵡⴰⵍ].\n\n[adlis]: https://x.org\n"


def test_markdown_keeps_code_front_matter_and_marks() -> None:
    text = (
        "---\ntitle: azul\n---\n# Azul {#azul}\n\n- [x] **yiwen**\n1. _sin_\n\n```python\nazul = 1\n```\n\n"
        "    azul\n\n> kraḍ\n\n| a | b |\n|---|:-:|\n| c | d |\n"
    )
    assert render(text).text == (
        "---\ntitle: azul\n---\n# ⴰⵣⵓⵍ {#azul}\n\n- [x] **ⵢⵉⵡⴻⵏ**\n1. _ⵙⵉⵏ_\n\n```python\nazul = 1\n```\n\n"
        "    azul\n\n> ⴽⵔⴰⴹ\n\n| ⴰ | ⴱ |\n|---|:-:|\n| ⵛ | ⴷ |\n"
    )
    assert render("+++\na = 1\n+++\nazul\r\n").text == "+++\na = 1\n+++\nⴰⵣⵓⵍ\r\n"


def test_plain_text_has_no_indented_code_and_no_front_matter() -> None:
    assert render("    azul\n", format="text").text == "    ⴰⵣⵓⵍ\n"
    assert render("---\nazul\n---\n", format="text").text == "---\nⴰⵣⵓⵍ\n---\n"


def test_names_are_kept_whole_longest_first_in_either_form() -> None:
    rendered = render("Tizi Wezzu, Tizi, Tizin, Paris-is D\u0323a", keep=["Tizi", "Tizi Wezzu", "Paris", "Ḍa", " "])
    assert rendered.text == "Tizi Wezzu, Tizi, ⵜⵉⵣⵉⵏ, Paris-ⵉⵙ D\u0323a"
    assert rendered.notes == ()
    assert render("ⵜⵉⵣⵉ ⵏ ⵡⵓⵛⵛⵏ", "latin", keep=["ⵜⵉⵣⵉ"]).text == "ⵜⵉⵣⵉ n wuccn"


def test_notes_point_into_the_whole_text() -> None:
    text = "---\na: b\n---\nAzul, yewεer d\u0323"
    notes = render(text).notes
    assert [(text[note.start : note.end], note.written, note.reason) for note in notes] == [
        ("ε", "ɛ", "look_alike"),
        ("d\u0323", "ḍ", "decomposed"),
    ]


def test_what_code_and_names_hold_is_not_normalised() -> None:
    assert normalise("`γ` γef Sγ", keep=["Sγ"]).text == "`γ` ɣef Sγ"


@pytest.mark.parametrize(("to", "orthography"), [("arabic", "ircam"), ("latin", "tuareg")])
def test_unknown_scripts_and_orthographies_are_refused(to: str, orthography: str) -> None:
    with pytest.raises(UsageError, match="There is no") as refused:
        render("azul", to, orthography)  # type: ignore[arg-type]
    assert str(refused.value.hint).startswith("Choose one of: ")
