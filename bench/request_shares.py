"""What of a request is content, and what of it other requests of the run begin with too.

Overhead is all but the content between the fences: the task, the rubric, the notice about fences, the schema. It is
told for requests with more than 1,500 characters of content, where there are any. What requests of one sort share is
what a provider can cache: the schema and the longest beginning that neighbours have in common.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from random import Random
from statistics import mean

from bench.estimates import KINDS, PLAIN, counted, folder_of_runs, questions, said
from bench.lines import Line
from bench.questions_corpus import clinical_case
from burnish.languages.words import common_length
from tests.loopback import AnswerFunction, Asked, LoopbackModel

TITLE = "content and overhead of requests, and what they share"
LONG, MOST_OVERHEAD = 1_500, 0.35
FENCED = re.compile(r"<<<[0-9a-f]{12} \w+\n(.*?)\n[0-9a-f]{12}>>>", re.DOTALL)


def long_questions(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    """The same questions behind long cases."""
    command, answer = questions(folder, number, model)
    bank = Path(command[1])
    items = json.loads(bank.read_text())[:10]
    for place, item in enumerate(items):
        chance = Random(place)
        item["vignette"] = " ".join(clinical_case(chance)[0] for _ in range(4))
    bank.write_text(json.dumps(items))
    return command, answer


def run(full: bool) -> list[Line]:
    settings = {**KINDS, "long questions": long_questions}
    return [line for name in settings for line in _lines(name, _requests(settings[name]))]


def _requests(setting: object) -> list[Asked]:
    with folder_of_runs() as folder:
        command, answer = setting(folder, 0, PLAIN)  # type: ignore[operator]
        with LoopbackModel(counted(answer)) as server:
            said(*command, "--base-url", server.base_url, "--runs", str(folder / "runs"), "--run-id", "r")
            return server.requests


def _lines(name: str, requests: Sequence[Asked]) -> list[Line]:
    sorts: dict[tuple[str, str], list[Asked]] = defaultdict(list)
    for asked in requests:
        sorts[asked.model, asked.reply_name].append(asked)
    lines = []
    for (_, reply), same in sorted(sorts.items()):
        long = [asked for asked in same if _content(asked) > LONG]
        if long:
            share = mean(1 - _content(asked) / _size(asked) for asked in long)
            lines.append(Line(f"{name}, {reply}: overhead", share, "", "<= 0.35", share / MOST_OVERHEAD, at_most=1.0))
        if len(same) > 1:
            lines.append(Line(f"{name}, {reply}: shared", mean(_shared(*pair) for pair in pairwise(same))))
    return lines


def _content(asked: Asked) -> int:
    return sum(map(len, FENCED.findall(asked.user)))


def _schema(asked: Asked) -> str:
    return json.dumps(asked.body.get("response_format", {}), separators=(",", ":"))


def _size(asked: Asked) -> int:
    return len(asked.system) + len(asked.user) + len(_schema(asked))


def _shared(one: Asked, other: Asked) -> float:
    same = common_length(one.user, other.user) + len(one.system) if one.system == other.system else 0
    schema = len(_schema(one)) if _schema(one) == _schema(other) else 0
    return (same + schema) / _size(other)
