"""Which rules apply: profile, settings, institution and flags over each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from burnish.app.kinds import kind_named
from burnish.app.materials import RuleSettings, nearest, rule_settings
from burnish.app.settings import load
from burnish.core.errors import SettingsError

KIND = kind_named("questions")
ALL = {check.id for check in KIND.checks}


def asked(folder: Path, toml: str = "", **flags: object) -> RuleSettings:
    (folder / "burnish.toml").write_text(toml, encoding="utf-8")
    given = {f"check.{name}": (f"--{name}", value) for name, value in flags.items()}
    return rule_settings(KIND, load(start=folder, environ={}, flags=given))


def ids(wants: RuleSettings) -> set[str]:
    return {check.id for check in wants.selection.checks}


def severity(wants: RuleSettings, id: str) -> str:
    return wants.selection.severity(next(check for check in KIND.checks if check.id == id))


def test_everything_runs_by_default(tmp_path: Path) -> None:
    wants = asked(tmp_path)
    assert ids(wants) == ALL and wants.off == frozenset() and wants.demands == {}


def test_select_and_ignore(tmp_path: Path) -> None:
    assert ids(asked(tmp_path, select=("nbme_negation_detection",))) == {"nbme_negation_detection"}
    wants = asked(tmp_path, ignore=("nbme_negation_detection", "potential_duplicate"))
    assert ids(wants) == ALL - {"nbme_negation_detection"}
    assert wants.off == {"nbme_negation_detection", "potential_duplicate"}
    both = asked(tmp_path, select=("nbme_absolute_terms",), ignore=("nbme_absolute_terms",))
    assert ids(both) == set()


def test_flags_take_the_place_of_settings(tmp_path: Path) -> None:
    toml = '[check]\nignore = ["nbme_absolute_terms"]\n'
    assert "nbme_absolute_terms" not in ids(asked(tmp_path, toml))
    assert "nbme_absolute_terms" in ids(asked(tmp_path, toml, ignore=("nbme_negation_detection",)))


def test_profiles_and_severities(tmp_path: Path) -> None:
    assert severity(asked(tmp_path), "nbme_absolute_terms") == "warning"
    assert severity(asked(tmp_path, profile="strict"), "nbme_absolute_terms") == "error"
    toml = '[check]\nprofile = "strict"\n[check.severity]\nnbme_absolute_terms = "info"\n'
    assert severity(asked(tmp_path, toml), "nbme_absolute_terms") == "info"


INSTITUTION = """
[institutions.ACME]
disabled_rules = ["nbme_negation_detection"]
severity_overrides = { nbme_absolute_terms = "critical" }
required_metadata = ["course_id"]
concepts = "graph.json"
[institutions.TINY]
enabled_rules = ["nbme_negation_detection"]
"""


def test_an_institution_brings_its_own_rules(tmp_path: Path) -> None:
    (tmp_path / "graph.json").write_text(json.dumps({"heart": ["cardiac", "heart"]}))
    wants = asked(tmp_path, INSTITUTION, institution="ACME")
    assert "nbme_negation_detection" in wants.off
    assert severity(wants, "nbme_absolute_terms") == "critical"
    assert wants.demands == {"required_metadata": ["course_id"], "concepts": {"heart": ["cardiac", "heart"]}}
    assert ids(asked(tmp_path, INSTITUTION, institution="TINY")) == {"nbme_negation_detection"}


@pytest.mark.parametrize("graph", ["[]", "{}", '{"a": 1}', '{"a": [1]}', "not json", None])
def test_a_concept_graph_that_cannot_be_used_is_named(tmp_path: Path, graph: str | None) -> None:
    if graph is not None:
        (tmp_path / "graph.json").write_text(graph)
    with pytest.raises(SettingsError) as caught:
        asked(tmp_path, INSTITUTION, institution="ACME")
    assert caught.value.key == "institutions.ACME.concepts"
    assert caught.value.source == str(tmp_path / "burnish.toml")


@pytest.mark.parametrize(
    ("toml", "flags", "key"),
    [
        ("", {"select": ("nbme_nothing",)}, "check.select"),
        ('[check]\nignore = ["x"]\n', {}, "check.ignore"),
        ('[check.severity]\npotential_duplicate = "info"\n', {}, "check.severity"),
        ('[institutions.A]\nenabled_rules = ["x"]\n', {"institution": "A"}, "institutions.A.enabled_rules"),
        ('[institutions.A]\ndisabled_rules = ["x"]\n', {"institution": "A"}, "institutions.A.disabled_rules"),
        (
            '[institutions.A.severity_overrides]\nx = "info"\n',
            {"institution": "A"},
            "institutions.A.severity_overrides",
        ),
        ("", {"institution": "NONE"}, "check.institution"),
        ("[institutions.A]\n", {"institution": "B"}, "check.institution"),
        ('[check]\nprofile = "lax"\n', {}, "check.profile"),
    ],
)
def test_what_does_not_exist_is_an_error(tmp_path: Path, toml: str, flags: dict[str, object], key: str) -> None:
    with pytest.raises(SettingsError) as caught:
        asked(tmp_path, toml, **flags)
    assert caught.value.key == key and caught.value.hint
    assert caught.value.source != "the default settings"


def test_the_nearest_name_is_suggested() -> None:
    known = ["nbme_negation_detection", "nbme_lead_in", "ext_formatting"]
    assert nearest("nbme_negation_detecton", known) == "Did you mean `nbme_negation_detection`?"
    assert nearest("lead_in", known) == "Did you mean `nbme_lead_in`?"
    assert nearest("formating", known) == "Did you mean `ext_formatting`?"
    assert "burnish rules" in nearest("zzz", known)
