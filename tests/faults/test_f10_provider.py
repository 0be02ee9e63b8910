from tests.faults import f10_provider


def test_short_form() -> None:
    assert f10_provider.run(full=False)
