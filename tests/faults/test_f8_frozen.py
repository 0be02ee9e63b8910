from tests.faults import f8_frozen


def test_short_form() -> None:
    assert f8_frozen.run(full=False)
