"""Critics from a folder."""

import pytest

from burnish.core.documents import Material
from burnish.core.errors import InputError
from burnish.kinds.manuscripts.reviews import LONGEST, MOST, Critic, read_critic, read_critics

OURS = """---
version: 1.2
reply: critic_reply
---
# System

You read {{ target_language }} closely.

# User

It was {{source_language}}.

{{window}}
"""


def material(name: str, text: str = "Look for rhythm.") -> Material:
    return Material(name, f"critics/{name}", text.encode())


def test_a_critic_in_the_shape_of_our_prompts() -> None:
    critic = read_critic(OURS.encode(), "critics/tone.md", "tone")
    assert critic == Critic("tone", "1.2", "You read {{target_language}} closely.\n\nIt was {{source_language}}.")
    assert critic.instructions("English", "Spanish") == "You read Spanish closely.\n\nIt was English."


def test_plain_markdown_is_the_instructions() -> None:
    critic = read_critic(b"# Rhythm\r\n\r\nLook for it.\r\n{{text}}\r\n", "x.md", "My Rhythm")
    assert critic.name == "my_rhythm" and critic.text == "# Rhythm\n\nLook for it."
    assert len(critic.version) == 12
    assert critic.version != read_critic(b"# Rhythm\n\nLook for that.", "x.md", "rhythm").version


def test_a_value_that_looks_like_a_placeholder_stays_text() -> None:
    critic = Critic("a", "1", "{{target_language}}")
    assert critic.instructions("en", "{{source_language}}") == "{{source_language}}"


def test_a_folder_gives_its_critics_by_name() -> None:
    given = [material("tone.md"), material("README.md"), material("notes.txt"), material("deep/age.md")]
    assert [critic.name for critic in read_critics(given)] == ["age", "tone"]


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ([], "no_critic"),
        ([material("readme.md")], "no_critic"),
        ([material("a.md"), material("sub/A.md")], "same_name"),
        ([material("ä.md")], "bad_name"),
        ([material("-a.md")], "bad_name"),
        ([material("a.md", " \n")], "empty"),
        ([material("a.md", "{{window}}\n")], "empty"),
        ([material("a.md", "See {{window}} here")], "bad_placeholder"),
        ([material("a.md", "Use {{secrets}}")], "bad_placeholder"),
        ([material("a.md", "---\nversion: new\n---\nRead.")], "bad_version"),
        ([material("a.md", "x" * (LONGEST + 1))], "too_large"),
        ([material(f"a{number}.md") for number in range(MOST + 1)], "too_many"),
    ],
)
def test_what_cannot_be_used_is_refused(given: list[Material], code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_critics(given)
    assert caught.value.code == code
