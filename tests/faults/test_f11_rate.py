from tests.faults import f11_rate


def test_short_form() -> None:
    assert f11_rate.run(full=False)
