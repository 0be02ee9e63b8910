"""Lists of units: pages by filter, the order of the review queue, and sums, each as plain SQL over the read model.

A filter can be the query of a link, so that it can be shared. Every function takes a connection with a consistent
snapshot (`Journal.ask`). Rows have the columns COLUMNS; names in them are packed.
"""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Self

from burnish.core.findings import SEVERITIES, Severity
from burnish.store.read_model import NONE, folded
from burnish.store.rows import Packed, pack_name, unpack

LONGEST = 200
"""The most characters of one value: ids, rules and searches are shorter."""
MOST_STATES = 20
WARNING = SEVERITIES.index("warning")


@dataclass(frozen=True, slots=True)
class UnitFilter:
    """Conditions that units must all meet to be listed."""

    states: tuple[str, ...] = ()
    """One of these states; empty: any."""
    rule: str | None = None
    """A rule with a finding in the current draft."""
    severity: Severity | None = None
    """The worst finding of the current draft."""
    cause: str | None = None
    """Why the unit waits, as in `CauseCount.cause`."""
    text: str | None = None
    """Text in the id or the excerpt, ignoring case."""
    document: str | None = None
    repaired: bool = False
    """Only units whose draft differs from the first one that was judged."""
    open: bool = False
    """Only units with findings in their draft."""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Self:
        """Parse the filter in a link's query. Unknown parts are ignored; `state` may occur several times."""
        severity = _one(query, "severity")
        return cls(
            states=_several(query, "state")[:MOST_STATES],
            rule=_one(query, "rule"),
            severity=next((known for known in SEVERITIES if known == severity), None),
            cause=_one(query, "cause"),
            text=_one(query, "text"),
            document=_one(query, "document"),
            repaired=_one(query, "repaired") == "1",
            open=_one(query, "open") == "1",
        )

    def as_query(self) -> list[tuple[str, str]]:
        """Return the filter as a link's query."""
        flags = {name: "1" if getattr(self, name) else None for name in ("repaired", "open")}
        single = {name: getattr(self, name) for name in ("rule", "severity", "cause", "text", "document")} | flags
        return [("state", state) for state in self.states] + [(name, one) for name, one in single.items() if one]


ALL = UnitFilter()
"""Includes every unit."""


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Conditions for waiting units."""

    kind: str | None = None
    run: str | None = None
    cause: str | None = None
    """Only together with `run`, because causes belong to a run."""
    document: str | None = None
    """Only together with `run`."""
    mine: str | None = None
    """Any value: only units that the person was asked about. The caller knows which person and units these are."""

    @classmethod
    def from_query(cls, query: Mapping[str, Any]) -> Self:
        return cls(*(_one(query, field.name) for field in fields(cls)))

    def as_query(self) -> list[tuple[str, str]]:
        return [(name, one) for name, one in asdict(self).items() if one]


def _several(query: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """Return all values of a name; queries of requests may have several, plain mappings have one."""
    getlist = getattr(query, "getlist", None)
    found: Sequence[Any] = getlist(name) if getlist is not None else [query[name]] if name in query else []
    return tuple(dict.fromkeys(str(value)[:LONGEST] for value in found if value))


def _one(query: Mapping[str, Any], name: str) -> str | None:
    return next(iter(_several(query, name)), None)


COLUMNS = (
    "number, position, id, document, state, reason, attempts, drafts, best_attempt, open_errors, severity, scores, "
    "notes, cause, excerpt, repaired, decided_by, at"
)
"""The columns of a row in lists."""
_NUMBER, _POSITION, _ID, _AT = (COLUMNS.split(", ").index(name) for name in ("number", "position", "id", "at"))
_SELECTED = ", ".join(f"u.{name}" for name in COLUMNS.split(", "))
PORTION = 2_000
"""Units that are read at a time if all are needed."""
MOST_COMPARED = 5_000
"""The most units counted to find the more selective of two filters."""

Row = Sequence[Any]
Place = tuple[int, int]
"""The place of a unit in the list: its position and its number."""


# -- pages


def read_page(
    connection: sqlite3.Connection, where: UnitFilter, waiting: str, after: Place | None, limit: int, *, backwards: bool
) -> list[Row]:
    """Return rows in document order: the first after a place, or with `backwards` the last before it."""
    order = "position DESC, number DESC" if backwards else "position, number"
    queries, values = [], list[Any]()
    for part in _parts(where, waiting):
        tables, conditions, given, position = _query(connection, part)
        if after is not None:
            conditions.append(f"({position}.position, {position}.number) {'<' if backwards else '>'} (?, ?)")
            given += after
        ordered = order.replace("position", f"{position}.position").replace("number", f"{position}.number")
        queries.append(f"SELECT {_SELECTED} FROM {tables} {_where(conditions)} ORDER BY {ordered} LIMIT ?")
        values += [*given, limit]
    query = queries[0]
    if len(queries) > 1:
        # Each part is sorted and no longer than a page, so little is left to sort.
        together = " UNION ALL ".join(f"SELECT * FROM ({query})" for query in queries)
        query = f"{together} ORDER BY {order} LIMIT {limit:d}"
    found = connection.execute(query, values).fetchall()
    return found[::-1] if backwards else found


def read_moments(connection: sqlite3.Connection, where: UnitFilter, waiting: str) -> Iterator[tuple[Packed, str]]:
    """Yield id and timestamp of every unit that passes a filter, in document order."""
    after: Place | None = None
    while rows := read_page(connection, where, waiting, after, PORTION, backwards=False):
        yield from ((row[_ID], row[_AT]) for row in rows)
        after = rows[-1][_POSITION], rows[-1][_NUMBER]


def count(connection: sqlite3.Connection, where: UnitFilter, waiting: str) -> int:
    """Return the number of units that pass a filter."""
    total = 0
    for part in _parts(where, waiting):
        tables, conditions, values, leading = _query(connection, part)
        if len(conditions) == 1 and leading != "u":  # the table of units is not needed
            tables = tables.partition(" CROSS JOIN ")[0]
        total += connection.execute(f"SELECT COUNT(*) FROM {tables} {_where(conditions)}", values).fetchone()[0]
    return total


def _parts(where: UnitFilter, waiting: str) -> list[UnitFilter]:
    """Split a filter by state: no unit has two, and each part is in order. Only waiting units have causes."""
    states = tuple(dict.fromkeys(where.states))
    if where.cause is not None:
        states = tuple(state for state in states or (waiting,) if state == waiting)
        return [replace(where, states=states)] if states else [replace(where, states=("",))]
    return [replace(where, states=(state,)) for state in states] or [where]


def _query(connection: sqlite3.Connection, where: UnitFilter) -> tuple[str, list[str], list[Any], str]:
    """Return tables, conditions and values of a filter with at most one state, and the table that orders the rows."""
    conditions, values = list[str](), list[Any]()

    def add(condition: str, *given: Any) -> None:
        conditions.append(condition)
        values.extend(given)

    for state in where.states:
        add("u.state = ?", pack_name(state))
    if where.cause is not None:
        add("u.cause = ?", pack_name(where.cause))
    if where.severity is not None:
        add("u.severity = ?", SEVERITIES.index(where.severity))
    if where.document is not None:
        add("u.document = ?", pack_name(where.document))
    if where.repaired:
        add("u.repaired = 1")
    if where.open:
        add(f"u.severity < {NONE}")
    index = "units_by_state" if where.states else "units_by_position"
    tables, leading = f"units u INDEXED BY {index}", "u"
    if where.rule is not None:
        if not where.states or _is_rarer(connection, where.rule, where.states[0]):
            tables, leading = "findings f CROSS JOIN units u ON u.number = f.number", "f"
        else:
            tables += " CROSS JOIN findings f ON f.position = u.position AND f.number = u.number"
        add("f.rule = ? AND f.settled = 0", pack_name(where.rule))
    if where.text:
        pattern = folded(where.text).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        if leading == "u" and not where.states:
            tables, leading = "search_texts s CROSS JOIN units u ON u.number = s.number", "s"
        else:
            tables += " CROSS JOIN search_texts s ON s.position = u.position AND s.number = u.number"
        add("s.text LIKE ? ESCAPE '\\'", f"%{pattern}%")
    return tables, conditions, values, leading


def documents_only(connection: sqlite3.Connection, state: str) -> list[str]:
    """Return the documents of which every unit is in a state."""
    query = "SELECT document FROM units WHERE document <> '' GROUP BY document HAVING SUM(state <> ?) = 0 ORDER BY 1"
    return [unpack(document) for (document,) in connection.execute(query, (pack_name(state),))]


def units_with(connection: sqlite3.Connection, rule: str) -> list[str]:
    """Return the units with an open finding of a rule."""
    query = "SELECT u.id FROM findings f JOIN units u ON u.number = f.number WHERE f.rule = ? AND f.settled = 0"
    return [unpack(id) for (id,) in connection.execute(query, (pack_name(rule),))]


def _is_rarer(connection: sqlite3.Connection, rule: str, state: str) -> bool:
    """Return whether fewer units break a rule than are in a state."""
    query = (
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM findings WHERE rule = ? AND settled = 0 LIMIT ?)) < "
        "(SELECT COUNT(*) FROM (SELECT 1 FROM units WHERE state = ? LIMIT ?))"
    )
    values = (pack_name(rule), MOST_COMPARED, pack_name(state), MOST_COMPARED)
    return bool(connection.execute(query, values).fetchone()[0])


def _where(conditions: Sequence[str]) -> str:
    return f"WHERE {' AND '.join(conditions)}" if conditions else ""


# -- the queue of a run: documents with the fewest units left first, then cause by cause, worst first


@dataclass(frozen=True, slots=True)
class Group:
    """Waiting units of one document and one cause."""

    document: Packed
    cause: Packed
    count: int
    severity: int
    """The worst severity among them."""


_WAITING = (
    "FROM units INDEXED BY units_by_cause WHERE state = ? AND "
    "NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.unit = units.id AND inbox.state = 'waiting')"
)
"""Waiting units without a decision in the inbox."""


def queue_groups(connection: sqlite3.Connection, waiting: str, where: QueueFilter) -> list[Group]:
    """Return the groups that pass a filter, in the order of the queue."""
    query = f"SELECT document, cause, COUNT(*), MIN(severity) {_WAITING} GROUP BY document, cause"
    every = [Group(*row) for row in connection.execute(query, (pack_name(waiting),))]
    left = Counter[Any]()
    for group in every:
        left[group.document] += group.count

    def order(one: Group) -> tuple[object, ...]:
        return left[one.document], _name(one.document), one.severity, -one.count, _name(one.cause)

    return sorted((group for group in every if _fits(group, where)), key=order)


def queue_page(
    connection: sqlite3.Connection, waiting: str, where: QueueFilter, offset: int, limit: int
) -> list[tuple[Row, int]]:
    """Return rows in the order of the queue, each with the number of units of the run with the same cause."""
    every, same = queue_groups(connection, waiting, QueueFilter()), Counter[Any]()
    for group in every:
        same[group.cause] += group.count
    query = (
        f"SELECT {COLUMNS} {_WAITING} AND document = ? AND cause = ? "
        "ORDER BY severity, position, number LIMIT ? OFFSET ?"
    )
    found: list[tuple[Row, int]] = []
    for group in every:
        if not _fits(group, where):
            continue
        if offset >= group.count:
            offset -= group.count
            continue
        values = (pack_name(waiting), group.document, group.cause, limit - len(found), offset)
        found += [(row, same[group.cause]) for row in connection.execute(query, values)]
        offset = 0
        if len(found) >= limit:
            break
    return found


def queue_place(connection: sqlite3.Connection, waiting: str, where: QueueFilter, unit: str) -> int | None:
    """Return the index of a unit in the queue; None if it is not in it."""
    query = f"SELECT document, cause, severity, position, number {_WAITING} AND id = ?"
    query = query.replace(" INDEXED BY units_by_cause", "")
    here = connection.execute(query, (pack_name(waiting), pack_name(unit))).fetchone()
    if here is None:
        return None
    before = 0
    for group in queue_groups(connection, waiting, where):
        if (group.document, group.cause) == here[:2]:
            query = (
                f"SELECT COUNT(*) {_WAITING} AND document = ? AND cause = ? AND "
                "(severity, position, number) < (?, ?, ?)"
            )
            values = (pack_name(waiting), *here)
            return before + int(connection.execute(query, values).fetchone()[0])
        before += group.count
    return None


def _fits(group: Group, where: QueueFilter) -> bool:
    return (where.cause is None or group.cause == pack_name(where.cause)) and (
        where.document is None or group.document == pack_name(where.document)
    )


def _name(value: Packed) -> str:
    """Return a name in a form that can be sorted."""
    return value if isinstance(value, str) else repr(value)


# -- sums


@dataclass(frozen=True, slots=True)
class RuleSum:
    """The findings of one rule in a run."""

    rule: str
    severity: int
    """The worst severity."""
    open: int = 0
    """Findings in the kept drafts of units that are not accepted."""
    open_units: int = 0
    accepted: int = 0
    """Findings in the kept drafts of accepted units."""
    accepted_units: int = 0
    settled_units: int = 0


def findings_by_rule(connection: sqlite3.Connection, accepted: Collection[str]) -> list[RuleSum]:
    """Return the sum for every rule with findings. `accepted`: the states of accepted units."""
    query = (
        f"SELECT f.rule, f.settled, u.state IN ({_marks(accepted)}), SUM(f.times), COUNT(*), MIN(f.severity) "
        "FROM findings f CROSS JOIN units u ON u.number = f.number GROUP BY 1, 2, 3"
    )
    found: dict[str, RuleSum] = {}
    for packed, settled, is_accepted, times, units, severity in connection.execute(query, _packed(accepted)):
        rule = unpack(packed)
        known = found.get(rule, RuleSum(rule, severity))
        known = replace(known, severity=min(known.severity, severity))
        if settled:
            found[rule] = replace(known, settled_units=known.settled_units + units)
        elif is_accepted:
            found[rule] = replace(known, accepted=times, accepted_units=units)
        else:
            found[rule] = replace(known, open=times, open_units=units)
    return list(found.values())


def doubted_units(
    connection: sqlite3.Connection, accepted: Collection[str], rules: Collection[str] | None = None
) -> int:
    """Return the number of accepted units with an open finding that is a warning or worse; `rules`: of these only."""
    if rules is None:
        query = f"SELECT COUNT(*) FROM units WHERE state IN ({_marks(accepted)}) AND severity <= {WARNING}"
        return int(connection.execute(query, _packed(accepted)).fetchone()[0])
    query = f"SELECT COUNT(DISTINCT f.number) {_doubted(rules, accepted)}"
    return int(connection.execute(query, (*_packed(rules), *_packed(accepted))).fetchone()[0])


def doubted_ids(
    connection: sqlite3.Connection, accepted: Collection[str], rules: Collection[str], most: int
) -> list[str]:
    """Return the first accepted units with an open finding of these rules, in document order."""
    query = f"SELECT DISTINCT u.id, u.position, u.number {_doubted(rules, accepted)} ORDER BY 2, 3 LIMIT ?"
    return [unpack(row[0]) for row in connection.execute(query, (*_packed(rules), *_packed(accepted), most))]


def _doubted(rules: Collection[str], accepted: Collection[str]) -> str:
    return (
        "FROM findings f CROSS JOIN units u ON u.number = f.number "
        f"WHERE f.rule IN ({_marks(rules)}) AND f.settled = 0 AND f.severity <= {WARNING} "
        f"AND u.state IN ({_marks(accepted)})"
    )


def _marks(values: Collection[str]) -> str:
    return ", ".join("?" for _ in values)


def _packed(names: Collection[str]) -> tuple[Packed, ...]:
    return tuple(pack_name(name) for name in names)


def score_counts(connection: sqlite3.Connection) -> dict[str, list[tuple[float, int]]]:
    """Map each dimension to its scores, with the number of units that have each."""
    found: dict[str, list[tuple[float, int]]] = defaultdict(list)
    for name, value, number in connection.execute("SELECT name, value, count FROM score_counts WHERE count > 0"):
        found[unpack(name)].append((value, number))
    return found


def spending(connection: sqlite3.Connection, points: int) -> list[tuple[int, int, int, int, int]]:
    """Return second, tokens, cost in trillionths, calls and calls without a price, in at most `points` steps."""
    first, last = connection.execute("SELECT MIN(second), MAX(second) FROM spending").fetchone()
    if first is None:
        return []
    query = (
        "SELECT MAX(second), SUM(tokens), SUM(cost_trillionths), SUM(calls), SUM(unpriced) FROM spending "
        "GROUP BY (second - ?) * ? / ? ORDER BY 1"
    )
    return connection.execute(query, (first, points, last - first + 1)).fetchall()


def spending_by_role(connection: sqlite3.Connection, points: int) -> list[tuple[str, int, int]]:
    """Return role, id of the last call and tokens of each step. Reads only an index, so no replies."""
    last = connection.execute("SELECT MAX(id) FROM calls").fetchone()[0]
    if not last:
        return []
    query = (
        "SELECT role, MAX(id), SUM(prompt_tokens + completion_tokens) FROM calls INDEXED BY calls_by_role "
        "GROUP BY role, id * ? / ? ORDER BY 2"
    )
    return [(unpack(role), call, tokens) for role, call, tokens in connection.execute(query, (points, last + 1))]


def judgements_by_day(connection: sqlite3.Connection) -> list[tuple[str, bool, int]]:
    """Return for each day of a unit's last decision: whether findings were right, and how many."""
    query = (
        "WITH decided AS (SELECT unit, MAX(at) AS at FROM events WHERE type = ? GROUP BY unit) "
        "SELECT substr(d.at, 1, 10), j.is_right, SUM(j.change) FROM judgements AS j "
        "JOIN units AS u ON u.number = j.number JOIN decided AS d ON d.unit = u.id GROUP BY 1, 2"
    )
    found = connection.execute(query, (pack_name("decision"),))
    return [(str(day), bool(right), int(number)) for day, right, number in found]


def strip_of(connection: sqlite3.Connection, cells: int) -> list[list[tuple[str, str, bool]]]:
    """Return the units of the documents in order, in at most `cells` groups: id, state, whether it was repaired."""
    query = "SELECT id, state, repaired FROM units WHERE document != ? ORDER BY position, number"
    rows = connection.execute(query, (pack_name(""),)).fetchall()
    size = max(1, -(-len(rows) // cells))
    units = [(unpack(id), unpack(state), bool(repaired)) for id, state, repaired in rows]
    return [units[at : at + size] for at in range(0, len(units), size)]


def causes(connection: sqlite3.Connection, waiting: str) -> list[tuple[str, str | None, str, int]]:
    """Return why units wait, most frequent first: the cause, its reason, one unit and the number of units."""
    query = f"SELECT cause, COUNT(*), MIN(number) {_WAITING} GROUP BY cause ORDER BY 2 DESC, 1"
    found = []
    for cause, number, example in connection.execute(query, (pack_name(waiting),)).fetchall():
        id, reason = connection.execute("SELECT id, reason FROM units WHERE number = ?", (example,)).fetchone()
        found.append((unpack(cause), None if reason is None else unpack(reason), unpack(id), number))
    return found


def judgement_sums(connection: sqlite3.Connection) -> list[tuple[str, bool, int]]:
    """Return the verdicts of people's decisions in the run: the rule or judge, whether it was right, how often."""
    query = "SELECT who, is_right, SUM(change) FROM judgements GROUP BY who, is_right"
    return [(unpack(who), bool(right), int(number)) for who, right, number in connection.execute(query)]


def judgements_after(connection: sqlite3.Connection, seq: int) -> list[tuple[int, int, str, bool, int]]:
    """Return the next verdicts after `seq`: their number, key, rule or judge, whether it was right, the change."""
    query = "SELECT seq, key, who, is_right, change FROM judgements WHERE seq > ? ORDER BY seq LIMIT ?"
    rows = connection.execute(query, (seq, PORTION))
    return [(number, key, unpack(who), bool(right), change) for number, key, who, right, change in rows]
