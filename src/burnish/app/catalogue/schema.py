"""The catalogue's tables. There are no migrations: a file of another version is made anew."""

from __future__ import annotations

from burnish.core.findings import SEVERITIES

APPLICATION_ID = 0x42434154
"""Marks an SQLite file as a catalogue: `BCAT`."""
VERSION = 2
DRAWER_BITS = 54
"""Of a key's 64 bits, those that do not say which of the 1,024 drawers it belongs into."""

_NONE = len(SEVERITIES)
"""The severity of a unit without findings."""
_UNITS_IN = f"""CREATE TRIGGER units_in AFTER INSERT ON units BEGIN
    INSERT INTO tallies VALUES
        ('state', NEW.state, 0, 1), ('document', NEW.document, 0, 1), ('severity', NEW.severity, 0, 1),
        ('repaired', NEW.repaired, 0, 1), ('any finding', NEW.severity < {_NONE}, 0, 1)
    ON CONFLICT (what, name, more) DO UPDATE SET count = count + 1; END"""
_UNITS_OUT = f"""CREATE TRIGGER units_out AFTER DELETE ON units BEGIN
    UPDATE tallies SET count = count - 1 WHERE more = 0 AND (what, name) IN (VALUES
        ('state', OLD.state), ('document', OLD.document), ('severity', OLD.severity),
        ('repaired', OLD.repaired), ('any finding', OLD.severity < {_NONE})); END"""
_FINDINGS_IN = """CREATE TRIGGER findings_in AFTER INSERT ON findings BEGIN
    INSERT INTO tallies VALUES
        (CASE NEW.settled WHEN 0 THEN 'open' ELSE 'settled' END, NEW.rule, NEW.severity, NEW.times),
        (CASE NEW.settled WHEN 0 THEN 'open units' ELSE 'settled units' END, NEW.rule, NEW.severity, 1)
    ON CONFLICT (what, name, more) DO UPDATE SET count = count + excluded.count; END"""
_FINDINGS_OUT = """CREATE TRIGGER findings_out AFTER DELETE ON findings BEGIN
    UPDATE tallies SET count = count - OLD.times
        WHERE what = CASE OLD.settled WHEN 0 THEN 'open' ELSE 'settled' END AND name = OLD.rule AND more = OLD.severity;
    UPDATE tallies SET count = count - 1
        WHERE what = CASE OLD.settled WHEN 0 THEN 'open units' ELSE 'settled units' END
        AND name = OLD.rule AND more = OLD.severity; END"""
_SCORES_IN = """CREATE TRIGGER scores_in AFTER INSERT ON scores BEGIN
    INSERT INTO tallies VALUES ('bin', NEW.name, NEW.bin, 1), ('below', NEW.name, 0, NEW.below)
    ON CONFLICT (what, name, more) DO UPDATE SET count = count + excluded.count; END"""
_SCORES_OUT = """CREATE TRIGGER scores_out AFTER DELETE ON scores BEGIN
    UPDATE tallies SET count = count - 1 WHERE what = 'bin' AND name = OLD.name AND more = OLD.bin;
    UPDATE tallies SET count = count - OLD.below WHERE what = 'below' AND name = OLD.name AND more = 0; END"""
_JUDGEMENTS_IN = f"""CREATE TRIGGER judgements_in AFTER INSERT ON judgements BEGIN
    INSERT INTO tallies VALUES ('said', NEW.who, NEW.is_right, 1)
        ON CONFLICT (what, name, more) DO UPDATE SET count = count + 1;
    INSERT INTO drawers VALUES (NEW.key >> {DRAWER_BITS}, 1, 1)
        ON CONFLICT (number) DO UPDATE SET changes = changes + 1, words = words + 1; END"""
_JUDGEMENTS_OUT = f"""CREATE TRIGGER judgements_out AFTER DELETE ON judgements BEGIN
    UPDATE tallies SET count = count - 1 WHERE what = 'said' AND name = OLD.who AND more = OLD.is_right;
    UPDATE drawers SET changes = changes + 1, words = words - 1 WHERE number = OLD.key >> {DRAWER_BITS}; END"""

_SCHEMA = (
    # How far the file goes, and what it was made of.
    "CREATE TABLE meta (key TEXT PRIMARY KEY, value NOT NULL) WITHOUT ROWID",
    # `number` is the journal's own number of the row, so units keep their places in every catalogue of a run.
    """CREATE TABLE units (
        number INTEGER PRIMARY KEY, position INTEGER NOT NULL, id NOT NULL, document NOT NULL, state NOT NULL, reason,
        attempts INTEGER NOT NULL, best INTEGER NOT NULL, errors INTEGER NOT NULL, severity INTEGER NOT NULL,
        score REAL, rules NOT NULL, cause, excerpt NOT NULL, repaired INTEGER NOT NULL, decided_by, at TEXT NOT NULL,
        from_source INTEGER NOT NULL)""",
    "CREATE UNIQUE INDEX units_by_id ON units (id)",
    "CREATE INDEX units_by_position ON units (position)",
    "CREATE INDEX units_by_state ON units (state, position)",
    "CREATE INDEX units_by_severity ON units (severity, position)",
    "CREATE INDEX units_by_document ON units (document, position)",
    "CREATE INDEX units_repaired ON units (position) WHERE repaired",
    f"CREATE INDEX units_open ON units (position) WHERE severity < {_NONE}",
    "CREATE INDEX units_by_cause ON units (cause, position) WHERE cause IS NOT NULL",
    # The order of the queue inside a run: all of one document and one cause, worst first.
    "CREATE INDEX units_waiting ON units (document, cause, severity, position) WHERE cause IS NOT NULL",
    # What is searched, in the units' order, so that a page can stop when it is full.
    """CREATE TABLE sought (
        position INTEGER NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL,
        PRIMARY KEY (position, number)) WITHOUT ROWID""",
    """CREATE TABLE findings (
        rule NOT NULL, settled INTEGER NOT NULL, position INTEGER NOT NULL, number INTEGER NOT NULL,
        times INTEGER NOT NULL, severity INTEGER NOT NULL,
        PRIMARY KEY (rule, settled, position, number)) WITHOUT ROWID""",
    "CREATE INDEX findings_by_unit ON findings (number)",
    """CREATE TABLE scores (
        number INTEGER NOT NULL, name NOT NULL, bin INTEGER NOT NULL, below INTEGER NOT NULL,
        PRIMARY KEY (number, name)) WITHOUT ROWID""",
    # The units as they were read, so that nobody has to read a whole document for one of them.
    "CREATE TABLE sources (id NOT NULL, record NOT NULL, excerpt NOT NULL)",
    "CREATE UNIQUE INDEX sources_by_id ON sources (id)",
    # What people's decisions say of rules and judges.
    """CREATE TABLE judgements (
        key INTEGER NOT NULL, number INTEGER NOT NULL, who NOT NULL, is_right INTEGER NOT NULL,
        PRIMARY KEY (key, number)) WITHOUT ROWID""",
    "CREATE INDEX judgements_by_unit ON judgements (number)",
    "CREATE TABLE drawers (number INTEGER PRIMARY KEY, changes INTEGER NOT NULL, words INTEGER NOT NULL)",
    """CREATE TABLE spent (
        second INTEGER PRIMARY KEY, tokens INTEGER NOT NULL, cost_trillionths INTEGER NOT NULL, calls INTEGER NOT NULL,
        unpriced INTEGER NOT NULL)""",
    # Sums that are kept up to date, so that nobody has to count: what is counted, of what, and a number beside it.
    """CREATE TABLE tallies (
        what TEXT NOT NULL, name NOT NULL, more INTEGER NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (what, name, more)) WITHOUT ROWID""",
    _UNITS_IN,
    _UNITS_OUT,
    _FINDINGS_IN,
    _FINDINGS_OUT,
    _SCORES_IN,
    _SCORES_OUT,
    _JUDGEMENTS_IN,
    _JUDGEMENTS_OUT,
)
TABLES = frozenset(_SCHEMA)
"""What `sqlite_master` holds of a file that nobody else changed."""
STATEMENTS = (*_SCHEMA, f"PRAGMA application_id = {APPLICATION_ID}", f"PRAGMA user_version = {VERSION}")
