from tests.faults import a11_reviewers


def test_short_form() -> None:
    assert a11_reviewers.run(full=False)
