"""F20: models that think. However much they think, every sample ends as it does with one that hardly does."""

import contextlib
import io
import shutil
import sqlite3
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from burnish.cli import main
from burnish.cli.demo import BREAD, SAMPLES
from burnish.models.scripted import ScriptedModel
from tests.loopback import Answer, Asked, LoopbackModel, thinking

TITLE = "models that think"
MEDIANS = (1, 800, 1_500, 4_000)
ONE = "openai:gpt-5-mini"
SCRIPTS = {
    "questions": {"gpt-5-mini": "biology_model", "claude-sonnet-5": "biology_judge"},
    "lessons": {"gpt-5-mini": "bread_model", "claude-sonnet-5": "bread_judge_1", "deepseek-r1": "bread_judge_2"},
    "manuscripts": {"gpt-5-mini": "lighthouse_model"},
    "legos": {"gpt-5-mini": "neighbours_model"},
}
"""Kind -> model -> its script. Each API that the test server speaks is among them."""
COMMANDS = {
    "questions": [f"polish biology.json --model {ONE} --judges anthropic:claude-sonnet-5"],
    "lessons": [f"polish bread.json {BREAD} --model {ONE} --judges anthropic:claude-sonnet-5,openai:deepseek-r1"],
    "manuscripts": [
        "translate --source lighthouse.md --to es --glossary lighthouse_terms.csv --style lighthouse_style.md"
        " --model openai-responses:gpt-5-mini"
    ],
    "legos": [
        "legos import neighbours.tsv --course spa_for_eng_40seeds --dir neighbours",
        "legos extract neighbours --extractor built-in --run-id cut",
        f"legos extract neighbours --again C0012,C0014,C0019 --model {ONE}",
    ],
}


def _serve(kind: str, median: int) -> LoopbackModel:
    scripts = {
        model: ScriptedModel.from_file(Path(str(files("burnish") / "samples" / f"{name}.json")))
        for model, name in SCRIPTS[kind].items()
    }
    thinkers = {model: thinking(script, median) for model, script in scripts.items()}

    def answer(asked: Asked) -> Answer:
        given = thinkers[asked.model](asked)
        assert isinstance(given, Answer)
        return given

    return LoopbackModel(answer)


def _end(kind: str, median: int) -> tuple[object, int, int]:
    """How the sample ended (units, published files), how many calls were made, and how many came back empty."""
    with tempfile.TemporaryDirectory() as home, _serve(kind, median) as server:
        folder = Path(home)
        for name in SAMPLES[kind].files:  # type: ignore[index]
            with as_file(files("burnish") / "samples" / name) as source:
                shutil.copyfile(source, folder / name)
        for command in COMMANDS[kind]:
            words = [
                str(folder / word) if (folder / word).exists() or word == "neighbours" else word
                for word in command.split()
            ]
            if "--model" in words:
                words += ["--base-url", server.base_url, "--run-id", "run", "--workers", "1"]
            if "import" not in words:
                words += ["--runs", str(folder / "runs")]
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                status = main.main(words)
            assert status in (0, 1, 3), f"{command} ended with {status}"
        refused = _failed(folder, "rejected")
        assert not refused, f"{kind}: the script has no answer to {refused} calls"
        return _ended(folder), len(server.requests), _failed(folder, "truncated")


def _ended(folder: Path) -> object:
    with contextlib.closing(sqlite3.connect(folder / "runs/run/journal.sqlite")) as journal:
        units = journal.execute("SELECT id, state, reason, attempts, best_attempt, open_errors FROM units").fetchall()
        drafts = journal.execute("SELECT unit, number, cause, content_hash, passed, failure FROM attempts").fetchall()
    published = [*(folder / "runs/run/out").rglob("*"), *(folder / "runs/run/final").glob("final.*")]
    return (
        sorted(units),
        sorted(map(repr, drafts)),
        sorted((path.name, path.read_bytes()) for path in published if path.is_file()),
    )


def _failed(folder: Path, kind: str) -> int:
    with contextlib.closing(sqlite3.connect(folder / "runs/run/journal.sqlite")) as journal:
        query = "SELECT COUNT(*) FROM calls WHERE error LIKE ? || '%'"
        return int(journal.execute(query, (kind,)).fetchone()[0])


def run(full: bool) -> str:
    figures = []
    for kind in COMMANDS:
        first, calls, _ = _end(kind, MEDIANS[0])
        for median in MEDIANS[1:] if full else (MEDIANS[2],):
            ended, made, cut = _end(kind, median)
            assert ended == first, f"{kind} ended otherwise with a median of {median:,} hidden tokens"
            assert made <= calls * 1.5, f"{kind} made {made} calls instead of {calls} with {median:,} hidden tokens"
            figures.append(f"{kind} {median:,}: {made} calls for {calls}, {cut} cut off")
    return "; ".join(figures) + "; every one ended as with 1"
