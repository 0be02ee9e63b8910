"""Records that outlive a run: the SEEDs and LEGOs of a course, as files or in SQLite, with one face."""

from burnish.store.records.course_records import UUID, CourseRecords, RecordProblem, portions
from burnish.store.records.encoding import Json
from burnish.store.records.file_records import FileRecords
from burnish.store.records.opening import Store, open_records, stores_in
from burnish.store.records.sqlite_records import SqliteRecords

__all__ = [
    "UUID",
    "CourseRecords",
    "FileRecords",
    "Json",
    "RecordProblem",
    "SqliteRecords",
    "Store",
    "open_records",
    "portions",
    "stores_in",
]
