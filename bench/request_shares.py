"""What of a request is content, and what of it other requests of the run begin with too.

Content is the user's text, what was made of it (translations, drafts, what was found in it), its specification, outline
and source. Overhead is everything else: task, rubric, schema, fences, the names of fields and the ids in JSON. It is
told for requests with more than 1,500 characters of content; the schema of a short one weighs more than its text. The
limit holds for the mean of a sort; how many single requests are above it stands beside. What requests of one sort share
is what a provider can cache: the schema and the longest beginning that neighbours have in common.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from statistics import mean

from bench import manuscripts_corpus
from bench.estimates import KINDS, PLAIN, Setting, counted, folder_of_runs, questions, said, tokens_of
from bench.lesson_defects import DEFECTS, lesson
from bench.lines import Line, beside
from bench.questions_corpus import clinical_case, generate
from burnish.core.effects import Request
from burnish.core.replies import reply_schema
from burnish.engine.client import rendered
from burnish.kinds.lessons import requests as of_lessons
from burnish.kinds.lessons.json_lesson import JsonLesson
from burnish.kinds.lessons.materials import Claim, Hit
from burnish.kinds.lessons.model import LessonContext, Objective, Passage, Spec
from burnish.kinds.manuscripts import requests as of_manuscripts
from burnish.kinds.manuscripts.model import Paragraph
from burnish.kinds.manuscripts.review_rows import ReviewIssue
from burnish.kinds.questions.key_check import blind_asks
from burnish.kinds.questions.model import Question
from burnish.languages.words import common_length
from tests.loopback import AnswerFunction, LoopbackModel

TITLE = "content and overhead of requests, and what they share"
LONG, MOST_OVERHEAD = 1_500, 0.35
JUDGES_OF_LESSONS, FORMER_SCHEMA = ("lessons, judge_reply", "lessons, lesson_judge_reply"), 516
"""Requests that all carried one large schema, and its tokens."""
FENCED = re.compile(r"<<<[0-9a-f]{12} (\w+)\n(.*?)\n[0-9a-f]{12}>>>", re.DOTALL)
IDS = frozenset({"paragraph_id", "unit", "block"})


@dataclass(frozen=True, slots=True)
class Sent:
    """A request as a model gets it."""

    schema: str
    system: str
    user: str

    @property
    def content(self) -> int:
        return sum(_texts(name, text) for name, text in FENCED.findall(self.user))

    @property
    def size(self) -> int:
        return len(self.schema) + len(self.system) + len(self.user)

    @property
    def overhead(self) -> float:
        return 1 - self.content / self.size


def _texts(name: str, text: str) -> int:
    """Of work in JSON the texts alone."""
    return sum(_length(json.loads(line)) for line in text.split("\n")) if name == "work" else len(text)


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(_length(each) for name, each in value.items() if name not in IDS)
    return sum(map(_length, value)) if isinstance(value, list) else 0


def long_questions(folder: Path, number: int, model: str) -> tuple[Sequence[str], AnswerFunction]:
    """The same questions behind long cases."""
    command, answer = questions(folder, number, model)
    Path(command[1]).write_text(json.dumps(_with_cases(json.loads(Path(command[1]).read_text()))))
    return command, answer


def _with_cases(items: list[dict[str, object]]) -> list[dict[str, object]]:
    for place, item in enumerate(items):
        chance = Random(place)
        item["vignette"] = " ".join(clinical_case(chance)[0] for _ in range(2 + place % 3))
    return items


def run(full: bool) -> list[Line]:
    sent: dict[str, list[Sent]] = defaultdict(list)
    settings: Mapping[str, Setting] = {**KINDS, "long questions": long_questions}
    for name, setting in settings.items():
        for reply, one in _run(setting):
            sent[f"{name}, {reply}"].append(one)
    for name, ask in _seldom_asked():
        text = rendered(ask, nonce="bench")
        schema = json.dumps(reply_schema(ask.reply, ask.scores), separators=(",", ":"))
        sent[name].append(Sent(schema, text.system, text.user))
    return [line for name in sorted(sent) for line in _lines(name, sent[name])]


def _run(setting: Setting) -> Iterator[tuple[str, Sent]]:
    """Every request of a run."""
    with folder_of_runs() as folder:
        command, answer = setting(folder, 0, PLAIN)
        with LoopbackModel(counted(answer)) as server:
            said(*command, "--base-url", server.base_url, "--runs", str(folder / "runs"), "--run-id", "r")
            for asked in server.requests:
                schema = json.dumps(asked.body["response_format"]["json_schema"]["schema"], separators=(",", ":"))
                yield asked.reply_name, Sent(schema, asked.system, asked.user)


def _lines(name: str, same: Sequence[Sent]) -> Iterator[Line]:
    long = [one for one in same if one.content > LONG]
    if long:
        share = mean(one.overhead for one in long)
        above = sum(one.overhead > MOST_OVERHEAD for one in long)
        against = f"<= 0.35; {above} of {len(long)} above, most {max(one.overhead for one in long):.2f}"
        yield Line(f"{name}: overhead", share, "", against, share / MOST_OVERHEAD, at_most=1.0)
    else:
        yield Line(f"{name}: most content", max(one.content for one in same), "characters", "not over 1,500")
    if name in JUDGES_OF_LESSONS:
        yield beside(f"{name}: schema", tokens_of(same[0].schema), "tokens", "before", FORMER_SCHEMA)
    if len(same) > 1:
        yield Line(f"{name}: shared", mean(_shared(*pair) for pair in pairwise(same)))


def _shared(one: Sent, other: Sent) -> float:
    same = common_length(one.user, other.user) + len(one.system) if one.system == other.system else 0
    return (same + len(one.schema) * (one.schema == other.schema)) / other.size


def _seldom_asked() -> Iterator[tuple[str, Request]]:
    """Requests that the runs above do not make."""
    for item in _with_cases(list(generate(6, seed=100))):
        yield from (("questions, answer_reply", ask) for ask in blind_asks(Question.model_validate(item)))
    yield from ((f"lessons, {name}", ask) for name, ask in _of_lessons())
    pairs = islice(manuscripts_corpus.generate((2, 5), seed=100), 10)
    book = of_manuscripts.Commission("en", "es")
    issue = ReviewIssue("negation", "error", "The negation of the source is missing.", "there", "not there")
    reworks = [
        of_manuscripts.Rework(Paragraph(f"p_{at:04}", at, "paragraph", pair.source, pair.target), [issue])
        for at, pair in enumerate(pairs)
    ]
    yield "manuscripts, rework_edit", of_manuscripts.rework_edit_ask(reworks, book)
    yield "manuscripts, rework_paragraph", of_manuscripts.rework_paragraph_ask(reworks, book)


def _of_lessons() -> Iterator[tuple[str, Request]]:
    loaded, _ = JsonLesson().parsed(json.dumps(lesson(12)), "water.json")
    water = loaded.lesson
    objectives = tuple(Objective(f"LO{at}", f"Explain what the {one.part} is for.") for at, one in enumerate(DEFECTS))
    context = LessonContext.of(water, Spec("water", "Water", "en", "beginner", objectives, "a story"))
    units = water.units[1:5]
    passages = [Passage(f"town.md#p{at:04}", unit.text, "town.md", at) for at, unit in enumerate(units)]
    issues = [f"{one.criterion} (minor): {one.description} “{one.wrong}”" for one in DEFECTS[:3]]
    text = "\n\n".join(of_lessons.titled(unit) for unit in units)
    claims = {
        Claim(u.id, u.text[:60], u.text.split(".")[0]): [Hit(p, 1.0)] for u, p in zip(units, passages, strict=True)
    }
    yield "review", of_lessons.review_ask(water.units, context, passages)
    yield "claims", of_lessons.claims_ask(water.units)
    yield "verify", of_lessons.verify_ask(claims)
    yield "patch", of_lessons.patch_ask(units[0].id, text, issues, "")
    yield "delta", of_lessons.delta_ask(units[0].id, text, text, issues)
    yield "generate", of_lessons.generate_ask(units[0], water, context, issues, passages, words=200, room=900)
    yield (
        "expand",
        of_lessons.expand_ask(units[0], water, context, issues, passages, words=200, history=""),
    )
