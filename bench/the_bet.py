"""`python -m bench.the_bet`: a whole story, English to Spanish through Apertium, reviewed, reworked and published.

The story is Chekhov's *The Bet*, which is not in this repository (`--book FILE`, by default
../shared/data/books/the_bet.md), and Apertium has to be installed (Debian: apertium, apertium-eng-spa). The model that
reworks is a server on 127.0.0.1 which knows the places that fail: what is shown is the way through the gate and what
it costs, not how well a model writes.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import Any

from burnish.cli.main import main as burnish
from burnish.models.calls import Call
from burnish.models.scripted import ScriptedModel
from tests.loopback import LoopbackModel
from tests.manuscripts_model import FENCED, is_asked_about

BOOK = Path(__file__).resolve().parents[2] / "shared" / "data" / "books" / "the_bet.md"
RUN = "bet"
SCORES = dict.fromkeys(("grammar", "vocabulary", "style", "voice", "semantic_fidelity"), 0.9)
REVISED = {
    "Quién es el más humane executioner, uno quién mata tú en unos cuantos segundos o uno quién dibuja la vida fuera "
    "de ti incessantly, para años?": "¿Quién es el verdugo más humano, el que te mata en unos segundos o el que te "
    "saca la vida sin cesar, durante años?",
    "Por qué hago esta apuesta? Qué es el bueno?": "¿Por qué hice esta apuesta? ¿De qué sirve?",
    "yo echan fuera dos millones. convence personas que la pena capital es peor o mejor que encarcelamiento de por "
    "vida? No, no! Todo material y basura.": "yo tiro dos millones. ¿Convencerá a la gente de que la pena capital es "
    "peor o mejor que la cadena perpetua? ¡No, no! Todo tonterías y basura.",
    "Oh, si supiste mi felicidad celestial ahora que les puedo entender!": "¡Oh, si supiera usted mi felicidad "
    "celestial ahora que las puedo entender!",
    "Por qué no el dado de hombre?": "¿Por qué no se murió ese hombre?",
    "Ningún, es demasiado!": "¡No, es demasiado!",
    "despreciar todo worldly bendiciones y cordura": "desprecio todas las bendiciones y la sabiduría del mundo",
    "Todo es void, frail, visionary y delusive como espejismo.": "Todo es vano, frágil, ilusorio y engañoso como un "
    "espejismo.",
}
"""What the machine wrote where the gate is shut -> what a reviser makes of it."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.the_bet", description=__doc__)
    parser.add_argument("--book", type=Path, default=BOOK, help="The Bet, as Markdown")
    book = parser.parse_args().book.resolve()
    if not book.is_file():
        print(f"There is no {book}: name the book with --book FILE.", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("the_bet.md").write_bytes(book.read_bytes())
        return _whole_way()


def _whole_way() -> int:
    by_rules = "--translator apertium:eng-spa --rules-only"
    first = _run(f"translate --run-id {RUN} --source the_bet.md --to es {by_rules} --no-color")
    if first not in (0, 3):
        return first
    _tell_gate()
    with LoopbackModel(ScriptedModel(_answer)) as server:
        reworking = f"translate --mode rework-only --run-id {RUN} --model openai:reviser --approve --no-color"
        last = _run(f"{reworking} --base-url {server.base_url}", shown=reworking)
    asked = Counter(request.reply_name for request in server.requests)
    print("Asked of the model: " + ", ".join(f"{name} {count}" for name, count in sorted(asked.items())))
    _tell_published()
    return last


def _run(command: str, shown: str | None = None) -> int:
    """Run a command of ours, and show it."""
    print(f"$ burnish {(shown or command).removesuffix(' --no-color')}", flush=True)
    code = burnish(command.split())
    print(f"(exit code {code})\n" if code else "", flush=True)
    return code


def _tell_gate() -> None:
    """What the rules held against the machine's translation."""
    found: dict[str, Counter[str]] = {"error": Counter(), "warning": Counter()}
    for row in _rows("review/normalized/grammar_paragraph_rows.jsonl"):
        for severity, rules in found.items():
            rules.update({issue["rule"] for issue in row["issues"] if issue["severity"] == severity})
    rows = [row for row in _rows("state/paragraph_state.jsonl") if not row["excluded_by_policy"]]
    failed = [row["paragraph_id"] for row in rows if row["status"] == "manual_review_required"]
    print(f"{len(failed)} of {len(rows)} paragraphs fail the gate of the rules: {', '.join(failed)}")
    for severity, rules in found.items():
        told = ", ".join(f"{rule} {count}" for rule, count in rules.most_common())
        print(f"  {severity}s, by paragraphs: {told or 'none'}")
    print("", flush=True)


def _tell_published() -> None:
    receipt = json.loads(Path("runs", RUN, "receipt.json").read_text(encoding="utf-8"))
    rows = [row for row in _rows("state/paragraph_state.jsonl") if not row["excluded_by_policy"]]
    reworked = [row for row in rows if row["attempt"] > 1]
    tokens = receipt["totals"]["total_tokens"]
    print(f"{len(reworked)} of {len(rows)} paragraphs reworked, {tokens:,} tokens in all; translating took none.")
    if receipt["published"]:
        text = Path("runs", RUN, "final", "final.md").read_text(encoding="utf-8")
        print(f"Published: {len(text.split()):,} words. It begins: {text.split(chr(10) * 2)[0]!r}")


def _rows(name: str) -> Iterator[dict[str, Any]]:
    for line in Path("runs", RUN, name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _answer(call: Call) -> object:
    """The reviser edits; as a reviewer it is content with everything, so that only the rules judge."""
    work = [
        json.loads(line) for _, name, text in FENCED.findall(call.user) if name == "work" for line in text.split("\n")
    ]
    if call.reply_name == "edit_reply":
        return {"reasoning": "", "edits": [edit for one in work for edit in _edits(one)]}
    if call.reply_name == "translation_review_reply":
        judged = [
            {"paragraph_id": one["paragraph_id"], "scores": SCORES, "issues": []} for one in work if is_asked_about(one)
        ]
        return {"reasoning": "", "paragraphs": judged}
    if call.reply_name == "critic_reply":
        return {"reasoning": "", "issues": [], "scores": {}}
    return {"translations": []}


def _edits(one: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for find, replace in REVISED.items():
        if one["draft"].count(find) == 1:
            yield {"unit": one["unit"], "field": None, "find": find, "replace": replace}


if __name__ == "__main__":
    raise SystemExit(main())
