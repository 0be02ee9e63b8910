"""Answers of translators and menders: each paragraph is usable or refused for itself."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.core.edits import protected_parts
from burnish.core.replies import EditPart, EditReply, TranslationPart, TranslationReply
from burnish.kinds.manuscripts.block_fit import fits_one_block
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.replies import Answered, edits_of, is_echo, translations_of

SOURCE = "He had lost two millions."
DRAFT = "Había perdido tres millones."


def paragraph(id: str = "p_0001", text: str = SOURCE, translation: str = "", **more: Any) -> Paragraph:
    return Paragraph(id, 1, "paragraph", text, translation, source_language="en", target_language="es", **more)


def translated(*parts: tuple[str, str], ids: tuple[str, ...] = ("p_0001",), text: str = SOURCE) -> Answered:
    reply = TranslationReply(translations=tuple(TranslationPart(paragraph_id=id, text=said) for id, said in parts))
    return translations_of(reply, [paragraph(id, text) for id in ids], fits_one_block)


def edited(*edits: tuple[str, str], draft: str = DRAFT, text: str = SOURCE, field: str | None = None) -> Answered:
    parts = tuple(EditPart(unit="p_0001", field=field, find=find, replace=new) for find, new in edits)
    return edits_of(EditReply(reasoning="", edits=parts), [paragraph(text=text, translation=draft)], fits_one_block)


def test_a_whole_answer_is_used() -> None:
    answer = translated(("p_0001", " Había\r\nperdido. \n"), ("p_0002", "Dos."), ids=("p_0001", "p_0002"))
    assert answer == Answered({"p_0001": "Había\nperdido.", "p_0002": "Dos."})


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ([], "missing"),
        ([("p_0001", "a"), ("p_0001", "a")], "duplicate"),
        ([("p_0001", " \n")], "empty"),
        ([("p_0001", SOURCE)], "echo"),
        ([("p_0001", "Dos \x1b[31m millones")], "control_character"),
        ([("p_0001", "Dos\n\nmillones")], "not_one_block"),
    ],
)
def test_what_is_wrong_with_one_paragraph_touches_no_other(parts: list[tuple[str, str]], reason: str) -> None:
    answer = translated(*parts, ("p_0002", "Sí."), ids=("p_0001", "p_0002"))
    assert answer.usable == {"p_0002": "Sí."}
    assert answer.refused["p_0001"].startswith(f"{reason}: ") and list(answer.refused) == ["p_0001"]


def test_an_answer_without_an_id_is_that_of_the_only_paragraph() -> None:
    assert translated(("", "Sí.")) == Answered({"p_0001": "Sí."})
    several = translated(("", "Sí."), ("p_0002", "No."), ids=("p_0001", "p_0002"))
    assert several.usable == {"p_0002": "No."} and several.refused["p_0001"].startswith("missing: ")


def test_an_invented_paragraph_is_named_and_left() -> None:
    answer = translated(("p_0001", "Sí."), ("p_0777", "¿Qué?"))
    assert answer == Answered({"p_0001": "Sí."}, {}, ("p_0777",))


@pytest.mark.parametrize(
    ("text", "echo"),
    [
        ("He had lost two millions.", True),
        ("Anton Pavlovich Chekhov", False),
        ("Chekhov, 1889", False),
        ("`git commit --amend with all options`", False),
        ("https://example.org/some/very/long/path/with/words", False),
        ("1, 2, 3", False),
        ("radio digital", False),
        ("他失去了两百万卢布的赌注", True),
        ("北京", False),
    ],
)
def test_names_and_numbers_are_the_same_everywhere(text: str, echo: bool) -> None:
    assert is_echo(paragraph(text=text), f" {text}\n") == echo


def test_a_paragraph_that_is_in_the_target_language_already_is_no_echo() -> None:
    same = Paragraph("p_0001", 1, "paragraph", DRAFT * 3, source_language="es", target_language="es")
    assert not is_echo(same, same.text)
    assert is_echo(Paragraph("p_0001", 1, "paragraph", SOURCE), SOURCE)


@pytest.mark.parametrize("field", [None, "draft"])
def test_edits_change_what_they_name(field: str | None) -> None:
    assert edited(("tres", "dos"), ("Había", "Hubo"), field=field) == Answered({"p_0001": "Hubo perdido dos millones."})


@pytest.mark.parametrize(
    ("edits", "reason"),
    [
        ([], "no_change"),
        ([("cuatro", "dos")], "not_found"),
        ([("e", "a")], "not_unique"),
        ([("tres", "dos"), ("cuatro", "dos")], "not_found"),
        ([("Había perdido tres", "Tres")], "shrinks"),
        ([("tres", "`rm -rf`")], "protected"),
        ([("tres", "[dos](https://evil.example)")], "protected"),
        ([("tres", "dos\x1b[0m")], "control_character"),
        ([("tres", "dos\n\nmil")], "not_one_block"),
    ],
)
def test_a_bad_edit_is_refused_and_the_draft_stays(edits: list[tuple[str, str]], reason: str) -> None:
    answer = edited(*edits)
    assert answer.usable == {} and answer.refused["p_0001"].startswith(f"{reason}: ")


def test_a_field_that_does_not_exist_is_refused() -> None:
    assert edited(("tres", "dos"), field="source").refused["p_0001"].startswith("unknown_field: ")


def test_edits_of_unknown_paragraphs_are_named() -> None:
    reply = EditReply(reasoning="", edits=(EditPart(unit="p_0777", find="a", replace="b"),))
    assert edits_of(reply, [], fits_one_block).invented == ("p_0777",)


@pytest.mark.parametrize(
    ("text", "draft", "edit", "usable"),
    [
        ("Hello {name}!", "¡Hola {nombre}!", ("{nombre}", "{name}"), True),
        ("Hello {name}!", "¡Hola!", ("Hola", "Hola {name}"), True),
        ("See [it](a.html).", "Vea [eso](b.html).", ("b.html", "a.html"), True),
        ("Run `ls` and `cat`.", "Ejecute `cat` y `ls`.", ("`cat` y `ls`", "`ls` y `cat`"), True),
        ("Hello {name}!", "¡Hola {name}!", ("{name}", "{nombre}"), False),
        ("Hello {name}!", "¡Hola {name}!", ("{name}", "{name} {name}"), False),
        ("See [it](a.html).", "Vea [eso](a.html).", ("a.html", "b.html"), False),
        ("Hello {name}!", "¡Hola {nombre}!", ("{nombre}", "{name}\x07"), False),
    ],
)
def test_protected_parts_may_only_become_the_sources(
    text: str, draft: str, edit: tuple[str, str], usable: bool
) -> None:
    answer = edited(edit, text=text, draft=draft)
    assert bool(answer.usable) == usable
    if usable:
        assert sorted(protected_parts(answer.usable["p_0001"])) == sorted(protected_parts(text))


def test_edits_are_made_to_what_is_rendered_afterwards() -> None:
    rendered = paragraph(translation="ⴰⵣⵓⵍ", latin="azul fellawen")
    reply = EditReply(reasoning="", edits=(EditPart(unit="p_0001", find="fellawen", replace="fell-awen"),))
    assert edits_of(reply, [rendered], fits_one_block).usable == {"p_0001": "azul fell-awen"}


PIECES = st.lists(st.sampled_from(["dos ", "tres ", "{x} ", "%s ", "`c` ", "[a](b) ", "<b>", "\x07"]), max_size=6)


@given(PIECES, PIECES, PIECES)
def test_no_edit_moves_a_protected_part_away_from_the_source(
    source: list[str], draft: list[str], new: list[str]
) -> None:
    before = f"{''.join(draft)}fin de la frase"
    answer = edited(("frase", f"frase {''.join(new)}"), text="".join(source), draft=before)
    for text in answer.usable.values():
        wanted, had, has = (protected_parts(one) for one in ("".join(source), before, text))
        for part in {*had, *has}:
            assert abs(has.count(part) - wanted.count(part)) <= abs(had.count(part) - wanted.count(part))
