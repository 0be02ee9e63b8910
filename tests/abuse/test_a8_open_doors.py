"""A8, and what else `burnish serve` refuses before its port opens; then the command itself, as a process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from burnish.cli.main import main
from burnish.web import server as serving

COMMAND = [sys.executable, "-m", "burnish.cli.main", "serve", "--no-color"]


@pytest.fixture
def no_port(monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is made: whatever is refused is refused before."""

    def opened(*_: object) -> None:
        raise AssertionError("the port was opened")

    monkeypatch.setattr(serving, "bound", opened)


@pytest.mark.usefixtures("no_port")
class TestRefusals:
    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
    def test_no_token_beyond_this_machine(self, host: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["serve", "--host", host, "--no-token"]) == 2
        assert "Without a token" in capsys.readouterr().err

    def test_a_token_file_that_is_not_there(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["serve", "--token-file", str(tmp_path / "none")]) == 2
        assert "cannot be read" in capsys.readouterr().err

    def test_a_token_that_others_can_read(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "token"
        file.write_text("x" * 40)
        file.chmod(0o644)
        assert main(["serve", "--token-file", str(file)]) == 2
        assert "chmod 600" in capsys.readouterr().err

    def test_a_token_that_can_be_guessed(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        file = tmp_path / "token"
        file.write_text("secret")
        file.chmod(0o600)
        assert main(["serve", "--token-file", str(file)]) == 2
        said = capsys.readouterr().err
        assert "no usable token" in said
        assert "secret" not in said

    def test_a_contradiction(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["serve", "--no-token", "--token-file", "x"]) == 2
        assert "contradict" in capsys.readouterr().err


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["serve", "--port", str(port), "--runs", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert f"Port {port} on 127.0.0.1 is taken." in said
    assert "--port" in said


def test_an_address_that_is_not_ours(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["serve", "--host", "192.0.2.1", "--port", "0", "--runs", str(tmp_path)]) == 2
    assert "cannot be opened" in capsys.readouterr().err


@pytest.mark.process
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_command_prints_its_link_answers_and_ends_at_a_signal(tmp_path: Path, stop: signal.Signals) -> None:
    token = tmp_path / "token"
    token.write_text("y" * 40)
    token.chmod(0o600)
    more = ["--token-file", str(token)] if stop == signal.SIGTERM else []
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--runs", str(tmp_path / "runs"), *more],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout is not None
        link = process.stdout.readline().removeprefix("Workbench: ").strip()
        assert "Runs in" in process.stdout.readline()
        if more:
            assert "y" * 40 not in link
            link = link.partition("(")[0] + "y" * 40
        with httpx2.Client(follow_redirects=True) as browser:
            assert browser.get(link).status_code == 200
            with browser.stream("GET", link.partition("?")[0] + "live") as stream:
                assert stream.status_code == 200
                process.send_signal(stop)
                began = time.monotonic()
                assert process.wait(10) == 0
        assert time.monotonic() - began < 10
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
