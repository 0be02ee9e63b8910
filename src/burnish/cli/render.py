"""`burnish render`: Tamazight from one script to the other, by rules; a filter too."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from burnish.app.labels import counted
from burnish.app.materials import read_file
from burnish.app.terminal import Screen, json_text, visible
from burnish.cli.options import Output
from burnish.languages.tamazight import Orthography, Reason, Script
from burnish.store.files import refuse_unreplaceable, write_atomically
from burnish.store.paths import operator_path
from burnish.text.json_text import Encoded, decoded, read_limited
from burnish.text.transliteration import Note, Rendered, TextFormat
from burnish.text.transliteration import render as rendered

STANDARD_INPUT = "-"
LARGEST = 64 << 20
"""Bytes of a text: more than any book has."""
MOST_KINDS_TOLD = 20
WHY: dict[Reason, str] = {
    "look_alike": "look-alike letter",
    "decomposed": "decomposed letter",
    "foreign_letter": "not in this orthography: nearest letter used",
    "variant": "a regional form",
    "no_letter": "kept: no counterpart",
}


def render(
    to: Annotated[Script, typer.Option("--to", help="The script to write.")],
    output: Output,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Text or Markdown; `-` is standard input.")] = "-",
    orthography: Annotated[
        Orthography, typer.Option("--orthography", help="Letters of the Moroccan standard (ircam) or of Kabyle.")
    ] = "ircam",
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="FILE", help="Names to leave unchanged, one a line.")
    ] = None,
    format: Annotated[
        TextFormat | None,
        typer.Option("--format", help="Format of the input. Default: text for `.txt`, otherwise Markdown."),
    ] = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Write to this file instead of the terminal.")
    ] = None,
) -> None:
    """Write Tamazight in the other script. No model is called; each letter is replaced by its counterpart.

    Digits, links, code, tags, placeholders, Markdown and the names of --keep stay as they are. Look-alike letters
    (Greek, Cyrillic, cedillas) and decomposed letters are corrected; these corrections are listed on standard error.
    Tifinagh has no capitals, so they cannot be restored; nor can č, ǧ and o with `--orthography ircam`.
    """
    if out is not None:
        refuse_unreplaceable(operator_path(out))
    source = decoded(_bytes(file), _called(file))
    names = () if keep is None else _names(keep)
    by_name: TextFormat = "text" if Path(file).suffix.lower() == ".txt" else "markdown"
    result = rendered(source.text, to, orthography, names, format or by_name)
    if output.json:
        _write(Encoded(""), f"{json_text(_as_wire(source.text, result, to, orthography))}\n", out)
        return
    _write(source, result.text, out)
    _tell(Screen(sys.stderr, no_color=output.no_color), source.text, result.notes)


def _bytes(file: str) -> bytes:
    if file == STANDARD_INPUT:
        return read_limited(sys.stdin.buffer, _called(file), LARGEST)
    return read_file(operator_path(file), LARGEST)


def _called(file: str) -> str:
    return "standard input" if file == STANDARD_INPUT else file


def _names(path: str) -> tuple[str, ...]:
    lines = decoded(_bytes(path), _called(path)).text.splitlines()
    return tuple(name for line in lines if (name := line.strip()))


def _write(source: Encoded, text: str, out: str | None) -> None:
    """The text in the encoding that it came in; a terminal gets nothing that could move its cursor."""
    if out is not None:
        write_atomically(operator_path(out), source.encode(text))
    elif sys.stdout.isatty():
        sys.stdout.write("\n".join(visible(line.rstrip("\r")) for line in text.split("\n")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(source.encode(text))
        sys.stdout.buffer.flush()


def _tell(screen: Screen, text: str, notes: Sequence[Note]) -> None:
    """What was not taken as it stands: each letter once, with its number and its first line."""
    groups: dict[tuple[str, str, Reason], list[Note]] = {}
    for note in notes:
        groups.setdefault((note.found, note.written, note.reason), []).append(note)
    for (found, written, reason), same in list(groups.items())[:MOST_KINDS_TOLD]:
        line = text.count("\n", 0, same[0].start) + 1
        change = found if reason == "no_letter" else f"{found} → {written}"
        screen.line(
            ("warning" if reason == "no_letter" else "faint", change),
            f"  {WHY[reason]}; {counted(len(same), 'place')}, first in line {line}",
        )
    if len(groups) > MOST_KINDS_TOLD:
        screen.line(f"and {counted(len(groups) - MOST_KINDS_TOLD, 'other letter')}; --json lists all")


def _as_wire(text: str, result: Rendered, to: Script, orthography: Orthography) -> dict[str, Any]:
    line, at = 1, 0
    notes: list[dict[str, Any]] = []
    for note in result.notes:
        line += text.count("\n", at, note.start)
        at = note.start
        told = {"start": note.start, "end": note.end, "line": line, "found": note.found, "written": note.written}
        notes.append({**told, "reason": note.reason})
    return {"to": to, "orthography": orthography, "text": result.text, "notes": notes}
