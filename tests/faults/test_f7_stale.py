from tests.faults import f7_stale


def test_short_form() -> None:
    assert f7_stale.run(full=False)
