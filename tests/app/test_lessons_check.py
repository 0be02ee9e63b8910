"""`burnish check` over lessons: what lies beside them, fixes byte for byte, ignores and baselines."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.desk import Desk
from tests.app.lesson_desk import CLEAN, DIRTY, put
from tests.lessons_model import SPEC, lesson

GLACIERS = {"id": "LO3", "text": "Describe how glaciers store fresh water"}
MARKDOWN = (
    "---\r\nlesson_id: water\r\ntags: [a, 'b']\r\n---\r\n\r\n# Water\r\n\r\nThis lesson is about water and vapour."
    "\r\n\r\n"
    "## Vapour   \r\n\r\nThe sun warms the **sea, and vapour rises from it.\r\n\r\n\r\n\r\n## Rain\r\n\r\n"
    "Drops that meet fall as rain.  \r\nSome of it is snow.\r\n"
)


def spec_with(home: Path, *objectives: dict[str, str]) -> None:
    given = [*SPEC["learning_objectives"], *objectives]
    (home / "spec.json").write_text(json.dumps({**SPEC, "learning_objectives": given}))


def rules(report: dict[str, Any]) -> list[tuple[str, str]]:
    return [(unit["id"], f["rule"]) for d in report["documents"] for unit in d["units"] for f in unit["findings"]]


class TestMaterials:
    def test_what_is_about_the_whole_lesson_is_listed_and_no_unit(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        spec_with(desk.home, GLACIERS)
        report = desk("check", path, "--spec", "spec.json", "--format", "json").json
        assert rules(report) == [("lesson", "objective_coverage")]
        assert report["summary"]["units"] == 6
        text = desk("check", path, "--spec", "spec.json").out
        assert "water.json, lesson\n" in text
        assert "(empty)" not in text, "there is nothing to quote"

    def test_errors_of_the_whole_lesson_fail_the_check(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        spec_with(desk.home, GLACIERS)
        said = desk("check", path, "--spec", "spec.json", "--profile", "strict")
        assert said.code == 1
        assert "1 error in the document as a whole. 6 units in 1 document." in said.out

    def test_numbers_are_held_against_the_source(self, desk: Desk) -> None:
        wrong = "Bernard Palissy explained in the year 1550 that springs are fed by rain alone. They never dry up."
        path = put(desk.home, lesson(precipitation=wrong))
        report = desk("check", path, "--source", "source.md", "--format", "json").json
        assert ("precipitation", "source_numbers") in rules(report)
        assert rules(desk("check", path, "--format", "json").json) == []

    def test_what_is_named_beside_the_lessons_of_a_folder_is_none_of_them(self, desk: Desk) -> None:
        put(desk.home, lesson())
        given = ("check", ".", "--kind", "lessons", "--spec", "spec.json", "--source", desk.home / "source.md")
        said = desk(*given)
        assert said.code == 0, said.out
        assert "passed over: spec.json: This is a specification." in said.out
        assert "passed over: source.md: This is source material." in said.out
        assert [Path(d["path"]).name for d in desk(*given, "--format", "json").json["documents"]] == ["water.json"]
        beside = ("--spec", "spec.json", "--source", "source.md")
        polished = desk("polish", ".", *beside, "--run-id", "r").out
        assert polished.startswith("6 units: "), polished
        named = desk("check", "source.md", "--source", "source.md").out
        assert "1 unit in 1 document." in named, "a file that is named is meant"

    def test_a_folder_of_lessons_and_a_folder_of_specs(self, desk: Desk) -> None:
        for name in ("lessons", "specs", "source"):
            (desk.home / name).mkdir()
        for name in ("one", "two"):
            (desk.home / "lessons" / f"{name}.json").write_text(json.dumps({**lesson(), "lesson_id": name}))
            spec = {**SPEC, "lesson_id": name, "learning_objectives": [GLACIERS]}
            (desk.home / "specs" / f"{name}.json").write_text(json.dumps(spec))
        (desk.home / "source" / "water.md").write_text("Water is wet.")
        report = desk("check", "lessons", "--spec", "specs", "--source", "source", "--format", "json").json
        assert rules(report) == [("lesson", "objective_coverage")] * 2

    def test_the_spec_of_another_lesson_spoils_only_that_one(self, desk: Desk) -> None:
        put(desk.home, lesson())
        other = put(desk.home, {**lesson(evaporation=DIRTY), "lesson_id": "fire"}, "fire.json")
        before = other.read_bytes()
        said = desk("check", "water.json", "fire.json", "--spec", "spec.json", "--fix", "--format", "json")
        assert said.code == 2
        assert [d["complete"] for d in said.json["documents"]] == [True, False]
        assert said.json["documents"][1]["problems"][0]["code"] == "other_lesson"
        assert other.read_bytes() == before

    def test_kinds_that_take_none_refuse_them(self, desk: Desk) -> None:
        bank = desk.bank({"id": "q1", "stem": "Which?", "options": [], "correct_answer": "A"})
        put(desk.home, lesson())
        said = desk("check", bank, "--spec", "spec.json")
        assert said.code == 2
        assert "--spec and --source do nothing for questions" in said.err
        assert desk("check", bank, "water.json", "--spec", "spec.json", "--format", "json").json["documents"][1][
            "units"
        ]

    @pytest.mark.parametrize("given", [("--spec", "gone.json"), ("--source", "gone.md")])
    def test_what_is_not_there(self, desk: Desk, given: tuple[str, str]) -> None:
        said = desk("check", put(desk.home, lesson()), *given)
        assert said.code == 2
        assert given[1] in said.err


class TestFixes:
    def test_json_byte_for_byte(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        raw = path.read_text(encoding="utf-8").replace(
            '"lesson_id": "water"', '"x":\t1.50, "lesson_id" : "w\\u0061ter"'
        )
        path.write_text(raw, encoding="utf-8")
        said = desk("check", path, "--fix")
        assert said.code == 0
        assert "water.json: 1 unit fixed." in said.out
        want = raw.replace(json.dumps(DIRTY, ensure_ascii=False), json.dumps(CLEAN, ensure_ascii=False))
        assert path.read_text(encoding="utf-8") == want != raw

    def test_markdown_byte_for_byte(self, desk: Desk) -> None:
        path = desk.home / "water.md"
        path.write_bytes(b"\xef\xbb\xbf" + MARKDOWN.encode())
        said = desk("check", path, "--fix")
        assert said.code == 0, said.out
        assert path.read_bytes() == b"\xef\xbb\xbf" + MARKDOWN.replace("**", "").encode()

    def test_a_fix_as_json(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        said = desk("check", path, "--fix", "--format", "json")
        [fix] = said.json["fixed"]
        assert fix["rules"] == ["broken_link", "chatbot_phrase", "unclosed_emphasis"]
        assert said.json["written"] == [str(path)]
        assert rules(said.json) == []


class TestIgnores:
    def test_a_comment_passes_over_rules_in_its_unit(self, desk: Desk) -> None:
        comment = "<!-- burnish-ignore: chatbot_phrase, broken_link unclosed_emphasis -->"
        path = put(desk.home, lesson(evaporation=f"{comment}\n\n{DIRTY}", condensation=DIRTY))
        report = desk("check", path, "--format", "json").json
        assert {unit for unit, _ in rules(report)} == {"condensation"}
        assert report["summary"]["ignored"] == {"broken_link": 1, "chatbot_phrase": 1, "unclosed_emphasis": 1}

    def test_a_section_of_json_passes_over_rules(self, desk: Desk) -> None:
        given = lesson(evaporation=DIRTY)
        given["content"]["sections"][0]["burnish_ignore"] = ["chatbot_phrase", "broken_link", "unclosed_emphasis"]
        report = desk("check", put(desk.home, given), "--format", "json").json
        assert rules(report) == []
        assert len(report["documents"][0]["ignored"]) == 3

    @pytest.mark.parametrize("where", ["lesson", "content"])
    def test_the_whole_lesson_passes_over_a_rule(self, desk: Desk, where: str) -> None:
        given: dict[str, Any] = lesson(evaporation=DIRTY)
        (given if where == "lesson" else given["content"])["burnish_ignore"] = ["objective_coverage", "broken_link"]
        path = put(desk.home, given)
        spec_with(desk.home, GLACIERS)
        report = desk("check", path, "--spec", "spec.json", "--format", "json").json
        assert {rule for _, rule in rules(report)} == {"chatbot_phrase", "unclosed_emphasis"}
        assert report["summary"]["ignored"] == {"broken_link": 1, "objective_coverage": 1}

    def test_the_front_matter_of_markdown(self, desk: Desk) -> None:
        path = desk.home / "water.md"
        path.write_text(MARKDOWN.replace("tags: [a, 'b']", "burnish_ignore: unclosed_emphasis"), newline="")
        assert rules(desk("check", path, "--format", "json").json) == []

    def test_what_names_no_rule_is_told_and_does_no_harm(self, desk: Desk) -> None:
        given: dict[str, Any] = {**lesson(), "burnish_ignore": ["truncations", 7]}
        given["content"]["intro"] += " <!-- burnish-ignore: nonsense -->"
        said = desk("check", put(desk.home, given))
        assert said.code == 0
        assert "note[unknown_rule]: There is no rule 'truncations', so nothing is ignored by that name." in said.out
        assert "Did you mean `truncation`?" in said.out
        assert "'nonsense'" in said.out

    def test_a_baseline_knows_findings_of_units_and_of_the_whole(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        spec_with(desk.home, GLACIERS)
        assert desk("check", path, "--spec", "spec.json", "--write-baseline", "known.jsonl").code == 0
        said = desk("check", path, "--spec", "spec.json", "--baseline", "known.jsonl", "--format", "json")
        assert said.code == 0
        assert rules(said.json) == []
        assert said.json["summary"]["known"] == 4


def test_settings_may_name_rules_of_every_kind(desk: Desk) -> None:
    (desk.home / "burnish.toml").write_text(
        '[check]\nignore = ["nbme_lead_in", "broken_link"]\n[check.severity]\nchatbot_phrase = "info"\n'
        'nbme_vague_terms = "error"\n'
    )
    report = desk("check", put(desk.home, lesson(evaporation=DIRTY)), "--format", "json").json
    assert {rule for _, rule in rules(report)} == {"chatbot_phrase", "unclosed_emphasis"}
    assert report["rules_off"] == ["broken_link"]
    assert report["summary"]["by_severity"]["info"] == 1


def test_a_finding_names_the_line_of_its_words(desk: Desk) -> None:
    (desk.home / "water.md").write_bytes(MARKDOWN.encode())
    marked = MARKDOWN.split("\r\n").index("The sun warms the **sea, and vapour rises from it.") + 1
    assert f"--> water.md:{marked}, vapour" in desk("check", "water.md").out


class TestSizes:
    def folder(self, desk: Desk, *texts: str) -> None:
        for number, text in enumerate(texts):
            (desk.home / f"{number:02}.md").write_text(
                f"# Water\n\nThis lesson is about water and vapour.\n\n## Vapour\n\n{text}\n"
                "\n## Rain\n\nDrops that meet fall as rain.\n"
            )

    def test_the_size_is_told_of_lessons_of_which_something_else_is_told(self, desk: Desk) -> None:
        sound, broken = "The sun warms the sea, and vapour rises.", "The sun warms the **sea, and vapour rises."
        self.folder(desk, *[sound] * 23, broken)
        out = desk("check", ".").out
        assert out.count("  size  ") == 1, out
        assert "24 documents" in out

    def test_sizes_that_are_left_out_are_counted(self, desk: Desk) -> None:
        self.folder(desk, *["The sun warms the **sea, and vapour rises."] * 22)
        out = desk("check", ".").out
        assert out.count("  size  ") == 20
        assert "… and 2 more documents: --format json has them all" in out
