"""A key that the provider refuses: the model is away, for every kind and every role."""

import pytest

from burnish.models.providers import HINTS, MOVED
from tests.app.desk import Desk
from tests.engine.questions_bench import biased, sound
from tests.loopback import Answer, LoopbackModel


@pytest.mark.parametrize("status", [401, 402, 403, 307])
@pytest.mark.parametrize("question", [sound(0), biased(0)])
def test_a_refused_key_ends_the_run_with_exit_6(desk: Desk, status: int, question: dict[str, object]) -> None:
    with LoopbackModel(lambda _: Answer(status=status)) as server:
        options = ("--model", "openai:m", "--base-url", server.base_url, "--run-id", "r")
        said = desk("polish", desk.bank(question), *options)
        assert said.code == 6, said.out + said.err
        assert len(server.requests) == 1, "a key that was refused once is refused again"
    assert str(status) in said.out + said.err
    assert HINTS.get(status, MOVED if status == 307 else "") in said.out, "it says what to do"
