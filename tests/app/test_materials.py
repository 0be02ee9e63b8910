"""What lies beside the documents: read once, and every file under a name of its own."""

from pathlib import Path

from burnish.app.materials import materials
from burnish.kinds.lessons.materials import read_source

TEXT = "Water boils at 100 degrees at the level of the sea, and at less on a mountain.\n"


def file(path: Path, text: str = TEXT) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    given = [file(tmp_path / folder / "notes.md") for folder in ("a/x", "b/x", "a/y")] + [file(tmp_path / "own.md")]
    sources = materials(None, given).sources
    assert [one.name for one in sources] == ["a/x/notes.md", "b/x/notes.md", "y/notes.md", "own.md"]
    ids = [passage.id for one in sources for passage in read_source(one.data, one.name)]
    assert len(set(ids)) == len(ids) == 4


def test_folders_with_files_of_one_name(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        file(tmp_path / folder / "part" / "notes.md")
    names = [one.name for one in materials(None, [str(tmp_path / "a"), str(tmp_path / "b")]).sources]
    assert names == ["a/part/notes.md", "b/part/notes.md"]


def test_a_file_that_is_named_twice_is_read_once(tmp_path: Path) -> None:
    path = file(tmp_path / "notes.md")
    assert [one.name for one in materials(None, [path, str(tmp_path)]).sources] == ["notes.md"]
