"""The command line as a whole: what is imported, what becomes of errors, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from burnish import __version__
from burnish.cli import group as group_module
from burnish.cli import main as main_module
from burnish.cli.group import wants_json
from burnish.cli.main import COMMANDS, main
from burnish.core.errors import LimitReached
from tests.app.samples import SOUND, bank, negative, question

MODEL_LIBRARIES = ("pydantic_ai", "openai", "anthropic", "httpx2", "fastapi", "uvicorn", "jinja2", "tiktoken")
BURNISH = [sys.executable, "-m", "burnish.cli.main"]


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], check=False, capture_output=True, text=True)


def test_version_needs_nothing() -> None:
    code = """
import sys
before = set(sys.modules)
from burnish.cli.main import main
main(["--version"])
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(loaded - sys.stdlib_module_names))
"""
    done = python(code)
    version, modules = done.stdout.splitlines()
    assert version == f"burnish {__version__}"
    assert modules == "['burnish']"


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    assert capsys.readouterr().out == f"burnish {__version__}\n"


def test_check_imports_no_model_library(tmp_path: Path) -> None:
    code = f"""
import sys
from burnish.cli.main import main
main(["check", sys.argv[1], "--format", "json"])
print("\\n", [name for name in {MODEL_LIBRARIES!r} if name in sys.modules])
"""
    done = python(code, str(bank(tmp_path / "bank.jsonl", negative())))
    assert done.stdout.splitlines()[-1].strip() == "[]", done.stderr


def test_help_imports_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    code = """
import sys
from burnish.cli.main import COMMANDS, main
from tests.app.samples import bank, negative
main(["--help"])
print([name for name in COMMANDS if f"burnish.cli.{name}" in sys.modules])
"""
    done = python(code)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize("path", [path for path, _ in group_module.paths(COMMANDS)])
def test_every_command_explains_itself(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*path.split(), "--help"]) == 0
    out = capsys.readouterr().out
    assert f"burnish {path}" in out and "--help" in out
    command = group_module.load(path)
    assert command.help
    for parameter in command.params:
        assert getattr(parameter, "help", None), f"{path}: {parameter.name} has no help"


def test_version_before_a_command_wins(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version", "check"]) == 0
    assert capsys.readouterr().out == f"burnish {__version__}\n"


def test_no_command_shows_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "Commands:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chek"], "No such command 'chek'. Did you mean 'check'"),
        (["check"], "Missing argument 'PATH'."),
        (["check", "--jobs", "0", "x"], "--jobs"),
        (["check", "--nothing", "x"], "No such option"),
        (["check", "--format", "xml", "x"], "--format"),
    ],
)
def test_wrong_usage_says_what_and_where_to_look(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and message in err and "--help` explains it." in err


def test_errors_are_json_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--format", "json", "--jobs", "0", "x"]) == 2
    error = json.loads(capsys.readouterr().err)["error"]
    assert error["code"] == "usage" and error["exit_code"] == 2 and error["hint"]


def test_who_wants_json() -> None:
    assert wants_json(["check", "--format", "json"]) and wants_json(["x", "--format=json"]) and wants_json(["--json"])
    assert not wants_json(["check", "json", "--format", "text"])


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    def broken(commands: object) -> None:
        raise error

    monkeypatch.setattr(group_module, "group", broken)
    return main(["check", "x"])


def test_our_own_errors_have_their_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BURNISH_DEBUG", raising=False)
    assert failing(monkeypatch, LimitReached("No money\nis left.", hint="Raise it.")) == 6
    assert capsys.readouterr().err == "burnish: No money\n  is left.\n  hint: Raise it.\n"


def test_a_fault_of_ours_is_short_and_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("BURNISH_DEBUG", raising=False)
    assert failing(monkeypatch, ZeroDivisionError("oops")) == main_module.INTERNAL_ERROR
    err = capsys.readouterr().err
    assert "ZeroDivisionError: oops" in err and "report" in err and "Traceback" not in err
    monkeypatch.setenv("BURNISH_DEBUG", "1")
    failing(monkeypatch, ZeroDivisionError("oops"))
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_says_how_to_go_on(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert failing(monkeypatch, KeyboardInterrupt("Continue with: burnish resume r1")) == 130
    assert capsys.readouterr().err == "Interrupted. Continue with: burnish resume r1\n"
    assert failing(monkeypatch, KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "Interrupted.\n", "what nobody said is not claimed"


def test_a_reader_that_leaves_is_no_fault(tmp_path: Path) -> None:
    path = bank(tmp_path / "bank.jsonl", *(negative(f"q{number}", f"drugs{number}") for number in range(400)))
    reading, writing = os.pipe()
    process = subprocess.Popen([*BURNISH, "check", str(path)], stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.read(reading, 10)
    os.close(reading)
    _, err = process.communicate(timeout=60)
    assert process.returncode == main_module.READER_GONE
    assert err == b""


def test_ctrl_c_ends_at_once_with_its_own_code(tmp_path: Path) -> None:
    path = bank(tmp_path / "bank.jsonl", *(negative(f"q{number}", f"drugs{number}") for number in range(20_000)))
    command = [*BURNISH, "check", str(path), "--jobs", "2", "--format", "json"]
    out = tmp_path / "out.json"
    with out.open("wb") as target, subprocess.Popen(command, stdout=target, stderr=subprocess.PIPE) as process:
        while process.poll() is None and out.stat().st_size < 100_000:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    # On a busy machine lines of progress come before it.
    assert err.decode().splitlines()[-1] == "Interrupted. Nothing was changed."
    report = json.loads(out.read_bytes())
    assert report["documents"][0]["complete"] is False
    assert report["summary"]["units"] == len(report["documents"][0]["units"])


def test_ctrl_c_while_fixing_names_what_was_changed(tmp_path: Path) -> None:
    stem = SOUND["stem"].replace(" and slow", "  and slow")
    first = bank(tmp_path / "a.jsonl", question("q1", stem=stem))
    second = bank(tmp_path / "b.jsonl", *(question(f"q{number}", stem=stem) for number in range(10_000)))
    before = first.read_bytes(), second.read_bytes()
    command = [*BURNISH, "check", str(tmp_path), "--fix", "--jobs", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        while process.poll() is None and first.read_bytes() == before[0]:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.decode().splitlines() == [
        "Interrupted. This file was already fixed; all others are unchanged:",
        f"  {first}",
    ]
    assert first.read_bytes() != before[0] and second.read_bytes() == before[1]


def test_a_narrow_encoding_is_no_reason_to_fail(tmp_path: Path) -> None:
    path = bank(tmp_path / "bank.jsonl", negative("ä", "cafés"))
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([*BURNISH, "check", str(path)], check=False, capture_output=True, env=environ)
    assert done.returncode == 1 and b"caf\\xe9s" in done.stdout
