"""Burnish finds what is wrong in model-written learning content, repairs only that, and proves it.

The public API. Everything here is imported when it is first used, so that `import burnish` is fast:

    burnish.check(path)                     the report of `burnish check --format json`, as a dict
    await burnish.polish(path, model=...)   the whole loop, resumable
    await burnish.translate(book, to=...)   a book into another language, resumable
    burnish.questions                       validate and correct single questions
    burnish.legos                           import, extract, report and score a language course
    burnish.lessons                         review, judge, arbitrate and refine single lessons
    burnish.ScriptedModel, burnish.Rule     a model that answers from a script, for your own tests
    burnish.BurnishError                    the root of every error raised on purpose (`burnish.core.errors`)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from burnish import legos, lessons, questions
    from burnish.app.python import check, polish, translate
    from burnish.core.errors import BurnishError
    from burnish.models.scripted import Fault, Rule, ScriptedModel

__version__ = "0.1.0"
__all__ = [
    "BurnishError",
    "Fault",
    "Rule",
    "ScriptedModel",
    "__version__",
    "check",
    "legos",
    "lessons",
    "polish",
    "questions",
    "translate",
]

_MODULES = {
    "BurnishError": "burnish.core.errors",
    "Fault": "burnish.models.scripted",
    "Rule": "burnish.models.scripted",
    "ScriptedModel": "burnish.models.scripted",
    "check": "burnish.app.python",
    "polish": "burnish.app.python",
    "translate": "burnish.app.python",
}


def __getattr__(name: str) -> Any:
    if name in ("legos", "lessons", "questions"):
        return import_module(f"burnish.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'burnish' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
