"""Settings: `burnish.toml` or `[tool.burnish]`, then `BURNISH_*`, then flags. A wrong one is named with file, key."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from burnish.core.findings import Severity


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not true or false")
    return value


def _model_name(value: str) -> str:
    provider, colon, model = value.partition(":")
    if not (provider and colon and model) or value != value.strip():
        raise ValueError("a model is named `provider:model`, such as `openai:gpt-4o` or `anthropic:claude-sonnet-4-5`")
    return value


def _nobody_twice(panel: tuple[str, ...]) -> tuple[str, ...]:
    """One model in two seats is asked once: its word would count as two."""
    twice = next((judge for at, judge in enumerate(panel) if judge in panel[:at]), None)
    if twice is not None:
        raise ValueError(f"{twice} sits on the panel twice, and would have two votes; name different models")
    return panel


def _web_address(value: str) -> str:
    if not value.startswith(("http://", "https://")):
        raise ValueError("an address begins with http:// or https://")
    return value


def _variable_name(value: str) -> str:
    if not value.isidentifier():
        raise ValueError("the name of an environment variable is wanted, not the key itself")
    return value


Count = Annotated[int, BeforeValidator(_no_truth_value), Field(ge=1)]
Amount = Annotated[float, BeforeValidator(_no_truth_value), Field(ge=0, allow_inf_nan=False)]
ModelName = Annotated[str, AfterValidator(_model_name)]
Address = Annotated[str, AfterValidator(_web_address)]


class Section(BaseModel):
    """A table of the settings file. What it does not know it refuses."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Models(Section):
    """Which model sits in which seat."""

    model: ModelName | None = None
    """The model of every role that has none of its own, as `provider:model`."""
    corrector: ModelName | None = None
    """Repairs what the rules found."""
    reviewer: ModelName | None = None
    """Reads a unit for what no rule can see."""
    patcher: ModelName | None = None
    """Edits sections of lessons. Not set: the corrector."""
    generator: ModelName | None = None
    """Writes a lesson, or its broken sections, again. Not set: nothing is written again."""
    allow_same_family: bool = False
    """Whether judges of one model family, or of the generator's, may sit on a panel for lessons."""
    judges: Annotated[tuple[ModelName, ...], AfterValidator(_nobody_twice)] = ()
    """A panel of different reviewers; a finding needs more than half of all seats. Takes the place of the reviewer."""
    base_url: Address | None = None
    """Address of an OpenAI-compatible server, for every provider without an endpoint of its own."""

    def corrector_or_default(self) -> str | None:
        return self.corrector or self.model

    def panel(self) -> tuple[str, ...]:
        """The models that review: the judges, or the one reviewer, or nobody."""
        reviewer = self.reviewer or self.model
        return self.judges or ((reviewer,) if reviewer else ())


class Price(Section):
    """What a model costs, in US dollars for a million tokens."""

    input: Amount
    """A million tokens sent."""
    output: Amount
    """A million tokens received."""


class Endpoint(Section):
    """Where a provider answers."""

    base_url: Address | None = None
    """Address of the server."""
    api_key_env: Annotated[str, AfterValidator(_variable_name)] | None = None
    """Name of the environment variable that holds the key. The key itself never stands in a settings file."""


class Limits(Section):
    """Ceilings. A run that meets one stops cleanly and can be resumed."""

    workers: Count = 4
    """Model calls under way at the same time."""
    max_tokens: Count | None = None
    """Tokens a run may spend; the call that would cross it is not made."""
    max_cost: Amount | None = None
    """US dollars a run may spend."""
    max_seconds: Amount | None = None
    """Time a run may take."""
    requests_per_minute: Count | None = None
    """Requests to each model a minute."""
    tokens_per_minute: Count | None = None
    """Tokens to and from each model a minute."""
    timeout_seconds: Annotated[Amount, Field(gt=0)] = 120.0
    """How long one call may take."""
    max_tries: Count = 4
    """How often one call is tried before it counts as failed."""


class CheckSettings(Section):
    """What `burnish check` does when no flag says otherwise."""

    select: tuple[str, ...] = ()
    """Only these rules. Empty: all."""
    ignore: tuple[str, ...] = ()
    """Not these rules."""
    profile: str = "default"
    """`default` or `strict`."""
    severity: dict[str, Severity] = Field(default_factory=dict)
    """Rule -> severity that differs from the profile's."""
    institution: str | None = None
    """Whose rules apply: the name of an `institutions` table."""
    jobs: Count | None = None
    """Worker processes. Not set: one for each core."""


class Institution(Section):
    """What one institution asks of its questions."""

    enabled_rules: tuple[str, ...] = ()
    """Only these rules. Empty: all."""
    disabled_rules: tuple[str, ...] = ()
    """Not these rules."""
    severity_overrides: dict[str, Severity] = Field(default_factory=dict)
    """Rule -> severity."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata every question must carry. Not set: the usual fields, where the bank has them at all."""
    concepts: str | None = None
    """A JSON file with the concept graph: concept id -> list of words that show it. Beside the settings file."""


class Serving(Section):
    """What `burnish serve` allows whoever comes in."""

    max_body_mb: Count = 32
    """Largest request, in megabytes."""
    requests_per_second: Count = 100
    """Pages and answers that one address may ask for, on average; three seconds of them at once."""
    changes_per_second: Count = 20
    """The same for requests that change something."""
    jobs_per_minute: Count = 60
    """The same for checks and for new runs; ten of them at once."""
    runs_at_once: Count = 2
    """Runs that the server may have at work at the same time."""
    streams: Count = 2000
    """Event streams that may be open at the same time."""


class Settings(Section):
    """All settings."""

    runs: str = "runs"
    """Folder in which runs are kept."""
    models: Models = Field(default_factory=Models)
    families: dict[str, str] = Field(default_factory=dict)
    """Model -> family, for panels whose judges should differ. Not set: guessed from the model's name."""
    prices: dict[str, Price] = Field(default_factory=dict)
    endpoints: dict[str, Endpoint] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    check: CheckSettings = Field(default_factory=CheckSettings)
    serve: Serving = Field(default_factory=Serving)
    institutions: dict[str, Institution] = Field(default_factory=dict)
