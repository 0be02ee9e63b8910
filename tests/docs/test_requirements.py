"""What the demo, the tests, CI and the benchmarks install is the same every day, and is checked by its hash."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "requirements"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BASE = PROJECT["project"]["dependencies"]
DEV = PROJECT["project"]["optional-dependencies"]["dev"]
LOCKS = ("uv", "build", "base", "dev")
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SYSTEMS = (("linux", "Linux"), ("darwin", "Darwin"), ("win32", "Windows"))
PIN = re.compile(r"^[a-z0-9][^\n]*?(?= \\$)|^[a-z0-9][^\n]*$", re.MULTILINE)


def text_of(lock: str) -> str:
    return (FOLDER / f"{lock}.txt").read_text(encoding="utf-8")


def pins(lock: str) -> list[Requirement]:
    return [Requirement(line) for line in PIN.findall(text_of(lock))]


def in_force(lock: str, python: str, system: tuple[str, str]) -> Iterator[Requirement]:
    """What the lock installs with this version of Python on this system."""
    place = {"python_version": python, "python_full_version": f"{python}.0"}
    place |= {"sys_platform": system[0], "platform_system": system[1]}
    return (pin for pin in pins(lock) if pin.marker is None or pin.marker.evaluate(place))


def version(pin: Requirement) -> Version:
    [one] = pin.specifier
    assert one.operator == "==", pin
    return Version(one.version)


@pytest.mark.parametrize("lock", LOCKS)
def test_everything_has_its_hashes_and_nothing_an_address(lock: str) -> None:
    text = text_of(lock)
    assert not re.search(r"://|\bfile:|--(?:extra-)?index|--find-links|--trusted| @ ", text)
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(entries) == len(pins(lock)) > 0
    for entry in entries:
        head, *rest = entry.replace("\\\n", "").split("--hash=")
        assert rest and all(re.fullmatch(r"sha256:[0-9a-f]{64}", one.strip()) for one in rest), head
        assert "==" in head


@pytest.mark.parametrize("system", SYSTEMS, ids=[name for _, name in SYSTEMS])
@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize(("lock", "declared"), [("base", BASE), ("dev", [*BASE, *DEV])], ids=["base", "dev"])
def test_every_dependency_is_locked_within_its_range(
    lock: str, declared: list[str], python: str, system: tuple[str, str]
) -> None:
    locked: dict[str, Version] = {}
    for pin in in_force(lock, python, system):
        name = canonicalize_name(pin.name)
        assert name not in locked, f"{name} is there twice"
        locked[name] = version(pin)
    for requirement in map(Requirement, declared):
        assert locked[canonicalize_name(requirement.name)] in requirement.specifier, f"make lock: {requirement}"


def test_the_demo_runs_with_what_is_tested() -> None:
    assert set(map(str, pins("base"))) <= set(map(str, pins("dev")))


def test_the_installer_and_what_builds_the_package_are_locked_too() -> None:
    assert [pin.name for pin in pins("uv")] == ["uv"]
    builders = {pin.name: version(pin) for pin in pins("build")}
    for requirement in map(Requirement, PROJECT["build-system"]["requires"]):
        assert str(requirement) in (FOLDER / "build.in").read_text(encoding="utf-8").splitlines()
        assert builders[requirement.name] in requirement.specifier


def test_the_package_keeps_ranges() -> None:
    assert not [one for one in [*BASE, *DEV] if "==" in one]


def test_every_installation_checks_the_hashes() -> None:
    rules = re.split(r"^(?=\S)", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    [latest] = [rule for rule in rules if rule.startswith("latest:")]
    assert "latest" not in (ROOT / ".ci/run").read_text(encoding="utf-8")
    lines = [line for rule in rules if rule != latest for line in rule.splitlines()]
    [install] = [line for line in lines if line.startswith("INSTALL :=")]
    assert "--build-constraints requirements/build.txt" in install
    installs = [line.strip() for line in lines if re.search(r"\$\(INSTALL\)|pip install", line) and line != install]
    assert len(installs) == 4
    for line in installs:
        assert "--require-hashes -r requirements/" in line or line.endswith("--no-deps -e ."), line


def test_the_classifiers_name_these_versions_of_python() -> None:
    named = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["project"]["classifiers"]))
    assert tuple(named) == PYTHONS
    assert PROJECT["project"]["requires-python"] == f">={PYTHONS[0]}"


def test_ci_runs_the_suite_once_and_counts_lines() -> None:
    commands = (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()
    tests = [line for line in commands if re.search(r"make (?:test|coverage)|pytest", line)]
    assert tests == ["COVERAGE=1 make test"]
