"""Every store of a course behaves the same."""

import gzip
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from burnish.core.errors import InputError, StateCorrupt, UsageError
from burnish.store.records import CourseRecords, FileRecords, SqliteRecords, Store, open_records
from tests.store.records.samples import attempt, lego, translation, uuid

Opener = Callable[[Path], CourseRecords]
OPENERS: dict[str, Opener] = {
    "files": FileRecords,
    "gzip": lambda folder: FileRecords(folder, gzip=True),
    "sqlite": lambda folder: SqliteRecords(folder / "amino_acids.sqlite"),
}


@pytest.fixture(params=list(OPENERS))
def opener(request: pytest.FixtureRequest) -> Opener:
    return OPENERS[request.param]


@pytest.fixture
def records(opener: Opener, tmp_path: Path) -> Iterator[CourseRecords]:
    with opener(tmp_path) as opened:
        yield opened


def exact(records: Any) -> str:
    """With the order of keys, and 1 told from 1.0."""
    return json.dumps(list(records), ensure_ascii=False)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def brought_back(records: CourseRecords, record: dict[str, Any]) -> None:
    """As somebody would who restores one record from a backup: past the store."""
    if isinstance(records, SqliteRecords):
        body = zlib.compress(json.dumps({**record, "lego_extraction_attempts": unshared(record)}).encode())
        with closing(sqlite3.connect(records.place)) as connection, connection:
            connection.execute("UPDATE translations SET body = ? WHERE uuid = ?", (body, record["uuid"]))
        return
    [path] = (records.place / "amino_acids/translations").glob(f"{record['uuid']}.json*")
    data = json.dumps(record).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)


def unshared(record: dict[str, Any]) -> Any:
    attempts = record["lego_extraction_attempts"]
    return attempts and [{"attempt_number": attempt["attempt_number"]} for attempt in attempts]


class TestEveryStore:
    def test_an_empty_one_holds_nothing(self, records: CourseRecords) -> None:
        assert list(records.translations()) == list(records.all_legos()) == []
        assert records.problems() == []
        assert records.translation(uuid(1)) is None
        assert records.legos(uuid(1)) == []

    def test_records_come_back_exactly_and_in_the_order_of_seeds(
        self, records: CourseRecords, opener: Opener, tmp_path: Path
    ) -> None:
        given = [translation(number, attempts=number) for number in (3, 1, 2)]
        for record in given:
            records.put_translation(record)
        ordered = [given[1], given[2], given[0]]
        assert exact(records.translations()) == exact(ordered)
        records.close()
        with opener(tmp_path) as again:
            assert exact(again.translations()) == exact(ordered)
            assert exact([again.translation(uuid(2))]) == exact([given[2]])

    def test_a_record_is_replaced(self, records: CourseRecords) -> None:
        records.put_translation(translation(1))
        records.put_translation(translation(1, attempts=2, source="Other."))
        assert [record["source"] for record in records.translations()] == ["Other."]

    def test_a_set_of_legos_is_replaced_as_a_whole(self, records: CourseRecords) -> None:
        records.put_legos(uuid(1), [lego(12, 1, 2), lego(11, 1, 1), lego(13, 1, 10)])
        records.put_legos(uuid(2), [lego(21, 2, 1)])
        assert [record["provenance"] for record in records.legos(uuid(1))] == ["S1L1", "S1L2", "S1L10"]
        records.put_legos(uuid(1), [lego(14, 1, 1, odd=1.0), lego(12, 1, 2, source="changed")])
        assert [record["uuid"] for record in records.all_legos()] == [uuid(14), uuid(12), uuid(21)]
        assert records.lego_counts() == {uuid(1): 2, uuid(2): 1}
        records.put_legos(uuid(1), [])
        assert records.legos(uuid(1)) == []
        assert records.lego_counts() == {uuid(2): 1}

    def test_a_batch_that_fails_leaves_nothing(self, records: CourseRecords) -> None:
        records.put_translation(translation(1))
        with pytest.raises(RuntimeError), records.batch():
            records.put_translation(translation(1, source="Lost."))
            records.put_translation(translation(2, attempts=1))
            records.put_legos(uuid(1), [lego(11, 1, 1)])
            raise RuntimeError
        assert exact(records.translations()) == exact([translation(1)])
        assert list(records.all_legos()) == []
        records.put_translation(translation(3, attempts=1))
        assert records.translation(uuid(3)) == translation(3, attempts=1)

    def test_a_batch_sees_its_own_writes(self, records: CourseRecords) -> None:
        with records.batch():
            records.put_translation(translation(1))
            records.put_legos(uuid(1), [lego(11, 1, 1)])
            assert exact(records.translations()) == exact([translation(1)])
            assert [record["uuid"] for record in records.legos(uuid(1))] == [uuid(11)]
            records.put_legos(uuid(1), [])
            assert records.legos(uuid(1)) == []

    def test_what_is_read_may_be_written_meanwhile(self, records: CourseRecords) -> None:
        for number in range(1, 6):
            records.put_translation(translation(number))
        with records.batch():
            for record in records.translations():
                records.put_translation({**record, "seen": True})
        assert [record["seen"] for record in records.translations()] == [True] * 5

    def test_attempts_go_to_the_archive_and_back(self, records: CourseRecords, opener: Opener, tmp_path: Path) -> None:
        given = [translation(1, attempts=1), translation(2, attempts=3), translation(3, attempts=5)]
        for record in given:
            records.put_translation(record)
        assert records.archive(keep=2) == 1 + 3
        assert records.archive(keep=2) == 4
        assert exact(records.translations()) == exact(given)
        records.close()
        with opener(tmp_path) as again:
            assert exact(again.translations()) == exact(given)
            assert again.restore() == 4
            assert again.restore() == 0
            assert exact(again.translations()) == exact(given)

    def test_a_translation_that_is_put_again_has_all_attempts_at_hand(self, records: CourseRecords) -> None:
        records.put_translation(translation(1, attempts=3))
        records.archive(keep=1)
        longer = translation(1, attempts=4)
        records.put_translation(longer)
        assert exact(records.translations()) == exact([longer])
        assert records.restore() == 0

    def test_the_last_attempt_is_never_archived(self, records: CourseRecords) -> None:
        with pytest.raises(UsageError, match="last attempt"):
            records.archive(keep=0)

    @pytest.mark.parametrize(
        "record",
        [
            {**translation(1), "uuid": "../../etc/passwd"},
            {**translation(1), "uuid": None},
            {**translation(1), "uuid": uuid(1).upper() + "\n"},
            {**translation(1), "seed_id": 7},
            {**translation(1), "score": float("nan")},
            {**translation(1), "score": [float("inf")]},
            {**translation(1), "number": 1 << 70},
            {**translation(1), "text": "\ud800"},
            {**translation(1), "lego_extraction_attempts": [{"concerns": [{"description": "\ud800"}]}]},
        ],
    )
    def test_what_cannot_be_kept_is_refused(self, records: CourseRecords, record: dict[str, Any]) -> None:
        with pytest.raises(UsageError):
            records.put_translation(record)
        assert list(records.translations()) == []

    @pytest.mark.parametrize("odd", ["large", "deep"])
    def test_what_could_not_be_read_again_replaces_nothing(self, records: CourseRecords, odd: str) -> None:
        """Texts that a store keeps once count as often as they are said: every store can hold what another does."""
        same = {"description": "x" * 6000}
        more = {"lego_extraction_attempts": [{"concerns": [same] * 3000}]} if odd == "large" else {"deep": nested(201)}
        records.put_translation(translation(1))
        records.put_legos(uuid(1), [lego(11, 1, 1)])
        why = "larger than 16 MB" if odd == "large" else "nested more than 200 deep"
        with records.batch():
            with pytest.raises(UsageError, match=f"{uuid(1)} cannot be kept: it is {why}"):
                records.put_translation(translation(1, **more))
            with pytest.raises(UsageError, match=why):
                records.put_legos(uuid(1), [lego(12, 1, 1), lego(13, 1, 2, **more)])
        assert exact(records.translations()) == exact([translation(1)])
        assert [record["uuid"] for record in records.all_legos()] == [uuid(11)]
        assert records.problems() == []

    def test_the_deepest_record_is_read_again(self, records: CourseRecords) -> None:
        record = translation(
            1, deep=nested(199), lego_extraction_attempts=[{"concerns": [{"description": nested(195)}]}]
        )
        records.put_translation(record)
        assert records.translation(uuid(1)) == record

    def test_an_archive_that_is_not_what_its_record_says_is_left_alone(
        self, records: CourseRecords, opener: Opener, tmp_path: Path
    ) -> None:
        """As when a record comes back from a backup that is older or younger than the archive."""
        records.put_translation(translation(1, attempts=3))
        records.put_translation(translation(2, attempts=3))
        records.put_translation(translation(3, attempts=3))
        records.archive(keep=1)
        brought_back(records, translation(1, attempts=3))
        brought_back(records, {**translation(2, attempts=3), "archived_attempts": 1})
        brought_back(records, {**translation(3), "archived_attempts": 2, "lego_extraction_attempts": None})
        records.close()
        with opener(tmp_path) as again:
            assert list(again.translations()) == []
            assert len(again.problems()) == 3
            assert "2 older attempts, and archived_attempts of their record says 1" in again.problems()[1].message
            for number in (1, 2, 3):
                with pytest.raises(InputError, match="is not overwritten"):
                    again.put_translation(translation(number, attempts=4))
            assert again.archive(keep=1) == again.restore() == 0
            for number, said in ((1, 2), (2, 2), (3, 2)):  # so it was all the time
                brought_back(again, {**translation(number, attempts=1), "archived_attempts": said})
        with opener(tmp_path) as mended:
            assert [len(record["lego_extraction_attempts"]) for record in mended.translations()] == [3, 3, 3]
            assert mended.problems() == []

    def test_a_number_that_no_archive_answers_to_is_kept(self, records: CourseRecords) -> None:
        record = {**translation(1, attempts=3), "archived_attempts": 7}
        records.put_translation(record)
        assert records.archive(keep=1) == records.restore() == 0
        assert exact(records.translations()) == exact([record])

    def test_legos_of_another_translation_are_refused(self, records: CourseRecords) -> None:
        with pytest.raises(UsageError, match="is not of the translation"):
            records.put_legos(uuid(2), [lego(11, 1, 1)])
        with pytest.raises(UsageError, match="same uuid"):
            records.put_legos(uuid(1), [lego(11, 1, 1), lego(11, 1, 2)])

    def test_a_record_in_no_known_shape_survives(self, records: CourseRecords) -> None:
        odd = [
            None,
            7,
            {"concerns": "none", "suggestions": [5, {"rationale": 5, "suggested_change": ["x"]}]},
            {"concerns": [{"description": None, "suggested_fix": {"deep": [1]}}]},
        ]
        record = {**translation(1), "lego_extraction_attempts": odd}
        records.put_translation(record)
        records.put_translation({**translation(2), "lego_extraction_attempts": None})
        assert exact([records.translation(uuid(1))]) == exact([record])
        assert records.archive(keep=3) == 1
        assert exact([records.translation(uuid(1))]) == exact([record])

    def test_archived_attempts_of_no_archive_are_given_as_they_are(self, records: CourseRecords) -> None:
        record = {**translation(1, attempts=1), "archived_attempts": 2}
        records.put_translation(record)
        assert exact(records.translations()) == exact([record])


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    # what UTF-8 cannot carry is refused, so it is not given here
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=10)
@given(
    fields=st.dictionaries(st.sampled_from(["a", "é", "metadata"]), JSON_VALUES),
    attempts=st.lists(
        st.fixed_dictionaries(
            {"concerns": st.lists(st.dictionaries(st.sampled_from(["description", "x"]), JSON_VALUES))}
        )
        | JSON_VALUES,
        max_size=4,
    ),
    keep=st.integers(1, 4),
)
def test_any_json_goes_from_store_to_store_and_back(
    tmp_path_factory: pytest.TempPathFactory, fields: dict[str, Any], attempts: list[Any], keep: int
) -> None:
    record = {**fields, **translation(1), "lego_extraction_attempts": attempts}
    folder = tmp_path_factory.mktemp("any")
    files, database = FileRecords(folder / "a"), SqliteRecords(folder / "b" / "course.sqlite")
    files.put_translation(record)
    files.archive(keep)
    files.export_to(database)
    database.export_to(FileRecords(folder / "c"))
    database.close()
    assert exact([FileRecords(folder / "c").translation(uuid(1))]) == exact([record])
    assert tree(folder / "a") == tree(folder / "c")


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_an_export_is_the_same_bytes_both_ways(tmp_path: Path) -> None:
    first = FileRecords(tmp_path / "first")
    for number in range(1, 8):
        first.put_translation(translation(number, attempts=number % 4))
        first.put_legos(uuid(number), [lego(100 * number + place, number, place) for place in (1, 2)])
    first.put_legos(uuid(99), [lego(9901, 99, 1)])  # of a translation that is not here
    first.archive(keep=2)
    with SqliteRecords(tmp_path / "course.sqlite") as database:
        first.export_to(database)
        database.export_to(FileRecords(tmp_path / "second"))
        database.export_to(FileRecords(tmp_path / "zipped", gzip=True))
    FileRecords(tmp_path / "zipped").export_to(FileRecords(tmp_path / "third"))
    assert tree(tmp_path / "first") == tree(tmp_path / "second") == tree(tmp_path / "third")
    names = tree(tmp_path / "zipped")
    assert all(name.endswith(".json.gz") for name in names)
    assert gzip.decompress(next(iter(names.values()))).startswith(b"{\n")


def test_courses_are_opened_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no course in"):
        open_records(tmp_path)
    with open_records(tmp_path, "files") as files:
        files.put_translation(translation(1, attempts=2))
        files.put_legos(uuid(1), [lego(11, 1, 1)])
    with open_records(tmp_path) as found, open_records(tmp_path, "sqlite") as database:
        assert isinstance(found, FileRecords)
        assert exact(database.translations()) == exact(found.translations())
        assert exact(database.all_legos()) == exact(found.all_legos())
        database.put_legos(uuid(1), [])
    with pytest.raises(UsageError, match=r"as files .* and in SQLite"):
        open_records(tmp_path)
    with open_records(tmp_path, "sqlite") as database:
        assert list(database.all_legos()) == []  # it was filled once only
        assert attempt(2) in database.translation(uuid(1))["lego_extraction_attempts"]  # type: ignore[index]


@pytest.mark.parametrize(("store", "other"), [("files", "sqlite"), ("sqlite", "files")])
@pytest.mark.parametrize(("must_exist", "read_only"), [(True, False), (False, True)])
def test_a_store_that_must_be_there_is_not_made(
    tmp_path: Path, store: Store, other: Store, must_exist: bool, read_only: bool
) -> None:
    with open_records(tmp_path, store) as records:
        records.put_translation(translation(1))
    with pytest.raises(UsageError, match="There is no"):
        open_records(tmp_path, other, must_exist=must_exist, read_only=read_only)
    with open_records(tmp_path, store, must_exist=must_exist, read_only=read_only) as records:
        assert records.seed_ids() == {uuid(1): "C0001"}
    assert not (tmp_path / ("amino_acids" if other == "files" else "amino_acids.sqlite")).exists()


def test_a_lone_database_is_found(tmp_path: Path) -> None:
    with open_records(tmp_path, "sqlite") as database:
        database.put_translation(translation(1))
    with open_records(tmp_path) as found:
        assert isinstance(found, SqliteRecords)
        assert found.seed_ids() == {uuid(1): "C0001"}


def test_a_course_that_cannot_be_copied_leaves_the_database_empty(tmp_path: Path) -> None:
    with open_records(tmp_path, "files") as files:
        files.put_translation(translation(1))
    pending = tmp_path / "amino_acids" / ".pending.json"
    pending.write_bytes(b"{")
    with pytest.raises(StateCorrupt):
        open_records(tmp_path, "sqlite")
    pending.unlink()
    with open_records(tmp_path, "sqlite") as database:
        assert database.seed_ids() == {uuid(1): "C0001"}
