"""`--batch` from the command line: submitted, left, collected; half the price wherever money is told."""

import json

import pytest

from burnish.models.scripted import ScriptedModel
from tests.app.desk import Desk, Said
from tests.app.learning_course import GOOD, NO_PREPOSITION, course, reply
from tests.batch_server import BatchServer
from tests.engine.questions_bench import filled, script
from tests.loopback import Answer, thinking

MODEL = "openai:gpt-5-mini"


@pytest.fixture
def bank(desk: Desk) -> str:
    return str(desk.bank(filled(0), filled(1)))


def mending(desk: Desk, **how: object) -> BatchServer:
    """A provider whose model mends both questions."""
    return BatchServer(ScriptedModel.from_file(script(desk.home / "script.json", "q0", "q1")), **how)  # type: ignore[arg-type]


def polish(desk: Desk, bank: str, server: BatchServer, *more: str) -> Said:
    return desk("polish", bank, "--model", MODEL, "--base-url", server.base_url, "--run-id", "r", *more)


def test_a_run_leaves_its_calls_with_the_provider_and_resume_collects_them(desk: Desk, bank: str) -> None:
    with mending(desk, looks=1) as server:
        said = polish(desk, bank, server, "--batch", "--batch-wait", "0")
        assert said.code == 6
        assert "Submitted, resume later: 0 of 2 calls in a batch are done (openai:gpt-5-mini batch_1)." in said.out
        assert "Collect: burnish resume r" in said.out
        assert "openai:gpt-5-mini batch_1: 0 of 2 calls in a batch done" in said.err
        assert "At batch price: 2 calls, submitted in 1 of the provider's batches, 2 not collected yet." in said.out
        assert "No model was called" not in said.out
        sittings = [desk("resume", "r", "--batch-wait", "0", "--json") for _ in range(3)]
        done = next(said for said in sittings if said.code != 6)
        assert {said.json["stopped"] for said in sittings if said.code == 6} <= {"submitted"}
        assert (done.code, done.json["stopped"]) == (0, "done")
        assert server.requests == [], "no call was made by itself"
        assert len(server.ran) == len(set(server.ran)) == done.json["totals"]["calls"]
    receipt = json.loads(desk.run().receipt.read_bytes())
    assert [batch["id"] for batch in receipt["batches"]] == [batch.id for batch in server.batches]
    assert json.loads(desk.run().manifest.read_bytes())["arguments"]["batch"] is True


def test_calls_that_are_with_the_provider_are_not_made_by_themselves(desk: Desk, bank: str) -> None:
    with mending(desk, looks=1) as server:
        assert polish(desk, bank, server, "--batch", "--batch-wait", "0").code == 6
        said = polish(desk, bank, server)
        assert said.code == 2
        assert "2 calls of this run are submitted as a batch" in said.err
        assert server.requests == []


def test_it_costs_half_of_what_single_calls_cost(desk: Desk, bank: str) -> None:
    with mending(desk) as server:
        half = polish(desk, bank, server, "--batch", "--json").json["totals"]["cost_usd"]
    with mending(desk) as server:
        full = desk("polish", bank, "--model", MODEL, "--base-url", server.base_url, "--run-id", "s", "--json")
        assert half * 2 == pytest.approx(full.json["totals"]["cost_usd"])


def test_the_estimate_tells_the_batch_price(desk: Desk, bank: str) -> None:
    half = desk("polish", bank, "--model", MODEL, "--estimate", "--batch", "--json").json
    full = desk("polish", bank, "--model", MODEL, "--estimate", "--json").json
    assert half["batch_price"]
    assert "batch_price" not in full
    assert half["likely"]["cost"] * 2 == pytest.approx(full["likely"]["cost"])
    assert "At batch price: half" in desk("polish", bank, "--model", MODEL, "--estimate", "--batch").out


def test_a_model_without_a_batch_endpoint_is_refused_before_anything_is_begun(desk: Desk, bank: str) -> None:
    said = desk("polish", bank, "--model", desk.model("q0"), "--batch", "--run-id", "r")
    assert said.code == 2
    assert "cannot be asked in batches" in said.err
    assert "openai:, openai-responses: and anthropic:" in said.err
    assert not desk.run().root.exists()


def test_a_ceiling_is_kept_before_a_batch_is_submitted(desk: Desk, bank: str) -> None:
    with mending(desk) as server:
        said = polish(desk, bank, server, "--batch", "--max-tokens", "100", "--json")
        assert (said.code, said.json["stopped"]) == (6, "limit")
        assert server.asked == []


def test_a_provider_that_takes_no_batches_is_away(desk: Desk, bank: str) -> None:
    with mending(desk, refuse=lambda method, path: Answer(status=404)) as server:
        said = polish(desk, bank, server, "--batch", "--json")
    assert (said.code, said.json["stopped"]) == (6, "model_away")
    assert "404" in said.json["message"]


def test_thinking_that_uses_the_room_up_is_given_more_of_it_in_the_next_batch(desk: Desk, bank: str) -> None:
    model = ScriptedModel.from_file(script(desk.home / "script.json", "q0", "q1"))
    with BatchServer(thinking(model, 9_500, spread=0.0)) as server:
        said = polish(desk, bank, server, "--batch", "--json")
        assert (said.code, said.json["totals"]["failed_calls"]) == (0, 2), "what is asked about both has room for both"
        limits = [[body["max_completion_tokens"] for body in batch.requests.values()] for batch in server.batches]
        of_one = [given for given in limits if min(given) < 10_000]
        assert len(of_one) == 1 and limits[limits.index(of_one[0]) + 1] == [4 * given for given in of_one[0]], limits


def test_rules_are_tried_in_batches(desk: Desk) -> None:
    folder = course(desk.home, GOOD)
    with BatchServer(lambda asked: Answer(reply(asked.system, asked.user)), looks=1) as server:
        told = ("--model", "openai:m", "--base-url", server.base_url, "--run-id", "ev", "--batch", "--batch-wait", "0")
        said = desk("legos", "evolve", folder, *told, "--seeds", "63", "--json")
        assert said.code == 6, said.err
        assert said.json["stopped"] == "submitted"
        for _ in range(5):
            if said.code == 6:
                said = desk("resume", "ev", "--batch-wait", "0", "--json")
        assert said.code == 0, said.err
        assert [trial["text"] for trial in said.json["trials"]] == [NO_PREPOSITION]
        assert (len(server.ran), len(set(server.ran))) == (126, 126)
