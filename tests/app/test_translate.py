"""Translating a book from the command line, over HTTP: the scenarios of the contract from beginning to end."""

import json
import os
import pty
import shlex
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter

from burnish.app.runs import view
from burnish.kinds.manuscripts.bundle import (
    CandidateMapRow,
    GateReport,
    ManuscriptManifest,
    ManuscriptTokens,
    NormalizedReviewRow,
    ParagraphRow,
    ParagraphScores,
    ParagraphState,
    ReworkPacketRow,
    SentenceRow,
    WordRow,
)
from burnish.store.rows import unpack
from tests.app.book_desk import (
    ASTRAY,
    BOOK,
    BREAD,
    CALM,
    HOPELESS,
    MARKET,
    SPANISH,
    TAMAZIGHT,
    TYPO,
    VAGUE,
    WELL,
    WINE,
    blockers,
    exported,
    files,
    final,
    gate,
    go_on,
    is_published,
    lines,
    published,
    put,
    serving,
    slipping,
    spanish,
    state,
    statuses,
    translate,
)
from tests.app.desk import Desk
from tests.loopback import Answer, Asked
from tests.manuscripts_model import BookWorld, Slip

SEED_TREE = {
    "manifest.json",
    "source_pre/paragraphs.jsonl",
    "source_pre/sentences.jsonl",
    "source_pre/words.jsonl",
    "source_pre/manuscript_tokens.json",
    "pass1_pre/paragraphs.jsonl",
    "pass1_pre/sentences.jsonl",
    "pass2_pre/paragraphs.jsonl",
    "pass2_pre/sentences.jsonl",
    "state/paragraph_state.jsonl",
    "state/paragraph_scores.jsonl",
    "state/rework_queue.jsonl",
    "review/normalized/typography_paragraph_rows.jsonl",
    "review/normalized/critics_paragraph_rows.jsonl",
    "final/candidate.md",
    "final/candidate_map.jsonl",
    "final/final.md",
    "final/final_pre/paragraphs.jsonl",
    "gate/gate_report.json",
}
"""The tree of the contract's golden path, file by file."""
SEED_FOLDERS = {"review/grammar", "review/typography", "review/critics"}
OURS = {
    "receipt.json",
    "candidate/final/final.md",
    "review/grammar/paragraph_rows.jsonl",
    "review/typography/review.json",
    "review/critics/review.json",
    "review/normalized/grammar_paragraph_rows.jsonl",
    "final/final_pre/sentences.jsonl",
    "final/final_pre/words.jsonl",
    "final/final_pre/manuscript_tokens.json",
}
"""What lies in its folders, and what every run of ours has besides."""
LINE_SHAPES: dict[str, Any] = {
    "state/paragraph_state.jsonl": ("paragraph_state", ParagraphState),
    "state/paragraph_scores.jsonl": ("paragraph_scores", ParagraphScores),
    "state/rework_queue.jsonl": ("rework_packet", ReworkPacketRow),
    "final/candidate_map.jsonl": ("candidate_map_row", CandidateMapRow),
}
NAMED_SHAPES: dict[str, Any] = {
    "paragraphs.jsonl": ("paragraph_row", ParagraphRow),
    "sentences.jsonl": ("sentence_row", SentenceRow),
    "words.jsonl": ("word_row", WordRow),
    "paragraph_rows.jsonl": ("review_row", NormalizedReviewRow),
}
WHOLE_SHAPES: dict[str, Any] = {
    "gate/gate_report.json": ("gate_report", GateReport),
    "manifest.json": ("manuscript_manifest", ManuscriptManifest),
}


def validated(desk: Desk, id: str = "tx") -> set[str]:
    """Every JSON file of the run against its shape. The names of the contracts that were used."""
    used = set()
    for name in files(desk, id):
        lined = LINE_SHAPES.get(name) or next((s for end, s in NAMED_SHAPES.items() if name.endswith(end)), None)
        if lined is not None:
            TypeAdapter(list[lined[1]]).validate_python(lines(desk, name, id))
            used.add(lined[0])
        elif name in WHOLE_SHAPES:
            WHOLE_SHAPES[name][1].model_validate(exported(desk, name, id))
            used.add(WHOLE_SHAPES[name][0])
        elif name.endswith("manuscript_tokens.json"):
            ManuscriptTokens.model_validate(exported(desk, name, id))
            used.add("manuscript_tokens")
        else:
            assert not name.endswith(".jsonl"), f"{name} has no shape"
    return used


class TestGoldenPath:
    """The two command lines of the seed, as they stand in it."""

    FULL = shlex.split(
        "translate --mode full --run-id tx_001 --pipeline-profile tamazight_two_pass --source manuscript/source.md "
        "--model openai:m --max-paragraph-attempts 4"
    )
    STATUS = shlex.split("translate --mode status --run-id tx_001")

    @pytest.fixture
    def home(self, desk: Desk) -> Path:
        (desk.home / "manuscript").mkdir()
        put(desk.home / "manuscript", name="source.md")
        return desk.home

    def at_a_terminal(self, home: Path, answer: str) -> tuple[int, str]:
        """The command with somebody at the terminal, who answers its question."""
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "burnish.cli.main", *self.FULL]
        process = subprocess.Popen(command, cwd=home, stdin=theirs, stdout=subprocess.PIPE, stderr=theirs)
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        out, _ = process.communicate(timeout=60)
        os.close(ours)
        return process.returncode, out.decode()

    def test_its_tree_file_by_file(self, desk: Desk, home: Path) -> None:
        with serving(BookWorld(dict(TAMAZIGHT))) as server:
            (home / "burnish.toml").write_text(f'[models]\nbase_url = "{server.base_url}"\n')
            code, out = self.at_a_terminal(home, "y")
        assert code == 0, out
        assert "6 merged" in out
        found = files(desk, "tx_001")
        assert found - OURS == SEED_TREE
        assert found >= OURS
        assert all((desk.run("tx_001").root / folder).is_dir() for folder in SEED_FOLDERS)
        assert not desk.run("tx_001").lock.exists()
        assert lines(desk, "state/rework_queue.jsonl", "tx_001") == []
        assert validated(desk, "tx_001") >= {name for name, _ in WHOLE_SHAPES.values()}
        shown = desk(*self.STATUS)
        assert shown.code == 0
        assert "6  merged" in shown.out

    def test_what_the_files_say(self, desk: Desk, home: Path) -> None:
        with serving(BookWorld(dict(TAMAZIGHT))) as server:
            (home / "burnish.toml").write_text(f'[models]\nbase_url = "{server.base_url}"\n')
            assert desk(*self.FULL).code == 3, "nobody is at a terminal here"
            assert not is_published(desk, "tx_001")
            assert desk(*self.FULL, "--approve").code == 0, "the same command goes on"
        manifest = exported(desk, "manifest.json", "tx_001")
        assert manifest["pipeline_profile"] == "tamazight_two_pass"
        assert manifest["script_mode"] == {"pass1": "latin", "pass2": "tifinagh"}
        assert [stage["phase"] for stage in manifest["stages"]] == ["A", "B", "C", "C.5", "D", "E", "F"]
        assert manifest["counts"]["merged"] == 6
        first = lines(desk, "pass1_pre/paragraphs.jsonl", "tx_001")
        second = lines(desk, "pass2_pre/paragraphs.jsonl", "tx_001")
        assert [row["text"] for row in first] == [TAMAZIGHT[source] for source in SPANISH]
        assert second[0]["text"] == "ⵉⵍⴻⵍ"
        assert {row["status"] for row in lines(desk, "state/paragraph_state.jsonl", "tx_001")} == {"merged", "ingested"}
        text = published(desk, "tx_001")
        assert text.startswith("# ⵉⵍⴻⵍ\n\n")
        assert "```\ncode here\n```" in text
        assert "12" in text


class TestHappyPath:
    def test_one_pass(self, desk: Desk) -> None:
        asked: list[Asked] = []
        said = translate(desk, spanish(), "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()
        assert [one.reply_name for one in asked].count("translation_reply") == 1
        assert not [one for one in asked if one.reply_name == "edit_reply"], "nothing had to be mended"
        assert not (desk.run().root / "pass2_pre").exists()
        assert files(desk) - OURS == SEED_TREE - {"pass2_pre/paragraphs.jsonl", "pass2_pre/sentences.jsonl"}

    def test_every_file_has_the_shape_it_promises(self, desk: Desk) -> None:
        translate(desk, slipping(), "--approve")
        used = validated(desk)
        names = {name for name, _ in (LINE_SHAPES | NAMED_SHAPES | WHOLE_SHAPES).values()}
        assert used == names | {"manuscript_tokens"}
        for name in sorted(used):
            schema = desk("schema", name)
            assert schema.code == 0
            assert schema.json["properties"]

    def test_the_candidate_and_its_map(self, desk: Desk) -> None:
        translate(desk, spanish(), "--approve")
        candidate = (desk.run("tx").root / "final/candidate.md").read_text(encoding="utf-8")
        assert candidate.split("\n\n") == [
            "# El mar",
            SPANISH[CALM],
            SPANISH[MARKET],
            f"- {SPANISH[BREAD]}",
            f"- {SPANISH[WINE]}",
            f"> {SPANISH[WELL]}\n",
        ]
        numbered = candidate.splitlines()
        for row in lines(desk, "final/candidate_map.jsonl"):
            assert numbered[row["start_line"] - 1].endswith(tuple(SPANISH.values()))
        assert [row["start_line"] for row in lines(desk, "final/candidate_map.jsonl")] == [1, 3, 5, 7, 9, 11]

    def test_offsets_give_every_token_back(self, desk: Desk) -> None:
        translate(desk, BookWorld(dict(TAMAZIGHT)), "--pipeline-profile", "tamazight_two_pass", "--approve", to=None)
        for folder in ("source_pre", "final/final_pre"):
            texts = {row["paragraph_id"]: row["text"] for row in lines(desk, f"{folder}/paragraphs.jsonl")}
            for name in ("sentences", "words"):
                rows = lines(desk, f"{folder}/{name}.jsonl")
                assert rows
                for row in rows:
                    assert texts[row["paragraph_id"]][row["start"] : row["end"]] == row["text"]

    def test_status_show_export_and_resume_of_a_published_run(self, desk: Desk) -> None:
        translate(desk, spanish(), "--approve")
        before = {name: (desk.run("tx").root / name).read_bytes() for name in sorted(files(desk))}
        assert desk("status", "tx").code == 0
        assert "published" in desk("runs").out
        assert "6 of 6 accepted" in desk("runs").out
        shown = desk("show", "tx", "p_0003")
        assert shown.code == 0
        assert SPANISH[MARKET] in shown.out
        assert desk("export", "tx").code == 0
        asked: list[Asked] = []
        again = go_on(desk, spanish(), asked=asked)
        assert (again.code, asked) == (0, [])
        changed = [name for name, data in before.items() if (desk.run("tx").root / name).read_bytes() != data]
        assert changed == []

    def test_a_text_file(self, desk: Desk) -> None:
        put(desk.home, f"{CALM}\r\n\r\n{MARKET}\n", "book.txt")
        said = translate(desk, spanish(), "--source", "book.txt", "--approve", book=None)
        assert said.code == 0, said.err
        assert (desk.run("tx").root / "final/final.md").read_bytes().decode() == (
            f"{SPANISH[CALM]}\r\n\r\n{SPANISH[MARKET]}\n"
        )

    def test_json_for_programs(self, desk: Desk) -> None:
        told = translate(desk, spanish(), "--json").json
        assert told["stopped"] == "awaiting_approval"
        assert told["states"] == {"excluded": 1, "ready_to_merge": 6}
        assert told["blockers"] == []


class TestRework:
    def test_the_smallest_edit_first(self, desk: Desk) -> None:
        asked: list[Asked] = []
        said = translate(desk, slipping(TYPO), "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()
        replies = [one.reply_name for one in asked]
        assert (replies.count("edit_reply"), replies.count("translation_reply")) == (1, 1)
        edit = next(one for one in asked if one.reply_name == "edit_reply")
        assert TYPO.text in edit.user
        assert "p_0002" not in edit.user, "what passed is not sent again"
        reviewed = [one.user for one in asked if one.reply_name == "translation_review_reply"]
        beside = '"paragraph_id":"p_0002","line":3,"context":true'
        assert [beside in user for user in reviewed] == [False, True], "shown, and not judged again"
        assert state(desk, "p_0003")["attempt"] == 2
        assert state(desk, "p_0003")["failure_history"] == ["grammar_below_threshold", "critical_grammar"]
        assert state(desk, "p_0002")["attempt"] == 1

    def test_then_the_paragraph(self, desk: Desk) -> None:
        asked: list[Asked] = []
        said = translate(desk, slipping(VAGUE), "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        replies = [one.reply_name for one in asked]
        assert replies.index("edit_reply") < len(replies) - 1 - replies[::-1].index("translation_reply")
        assert published(desk) == final()

    def test_a_packet_waits_in_the_queue_where_nobody_reworks(self, desk: Desk) -> None:
        put(desk.home)
        put(desk.home, final({**SPANISH, CALM: SPANISH[CALM].replace("12", "40")}), "draft.md")
        draft = ("--source", "book.md", "--to", "es", "--draft", "draft.md", "--rules-only")
        said = desk("translate", "--run-id", "tx", *draft, "--approve")
        assert said.code == 3, said.out + said.err
        [packet] = lines(desk, "state/rework_queue.jsonl")
        assert list(packet) == [
            "paragraph_id",
            "content_hash",
            "current_text",
            "source_text",
            "failure_reasons",
            "failure_history",
            "required_fixes",
            "attempt",
        ]
        assert (packet["paragraph_id"], packet["attempt"], packet["source_text"]) == ("p_0002", 2, CALM)
        assert "critical_numbers_units" in packet["failure_reasons"]
        assert packet["required_fixes"]
        assert blockers(desk) == {"p_0002": "no_model"}, "a person can decide it; a model named later reworks it"
        with serving(spanish()) as server:
            rework = ("--mode", "rework-only", "--model", "openai:m", "--base-url", server.base_url)
            said = desk("translate", "--run-id", "tx", *rework, "--approve")
            sent = server.requests
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()
        assert not [one for one in sent if MARKET in one.user and '"draft"' in one.user], "what passed is not sent"

    def test_rework_of_a_run_that_is_not_there(self, desk: Desk) -> None:
        said = desk("translate", "--mode", "rework-only", "--run-id", "tx")
        assert said.code == 2
        assert "no run tx" in said.err


class TestToAPerson:
    """Every trigger of immediate manual review."""

    def test_repeated_hard_fail(self, desk: Desk) -> None:
        said = translate(desk, slipping(HOPELESS), "--approve")
        assert said.code == 3
        assert blockers(desk) == {"p_0003": "repeated_hard_fail"}
        row = state(desk, "p_0003")
        assert (row["status"], row["attempt"]) == ("manual_review_required", 3)
        assert row["failure_history"].count("critical_grammar") == 2
        assert row["blocking_issues"] == ["critical_grammar"]
        assert set(statuses(desk).values()) == {"ready_to_merge", "manual_review_required", "ingested"}
        assert not is_published(desk)
        assert "p_0003" in said.out

    def test_hard_floor(self, desk: Desk) -> None:
        asked: list[Asked] = []
        said = translate(desk, slipping(ASTRAY), "--approve", asked=asked)
        assert said.code == 3
        assert blockers(desk) == {"p_0003": "hard_floor"}
        assert state(desk, "p_0003")["scores"]["semantic_fidelity"] == 0.3
        assert not [one for one in asked if one.reply_name == "edit_reply"], "nobody tries to mend it"

    def test_attempts_exhausted(self, desk: Desk) -> None:
        weak = Slip(SPANISH[MARKET], "style", dimension="style", severity="error", stubborn=True)
        said = translate(desk, slipping(weak), "--approve", "--max-paragraph-attempts", 2)
        assert said.code == 3
        assert blockers(desk) == {"p_0003": "attempts_exhausted"}
        assert state(desk, "p_0003")["attempt"] == 2
        assert state(desk, "p_0003")["failure_history"] == ["style_below_threshold"] * 2

    def test_missing_artifact(self, desk: Desk) -> None:
        def mumbles(asked: Asked) -> Answer | None:
            is_review = asked.reply_name == "translation_review_reply"
            return Answer("no JSON") if asked.model == "b" and is_review else None

        said = translate(desk, spanish(), "--judges", "openai:a,openai:b", "--approve", interfere=mumbles)
        assert said.code == 3, said.out + said.err
        assert set(blockers(desk).values()) == {"missing_artifact"}
        assert set(blockers(desk)) == {"p_0001", "p_0002", "p_0003", "p_0005", "p_0006", "p_0007"}
        assert validated(desk)

    def test_a_gate_report_even_when_blocked(self, desk: Desk) -> None:
        translate(desk, slipping(HOPELESS), "--approve")
        report = GateReport.model_validate(gate(desk))
        assert (report.status, report.passed, report.required, report.excluded) == ("blocked", False, 6, 1)
        assert report.counts["manual_review_required"] == 1
        assert report.approval is None
        status = desk("status", "tx", "--json").json
        assert [(one["unit"], one["reason"]) for one in status["blockers"]] == [("p_0003", "repeated_hard_fail")]


class TestBatches:
    """A batch answer that misses a paragraph or invents one is refused for that paragraph only."""

    def test_one_is_missed_and_asked_for_alone(self, desk: Desk) -> None:
        asked: list[Asked] = []
        said = translate(desk, spanish(skips=frozenset({WINE})), "--approve", asked=asked)
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()
        assert [one.reply_name for one in asked].count("translation_reply") == 2

    def test_one_never_comes(self, desk: Desk) -> None:
        said = translate(desk, spanish(loses=frozenset({WINE})), "--approve")
        assert said.code == 3
        assert blockers(desk) == {"p_0006": "not_translated"}
        refused = desk("decide", "tx", "p_0006", "accept", "--by", "Ada")
        assert refused.code == 2
        assert "no translation" in refused.err

    @pytest.mark.parametrize(
        "spoil",
        [
            lambda found: [*found, {"paragraph_id": "p_0099", "text": "Inventado."}],
            lambda found: [*found, {**found[1], "text": "Otra cosa es."}],
            lambda found: [{**one, "text": ""} if at == 1 else one for at, one in enumerate(found)],
            lambda found: [{**one, "text": "a\n\nb"} if at == 1 else one for at, one in enumerate(found)],
        ],
        ids=["invented", "twice", "empty", "two blocks"],
    )
    def test_spoilt_answers(self, desk: Desk, spoil: Any) -> None:
        world = spanish()
        plain = world._translated

        def spoilt(work: list[dict[str, Any]]) -> object:
            reply: Any = plain(work)
            found = reply["translations"]
            return {"translations": spoil(found) if len(found) > 1 else found}

        world._translated = spoilt  # type: ignore[method-assign]
        said = translate(desk, world, "--approve")
        assert said.code == 0, said.out + said.err
        assert published(desk) == final()

    def test_batches_have_the_size_that_is_asked_for(self, desk: Desk) -> None:
        sentences = [f"The number of the house is {number}." for number in range(1, 14)]
        world = BookWorld({text: f"El número de la casa es {n}." for n, text in enumerate(sentences, start=1)})
        asked: list[Asked] = []
        book = "\n\n".join(sentences) + "\n"
        assert translate(desk, world, "--paragraphs", 5, "--approve", book=book, asked=asked).code == 0
        sizes = [one.user.count('"paragraph_id"') for one in asked if one.reply_name == "translation_reply"]
        assert sorted(sizes) == [3, 5, 5]
        assert published(desk) == "\n\n".join(f"El número de la casa es {n}." for n in range(1, 14)) + "\n"


class TestMixed:
    def test_excluded_and_manual_side_by_side(self, desk: Desk) -> None:
        (desk.home / "keep.txt").write_text("p_0007 a motto that stays as it is\n/^The Sea$/ the ship's own name\n")
        said = translate(desk, slipping(HOPELESS), "--exclude", "keep.txt", "--approve")
        assert said.code == 3
        assert statuses(desk) == {
            "p_0001": "ingested",
            "p_0002": "ready_to_merge",
            "p_0003": "manual_review_required",
            "p_0004": "ingested",
            "p_0005": "ready_to_merge",
            "p_0006": "ready_to_merge",
            "p_0007": "ingested",
        }
        assert blockers(desk) == {"p_0003": "repeated_hard_fail"}, "what is excluded blocks nothing"
        assert state(desk, "p_0007")["exclude_reason"] == "a motto that stays as it is"
        assert state(desk, "p_0001")["exclude_reason"] == "the ship's own name"
        assert (gate(desk)["required"], gate(desk)["excluded"]) == (4, 3)
        assert desk("decide", "tx", "p_0003", "accept", "--by", "Ada").code == 0
        assert go_on(desk, spanish(), "--approve").code == 0
        text = published(desk)
        assert text.startswith("# The Sea\n")
        assert text.endswith(f"> {WELL}\n")
        assert HOPELESS.text in text

    def test_nothing_excluded_is_sent_to_anybody(self, desk: Desk) -> None:
        asked: list[Asked] = []
        (desk.home / "keep.txt").write_text("p_0007 a motto\n")
        assert translate(desk, spanish(), "--exclude", "keep.txt", "--approve", asked=asked).code == 0
        assert asked
        work = [line for one in asked for line in one.user.splitlines() if line.startswith("{")]
        assert not [line for line in work if WELL in line or "code here" in line], "not even as a neighbour"


class TestApproval:
    def test_it_waits_and_is_complete_but_for_the_last_phase(self, desk: Desk) -> None:
        said = translate(desk, spanish())
        assert said.code == 3
        assert "burnish resume tx --approve" in said.out
        assert (gate(desk)["status"], gate(desk)["passed"], gate(desk)["blockers"]) == ("awaiting_approval", False, [])
        assert not is_published(desk)
        assert desk("status", "tx").out.splitlines()[0].endswith("waits for approval")
        asked: list[Asked] = []
        assert go_on(desk, spanish(), asked=asked).code == 3, "nobody approved"
        assert go_on(desk, spanish(), "--approve", asked=asked).code == 0
        assert asked == [], "approval costs nothing"
        assert published(desk) == final()
        assert gate(desk)["approval"]["by"] == "--approve"

    def test_auto_merge_holds_for_the_resumed_run_too(self, desk: Desk) -> None:
        assert translate(desk, slipping(HOPELESS), "--auto-merge").code == 3
        assert desk("decide", "tx", "p_0003", "accept", "--by", "Ada").code == 0
        assert go_on(desk, spanish()).code == 0
        assert gate(desk)["approval"]["by"] == "auto-merge"

    def test_an_export_edited_by_hand_is_named_and_made_anew(self, desk: Desk) -> None:
        translate(desk, spanish())
        path = desk.run("tx").root / "state/paragraph_state.jsonl"
        before = path.read_bytes()
        path.write_text(json.dumps({"paragraph_id": "p_0001", "status": "merged"}) + "\n")
        said = desk("export", "tx")
        assert "state/paragraph_state.jsonl" in said.out
        assert path.read_bytes() == before


def test_one_copy_of_the_book_lies_in_the_run(desk: Desk) -> None:
    """Besides what a model was asked (calls) and the files of the contract, the journal alone holds its text, once."""
    mark = "zebrafinch"
    source, target = " ".join([f"The {mark} is calm."] * 40), " ".join(["El pinzón está en calma."] * 40)
    book = BOOK.replace(CALM, source)
    world = BookWorld({**SPANISH, source: target}, slips={MARKET: TYPO})
    assert translate(desk, world, "--approve", book=book).code == 0
    root = desk.run("tx").root
    files = [path for path in root.rglob("*") if path.is_file()]
    assert not [path for path in files if book.encode() in path.read_bytes()], "no file is the book itself"
    found = Counter[str]()
    with closing(sqlite3.connect(root / "journal.sqlite")) as journal:
        for (table,) in journal.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'calls'"):
            for row in journal.execute(f"SELECT * FROM {table}"):
                texts = [unpack(value) for value in row if isinstance(value, str | bytes)]
                found[table] += sum(text.count(mark) for text in texts)
    excerpts = found.pop("units") + found.pop("search_texts")
    assert found.pop("meta") <= 2, "the facts have its terms"
    assert +found == {"attempts": 40}, "the text of its first attempt"
    assert excerpts <= 16, "a line of a list shows its beginning"
    with view(desk.home / "runs", "tx") as run:
        drafts = [one.content for one in run.journal.attempts("p_0002")]
    assert len(drafts) > 1 and all(one is not None and one["text"] == source for one in drafts)
