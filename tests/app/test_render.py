"""`burnish render`: a file or a stream in, the other script out."""

from __future__ import annotations

import codecs
import io
import sys
from pathlib import Path

import pytest

from tests.app.desk import Desk

LATIN = "# Azul\n\nYewεer `azul` deg Paris, yečča 10.\n"
TIFINAGH = "# ⴰⵣⵓⵍ\n\nⵢⴻⵡⵄⴻⵔ `azul` ⴷⴻⴳ ⵒⴰⵔⵉⵙ, ⵢⴻⵞⵞⴰ 10.\n"


def typed(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_a_file_is_rendered_and_what_was_made_right_is_told(desk: Desk) -> None:
    Path("book.md").write_text(LATIN, encoding="utf-8")
    said = desk("render", "book.md", "--to", "tifinagh", "--orthography", "kabyle")
    assert (said.code, said.out) == (0, TIFINAGH)
    assert said.err == "ε → ɛ  look-alike letter; 1 place, first in line 3\n"


@pytest.mark.parametrize("arguments", [(), ("-",)])
def test_standard_input_is_a_filter(desk: Desk, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]) -> None:
    typed(monkeypatch, "ⴰⵣⵓⵍ\r\n".encode())
    said = desk("render", *arguments, "--to", "latin")
    assert (said.code, said.out, said.err) == (0, "azul\r\n", "")


def test_names_of_a_file_are_kept_and_the_result_goes_to_another(desk: Desk) -> None:
    Path("book.txt").write_bytes(codecs.BOM_UTF8 + b"    Azul, Paris d Tizi Wezzu!\n")
    Path("names.txt").write_text("Paris\n\nTizi Wezzu\n", encoding="utf-8")
    said = desk("render", "book.txt", "--to", "tifinagh", "--keep", "names.txt", "--out", "out.txt")
    assert (said.code, said.out, said.err) == (0, "", "")
    assert Path("out.txt").read_bytes() == codecs.BOM_UTF8 + "    ⴰⵣⵓⵍ, Paris ⴷ Tizi Wezzu!\n".encode()


def test_the_format_can_be_said(desk: Desk) -> None:
    Path("book.md").write_text("    azul\n", encoding="utf-8")
    assert desk("render", "book.md", "--to", "tifinagh").out == "    azul\n"
    assert desk("render", "book.md", "--to", "tifinagh", "--format", "text").out == "    ⴰⵣⵓⵍ\n"


def test_json_tells_every_note_with_its_line(desk: Desk) -> None:
    Path("book.md").write_text("Azul\nyewεer\n\nγef ʘ\n", encoding="utf-8")
    said = desk("render", "book.md", "--to", "tifinagh", "--json").json
    assert (said["to"], said["orthography"], said["text"]) == ("tifinagh", "ircam", "ⴰⵣⵓⵍ\nⵢⴻⵡⵄⴻⵔ\n\nⵖⴻⴼ ʘ\n")
    assert [(note["line"], note["found"], note["written"], note["reason"]) for note in said["notes"]] == [
        (2, "ε", "ɛ", "look_alike"),
        (4, "γ", "ɣ", "look_alike"),
        (4, "ʘ", "ʘ", "no_letter"),
    ]


def test_letters_are_told_once_and_not_without_end(desk: Desk) -> None:
    Path("book.md").write_text("ε " + " ".join(f"a{chr(0x1CD + 2 * n)}ε" for n in range(25)), encoding="utf-8")
    lines = desk("render", "book.md", "--to", "tifinagh").err.splitlines()
    assert len(lines) == 21 and "25 places" in lines[1] and lines[-1].endswith("--json lists all")


def test_a_terminal_gets_no_escapes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("book.md").write_bytes(b"azul \x1b[2J\r\nsin")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True, raising=False)
    assert desk("render", "book.md", "--to", "tifinagh").out == "ⴰⵣⵓⵍ \\x1b[2ⵊ\nⵙⵉⵏ"


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"azul \xff", "is not UTF-8"), (b"az\x00ul", "NUL"), (b"\xff\xfe\x00\x00a\x00\x00\x00", "UTF-32")],
)
def test_bytes_that_are_no_text_are_refused(desk: Desk, data: bytes, message: str) -> None:
    Path("book.md").write_bytes(data)
    said = desk("render", "book.md", "--to", "latin", "--out", "out.md")
    assert said.code == 2 and message in said.err and "book.md:1" in said.err and "hint:" in said.err
    assert not Path("out.md").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.md", "--to", "latin"), "cannot be read"),
        (("book.md",), "Missing option '--to'"),
        (("book.md", "--to", "arabic"), "arabic"),
        (("book.md", "--to", "latin", "--orthography", "tuareg"), "tuareg"),
        (("book.md", "--to", "latin", "--keep", "none.txt"), "none.txt"),
        (("book.md", "--to", "latin", "--out", "book.md/x"), "book.md"),
        ((".", "--to", "latin"), "cannot be read"),
    ],
)
def test_wrong_use_is_told_with_exit_2(desk: Desk, arguments: tuple[str, ...], message: str) -> None:
    Path("book.md").write_text(LATIN, encoding="utf-8")
    said = desk("render", *arguments)
    assert said.code == 2 and message in said.err and said.out == ""


def test_utf_16_stays_utf_16(desk: Desk) -> None:
    Path("book.txt").write_bytes(codecs.BOM_UTF16_LE + "azul".encode("utf-16-le"))
    assert desk("render", "book.txt", "--to", "tifinagh", "--out", "out.txt").code == 0
    assert Path("out.txt").read_bytes() == codecs.BOM_UTF16_LE + "ⴰⵣⵓⵍ".encode("utf-16-le")
