"""The members of a workbench: who may what, until when, and what the trail says of it."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from burnish.core.errors import UsageError
from burnish.store.people import (
    FILE,
    INVITED,
    RESERVED,
    ROLES,
    People,
    RoleChanged,
    TrailEntry,
    digest_of,
    role_named,
    session_for,
)
from tests.store.samples import SetClock


@pytest.fixture
def clock() -> SetClock:
    return SetClock()


@pytest.fixture
def people(tmp_path: Path, clock: SetClock) -> Iterator[People]:
    yield People(tmp_path / "runs", clock)


def names(people: People) -> list[str]:
    return [one.name for one in people.active()]


def said(people: People) -> list[str]:
    return [entry.what for entry in people.actions()]


def test_nobody_is_there_and_nothing_is_made_by_looking(people: People, tmp_path: Path) -> None:
    people.release("r", "u", "Ada")
    assert not people.exist and people.members() == people.active() == people.invitations() == []
    assert people.looked_at() == {} and people.actions() == [] and people.assigned("r", "u") == []
    assert not (tmp_path / "runs").exists()


def test_a_member_is_known_by_a_token_that_is_nowhere_kept(people: People, tmp_path: Path) -> None:
    token = people.add("Ada", "decide", "Eve")
    [ada] = people.active()
    assert (ada.name, ada.role, ada.added_by, ada.revoked_at, ada.seen_at) == ("Ada", "decide", "Eve", None, None)
    assert (ada.digest, ada.session) == (digest_of(token), digest_of(session_for(token)))
    assert ada.mark == digest_of(token)[:4] and people.members() == [ada]
    path = tmp_path / "runs" / FILE
    held = path.read_bytes()
    assert token.encode() not in held and session_for(token).encode() not in held
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert said(people) == ["added Ada with the role decide"]


def test_no_two_tokens_are_alike(people: People) -> None:
    assert people.add("Ada", "read", "Eve") != people.add("Ben", "read", "Eve")
    assert len(people.add("Cleo", "read", "Eve")) >= 43


@pytest.mark.parametrize("role", ROLES)
def test_each_role_includes_the_ones_before(people: People, role: str) -> None:
    people.add("Ada", role, "Eve")
    [ada] = people.active()
    assert [ada.may(one) for one in ROLES] == [at <= ROLES.index(role_named(role)) for at in range(len(ROLES))]
    people.revoke("Ada", "Eve")
    assert not any(people.members()[0].may(one) for one in ROLES)


@pytest.mark.parametrize("name", ["", "x" * 101, "a@b", "a\nb", "a\x00", " Ada", "Ada ", "\x7f"])
def test_what_is_no_name_is_refused(people: People, name: str) -> None:
    with pytest.raises(UsageError, match="valid name"):
        people.add(name, "read", "Eve")
    assert people.members() == []


def test_a_role_that_does_not_exist_is_refused(people: People) -> None:
    with pytest.raises(UsageError, match="no role 'owner'"):
        people.add("Ada", "owner", "Eve")
    people.add("x" * 100, "read", "Eve")
    with pytest.raises(UsageError, match="no role"):
        people.change_roles({"x" * 100: ("read", "owner")}, "Eve")
    assert people.active()[0].role == "read"


def test_a_name_is_given_once_until_it_is_revoked(people: People) -> None:
    first = people.add("Ada", "read", "Eve")
    with pytest.raises(UsageError, match="already"):
        people.add("Ada", "admin", "Mallory")
    assert [one.digest for one in people.active()] == [digest_of(first)]
    people.revoke("Ada", "Eve", "abcd")
    with pytest.raises(UsageError, match="no member"):
        people.revoke("Ada", "Eve")
    second = people.add("Ada", "run", "Eve")
    assert [(one.role, one.digest, one.revoked_at) for one in people.members()] == [("run", digest_of(second), None)]
    assert [(one.what, one.token) for one in people.actions()][1] == ("revoked Ada", "abcd")


def test_who_is_revoked_holds_nothing_any_more(people: People) -> None:
    for name in ("Ada", "Ben"):
        people.add(name, "admin", "Eve")
    people.reserve("r", "u", "Ada")
    people.reserve("r", "v", "Ben")
    by_ada, by_ben = people.invite("Cleo", "read", "Ada"), people.invite("Dora", "read", "Ben")
    people.revoke("Ada", "Ben")
    assert names(people) == ["Ben"] and people.looked_at() == {("r", "v"): "Ben"}
    assert [(one.name, one.revoked_by) for one in people.members()] == [("Ada", "Ben"), ("Ben", None)]
    with pytest.raises(UsageError):
        people.accept(by_ada)
    assert people.accept(by_ben)[0] == "Dora"


def test_an_invitation_for_a_name_ends_when_the_name_is_revoked_or_added(people: People) -> None:
    people.add("Ada", "read", "Eve")
    again = people.invite("Ada", "admin", "Eve")
    people.revoke("Ada", "Eve")
    other = people.invite("Ben", "admin", "Eve")
    people.add("Ben", "read", "Eve")
    for secret in (again, other):
        with pytest.raises(UsageError, match="used, expired or withdrawn"):
            people.accept(secret)
    assert [one.role for one in people.active()] == ["read"]


def test_roles_change_together_or_not_at_all(people: People) -> None:
    for name in ("Ada", "Ben", "Cleo"):
        people.add(name, "read", "Eve")
    before = said(people)
    with pytest.raises(RoleChanged, match="role of Ben"):
        people.change_roles({"Ada": ("read", "run"), "Ben": ("decide", "run")}, "Eve")
    assert {one.role for one in people.active()} == {"read"} and said(people) == before
    people.change_roles({"Ada": ("read", "run"), "Ben": ("read", "decide")}, "Eve", "abcd")
    assert {one.name: one.role for one in people.active()} == {"Ada": "run", "Ben": "decide", "Cleo": "read"}
    assert said(people)[-2:] == ["gave Ada the role run", "gave Ben the role decide"]
    people.revoke("Cleo", "Eve")
    with pytest.raises(RoleChanged):
        people.change_roles({"Cleo": ("read", "admin")}, "Eve")


def test_who_is_no_admin_any_more_has_no_open_invitations(people: People) -> None:
    for name in ("Ada", "Ben"):
        people.add(name, "admin", "Eve")
    by_ada, by_ben = people.invite("Cleo", "admin", "Ada"), people.invite("Dora", "admin", "Ben")
    people.change_roles({"Ada": ("admin", "run"), "Ben": ("admin", "admin")}, "Eve")
    with pytest.raises(UsageError):
        people.accept(by_ada)
    assert people.accept(by_ben)[0] == "Dora"


def test_a_member_is_seen_once_a_minute(people: People, clock: SetClock) -> None:
    people.add("Ada", "read", "Eve")
    people.add("Ben", "read", "Eve")

    def seen() -> str | None:
        return people.active()[0].seen_at

    people.saw("Ada")
    first = seen()
    clock.move(59)
    people.saw("Ada")
    assert first is not None and seen() == first
    clock.move(2)
    people.saw("Ada")
    assert seen() != first and people.active()[1].seen_at is None


def test_an_invitation_works_once_and_for_a_week(people: People, clock: SetClock) -> None:
    secret = people.invite("Ada", "decide", "Eve", token="abcd")
    [open] = people.invitations()
    assert (open.name, open.role, open.created_by) == ("Ada", "decide", "Eve")
    assert people.active() == []
    name, token = people.accept(secret)
    assert name == "Ada" and [(one.role, one.digest) for one in people.active()] == [("decide", digest_of(token))]
    assert people.invitations() == []
    people.revoke("Ada", "Eve")
    with pytest.raises(UsageError, match="used"):
        people.accept(secret)
    for late, works in ((-1, True), (0, False)):
        other = people.invite("Ben", "read", "Eve")
        clock.move(INVITED.total_seconds() + late)
        assert bool(people.invitations()) is works
        if works:
            people.accept(other)
            people.revoke("Ben", "Eve")
        else:
            with pytest.raises(UsageError, match="expired"):
                people.accept(other)


def test_an_invitation_may_end_sooner_and_is_withdrawn(people: People, clock: SetClock) -> None:
    short = people.invite("Ada", "read", "Eve", valid=timedelta(minutes=5))
    clock.move(301)
    with pytest.raises(UsageError):
        people.accept(short)
    secret = people.invite("Ben", "read", "Eve")
    people.withdraw("Ben", "Eve", "abcd")
    assert people.invitations() == [] and said(people)[-1] == "withdrew the invitation of Ben"
    with pytest.raises(UsageError):
        people.accept(secret)
    with pytest.raises(UsageError):
        people.accept("guessed")
    with pytest.raises(UsageError):
        people.invite("a@b", "read", "Eve")
    with pytest.raises(UsageError):
        people.invite("Cleo", "owner", "Eve")


def test_a_unit_is_reserved_for_two_minutes_and_one_unit_at_a_time(people: People, clock: SetClock) -> None:
    assert people.reserve("r", "u", "Ada") is None
    assert people.reserve("r", "u", "Ben") == "Ada"
    assert people.reserve("q", "u", "Ben") is None, "a unit of another run"
    clock.move(RESERVED.total_seconds() - 1)
    assert people.reserve("r", "u", "Ben") == "Ada"
    assert people.reserve("r", "u", "Ada") is None, "she looks again: two more minutes"
    clock.move(RESERVED.total_seconds() - 1)
    assert people.looked_at() == {("r", "u"): "Ada"}
    assert people.reserve("r", "v", "Ada") is None
    assert people.looked_at() == {("r", "v"): "Ada"}
    clock.move(RESERVED.total_seconds())
    assert people.looked_at() == {}
    assert people.reserve("r", "v", "Ben") is None
    assert people.looked_at() == {("r", "v"): "Ben"}


def test_who_decides_lets_go_of_the_unit_and_the_question_is_answered(people: People) -> None:
    for name in ("Ada", "Ben"):
        people.add(name, "decide", "Eve")
    people.reserve("r", "u", "Ada")
    people.reserve("r", "v", "Ben")
    people.assign("r", "u", "Ben", "Ada")
    people.assign("r", "v", "Ben", "Ada")
    people.release("r", "u", "Ada")
    people.release("r", "v", None)
    assert people.looked_at() == {("r", "v"): "Ben"}
    assert people.tasks("Ben") == []
    people.assign("r", "u", "Ben", "Ada")
    people.release("r", "w", "Ben")
    assert people.assigned("r", "u") == ["Ben"]


def test_a_note_asks_the_members_that_it_names(people: People, clock: SetClock) -> None:
    for name in ("Ada", "Ben", "Cleo"):
        people.add(name, "decide", "Eve")
    people.revoke("Cleo", "Eve")
    assert people.note("r", "u", "Ada", "  @ben and @Cleo, @nobody: look.  ") == ["Ben"]
    clock.move(1)
    assert people.note("r", "u", "Ben", "Seen.") == []
    assert [(one.name, one.text) for one in people.notes("r", "u")] == [
        ("Ada", "@ben and @Cleo, @nobody: look."),
        ("Ben", "Seen."),
    ]
    assert people.notes("q", "u") == []
    [task] = people.tasks("Ben")
    assert (task["run"], task["unit"], task["given_by"], task["why"]) == ("r", "u", "Ada", "mentioned")
    assert people.tasks("Ada") == [] and people.assigned("r", "u") == ["Ben"]
    for empty in ("", "  \n"):
        with pytest.raises(UsageError, match="empty"):
            people.note("r", "u", "Ada", empty)


def test_only_members_are_asked_and_the_newest_question_is_first(people: People, clock: SetClock) -> None:
    for name in ("Ada", "Ben"):
        people.add(name, "decide", "Eve")
    for unit in ("u", "v"):
        people.assign("r", unit, "Ben", "Ada")
        clock.move(1)
    people.assign("r", "v", "Ada", "Ben")
    people.assign("r", "u", "Ben", "Eve")
    assert [(task["unit"], task["given_by"], task["why"]) for task in people.tasks("Ben")] == [
        ("u", "Eve", "assigned"),
        ("v", "Ada", "assigned"),
    ]
    assert people.assigned("r", "v") == ["Ben", "Ada"]
    people.revoke("Ben", "Eve")
    for name in ("Ben", "nobody"):
        with pytest.raises(UsageError, match="no member"):
            people.assign("r", "u", name, "Ada")


def test_the_trail_keeps_what_was_done_and_the_decisions_of_runs_that_go(people: People) -> None:
    people.add("Ada", "run", "Eve")
    refused = people.act("Ada", "deleted r", "abcd")
    kept = people.act("Ada", "deleted q", "ef01")
    assert refused != kept
    people.remove_action(refused)
    decision = TrailEntry("2026-11-15", "Ada", "accepted", "q", "u", "a note", "ef01")
    people.keep([decision, decision])
    people.keep([decision])
    added, deleted, decided = people.actions()
    assert (added.what, added.run, added.unit, added.note) == ("added Ada with the role run", "", "", "")
    assert (deleted.who, deleted.what, deleted.token, bool(deleted.at)) == ("Ada", "deleted q", "ef01", True)
    assert decided == decision


def test_what_fails_in_the_middle_leaves_nothing(people: People) -> None:
    people.add("Ada", "decide", "Eve")
    again = people.invite("Ada", "read", "Eve")
    before = said(people)
    with pytest.raises(UsageError, match="already"):
        people.accept(again)
    assert [one.name for one in people.invitations()] == ["Ada"], "the invitation is not used up"
    assert said(people) == before
