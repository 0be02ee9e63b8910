"""Recordings on disk, and how a run of today is held against one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
WIDTH = 118
AS_PLAIN = "as in the plain run"


def path_of(name: str) -> Path:
    return CASES / f"{name}.json"


def recorded(name: str) -> Any:
    """The recording of a case, whole."""
    found = json.loads(path_of(name).read_text(encoding="utf-8"))
    base = base_of(name)
    return found if base is None else _filled(found, base)


def write(name: str, record: Any) -> None:
    """Keep a recording; what is the same in the plain run of its kind is kept there only."""
    CASES.mkdir(exist_ok=True)
    base = base_of(name)
    path_of(name).write_text(pretty(record if base is None else _without(record, base)) + "\n", encoding="utf-8")


def base_of(name: str) -> Any:
    """What the plain run of a case's kind came to; None for the plain run itself."""
    path = path_of(f"{name.partition('_')[0]}_plain")
    if path == path_of(name) or not path.exists():
        return None
    [run] = [part for title, part in json.loads(path.read_text(encoding="utf-8")).items() if title.startswith("run ")]
    return run


def _without(value: Any, base: Any) -> Any:
    """Parts of runs that are as in the plain run are replaced by a mark."""
    runs = {title: part for title, part in value.items() if title.startswith("run ")}
    return {**value, **{title: _marked(part, base) for title, part in runs.items()}}


def _marked(part: Any, base: Any) -> Any:
    if part == base and len(json.dumps(part)) > 2 * len(AS_PLAIN):
        return AS_PLAIN
    if isinstance(part, dict) and isinstance(base, dict):
        return {key: _marked(one, base.get(key)) for key, one in part.items()}
    if isinstance(part, list) and isinstance(base, list) and len(part) == len(base):
        return [_marked(*pair) for pair in zip(part, base, strict=True)]
    return part


def _filled(value: Any, base: Any) -> Any:
    runs = {title: part for title, part in value.items() if title.startswith("run ")}
    return {**value, **{title: _unmarked(part, base) for title, part in runs.items()}}


def _unmarked(part: Any, base: Any) -> Any:
    if part == AS_PLAIN:
        return base
    if isinstance(part, dict) and isinstance(base, dict):
        return {key: _unmarked(one, base.get(key)) for key, one in part.items()}
    if isinstance(part, list) and isinstance(base, list) and len(part) == len(base):
        return [_unmarked(*pair) for pair in zip(part, base, strict=True)]
    return part


def differences(before: Any, now: Any, place: str = "") -> Iterator[str]:
    """Where two records differ, a line for each place."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in sorted(before.keys() | now.keys()):
            if key not in before or key not in now:
                what = f"new: {_short(now[key])}" if key in now else f"gone: {_short(before[key])}"
                yield f"{place}/{key}: {what}"
            else:
                yield from differences(before[key], now[key], f"{place}/{key}")
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for number, pair in enumerate(zip(before, now, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif before != now:
        yield f"{place}: {_short(before)} -> {_short(now)}"


def pretty(value: Any, indent: int = 0) -> str:
    """JSON with sorted keys, a line for whatever fits on one."""
    whole = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(whole) + indent <= WIDTH or not isinstance(value, dict | list) or not value:
        return whole
    inner = " " * (indent + 1)
    if isinstance(value, list):
        return "[\n" + ",\n".join(inner + pretty(one, indent + 1) for one in value) + f"\n{' ' * indent}]"
    lines = (f"{inner}{json.dumps(key, ensure_ascii=False)}: {pretty(value[key], indent + 1)}" for key in sorted(value))
    return "{\n" + ",\n".join(lines) + f"\n{' ' * indent}}}"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= 300 else f"{text[:300]} ... ({len(text)} characters)"
