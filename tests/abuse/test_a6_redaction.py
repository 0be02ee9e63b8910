"""A6, at the level of the store: canary secrets through everything a failing run writes. None is found afterwards."""

import base64
import json
import sqlite3
import zlib
from pathlib import Path
from urllib.parse import quote

import pytest

from burnish.core.records import event
from burnish.store.paths import ExportFolder, RunFolder
from burnish.store.processes import system_clock
from burnish.store.redaction import Redactor
from burnish.store.sqlite_journal import own_run
from tests.store.samples import attempt, call, unit

CANARIES = [
    "sk-canary-T3BlbkFJ0123456789abcdef",
    "plain-canary-value",
    'odd "canary"/ключ+=',
    "canary\\with\\backslash",
]
UNKNOWN = "sk-proj-nobody0told9us8of7this6key5"
"""A secret nobody told us of: only its shape gives it away, and only in diagnostics."""


def forms(secret: str) -> list[bytes]:
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    texts = [secret, quote(secret, safe=""), json.dumps(secret)[1:-1], encoded]
    return [text.encode() for text in texts]


def tell_everything(folder: RunFolder, secret: str) -> None:
    """Put the secret wherever a failing run could put it."""
    text = f"before {secret} after"
    deep = {"a": [text, {"b": text}], text: text}
    with own_run(folder, system_clock, redactor=Redactor(CANARIES)) as run:
        journal = run.journal
        journal.write_now(
            call("ok", request=deep, raw=json.dumps(deep)),
            call("long", raw=text * 2000, request={"user": text * 2000}),
            call("failed", status="failed", raw=f"401 {text}", error=f"Authorization: Bearer {secret}"),
            attempt(failure=text),
            unit(reason=text),
            event("model_degraded", data=deep),
            event("run_stopped", data={"error": f"https://user:{secret}@host/", "headers": {"authorization": secret}}),
        )
        exports = ExportFolder(folder, journal)
        exports.write_json("report.json", [stopped.data for stopped in journal.events()])
        exports.write_json("calls.json", [dict(made.request) for made in journal.calls()])
        read = [*journal.calls(), *journal.events(), *journal.units(), *journal.attempts("q1")]
        assert secret not in repr(read)
        assert json.dumps(secret)[1:-1] not in repr(read)
        found_while_open(folder, secret)


def found_while_open(folder: RunFolder, secret: str) -> None:
    """The files beside the database, such as its log. Opening the locked ones here would drop SQLite's own locks."""
    for path in folder.root.rglob("*"):
        if path.is_file() and path.name not in ("journal.sqlite", "journal.sqlite-shm"):
            assert not any(form in path.read_bytes() for form in forms(secret)), path.name


@pytest.mark.parametrize("secret", CANARIES)
def test_no_canary_is_found_in_any_file(tmp_path: Path, secret: str) -> None:
    folder = RunFolder.at(tmp_path, "r")
    tell_everything(folder, secret)
    files = [path for path in folder.root.rglob("*") if path.is_file()]
    assert {"journal.sqlite", "report.json", "calls.json"} <= {path.name for path in files}
    found = [(path.name, form) for path in files for form in forms(secret) if form in path.read_bytes()]
    assert found == []


def test_the_rest_of_the_text_is_still_there(tmp_path: Path) -> None:
    folder = RunFolder.at(tmp_path, "r")
    tell_everything(folder, CANARIES[1])
    report = json.loads((folder.root / "report.json").read_text())
    assert {"a": ["before [redacted] after", {"b": "before [redacted] after"}]}.items() <= report[-2].items()


@pytest.mark.parametrize("secret", [*CANARIES, "postgres"])
def test_no_content_is_rewritten(tmp_path: Path, secret: str) -> None:
    """A key in content is refused before it gets here; what does get here stays as it was written."""
    deep = {"a": [f"before {secret} after"], secret: secret}
    written = attempt(content=deep, findings=(deep,), edits=(deep,), receipt=deep)
    with own_run(RunFolder.at(tmp_path, "r"), system_clock, redactor=Redactor([secret])) as run:
        run.journal.write_now(written)
        run.journal.set_meta("plan", json.dumps(deep))
        [read] = run.journal.attempts(written.unit)
        assert (read.content, read.findings, read.edits, read.receipt) == (deep, (deep,), (deep,), deep)
        assert json.loads(run.journal.get_meta("plan") or "") == deep


def test_an_unknown_secret_is_taken_out_of_diagnostics_and_content_is_kept(tmp_path: Path) -> None:
    with own_run(RunFolder.at(tmp_path, "r"), system_clock) as run:
        run.journal.write_now(
            call("failed", status="failed", raw=f"bad key {UNKNOWN}", error=f"Bearer {UNKNOWN}"),
            call("ok", raw=f"Never write a key such as {UNKNOWN} into a file."),
            event("run_stopped", data={"message": UNKNOWN}),
            unit(reason=UNKNOWN),
            attempt(failure=UNKNOWN),
        )
        failed, good = run.journal.calls()
        diagnostics = [failed, *run.journal.events(), *run.journal.units(), *run.journal.attempts("q1")]
        assert UNKNOWN not in repr(diagnostics)
        assert UNKNOWN in good.raw


def test_compression_hides_no_canary(tmp_path: Path) -> None:
    """What is long is compressed in the journal, so searching its bytes would prove nothing: unpack and search."""
    folder = RunFolder.at(tmp_path, "r")
    tell_everything(folder, CANARIES[0])
    rows = sqlite3.connect(folder.journal).execute("SELECT raw, request FROM calls WHERE key = 'long'").fetchall()
    raw, request = rows[0]
    text = zlib.decompress(request[1:]).decode()
    assert "[redacted]" in text and CANARIES[0] not in text
    assert len(raw) < 10, "a reply that holds a key is not kept at all"


def test_a_reply_is_kept_byte_for_byte_or_not_at_all(tmp_path: Path) -> None:
    """What is left of a reply without its key would be read as if the model had said it."""
    whole = '{"replace": "postgres, [redacted] and plain words"}'
    with own_run(RunFolder.at(tmp_path, "r"), system_clock, redactor=Redactor([*CANARIES, "postgres"])) as run:
        run.journal.write_now(call("good", raw=whole), call("bad", raw=f'{{"replace": "{CANARIES[0]}"}}'))
        good, bad = run.journal.calls()
    assert (good.status, good.raw) == ("ok", whole)
    assert (bad.status, bad.raw) == ("failed", "")
    assert "repeats a key" in (bad.error or "")
