"""A6: canary secrets through failing runs over HTTP. The server sends them back in every way it can; none is kept."""

import base64
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from burnish.cli.main import main
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import BIASED, biased, edit, mended, sound, write_bank
from tests.loopback import Answer, Asked, LoopbackModel

KEY = "sk-canary-T3BlbkFJ0123456789abcdef"
TOKEN = "canary token/with+odd=signs 42"
PASSWORD = "canary-password-in-the-address"
CANARIES = (KEY, TOKEN, PASSWORD)


def forms(secret: str) -> list[str]:
    encoded = base64.b64encode(secret.encode()).decode().rstrip("=")
    return [secret, quote(secret, safe=""), json.dumps(secret)[1:-1], encoded]


def found_in(text: str) -> list[str]:
    return [form for secret in CANARIES for form in forms(secret) if form in text]


def everything(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file of a run as text; the journal value by value, unpacked."""
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.name, path.read_bytes().decode("utf-8", "replace")
    with closing(sqlite3.connect(folder / "journal.sqlite")) as connection:
        for (table,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            for row in connection.execute(f"SELECT * FROM {table}").fetchall():
                for value in row:
                    packed = zlib.decompress(value[1:]) if isinstance(value, bytes) and value[:1] == b"z" else value
                    yield table, packed.decode("utf-8", "replace") if isinstance(packed, bytes) else str(packed)


def echo(status: int):  # type: ignore[no-untyped-def]
    """An error whose body holds the key that came with the request, and all others."""

    def answer(asked: Asked) -> Answer:
        told = {"message": f"bad key {asked.headers.get('authorization')} {KEY} {TOKEN} {PASSWORD}", "code": KEY}
        headers = {"x-request-id": KEY, "www-authenticate": f'Bearer realm="{KEY}"'}
        return Answer(status=status, headers=headers, body=json.dumps({"error": told}).encode())

    return answer


def gossip(asked: Asked) -> dict[str, object]:
    """A usable answer with the secrets in it, the draft included."""
    answer = {**mended(asked.reply_name, asked.user)}
    answer["reasoning"] = f"I was called with {KEY}, {TOKEN} and {PASSWORD}."
    for one in answer.get("edits", []):  # type: ignore[union-attr]
        one["replace"] = f" in {KEY} of {TOKEN}, which of the following"
    return answer


def nonsense(asked: Asked) -> str:
    return f"no JSON, but {KEY} and {TOKEN} and {base64.b64encode(KEY.encode()).decode()}"


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SOME_SERVICE_TOKEN", TOKEN)
    monkeypatch.setenv("BURNISH_DEBUG", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "burnish.toml").write_text("[limits]\nmax_tries = 1\n")
    return tmp_path


@pytest.mark.parametrize(
    "answer",
    [echo(401), echo(400), echo(500), gossip, nonsense, lambda asked: Answer(fault="half")],
    ids=["401", "400", "500", "gossip", "nonsense", "half a body"],
)
def test_no_secret_is_left_anywhere(
    secrets: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture, answer: object
) -> None:
    caplog.set_level("INFO")
    bank = write_bank(secrets, [sound(0), biased(1), biased(2)])
    with LoopbackModel(answer) as server:  # type: ignore[arg-type]
        address = re.sub("//", f"//user:{PASSWORD}@", server.base_url)
        start = ["polish", str(bank), "--run-id", "r", "--model", "openai:any", "--base-url", address]
        assert main(start) in (0, 3, 6)
        assert main(["resume", "r", "--json", "--base-url", address]) in (0, 3, 6)
        assert len(server.requests) >= 2
        assert all(asked.headers["authorization"].startswith("Basic ") for asked in server.requests)
    for command in (
        ["show", "r", "q1", "--replies"],
        ["show", "r", "q1", "--replies", "--json"],
        ["status", "r"],
        ["export", "r"],
        ["decide", "r", "q1", "accept", "--by", "Ada", "--note", f"The key is {KEY}."],
        ["runs"],
    ):
        main(command)
    shown = capsys.readouterr()
    assert found_in(shown.out + shown.err) == []
    assert found_in(caplog.text) == []
    root = RunFolder.at(secrets / "runs", "r").root
    assert {name for name, _ in everything(root)} >= {"calls", "events", "receipt.json", "manifest.json"}
    assert [(name, found) for name, text in everything(root) if (found := found_in(text))] == []
    assert json.loads((root / "manifest.json").read_text())["arguments"]["base_url"] == server.base_url


def test_the_probe_of_the_models_tells_no_secret(secrets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LoopbackModel(echo(401)) as server:
        address = re.sub("//", f"//user:{PASSWORD}@", server.base_url)
        assert main(["models", "--model", "openai:any", "--base-url", address]) == 1
        assert main(["models", "--model", "openai:any", "--base-url", address, "--json"]) == 1
    shown = capsys.readouterr()
    assert "openai:any" in shown.out
    assert found_in(shown.out + shown.err) == []


def shown(capsys: pytest.CaptureFixture[str], unit: str) -> str:
    capsys.readouterr()
    assert main(["show", "r", unit]) == 0
    return capsys.readouterr().out


def polished(bank: Path, answer: object, *more: str) -> int:
    with LoopbackModel(answer) as server:  # type: ignore[arg-type]
        start = ["polish", str(bank), "--run-id", "r", "--model", "openai:a", "--base-url", server.base_url]
        return main([*start, *more])


@pytest.mark.parametrize("words", [" in postgres", " [redacted]", " [POSTGRES_PASSWORD]"])
def test_a_live_answer_is_used_byte_for_byte(secrets: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")

    def answer(asked: Asked) -> dict[str, object]:
        edits = asked.reply_name == "edit_reply"
        return edit("q1", BIASED, words) if edits else mended(asked.reply_name, asked.user)

    bank = write_bank(secrets, [biased(1)])
    polished(bank, answer)
    expected = biased(1)["stem"].replace(BIASED, words)
    [question] = json.loads((secrets / "runs/r/candidate/bank.json").read_text())
    assert question["stem"] == expected


def test_a_judge_may_quote_a_word_that_is_a_password(
    secrets: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("POSTGRES_PASSWORD", "postgres")
    stem = f"A postgres server is slow after a restart. {sound(0)['stem']}"
    told = {"ruleId": "nbme_multiple_correct", "field": "stem", "quote": "A postgres server"}
    objection = {
        "reasoning": "r",
        "violations": [{**told, "message": "Two answers hold.", "suggestion": "Change one."}],
    }

    def answer(asked: Asked) -> dict[str, object]:
        return {"reasoning": "", "edits": []} if asked.reply_name == "edit_reply" else objection

    assert polished(write_bank(secrets, [sound(0) | {"stem": stem}]), answer, "--judges", "openai:a,openai:b") == 3
    assert "error stem: Two answers hold.  Several correct options (nbme_multiple_correct)" in shown(capsys, "q0")


def test_a_live_answer_with_a_key_counts_as_unreadable(secrets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert polished(write_bank(secrets, [biased(1)]), gossip) == 3
    told = " ".join(shown(capsys, "q1").split())
    assert "openai:a gave no usable answer for q1: The answer repeats a key" in told
    [question] = json.loads((secrets / "runs/r/candidate/bank.json").read_text())
    assert question["stem"] == biased(1)["stem"]
