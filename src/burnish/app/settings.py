"""Settings from `burnish.toml` or `[tool.burnish]`, then `BURNISH_*`, then flags. Errors name the source and key."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin
from urllib.parse import unquote, urlsplit, urlunsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from burnish.core.documents import names_secret
from burnish.core.errors import SettingsError
from burnish.core.findings import Severity
from burnish.core.tasks import MOST_ATTEMPTS, USUAL_ATTEMPTS
from burnish.models.profiles import CallSettings, Effort, suggestion
from burnish.store.redaction import Redactor


def redactor_of(settings: Settings, base_url: str | None = None) -> Redactor:
    """A redactor of secrets: every API key in the environment, and passwords inside addresses.

    `base_url`: an address that a call was given besides those of the settings.
    """
    named = {endpoint.api_key_env for endpoint in settings.endpoints.values()}
    keys = [value for name, value in os.environ.items() if value and (name in named or names_secret(name))]
    addresses = [base_url, settings.models.base_url, *(endpoint.base_url for endpoint in settings.endpoints.values())]
    passwords = [urlsplit(address).password for address in addresses if address]
    return Redactor([*keys, *(form for word in passwords if word for form in (word, unquote(word)))])


def without_password(address: str | None) -> str | None:
    """An address that may be recorded; `resume` reads the password from the settings again."""
    if address is None or "@" not in urlsplit(address).netloc:
        return address
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _no_truth_value(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not true or false")
    return value


def _model_name(value: str) -> str:
    provider, colon, model = value.partition(":")
    if not (provider and colon and model) or value != value.strip():
        meant = suggestion(value)
        advice = f"; did you mean `{meant}`?" if meant else ", such as `openai:gpt-5-mini`, `anthropic:claude-sonnet-5`"
        raise ValueError(f"a model is named `provider:model`{advice}")
    return value


def _refuse_twice(panel: tuple[str, ...]) -> tuple[str, ...]:
    """Raise ValueError if a model is listed twice: it would have two votes."""
    twice = next((judge for at, judge in enumerate(panel) if judge in panel[:at]), None)
    if twice is not None:
        raise ValueError(f"the same model, {twice}, is listed twice; name different models")
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
    """A table of the settings file. Unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


AskedRole = Literal[
    "reviewer", "corrector", "judge", "delta_judge", "patcher", "generator", "translator", "reworker", "critic",
    "extractor", "mender",
]  # fmt: skip


class HowAsked(Section):
    """How long models may think and write."""

    effort: Effort | None = None
    """How much a model thinks before it answers. Not set: as much as it does by itself."""
    room: Annotated[int, BeforeValidator(_no_truth_value), Field(ge=0)] | None = None
    """Tokens for thinking that a reply may have besides its answer. Not set: 8,000 for models that think; by effort 0,
    2,000, 8,000 or 16,000."""
    temperature: Annotated[Amount, Field(le=2)] | None = None
    """Not set: the provider's own. Many models that think accept none; it is not sent to those."""

    def as_set(self) -> dict[str, Any]:
        return {name: value for name in HowAsked.model_fields if (value := getattr(self, name)) is not None}


class Models(HowAsked):
    """The model for each role, and how models are asked."""

    model: ModelName | None = None
    """The model for every role without its own setting, as `provider:model`."""
    corrector: ModelName | None = None
    """Repairs the findings."""
    reviewer: ModelName | None = None
    """Reads a unit for faults that no rule can see."""
    patcher: ModelName | None = None
    """Edits sections of lessons. Not set: the corrector."""
    generator: ModelName | None = None
    """Regenerates a lesson, or its broken sections. Not set: nothing is regenerated."""
    allow_same_family: bool = False
    """Whether a panel for lessons may have judges of one model family, or of the generator's."""
    judges: Annotated[tuple[ModelName, ...], AfterValidator(_refuse_twice)] = ()
    """A panel of different reviewers; a finding needs more than half of them. Replaces the reviewer."""
    base_url: Address | None = None
    """Address of an OpenAI-compatible server, for every provider without an endpoint of its own."""
    rules_only: bool = False
    """Accept what rules alone can judge, if no model reviews; what they cannot judge is listed."""
    free: bool = False
    """Whether calls to `base_url` are free."""
    batch: bool = False
    """Whether runs submit their calls in batches, at half the price (OpenAI, Anthropic)."""
    batch_wait: Amount = 60.0
    """Seconds that a run waits for the answers to a batch; after that, `resume` fetches them."""
    roles: dict[AskedRole, HowAsked] = Field(default_factory=dict)
    """Role -> its own effort, room and temperature."""

    def call_settings(self, models: Iterable[str]) -> CallSettings:
        """The request parameters of these models, as recorded with a run."""
        return CallSettings.of(models, {"": self.as_set(), **{role: how.as_set() for role, how in self.roles.items()}})

    def corrector_or_default(self) -> str | None:
        return self.corrector or self.model

    def panel(self) -> tuple[str, ...]:
        """The models that review: the judges, or the one reviewer, or none."""
        reviewer = self.reviewer or self.model
        return self.judges or ((reviewer,) if reviewer else ())


class Price(Section):
    """The price of a model, in US dollars per million tokens."""

    input: Amount
    """A million tokens sent."""
    output: Amount
    """A million tokens received, thinking included."""
    cached: Amount | None = None
    """A million tokens sent that the provider had cached. Not set: the price of `input`."""
    cache_write: Amount | None = None
    """A million tokens sent that the provider put into its cache. Not set: the price of `input`."""


class Endpoint(Section):
    """The server of a provider."""

    base_url: Address | None = None
    """Address of the server."""
    api_key_env: Annotated[str, AfterValidator(_variable_name)] | None = None
    """Name of the environment variable that holds the key. The key itself is never in a settings file."""
    free: bool = False
    """Whether its calls are free."""


class Limits(Section):
    """Ceilings. A run that reaches one stops cleanly and can be resumed."""

    workers: Count = 4
    """Model calls under way at the same time."""
    max_tokens: Count | None = None
    """Tokens a run may spend; a call that would exceed it is not made."""
    max_cost: Amount | None = None
    """US dollars a run may spend."""
    max_seconds: Amount | None = None
    """Time a run may take."""
    requests_per_minute: Count | None = None
    """Requests to each model a minute."""
    tokens_per_minute: Count | None = None
    """Tokens to and from each model a minute."""
    timeout_seconds: Annotated[Amount, Field(gt=0)] = 120.0
    """Seconds that one call without thinking may take; with 8,000 tokens for thinking it may take twice as long."""
    max_attempts: Annotated[Count, Field(le=MOST_ATTEMPTS)] = USUAL_ATTEMPTS
    """Corrections of a question by a model before a person decides: 1 to 5."""
    max_tries: Count = 4
    """How often a call is tried before it counts as failed. A call that times out is tried twice."""


class CheckSettings(Section):
    """Defaults of `burnish check`."""

    select: tuple[str, ...] = ()
    """Only these rules. Empty: all."""
    ignore: tuple[str, ...] = ()
    """Not these rules."""
    profile: str = "default"
    """`default` or `strict`."""
    severity: dict[str, Severity] = Field(default_factory=dict)
    """Rule -> severity that differs from the profile's."""
    institution: str | None = None
    """The name of the `institutions` table to use."""
    jobs: Count | None = None
    """Worker processes. Not set: one for each core."""


class Institution(Section):
    """The requirements of one institution for its questions."""

    enabled_rules: tuple[str, ...] = ()
    """Only these rules. Empty: all."""
    disabled_rules: tuple[str, ...] = ()
    """Not these rules."""
    severity_overrides: dict[str, Severity] = Field(default_factory=dict)
    """Rule -> severity."""
    required_metadata: tuple[str, ...] | None = None
    """Metadata that every question must have. Not set: the usual fields, if the bank has them at all."""
    concepts: str | None = None
    """A JSON file with the concept graph: concept id -> list of its words. Relative to the settings file."""


class Serving(Section):
    """Limits of `burnish serve`."""

    max_body_mb: Count = 32
    """Largest request, in megabytes."""
    requests_per_second: Count = 100
    """Requests from one address, on average; a burst may have those of three seconds."""
    changes_per_second: Count = 20
    """The same for requests that change something."""
    jobs_per_minute: Count = 60
    """The same for checks and new runs; a burst may have ten."""
    runs_at_once: Count = 2
    """Runs that the server may have at work at the same time; others are queued."""
    models: tuple[ModelName, ...] = ()
    """Models that users may choose for a run in the browser or over HTTP, besides those of [models]."""
    streams: Count = 2000
    """Event streams that may be open at the same time."""
    webhooks: tuple[Address, ...] = ()
    """Addresses that receive a message when a run needs a person, and when it has ended."""
    webhook_secret_env: Annotated[str, AfterValidator(_variable_name)] = "WEBHOOK_SECRET"
    """Name of the environment variable with the secret that signs those messages."""


class Settings(Section):
    """All settings."""

    runs: str = "runs"
    """The folder of runs."""
    models: Models = Field(default_factory=Models)
    families: dict[str, str] = Field(default_factory=dict)
    """Model -> family, for panels whose judges should differ. Not set: guessed from the model's name."""
    prices: dict[str, Price] = Field(default_factory=dict)
    endpoints: dict[str, Endpoint] = Field(default_factory=dict)
    limits: Limits = Field(default_factory=Limits)
    check: CheckSettings = Field(default_factory=CheckSettings)
    serve: Serving = Field(default_factory=Serving)
    institutions: dict[str, Institution] = Field(default_factory=dict)


FILE = "burnish.toml"
PREFIX = "BURNISH_"
SHORT_NAMES = {
    "BURNISH_MODEL": "models.model",
    "BURNISH_JUDGES": "models.judges",
    "BURNISH_BASE_URL": "models.base_url",
    "BURNISH_RUNS": "runs",
    "BURNISH_WORKERS": "limits.workers",
    "BURNISH_MAX_TOKENS": "limits.max_tokens",
    "BURNISH_MAX_COST": "limits.max_cost",
    "BURNISH_PROFILE": "check.profile",
    "BURNISH_INSTITUTION": "check.institution",
    "BURNISH_JOBS": "check.jobs",
}
"""Short names of the settings people set most. Every other one is `BURNISH_SECTION__KEY`."""
HINT = "`burnish schema settings` describes every setting, and so does docs/settings.md."
SETTINGS_FILE = "BURNISH_SETTINGS"
NOT_SETTINGS = frozenset({SETTINGS_FILE, "BURNISH_DEBUG"})
NOT_SETTINGS_PREFIX = "BURNISH_FAULT"
"""Variables that test harnesses use to make the program fail on purpose."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, and the source of each."""

    settings: Settings
    sources: Mapping[str, str]
    """Dotted key -> file, variable or flag."""
    given: frozenset[str] = frozenset()
    """Dotted keys that a flag or a variable set: these apply to this command, a file to all commands."""

    def source_of(self, key: str) -> str:
        """Where `key`, a key in it, or the nearest table around it was set."""
        inside = next((source for name, source in self.sources.items() if name.startswith(f"{key}.")), None)
        if inside and key not in self.sources:
            return inside
        while key and key not in self.sources:
            key = key.rpartition(".")[0]
        return self.sources.get(key, "the default settings")


Given = tuple[str, str, object]
"""A dotted key, the variable or flag that set it, and its value."""


def load(
    *,
    start: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, tuple[str, object]] | None = None,
) -> Loaded:
    """The settings that apply in the folder `start`.

    `flags` maps dotted keys to the flag's name and its value; None as a value means that it was not given.
    """
    environ = os.environ if environ is None else environ
    merged, sources = _from_file(start or Path.cwd(), environ)
    variables = list(_from_environment(environ))
    flagged = [(key, flag, value) for key, (flag, value) in (flags or {}).items() if value is not None]
    for given in (variables, flagged):
        values: dict[str, Any] = {}
        for key, source, value in given:
            *tables, last = key.split(".")
            inner = values
            for name in tables:
                inner = inner.setdefault(name, {})
                if not isinstance(inner, dict):
                    raise SettingsError("This is a value, not a table.", source=source, key=key)
            inner[last] = value
        _overlay(merged, values)
        sources.update({key: source for key, source, _ in given})
    try:
        return Loaded(Settings.model_validate(merged), sources, frozenset(key for key, _, _ in (*variables, *flagged)))
    except ValidationError as wrong:
        raise _settings_error(wrong, sources) from None


def _from_file(start: Path, environ: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    """The values of the nearest settings file, and this file as the source of every key."""
    named = environ.get(SETTINGS_FILE)
    folders = (start.resolve(), *start.resolve().parents) if not named else ()
    paths = [path for folder in folders for path in (folder / FILE, folder / "pyproject.toml") if path.is_file()]
    for path in [Path(named)] if named else paths:
        table = _table(path)
        if table is not None:
            values = _beside(path.parent, table)
            return values, {key: str(path) for key, _ in _leaves(values)}
    return {}, {}


def _table(path: Path) -> Mapping[str, Any] | None:
    """The settings in a file: all of `burnish.toml`, the `tool.burnish` table of `pyproject.toml` or None."""
    try:
        with path.open("rb") as file:
            values = tomllib.load(file)
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else f"byte {error.start} is not UTF-8"
        hint = f"{SETTINGS_FILE} names it." if isinstance(error, FileNotFoundError) else None
        raise SettingsError(f"This file cannot be read: {why}.", source=str(path), hint=hint) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"This is not TOML: {error}.", source=str(path)) from error
    if path.name != "pyproject.toml":
        return values
    tool = values.get("tool")
    table = tool.get("burnish") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise SettingsError("This must be a table.", source=str(path), key="tool.burnish")
    return table


def _beside(folder: Path, table: Mapping[str, Any]) -> dict[str, Any]:
    """The table with its paths resolved relative to the settings file."""
    values = dict(table)
    if isinstance(values.get("runs"), str):
        values["runs"] = str(folder / values["runs"])
    if isinstance(values.get("institutions"), dict):
        values["institutions"] = {
            name: {**entry, "concepts": str(folder / entry["concepts"])}
            if isinstance(entry, dict) and isinstance(entry.get("concepts"), str)
            else entry
            for name, entry in values["institutions"].items()
        }
    return values


def _from_environment(environ: Mapping[str, str]) -> Iterator[Given]:
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name in NOT_SETTINGS or name.startswith(NOT_SETTINGS_PREFIX):
            continue
        key = SHORT_NAMES.get(name) or name.removeprefix(PREFIX).lower().replace("__", ".")
        yield key, f"environment variable {name}", _split_list(key, environ[name])


def _split_list(key: str, value: str) -> object:
    """Lists are written with commas in the environment."""
    annotation = annotation_of(key)
    return tuple(part.strip() for part in value.split(",") if part.strip()) if _is_list(annotation) else value


def _is_list(annotation: object) -> bool:
    return get_origin(annotation) is tuple or any(_is_list(choice) for choice in get_args(annotation))


def annotation_of(key: str) -> object:
    """The type of the setting `key`, or None if there is no such setting."""
    model: object = Settings
    for name in key.split("."):
        if not (isinstance(model, type) and issubclass(model, BaseModel)) or name not in model.model_fields:
            return None
        model = model.model_fields[name].annotation
    return model


def _overlay(below: dict[str, Any], above: Mapping[str, Any]) -> None:
    for name, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(name), dict):
            _overlay(below[name], value)
        else:
            below[name] = value


def _leaves(values: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        key = f"{above}.{name}" if above else name
        yield key, value
        if isinstance(value, dict):
            yield from _leaves(value, key)


def _settings_error(wrong: ValidationError, sources: Mapping[str, str]) -> SettingsError:
    """All wrong settings in one error, the first in its fields."""
    where = Loaded(Settings(), sources).source_of
    (key, message), *others = [_key_and_message(error) for error in wrong.errors()]
    rest = "".join(f"\n{where(other)}: {other}: {text}" for other, text in others)
    return SettingsError(f"{message}{rest}", source=where(key), key=key, hint=HINT)


def _key_and_message(error: ErrorDetails) -> tuple[str, str]:
    key = ".".join(str(part) for part in error["loc"] if part != "[key]")
    if error["type"] == "extra_forbidden":
        return key, f"there is no such setting.{_suggestion(key)}"
    reason = error["msg"].removeprefix("Value error, ")
    # Users may put an API key where the name of its variable belongs: such a value is not shown.
    value = "" if "key" in key.rpartition(".")[2] or error["type"] == "missing" else f" (it is {error['input']!r:.80})"
    return key, f"{reason[:1].lower()}{reason[1:]}{value}."


def _suggestion(key: str) -> str:
    """The nearest name that exists, for one that does not."""
    known = list(known_keys())
    near = difflib.get_close_matches(key, known, n=1) or [k for k in known if k.endswith(f".{key.rpartition('.')[2]}")]
    return f" Did you mean `{near[0]}`?" if near else ""


def known_keys(model: type[BaseModel] = Settings, above: str = "") -> Iterator[str]:
    """Every dotted key outside tables with names of the user's choice."""
    for name, field in model.model_fields.items():
        key = f"{above}{name}"
        yield key
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from known_keys(field.annotation, f"{key}.")
