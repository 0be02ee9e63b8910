"""docs/api.md is run: every `$ curl` in it is asked of the real application, over the runs of the demo.

python -m tests.api.guide      # writes the answers of today into the guide
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from burnish.cli.main import main
from tests.api.api_desk import HOST, ApiDesk, api_desk
from tests.docs.guides import BLOCK, CHANGING, Ran

GUIDE = Path(__file__).parents[2] / "docs" / "api.md"
PRETTY = " | python3 -m json.tool"
VARIABLES = {"$API": f"http://{HOST}/api/v1", "$BURNISH": f"http://{HOST}"}
STREAMED = 4
"""Lines that are shown of a stream."""


def run_guide(text: str, desk: ApiDesk) -> Iterator[tuple[re.Match[str], list[Ran]]]:
    """Every block of commands, with what they print today."""
    for block in BLOCK.finditer(text):
        if block["language"] != "console" or "$ curl" not in block["body"]:
            continue
        parts = re.split(r"^\$ ", block["body"], flags=re.MULTILINE)[1:]
        yield block, [_ran(part.rstrip("\n"), desk) for part in parts]


def _ran(part: str, desk: ApiDesk) -> Ran:
    lines = part.split("\n")
    ends = next(at for at in range(1, len(lines) + 1) if _is_whole("\n".join(lines[:at])))
    command = "\n".join(lines[:ends])
    return Ran(command, [line for line in lines[ends:] if line], printed(command, desk))


def _is_whole(command: str) -> bool:
    """Whether a shell would run it, and not wait for more."""
    try:
        shlex.split(command)
    except ValueError:  # a quotation that goes on in the next line
        return False
    return not command.endswith("\\")


def printed(command: str, desk: ApiDesk) -> list[str]:
    """What a command prints."""
    bare = command.replace("\\\n", " ").removesuffix(PRETTY)
    method, url, body, shows_status = _request(bare)
    if url.endswith("/events"):
        return _streamed(url, desk)
    answer = desk.client.request(method, url, json=body)
    text = answer.text
    if command.endswith(PRETTY):
        text = json.dumps(answer.json(), indent=4)
    if shows_status:
        text = f"{answer.status_code}"
    _wait(desk)
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return [line.rstrip() for line in text.rstrip("\n").split("\n")]


def _request(command: str) -> tuple[str, str, object, bool]:
    """Method, address and body of a curl command, and whether it prints the status only."""
    words = shlex.split(command)
    assert words[:2] == ["curl", "-s"] and "$AUTH" in words, command
    body = json.loads(words[words.index("--json") + 1]) if "--json" in words else None
    named = words[words.index("-X") + 1] if "-X" in words else "POST" if body is not None else "GET"
    [url] = [word for word in words if word.startswith(("$API", "$BURNISH"))]
    for name, value in VARIABLES.items():
        url = url.replace(name, value)
    return named, url, body, "-w" in words


def _streamed(url: str, desk: ApiDesk) -> list[str]:
    """The beginning of a stream, which has no end."""
    run = url.split("/")[-2]
    events = desk.json(f"runs/{run}/events")["events"]
    lines = [
        ": still here",
        "",
        f"id: {events[0]['seq']}",
        "event: happened",
        f"data: {json.dumps(events[0], separators=(',', ':'))}",
    ]
    text = "\n".join(lines)
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return [line for line in text.split("\n") if line]


def _wait(desk: ApiDesk) -> None:
    """Until no process is at work: a reader takes longer to read on than a run takes."""
    for _ in range(1200):
        if not desk.here.jobs.at_work():
            return
        time.sleep(0.05)
    raise AssertionError("a run does not come to rest")


@contextlib.contextmanager
def demo_desk(home: Path) -> Iterator[ApiDesk]:
    """The desk that the guide begins with."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(["demo", "--keep", str(home / "shop"), "--no-color"]) == 0
    with api_desk(home / "shop" / "runs") as desk:
        yield desk


def rewritten(text: str) -> str:
    """The guide with the answers of today."""
    pieces, end = [], 0
    with tempfile.TemporaryDirectory() as place, demo_desk(Path(place).resolve()) as desk:
        for block, ran in run_guide(text, desk):
            pieces += [text[end : block.start("body")], "\n\n".join(each.shown() for each in ran) + "\n"]
            end = block.end("body")
    return "".join([*pieces, text[end:]])


if __name__ == "__main__":
    GUIDE.write_text(rewritten(GUIDE.read_text(encoding="utf-8")), encoding="utf-8")
