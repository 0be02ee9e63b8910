from tests.faults import f6_race


def test_short_form() -> None:
    assert f6_race.run(full=False)
