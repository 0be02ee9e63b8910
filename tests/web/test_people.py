"""People with tokens of their own: roles, signatures, invitations, reservations, notes, and the audit trail."""

from __future__ import annotations

import io
import json
import re
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from burnish.api.access import Access, Headers, Refused, Visitor, needed_role
from burnish.cli.main import main
from burnish.core.errors import UsageError
from burnish.store.paths import RunFolder
from burnish.store.people import FILE, People, digest_of, session_for
from burnish.store.processes import system_clock
from burnish.store.sqlite_journal import own_run
from tests.web.paper import form, words
from tests.workbench import Workbench, workbench

NAMES = ("Ada", "Ben", "Cleo")
WAITING = 60


def burnish(*arguments: str) -> None:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main([*arguments, "--no-color"]) == 3


def bank_runs(home: Path, number: int) -> Path:
    """A folder with the run `bank`, in which so many questions wait."""
    bank(home / "bank.json", number)
    burnish("polish", str(home / "bank.json"), "--rules-only", "--run-id", "bank", "--runs", str(home / "runs"))
    return home / "runs"


def bank(path: Path, number: int) -> None:
    items = [
        {
            "id": f"q{index:03}",
            "stem": f"A barge leaves harbour {index} of the river. Which of these towns is NOT near it?",
            "options": [f"Town {index}", f"Port {index}", f"Mill {index}", f"Ford {index}"],
            "answer": "A",
        }
        for index in range(number)
    ]
    path.write_text(json.dumps(items))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bank_runs(tmp_path_factory.mktemp("people"), 6)


@pytest.fixture
def runs(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "runs"))


@pytest.fixture
def server(runs: Path) -> Iterator[Workbench]:
    with workbench(runs, settings={"serve.changes_per_second": 1000, "serve.requests_per_second": 1000}) as served:
        yield served


def member(server: Workbench, name: str, role: str) -> str:
    return server.here.people.add(name, role, "the test")


def program(server: Workbench, token: str) -> httpx2.Client:
    return httpx2.Client(base_url=server.address, headers={"Authorization": f"Bearer {token}"}, timeout=20)


def browser(server: Workbench, token: str) -> httpx2.Client:
    """Signs in with the link once, and has a cookie from then on."""
    client = httpx2.Client(base_url=server.address, headers={"Origin": server.address}, timeout=20)
    assert client.get("/", params={"token": token}).status_code == 303
    return client


def test_tokens_are_kept_as_digests_in_a_private_file(runs: Path) -> None:
    people = People(runs)
    token = people.add("Ada", "decide", "root")
    assert (runs / FILE).stat().st_mode & 0o777 == 0o600
    assert token.encode() not in (runs / FILE).read_bytes() and digest_of(token) == people.members()[0].digest
    with pytest.raises(UsageError, match="member already"):
        people.add("Ada", "read", "root")
    with pytest.raises(UsageError, match="no role"):
        people.add("Ben", "boss", "root")
    for name in ("", " Ada", "a@b", "a\nb", "x" * 101):
        with pytest.raises(UsageError, match="not a valid name"):
            people.add(name, "read", "root")


@pytest.mark.parametrize(
    ("method", "path", "role"),
    [
        ("GET", "/runs", "read"),
        ("GET", "/api/v1/runs", "read"),
        ("POST", "/queue/decide", "decide"),
        ("POST", "/api/v1/runs/a/units/b/c/decision", "decide"),
        ("POST", "/api/v1/check", "decide"),
        ("POST", "/api/v1/polish", "run"),
        ("POST", "/api/v1/runs/a/continue", "run"),
        ("POST", "/queue/continue", "run"),
        ("DELETE", "/api/v1/runs/a", "admin"),
        ("POST", "/runs/a/delete", "admin"),
        ("POST", "/whatever/comes", "run"),
        ("GET", "/people", "admin"),
        ("POST", "/people/invite", "admin"),
    ],
)
def test_what_a_request_asks_for(method: str, path: str, role: str) -> None:
    assert needed_role(method, path) == role


def test_each_role_adds_to_the_one_before(server: Workbench) -> None:
    order = {"verdict": "accept"}
    for role, deciding, running, asking in (
        ("read", 403, 403, 403),
        ("decide", 200, 403, 403),
        ("run", 200, 409, 403),
        ("admin", 200, 409, 200),
    ):
        with closing(program(server, member(server, role, role))) as client:
            assert client.get("/api/v1/runs").status_code == 200
            unit = f"q00{('read', 'decide', 'run', 'admin').index(role)}"
            decided = client.post(f"/api/v1/runs/bank/units/{unit}/decision", json=order)
            assert decided.status_code == deciding, decided.text
            if deciding == 403:
                assert decided.json()["code"] == "role_needed"
            assert client.post("/api/v1/runs/bank/approve", json={}).status_code in (running, 202)
            assert client.get("/people").status_code == asking


def test_what_a_role_may_not_do_is_not_offered(server: Workbench) -> None:
    """A control that can only fail is not shown."""
    places = ("/queue?run=bank", "/runs/bank/units/q001", "/runs/bank", "/runs")
    offered = {}
    for role in ("read", "decide", "run", "admin"):
        with closing(browser(server, member(server, f"{role}er", role))) as client:
            pages = "".join(client.get(place).text for place in places)
            signs = (">Accept ", 'data-key="e"', ">Add note<", ">Decide 6", ">New run<", ">Delete<")
            offered[role] = [sign.strip(" ><") for sign in signs if sign in pages]
    decides = ["Accept", 'data-key="e"', "Add note", "Decide 6"]
    assert offered["read"] == []
    assert offered["decide"] == decides
    assert offered["run"] == [*decides, "New run"]
    assert offered["admin"] == [*decides, "New run", "Delete"]


def test_what_somebody_did_is_signed_with_the_token(server: Workbench) -> None:
    with closing(program(server, member(server, "Ada", "decide"))) as ada:
        assert ada.post("/api/v1/runs/bank/units/q000/decision", json={"verdict": "accept"}).json()["by"] == "Ada"
        forged = ada.post("/api/v1/runs/bank/units/q001/decision", json={"verdict": "accept", "by": "Ben"})
        assert forged.status_code in (400, 422) and "Ada's" in forged.text
    with closing(server.program()) as operator:
        nameless = operator.post("/api/v1/runs/bank/units/q001/decision", json={"verdict": "accept"})
        assert nameless.status_code in (400, 422) and "The request does not say who decides" in nameless.text
        named = operator.post("/api/v1/runs/bank/units/q001/decision", json={"verdict": "accept", "by": "Zoe"})
        assert named.json()["by"] == "Zoe"
    with closing(browser(server, member(server, "Ben", "decide"))) as ben:
        sent = form(ben.get("/queue").text, "/queue/decide", verdict="accept")
        done = ben.post("/queue/decide", data={**sent.fields, "verdict": "accept", "name": "Somebody else"})
        assert done.status_code == 303
        unit = sent.fields["unit"]
    with closing(server.program()) as operator:
        assert '"by":"Ben"' in operator.get(f"/api/v1/runs/bank/units/{unit}").text.replace(" ", "")


def test_a_revoked_token_stops_at_once(server: Workbench) -> None:
    token = member(server, "Ada", "decide")
    with closing(program(server, token)) as ada, closing(browser(server, token)) as page:
        assert ada.get("/api/v1/runs").status_code == page.get("/runs").status_code == 200
        server.here.people.revoke("Ada", "root")
        assert ada.get("/api/v1/runs").status_code == page.get("/runs").status_code == 401
    assert member(server, "Ada", "read") != token


def test_a_token_in_an_address_is_refused_under_the_api(server: Workbench) -> None:
    for token in (server.here.access.token, member(server, "Ada", "admin"), "wrong"):
        with closing(server.stranger()) as stranger:
            refused = stranger.get("/api/v1/runs", params={"token": token})
            assert (refused.status_code, refused.json()["code"]) == (400, "token_in_address")
            assert stranger.get("/", params={"token": token}).status_code in (303, 401)


def test_an_invitation_works_once(server: Workbench) -> None:
    with closing(browser(server, member(server, "Root", "admin"))) as root:
        made = root.post("/people/invite", data={"name": "Dana", "role": "decide", "days": "1"}).text
        link = re.search(r"/join\?invitation=[\w-]+", made)
        assert link is not None and "Dana" in words(root.get("/people").text)
    with closing(server.stranger()) as dana:
        asked = dana.get(link.group())
        assert asked.status_code == 200 and "invited" in asked.text, "a preview of the link uses nothing up"
        assert dana.post(link.group()).status_code == 403, "another site cannot accept it"
        joined = dana.post(link.group(), headers={"Origin": server.address})
        assert "Welcome, Dana" in joined.text
        assert dana.get("/runs").status_code == 200
        token = re.search(r"<code>([\w-]+)</code>", joined.text)
        assert token is not None
        again = dana.post(link.group(), headers={"Origin": server.address})
        assert again.status_code == 404 and "used" in again.text
    with closing(program(server, token.group(1))) as client:
        assert client.get("/api/v1/runs").status_code == 200


def test_nobody_comes_back_by_another_invitation(runs: Path) -> None:
    people = People(runs)
    people.add("Boss", "admin", "operator")
    first, second = people.invite("Ada", "decide", "Boss"), people.invite("Ada", "decide", "Boss")
    people.accept(first)
    people.revoke("Ada", "operator")
    with pytest.raises(UsageError):
        people.accept(second)
    hidden = people.invite("X", "admin", "Boss")
    people.revoke("Boss", "operator")
    with pytest.raises(UsageError):
        people.accept(hidden)


def test_the_file_of_people_makes_no_cookie(runs: Path) -> None:
    people = People(runs)
    token = people.add("Ada", "admin", "operator")
    access = Access("127.0.0.1", 80, None, frozenset({"127.0.0.1"}), people=people)

    def entered(**headers: str) -> Visitor:
        sent = {"host": "127.0.0.1:80", **headers}
        return access.enter("GET", Headers([(name.encode(), value.encode()) for name, value in sent.items()]), None)

    assert entered(cookie=f"{access.cookie}={session_for(token)}").member is not None
    [member] = people.active()
    for stored in (member.session, member.digest):
        with pytest.raises(Refused):
            entered(cookie=f"{access.cookie}={stored}")
    with pytest.raises(Refused):
        entered()  # also without a token of its own: people have roles here


def test_an_invitation_expires_and_can_be_withdrawn(runs: Path) -> None:
    now = [datetime(2026, 11, 18, tzinfo=UTC)]
    people = People(runs, lambda: now[0])
    first, second = people.invite("Ada", "read", "root", timedelta(days=1)), people.invite("Ben", "read", "root")
    people.withdraw("Ben", "root")
    now[0] += timedelta(days=2)
    for secret in (first, second, "wrong"):
        with pytest.raises(UsageError, match="used, expired or withdrawn"):
            people.accept(secret)
    assert people.invitations() == []


def looked_at(page: str) -> str:
    return form(page, "/queue/decide", verdict="accept").fields["unit"]


def test_a_unit_is_reserved_for_who_opens_it(server: Workbench) -> None:
    ada_token, ben_token = member(server, "Ada", "decide"), member(server, "Ben", "decide")
    with closing(browser(server, ada_token)) as ada, closing(browser(server, ben_token)) as ben:
        first, second = looked_at(ada.get("/queue").text), looked_at(ben.get("/queue").text)
        assert first != second, "others get the next one"
        assert (looked_at(ada.get("/queue").text), looked_at(ben.get("/queue").text)) == (first, second)
        told = ben.get("/queue", params={"of": "bank", "unit": first}).text
        assert looked_at(told) == first and "Ada is looking at it." in words(told)
        assert "Reserved for you" not in words(told) and "Reserved for you" in words(ada.get("/queue").text)
        sent = form(ada.get("/queue").text, "/queue/decide", verdict="accept")
        ben.get("/queue", params={"of": "bank", "unit": second})
        assert ada.post("/queue/decide", data={**sent.fields, "verdict": "accept"}).status_code == 303
        assert looked_at(ada.get("/queue").text) not in (first, second)


def test_who_looks_at_a_decided_unit_is_told(server: Workbench) -> None:
    with closing(browser(server, member(server, "Ada", "decide"))) as ada:
        unit = looked_at(ada.get("/queue").text)
        with closing(program(server, member(server, "Ben", "decide"))) as ben:
            ben.post(f"/api/v1/runs/bank/units/{unit}/decision", json={"verdict": "accept"})
        # As the live page looks again: at the unit that it shows.
        again = ada.get("/queue", params={"of": "bank", "unit": unit}).text
        assert f"Ben has just accepted {unit}." in words(again)
        assert f"Ben has just accepted {unit}." in words(ada.get("/queue", params={"of": "bank", "unit": unit}).text)
        assert 'data-live="others"' in again


def test_a_page_of_the_queue_is_told_without_an_address(server: Workbench) -> None:
    with closing(browser(server, member(server, "Ada", "decide"))) as ada:
        unit = looked_at(page := ada.get("/queue").text)
        assert f'data-same="/queue?of=bank&amp;unit={unit}"' in page
        with closing(program(server, member(server, "Ben", "decide"))) as ben:
            ben.post(f"/api/v1/runs/bank/units/{unit}/decision", json={"verdict": "accept"})
        assert f"Ben has just accepted {unit}." in words(ada.get("/queue").text)


def test_a_reservation_ends_by_itself(runs: Path) -> None:
    now = [datetime(2026, 11, 18, tzinfo=UTC)]
    people = People(runs, lambda: now[0])
    assert people.reserve("bank", "q1", "Ada") is None and people.reserve("bank", "q1", "Ben") == "Ada"
    assert people.looked_at() == {("bank", "q1"): "Ada"}
    now[0] += timedelta(seconds=121)
    assert people.looked_at() == {} and people.reserve("bank", "q1", "Ben") is None


def test_notes_mentions_and_tasks(server: Workbench) -> None:
    member(server, "Ben", "decide")
    with closing(browser(server, member(server, "Ada", "decide"))) as ada:
        page = ada.get("/queue").text
        unit = looked_at(page)
        note = {"run": "bank", "unit": unit, "next": "/queue"}
        assert ada.post("/notes", data={**note, "text": "<b>Look</b> @ben, is this right?"}).status_code == 303
        asked = {**form(page, "/assign").fields, "next": "/queue"}
        assert ada.post("/assign", data={**asked, "to": "Ada"}).status_code == 303
        assert ada.post("/assign", data={**asked, "to": "Nobody"}).status_code >= 400
        assert ada.post("/assign", data={**note, "to": "Ada"}).status_code == 400, "not without what was seen"
        assert ada.post("/notes", data={**note, "unit": "none", "text": "x"}).status_code >= 400
        page = ada.get("/queue").text
        assert "&lt;b&gt;Look&lt;/b&gt; @ben" in page and "asked:" in words(page)
        assert unit in words(ada.get("/mine").text) and "assigned by Ada" in words(ada.get("/mine").text)
    assert [task["why"] for task in server.here.people.tasks("Ben")] == ["mentioned"]


def test_nobody_is_asked_about_a_unit_that_is_decided(server: Workbench) -> None:
    ben = member(server, "Ben", "decide")
    with closing(browser(server, member(server, "Ada", "decide"))) as ada, closing(program(server, ben)) as other:
        page = ada.get("/queue").text
        asked, unit = form(page, "/assign").fields, looked_at(page)
        assert other.post(f"/api/v1/runs/bank/units/{unit}/decision", json={"verdict": "accept"}).status_code == 200
        refused = ada.post("/assign", data={**asked, "to": "Ben"})
        assert refused.status_code == 409 and "Ben accepted" in words(refused.text)
        assert "Nobody was asked about it." in words(refused.text)
    assert server.here.people.tasks("Ben") == []


def test_a_note_that_is_too_long_is_shown_again(server: Workbench) -> None:
    with closing(browser(server, member(server, "Ada", "decide"))) as ada:
        page = ada.get("/queue").text
        assert "Note for others; @NAME mentions somebody (at most 4,000 characters)" in words(page)
        assert "maxlength" not in page.partition('id="unit-note"')[2].partition(">")[0], "a browser would cut it"
        note = {"run": "bank", "unit": looked_at(page), "next": "/queue"}
        assert ada.post("/notes", data={**note, "text": "\r\n" * 10 + "x\r\n" * 1_999 + "yz"}).status_code == 303
        refused = ada.post("/notes", data={**note, "text": f"{'w' * 4_000}z"})
        assert refused.status_code == 400 and f"{'w' * 4_000}z" in refused.text
        assert "The note has 4,001 characters; 4,000 are allowed. The note was not added." in words(refused.text)
    assert [len(one.text) for one in server.here.people.notes("bank", note["unit"])] == [4_000]


def test_the_audit_trail_is_exported(server: Workbench) -> None:
    with closing(browser(server, member(server, "Root", "admin"))) as root:
        with closing(program(server, member(server, "Ada", "decide"))) as ada:
            order = {"verdict": "reject", "note": "=SUM(A1) is no question"}
            assert ada.post("/api/v1/runs/bank/units/q002/decision", json=order).status_code == 200
        root.post("/people/revoke", data={"name": "Ada"})
        lines = [json.loads(line) for line in root.get("/people/audit.jsonl").text.splitlines()]
        mine = next(line for line in lines if line["unit"] == "q002")
        marks = {one.name: one.mark for one in server.here.people.members()}
        assert (mine["who"], mine["what"], mine["run"], mine["token"]) == ("Ada", "sent back", "bank", marks["Ada"])
        assert [line["what"] for line in lines][-1] == "revoked Ada" and lines[-1]["who"] == "Root"
        table = root.get("/people/audit.csv")
        assert "'=SUM(A1)" in table.text and "attachment" in table.headers["content-disposition"]
        assert "Audit trail" in words(root.get("/people").text)


def test_three_people_decide_at_once(tmp_path: Path) -> None:
    """Under 2 % of decisions meet a conflict; without reservations all three get the same unit."""
    made, by = deciding_together(tmp_path, WAITING)
    decided, conflicts = sum(one for one, _ in made), sum(other for _, other in made)
    assert decided == WAITING and all(one > WAITING / 10 for one, _ in made), made
    assert conflicts / (decided + conflicts) < 0.05, (decided, conflicts)
    assert sorted(set(by)) == sorted(NAMES) and len(by) == WAITING


def deciding_together(home: Path, waiting: int = 120) -> tuple[list[tuple[int, int]], list[str]]:
    """Three people clear one queue without a pause: what each decided and how often each met a conflict, and who signed
    each decision. `python -m bench three_people` prints it."""
    runs = bank_runs(home, waiting)
    settings: dict[str, object] = {"serve.changes_per_second": 1000, "serve.requests_per_second": 1000}
    with workbench(runs, settings=settings) as server:
        tokens = [member(server, name, "decide") for name in NAMES]
        together = threading.Barrier(len(tokens))
        with ThreadPoolExecutor(len(tokens)) as pool:
            made = list(pool.map(lambda token: _decides(server, token, together, 2 * waiting), tokens))
        events = server.here.index.open("bank").view.journal.events(types=("decision",))
        return made, [event.data["by"] for event in events]


def _decides(server: Workbench, token: str, together: threading.Barrier, most: int) -> tuple[int, int]:
    """Accept what the queue shows until nothing is left: how many were taken in, and how many met a conflict."""
    decided = conflicts = 0
    with closing(browser(server, token)) as client:
        together.wait()
        for _ in range(most):
            page = client.get("/queue").text
            if "/queue/decide" not in page:
                break
            sent = form(page, "/queue/decide", verdict="accept")
            answer = client.post("/queue/decide", data={**sent.fields, "verdict": "accept"})
            taken = answer.status_code == 303
            decided, conflicts = decided + taken, conflicts + (not taken)
    return decided, conflicts


def test_the_database_holds_no_secret_of_an_invitation(runs: Path) -> None:
    secret = People(runs).invite("Ada", "read", "root")
    with closing(sqlite3.connect(runs / FILE)) as held:
        assert secret not in str(held.execute("SELECT * FROM invitations").fetchall())


def test_the_files_of_a_run_are_for_their_owner_only(tmp_path: Path) -> None:
    bank(tmp_path / "bank.json", 1)
    out = tmp_path / "published.json"
    burnish(
        "polish",
        str(tmp_path / "bank.json"),
        "--rules-only",
        "--run-id",
        "bank",
        "--runs",
        str(tmp_path / "runs"),
        "--out",
        str(out),
    )
    root = tmp_path / "runs" / "bank"
    modes = {str(path.relative_to(root)): path.stat().st_mode & 0o777 for path in (root, *root.rglob("*"))}
    wrong = {name: oct(mode) for name, mode in modes.items() if mode & 0o077}
    assert wrong == {} and "journal.sqlite" in modes and len(modes) > 4


def test_mine_is_a_filter_of_the_queue(server: Workbench) -> None:
    ada, ben = member(server, "Ada", "decide"), member(server, "Ben", "decide")
    first, second = browser(server, ada), browser(server, ben)
    for unit in ("q001", "q004"):
        [row] = server.here.reviews.rows("bank", [unit])
        asked = {"run": "bank", "unit": unit, "to": "Ben", "next": "/queue", "seen": row.at}
        assert first.post("/assign", data=asked).status_code == 303
    page = second.get("/queue", params={"mine": "1"})
    said = words(page.text)
    assert "Mine 2" in said and "1 left after this one" in said
    assert "q004" in said and "q001" in said and "q000" not in said
    decided = form(page.text, "/queue/decide", verdict="accept")
    after = second.post("/queue/decide", data={**decided.fields, "verdict": "accept"}, follow_redirects=True)
    assert "Mine 1" in words(after.text) and "0 left after this one" in words(after.text), "the filter stays"
    assert "Mine 0" in words(first.get("/queue").text)
    assert "Nothing waits under this filter" in words(first.get("/queue", params={"mine": "1"}).text)


def test_the_page_of_people(server: Workbench) -> None:
    member(server, "Ada", "admin")
    token = member(server, "Ben", "decide")
    ben = browser(server, token)
    page = ben.get("/queue").text
    decided = form(page, "/queue/decide", verdict="accept")
    ben.post("/queue/decide", data={**decided.fields, "verdict": "accept"})
    assert ben.get("/people").status_code == 403
    robin = server.browser("Robin")
    said = words(robin.get("/people").text)
    assert "2 people, 1 here now" in said and "1 decision Revoke Ben" in said and "no decisions" in said
    shown = form(robin.get("/people").text, "/people/role").fields
    assert robin.post("/people/role", data={**shown, "role.Ben": "run", "role.Nobody": "admin"}).status_code == 400
    assert robin.post("/people/role", data={**shown, "role.Ben": "boss"}).status_code == 400
    robin.post("/people/role", data={**shown, "role.Ben": "run"})
    assert {one.name: one.role for one in server.here.people.active()} == {"Ada": "admin", "Ben": "run"}
    changes = [action for action in server.here.people.actions() if action.who == "Robin"]
    assert len(changes) == 1, "only what changed is recorded"


def test_whoever_spends_money_is_in_the_audit_trail(server: Workbench) -> None:
    with closing(browser(server, member(server, "Root", "admin"))) as root:
        with closing(browser(server, member(server, "Cleo", "run"))) as cleo:
            assert cleo.post("/samples/legos").status_code == 303
        lines = [json.loads(line) for line in root.get("/people/audit.jsonl").text.splitlines()]
        marks = {one.name: one.mark for one in server.here.people.members()}
        told = next(line for line in lines if line["what"].startswith("started the run "))
        assert (told["who"], told["token"]) == ("Cleo", marks["Cleo"])


def roles(server: Workbench) -> dict[str, str]:
    return {one.name: one.role for one in server.here.people.active()}


def test_an_old_form_of_roles_changes_only_what_was_changed_in_it(server: Workbench) -> None:
    for name, role in (("Ada", "admin"), ("Ben", "admin"), ("Cleo", "read")):
        member(server, name, role)
    robin = server.browser("Robin")
    opened = form(robin.get("/people").text, "/people/role").fields
    server.here.people.change_roles({"Ben": ("admin", "read")}, "Ada")
    assert robin.post("/people/role", data={**opened, "role.Cleo": "decide"}).status_code == 303
    assert roles(server) == {"Ada": "admin", "Ben": "read", "Cleo": "decide"}
    late = robin.post("/people/role", data={**opened, "role.Ada": "run", "role.Ben": "run"})
    assert late.status_code == 409 and "The role of Ben has changed" in words(late.text)
    assert roles(server)["Ada"] == "admin", "all of the form is saved, or nothing"
    server.here.people.revoke("Ben", "Ada")
    opened |= {"was.Ben": "read"}
    assert robin.post("/people/role", data={**opened, "role.Ada": "run", "role.Ben": "run"}).status_code == 409
    assert roles(server) == {"Ada": "admin", "Cleo": "decide"}


def trail(server: Workbench) -> list[dict[str, str]]:
    return [json.loads(line) for line in server.browser("Robin").get("/people/audit.jsonl").text.splitlines()]


def accept_next(client: httpx2.Client) -> str:
    sent = form(client.get("/queue").text, "/queue/decide", verdict="accept").fields
    assert client.post("/queue/decide", data={**sent, "verdict": "accept"}).status_code == 303
    return sent["unit"]


def test_the_trail_tells_the_token_that_was_used(server: Workbench) -> None:
    token = member(server, "Ada", "admin")
    [old] = [one.mark for one in server.here.people.members()]
    with closing(browser(server, token)) as ada, closing(program(server, token)) as script:
        own = accept_next(ada)
        undo = {"run": "bank", "unit": own, "of": server.here.reviews.last("bank", own).at}  # type: ignore[union-attr]
        assert ada.post("/queue/undo", data=undo).status_code == 303
        assert script.post("/api/v1/runs/bank/units/q005/decision", json={"verdict": "accept"}).status_code == 200
        ada.post("/people/invite", data={"name": "Dana", "role": "read"})
        ada.post("/people/withdraw", data={"name": "Dana"})
    server.here.people.revoke("Ada", "root")
    member(server, "Ada", "admin")
    typed = accept_next(server.browser("Ada"))
    assert [(row["unit"], row["what"], row["token"]) for row in trail(server) if row["who"] == "Ada"] == [
        (own, "accepted", old),
        (own, "undid a decision", old),
        ("q005", "accepted", old),
        ("", "invited Dana with the role read", old),
        ("", "withdrew the invitation of Dana", old),
        (typed, "accepted", ""),  # the operator typed Ada's name
    ]


def test_many_decided_at_once_and_decisions_that_wait_keep_the_token(server: Workbench) -> None:
    token = member(server, "Ada", "decide")
    [mark] = [one.mark for one in server.here.people.members()]
    with closing(program(server, token)) as ada, own_run(RunFolder.at(server.here.runs, "bank"), system_clock):
        order = {"verdict": "accept", "units": ["q001", "q002"], "expected": 2}
        assert ada.post("/api/v1/runs/bank/decisions", json=order).status_code in (200, 202)
        assert ada.post("/api/v1/runs/bank/units/q003/decision", json={"verdict": "accept"}).status_code in (200, 202)
        assert [row for row in trail(server) if row["unit"]] == []
    server.here.reviews.apply_pending("bank")
    assert {row["unit"]: row["token"] for row in trail(server) if row["unit"]} == dict.fromkeys(
        ("q001", "q002", "q003"), mark
    )


def test_what_cannot_be_signed_does_not_happen(server: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(program(server, member(server, "Root", "admin"))) as root:

        def refuse(*_: object) -> int:
            raise OSError("the disk is full")

        with monkeypatch.context() as broken:
            broken.setattr(People, "act", refuse)
            assert root.delete("/api/v1/runs/bank").status_code == 500
            assert root.post("/samples/legos").status_code >= 400
        assert [card.id for card in server.here.index.cards()] == ["bank"]
        before = server.here.people.actions()
        assert root.post("/api/v1/runs/bank/stop").status_code >= 400
        assert server.here.people.actions() == before, "what is refused is not recorded"
        monkeypatch.setattr(server.here.jobs, "stop", lambda _: None)
        assert root.post("/api/v1/runs/bank/stop").status_code == 202
        assert server.here.people.actions()[-1].what == "stopped the run bank"


def test_the_decisions_of_a_deleted_run_stay_in_the_trail(server: Workbench) -> None:
    with closing(browser(server, member(server, "Root", "admin"))) as root:
        accept_next(root)
        before = trail(server)
        server.here.delete_run("bank")
        after = trail(server)
    assert [row for row in before if row["unit"]] == [row for row in after if row["unit"]] != []
    assert after[-1]["what"] == "deleted the run bank"
