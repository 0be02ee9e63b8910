"""`--out` and `--out-format`: the file is what its name says, or what was asked for."""

import zipfile
from pathlib import Path

import pytest

from tests.app.desk import Desk
from tests.engine.questions_bench import sound


def version(path: Path) -> str:
    """Which QTI a package holds."""
    with zipfile.ZipFile(path) as package:
        assert package.namelist()[-1] == "imsmanifest.xml"
        item = package.read(package.namelist()[0])
    return "3.0" if b"<qti-assessment-item" in item else "2.1"


@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize(("name", "flags"), [("x.zip", ()), ("x.qti", ()), ("x.dat", ("--out-format", "qti"))])
def test_a_package_is_a_package_however_many_questions(
    desk: Desk, count: int, name: str, flags: tuple[str, ...]
) -> None:
    bank = desk.bank(*(sound(n) for n in range(count)))
    assert desk("polish", bank, "--rules-only", "--run-id", "r", "--out", name, *flags).code == 0
    assert version(desk.home / name) == "2.1"


@pytest.mark.parametrize("name", ["x.zip", "x.qti", "x"])
def test_qti_3_is_asked_for_by_name(desk: Desk, name: str) -> None:
    assert (
        desk("polish", desk.bank(sound(0)), "--rules-only", "--run-id", "r", "--out", name, "--out-format", "qti3").code
        == 0
    )
    assert version(desk.home / name) == "3.0"
    # From there it stays 3.0, or becomes 2.1 where that is asked for.
    again = "y.qti" if name != "x" else "y"
    assert desk("polish", desk.home / name, "--rules-only", "--run-id", "s", "--out", again).code == 0
    assert version(desk.home / again) == "3.0"
    assert (
        desk("polish", desk.home / name, "--rules-only", "--run-id", "t", "--out", "z.zip", "--out-format", "qti").code
        == 0
    )
    assert version(desk.home / "z.zip") == "2.1"


def test_an_item_becomes_a_package_and_a_package_an_item(desk: Desk) -> None:
    assert (
        desk(
            "polish",
            desk.bank(sound(0)),
            "--rules-only",
            "--run-id",
            "r",
            "--out",
            "i.xml",
            "--out-format",
            "qti3_item",
        ).code
        == 0
    )
    assert b"<qti-assessment-item" in (desk.home / "i.xml").read_bytes()
    assert desk("polish", "i.xml", "--rules-only", "--run-id", "s", "--out", "p.zip").code == 0
    assert version(desk.home / "p.zip") == "3.0"
    assert desk("polish", "p.zip", "--rules-only", "--run-id", "t", "--out", "j.xml").code == 0
    assert (desk.home / "j.xml").read_bytes() == (desk.home / "i.xml").read_bytes()


def test_an_item_file_cannot_take_a_bank(desk: Desk) -> None:
    said = desk(
        "polish",
        desk.bank(sound(0), sound(1)),
        "--rules-only",
        "--run-id",
        "r",
        "--out",
        "x.xml",
        "--out-format",
        "qti_item",
    )
    assert said.code == 2
    assert "cannot hold 1 of the units" in said.err and "An item file holds one question" in said.err
    assert not (desk.home / "x.xml").exists()


def test_a_name_that_says_something_else_is_refused(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0)), "--out", "x.json", "--out-format", "csv", "--json")
    assert said.code == 2
    assert said.error["message"] == "A file named x.json is written as json, not as csv."
    assert said.error["hint"] == "Endings of csv: .csv."
    unknown = desk("polish", desk.bank(sound(0)), "--out-format", "word", "--json")
    assert unknown.error["message"] == "There is no format 'word'." and "qti3" in unknown.error["hint"]


def test_without_out_the_published_names_tell_the_format(desk: Desk) -> None:
    folder = desk.home / "banks"
    folder.mkdir()
    desk.bank(sound(0), name="banks/a.json")
    desk.bank(sound(1), name="banks/b.json")
    assert desk("polish", folder, "--rules-only", "--run-id", "r", "--out-format", "gift").code == 0
    assert sorted(path.name for path in desk.run().out.iterdir()) == ["a.json.gift", "b.json.gift"]
    other = desk("polish", folder, "--rules-only", "--run-id", "r", "--out-format", "csv", "--json")
    assert "other arguments" in other.error["message"], "another format is another run"
