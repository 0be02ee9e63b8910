"""A visitor that leaves in the middle of an upload is no fault of the server: one line, no traceback."""

import logging
import socket
import time
from pathlib import Path

import pytest

from tests.workbench import TOKEN, workbench

FORM = (
    '--x\r\nContent-Disposition: form-data; name="files"; filename="bank.json"\r\n'
    "Content-Type: application/json\r\n\r\n[" + " " * 5_000
)


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        ("/new", "multipart/form-data; boundary=x"),
        ("/name", "application/x-www-form-urlencoded"),
        ("/api/v1/runs", "application/json"),
        ("/api/v1/checks", "application/json"),
    ],
)
def test_a_dropped_upload_leaves_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, path: str, content_type: str
) -> None:
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{{port}}\r\nAuthorization: Bearer {TOKEN}\r\n"
        f"Content-Type: {content_type}\r\nContent-Length: 2000000\r\n\r\n"
    )
    with caplog.at_level(logging.WARNING), workbench(tmp_path / "runs") as bench:
        with socket.create_connection(("127.0.0.1", bench.port)) as visitor:
            visitor.sendall((head.format(port=bench.port) + FORM).encode())
            time.sleep(0.2)
        time.sleep(0.2)
        with bench.program() as program:
            assert program.get("/api/v1/runs").status_code == 200
    assert all(record.exc_info is None for record in caplog.records), caplog.text
    line = f"POST {path}: the visitor left before all was sent"
    assert [record.getMessage() for record in caplog.records] == ([] if path.startswith("/api") else [line])
