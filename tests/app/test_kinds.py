"""Gathering: from paths to documents, and no further than the user asked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from burnish.app import kinds
from burnish.app.kinds import Gathered, detect, gather, kind_named, known_kinds, size_of, walk
from burnish.core.errors import InputError, UsageError

QUESTION = '{"id": "a", "stem": "Which of these is it?"}\n'


def names(gathered: Gathered, folder: Path) -> list[str]:
    found = [document.path for documents in gathered.documents.values() for document in documents]
    return [Path(path).relative_to(folder).as_posix() for path in found]


def test_a_folder_is_walked_in_order(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "sub/z.jsonl", "sub/deeper/y.jsonl", ".hidden.jsonl", ".git/x.jsonl"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(QUESTION)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    gathered = gather([str(tmp_path)])
    assert names(gathered, tmp_path) == ["a.jsonl", "b.jsonl", "sub/z.jsonl", "sub/deeper/y.jsonl"]
    assert [Path(error.path or "").name for error in gathered.passed_over] == ["picture.png"]
    assert gathered.failures == []
    assert gathered.total_bytes == 4 * len(QUESTION)


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.jsonl").write_text(QUESTION)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.jsonl").write_text(QUESTION)
    (inside / "again.jsonl").symlink_to("a.jsonl")
    (inside / "file.jsonl").symlink_to(outside / "secret.jsonl")
    (inside / "folder").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    (inside / "broken.jsonl").symlink_to("nowhere.jsonl")
    assert [path.name for path in walk(str(inside))] == ["a.jsonl", "again.jsonl", "broken.jsonl"]
    assert names(gather([str(inside)]), inside) == ["a.jsonl"]


def test_a_folder_with_nothing_to_read_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "x.dat").write_bytes(b"\0\1")
    failure = gather([str(tmp_path)]).failures[0]
    assert failure.code == "nothing_to_read" and failure.hint == "1 file was passed over."
    empty = tmp_path / "empty"
    empty.mkdir()
    assert gather([str(empty)]).failures[0].hint == "There are no files in it."


def test_a_named_file_that_cannot_be_read_is_a_failure(tmp_path: Path) -> None:
    (tmp_path / "empty.xyz").write_bytes(b"")
    (tmp_path / "noise.xyz").write_bytes(b"\0\1\2")
    os.mkfifo(tmp_path / "pipe.jsonl")
    paths = ["missing.jsonl", "empty.xyz", "noise.xyz", "pipe.jsonl"]
    gathered = gather([str(tmp_path / path) for path in paths] + ["nul\0byte", "x" * 5000])
    assert [failure.code for failure in gathered.failures] == [
        "unreadable",
        "empty_file",
        "unknown_format",
        "unreadable",
        "unreadable",
        "unreadable",
    ]
    assert gathered.documents == {}


@pytest.mark.parametrize(
    ("name", "head", "what", "advice"),
    [
        ("bank.pdf", b"%PDF-1.7", "a PDF", "Moodle XML"),
        ("bank", b"%PDF-1.7", "a PDF", "Moodle XML"),
        ("lesson.doc", b"\xd0\xcf\x11\xe0\xa1\xb1", "not .docx", "save it as Word (.docx)"),
        ("bank.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "not .xlsx", "save it as .xlsx"),
        ("page.jpg", b"\xff\xd8\xff\xe0", "a picture", "Moodle XML"),
        ("slides.pptx", b"PK\x03\x04", "a presentation", "Export its text"),
        ("bank.rar", b"Rar!", "an archive", "Unpack it"),
    ],
)
def test_a_file_that_is_not_read_says_what_to_do_instead(
    tmp_path: Path, name: str, head: bytes, what: str, advice: str
) -> None:
    (tmp_path / name).write_bytes(head)
    [failure] = gather([str(tmp_path / name)]).failures
    assert failure.code == "unknown_format" and what in failure.message and advice in (failure.hint or "")


def test_a_kind_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(QUESTION)
    kind, format = detect(str(path), "questions")
    assert (kind.name, format) == ("questions", "jsonl")
    assert [rule.id for rule in kind.document_rules][:2] == ["potential_duplicate", "ext_contradicting_keys"]
    assert kind_named("questions") is known_kinds()["questions"]
    with pytest.raises(UsageError, match="is no kind of content"):
        kind_named("poems")


def test_a_file_that_vanishes_has_no_size(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(QUESTION)
    document = gather([str(path)]).documents["questions"][0]
    path.unlink()
    assert size_of(document) == 0
    with pytest.raises(InputError):
        detect(str(path))


class Notes:
    """Another kind that is written in JSON: enough of it to be asked about a file."""

    name, formats = "notes", {"notes_json": (".json",)}

    def recognise(self, path: str, head: bytes) -> str | None:
        return "notes_json" if path.endswith(".json") else None

    def is_evident(self, path: str, head: bytes) -> bool:
        return b'"note"' in head


@pytest.fixture
def two_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    monkeypatch.setattr(kinds, "possible_kinds", lambda path, head: ("notes", "lessons", "questions"))
    monkeypatch.setattr(kinds, "kind_named", lambda name: notes if name == "notes" else kind_named(name))


@pytest.mark.usefixtures("two_kinds")
@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ('[{"id": "a", "stem": "S", "options": ["x", "y"]}]', "questions"),
        ('{"questions": [{"question": "Q", "answer": 0}]}', "questions"),
        ('{"bank": "b", "items": [{"choices": ["x"], "correct": "A"}', "questions"),
        ('{"id": 1, "stem": "S"}\n{"broken', "questions"),
        ('{"note": "The question is asked."}', "notes"),
        ('{"note": "n", "exercises": [{"question": "Q", "solution": "S"}]}', "notes"),
    ],
)
def test_every_kind_is_asked_what_the_content_shows(tmp_path: Path, content: str, kind: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content)
    assert detect(str(path))[0].name == kind
    assert [list(gather([str(place)]).documents) for place in (path, tmp_path)] == [[kind], [kind]]


@pytest.mark.usefixtures("two_kinds")
def test_what_may_be_two_kinds_is_nobodys_guess(tmp_path: Path) -> None:
    (tmp_path / "both.json").write_text('[{"note": "n", "stem": "S"}]')
    (tmp_path / "neither.json").write_text('{"name": "a package"}')
    (tmp_path / "sure.jsonl").write_text(QUESTION)
    named = gather([str(tmp_path / "both.json"), str(tmp_path / "neither.json")])
    assert [(failure.code, failure.hint) for failure in named.failures] == [
        ("unclear_kind", "Choose one with --kind."),
        ("unclear_kind", "Choose one with --kind."),
    ]
    inside = gather([str(tmp_path)])
    assert names(inside, tmp_path) == ["sure.jsonl"]
    assert [Path(failure.path or "").name for failure in inside.failures] == ["both.json"]
    assert [Path(passed.path or "").name for passed in inside.passed_over] == ["neither.json"]
    assert detect(str(tmp_path / "neither.json"), "questions")[1] == "json"


def test_a_course_is_not_walked_and_its_commands_are_named(tmp_path: Path) -> None:
    (tmp_path / "amino_acids" / "translations").mkdir(parents=True)
    (tmp_path / "bank.jsonl").write_text(QUESTION)
    gathered = gather([str(tmp_path)])
    [failure] = gathered.failures
    assert not gathered.documents and not gathered.passed_over
    assert failure.code == "course" and "burnish legos validate" in (failure.hint or "")
