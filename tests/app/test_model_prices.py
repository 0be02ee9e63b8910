"""The table of the guide to models: what `--estimate` says of the bundled questions today."""

import asyncio
import re
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

import pytest

from burnish.core.errors import UsageError
from burnish.models.profiles import Endpoint
from burnish.models.providers import LiveModels
from tests.app.desk import Desk

GUIDE = (Path(__file__).parents[2] / "docs/guides/models.md").read_text(encoding="utf-8")
ROW = re.compile(
    r"^\| `([\w-]+:[^`]+)`[^|]* \| [^|]+ \| ([\d,]+)(?: to ([\d,]+))? \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE
)
ROWS = ROW.findall(GUIDE)
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.MULTILINE | re.DOTALL)
SCREENS = [
    block for block in BLOCK.findall(GUIDE[GUIDE.index("## Providers") : GUIDE.index("## Roles")]) if "--model" in block
]
PRICED_BY = version("genai-prices")


def amounts(text: str) -> list[str]:
    return re.findall(r"\$([\d.]+)", text)


def test_the_table_has_every_provider_of_a_screen() -> None:
    providers = {model.partition(":")[0] for model, *_ in ROWS}
    assert providers == {"openai", "anthropic", "google", "openrouter", "azure", "ollama"}


@pytest.mark.skipif(f"`genai-prices` {PRICED_BY}" not in GUIDE, reason="the guide was written with other prices")
@pytest.mark.parametrize(("model", "fewest", "most", "likely", "at_most"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_says_what_the_estimate_says(
    desk: Desk, model: str, fewest: str, most: str, likely: str, at_most: str
) -> None:
    bank = str(files("burnish") / "samples" / "biology.json")
    told = desk("polish", bank, "--model", model, "--estimate", "--json").json
    assert f"{told['likely']['tokens']:,}" == fewest
    assert f"{told['likely_up_to']['tokens']:,}" == (most or fewest)
    for shown, name in zip(amounts(likely), ("likely", "likely_up_to"), strict=False):
        assert f"{told[name]['cost']:.{len(shown.partition('.')[2])}f}" == shown
    for shown in amounts(at_most):
        assert f"{told['at_most']['cost']:.{len(shown.partition('.')[2])}f}" == shown
    if "free" in likely:
        assert told["at_most"]["cost"] == 0


@pytest.mark.parametrize("screen", SCREENS, ids=[re.findall(r"--model (\S+)", one)[0] for one in SCREENS])
def test_what_a_screen_exports_is_enough(monkeypatch: pytest.MonkeyPatch, screen: str) -> None:
    """Azure needed a version that the guide did not name."""
    for name in ("OPENAI_API_VERSION", "OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in re.findall(r"^export (\w+)=(\S+)", screen, re.MULTILINE):
        monkeypatch.setenv(name, value)

    async def ready(model: str, base_url: str | None) -> None:
        LiveModels(Endpoint(base_url)).ready(model)

    for model, base_url in re.findall(r"--model (\S+)(?:.*--base-url (\S+))?", screen):
        try:
            asyncio.run(ready(model, base_url or None))
        except UsageError as error:
            extra = f"burnish[{model.partition(':')[0]}]"
            assert extra in (error.hint or "") and extra.removeprefix("burnish") in screen, error
