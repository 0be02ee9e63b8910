"""A meter between Burnish and the model's server: it passes requests on, and counts what the server says they used."""

from __future__ import annotations

import json
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 120.0
"""Seconds in which the server ends what nobody waits for any more."""
LONGEST_STRING = 40
MOST_ITEMS = 2


class Meter:
    """Counts requests and usage. It shortens replies: a model this small writes every string until it is stopped."""

    def __init__(self, address: str, longest: int) -> None:
        self.address, self.longest = address, longest
        self.begun = self.answered = self.refused = self.completion = 0
        self.used: Counter[tuple[int, int]] = Counter()
        """Prompt and completion tokens of each answer, as the server counted them -> how many such answers."""
        self.seconds = 0.0
        self.bodies: list[str] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.base_url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def reset(self) -> None:
        self.begun = self.answered = self.refused = self.completion = 0
        self.used, self.seconds, self.bodies = Counter(), 0.0, []

    def wait_until_idle(self) -> None:
        """Until the server has answered what a killed run, or one whose time was over, had asked."""
        deadline = time.monotonic() + PATIENCE
        while self.begun > self.answered + self.refused and time.monotonic() < deadline:
            time.sleep(0.1)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _pass_on(self, path: str, raw: bytes) -> tuple[int, bytes]:
        body: dict[str, Any] = json.loads(raw)
        body["max_tokens"] = min(int(body.get("max_tokens", self.longest)), self.longest)
        if "response_format" in body:
            body["response_format"]["json_schema"]["schema"] = _short(body["response_format"]["json_schema"]["schema"])
        with self._lock:
            self.begun += 1
            self.bodies.append(raw.decode())
        request = urllib.request.Request(
            self.address + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=600) as reply:
                answer: bytes = reply.read()
        except urllib.error.HTTPError as error:
            with self._lock:
                self.refused += 1
            return error.code, error.read()
        told = json.loads(answer)
        with self._lock:
            self.answered += 1
            self.used[told["usage"]["prompt_tokens"], told["usage"]["completion_tokens"]] += 1
            self.completion += told["usage"]["completion_tokens"]
            self.seconds += told.get("timings", {}).get("predicted_ms", 0) / 1_000
        return 200, answer

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        meter = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                status, answer = meter._pass_on(self.path, raw)
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def handle(self) -> None:
                try:
                    super().handle()
                except ConnectionError:
                    self.close_connection = True  # the run that asked was killed

            def log_message(self, format: str, *args: object) -> None: ...

        return Handler


def _short(schema: Any) -> Any:
    """The schema with short strings and short lists."""
    if isinstance(schema, list):
        return [_short(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    short = {key: _short(value) for key, value in schema.items()}
    if short.get("type") == "string" and "enum" not in short:
        short["maxLength"] = LONGEST_STRING
    if short.get("type") == "array":
        short["maxItems"] = max(MOST_ITEMS, short.get("minItems", 0))
    return short
