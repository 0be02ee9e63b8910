from tests.faults import f18_versions


def test_short_form() -> None:
    assert f18_versions.run(full=False)
