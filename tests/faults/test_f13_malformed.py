from tests.faults import f13_malformed


def test_short_form() -> None:
    assert f13_malformed.run(full=False)
