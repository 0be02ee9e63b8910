"""The room's public face: what engine, doors and users' own tests import."""

import burnish.models as room


def test_every_public_name_exists_and_is_listed_in_order() -> None:
    assert room.__all__ == sorted(room.__all__)
    assert all(hasattr(room, name) for name in room.__all__)


def test_what_users_need_for_their_own_tests_is_there() -> None:
    assert {"ScriptedModel", "Rule", "Fault", "TokenCount", "Gateway", "Budget"} <= set(room.__all__)
