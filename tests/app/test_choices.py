"""Arguments of the public Python functions that are one of a few names: a slip is refused, and selects nothing."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import burnish
from burnish import legos, lessons, questions
from burnish.app.lesson_calls import Terms
from burnish.core.choices import refuse_slip
from burnish.core.errors import UsageError
from burnish.models.scripted import ScriptedModel
from tests.engine.questions_bench import sound

LESSON = "# Water\n\nWater is wet.\n"
REQUIRED: dict[str, Callable[[Path], tuple[Any, ...]]] = {
    "polish": lambda home: (home / "bank.json",),
    "translate": lambda home: (home / "book.md",),
    "extract": lambda home: (home,),
    "open_records": lambda home: (home,),
    "report": lambda home: (home,),
    "score": lambda home: ("I go.", "Ich gehe.", [("I go", "Ich gehe")], "deu_for_eng"),
    "arbitrate": lambda home: (LESSON, {}),
    "refine": lambda home: (LESSON,),
    "refine_events": lambda home: (LESSON,),
    "review": lambda home: (LESSON,),
    "judge": lambda home: (LESSON,),
    "validate": lambda home: (sound(0),),
    "correct": lambda home: (sound(0), questions.validate(sound(0))),
}
"""What a call needs besides the choice."""
NAMED: dict[str, dict[str, Any]] = {
    "translate": {"run_id": "r", "to": "fr"},
    "refine": {"judges": [ScriptedModel([]), ScriptedModel([])]},
    "refine_events": {"judges": [ScriptedModel([]), ScriptedModel([])]},
    "judge": {"judges": [ScriptedModel([])]},
    "correct": {"model": ScriptedModel([])},
}
OF_A_PROFILE = {"refine", "refine_events", "review", "judge", "validate", "correct"}
"""Functions whose `profile` is a name that the kind knows."""


def choices() -> Iterator[tuple[ModuleType, str, str]]:
    """Every argument that is one of a few names."""
    for module in (burnish, legos, lessons, questions):
        for name in module.__all__:
            function = getattr(module, name)
            if not inspect.isfunction(function):
                continue
            hints = get_type_hints(function)
            hints |= get_type_hints(Terms) if "terms" in hints else {}
            for argument, hint in hints.items():
                if argument != "return" and holds_literal(hint):
                    yield module, name, argument
            if name in OF_A_PROFILE:
                yield module, name, "profile"


def holds_literal(hint: Any) -> bool:
    return get_origin(hint) is Literal or any(holds_literal(part) for part in get_args(hint))


CASES = [pytest.param(*one, id=".".join(one[1:])) for one in choices()]


@pytest.mark.parametrize(("module", "name", "argument"), CASES)
def test_a_slip_is_refused(
    module: ModuleType, name: str, argument: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "book.md").write_text("# A book\n\nIt is short.\n")
    (tmp_path / "bank.json").write_text("[]")
    with pytest.raises(UsageError) as refused:
        called(getattr(module, name), *REQUIRED[name](tmp_path), **NAMED.get(name, {}), **{argument: "no_such_one"})
    assert "'no_such_one'" in str(refused.value)
    assert str(refused.value).startswith(f"{argument} cannot be")
    assert refused.value.hint
    assert not (tmp_path / "runs").exists()


def called(function: Callable[..., Any], *given: Any, **named: Any) -> None:
    result = function(*given, **named)
    if inspect.isasyncgen(result):
        asyncio.run(first(result))
    elif inspect.iscoroutine(result):
        asyncio.run(result)


async def first(events: AsyncIterator[Any]) -> Any:
    return await anext(events)


def test_a_known_choice_and_none_pass() -> None:
    refuse_slip("mode", "a", Literal["a", "b"])
    refuse_slip("mode", None, ("a", "b"))
    with pytest.raises(UsageError, match="mode cannot be 'c'"):
        refuse_slip("mode", "c", Literal["a", "b"])
