"""Lessons the whole way, as a user goes it: the command line, a real server, every exit code."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from burnish.cli.main import main
from burnish.store.paths import RunFolder
from tests.engine.questions_bench import journal_of
from tests.lessons_model import (
    BOILS,
    DRY,
    EVAPORATION,
    SOUND,
    SOURCE,
    SPEC,
    VAGUE,
    WRONG_YEAR,
    Down,
    Question,
    World,
    as_text,
    edits,
    lesson,
)
from tests.loopback import Answer, Asked, LoopbackModel

JUDGES = "openai:judge-a,openai:judge-b,openai:judge-c"


@dataclass
class Site:
    """A folder, a server and a world behind it."""

    home: Path
    capsys: pytest.CaptureFixture[str]
    world: World = field(default_factory=World)
    server: LoopbackModel = field(init=False)

    def __post_init__(self) -> None:
        self.server = LoopbackModel(self._answer)
        (self.home / "spec.json").write_text(json.dumps(SPEC), encoding="utf-8")
        (self.home / "source.md").write_text(SOURCE, encoding="utf-8")

    def _answer(self, asked: Asked) -> Answer:
        try:
            return Answer(self.world.reply(asked.reply_name, asked.model, asked.user))
        except Down:
            return Answer(status=400)

    def lesson(self, content: Mapping[str, Any] | str, name: str = "water.json") -> Path:
        path = self.home / name
        path.write_text(content if isinstance(content, str) else as_text(content), encoding="utf-8")
        return path

    def __call__(self, command: str, *arguments: object) -> tuple[int, str]:
        self.capsys.readouterr()
        place = ["--runs", str(self.home / "runs")] if command != "review" else []
        code = main([command, *map(str, arguments), *place])
        shown = self.capsys.readouterr()
        return code, shown.out + shown.err

    def polish(self, path: Path, *arguments: object, spec: str = "spec.json") -> tuple[int, str]:
        start = [path, "--run-id", "r", "--base-url", self.server.base_url, "--spec", self.home / spec]
        return self("polish", *start, "--judges", JUDGES, "--patcher", "openai:patcher", *arguments)

    @property
    def folder(self) -> RunFolder:
        return RunFolder.at(self.home / "runs", "r")

    def published(self, name: str = "water.json", run: str = "r") -> dict[str, Any]:
        text = (self.home / "runs" / run / "out" / name).read_text(encoding="utf-8")
        found: dict[str, Any] = json.loads(text)
        return found

    def asked(self, reply: str) -> list[Asked]:
        return [asked for asked in self.server.requests if asked.reply_name == reply]


@pytest.fixture
def site(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.chdir(tmp_path)
    made = Site(tmp_path, capsys)
    with made.server:
        yield made


# -- the three scenarios of the self-reviewer


def test_the_money_saver_a_file_that_breaks_off_costs_nothing(site: Site) -> None:
    whole = as_text(lesson())
    path = site.lesson(whole[: whole.index("Think of what the sun")])
    code, said = site("review", path, "--spec", "spec.json", "--model", "openai:reader", "--format", "json")
    review = json.loads(said)
    assert code == 1
    assert review["status"] == "REGENERATE"
    assert [(issue["type"], issue["severity"]) for issue in review["issues"]] == [("TRUNCATION", "CRITICAL")]
    assert "exercises" in review["issues"][0]["location"]
    assert review["patched_content"] is None
    code, said = site.polish(path)
    assert code == 2
    assert "exercises" in said
    assert site.server.requests == []


RUSSIAN_LESSON = {
    "lesson_id": "sql",
    "title": "Основы SQL",
    "content": {
        "intro": "Sure! Here is the lesson:\n\nSQL (Structured Query Language) это стандартный язык запросов к базам "
        "данных. На этом уроке вы научитесь выбирать строки из таблицы.",
        "sections": [
            {
                "id": "sec_1",
                "title": "Запрос SELECT",
                "content": "Команда `SELECT` выбирает столбцы из таблицы. После слова `FROM` стоит имя таблицы, а "
                "за словом `WHERE` следует условие. Порядок строк в ответе не определён, пока его не задаст "
                "`ORDER BY`.\n\n```sql\nSELECT name FROM users WHERE age > 18;\n```\n\nТак вы 的 получите имена всех "
                "взрослых пользователей.",
            },
            {
                "id": "sec_2",
                "title": "Сортировка",
                "content": "Чтобы упорядочить ответ, добавьте в конец запроса слова `ORDER BY` и имя столбца. Слово "
                "`DESC` меняет порядок на обратный. Сортировка происходит после того, как строки отобраны.",
            },
        ],
        "examples": [],
        "exercises": [],
        "conclusion": "Теперь вы умеете выбирать строки и упорядочивать их. Попробуйте то же самое на своих таблицах.",
    },
}


def test_the_janitor_code_mends_what_is_dirty_and_nothing_else(site: Site) -> None:
    spec = {**SPEC, "lesson_id": "sql", "title": "Основы SQL", "language": "ru"}
    spec["learning_objectives"] = [{"id": "LO1", "text": "Выбирать строки из таблицы запросом SELECT."}]
    (site.home / "spec.ru.json").write_text(json.dumps(spec), encoding="utf-8")
    path = site.lesson(RUSSIAN_LESSON, "sql.json")
    code, said = site.polish(path, "--model", "openai:reader", spec="spec.ru.json")
    assert code == 0, said
    content = site.published("sql.json")["content"]
    assert content["intro"].startswith("SQL (Structured Query Language)")
    first = RUSSIAN_LESSON["content"]["sections"][0]["content"]  # type: ignore[index]
    assert content["sections"][0]["content"] == first.replace(" 的", "")
    assert content["sections"][1] == RUSSIAN_LESSON["content"]["sections"][1]  # type: ignore[index]
    assert site.asked("edit_reply") == []
    with journal_of(site.folder) as journal:
        [reviewed] = [event.data for event in journal.events(types=("self_reviewed",))]
    assert reviewed["status"] == "FIXED"
    assert {patch["path"] for patch in reviewed["patch"]} == {"/intro", "/sections/0/content"}


def test_the_whistleblower_what_the_reader_suspects_the_judges_are_told(site: Site) -> None:
    site.world.review_issues = [
        {
            "type": "ALIGNMENT",
            "severity": "COMPLEX",
            "location": "condensation",
            "quote": "High above the ground the air is cold.",
            "description": "LO2 is about the sun, and this section never mentions it.",
        }
    ]
    code, said = site.polish(site.lesson(lesson()), "--model", "openai:reader")
    assert code == 0, said
    prompts = [a.user for a in site.asked("lesson_judge_reply")]
    assert len(prompts) == 2
    assert all("LO2 is about the sun" in prompt for prompt in prompts)


# -- endings


def test_semi_auto_to_accepted(site: Site) -> None:
    site.world.base = 0.9
    path = site.lesson(lesson(BOILS, VAGUE, WRONG_YEAR, DRY))
    code, said = site.polish(path, "--source", "source.md", "--mode", "semi-auto", "--out", "final.json")
    assert code == 0, said
    assert json.loads((site.home / "final.json").read_text(encoding="utf-8")) == lesson()
    receipt = json.loads(site.folder.receipt.read_text(encoding="utf-8"))
    units = {unit["unit"]: unit for unit in receipt["units"]}
    assert "-" in units["evaporation"]["diff"]
    repairs = [attempt for attempt in units["evaporation"]["attempts"] if attempt["receipt"]]
    assert repairs[0]["receipt"]["verification"]["passed"] is True
    assert receipt["totals"]["calls"] == len(site.server.requests)


def test_full_auto_delivers_its_best_effort(site: Site) -> None:
    site.world.base = 0.74
    code, said = site.polish(site.lesson(lesson(BOILS)), "--mode", "full-auto")
    assert code == 3, said
    assert site.published()["content"]["sections"][0]["content"] == EVAPORATION.format(**SOUND)
    with journal_of(site.folder) as journal:
        [chosen] = [event.data for event in journal.events(types=("best_effort_selected",))]
    assert chosen["qualityStatus"] == "below_standard"


def test_an_escalated_lesson_is_settled_by_people(site: Site) -> None:
    def heeds(question: Question) -> object:
        told = question.parts.get("issues", "")
        if question.reply == "edit_reply":
            heeded = "sent this back" in told
            return edits(question.unit, (BOILS.bad, BOILS.good) if heeded else ("no such words", "x"))
        if question.reply == "delta_reply" and "sent this back" in told:
            return {"reasoning": "Done.", "passed": True, "confidence": "high", "newIssues": []}
        return None

    site.world.base, site.world.override = 0.84, heeds
    path = site.lesson(lesson(BOILS, VAGUE))
    before = path.read_bytes()
    code, said = site.polish(path)
    assert code == 3, said
    assert path.read_bytes() == before
    assert site("decide", "r", "condensation", "accept", "--by", "Ada")[0] == 0
    assert site("decide", "r", "evaporation", "reject", "--by", "Ada", "--note", "It does not boil.")[0] == 0
    asked = len(site.server.requests)
    code, said = site("resume", "r")
    assert code == 3, said
    fresh = site.server.requests[asked:]
    assert any("It does not boil." in one.user for one in fresh)
    (site.home / "intro.txt").write_text(lesson()["content"]["intro"] + " Enjoy it.", encoding="utf-8")
    assert site("decide", "r", "intro", "edit", "--by", "Ada", "--text-file", "intro.txt")[0] == 0
    code, said = site("resume", "r")
    assert code == 0, said
    content = site.published()["content"]
    assert content["intro"].endswith("Enjoy it.")
    assert BOILS.good in content["sections"][0]["content"]
    assert VAGUE.bad in content["sections"][1]["content"], "a person accepted it as it was"


def test_judges_that_refuse_every_request_are_away_and_a_resume_tries_again(site: Site) -> None:
    site.world.characters |= {"judge-a": "down", "judge-b": "down", "judge-c": "down"}
    code, said = site.polish(site.lesson(lesson()))
    assert code == 6, said
    assert not site.folder.out.exists()
    site.world.characters.clear()
    code, said = site("resume", "r")
    assert code == 0, said
    assert site.published() == lesson()


def test_a_lesson_under_the_line_is_written_again_twice_and_then_named(site: Site) -> None:
    site.world.characters |= {"judge-a": "harsh", "judge-b": "harsh"}
    path = site.lesson(lesson())
    before = path.read_bytes()
    code, said = site.polish(path, "--generator", "openai:generator")
    assert code == 1, said
    assert "regenerated" in said
    assert len(site.asked("section_reply")) == 10, "five running texts, twice"
    assert path.read_bytes() == before
    assert not site.folder.out.exists()


# -- limits and refusals


def test_an_estimate_makes_no_call_and_writes_nothing(site: Site) -> None:
    code, said = site.polish(site.lesson(lesson(BOILS)), "--estimate", "--source", "source.md")
    assert code == 0
    assert "6 units read, no call made, nothing written." in said
    assert site.server.requests == []
    assert not site.folder.root.exists()


def test_a_token_ceiling_stops_the_run_and_resume_pays_for_nothing_twice(site: Site) -> None:
    site.world.base = 0.9
    code, said = site.polish(site.lesson(lesson(BOILS)), "--max-tokens", "9000", "--workers", "2")
    assert code == 6, said
    first = {asked.user for asked in site.server.requests}
    assert first
    code, said = site("resume", "r", "--max-tokens", "500000")
    assert code == 0, said
    prompts = [(asked.model, asked.user) for asked in site.server.requests]
    assert len(prompts) == len(set(prompts))
    assert site.published() == lesson()


def test_other_judges_begin_another_round(site: Site) -> None:
    site.world.base = 0.9
    path = site.lesson(lesson(BOILS))
    code, said = site.polish(path, "--max-tokens", "9000", "--workers", "2")
    assert code == 6, said
    others = "openai:judge-d,openai:judge-e,openai:judge-f"
    code, said = site("resume", "r", "--judges", others, "--max-tokens", "500000")
    assert code == 0, said
    assert {"judge-d", "judge-e"} <= {asked.model for asked in site.server.requests}
    with journal_of(site.folder) as journal:
        ended = [e.data["status"] for e in journal.events(types=("round_ended",))]
    assert ended == ["given_up", "accepted"]


@pytest.mark.parametrize(
    "judges", ["openai:gpt-4o,openai:gpt-4.1", "openai:gpt-4o,openai:gpt-4o", "openai:judge-a,openai:gpt-4o"]
)
def test_judges_of_one_family_are_refused(site: Site, judges: str) -> None:
    path = site.lesson(lesson())
    start = [path, "--spec", "spec.json", "--judges", judges, "--generator", "openai:gpt-5", "--run-id", "x"]
    code, said = site("polish", *start, "--base-url", site.server.base_url)
    assert code == 2
    assert "family" in said or "twice" in said
    assert site.server.requests == []


def test_one_family_may_be_allowed(site: Site) -> None:
    path = site.lesson(lesson())
    start = [path, "--spec", "spec.json", "--judges", "openai:gpt-4o,openai:gpt-4.1", "--run-id", "r"]
    code, said = site("polish", *start, "--base-url", site.server.base_url, "--allow-same-family")
    assert code == 0, said
