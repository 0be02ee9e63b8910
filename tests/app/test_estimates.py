"""`burnish polish --estimate`: the bill before the work."""

from tests.app.desk import Desk
from tests.engine.questions_bench import keyless, negative, sound


def test_it_says_what_would_be_done_and_does_nothing(desk: Desk) -> None:
    bank = desk.bank(sound(0), negative(1), keyless(2))
    model = desk.model("q1")
    before = sorted(path.name for path in desk.home.iterdir())
    said = desk("polish", bank, "--model", model, "--estimate")
    assert said.code == 0
    assert "3 questions read, no call made, nothing written." in said.out
    assert "1  pass the rules" in said.out
    assert "1  to correct" in said.out
    assert "1  for a person" in said.out
    assert "  likely   3 calls, " in said.out
    assert "  at most  18 calls, " in said.out
    assert said.out.count(" tokens, free\n") == 2
    assert "asked for once more with four times the room" in said.out
    assert "$" not in said.out
    assert sorted(path.name for path in desk.home.iterdir()) == before


def test_money_is_named_where_the_price_is_known(desk: Desk) -> None:
    model = desk.model()
    (desk.home / "burnish.toml").write_text(f'[prices."{model}"]\ninput = 1.0\noutput = 10.0\n')
    said = desk("polish", desk.bank(negative(0)), "--model", model, "--estimate")
    assert said.out.count("$0.") == 2


def test_without_a_model_it_costs_nothing(desk: Desk) -> None:
    said = desk("polish", desk.bank(negative(0)), "--estimate")
    assert said.code == 0
    assert "No model is set, so it costs nothing." in said.out


def test_for_programs_it_is_one_object(desk: Desk) -> None:
    said = desk("polish", desk.bank(sound(0), negative(1)), "--model", desk.model(), "--estimate", "--json")
    assert said.json["units"] == 2
    assert said.json["likely"]["calls"] == 3
    assert said.json["at_most"]["calls"] >= said.json["likely"]["calls"]
