"""A meter between Burnish and the model's server: it passes requests on, and counts what the server says they used."""

from __future__ import annotations

import json
import re
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
MOST_ITEMS = 1
MOST_PHRASES = 8
WHOLE = ("units", "paragraphs", "translations")
"""Lists that have to name all that was asked about: without them a judge could not be read."""
QUOTES = ("quote", "quotedText", "find", "source", "target")
"""Fields whose words have to stand in the content."""
FENCED = re.compile(r"<<<[0-9a-f]{12} \w+\n(.*?)\n[0-9a-f]{12}>>>", re.DOTALL)
PHRASE = re.compile(r"(?<![\w'])[A-Z]?[a-z]+(?: [a-z]+){2,4}(?![\w'])")
"""Three to five words in a row."""


class Meter:
    """Counts requests and usage. It narrows the schemas that it passes on: a model this small writes every string until
    it is stopped, and copies no words, so that no role behind another would ever be reached."""

    def __init__(self, address: str, longest: int) -> None:
        self.address, self.longest = address, longest
        self.score: float | None = None
        """What every judge has to give; None: whatever the model says."""
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
            shape = body["response_format"]["json_schema"]
            phrases = _phrases("\n".join(str(message["content"]) for message in body["messages"]))
            shape["schema"] = _narrow(shape["schema"], phrases, self.score)
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


def _phrases(prompt: str) -> list[str]:
    """A few words of the content that stand in it once: a model this small cannot copy others."""
    content = "\n".join(FENCED.findall(prompt))
    found = (" ".join(words.split()) for words in PHRASE.findall(content))
    return [phrase for phrase in dict.fromkeys(found) if content.count(phrase) == 1][:MOST_PHRASES]


def _narrow(schema: Any, phrases: list[str], score: float | None, name: str = "") -> Any:
    """The schema with short strings, short lists, quotes that are there, and scores as they are wished."""
    if isinstance(schema, list):
        return [_narrow(part, phrases, score, name) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:
        named = {key: _narrow(value, phrases, score, key) for key, value in schema["properties"].items()}
        return {**schema, "properties": named}
    if name in QUOTES and phrases and ("anyOf" in schema or schema.get("type") == "string"):
        return {"type": "string", "enum": phrases}
    narrow = {key: _narrow(value, phrases, score, name) for key, value in schema.items()}
    if narrow.get("type") == "string" and "enum" not in narrow:
        narrow["maxLength"] = LONGEST_STRING
    if narrow.get("type") == "array" and name not in WHOLE:
        narrow["maxItems"] = max(MOST_ITEMS, narrow.get("minItems", 0))
    if narrow.get("type") == "number" and score is not None:
        return {"type": "number", "enum": [score]}
    return narrow
