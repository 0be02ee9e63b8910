"""Settings: every layer over the one before, every wrong one named with its place."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burnish.app.settings import Loaded, annotation_of, known_keys, load
from burnish.core.errors import SettingsError


def loaded(folder: Path, toml: str = "", environ: Mapping[str, str] | None = None, **flags: object) -> Loaded:
    if toml:
        (folder / "burnish.toml").write_text(toml, encoding="utf-8")
    given = {key.replace("__", "."): (f"--{key.rpartition('__')[2]}", value) for key, value in flags.items()}
    return load(start=folder, environ=environ or {}, flags=given)


def test_defaults_hold_where_nothing_is_set(tmp_path: Path) -> None:
    settings = loaded(tmp_path).settings
    assert settings.runs == "runs"
    assert settings.models.panel() == () and settings.models.corrector_or_default() is None
    assert settings.limits.workers == 4 and settings.limits.max_cost is None
    assert settings.check.profile == "default"


def test_file_then_environment_then_flags(tmp_path: Path) -> None:
    toml = "[limits]\nworkers = 2\nmax_tokens = 100\nmax_tries = 3\n"
    found = loaded(tmp_path, toml, {"BURNISH_WORKERS": "8", "BURNISH_MAX_TOKENS": "200"}, limits__workers=16)
    limits = found.settings.limits
    assert (limits.workers, limits.max_tokens, limits.max_tries) == (16, 200, 3)
    assert found.source_of("limits.workers") == "--workers"
    assert found.source_of("limits.max_tokens") == "environment variable BURNISH_MAX_TOKENS"
    assert found.source_of("limits.max_tries") == str(tmp_path / "burnish.toml")
    assert found.source_of("models.model") == "the default settings"


def test_a_flag_that_was_not_given_changes_nothing(tmp_path: Path) -> None:
    assert loaded(tmp_path, "[limits]\nworkers = 2\n", limits__workers=None).settings.limits.workers == 2


def test_the_nearest_file_above_counts(tmp_path: Path) -> None:
    (tmp_path / "burnish.toml").write_text('runs = "above"\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert load(start=inner, environ={}).settings.runs == str(tmp_path / "above")
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.burnish]\nruns = "nearer"\n')
    assert load(start=inner, environ={}).settings.runs == str(tmp_path / "a" / "nearer")


def test_a_pyproject_without_a_table_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("tool = 3\n")
    assert loaded(tmp_path).sources == {}
    (tmp_path / "pyproject.toml").write_text("[tool.other]\nx = 1\n")
    assert loaded(tmp_path).sources == {}


def test_a_settings_file_can_be_named(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[limits]\nworkers = 9\n")
    found = loaded(tmp_path, "[limits]\nworkers = 2\n", {"BURNISH_SETTINGS": str(other)})
    assert found.settings.limits.workers == 9
    with pytest.raises(SettingsError, match=r"none\.toml: This file cannot be read: No such file") as refusal:
        loaded(tmp_path, environ={"BURNISH_SETTINGS": str(tmp_path / "none.toml")})
    assert refusal.value.hint == "BURNISH_SETTINGS names it."


def test_a_file_that_is_wrong_as_a_whole_names_no_key(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"burnish\.toml: This is not TOML: "):
        loaded(tmp_path, "x = \n")
    (tmp_path / "burnish.toml").write_bytes(b'x = "caf\xe9"')
    with pytest.raises(SettingsError, match=r"burnish\.toml: This file cannot be read: byte 8 is not UTF-8"):
        loaded(tmp_path)


def test_lists_in_the_environment(tmp_path: Path) -> None:
    environ = {"BURNISH_JUDGES": "openai:a, anthropic:b ,", "BURNISH_CHECK__SELECT": "nbme_lead_in"}
    settings = loaded(tmp_path, environ=environ).settings
    assert settings.models.judges == ("openai:a", "anthropic:b")
    assert settings.models.panel() == ("openai:a", "anthropic:b")
    assert settings.check.select == ("nbme_lead_in",)


def test_one_model_serves_every_role(tmp_path: Path) -> None:
    models = loaded(tmp_path, environ={"BURNISH_MODEL": "openai:x"}).settings.models
    assert models.corrector_or_default() == "openai:x" and models.panel() == ("openai:x",)


def test_paths_are_meant_from_the_settings_file(tmp_path: Path) -> None:
    settings = loaded(tmp_path, '[institutions.ACME]\nconcepts = "graph.json"\n[institutions.B]\n').settings
    assert settings.institutions["ACME"].concepts == str(tmp_path / "graph.json")
    assert settings.institutions["B"].concepts is None


def test_variables_for_tests_and_debugging_are_no_settings(tmp_path: Path) -> None:
    environ = {"BURNISH_DEBUG": "1", "BURNISH_FAULT_AT": "x", "OTHER": "y"}
    assert loaded(tmp_path, environ=environ).sources == {}


@pytest.mark.parametrize(
    ("toml", "key", "message"),
    [
        ("[limits]\nworkers = 0\n", "limits.workers", "greater than or equal to 1"),
        ("[limits]\nworkers = true\n", "limits.workers", "a number is wanted"),
        ('[limits]\nmax_cost = "much"\n', "limits.max_cost", "valid number"),
        ("[limits]\nmax_cost = nan\n", "limits.max_cost", "input should be"),
        ("[limits]\ntimeout_seconds = 0\n", "limits.timeout_seconds", "greater than 0"),
        ('[models]\nmodel = "gpt"\n', "models.model", "provider:model"),
        ('[models]\nbase_url = "ftp://x"\n', "models.base_url", "http://"),
        ('[check]\nprofil = "strict"\n', "check.profil", "Did you mean `check.profile`?"),
        ("[chek]\n", "chek", "Did you mean `check`?"),
        ("[zzz]\n", "zzz", "there is no such setting."),
        ('[check.severity]\nnbme_lead_in = "bad"\n', "check.severity.nbme_lead_in", "'critical'"),
        ('[prices."openai:x"]\ninput = 1\n', "prices.openai:x.output", "field required"),
        ("limits = 3\n", "limits", "valid dictionary"),
        ('institutions = "x"\n', "institutions", "valid dictionary"),
    ],
)
def test_a_wrong_setting_is_named_with_file_and_key(tmp_path: Path, toml: str, key: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, toml)
    assert caught.value.key == key
    assert caught.value.source == str(tmp_path / "burnish.toml")
    assert message in caught.value.message
    assert caught.value.exit_code == 2


def test_all_wrong_settings_are_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, "[limits]\nworkers = 0\n[chek]\n", {"BURNISH_MAX_COST": "-1"})
    for part in ("limits.workers", "chek", "environment variable BURNISH_MAX_COST: limits.max_cost"):
        assert part in caught.value.message


def test_an_unknown_variable_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, environ={"BURNISH_LIMIT__WORKERS": "3"})
    assert caught.value.source == "environment variable BURNISH_LIMIT__WORKERS"


def test_a_variable_inside_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not a table"):
        loaded(tmp_path, environ={"BURNISH_RUNS": "a", "BURNISH_RUNS__X": "b"})


def test_a_key_in_the_wrong_place_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, '[endpoints.openai]\napi_key_env = "sk-secret-secret"\n')
    assert "secret" not in caught.value.message
    assert "the name of an environment variable" in caught.value.message


@pytest.mark.parametrize("content", [b"x = \n", b"\xff\xfe\x00"])
def test_a_file_that_is_not_toml_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "burnish.toml").write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path)
    assert caught.value.source == str(tmp_path / "burnish.toml")


def test_a_pyproject_whose_table_is_none(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool]\nburnish = "x"\n')
    with pytest.raises(SettingsError, match=r"tool\.burnish: This must be a table"):
        loaded(tmp_path)


def test_a_bomb_of_brackets_is_not_toml(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="not TOML"):
        loaded(tmp_path, f"x = {'[' * 50_000}")


SCALARS = st.sampled_from(
    ["true", "-1", "0", "7", "1.5", "nan", "inf", '""', '"text"', '"openai:x"', "1979-05-27", "[]", "{}"]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(st.sampled_from(["input", "model", "x", "concepts"]), inner, max_size=3).map(
            lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"
        )
    ),
    max_leaves=6,
)
KEYS = st.sampled_from(
    [*known_keys(), "prices.x", "institutions.A", "endpoints.openai", "check.severity.y", "zzz", "limits.q"]
)


@given(KEYS, VALUES)
def test_whatever_stands_there_is_taken_or_named(key: str, value: str) -> None:
    """No settings file makes loading fail in any other way."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = loaded(Path(folder), f"{key} = {value}\n")
        except SettingsError as wrong:
            assert wrong.source.endswith("burnish.toml") and wrong.key
        else:
            assert found.sources


def test_keys_and_their_types() -> None:
    keys = list(known_keys())
    assert {"runs", "models.judges", "limits.max_tries", "check.severity", "prices"} <= set(keys)
    assert annotation_of("limits.max_tries") is not None
    assert annotation_of("limits.nothing") is None and annotation_of("runs.x") is None


@pytest.mark.parametrize("panel", [("openai:a", "openai:a", "openai:a"), ("openai:a", "x:b", "openai:a")])
def test_nobody_sits_on_a_panel_twice(tmp_path: Path, panel: tuple[str, ...]) -> None:
    """One call would give two votes, and two of three are a majority."""
    with pytest.raises(SettingsError, match="openai:a, is listed twice") as wrong:
        loaded(tmp_path, models__judges=panel)
    assert (wrong.value.source, wrong.value.key) == ("--judges", "models.judges")
    with pytest.raises(SettingsError, match="twice"):
        loaded(tmp_path, environ={"BURNISH_JUDGES": "openai:a, openai:a"})
