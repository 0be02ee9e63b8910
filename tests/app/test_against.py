"""An earlier bank to compare with: whole before anything is paid, and the same in every sitting."""

import json
from pathlib import Path

import pytest

from tests.app.desk import Desk, Said
from tests.engine.questions_bench import TOPICS, biased, keyless, sound

OLD = "old.json"
COMMANDS = {
    "resume": ("resume", "r"),
    "decide": ("decide", "r", "q0", "edit", "--by", "Ada", "--text-file", "text.json"),
}
"""Whatever reads the earlier bank again."""


def against(desk: Desk, *more: object, run: str = "r") -> Said:
    return desk("polish", desk.home / "bank.json", "--rules-only", "--against", OLD, "--run-id", run, *more)


class TestBroken:
    @pytest.mark.parametrize(
        "content", ['[{"id": "a", "stem": "x" ', json.dumps([sound(3, "z"), {"id": "b", "stem": 5}]), "[]", ""]
    )
    def test_it_is_refused_before_anything_is_spent_as_check_refuses_it(self, desk: Desk, content: str) -> None:
        bank = desk.bank(biased(0))
        (desk.home / OLD).write_text(content)
        assert desk("check", bank, "--against", OLD).code == 2
        for more in ((), ("--strict-input",), ("--estimate",)):
            said = against(desk, "--model", desk.model("q0"), *more)
            assert (said.code, said.out) == (2, "")
            assert OLD in said.err
        assert not desk.run().root.exists()

    def test_strict_input_refuses_what_could_still_be_compared(self, desk: Desk) -> None:
        desk.bank(sound(0))
        desk.bank(keyless(3), name=OLD)
        assert against(desk).code == 0
        strict = against(desk, "--strict-input", run="s")
        assert strict.code == 2 and OLD in strict.err
        assert not desk.run("s").root.exists()

    def test_it_is_not_read_where_nothing_is_compared(self, desk: Desk) -> None:
        desk.bank(sound(0))
        (desk.home / OLD).write_text("[{")
        (desk.home / "burnish.toml").write_text('[check]\nignore = ["potential_duplicate"]\n')
        assert against(desk).code == 0
        (desk.home / OLD).unlink()
        assert desk("resume", "r").code == 0

    def test_a_kind_that_compares_nothing_refuses_it(self, desk: Desk) -> None:
        desk.bank(sound(0), name=OLD)
        (desk.home / "lesson.md").write_text("# Tides\n\n## Why\n\nThe moon pulls at the sea.\n")
        said = desk("polish", "lesson.md", "--rules-only", "--against", OLD)
        assert said.code == 2
        assert "--against does nothing for lessons." in said.err


class TestLater:
    @pytest.fixture
    def begun(self, desk: Desk) -> Path:
        """A run that waits for a person, and the bank that it was compared with."""
        desk.bank(biased(0), sound(1))
        old = desk.bank(sound(2, "z"), name=OLD)
        assert against(desk).code == 3
        manifest = json.loads(desk.run().manifest.read_text())
        [material] = manifest["materials"]
        assert (material["role"], material["name"], material["path"]) == ("against", OLD, str(old))
        (desk.home / "text.json").write_text(json.dumps({"stem": TOPICS[0][0]}))
        return old

    @pytest.mark.parametrize("command", COMMANDS)
    def test_one_that_is_gone_is_named(self, desk: Desk, begun: Path, command: str) -> None:
        begun.unlink()
        said = desk(*COMMANDS[command])
        assert said.code == 2
        assert f"{begun}: The document to compare with cannot be read any more" in said.err

    @pytest.mark.parametrize("command", COMMANDS)
    def test_one_that_has_changed_is_refused(self, desk: Desk, begun: Path, command: str) -> None:
        desk.bank(sound(0, "z"), name=OLD)
        said = desk(*COMMANDS[command])
        assert said.code == 2
        assert f"{begun}: The document to compare with has changed since the run began." in said.err

    def test_starting_again_beside_another_one_is_refused(self, desk: Desk, begun: Path) -> None:
        desk.bank(sound(0, "z"), name=OLD)
        said = against(desk)
        assert said.code == 2 and "is about other input" in said.err

    def test_looking_and_accepting_need_it_not(self, desk: Desk, begun: Path) -> None:
        begun.unlink()
        assert desk("status", "r").code == desk("show", "r", "q0").code == 0
        assert desk("decide", "r", "q0", "accept", "--by", "Ada").code == 0
