"""The standing table: how often findings of rules were right on text that people published, by kind and language.

`make eval` writes it from labels (`bench/eval/standing.py`). Without enough labels a rule is doubtful.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache
from importlib import resources

from burnish.core.claims import Evidence, Standings

NAME = "standing.tsv"
COLUMNS = ("kind", "rule", "language", "right", "of")


@cache
def standings(kind: str) -> Standings:
    """Return the table of one kind."""
    text = (resources.files("burnish.text") / "data" / NAME).read_text("utf-8")
    rows = (row for row in csv.DictReader(text.splitlines(), delimiter="\t") if row["kind"] == kind)
    return Standings({(row["rule"], row["language"]): Evidence(int(row["right"]), int(row["of"])) for row in rows})


def table(rows: Iterable[tuple[str, str, str, int, int]]) -> str:
    """Return the file's text for rows of (kind, rule, language, right, of)."""
    return "".join("\t".join(map(str, row)) + "\n" for row in (COLUMNS, *sorted(rows)))
