import pytest

from burnish.core.faultpoints import FAULT_POINTS, install, installed, reach


def test_there_are_enough_points_and_no_name_twice() -> None:
    assert len(FAULT_POINTS) >= 25
    assert len(set(FAULT_POINTS)) == len(FAULT_POINTS)


def test_without_a_hook_nothing_happens() -> None:
    assert [reach(name) for name in FAULT_POINTS] == [None] * len(FAULT_POINTS)


def test_a_hook_sees_every_point_until_it_is_taken_away() -> None:
    seen: list[str] = []
    with installed(seen.append):
        reach("files.opened")
    reach("files.written")
    install(seen.append)
    reach("files.synced")
    install(None)
    reach("files.replaced")
    assert seen == ["files.opened", "files.synced"]


def test_an_undeclared_point_is_a_mistake() -> None:
    with pytest.raises(LookupError, match=r"journal\.nowhere"):
        reach("journal.nowhere")
