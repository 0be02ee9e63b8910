import json
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import pytest

from burnish.core.errors import OwnershipLost, UsageError
from burnish.core.faultpoints import installed
from burnish.store.paths import ExportFolder, RunFolder, as_json
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import open_journal, own_run
from tests.store.samples import SetClock


class Killed(BaseException):
    """Stands in for the end of the process."""


@pytest.fixture
def exports(tmp_path: Path) -> Iterator[ExportFolder]:
    with own_run(RunFolder.at(tmp_path, "r1"), SetClock()) as run:
        yield ExportFolder(run.folder, run.journal)


def text_of(exports: ExportFolder, name: str) -> str:
    return (exports.folder.root / name).read_text(encoding="utf-8")


def test_json_is_written_the_same_way_every_time(exports: ExportFolder) -> None:
    value = {"z": 1, "a": ["é", "\ud800", None, 0.1], "m": MappingProxyType({"x": (1, 2)})}
    written = []
    for _ in range(2):
        exports.write_json("receipt.json", value)
        with exports.stream("lines/units.jsonl") as lines:
            for one in (value, {"b": 2}):
                lines.write(as_json(one) + b"\n")
        written.append((text_of(exports, "receipt.json"), text_of(exports, "lines/units.jsonl")))
    assert written[0] == written[1]
    assert json.loads(written[0][0]) == {"z": 1, "a": ["é", "\ud800", None, 0.1], "m": {"x": [1, 2]}}
    assert [json.loads(line) for line in written[0][1].splitlines()][1] == {"b": 2}
    assert written[0][0].startswith('{\n  "z": 1,')
    assert "é" in written[0][0]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"x": [float("-inf")]}])
def test_what_is_no_json_is_refused_and_the_old_file_stays(exports: ExportFolder, value: object) -> None:
    exports.write_json("a.json", 1)
    with pytest.raises(UsageError, match="cannot hold"):
        exports.write_json("a.json", value)
    with pytest.raises(TypeError, match="not object"):
        exports.write_json("a.json", object())
    assert text_of(exports, "a.json") == "1\n"
    assert exports.edited_by_hand() == []


def test_an_edited_export_is_reported_and_made_again(exports: ExportFolder) -> None:
    for name in ("b.json", "a.json", "c.json"):
        exports.write_json(name, {"name": name})
    assert exports.edited_by_hand() == []
    (exports.folder.root / "b.json").write_text("my own notes")
    (exports.folder.root / "a.json").write_text("")
    (exports.folder.root / "c.json").unlink()
    assert exports.edited_by_hand() == ["a.json", "b.json"]
    exports.write_json("b.json", {"name": "b.json"})
    assert exports.edited_by_hand() == ["a.json"]
    assert json.loads(text_of(exports, "b.json")) == {"name": "b.json"}


@pytest.mark.parametrize(
    "point",
    ["files.opened", "files.synced", "export.announced", "files.replaced", "export.replaced", "export.recorded"],
)
def test_an_export_that_was_killed_is_not_taken_for_an_edit(exports: ExportFolder, point: str) -> None:
    exports.write_json("a.json", "old")

    def kill(name: str) -> None:
        if name == point:
            raise Killed

    with installed(kill), pytest.raises(Killed):
        exports.write_json("a.json", "new")
    assert text_of(exports, "a.json") in ('"old"\n', '"new"\n')
    assert exports.edited_by_hand() == []
    exports.write_json("a.json", "newer")
    assert exports.edited_by_hand() == []
    assert len(json.loads(exports.journal.get_meta("exports") or "")["a.json"]) == 1


def test_a_failing_stream_leaves_no_file(exports: ExportFolder) -> None:
    with pytest.raises(ZeroDivisionError), exports.stream("a.jsonl") as stream:
        stream.write(b"{}\n")
        raise ZeroDivisionError
    assert not (exports.folder.root / "a.jsonl").exists()
    assert not list(exports.folder.root.glob(".burnish-*"))


def test_two_streams_may_be_open_at_once(exports: ExportFolder) -> None:
    with exports.stream("a.jsonl") as one, exports.stream("b.jsonl") as other:
        one.write(b"1\n")
        other.write(b"2\n")
    assert (text_of(exports, "a.jsonl"), text_of(exports, "b.jsonl")) == ("1\n", "2\n")
    assert exports.edited_by_hand() == []


def test_a_former_owner_replaces_no_export(exports: ExportFolder) -> None:
    exports.write_json("a.json", "ours")
    taker = open_journal(exports.folder.journal, clock=system_clock)
    taker.begin_epoch()
    taker.close()
    with pytest.raises(OwnershipLost):
        exports.write_json("a.json", "too late")
    assert text_of(exports, "a.json") == '"ours"\n'


def test_names_that_the_run_needs_are_refused(exports: ExportFolder) -> None:
    for name in ("journal.sqlite", "../x.json", "out/x.json"):
        with pytest.raises(UsageError):
            exports.write_json(name, 1)


def test_an_indented_value_ends_no_line_with_a_space() -> None:
    assert as_json({"a": [1, {"b": 2}]}, indent=2) == b'{\n  "a": [\n    1,\n    {\n      "b": 2\n    }\n  ]\n}'
