"""A model server on 127.0.0.1 with scripted answers: real HTTP for tests and benchmarks.

    def answer(asked: Asked) -> Answer | str | dict: ...

    with LoopbackModel(answer) as server:
        ...  # --base-url server.base_url, models `openai:any`, `anthropic:any`, `openai-responses:any`
        server.requests  # what came in

It speaks Chat Completions (`/v1/chat/completions`, `/v1/models`), Responses (`/v1/responses`) and Anthropic Messages
(`/v1/messages`). A `ScriptedModel` may replace the function. `thinking(answer, median)` makes a model that thinks
first: its hidden tokens count towards the limit of the reply, as with real providers. As a script:

    python -m tests.loopback --port 8080 --latency 1.0 --reply '{"reasoning": "", "edits": []}'
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import random
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from burnish.models.calls import Call, CallItem, ProviderFault
from burnish.models.scripted import Rule, ScriptedModel, joined_reply, reported_usage

BACKLOG = 1024
Shape = Literal["openai", "anthropic", "responses", "models", "unknown"]
SHAPES: dict[str, Shape] = {
    "/v1/chat/completions": "openai",
    "/chat/completions": "openai",
    "/v1/messages": "anthropic",
    "/v1/responses": "responses",
    "/v1/models": "models",
}


@dataclass(frozen=True)
class Asked:
    """One request, as it was received."""

    number: int
    """1, 2, 3, ... in the order of arrival."""
    shape: Shape
    path: str
    model: str
    reply_name: str
    system: str
    user: str
    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """Names in lower case."""

    @property
    def limit(self) -> int:
        """The limit of the reply in tokens, thinking included, under the name of any API."""
        names = ("max_completion_tokens", "max_tokens", "max_output_tokens")
        return next((int(self.body[name]) for name in names if name in self.body), 1 << 30)


@dataclass(frozen=True)
class Answer:
    """The server's answer to a request."""

    reply: object = ""
    """Text is sent as it is, anything else as JSON."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    usage: object = (100, 20)
    """(prompt, completion) tokens; None leaves usage out; any other JSON value is sent as the whole usage object."""
    reasoning: int = 0
    """How many of the completion's tokens were spent on thinking."""
    model: str | None = None
    """The name of the model in the answer; None: the one that was asked."""
    finish: str | None = None
    """`length`: the reply was cut off at its limit, in the words of each API."""
    latency: float = 0.0
    fault: Literal["reset", "half", "silence", "drip"] | None = None
    """reset: close at once; half: close in the middle of the body; silence: never answer; drip: a byte at a time."""
    body: bytes | None = None
    """The whole HTTP body, in place of one built around the reply."""


AnswerFunction = Callable[[Asked], "Answer | str | Mapping[str, Any]"]


ITEMS = re.compile(r"<<<[0-9a-f]{12} items\n(.*?)\n[0-9a-f]{12}>>>", re.DOTALL)
BETWEEN = re.compile(r"\n\n(?=id: )")


def by_item(answer: AnswerFunction) -> AnswerFunction:
    """The same model, which answers a request about several items item by item, as a ScriptedModel does. An answer that
    is not an object is the answer to all."""

    def answered(asked: Asked) -> Answer | str | Mapping[str, Any]:
        texts = _items(asked)
        if not texts:
            return answer(asked)
        whole = "\n\n".join(texts)
        given = [answer(replace(asked, user=asked.user.replace(whole, text))) for text in texts]
        other = next((one for one in given if not isinstance(one, Mapping)), None)
        if other is not None:
            return other
        said = [one for one in given if isinstance(one, Mapping)]
        return joined_reply(asked.reply_name, [_id(text) for text in texts], said)

    return answered


def _items(asked: Asked) -> list[str]:
    """The texts of the items of a request, if it has several."""
    found = ITEMS.search(asked.user)
    texts = BETWEEN.split(found[1]) if found else []
    return texts if len(texts) > 1 else []


def _id(text: str) -> str:
    return text.partition("\n")[0].removeprefix("id: ")


def thinking(answer: AnswerFunction | ScriptedModel, median: int, *, spread: float = 0.5) -> AnswerFunction:
    """The same model, thinking first: about `median` hidden tokens, inside the limit of the reply.

    If they use up the limit, the reply is empty; if they leave too little, it is cut off. Their number depends on the
    prompt only, so that the order of the requests does not matter, and the same prompt gets the same reply again.
    """
    inner = _from_script(answer) if isinstance(answer, ScriptedModel) else answer
    answered: dict[tuple[str, str], Answer] = {}

    def think(asked: Asked) -> Answer:
        prompt = (asked.system, asked.user)
        hidden = max(1, round(median * math.exp(random.Random(asked.user).gauss(0.0, spread))))
        if prompt not in answered and hidden < asked.limit:
            given = inner(asked)
            answered[prompt] = given if isinstance(given, Answer) else Answer(given)
        full = answered.get(prompt, Answer())
        text = full.reply if isinstance(full.reply, str) else json.dumps(full.reply)
        read = full.usage[0] if isinstance(full.usage, tuple) else 100
        written = len(text) // 4 + 1
        if full.status != 200 or hidden + written <= asked.limit:
            return replace(full, usage=(read, hidden + written), reasoning=hidden)
        shown = text[: max(0, asked.limit - hidden) * 4]
        return Answer(shown, usage=(read, asked.limit), reasoning=min(hidden, asked.limit), finish="length")

    return think


class LoopbackModel:
    """The server, in a thread of its own."""

    def __init__(
        self, answer: AnswerFunction | ScriptedModel, *, latency: float = 0.0, port: int = 0, hold_until: int = 0
    ) -> None:
        """`hold_until`: answer no request before so many have come in."""
        self._hold_until = hold_until
        self._answer = _from_script(answer) if isinstance(answer, ScriptedModel) else answer
        self._latency = latency
        self._port = port
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._ready = threading.Event()
        self.requests: list[Asked] = []
        self.most_open = 0
        """The highest number of requests that were open at once."""
        self._open = 0
        self._failures: list[Exception] = []

    @property
    def root(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        return f"{self.root}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        if self._failures and kind is None:
            raise ExceptionGroup("The model server failed", self._failures)

    def _serve(self) -> None:
        sys.settrace(None)  # coverage does not count the server, and following it costs as much as serving
        try:
            self._loop.run_until_complete(self._main())
        finally:
            self._loop.close()

    async def _main(self) -> None:
        self._stop = asyncio.Event()
        self._enough = asyncio.Event()
        self._connections: list[asyncio.Task[None]] = []
        server = await asyncio.start_server(self._connected, "127.0.0.1", self._port, backlog=BACKLOG)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stop.wait()
        server.close()
        for task in self._connections:
            task.cancel()
        ended = await asyncio.gather(*self._connections, return_exceptions=True)
        went_away = (ConnectionError, asyncio.IncompleteReadError)  # a client that hangs up is not a failure
        self._failures = [one for one in ended if isinstance(one, Exception) and not isinstance(one, went_away)]

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Use our own task: asyncio's would print a traceback for each connection that is open at the stop."""
        self._connections.append(asyncio.create_task(self._talk(reader, writer)))

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _read_request(reader)) is not None:
                self._open += 1
                self.most_open = max(self.most_open, self._open)
                try:
                    if not await self._respond(request, reader, writer):
                        break
                finally:
                    self._open -= 1
        finally:
            writer.close()

    async def _respond(
        self,
        request: tuple[str, dict[str, str], bytes],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> bool:
        """Whether the connection stays open."""
        asked = _asked(request, len(self.requests) + 1)
        self.requests.append(asked)
        if len(self.requests) >= self._hold_until:
            self._enough.set()
        await self._enough.wait()
        if asked.shape in ("models", "unknown"):
            status, body = (
                (200, _models()) if asked.shape == "models" else (404, b'{"error":{"message":"no such path"}}')
            )
            writer.write(_response(status, {}, body))
            return True
        given = self._answer(asked)
        answer = given if isinstance(given, Answer) else Answer(given)
        await asyncio.sleep(self._latency + answer.latency)
        if answer.fault == "silence":
            await reader.read()  # until the client times out
            return False
        if answer.fault == "reset":
            writer.transport.abort()
            return False
        payload = _response(answer.status, answer.headers, _body(asked, answer))
        if answer.fault == "half":
            writer.write(payload[: len(payload) - len(payload) // 4])
            await writer.drain()
            return False
        if answer.fault == "drip":
            for byte in payload:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
            return True
        writer.write(payload)  # head and body in one write: two would wait for each other's acknowledgement
        await writer.drain()
        return True


def _from_script(model: ScriptedModel) -> AnswerFunction:
    def answer(asked: Asked) -> Answer:
        items = tuple(CallItem(_id(text), "", text) for text in _items(asked))
        call = Call(
            f"loopback:{asked.model}", "", "", asked.system, asked.user, asked.reply_name, {}, 1_000, items=items
        )
        try:
            rule: Rule = model.rule(call)
        except ProviderFault as unanswered:
            return Answer(status=400, body=json.dumps({"error": {"message": unanswered.message}}).encode())
        if rule.fault is not None:
            headers = {"Retry-After": rule.fault.retry_after} if rule.fault.retry_after is not None else {}
            if rule.fault.status is None:
                return Answer(fault="reset", latency=rule.latency)
            return Answer(status=rule.fault.status, headers=headers, latency=rule.latency)
        usage = reported_usage(rule, call)
        counts = None if usage is None else (usage.prompt, usage.completion)
        return Answer(rule.text(), usage=counts, latency=rule.latency)

    return answer


async def _read_request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], bytes] | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as end:
        if end.partial:
            raise
        return None
    request_line, *lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = request_line.split(" ")
    return target, {**headers, ":method": method}, body


def _asked(request: tuple[str, dict[str, str], bytes], number: int) -> Asked:
    target, headers, raw = request
    path = target.partition("?")[0]
    shape = SHAPES.get(path, "unknown")
    body = json.loads(raw) if raw else {}
    system, user = _prompts(shape, body)
    return Asked(number, shape, path, body.get("model", ""), _reply_name(body), system, user, body, headers)


def _prompts(shape: Shape, body: Mapping[str, Any]) -> tuple[str, str]:
    if shape == "responses":
        messages = [{"role": "system", "content": body.get("instructions") or ""}, *body.get("input", [])]
    else:
        messages = [{"role": "system", "content": body.get("system") or ""}, *body.get("messages", [])]
    parts: dict[str, list[str]] = {"system": [], "user": []}
    for message in messages:
        role = "user" if message["role"] == "user" else "system"
        parts[role].append(_text(message["content"]))
    return "".join(parts["system"]), "".join(parts["user"])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def _reply_name(body: Mapping[str, Any]) -> str:
    named = (("response_format", "json_schema", "name"), ("text", "format", "name"))
    for path in (*named, ("output_config", "format", "schema", "description")):
        node: Any = body
        for key in path:
            node = node.get(key, {}) if isinstance(node, dict) else {}
        if isinstance(node, str):
            return node
    for tool in body.get("tools") or []:
        return str(tool.get("name") or tool.get("function", {}).get("name", ""))
    return ""


def _body(asked: Asked, answer: Answer) -> bytes:
    if answer.body is not None:
        return answer.body
    if answer.status >= 400:
        return json.dumps({"error": {"message": f"status {answer.status}", "type": "test"}}).encode()
    text = answer.reply if isinstance(answer.reply, str) else json.dumps(answer.reply)
    build = {"openai": _chat_body, "anthropic": _messages_body, "responses": _responses_body}[asked.shape]
    return build(asked, answer, text).encode("utf-8", "surrogatepass")


def _usage(answer: Answer, prompt: str, completion: str, thought: str = "reasoning_tokens") -> str:
    match answer.usage:
        case None:
            return ""
        case (int(read), int(written)):
            counts: dict[str, object] = {prompt: read, completion: written, "total_tokens": read + written}
            if answer.reasoning:
                counts[f"{completion}_details"] = {thought: answer.reasoning}
            return f',"usage":{json.dumps(counts)}'
    return f',"usage":{json.dumps(answer.usage)}'


def _chat_body(asked: Asked, answer: Answer, text: str) -> str:
    name = answer.model or asked.model
    finish = answer.finish or "stop"
    usage = _usage(answer, "prompt_tokens", "completion_tokens")
    return (
        f'{{"id":"c{asked.number}","object":"chat.completion","created":{int(time.time())},"model":"{name}",'
        f'"choices":[{{"index":0,"finish_reason":"{finish}","message":{{"role":"assistant","content":{json.dumps(text)}}}}}]'
        f"{usage}}}"
    )


def _messages_body(asked: Asked, answer: Answer, text: str) -> str:
    """A tool's input is put into the body unparsed, so that duplicate keys and NaN arrive."""
    name = answer.model or asked.model
    as_tool = "tools" in asked.body
    stop = {"length": "max_tokens", None: "tool_use" if as_tool else "end_turn"}.get(answer.finish, answer.finish)
    usage = _usage(answer, "input_tokens", "output_tokens", "thinking_tokens")
    blocks = ['{"type":"thinking","thinking":"Let me see.","signature":"s"}'] if answer.reasoning else []
    if text and as_tool:
        head = f'{{"type":"tool_use","id":"t{asked.number}","name":"{asked.reply_name}"'
        blocks.append(f'{head},"input":{"{}" if answer.reasoning and answer.finish else text}}}')
    elif text:
        blocks.append(f'{{"type":"text","text":{json.dumps(text)}}}')
    return (
        f'{{"id":"m{asked.number}","type":"message","role":"assistant","model":"{name}","stop_reason":"{stop}",'
        f'"stop_sequence":null,"content":[{",".join(blocks)}]{usage}}}'
    )


def _responses_body(asked: Asked, answer: Answer, text: str) -> str:
    name = answer.model or asked.model
    cut = answer.finish == "length"
    details = '{"reason":"max_output_tokens"}' if cut else "null"
    usage = ""
    match answer.usage:
        case (int(read), int(written)):
            usage = (
                f',"usage":{{"input_tokens":{read},"input_tokens_details":{{"cached_tokens":0}},"output_tokens":{written},'
                f'"output_tokens_details":{{"reasoning_tokens":{answer.reasoning}}},"total_tokens":{read + written}}}'
            )
    items = ['{"id":"rs1","type":"reasoning","summary":[]}'] if answer.reasoning else []
    if text or not cut:
        items.append(
            '{"id":"o1","type":"message","role":"assistant","status":"completed","content":['
            f'{{"type":"output_text","text":{json.dumps(text)},"annotations":[]}}]}}'
        )
    return (
        f'{{"id":"r{asked.number}","object":"response","created_at":{int(time.time())},"model":"{name}",'
        f'"status":"{"incomplete" if cut else "completed"}","incomplete_details":{details},"error":null,'
        '"metadata":{},'
        '"instructions":null,"parallel_tool_calls":true,"tool_choice":"auto","tools":[],"temperature":1.0,"top_p":1.0,'
        f'"output":[{",".join(items)}]{usage}}}'
    )


def _models() -> bytes:
    return json.dumps({"object": "list", "data": [{"id": "loopback", "object": "model", "owned_by": "test"}]}).encode()


def _response(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    lines = [f"HTTP/1.1 {status} Status", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def main() -> None:
    parser = argparse.ArgumentParser(description="A model server that always gives the same reply.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--reply", default='{"reasoning": "Nothing to do.", "edits": []}', help="the reply's text")
    parser.add_argument("--script", help="a JSON file of rules, as for scripted: models, instead of one reply")
    parser.add_argument("--thinking", type=int, default=0, help="median of the hidden tokens before each reply")
    options = parser.parse_args()
    source = ScriptedModel.from_file(options.script) if options.script else (lambda asked: options.reply)
    source = thinking(source, options.thinking) if options.thinking else source
    with LoopbackModel(source, latency=options.latency, port=options.port) as server:
        print(server.base_url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            print(f"{len(server.requests)} requests", flush=True)


if __name__ == "__main__":
    main()
