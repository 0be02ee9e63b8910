"""Prompts: files with a version, filled strictly and once."""

from pathlib import Path

import pytest

from burnish.core.errors import UsageError
from burnish.models.prompts import Prompt, parse_prompt, prompt_named, render

HEAD = "---\nversion: 1.2.0\nreply: edit_reply\n---\n"


def prompt(system: str = "Mend {{what}}.", user: str = "{{text}}") -> Prompt:
    return parse_prompt(f"{HEAD}# System\n\n{system}\n\n# User\n\n{user}\n", id="test:p")


def fill(template: Prompt, trusted: dict[str, str], untrusted: dict[str, str]) -> tuple[str, str]:
    result = render(template, trusted, untrusted, nonce="n")
    return result.system, result.user


def test_a_prompt_file_has_a_header_and_two_parts() -> None:
    assert prompt() == Prompt("test:p", "1.2.0", "edit_reply", "Mend {{what}}.", "{{text}}")
    assert prompt().placeholders == {"what", "text"}


def test_values_are_filled_in() -> None:
    system, user = fill(prompt(user="About {{what}}:\n{{text}}"), {"what": "questions"}, {"text": "A stem."})
    assert system.startswith("Mend questions.\n\nWhat stands between")
    assert user.startswith("About questions:\n<<<")
    assert "\nA stem.\n" in user


def test_without_content_there_is_no_talk_of_fences() -> None:
    assert fill(prompt(user="Go."), {"what": "it"}, {}) == ("Mend it.", "Go.")


def test_values_are_put_in_once() -> None:
    _, user = fill(prompt("{{a}}", "{{a}} {{b}}\n{{text}}"), {"a": "{{b}}", "b": "{{text}}"}, {"text": "{{a}}"})
    assert user.startswith("{{b}} {{text}}\n<<<")
    assert user.count("{{a}}") == 1


@pytest.mark.parametrize(
    ("trusted", "untrusted", "says"),
    [
        ({}, {"text": "x"}, "what: not filled"),
        ({"what": "x"}, {}, "text: not filled"),
        ({"what": "x", "zz": "y"}, {"text": "x"}, "zz: not in it"),
        ({"what": "x"}, {"text": "x", "zz": "y"}, "zz: not in it"),
        ({"what": "x", "text": "y"}, {"text": "x"}, "text: both trusted and untrusted"),
        ({"text": "x"}, {"what": "x"}, "untrusted what in the system part"),
    ],
)
def test_every_placeholder_is_filled_and_every_value_asked_for(
    trusted: dict[str, str], untrusted: dict[str, str], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        fill(prompt(), trusted, untrusted)


@pytest.mark.parametrize("user", ["Text: {{text}}", "{{text}}\n({{text}})", "Text:\n {{text}}", "{{text}}{{text}}"])
def test_content_stands_alone_on_its_line(user: str) -> None:
    with pytest.raises(UsageError, match="untrusted text must stand alone"):
        fill(prompt(user=user), {"what": "x"}, {"text": "y"})


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# System\n\na\n\n# User\n\nb\n", "needs a header"),
        (f"{HEAD}# User\n\nb\n\n# System\n\na\n", "needs a header"),
        (f"{HEAD}# System\n\na\n", "needs a header"),
        ("---\nreply: edit_reply\n---\n# System\na\n# User\nb\n", "needs a version"),
        ("---\nversion: x\nreply: edit_reply\n---\n# System\na\n# User\nb\n", "needs a version"),
        ("---\nversion: 1\nreply: essay\n---\n# System\na\n# User\nb\n", "unknown reply, 'essay'"),
        ("---\nversion: 1\n---\n# System\na\n# User\nb\n", "unknown reply, None"),
        ("---\nversion: 1\nversion: 2\n---\n# System\na\n# User\nb\n", "not understood: 'version: 2'"),
        ("---\nauthor: me\n---\n# System\na\n# User\nb\n", "not understood"),
        (f"{HEAD}# System\n{{{{Big}}}}\n# User\nb\n", "double braces"),
        (f"{HEAD}# System\na\n# User\n{{{{ spaced }}}}\n", "double braces"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse_prompt(text, id="test:p")


def test_prompts_are_loaded_from_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "prompts_for_this_test"
    folder.mkdir()
    (folder / "mend.md").write_text(f"{HEAD}# System\n\nMend.\n\n# User\n\n{{{{text}}}}\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    loaded = prompt_named("prompts_for_this_test:mend")
    assert (loaded.id, loaded.system) == ("prompts_for_this_test:mend", "Mend.")
    for missing in ("prompts_for_this_test:none", "no_such_package:mend"):
        with pytest.raises(UsageError, match="There is no prompt"):
            prompt_named(missing)
