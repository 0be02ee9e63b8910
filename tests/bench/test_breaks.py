"""Slips are drawn from the code as it is, made in a copy, and told by who notices them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from bench.breaks import ASIDE, BESIDE, ROOMS, ROOT, WIDER, Fate, beside, fates, lines, reasons
from bench.slips import Slip, drawn, slips_of

pytestmark = pytest.mark.no_cover
SOURCE = ROOT / "src" / "burnish"
CODE = '''"""A module: 1 == 1."""
from typing import Protocol


class Shape(Protocol):
    limit: int = 3

    def area(self) -> int: ...


@decorated(limit=3)
def least(one: int, other: int, é: "Literal[1]" = 7) -> int | None:
    """No slip: not 1."""
    if one is not None and other >= 2:
        return min(one, other)
    for at in range(one):
        if (at) == 5:  # not a slip: ==
            continue
        raise ValueError(f"é {at}")
    kept = [x for x in (one, other) if not x]
    await store.write(kept)
    try:
        kept[1:other] = pair(one, other)
    except (KeyError, IndexError):
        pass
    return kept or None
'''


def test_each_sort_of_slip_is_found_and_only_in_code_that_runs() -> None:
    found = {(slip.before, slip.after) for slip in slips_of(CODE.encode(), "core/x.py")}
    condition = "if one is not None and other >= 2:"
    for before, after in (
        (condition, "if one and other >= 2:"),
        (condition, "if one is not None or other >= 2:"),
        (condition, "if one is not None and other > 2:"),
        (condition, "if other >= 2:"),
        (condition, "if not (one is not None and other >= 2):"),
        (condition, "if one is not None and other >= 3:"),
        ("return min(one, other)", "return max(one, other)"),
        ("return min(one, other)", "return min(other, one)"),
        ("return min(one, other)", "pass"),
        ("if (at) == 5: # not a slip: ==", "if (at) != 5: # not a slip: =="),
        ("continue", "break"),
        ('raise ValueError(f"é {at}")', "pass"),
        ("kept = [x for x in (one, other) if not x]", "kept = [x for x in (one, other) if (x)]"),
        ("kept = [x for x in (one, other) if not x]", "kept = [x for x in (one, other) if True]"),
        ("await store.write(kept)", "pass"),
        ("kept[1:other] = pair(one, other)", "kept[2:other] = pair(one, other)"),
        ("kept[1:other] = pair(one, other)", "kept[1:other + 1] = pair(one, other)"),
        ("except (KeyError, IndexError):", "except (KeyError,):"),
    ):
        assert (before, after) in found, after
    default = 'def least(one: int, other: int, é: "Literal[1]" = 7) -> int | None:'
    assert (default, default.replace("= 7", "= 8")) in found
    told = {before for before, _ in found}
    assert not any(text in before for before in told for text in ("decorated", "limit", "No slip", "A module"))


def test_every_slip_changes_its_own_line_and_no_other() -> None:
    source = (SOURCE / "core" / "edits.py").read_bytes()
    slips = slips_of(source, "core/edits.py")
    assert len(slips) > 200 and len({slip.name for slip in slips}) == len(slips)
    rows = source.decode().split("\n")
    for slip in slips:
        changed = slip.applied(source).decode().split("\n")
        assert changed[: slip.line - 1] == rows[: slip.line - 1] and changed != rows
        assert rows[slip.line - 1].split()[0] in slip.before


def tree(folder: Path, **modules: str) -> Path:
    """Modules by name, each in a package that is a folder: `core_x` is core/x.py."""
    for name, code in modules.items():
        room, _, module = name.partition("_")
        path = folder / room / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        for package in (folder, path.parent):
            (package / "__init__.py").touch()
        path.write_text(code)
    return folder


MORE = "def more(a: int) -> int:\n    if a > 3:\n        return a - 1\n    return a * 2\n"


def test_a_draw_is_repeated_and_follows_the_code(tmp_path: Path) -> None:
    home = tree(tmp_path, core_x=CODE, store_y=MORE)
    first, aside = drawn(home, ("core", "store"), 7, 8)
    assert drawn(home, ("core", "store"), 7, 8) == (first, aside) and aside == []
    assert len({(slip.module, slip.line) for slip in first}) == len(first)
    assert drawn(home, ("core", "store"), 8, 8)[0] != first
    tree(tmp_path, core_x="WORDS = ()\n\n\n" + CODE)
    moved, _ = drawn(home, ("core", "store"), 7, 8)
    assert {slip.name for slip in moved} == {slip.name for slip in first}, "only their lines are others"


def test_what_is_set_aside_is_counted_and_another_takes_its_place(tmp_path: Path) -> None:
    home = tree(tmp_path, core_x=CODE)
    first, _ = drawn(home, ("core",), 7, 4)
    equal = {(first[0].module, first[0].before, first[0].after)}
    others, aside = drawn(home, ("core",), 7, 4, equal)
    assert len(others) == 4 and aside == [first[0]] and first[0] not in others


@pytest.mark.parametrize("code", ["x = 1 if\n", "x = -1\n"])
def test_only_code_that_compiles_is_drawn(tmp_path: Path, code: str) -> None:
    if code.endswith("if\n"):
        with pytest.raises(SyntaxError):
            drawn(tree(tmp_path, core_x=code), ("core",), 1, 1)
        return
    home = tree(tmp_path, core_x=code)
    for slip in drawn(home, ("core",), 1, 9)[0]:
        assert ast.dump(ast.parse(slip.applied(code.encode()))) != ast.dump(ast.parse(code))


def test_what_is_set_aside_is_still_a_slip_of_the_code_and_has_a_reason() -> None:
    assert ASIDE.is_file()
    for (module, before, after), reason in reasons().items():
        found = {(slip.before, slip.after) for slip in slips_of((SOURCE / module).read_bytes(), module)}
        assert (before, after) in found, f"{module} has no such line any more: {before}"
        assert len(reason.split()) > 4


def test_every_module_has_tests_beside_it() -> None:
    assert beside("core/edits.py")[0] == "tests/core/test_edits.py"
    assert "tests/core/test_protected.py" in beside("core/edits.py"), "it imports the module"
    assert "tests/text/meaning/test_differences.py" in beside("text/meaning/wording.py"), "the folder of its package"
    for module in BESIDE:
        assert (SOURCE / module).is_file()
    for tests in (*BESIDE.values(), *WIDER.values()):
        assert all((ROOT / test).exists() for test in tests)
    for room in ROOMS:
        for path in (SOURCE / room).rglob("*.py"):
            module = path.relative_to(SOURCE).as_posix()
            assert beside(module) or not slips_of(path.read_bytes(), module), module


def test_a_slip_is_made_in_the_copy_and_taken_back(tmp_path: Path) -> None:
    tree(tmp_path / "src" / "burnish", core_x=MORE)
    tree(
        tmp_path / "tests",
        core_test_x="from burnish.core.x import more\n\n\ndef test():\n    assert more(1) == 2 and more(9) == 8\n",
    )
    source = (tmp_path / "src/burnish/core/x.py").read_bytes()
    slips = {slip.after: slip for slip in slips_of(source, "core/x.py")}
    wanted = [slips["if a >= 3:"], slips["return a + 1"], slips["return a / 2"]]
    found = [*fates(tmp_path, wanted, only_beside=True)]
    assert [fate.by for fate in found] == ["nothing", "beside", "beside"]
    assert (tmp_path / "src/burnish/core/x.py").read_bytes() == source


def test_tests_that_fail_before_anything_is_broken_prove_nothing(tmp_path: Path) -> None:
    tree(tmp_path / "src" / "burnish", core_x=MORE)
    tree(tmp_path / "tests", core_test_x="import burnish.core.x\n\n\ndef test_it():\n    assert False\n")
    [slip, *_] = slips_of(MORE.encode(), "core/x.py")
    with pytest.raises(RuntimeError, match="before anything is broken"):
        [*fates(tmp_path, [slip], only_beside=True)]


def test_the_table_tells_the_survivors_and_both_shares() -> None:
    slip = Slip("core/x.py", 0, 1, b"", 3, "a > 1", "a >= 1")
    told = lines([Fate(slip, "beside")] * 3 + [Fate(slip, "wider"), Fate(slip, "nothing")], aside=2)
    by_name = {line.what: line for line in told}
    assert (by_name["caught beside the code"].figure, by_name["caught beside the code"].verdict) == (3, "over")
    assert (by_name["caught by all chosen"].figure, by_name["caught by all chosen"].verdict) == (4, "over")
    assert by_name["NOT CAUGHT core/x.py:3: a > 1"].unit == "a >= 1"
    assert by_name["set aside: nobody can see a difference"].figure == 2
    assert all(line.verdict in ("", "ok") for line in lines([Fate(slip, "beside")], aside=0))
