"""The models that the guide names exist: the library knows them, and they have a price."""

import re
from pathlib import Path
from typing import get_args

from burnish.models.profiles import PROVIDERS

GUIDE = (Path(__file__).parents[2] / "docs/guides/models.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `([a-z]+):([^`]+)`.*\| \$([\d.]+) / \$([\d.]+) \|", re.MULTILINE)


def test_every_model_of_the_table_is_known_and_priced() -> None:
    from genai_prices import Usage, calc_price
    from pydantic_ai.models import KnownModelName

    rows = ROW.findall(GUIDE)
    assert len(rows) == 9
    known = get_args(KnownModelName.__value__)
    for provider, name, *_ in rows:  # the figures themselves change with the table, and the names only with the guide
        if provider in ("openai", "anthropic", "google"):
            assert f"{provider}:{name}" in known
        assert calc_price(Usage(input_tokens=1_000), model_ref=name, provider_id=provider).total_price > 0


def test_every_model_that_is_typed_has_a_known_provider() -> None:
    names = re.findall(r"--model ([a-z-]+):", GUIDE)
    assert len(names) > 10
    assert set(names) <= PROVIDERS
