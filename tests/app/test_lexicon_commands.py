"""`burnish lexicon`: a lexicon of one's own, and the list of ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from burnish.cli.main import main
from burnish.core.json_bytes import loads
from burnish.languages.lexicon import load

PAIRS = "\n".join(f"The dog sees {n} houses\tEl perro ve {n} casas" for n in range(150))


def test_pairs_become_a_lexicon(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pairs, out = tmp_path / "pairs.tsv", tmp_path / "own.gz"
    pairs.write_text(f"source\ttarget\n{PAIRS}\n", encoding="utf-8")
    code = main(["lexicon", "build", str(pairs), "--from", "en-GB", "--to", "es", "--out", str(out), "--json"])
    assert code == 0
    said = loads(capsys.readouterr().out)
    assert (said["source"], said["target"], said["pairs"]) == ("en", "es", 150)
    assert next(iter(load(out).translations("dog"))) == "perro"


def test_a_memory_becomes_one_too(tmp_path: Path) -> None:
    memory, out = tmp_path / "memory.tmx", tmp_path / "own.gz"
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{one}</seg></tuv><tuv xml:lang="es"><seg>{other}</seg></tuv></tu>'
        for one, other in (line.split("\t") for line in PAIRS.splitlines())
    )
    head = '<header srclang="en" segtype="sentence" o-tmf="x" adminlang="en" datatype="plaintext" '
    text = f'<tmx version="1.4">{head}creationtool="t" creationtoolversion="1"/><body>{units}</body></tmx>'
    memory.write_text(text, encoding="utf-8")
    assert main(["lexicon", "build", str(memory), "--from", "en", "--to", "es", "--out", str(out)]) == 0
    assert next(iter(load(out).translations("dog"))) == "perro"


@pytest.mark.parametrize(
    ("rows", "to", "said"),
    [(PAIRS.splitlines()[:20], "es", "at least 100"), (PAIRS.splitlines(), "nothing-known", "not a known language")],
)
def test_what_cannot_be_learned_is_said(
    rows: list[str], to: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("\n".join(rows), encoding="utf-8")
    assert main(["lexicon", "build", str(pairs), "--from", "en", "--to", to, "--out", str(tmp_path / "x.gz")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x.gz").exists()


def test_ours_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lexicon", "list"]) == 0
    listed = capsys.readouterr().out
    assert "en-de" in listed
    assert "German" in listed
    only = [line.split()[0] for line in listed.splitlines() if line.endswith("warnings only")]
    assert only == ["en-bg", "en-kab", "en-mk"]
