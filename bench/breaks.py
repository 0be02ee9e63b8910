"""Lines of the runner and the edits, broken by hand one at a time: the tests beside the module have to notice.

A break is made in a copy of the tree, never in the tree itself. A line that is no longer there counts as not caught:
then the table below has to follow the code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.lines import Line, above

TITLE = "Lines broken by hand, and the tests beside the module that catch them"
ROOT = Path(__file__).parent.parent
SHARE = 0.9
"""Of the breaks, how many have to be caught."""
SECONDS = 60
"""A break that makes the tests hang is caught as well."""

BESIDE = {
    "core/edits.py": "tests/core/test_edits.py",
    "core/checks.py": "tests/core/test_safe_fixes.py",
    "core/gate.py": "tests/core/test_gate.py",
    "engine/proof.py": "tests/engine/test_proof.py",
    "engine/plan.py": "tests/engine/test_publish.py",
    "engine/publish.py": "tests/engine/test_publish.py",
    "engine/runner.py": "tests/engine/test_runner.py",
    "engine/interpreters.py": "tests/engine/test_interpreters.py",
}
"""A module -> the tests that lie beside it."""

BREAKS: dict[str, tuple[tuple[str, str], ...]] = {
    "core/edits.py": (
        ("if edit.unit != edited.id:", "if False:"),
        ("if allowed is not None and edit.field not in allowed:", "if False:"),
        ("if text.find(edit.find, first + 1) >= 0:", "if text.find(edit.find, first + len(edit.find)) >= 0:"),
        ("text[first + len(edit.find) :]", "text[first + len(edit.replace) :]"),
        ("if new_length < smallest_remainder * old_length:", "if new_length < smallest_remainder:"),
        ("return expected is None and _stand_in_order(new, text)", "return _stand_in_order(new, text)"),
        ("at = found + len(part)", "at = found"),
        ("if others[0] != others[1]:", "if False:"),
    ),
    "core/checks.py": (
        ("key=lambda edit: -texts[edit.field].find(edit.find)", "key=lambda edit: texts[edit.field].find(edit.find)"),
        ("<= len(fixes.examination.findings) - len(findings)", "<= len(fixes.examination.findings)"),
        ("if raised:\n        rule, place = next(", "if False:\n        rule, place = next("),
        ("> sum(f.blocks for f in before.findings):", "> 1 + sum(f.blocks for f in before.findings):"),
        ("if len(after.findings) >= len(before.findings):", "if len(after.findings) > len(before.findings):"),
    ),
    "core/gate.py": (
        ("if isinstance(value, bool) or not isinstance(value, int | float):", "if not isinstance(value, int | float):"),
        ("if name not in scores and name not in unusable and is_number(value):", "if is_number(value):"),
        (
            "elif not card.scores[dimension.name] >= dimension.minimum:",
            "elif not card.scores[dimension.name] > dimension.minimum:",
        ),
        ("if finding.rule == CRASHED_RULE or finding.severity in BLOCKING:", "if finding.severity in BLOCKING:"),
    ),
    "engine/proof.py": (
        ("return old.content_hash == found.content_hash", "return kind.is_published_as(old, found)"),
        ("if rest > (0 if same_format else units):", "if rest > units:"),
        ("left_out=0 if same_format else units - rest", "left_out=0"),
        ("return not self.left_out and not self.refused", "return not self.left_out"),
        ("return self.culprits if self.shifted else self.suspects", "return self.suspects"),
    ),
    "engine/plan.py": (
        ("return sha256_of(Path(file.path)) == file.sha256", "return sha256_of(Path(file.path)) is not None"),
    ),
    "engine/publish.py": (
        ('part.data.get("blocks", True)', 'part.data.get("blocks", False)'),
        (
            "return None if id in refused else self.best_draft(self.journal.unit(id))",
            "return self.best_draft(self.journal.unit(id))",
        ),
        ("if row is None or row.content_hash != old.content_hash:", "if row is None:"),
        ('if f"sha256:{seen.hexdigest()}" != proof.sha256_after:', "if not seen.hexdigest():"),
        ("if row is not None and row.state == self.kind.states.ready:", "if row is not None:"),
        ("if path.is_file() and sha256_of(path) != proof.sha256_after:", "if path.is_file():"),
        ('if sha256_of(target) != said["sha256_after"]:', 'if not said["sha256_after"]:'),
    ),
    "engine/runner.py": (
        ("return self.limit is not None or self.outage is not None", "return self.limit is not None"),
        ("while is_first or (self.parked and not self.stops):", "while is_first or self.parked:"),
        ("self.limit = self.limit or limit", "self.limit = limit"),
        ("self.client.park(away)", "pass"),
        ("self.is_reopened = self.apply_decisions() or self.is_reopened", "self.is_reopened = self.apply_decisions()"),
        ("raise failures.exceptions[0] from None", "raise"),
        ("reopened, self.is_reopened = self.is_reopened, False", "reopened = self.is_reopened"),
    ),
    "engine/interpreters.py": (
        ("self.was_absent = any(answer.away for answer in answers)", "self.was_absent = False"),
        ('call.at > billed.get(call.key, "")', "True"),
        ("if answer.reply is None and answer.failure != NO_MODELS:", "if answer.reply is None:"),
        ("self.numbers.get(id, self.task.attempts.get(id, 0)) + 1", "self.numbers.get(id, 0) + 1"),
        ("self.held += raised(outcome.blockers)", "pass"),
        ("await self.journal.write(*held, *changed)", "await self.journal.write(*held)"),
        ("attempts = max(row.attempts, self.numbers.get(id, 0))", "attempts = row.attempts"),
    ),
}
"""A module -> parts of its lines, and what stands there instead."""


def run(full: bool) -> list[Line]:
    """Every break in turn. `full` makes no difference: there are few enough."""
    lines: list[Line] = []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        for name in ("src", "tests"):
            shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", copy)
        for module, breaks in BREAKS.items():
            if _fails(copy, BESIDE[module]):
                raise RuntimeError(f"{BESIDE[module]} fails before anything is broken.")
            for old, new in breaks:
                is_caught = _is_caught(copy, module, old, new)
                lines.append(Line(f"{module}: {old}", int(is_caught), BESIDE[module] if is_caught else "NOT CAUGHT"))
    return [*lines, above("breaks caught", sum(line.figure for line in lines), f"of {len(lines)}", SHARE * len(lines))]


def _is_caught(copy: Path, module: str, old: str, new: str) -> bool:
    path = copy / "src" / "burnish" / module
    text = path.read_text(encoding="utf-8")
    if text.count(old) != 1:
        print(f"{module} does not hold exactly once: {old}", flush=True)
        return False
    path.write_text(text.replace(old, new), encoding="utf-8")
    try:
        return _fails(copy, BESIDE[module])
    finally:
        path.write_text(text, encoding="utf-8")


def _fails(copy: Path, tests: str) -> bool:
    command = [sys.executable, "-m", "pytest", "-n0", "-x", "-q", tests]
    env = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        return (
            subprocess.run(command, check=False, cwd=copy, env=env, capture_output=True, timeout=SECONDS).returncode
            != 0
        )
    except subprocess.TimeoutExpired:
        return True
