"""`burnish render` and `burnish lexicon`: Tamazight from one script to the other, and lexicons of two languages."""

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
from burnish.core.documents import Material
from burnish.core.errors import InputError, UsageError
from burnish.languages.detection import is_known, language_name, primary_tag
from burnish.languages.lexicon import FOLDER, GOOD_AUC, is_trusted, load
from burnish.languages.tamazight import Orthography, Reason, Script
from burnish.store.files import disk_refusals, refuse_unreplaceable, write_atomically
from burnish.store.paths import operator_path
from burnish.text.json_text import Encoded, decoded, read_limited
from burnish.text.transliteration import Note, Rendered, TextFormat
from burnish.text.transliteration import render as rendered

STANDARD_INPUT = "-"
LARGEST = 64 << 20
"""Bytes of a text: more than any book has."""
MOST_CHANGES_SHOWN = 20
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
    source = decoded(_bytes(file), _display_name(file))
    names = () if keep is None else _names(keep)
    by_name: TextFormat = "text" if Path(file).suffix.lower() == ".txt" else "markdown"
    result = rendered(source.text, to, orthography, names, format or by_name)
    if output.json:
        _write(Encoded(""), f"{json_text(_as_wire(source.text, result, to, orthography))}\n", out)
        return
    _write(source, result.text, out)
    _print_notes(Screen(sys.stderr, no_color=output.no_color), source.text, result.notes)


def _bytes(file: str) -> bytes:
    if file == STANDARD_INPUT:
        return read_limited(sys.stdin.buffer, _display_name(file), LARGEST)
    return read_file(operator_path(file), LARGEST)


def _display_name(file: str) -> str:
    return "standard input" if file == STANDARD_INPUT else file


def _names(path: str) -> tuple[str, ...]:
    lines = decoded(_bytes(path), _display_name(path)).text.splitlines()
    return tuple(name for line in lines if (name := line.strip()))


def _write(source: Encoded, text: str, out: str | None) -> None:
    """Write the text in its original encoding; a terminal gets no control characters that could move its cursor."""
    if out is not None:
        write_atomically(operator_path(out), source.encode(text))
    elif sys.stdout.isatty():
        sys.stdout.write("\n".join(visible(line.rstrip("\r")) for line in text.split("\n")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(source.encode(text))
        sys.stdout.buffer.flush()


def _print_notes(screen: Screen, text: str, notes: Sequence[Note]) -> None:
    """Print the changed and the unknown letters: each once, with its count and its first line."""
    groups: dict[tuple[str, str, Reason], list[Note]] = {}
    for note in notes:
        groups.setdefault((note.found, note.written, note.reason), []).append(note)
    for (found, written, reason), same in list(groups.items())[:MOST_CHANGES_SHOWN]:
        line = text.count("\n", 0, same[0].start) + 1
        change = found if reason == "no_letter" else f"{found} → {written}"
        screen.line(
            ("warning" if reason == "no_letter" else "faint", change),
            f"  {WHY[reason]}; {counted(len(same), 'place')}, first in line {line}",
        )
    if len(groups) > MOST_CHANGES_SHOWN:
        screen.line(f"and {counted(len(groups) - MOST_CHANGES_SHOWN, 'other letter')}; --json lists all")


def _as_wire(text: str, result: Rendered, to: Script, orthography: Orthography) -> dict[str, Any]:
    line, at = 1, 0
    notes: list[dict[str, Any]] = []
    for note in result.notes:
        line += text.count("\n", at, note.start)
        at = note.start
        place = {"start": note.start, "end": note.end, "line": line, "found": note.found, "written": note.written}
        notes.append({**place, "reason": note.reason})
    return {"to": to, "orthography": orthography, "text": result.text, "notes": notes}


INTRODUCTION = """A bilingual lexicon knows which words of two languages translate each other. Burnish compares
translations with their sources by it, without a model."""

COMMANDS: dict[str, str] = {
    "build": "Learn a lexicon from sentence pairs or a TMX file.",
    "list": "List the lexicons that come with Burnish, and how good each is.",
}

FEWEST_PAIRS = 100
"""Fewer pairs are not enough to learn from, nor to measure the result."""
MOST_PAIRS = 500_000


def build(
    pairs: Annotated[str, typer.Argument(metavar="PAIRS", help="Sentence pairs: .tsv, .csv, .jsonl or .tmx.")],
    output: Output,
    source: Annotated[str, typer.Option("--from", metavar="LANG", help="The language of the first column.")],
    target: Annotated[str, typer.Option("--to", metavar="LANG", help="The language of the second column.")],
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="Default: FROM-TO.gz in this folder.")
    ] = None,
) -> int:
    """Learn a bilingual lexicon from sentence pairs.

    One pair in ten is held out, and the lexicon is measured on those: how often it can tell a sound pair from two
    texts that do not belong together.
    """
    languages = _language(source, "--from"), _language(target, "--to")
    path = operator_path(out or f"{languages[0]}-{languages[1]}.gz")
    rows = _pairs(operator_path(pairs), *languages)
    if len(rows) < FEWEST_PAIRS:
        raise InputError(
            f"The file has {counted(len(rows), 'pair')}; a lexicon needs at least {FEWEST_PAIRS}.",
            path=pairs,
            code="too_few_pairs",
            hint="Some thousands are better.",
        )
    from burnish.languages.alignment import learned  # it loads NumPy, which `render` does not need

    lexicon = learned(rows, *languages)
    write_atomically(path, lexicon.packed())
    record = {**lexicon.about, "path": str(path), "source": languages[0], "target": languages[1]}
    if output.json:
        output.write(record)
        return 0
    screen = output.screen
    words = f"{len(lexicon.source_words):,} and {len(lexicon.target_words):,} words"
    screen.line(f"{len(rows):,} pairs, {words}. Written to ", ("path", str(path)), ".")
    screen.line(
        f"It tells a sound pair from two texts that do not belong together in {lexicon.about['auc']:.1%} of cases."
    )
    if not is_trusted(lexicon):
        screen.line(f"That is under {GOOD_AUC:.0%}: it gives warnings only. More pairs make it better.")
    return 0


def list_(output: Output) -> int:
    """List the lexicons that come with Burnish: how many pairs each was learned from, and how good it is."""
    found = [load(path) for path in sorted(FOLDER.glob("*.gz"))]
    if output.json:
        output.write({"lexicons": [{"source": one.source, "target": one.target, **one.about} for one in found]})
        return 0
    screen = output.screen
    for one in found:
        name, only = language_name(one.target), "" if is_trusted(one) else "   warnings only"
        figures = f"{one.about['pairs']:>7,} pairs   AUC {one.about['auc']:.3f}{only}"
        screen.line(f"{one.source}-{one.target:<4} {name:<12} {figures}")
    screen.line(("faint", "AUC: how often a sound pair scores above two texts that do not belong together."))
    return 0


def _language(name: str, option: str) -> str:
    tag = primary_tag(name)
    if tag is None or not is_known(tag):
        raise UsageError(f"{option} {name!r} is not a known language.", hint="Give a tag such as en, de, pt-BR.")
    return tag


def _pairs(path: Path, source: str, target: str) -> Sequence[tuple[str, str]]:
    # Imported only here, because `render` needs neither kind.
    from burnish.kinds.legos.pairs import Pair, format_of, read_pairs
    from burnish.kinds.manuscripts.memory import Memory

    with disk_refusals("read", path):
        data = path.read_bytes()
    format = format_of(path.name)
    if format is not None:
        rows = read_pairs(data, str(path), format, most=MOST_PAIRS)
        return [(row.source, row.target) for row in rows if isinstance(row, Pair)]
    return [*Memory.of([Material("memory", str(path), data)], source, target).targets.items()]
