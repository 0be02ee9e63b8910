"""The members of a workbench: their tokens and roles, reservations, notes, tasks and the audit trail.

One small database next to the runs, readable only by its owner. It holds no tokens, only their digests: a token is 256
random bits, so a plain digest cannot be reversed. A reservation is soft: it ends after two minutes, and it keeps no
other member from deciding.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, get_args

from burnish.core.errors import UsageError
from burnish.core.notes import note_of
from burnish.store.files import make_folder
from burnish.store.processes import Clock, iso, system_clock

Role = Literal["read", "decide", "run", "admin"]
ROLES: tuple[Role, ...] = get_args(Role)
"""In order: each role includes the one before."""
RESERVED = timedelta(minutes=2)
INVITED = timedelta(days=7)
NAME = re.compile(r"[^\x00-\x1f\x7f@]{1,100}")
FILE = "people.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS people (name TEXT PRIMARY KEY, role TEXT NOT NULL, digest TEXT UNIQUE NOT NULL,
  session TEXT NOT NULL, added_at TEXT NOT NULL, added_by TEXT NOT NULL, revoked_at TEXT, revoked_by TEXT,
  seen_at TEXT);
CREATE TABLE IF NOT EXISTS invitations (digest TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL,
  created_at TEXT NOT NULL, created_by TEXT NOT NULL, expires_at TEXT NOT NULL, used_at TEXT);
CREATE TABLE IF NOT EXISTS reservations (run TEXT, unit TEXT, name TEXT NOT NULL, until TEXT NOT NULL,
  PRIMARY KEY (run, unit));
CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, run TEXT NOT NULL, unit TEXT NOT NULL, name TEXT NOT NULL,
  at TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS tasks (run TEXT, unit TEXT, name TEXT NOT NULL, given_by TEXT NOT NULL, at TEXT NOT NULL,
  why TEXT NOT NULL, PRIMARY KEY (run, unit, name));
CREATE TABLE IF NOT EXISTS actions (id INTEGER PRIMARY KEY, at TEXT NOT NULL, name TEXT NOT NULL, what TEXT NOT NULL,
  token TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS kept_decisions (at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, run TEXT NOT NULL,
  unit TEXT NOT NULL, note TEXT NOT NULL, token TEXT NOT NULL, PRIMARY KEY (run, unit, at, what));
CREATE INDEX IF NOT EXISTS notes_of ON notes (run, unit);
CREATE INDEX IF NOT EXISTS tasks_of ON tasks (name);
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A person with a token."""

    name: str
    role: Role
    digest: str
    session: str
    """The digest of the cookie's value: a reader of this file can make neither token nor cookie."""
    added_at: str
    added_by: str
    revoked_at: str | None = None
    revoked_by: str | None = None
    seen_at: str | None = None

    def may(self, role: Role) -> bool:
        return self.revoked_at is None and ROLES.index(self.role) >= ROLES.index(role)

    @property
    def mark(self) -> str:
        """The four characters that identify a token in the audit trail."""
        return self.digest[:4]


@dataclass(frozen=True, slots=True)
class Invitation:
    """A link that makes a person a member, once."""

    name: str
    role: Role
    created_at: str
    created_by: str
    expires_at: str


@dataclass(frozen=True, slots=True)
class UnitNote:
    """A note about a unit."""

    name: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """An action of a member, as the audit trail shows it."""

    at: str
    who: str
    what: str
    run: str = ""
    unit: str = ""
    note: str = ""
    token: str = ""
    """The mark of the token that was used; empty if there was none."""


class RoleChanged(UsageError):
    """A role differs from what the admin saw when changing it. Nothing was changed."""

    code = "role_changed"
    status = 409

    def __init__(self, name: str) -> None:
        super().__init__(
            f"The role of {name} has changed since you opened the page. Nothing was saved.",
            hint="Open the page again, then change roles.",
        )


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()


def session_for(token: str) -> str:
    """Return the value of the cookie: made from the token, which is never stored in a browser."""
    return hmac.new(token.encode("utf-8", "surrogateescape"), b"workbench cookie", hashlib.sha256).hexdigest()


def role_named(role: str) -> Role:
    found = next((known for known in ROLES if known == role), None)
    if found is None:
        raise UsageError(f"There is no role {role!r}.", hint=f"Roles: {', '.join(ROLES)}; each adds to the one before.")
    return found


class People:
    """The people of one folder of runs."""

    def __init__(self, runs: Path, clock: Clock = system_clock) -> None:
        self._path = runs / FILE
        self._clock = clock

    @property
    def exist(self) -> bool:
        return self._path.is_file()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if not self.exist:
            make_folder(self._path.parent)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600))
        with closing(sqlite3.connect(self._path, timeout=10, isolation_level=None)) as connection:
            connection.row_factory = sqlite3.Row
            connection.executescript(SCHEMA)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def _rows(self, query: str, *values: str) -> list[dict[str, Any]]:
        """Return the rows of a query; none if no member was ever added."""
        if not self.exist:
            return []
        with self._opened() as held:
            return [dict(row) for row in held.execute(query, values)]

    def _now(self, after: timedelta = timedelta()) -> str:
        return iso(self._clock() + after)

    # -- members

    def add(self, name: str, role: str, by: str) -> str:
        """Add a member and return the token, which is shown only once. A revoked name can be added again."""
        token = secrets.token_urlsafe(32)
        with self._opened() as held:
            self._add(held, name, role_named(role), by, token)
        return token

    def _add(self, held: sqlite3.Connection, name: str, role: Role, by: str, token: str) -> None:
        if not NAME.fullmatch(name) or name != name.strip():
            raise UsageError(f"{name!r} is not a valid name.", hint="Use up to 100 letters, without @ or line ends.")
        known = held.execute("SELECT revoked_at FROM people WHERE name = ?", (name,)).fetchone()
        if known is not None and known["revoked_at"] is None:
            raise UsageError(f"{name} is a member already.", hint="Revoke the token first, or choose another name.")
        query = (
            "INSERT OR REPLACE INTO people (name, role, digest, session, added_at, added_by) VALUES (?, ?, ?, ?, ?, ?)"
        )
        held.execute(query, (name, role, digest_of(token), digest_of(session_for(token)), self._now(), by))
        held.execute("DELETE FROM invitations WHERE name = ? AND used_at IS NULL", (name,))
        self._act(held, by, f"added {name} with the role {role}", "")

    def revoke(self, name: str, by: str, token: str = "") -> None:
        """Revoke a token at once. What was done with it is kept."""
        with self._opened() as held:
            changed = held.execute(
                "UPDATE people SET revoked_at = ?, revoked_by = ? WHERE name = ? AND revoked_at IS NULL",
                (self._now(), by, name),
            )
            if not changed.rowcount:
                raise UsageError(f"There is no member {name!r}.", hint="`burnish users list` shows all.")
            held.execute("DELETE FROM reservations WHERE name = ?", (name,))
            # Neither an unused invitation for this name nor one made by it stays valid.
            held.execute("DELETE FROM invitations WHERE used_at IS NULL AND ? IN (name, created_by)", (name,))
            self._act(held, by, f"revoked {name}", token)

    def change_roles(self, changes: Mapping[str, tuple[str, str]], by: str, token: str = "") -> None:
        """Change roles: name -> the role that the admin saw, and the new one. Change all or none: raise RoleChanged if
        one is not what was seen."""
        with self._opened() as held:
            for name, (previous, role) in changes.items():
                changed = held.execute(
                    "UPDATE people SET role = ? WHERE name = ? AND role = ? AND revoked_at IS NULL",
                    (role_named(role), name, previous),
                )
                if not changed.rowcount:
                    raise RoleChanged(name)
                if role != "admin":
                    held.execute("DELETE FROM invitations WHERE used_at IS NULL AND created_by = ?", (name,))
                self._act(held, by, f"gave {name} the role {role}", token)

    def members(self) -> list[Member]:
        return [Member(**row) for row in self._rows("SELECT * FROM people ORDER BY added_at, name")]

    def active(self) -> list[Member]:
        """Return all members with a valid token. Called at every request, so it writes nothing and does not wait."""
        if not self.exist:
            return []
        with closing(sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=ro", uri=True, timeout=10)) as held:
            held.row_factory = sqlite3.Row
            return [Member(**dict(row)) for row in held.execute("SELECT * FROM people WHERE revoked_at IS NULL")]

    def saw(self, name: str) -> None:
        """Record that a member is active, once a minute at most."""
        query = "UPDATE people SET seen_at = ? WHERE name = ? AND (seen_at IS NULL OR seen_at < ?)"
        with self._opened() as held:
            held.execute(query, (self._now(), name, self._now(after=-timedelta(minutes=1))))

    # -- invitations

    def invite(self, name: str, role: str, by: str, valid: timedelta = INVITED, token: str = "") -> str:
        """Create an invitation. Return the secret of its link, which works once."""
        secret = secrets.token_urlsafe(24)
        if not NAME.fullmatch(name):
            raise UsageError(f"{name!r} is not a valid name.", hint="Use up to 100 letters, without @ or line ends.")
        with self._opened() as held:
            row = (digest_of(secret), name, role_named(role), self._now(), by, self._now(after=valid))
            held.execute("INSERT INTO invitations VALUES (?, ?, ?, ?, ?, ?, NULL)", row)
            self._act(held, by, f"invited {name} with the role {role}", token)
        return secret

    def accept(self, secret: str) -> tuple[str, str]:
        """Use an invitation. Return the name and the new token. Raise UsageError if it is used, expired or unknown."""
        token = secrets.token_urlsafe(32)
        with self._opened() as held:
            row = held.execute(
                "SELECT * FROM invitations WHERE digest = ? AND used_at IS NULL AND expires_at > ?",
                (digest_of(secret), self._now()),
            ).fetchone()
            if row is None:
                raise UsageError("This invitation is used, expired or withdrawn.", hint="Ask for a new link.")
            held.execute("UPDATE invitations SET used_at = ? WHERE digest = ?", (self._now(), row["digest"]))
            self._add(held, row["name"], row["role"], row["created_by"], token)
        return row["name"], token

    def withdraw(self, name: str, by: str, token: str = "") -> None:
        with self._opened() as held:
            held.execute("DELETE FROM invitations WHERE name = ? AND used_at IS NULL", (name,))
            self._act(held, by, f"withdrew the invitation of {name}", token)

    def invitations(self) -> list[Invitation]:
        query = (
            "SELECT name, role, created_at, created_by, expires_at FROM invitations"
            " WHERE used_at IS NULL AND expires_at > ? ORDER BY created_at"
        )
        return [Invitation(**row) for row in self._rows(query, self._now())]

    # -- looking at a unit

    def reserve(self, run: str, unit: str, name: str) -> str | None:
        """Reserve a unit for two minutes. If another member has reserved it, return that name and change nothing."""
        now = self._now()
        with self._opened() as held:
            query = "SELECT name FROM reservations WHERE run = ? AND unit = ? AND until > ?"
            other = held.execute(query, (run, unit, now)).fetchone()
            if other is not None and other["name"] != name:
                return str(other["name"])
            held.execute("DELETE FROM reservations WHERE name = ? OR until <= ?", (name, now))
            row = (run, unit, name, self._now(after=RESERVED))
            held.execute("INSERT INTO reservations VALUES (?, ?, ?, ?)", row)
        return None

    def looked_at(self) -> Mapping[tuple[str, str], str]:
        """Return run and unit -> the member who has reserved it now."""
        rows = self._rows("SELECT run, unit, name FROM reservations WHERE until > ?", self._now())
        return {(row["run"], row["unit"]): row["name"] for row in rows}

    def release(self, run: str, unit: str, by: str | None) -> None:
        """Remove the decider's reservation and the tasks of a decided unit. Other members keep their reservation."""
        if self.exist:
            with self._opened() as held:
                held.execute("DELETE FROM reservations WHERE run = ? AND unit = ? AND name = ?", (run, unit, by))
                held.execute("DELETE FROM tasks WHERE run = ? AND unit = ?", (run, unit))

    # -- notes and tasks

    def note(self, run: str, unit: str, name: str, text: str) -> list[str]:
        """Add a note to a unit. Mentioned members (`@Ada`) get a task; return their names."""
        written = note_of(text)
        if written is None:
            raise UsageError("The note is empty.", hint="Write what others should know.")
        with self._opened() as held:
            held.execute("INSERT INTO notes VALUES (NULL, ?, ?, ?, ?, ?)", (run, unit, name, self._now(), written))
            known = {row["name"] for row in held.execute("SELECT name FROM people WHERE revoked_at IS NULL")}
            found = [one for one in sorted(known) if f"@{one}".lower() in written.lower()]
            for one in found:
                self._task(held, run, unit, one, name, "mentioned")
        return found

    def notes(self, run: str, unit: str) -> list[UnitNote]:
        query = "SELECT name, at, text FROM notes WHERE run = ? AND unit = ? ORDER BY id"
        return [UnitNote(**row) for row in self._rows(query, run, unit)]

    def assign(self, run: str, unit: str, to: str, by: str) -> None:
        """Ask a member to decide a unit."""
        with self._opened() as held:
            known = held.execute("SELECT 1 FROM people WHERE name = ? AND revoked_at IS NULL", (to,)).fetchone()
            if known is None:
                raise UsageError(f"There is no member {to!r}.", hint="`burnish users list` shows all.")
            self._task(held, run, unit, to, by, "assigned")

    def _task(self, held: sqlite3.Connection, run: str, unit: str, to: str, by: str, why: str) -> None:
        held.execute("INSERT OR REPLACE INTO tasks VALUES (?, ?, ?, ?, ?, ?)", (run, unit, to, by, self._now(), why))

    def tasks(self, name: str) -> list[dict[str, Any]]:
        """Return the units that a member was asked about, newest first."""
        return self._rows("SELECT run, unit, given_by, at, why FROM tasks WHERE name = ? ORDER BY at DESC", name)

    def assigned(self, run: str, unit: str) -> list[str]:
        rows = self._rows("SELECT name FROM tasks WHERE run = ? AND unit = ? ORDER BY at", run, unit)
        return [row["name"] for row in rows]

    # -- the audit trail

    def act(self, name: str, what: str, token: str) -> int:
        """Record an action, with the mark of the token that is used. Return the number of the entry."""
        with self._opened() as held:
            return self._act(held, name, what, token)

    def _act(self, held: sqlite3.Connection, name: str, what: str, token: str) -> int:
        row = (self._now(), name, what, token)
        return held.execute("INSERT INTO actions VALUES (NULL, ?, ?, ?, ?)", row).lastrowid or 0

    def remove_action(self, entry: int) -> None:
        """Remove the entry of an action that was refused."""
        with self._opened() as held:
            held.execute("DELETE FROM actions WHERE id = ?", (entry,))

    def keep(self, decisions: Iterable[TrailEntry]) -> None:
        """Keep the decisions of a run that will be deleted."""
        with self._opened() as held:
            query = "INSERT OR IGNORE INTO kept_decisions VALUES (?, ?, ?, ?, ?, ?, ?)"
            held.executemany(query, [astuple(one) for one in decisions])

    def actions(self) -> list[TrailEntry]:
        """Return what people did here, and the decisions in deleted runs."""
        acts = self._rows("SELECT at, name AS who, what, token FROM actions ORDER BY id")
        return [TrailEntry(**row) for row in (*acts, *self._rows("SELECT * FROM kept_decisions"))]
