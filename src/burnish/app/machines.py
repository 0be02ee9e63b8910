"""Translators that are no language models, as far as a run needs them."""

from __future__ import annotations

from burnish.app.translation_orders import APERTIUM
from burnish.engine.interpreters import Translator
from burnish.engine.plan import Plan
from burnish.models.apertium import Apertium


def machines_of(plan: Plan) -> dict[str, Translator]:
    """The translators that are no language models, as far as a run needs them."""
    tool = str(plan.arguments["options"].get("translator", ""))
    return {tool: Apertium(tool.removeprefix(APERTIUM))} if tool.startswith(APERTIUM) else {}
