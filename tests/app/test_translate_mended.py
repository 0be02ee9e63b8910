"""What reviews of translations found wrong: files beside the book that go away, spellings, details that were lost."""

import json
from pathlib import Path
from typing import Any

import pytest

from burnish.app.materials import kind_for_reading
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.bundle import GateReport, ManuscriptManifest
from tests.app.book_desk import (
    HOPELESS,
    MARKET,
    SPANISH,
    TAMAZIGHT,
    blockers,
    exported,
    final,
    gate,
    go_on,
    is_published,
    lines,
    published,
    put,
    slipping,
    spanish,
    state,
    translate,
)
from tests.app.desk import Desk
from tests.loopback import Answer, Asked
from tests.manuscripts_model import BookWorld

TWO_PASSES = ("--pipeline-profile", "tamazight_two_pass")


def tamazight(desk: Desk, *more: object, to: str | None = None, id: str = "tx") -> Any:
    return translate(desk, BookWorld(dict(TAMAZIGHT)), *TWO_PASSES, *more, to=to, id=id)


class TestFilesThatAreGone:
    """All that the files beside a book led to is in the journal: only who works on needs them again."""

    FILES = ("g.csv", "m.jsonl", "critics/boats.md", "style.md", "keep.txt", "found.json")

    @pytest.fixture
    def waiting(self, desk: Desk) -> Desk:
        """A run of which one paragraph and one issue wait for a person, with a file of every sort beside it."""
        (desk.home / "critics").mkdir()
        (desk.home / "g.csv").write_text("source,target\nbread,pan\n")
        (desk.home / "m.jsonl").write_text('{"source": "Nothing of it.", "target": "Nada de eso."}\n')
        (desk.home / "critics/boats.md").write_text("Look whether boats are called boats.\n")
        (desk.home / "style.md").write_text("# Voice\n\nShort.\n\n# Samples\n\nEl perro duerme.\n")
        (desk.home / "keep.txt").write_text("p_0006 a brand\n")
        lost = {"category": "style", "severity": "minor", "quote": "no such words", "description": "It is dull."}
        (desk.home / "found.json").write_text(json.dumps([lost]))
        flags = ("--glossary", "g.csv", "--memory", "m.jsonl", "--critics-dir", "critics", "--style", "style.md")
        said = translate(desk, slipping(HOPELESS), *flags, "--exclude", "keep.txt", "--review", "found.json")
        assert said.code == 3, said.out + said.err
        return desk

    def lose(self, desk: Desk) -> None:
        for name in self.FILES:
            (desk.home / name).unlink()

    def change(self, desk: Desk) -> None:
        for name in self.FILES:
            (desk.home / name).write_text("something else\n")

    @pytest.mark.parametrize("happen", [lose, change], ids=["lost", "changed"])
    def test_a_run_is_looked_at_and_settled_without_them(self, waiting: Desk, happen: Any) -> None:
        desk, before = waiting, exported(waiting, "manifest.json")
        happen(self, desk)
        for command in (("status", "tx"), ("runs",), ("show", "tx"), ("show", "tx", "p_0002"), ("export", "tx")):
            said = desk(*command)
            assert said.code == 0, said.err
        assert "tx" in desk("runs").out
        assert exported(desk, "manifest.json") == before, "made again from the journal"
        assert set(before["critics"]) == {"boats"}
        assert before["exclusion_policy"]["ids"] == {"p_0006": "a brand"}
        assert before["style_sheet"].startswith("sha256:")
        assert set(blockers(desk)) == {"p_0003", "issue_0001"}
        for unit in blockers(desk):
            said = desk("decide", "tx", unit, "accept", "--by", "Ada")
            assert said.code == 0, said.err

    def test_whoever_works_on_needs_them(self, waiting: Desk) -> None:
        waiting.home.joinpath("g.csv").unlink()
        put(waiting.home, SPANISH[MARKET], "new.txt")
        edit = waiting("decide", "tx", "p_0003", "edit", "--by", "Ada", "--text-file", "new.txt")
        for said in (edit, go_on(waiting, spanish())):
            assert said.code == 2
            assert "g.csv" in said.err

    def test_a_run_that_cannot_be_shown_does_not_hide_the_others(
        self, desk: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert translate(desk, spanish(), id="one").code == 3
        assert translate(desk, spanish(), id="two").code == 3

        def broken(plan: Any) -> Any:
            if plan.run_id == "one":
                raise InputError("This file cannot be read.", path="x.md")
            return kind_for_reading(plan)

        monkeypatch.setattr("burnish.app.runs.kind_for_reading", broken)
        said = desk("runs")
        assert said.code == 0
        assert "This file cannot be read." in said.out
        assert "two  manuscripts  waits for approval" in said.out


class TestKabyle:
    @pytest.mark.parametrize("name", ["kab", "Kabyle"])
    def test_it_has_its_own_orthography(self, desk: Desk, name: str) -> None:
        assert tamazight(desk, to=name).code == 3
        manifest = exported(desk, "manifest.json")
        options = manifest["arguments"]["options"]
        assert (options["target"], options["orthography"], manifest["orthography"]) == ("kab", "kabyle", "kabyle")
        again = tamazight(desk, "--approve", to=name)
        assert again.code == 0, again.err

    def test_in_one_pass_too(self, desk: Desk) -> None:
        asked: list[Asked] = []
        assert translate(desk, BookWorld(dict(TAMAZIGHT)), to="kab", asked=asked).code in (0, 3)
        assert exported(desk, "manifest.json")["orthography"] == "kabyle"
        assert "in the Kabyle orthography" in asked[0].system + asked[0].user

    @pytest.mark.parametrize("passes", [TWO_PASSES, ()])
    def test_no_other_orthography_goes_with_it(self, desk: Desk, passes: tuple[str, ...]) -> None:
        said = translate(desk, BookWorld({}), *passes, "--orthography", "ircam", to="kab")
        assert said.code == 2
        assert "--orthography" in said.err
        assert not Path("runs/tx/journal.sqlite").exists()

    @pytest.mark.parametrize(
        ("to", "more", "target"),
        [
            (None, (), "zgh"),
            ("tamazight", ("--orthography", "kabyle"), "kab"),
            ("tzm", (), "zgh"),
            (None, ("--orthography", "kabyle"), "kab"),
        ],
    )
    def test_the_same_command_goes_on(self, desk: Desk, to: str | None, more: tuple[str, ...], target: str) -> None:
        assert tamazight(desk, *more, to=to).code == 3
        assert exported(desk, "manifest.json")["arguments"]["options"]["target"] == target
        again = tamazight(desk, *more, "--approve", to=to)
        assert again.code == 0, again.err

    @pytest.mark.parametrize(
        ("to", "more", "told"),
        [
            ("kab", (), "target zgh, not kab"),
            (None, ("--orthography", "kabyle"), "orthography ircam, not kabyle"),
            ("kab", ("--orthography", "ircam"), "not spelled"),
            ("es", (), "is for Tamazight"),
        ],
    )
    def test_another_command_is_refused(self, desk: Desk, to: str | None, more: tuple[str, ...], told: str) -> None:
        assert tamazight(desk).code == 3
        said = tamazight(desk, *more, to=to)
        assert said.code == 2
        assert told in " ".join(said.err.split())


class TestDetailsOfMappingErrors:
    def test_the_gate_says_what_it_is_about(self, desk: Desk) -> None:
        issue = {
            "category": "style",
            "severity": "minor",
            "line": 999,
            "quote": "El mar",
            "description": "Dull \x1b[31m",
        }
        (desk.home / "linter.json").write_text(json.dumps([{**issue, "suggested_fix": "La mar"}]))
        assert translate(desk, slipping(HOPELESS), "--review", "linter.json").code == 3
        report = GateReport.model_validate(gate(desk))
        issues = {one.id: one.issue for one in report.blockers}
        found = issues.pop("issue_0001")
        assert found is not None
        assert (found.reviewer, found.category, found.suggested_fix) == ("file:linter", "style", "La mar")
        assert found.description.startswith("Dull")
        assert found.anchor == {"line": 999, "quote": "El mar"}
        assert found.mapping_error
        assert set(issues.values()) <= {None}, "a paragraph speaks for itself"
        assert all("issue" not in one for one in gate(desk)["blockers"] if one["id"] != "issue_0001")


class TestReauthorizing:
    @pytest.mark.parametrize(
        ("text", "told"), [("p_0099 nowhere\n", "p_0099"), ("/^/ all\n", "fits every paragraph")], ids=["id", "pattern"]
    )
    def test_other_exclusions_are_looked_at_like_the_first(self, desk: Desk, text: str, told: str) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt").code == 3
        keep.write_text(text)
        asked: list[Asked] = []
        said = translate(desk, spanish(), "--exclude", "keep.txt", "--reauthorize", asked=asked)
        assert (said.code, asked) == (2, [])
        assert told in said.err
        keep.write_text("p_0006 a brand\n")
        assert go_on(desk, spanish(), "--approve").code == 0, "the run has kept the first ones"
        assert state(desk, "p_0006")["excluded_by_policy"] is True

    def test_the_manifest_names_those_that_count(self, desk: Desk) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt").code == 3
        keep.write_text("p_0002 not wanted\n/wine/ no drinks\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt", "--reauthorize").code == 3
        policy = exported(desk, "manifest.json")["exclusion_policy"]
        assert policy["ids"] == {"p_0002": "not wanted"}
        assert policy["patterns"] == [{"pattern": "wine", "reason": "no drinks"}]

    def test_they_are_about_the_source_of_the_start(self, desk: Desk) -> None:
        keep = desk.home / "keep.txt"
        keep.write_text("p_0006 a brand\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt").code == 3
        keep.write_text("p_0002 not wanted\n")
        put(desk.home, "Another book altogether.\n")
        said = translate(desk, spanish(), "--exclude", "keep.txt", "--reauthorize", book=None)
        assert said.code == 2
        assert "The source has changed" in said.err
        assert not is_published(desk)


class TestWhoReviewed:
    def stage(self, desk: Desk) -> Any:
        manifest = ManuscriptManifest.model_validate(exported(desk, "manifest.json"))
        [found] = [one for one in manifest.stages if one.phase == "D"]
        return found

    def test_the_one_model(self, desk: Desk) -> None:
        assert translate(desk, spanish()).code == 3
        stage = self.stage(desk)
        assert (stage.model, stage.judges, stage.critic) == ("openai:m", [], "openai:m")
        assert set(stage.prompts) == {"review", "critic"}

    def test_judges_and_critics_apart(self, desk: Desk) -> None:
        assert translate(desk, spanish(), "--judges", "openai:a,openai:b", "--approve").code == 0
        stage = self.stage(desk)
        assert (stage.model, stage.judges, stage.critic) == (None, ["openai:a", "openai:b"], "openai:m")
        assert all(stage.prompts.values())
        assert exported(desk, "receipt.json")["models"]["judges"] == ["openai:a", "openai:b"]

    def test_nobody(self, desk: Desk) -> None:
        put(desk.home)
        put(desk.home, final(), "draft.md")
        command = ("translate", "--run-id", "tx", "--source", "book.md", "--to", "es", "--draft", "draft.md")
        assert desk(*command, "--rules-only", "--approve").code == 0
        assert published(desk) == final()
        stage = self.stage(desk)
        assert (stage.model, stage.judges, stage.critic, stage.prompts) == (None, [], None, {})


def test_scores_of_other_names_are_kept_and_decide_nothing(desk: Desk) -> None:
    world = spanish()

    def interfere(asked: Asked) -> Answer | None:
        if asked.reply_name != "translation_review_reply":
            return None
        said: Any = world.reply(asked.reply_name, asked.user)
        for one in said["paragraphs"]:
            one["scores"] |= {"rhythm": 0.1, "mood": "sour"}
        return Answer(said)

    assert translate(desk, world, "--approve", interfere=interfere).code == 0
    scores = lines(desk, "state/paragraph_scores.jsonl")[0]
    told = [given for given in scores["informational"].values() if "rhythm" in given]
    assert told and all(given["rhythm"] == 0.1 and "mood" not in given for given in told)
    assert "rhythm" not in scores["scores"]
