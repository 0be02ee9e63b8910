"""`burnish lexicon`: the bilingual lexicons by which translations are compared with their sources."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from burnish.app.labels import counted
from burnish.cli.options import Output
from burnish.core.documents import Material
from burnish.core.errors import InputError, UsageError
from burnish.kinds.legos.pairs import Pair, format_of, read_pairs
from burnish.kinds.manuscripts.materials.memory import Memory
from burnish.languages.alignment import learned
from burnish.languages.detection import is_known, language_name, primary_tag
from burnish.languages.lexicon import FOLDER, GOOD_AUC, is_trusted, load
from burnish.store.files import disk_refusals, write_atomically
from burnish.store.paths import operator_path

INTRODUCTION = """A bilingual lexicon knows which words of two languages translate each other. Burnish compares
translations with their sources by it, without a model."""

COMMANDS: dict[str, str] = {
    "build": "Learn a lexicon from sentence pairs or a TMX file.",
    "list": "The lexicons that come with Burnish, and how good each is.",
}

FEWEST_PAIRS = 100
"""From fewer nothing can be learned, nor measured."""
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

    One pair in ten is kept apart first, and the lexicon is measured on those: how often it tells a sound pair from two
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


def list(output: Output) -> int:
    """List the lexicons that come with Burnish: pairs that each was learned from, and how good it is."""
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


def _language(said: str, option: str) -> str:
    tag = primary_tag(said)
    if tag is None or not is_known(tag):
        raise UsageError(
            f"{option} {said!r} is no language that is known here.", hint="Give a tag such as en, de, pt-BR."
        )
    return tag


def _pairs(path: Path, source: str, target: str) -> Sequence[tuple[str, str]]:
    with disk_refusals("read", path):
        data = path.read_bytes()
    format = format_of(path.name)
    if format is not None:
        rows = read_pairs(data, str(path), format, most=MOST_PAIRS)
        return [(row.source, row.target) for row in rows if isinstance(row, Pair)]
    return [*Memory.of([Material("memory", str(path), data)], source, target).targets.items()]
