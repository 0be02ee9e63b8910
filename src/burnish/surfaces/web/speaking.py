"""Who says so: the sources of findings and the names of models, as people call them."""

from __future__ import annotations

from collections.abc import Iterable

from burnish.surfaces.web.wording import listed

MODEL, PERSON = "model:", "person:"
SOURCES = {"rule": "check", "document": "check of the whole document"}


def said_by(source: str) -> str:
    """Who raised a finding: `check`, `gemma-3-27b and qwen3-32b`, `Lila, by hand`."""
    if source in SOURCES:
        return SOURCES[source]
    if source.startswith(PERSON):
        return f"{source.removeprefix(PERSON)}, by hand"
    return models_said(source.removeprefix(MODEL).split(","))


def model_name(model: str) -> str:
    """A model without its provider, and without a folder where it is a file."""
    _, _, name = model.partition(":")
    return (name or model).rpartition("/")[2] or model


def models_said(models: Iterable[str]) -> str:
    """Several models, each once."""
    return listed(dict.fromkeys(model_name(model) for model in models if model))
