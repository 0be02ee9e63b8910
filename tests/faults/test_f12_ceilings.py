from tests.faults import f12_ceilings


def test_short_form() -> None:
    assert f12_ceilings.run(full=False)
