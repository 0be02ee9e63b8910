from tests.faults import f9_clock


def test_short_form() -> None:
    assert f9_clock.run(full=False)
