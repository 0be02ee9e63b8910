"""`burnish review`: stage 1 whole, over real HTTP; the three scenarios of a self-review, and what goes wrong."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from burnish.kinds.lessons.self_review import SelfReviewResponse
from tests.app.desk import Desk, Said
from tests.app.lesson_desk import CLEAN, DIRTY, put, serving
from tests.lessons_model import BOILS, World, lesson

FLAG = {
    "type": "ALIGNMENT",
    "severity": "COMPLEX",
    "location": "evaporation",
    "quote": "the sun warms",
    "description": "The objective is touched on and not explained.",
}
RUSSIAN = "Вода поднимается с поверхности морей и озёр, потому что солнце её согревает. Пар остывает и станет облаком."


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")


def review(desk: Desk, path: Path, *more: object) -> Said:
    return desk("review", path, "--spec", "spec.json", "--format", "json", *more)


def reviewed(said: Said) -> SelfReviewResponse:
    """The output is exactly the contract's object, and nothing else."""
    assert set(said.json) == set(SelfReviewResponse.model_fields)
    return SelfReviewResponse.model_validate(said.json)


class TestRules:
    def test_a_sound_lesson_passes_and_costs_nothing(self, desk: Desk) -> None:
        said = review(desk, put(desk.home, lesson()))
        assert said.code == 0
        response = reviewed(said)
        assert (response.status, response.issues, response.patched_content) == ("PASS", (), None)
        assert not response.degraded, "nobody was to be asked, so nobody is missing"

    def test_what_code_can_mend_is_fixed_and_told_as_a_patch(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        before = path.read_bytes()
        said = review(desk, path)
        assert said.code == 0
        response = reviewed(said)
        assert response.status == "FIXED"
        assert response.patch == ({"op": "replace", "path": "/sections/0/content", "value": CLEAN},)
        assert response.patched_content is not None
        assert response.patched_content["sections"][0]["content"] == CLEAN
        assert {issue.severity for issue in response.issues} == {"FIXABLE"}
        assert path.read_bytes() == before, "a review writes nothing"

    def test_a_lesson_in_another_language_is_to_be_written_again(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=RUSSIAN))
        with serving(World()) as server:
            said = review(desk, path, "--model", "openai:reader", "--base-url", server.base_url)
        assert said.code == 1
        assert reviewed(said).status == "REGENERATE"
        assert not server.requests, "the rules have decided, so no model is paid"

    @pytest.mark.parametrize("share", [0.4, 0.7, 0.95])
    def test_json_that_breaks_off_is_regenerate_with_the_place(self, desk: Desk, share: float) -> None:
        path = put(desk.home, lesson())
        whole = path.read_text(encoding="utf-8")
        path.write_text(whole[: int(len(whole) * share)], encoding="utf-8")
        said = review(desk, path)
        assert said.code == 1
        response = reviewed(said)
        assert response.status == "REGENERATE"
        [issue] = response.issues
        assert (issue.type, issue.severity) == ("TRUNCATION", "CRITICAL")
        assert issue.location.startswith("content")
        assert "line" in issue.description and "column" in issue.description

    def test_a_part_that_cannot_be_read_is_missing(self, desk: Desk) -> None:
        broken: dict[str, Any] = copy.deepcopy(lesson())
        broken["content"]["sections"][1] = "not a section"
        path = put(desk.home, broken)
        with serving(World()) as server:
            said = review(desk, path, "--model", "openai:reader", "--base-url", server.base_url)
        assert said.code == 1
        [issue] = [issue for issue in reviewed(said).issues if issue.severity == "CRITICAL"]
        assert (issue.type, issue.location) == ("EMPTY", "content.sections[1]")
        assert not server.requests

    def test_a_markdown_lesson(self, desk: Desk) -> None:
        put(desk.home, lesson())
        path = desk.home / "water.md"
        path.write_text(f"---\nlesson_id: water\n---\n# Water\n\nThis is about water.\n\n## Vapour\n\n{DIRTY}\n")
        said = review(desk, path)
        response = reviewed(said)
        assert (said.code, response.status) == (0, "FIXED")
        assert response.patch[0]["path"] == "/sections/0/content"

    def test_settings_decide_on_the_rules(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        (desk.home / "burnish.toml").write_text(
            '[check]\nignore = ["chatbot_phrase", "broken_link", "unclosed_emphasis"]'
        )
        assert reviewed(review(desk, path)).status == "PASS"


class TestReader:
    def test_what_the_reader_flags_goes_to_a_judge(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation="It rains, and the sun warms the sea that lies below the clouds."))
        with serving(World(review_issues=[FLAG])) as server:
            said = review(desk, path, "--model", "openai:reader", "--base-url", server.base_url)
        assert said.code == 0, "the next step is a judge, not a person"
        response = reviewed(said)
        assert response.status == "FLAG_TO_JUDGE"
        assert [(i.type, i.location) for i in response.issues] == [("ALIGNMENT", "evaporation")]
        assert not response.degraded

    @pytest.mark.parametrize(("passage", "status"), [("source.md#p0001", "FLAG_TO_JUDGE"), ("source.md#p0099", "PASS")])
    def test_a_claim_counts_only_with_the_passage_that_contradicts_it(
        self, desk: Desk, passage: str, status: str
    ) -> None:
        claim = "Palissy explained springs in 1575."
        said_there = "Palissy explained in the year 1575 that springs are fed by rain alone, and nobody believed it."
        world = World(claims=[("intro", "in the year 1575", claim)], verdicts={claim: ("contradicted", passage)})
        path = put(desk.home, lesson(intro=said_there))
        (desk.home / "burnish.toml").write_text('[check]\nignore = ["source_numbers"]')
        with serving(world) as server:
            said = review(
                desk, path, "--model", "openai:reader", "--base-url", server.base_url, "--source", "source.md"
            )
        asked = [request.reply_name for request in server.requests]
        assert asked == ["self_review_reply", "claims_reply", "claim_verdict_reply"]
        assert reviewed(said).status == status

    def test_the_reader_sees_the_text_as_code_has_mended_it(self, desk: Desk) -> None:
        with serving(World()) as server:
            said = review(
                desk,
                put(desk.home, lesson(evaporation=DIRTY)),
                "--model",
                "openai:reader",
                "--base-url",
                server.base_url,
            )
        assert reviewed(said).status == "FIXED"
        assert "Certainly!" not in server.requests[0].user
        assert "a wet shirt on a line" in server.requests[0].user

    @pytest.mark.parametrize(("character", "asked"), [("garbled", 3), ("down", 1)])
    def test_without_a_usable_answer_the_rules_verdict_stands(self, desk: Desk, character: Any, asked: int) -> None:
        (desk.home / "burnish.toml").write_text("[limits]\nmax_tries = 1\n")
        path = put(desk.home, lesson(evaporation=DIRTY))
        with serving(World(characters={"reader": character})) as server:
            said = review(desk, path, "--model", "openai:reader", "--base-url", server.base_url)
        assert said.code == (6 if character == "down" else 0)
        response = reviewed(said)
        assert (response.status, response.degraded) == ("FIXED", True)
        assert len(server.requests) == asked
        assert "no usable answer: " in said.err


class TestText:
    def test_it_reads_well(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=DIRTY))
        said = desk("review", path.name, "--spec", "spec.json")
        assert said.out == EXPECTED
        assert said.code == 0

    def test_a_degraded_review_says_so(self, desk: Desk) -> None:
        (desk.home / "burnish.toml").write_text("[limits]\nmax_tries = 1\n")
        put(desk.home, lesson())
        with serving(World(characters={"reader": "garbled"})) as server:
            said = desk(
                "review", "water.json", "--spec", "spec.json", "--model", "openai:r", "--base-url", server.base_url
            )
        assert "degraded" not in said.out, "another model than the garbled one was asked"
        with serving(World(characters={"reader": "garbled"})) as server:
            said = desk(
                "review", "water.json", "--spec", "spec.json", "--model", "openai:reader", "--base-url", server.base_url
            )
        assert "degraded: The model gave no usable answer; only the rules were applied." in said.out

    def test_a_lesson_that_breaks_off(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        path.write_text(path.read_text(encoding="utf-8")[:900], encoding="utf-8")
        said = desk("review", path.name, "--spec", "spec.json")
        assert said.code == 1
        assert "REGENERATE  Cannot be used; must be rewritten." in said.out
        assert "CRITICAL[TRUNCATION]: The JSON ends too early: at line " in said.out

    def test_repeated_ids_are_told_in_both_formats(self, desk: Desk) -> None:
        twice: dict[str, Any] = copy.deepcopy(lesson())
        twice["content"]["sections"][1]["id"] = "evaporation"
        path = put(desk.home, twice)
        said = desk("review", path.name, "--spec", "spec.json")
        assert "INFO[HYGIENE]: The id 'evaporation' was used before" in said.out
        response = reviewed(review(desk, path))
        assert response.status == "PASS_WITH_FLAGS"
        [issue] = response.issues
        assert (issue.type, issue.severity, issue.location) == ("HYGIENE", "INFO", "evaporation#2")

    def test_content_cannot_speak_to_the_terminal(self, desk: Desk) -> None:
        path = put(desk.home, lesson(evaporation=f"{DIRTY}\n\nA bell \x07 and \x1b[2J an escape."))
        said = desk("review", path.name, "--spec", "spec.json")
        assert "\x1b" not in said.out and "\x07" not in said.out


class TestRefusals:
    def test_a_review_needs_the_specification(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        said = desk("review", path)
        assert said.code == 2
        assert "--spec" in said.err

    def test_the_help_says_so(self, desk: Desk) -> None:
        said = " ".join(desk("review", "--help").out.replace("│", " ").split())
        assert "Required unless the lesson contains it." in said

    def test_a_lesson_may_bring_its_own(self, desk: Desk) -> None:
        path = put(desk.home, lesson())
        spec = json.loads((desk.home / "spec.json").read_text())
        path.write_text(json.dumps({**lesson(), "spec": spec}))
        assert desk("review", path, "--format", "json").json["status"] == "PASS"

    def test_the_spec_of_another_lesson(self, desk: Desk) -> None:
        path = put(desk.home, lesson(BOILS))
        spec = json.loads((desk.home / "spec.json").read_text())
        (desk.home / "spec.json").write_text(json.dumps({**spec, "lesson_id": "fire"}))
        said = review(desk, path)
        assert said.code == 2
        assert "'fire'" in said.err

    @pytest.mark.parametrize(
        ("name", "content"), [("gone.json", None), ("empty.json", ""), ("list.json", "[]"), ("bad.json", '{"a": }')]
    )
    def test_what_is_no_lesson(self, desk: Desk, name: str, content: str | None) -> None:
        put(desk.home, lesson())
        if content is not None:
            (desk.home / name).write_text(content)
        said = review(desk, desk.home / name)
        assert said.code == 2
        assert name in said.err


EXPECTED = """\
water.json
FIXED  Repaired by safe fixes; ready for the judges.
Fixed by code in evaporation.

evaporation  Evaporation
  FIXABLE[HYGIENE]: The target of this link is never closed. Fixed.
   | [the same thing](https://seatide.org/shirt
  FIXABLE[HYGIENE]: A chatbot speaks to its user here ('Certainly! Here is the rest of the
    section:'). Fixed.
   | Certainly! Here is the rest of the section:↵↵
  FIXABLE[HYGIENE]: The emphasis mark '**' has no partner in its paragraph. Fixed.
   | **

1 text fixed:
--- evaporation
+++ evaporation (fixed)
@@ text @@
-…s the surface of seas and lakes. Where it is **warm enough, the water turns into vapour and rises.
-
-Certainly! Here is the rest of the section:
-
-Wind carries the vapour away, a … hing](https://seatide.org/shirt within an hour.
+…rms the surface of seas and lakes. Where it is warm enough, the water turns into vapour and rises.
+
+Wind carries the vapour away, a … ing](https://seatide.org/shirt) within an hour.

Nothing was written. `burnish check --fix` makes these fixes in the file.
"""


def test_an_estimate_asks_nobody(desk: Desk) -> None:
    path = put(desk.home, lesson(evaporation=DIRTY))
    said = review(desk, path, "--model", "openai:reader", "--estimate")
    assert said.code == 0
    told = json.loads(said.out)
    assert (told["likely"]["calls"], told["at_most"]["calls"]) == (1, 6), "three times at most, each cut off once"
    spoken = review(desk, path, "--model", "openai:reader", "--estimate", "--format", "text").out
    assert "no call made" in spoken and "at most  6 calls" in spoken
