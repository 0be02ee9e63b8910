"""Questions of a bank with the same text and different keys: each has to know of the other before it is judged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from burnish.core.findings import Finding
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import CONTRADICTING
from burnish.kinds.questions.similarity import scratch_database, storage_refusals

_SCHEMA = """
CREATE TABLE seen (text INTEGER, key BLOB, shown BLOB, id BLOB);
CREATE TABLE contradicted (text INTEGER, key BLOB, shown BLOB, id BLOB, place INTEGER);
CREATE INDEX by_text ON contradicted (text);
"""
# Sorted once when all are in: an index that is kept up for every question of a large bank costs far more.
_GATHER = """
INSERT INTO contradicted SELECT text, key, shown, id, min(rowid) FROM seen
WHERE text IN (SELECT text FROM seen GROUP BY text HAVING min(key) < max(key)) GROUP BY text, key
"""
_OTHER = "SELECT id, shown FROM contradicted WHERE text = ? AND key <> ? ORDER BY place LIMIT 1"


class Contradictions:
    """The texts that a bank has with more than one key, in a temporary file, so that memory has a bound."""

    def __init__(self, bank: Iterable[Question]) -> None:
        with storage_refusals():
            self._database = scratch_database(_SCHEMA)
            self._database.execute("BEGIN")
            self._database.executemany("INSERT INTO seen VALUES (?, ?, ?, ?)", _rows(bank))
            self._database.execute(_GATHER)
            self._database.execute("COMMIT")
            self._database.execute("DROP TABLE seen")
            self._any = self._database.execute("SELECT 1 FROM contradicted LIMIT 1").fetchone() is not None

    def finding(self, question: Question) -> Finding | None:
        """That another question of the bank has this one's text, and another answer is right there."""
        if not self._any or not question.right:
            return None
        own = _key(question)
        with storage_refusals():
            row = self._database.execute(_OTHER, (_text(question), _plain(own).encode(*_AS_IS))).fetchone()
        if row is None:
            return None
        other, key = (stored.decode(*_AS_IS) for stored in row)
        return Finding(
            rule=CONTRADICTING.id,
            severity="error",
            unit=question.id,
            field="correct_answer",
            message=f"{question.id!r} and {other!r} have the same text, but the key of one is {own!r}, "
            f"that of the other {key!r}.",
            suggestion="Find out which key is right, and keep that question.",
        )

    def close(self) -> None:
        """Let the file go."""
        self._database.close()


_AS_IS = ("utf-8", "surrogatepass")
"""Texts and ids may hold lone surrogates, which SQLite does not take as text."""


def _rows(bank: Iterable[Question]) -> Iterator[tuple[int, bytes, bytes, bytes]]:
    for question in bank:
        if question.right:
            key = _key(question)
            yield _text(question), _plain(key).encode(*_AS_IS), key.encode(*_AS_IS), question.id.encode(*_AS_IS)


def _key(question: Question) -> str:
    """What all right options say, whatever their order."""
    return ", ".join(sorted(option.text for option in question.right))


def _text(question: Question) -> int:
    """What the question says, whatever the order of its options."""
    options = frozenset(_plain(option.text) for option in question.options)
    return hash((_plain(question.vignette or ""), _plain(question.stem), options))


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
