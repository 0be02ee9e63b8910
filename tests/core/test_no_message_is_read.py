"""What a finding says for people is for people: no code looks into a message; programs read `data` and `related`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import burnish

SOURCE = Path(burnish.__file__).parent
LOOKING = frozenset(
    ("search", "match", "fullmatch", "finditer", "findall", "startswith", "endswith", "find", "index", "split")
)
OF_A_MODEL = frozenset(("text/quotes.py",))
"""These judge what a model wrote about its own claim; no rule wrote it."""


def is_message(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):  # str(...), finding.message.casefold()
        inner = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        return any(map(is_message, inner))
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "message"
    return isinstance(node, ast.Attribute) and node.attr == "message"


def readings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        looked_at: list[ast.expr] = []
        if isinstance(node, ast.Compare) and any(isinstance(each, ast.In | ast.NotIn) for each in node.ops):
            looked_at = node.comparators
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LOOKING:
            looked_at = [node.func.value, *node.args]
        if any(map(is_message, looked_at)):
            yield node.lineno


def test_no_code_reads_a_message() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        if path.relative_to(SOURCE).as_posix() not in OF_A_MODEL
        for line in readings(ast.parse(path.read_text("utf-8")))
    ]
    assert found == []


def test_the_search_sees_what_pages_did() -> None:
    was = """
_LIKE.match(str(finding["message"]))
QUOTED.finditer(finding.message)
worst.message.startswith(name)
place in finding.message.casefold()
"""
    assert list(readings(ast.parse(was))) == [2, 3, 4, 5]
