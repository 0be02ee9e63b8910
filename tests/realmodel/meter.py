"""A meter between Burnish and the model's server: it passes requests on, and counts what the server says they used."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 120.0
"""Seconds in which the server ends what nobody waits for any more."""
LONGEST_STRING = 24
MOST_ITEMS = 1
MOST_PHRASES = 8
WHOLE = {"units": "unit", "paragraphs": "paragraph_id", "translations": "paragraph_id"}
"""Lists that have to name all that was asked about, and by which field: without them a judge could not be read."""
EMPTY = {"critic_reply": ("paragraphs",)}
"""Reply -> lists of its schema that it leaves empty: readers of a window share one."""
QUOTES = ("quote", "quotedText", "find", "source", "target")
"""Fields whose words have to stand in the content."""
SURE = {"confidence": "high", "covered": "yes", "field": ""}
"""What is given besides: a judge that is not sure hands everything to a person."""
MENDABLE = ("major", "FIXABLE", "PASS_WITH_FLAGS")
"""Choices that lead to an edit, taken where there is one of them: any other may end a lesson before it is edited."""
FENCED = re.compile(r"<<<[0-9a-f]{12} (\w+)\n(.*?)\n[0-9a-f]{12}>>>", re.DOTALL)
OWN = ("text", "question", "work", "lesson")
"""Fences with the text that is asked about."""
ID = re.compile(r"^unit: (.+)$", re.MULTILINE)
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
            content = _content("\n".join(str(message["content"]) for message in body["messages"]))
            empty = EMPTY.get(shape["name"], ())
            shape["schema"] = Narrowed(_phrases(content), _ids(content), self.score, empty).schema(shape["schema"])
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


def _content(prompt: str) -> str:
    """The text that is asked about."""
    found = dict(FENCED.findall(prompt))
    return next((found[name] for name in OWN if name in found), "\n".join(found.values()))


def _ids(content: str) -> list[str]:
    if not content.startswith("{"):
        return list(dict.fromkeys(ID.findall(content)))
    asked = (line for line in map(json.loads, content.split("\n")) if "context" not in line)
    return [line[name] for line in asked for name in ("paragraph_id", "unit") if name in line]


def _phrases(content: str) -> list[str]:
    """A few words of the content that stand in it once: a model this small cannot copy others. Of work in JSON they are
    words of the translation, which is what issues and edits quote."""
    texts = [content]
    if content.startswith("{"):
        lines = [json.loads(line) for line in content.split("\n")]
        texts = [line[name] for line in lines for name in ("draft", "translation") if name in line] or texts
    content = "\n".join(texts)
    found = (" ".join(words.split()) for words in PHRASE.findall(content))
    return [phrase for phrase in dict.fromkeys(found) if content.count(phrase) == 1][:MOST_PHRASES]


@dataclass(frozen=True)
class Narrowed:
    """Schemas with short strings, short lists, ids and quotes that are there, and scores as they are wished."""

    phrases: list[str]
    ids: list[str]
    score: float | None
    empty: tuple[str, ...] = ()

    def schema(self, node: Any, name: str = "") -> Any:
        if not isinstance(node, dict):
            return node
        if "properties" in node:
            named = {key: self.schema(value, key) for key, value in node["properties"].items()}
            return {**node, "properties": named}
        if node.get("type") == "array":
            return self._list(node, name)
        if node.get("type") == "number" and self.score is not None:
            return {"type": "number", "enum": [self.score]}
        if node.get("type") == "integer":
            return {"type": "integer", "enum": [1]}
        return self._text(node, name) if node.get("type") == "string" else node

    def _text(self, node: dict[str, Any], name: str) -> dict[str, Any]:
        if name in QUOTES and self.phrases:
            return {"type": "string", "enum": self.phrases}
        if mendable := [choice for choice in MENDABLE if choice in node.get("enum", ())]:
            return {"type": "string", "enum": mendable}
        if name in SURE:
            return {"type": "string", "enum": [SURE[name]]}
        if name in WHOLE.values() and self.ids:
            return {"type": "string", "enum": self.ids}
        return node if "enum" in node else {**node, "maxLength": LONGEST_STRING}

    def _list(self, node: dict[str, Any], name: str) -> dict[str, Any]:
        """A list of all that was asked about, one after the other; any other list is short."""
        item = self.schema(node["items"], name)
        if name in self.empty:
            return {"type": "array", "items": item, "maxItems": 0}
        if name not in WHOLE or not self.ids:
            return {"type": "array", "items": item, "maxItems": MOST_ITEMS}
        each = [
            {**item, "properties": {**item["properties"], WHOLE[name]: {"type": "string", "enum": [id]}}}
            for id in self.ids
        ]
        return {"type": "array", "prefixItems": each, "minItems": len(each), "maxItems": len(each)}
