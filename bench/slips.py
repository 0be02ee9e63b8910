"""Slips that a tired hand makes, found in the syntax tree of a module: one change of one line each.

Which slips are drawn depends on the seed and on each slip alone, so a change of the code moves no other slip.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import ClassVar

TURNED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
}
"""An operator -> how it is written, and what stands there instead."""
MISTAKEN = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "startswith": "endswith",
    "endswith": "startswith",
    "find": "rfind",
    "lstrip": "strip",
    "rstrip": "strip",
    "union": "intersection",
    "partition": "rpartition",
    "rpartition": "partition",
    "match": "search",
    "search": "match",
    "fullmatch": "match",
}
"""A function or method -> the one that is written in its place."""
SMALL = 16
"""An integer up to this may be off by one; of a larger one a digit is lost."""
TEXTS = (ast.JoinedStr, ast.List, ast.Tuple)
UNSEEN = ("repr", "timeout")
"""Arguments that have no slips: no test asserts a time."""
UNREAD = ("annotation", "returns", "decorator_list", "type_params")
"""Parts of a tree that have no slips: most of them only a type checker reads."""


@dataclass(frozen=True, slots=True)
class Slip:
    """A part of a module, and what stands there instead."""

    module: str
    """As `core/edits.py`."""
    start: int
    end: int
    """Bytes of the module."""
    new: bytes
    line: int = 0
    before: str = ""
    """The lines that change, without their indent."""
    after: str = ""
    nth: int = 0
    """How many slips of the module with the same two texts come before it."""

    @property
    def name(self) -> str:
        """What tells it from every other slip, wherever the lines stand."""
        return f"{self.module}|{self.before}|{self.after}|{self.nth}"

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new + source[self.end :]


def drawn(
    source: Path, rooms: Sequence[str], seed: int, number: int, aside: Collection[tuple[str, str, str]] = ()
) -> tuple[list[Slip], list[Slip]]:
    """The first `number` slips by lot, as many from each room and one of a line at most; and those set aside."""
    set_aside: list[Slip] = []
    share, rest = divmod(number, len(rooms))
    taken: list[Slip] = []
    for position, room in enumerate(rooms):
        found = {path: path.read_bytes() for path in sorted((source / room).rglob("*.py"))}
        names = {path.relative_to(source).as_posix(): text for path, text in found.items()}
        slips = [slip for module, text in names.items() for slip in slips_of(text, module)]
        lines: set[tuple[str, int]] = set()
        for slip in sorted(slips, key=lambda slip: sha256(f"{seed}|{slip.name}".encode()).digest()):
            if len(lines) == share + (position < rest):
                break
            if (slip.module, slip.line) not in lines and _says_something_else(names[slip.module], slip):
                if (slip.module, slip.before, slip.after) in aside:
                    set_aside.append(slip)
                else:
                    lines.add((slip.module, slip.line))
                    taken.append(slip)
    return sorted(taken, key=lambda slip: (slip.module, slip.line)), set_aside


def slips_of(source: bytes, module: str) -> list[Slip]:
    """Every slip of a module, in the order of its lines."""
    seen, found = dict[tuple[str, str], int](), []
    for start, end, new in sorted(set(_Slips(source).of(ast.parse(source)))):
        slip = Slip(module, start, end, new.encode())
        before, after = _lines(source, slip)
        nth = seen[before, after] = seen.get((before, after), -1) + 1
        found.append(replace(slip, line=source.count(b"\n", 0, start) + 1, before=before, after=after, nth=nth))
    return found


def _says_something_else(source: bytes, slip: Slip) -> bool:
    """Whether the module still compiles and is another one."""
    try:
        return ast.dump(ast.parse(slip.applied(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


def _lines(source: bytes, slip: Slip) -> tuple[str, str]:
    first = source.rfind(b"\n", 0, slip.start) + 1
    last = source.find(b"\n", slip.end)
    changed = source[first : slip.start] + slip.new + source[slip.end : last]
    before, after = (" ".join(text.decode().split()) for text in (source[first:last], changed))
    return before, after


Found = Iterator[tuple[int, int, str]]
"""Start, end, what stands there instead."""


class _Slips:
    """Walks a tree; what only a type checker reads (annotations, decorators, protocols) has no slips."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.starts = [0, *(match.end() for match in re.finditer(rb"\n", source))]
        self.alike: dict[str, str] = {}
        """Parameters of the functions around -> their annotation."""

    def of(self, node: ast.AST) -> Found:
        outer = self.alike
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            self.alike = {**outer, **{a.arg: ast.dump(a.annotation) for a in arguments if a.annotation}}
        for kind, slips in self.kinds.items():
            if isinstance(node, kind):
                yield from slips(self, node)
        for name, field in ast.iter_fields(node):
            if name in UNREAD or (isinstance(node, ast.keyword) and node.arg in UNSEEN):
                continue
            for child in field if isinstance(field, list) else (field,):
                if isinstance(child, ast.AST) and not _is_for_types(child):
                    yield from self.of(child)
        self.alike = outer

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self.source[start:end].decode()

    def _sign(self, left: ast.expr, right: ast.expr, written: str) -> tuple[int, int]:
        """Where the operator between two expressions is written."""
        start, end = self._span(left)[1], self._span(right)[0]
        pattern = re.escape(written).replace(r"\ ", r"\s+").encode()
        gap = re.search(pattern, re.sub(rb"#[^\n]*", lambda c: b" " * len(c[0]), self.source[start:end]))
        assert gap is not None, (written, self.source[start:end])
        return start + gap.start(), start + gap.end()

    def compared(self, node: ast.Compare) -> Found:
        """A comparison turned, `is None` weakened to what is true or false."""
        for operator, left, right in zip(node.ops, [node.left, *node.comparators], node.comparators, strict=False):
            written, other = TURNED[type(operator)]
            start, end = self._sign(left, right, written)
            yield start, end, other
            if isinstance(right, ast.Constant) and right.value is None and len(node.ops) == 1:
                begins, ends = self._span(node)
                kept = self.source[begins:start].decode().rstrip()
                yield begins, ends, kept if written == "is not" else f"not {kept}"

    def joined(self, node: ast.BoolOp) -> Found:
        """`and` for `or`, or one condition forgotten."""
        written, other = TURNED[type(node.op)]
        for left, right in pairwise(node.values):
            start, end = self._sign(left, right, written)
            yield start, end, other
        first, last = self._span(node)
        for left, right in pairwise(node.values):
            start, end = self._sign(left, right, written)
            if left is node.values[0]:
                yield first, end, ""
            if right is node.values[-1]:
                yield start, last, ""

    def reckoned(self, node: ast.BinOp) -> Found:
        """Plus for minus; texts and lists are not reckoned with."""
        texts = [part for part in ast.walk(node) if isinstance(part, TEXTS) or _is_text(part)]
        if type(node.op) in TURNED and not texts:
            written, other = TURNED[type(node.op)]
            yield (*self._sign(node.left, node.right, written), other)

    def negated(self, node: ast.If | ast.While | ast.IfExp) -> Found:
        """A condition turned, or an early return left out."""
        yield (*self._span(node.test), f"not ({self._text(node.test)})")
        if isinstance(node, ast.If):
            for statement in node.body:
                if isinstance(statement, ast.Return | ast.Continue):
                    yield (*self._span(statement), "pass")

    def sifted(self, node: ast.comprehension) -> Found:
        """A condition of a comprehension turned, or forgotten."""
        for test in node.ifs:
            yield (*self._span(test), f"not ({self._text(test)})")
            yield (*self._span(test), "True")

    def denied(self, node: ast.UnaryOp) -> Found:
        if isinstance(node.op, ast.Not | ast.USub):
            yield (*self._span(node), f"({self._text(node.operand)})")

    def counted(self, node: ast.Constant) -> Found:
        """Off by one, a digit lost, or the other truth."""
        if isinstance(node.value, bool):
            yield (*self._span(node), str(not node.value))
        elif isinstance(node.value, int):
            near = (node.value + 1, node.value - 1) if node.value else (1,)
            for other in near if node.value <= SMALL else (node.value // 10,):
                yield (*self._span(node), str(other))

    def cut(self, node: ast.Slice) -> Found:
        """A bound of a slice off by one."""
        for bound in (node.lower, node.upper):
            if bound is not None and not isinstance(bound, ast.Constant | ast.UnaryOp):
                yield (*self._span(bound), f"{self._text(bound)} + 1")

    def called(self, node: ast.Call) -> Found:
        """Two arguments of one type swapped, a neighbour of the function called."""
        if isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in MISTAKEN:
                end = self._span(node.func)[1]
                yield end - len(name), end, MISTAKEN[name]
        for left, right in pairwise(node.args):
            if self._are_alike(left, right):
                yield self._span(left)[0], self._span(right)[1], f"{self._text(right)}, {self._text(left)}"

    def _are_alike(self, left: ast.expr, right: ast.expr) -> bool:
        if isinstance(left, ast.Name) and isinstance(right, ast.Name):
            return left.id in self.alike and self.alike[left.id] == self.alike.get(right.id)
        return isinstance(left, ast.Attribute) and isinstance(right, ast.Attribute) and left.attr == right.attr

    def dropped(self, node: ast.stmt) -> Found:
        """A statement left out: a call, a write that is awaited, a yield, a raise, a count."""
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            return
        if isinstance(node, ast.Assign) and not isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            return
        yield (*self._span(node), "pass")

    def left(self, node: ast.Break | ast.Continue) -> Found:
        yield (*self._span(node), "continue" if isinstance(node, ast.Break) else "break")

    def caught(self, node: ast.ExceptHandler) -> Found:
        """Of several exceptions one is forgotten."""
        if isinstance(node.type, ast.Tuple):
            for index in range(len(node.type.elts)):
                rest = [self._text(part) for at, part in enumerate(node.type.elts) if at != index]
                yield (*self._span(node.type), f"({', '.join(rest)},)")

    kinds: ClassVar[dict[type | tuple[type, ...], Callable[..., Found]]] = {
        ast.Compare: compared,
        ast.BoolOp: joined,
        ast.BinOp: reckoned,
        (ast.If, ast.While, ast.IfExp): negated,
        ast.comprehension: sifted,
        ast.UnaryOp: denied,
        ast.Constant: counted,
        ast.Slice: cut,
        ast.Call: called,
        (ast.Expr, ast.Raise, ast.AugAssign, ast.Assign): dropped,
        (ast.Break, ast.Continue): left,
        ast.ExceptHandler: caught,
    }


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)


def _is_for_types(node: ast.AST) -> bool:
    """Whether no program runs this: a protocol, or imports for the type checker."""
    if isinstance(node, ast.ClassDef):
        return any(isinstance(base, ast.Name | ast.Subscript) and "Protocol" in ast.dump(base) for base in node.bases)
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
