"""The batch endpoints of OpenAI and Anthropic on 127.0.0.1, in their documented shapes, beside the live ones.

    with BatchServer(answer) as server:  # as for `LoopbackModel`
        ...  # --base-url server.base_url --batch
        server.ran  # custom ids of the requests that were run, and are paid

A batch is run when it is created, and says so after `looks` looks at it. `unrun` tells which requests of a batch are
never run: then it has expired, or was cancelled where `ends` says so.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from burnish.models.scripted import ScriptedModel
from tests.loopback import SHAPES, Answer, AnswerFunction, Asked, LoopbackModel, _asked, _body, _response

CUSTOM_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ERROR_TYPES = {400: "invalid_request_error", 429: "rate_limit_error", 529: "overloaded_error"}


@dataclass
class Given:
    """A batch as the server has it."""

    id: str
    shape: str
    requests: dict[str, Any]
    """Custom id -> body."""
    metadata: Mapping[str, str] | None
    made: float
    looks: int
    ends: str
    errors: list[dict[str, Any]]
    answers: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Custom id -> status and body of those that were run."""

    @property
    def has_ended(self) -> bool:
        return self.looks <= 0

    @property
    def unrun(self) -> list[str]:
        return [id for id in self.requests if id not in self.answers]

    def failed(self) -> int:
        return sum(status != 200 for status, _ in self.answers.values())


class BatchServer(LoopbackModel):
    """The server, in a thread of its own."""

    def __init__(
        self,
        answer: AnswerFunction | ScriptedModel,
        *,
        looks: int = 0,
        unrun: Callable[[Given], set[str]] = lambda _: set(),
        ends: str = "expired",
        refuse: Callable[[str, str], Answer | None] = lambda method, path: None,
        page: int = 100,
    ) -> None:
        """`refuse`: what a request to a batch endpoint is answered instead, by its method and path. `page`: batches in
        one page of a list."""
        super().__init__(answer)
        self.looks, self.unrun, self.ends, self.refuse, self.page = looks, unrun, ends, refuse, page
        self.files: dict[str, bytes] = {}
        self.batches: list[Given] = []
        self.ran: list[str] = []
        self.asked: list[tuple[str, str]] = []
        """Method and path of every request to a batch endpoint."""
        self.keys: set[str] = set()
        """The keys that came with them."""

    async def _respond(
        self, request: tuple[str, dict[str, str], bytes], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        target, headers, body = request
        path, _, query = target.partition("?")
        if path in SHAPES:
            return await super()._respond(request, reader, writer)
        method = headers[":method"]
        self.asked.append((method, path))
        self.keys.add(headers.get("x-api-key") or headers.get("authorization", ""))
        refusal = self.refuse(method, path)
        if refusal is not None and refusal.fault == "reset":
            self._handled(method, path, query, headers, body)
            writer.transport.abort()
            return False
        if refusal is not None:
            status, answer = refusal.status, refusal.body or b'{"error":{"message":"refused"}}'
        else:
            status, answer = self._handled(method, path, query, headers, body)
        writer.write(_response(status, refusal.headers if refusal else {}, answer))
        await writer.drain()
        return True

    def _handled(
        self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, bytes]:
        after = parse_qs(query)
        match method, path.removeprefix("/v1/").split("/"):
            case "POST", ["files"]:
                return 200, _json(self._file(headers["content-type"], body))
            case "GET", ["files", id, "content"] if id in self.files:
                return 200, self.files[id]
            case "POST", ["batches"]:
                return 200, _json(self._openai(self._created_openai(json.loads(body))))
            case "GET", ["batches"]:
                return 200, _json({"object": "list", **self._listed("openai", self._openai, after.get("after"))})
            case "GET", ["batches", id]:
                return self._looked(id, self._openai)
            case "POST", ["messages", "batches"]:
                return 200, _json(self._anthropic(self._created_anthropic(json.loads(body))))
            case "GET", ["messages", "batches"]:
                return 200, _json(self._listed("anthropic", self._anthropic, after.get("after_id")))
            case "GET", ["messages", "batches", id]:
                return self._looked(id, self._anthropic)
            case "GET", ["messages", "batches", id, "results"]:
                batch = self._batch(id)
                if batch is not None and batch.has_ended:
                    return 200, "".join(_anthropic_lines(batch)).encode()
        return 404, b'{"error":{"type":"not_found_error","message":"no such path"}}'

    def _batch(self, id: str) -> Given | None:
        return next((batch for batch in self.batches if batch.id == id), None)

    def _looked(self, id: str, shown: Callable[[Given], dict[str, Any]]) -> tuple[int, bytes]:
        batch = self._batch(id)
        if batch is None:
            return 404, b'{"error":{"message":"no such batch"}}'
        answer = 200, _json(shown(batch))
        batch.looks -= 1
        return answer

    def _listed(self, shape: str, shown: Callable[[Given], dict[str, Any]], after: list[str] | None) -> dict[str, Any]:
        """Newest first."""
        all = [batch for batch in reversed(self.batches) if batch.shape == shape]
        begin = next((place + 1 for place, batch in enumerate(all) if after and batch.id == after[0]), 0)
        page = all[begin : begin + self.page]
        ids = {"first_id": page[0].id, "last_id": page[-1].id} if page else {"first_id": None, "last_id": None}
        data = [shown(batch) for batch in page]
        for batch in page:
            batch.looks -= 1  # whoever waits for one that he knows only from here must not wait for ever
        return {"data": data, "has_more": begin + self.page < len(all), **ids}

    def _file(self, kind: str, body: bytes) -> dict[str, Any]:
        boundary = kind.partition("boundary=")[2].strip('"').encode()
        parts: dict[str, bytes] = {}
        for part in body.split(b"--" + boundary)[1:-1]:
            head, _, content = part.partition(b"\r\n\r\n")
            parts[re.search(rb'name="([^"]+)"', head).group(1).decode()] = content.removesuffix(b"\r\n")  # type: ignore[union-attr]
        assert parts["purpose"] == b"batch"
        return self._kept(parts["file"])

    def _kept(self, content: bytes) -> dict[str, Any]:
        id = f"file-{len(self.files) + 1}"
        self.files[id] = content
        now = int(time.time())
        return {"id": id, "object": "file", "bytes": len(content), "created_at": now, "filename": "x.jsonl",
                "purpose": "batch", "status": "processed"}  # fmt: skip

    # -- OpenAI

    def _created_openai(self, given: Mapping[str, Any]) -> Given:
        lines = [json.loads(line) for line in self.files[given["input_file_id"]].splitlines()]
        assert given["completion_window"] == "24h"
        wrong = [
            {"code": "invalid_url", "message": "The URL of the line is not that of the batch.", "line": number}
            for number, line in enumerate(lines, 1)
            if (line["url"], line["method"]) != (given["endpoint"], "POST")
        ]
        requests = {line["custom_id"]: line["body"] for line in lines}
        assert len(requests) == len(lines), "custom ids are unique in a batch"
        path = given["endpoint"]
        batch = Given(f"batch_{len(self.batches) + 1}", "openai", requests, given.get("metadata"), time.time(),
                      self.looks, "failed" if wrong else "", wrong)  # fmt: skip
        return self._run(batch, path)

    def _openai(self, batch: Given) -> dict[str, Any]:
        """https://platform.openai.com/docs/api-reference/batch/object"""
        status = (batch.ends or "completed") if batch.has_ended else "in_progress"
        shown: dict[str, Any] = {
            "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "errors": None,
            "input_file_id": "file-1", "completion_window": "24h", "status": status, "output_file_id": None,
            "error_file_id": None, "created_at": int(batch.made), "expires_at": int(batch.made) + 86_400,
            "request_counts": {"total": len(batch.requests), "completed": 0, "failed": 0}, "metadata": batch.metadata,
        }  # fmt: skip
        if batch.errors:
            shown["errors"] = {"object": "list", "data": batch.errors}
        elif batch.has_ended:
            good = {id: one for id, one in batch.answers.items() if one[0] == 200}
            bad = {id: one for id, one in batch.answers.items() if one[0] != 200}
            lines = [_openai_line(id, status, body) for id, (status, body) in good.items()]
            worse = [_openai_line(id, status, body) for id, (status, body) in bad.items()]
            worse += [_unrun_line(id, f"batch_{batch.ends}") for id in batch.unrun]
            shown["output_file_id"] = self._kept("".join(lines).encode())["id"] if lines else None
            shown["error_file_id"] = self._kept("".join(worse).encode())["id"] if worse else None
            shown["request_counts"] |= {"completed": len(good), "failed": len(batch.requests) - len(good)}
        return shown

    # -- Anthropic

    def _created_anthropic(self, given: Mapping[str, Any]) -> Given:
        requests = {one["custom_id"]: one["params"] for one in given["requests"]}
        assert all(CUSTOM_ID.fullmatch(id) for id in requests), "custom ids are short and plain"
        assert len(requests) == len(given["requests"]), "custom ids are unique in a batch"
        id = f"msgbatch_{len(self.batches) + 1}"
        return self._run(Given(id, "anthropic", requests, None, time.time(), self.looks, "", []), "/v1/messages")

    def _anthropic(self, batch: Given) -> dict[str, Any]:
        """https://docs.anthropic.com/en/api/retrieving-message-batches"""
        counts = {"processing": len(batch.requests), "succeeded": 0, "errored": 0, "canceled": 0, "expired": 0}
        if batch.has_ended:
            unrun = {"cancelled": "canceled"}.get(batch.ends, "expired")
            counts |= {"processing": 0, "errored": batch.failed(), unrun: len(batch.unrun)}
            counts["succeeded"] = len(batch.requests) - batch.failed() - len(batch.unrun)
        made, results = _moment(batch.made), f"{self.root}/v1/messages/batches/{batch.id}/results"
        return {
            "id": batch.id, "type": "message_batch", "request_counts": counts, "created_at": made,
            "processing_status": "ended" if batch.has_ended else "in_progress",
            "ended_at": made if batch.has_ended else None, "expires_at": _moment(batch.made + 86_400),
            "archived_at": None, "cancel_initiated_at": made if batch.ends == "cancelled" else None,
            "results_url": results if batch.has_ended else None,
        }  # fmt: skip

    def _run(self, batch: Given, path: str) -> Given:
        self.batches.append(batch)
        left = set(batch.requests) if batch.errors else self.unrun(batch)
        batch.ends = batch.ends or (self.ends if left else "")
        for id, body in batch.requests.items():
            if id in left:
                continue
            asked: Asked = _asked((path, {}, json.dumps(body).encode()), len(self.ran) + 1)
            given = self._answer(asked)
            answer = given if isinstance(given, Answer) else Answer(given)
            batch.answers[id] = answer.status, _body(asked, answer).decode()
            self.ran.append(id)
        return batch


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _openai_line(id: str, status: int, body: str) -> str:
    head = f'{{"id":"batch_req_1","custom_id":"{id}","response":{{"status_code":{status},"request_id":"r1","body":'
    return f'{head}{body}}},"error":null}}\n'


def _unrun_line(id: str, code: str) -> str:
    error = {"code": code, "message": "This request could not be executed before the completion window expired."}
    return f"{json.dumps({'id': 'batch_req_1', 'custom_id': id, 'response': None, 'error': error})}\n"


def _anthropic_lines(batch: Given) -> Iterator[str]:
    for id in batch.requests:
        if id not in batch.answers:
            result = f'{{"type":"{ {"cancelled": "canceled"}.get(batch.ends, "expired") }"}}'
        elif batch.answers[id][0] == 200:
            result = f'{{"type":"succeeded","message":{batch.answers[id][1]}}}'
        else:
            error = {"type": ERROR_TYPES.get(batch.answers[id][0], "api_error"), "message": "refused"}
            result = json.dumps({"type": "errored", "error": {"type": "error", "error": error}})
        yield f'{{"custom_id":"{id}","result":{result}}}\n'
