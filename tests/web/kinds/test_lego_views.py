"""Courses in the workbench: the cut over both sentences, what was tried, the course's report and its prompts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest

from burnish.app.run_index import RunIndex
from burnish.app.run_reader import RunReader
from burnish.core.errors import InputError
from burnish.core.presentation import UnitStory
from burnish.kinds.legos.kind import LegosKind
from burnish.web.kinds import Panel, Words, parts_of
from burnish.web.kinds.legos import REPORT, Quality, Unreadable, folder_of, learnt_in, order_of, quality_of
from burnish.web.kinds.legos import review as proposing
from burnish.web.kinds.legos.cuts import attempts_of, changes, is_same_cut
from burnish.web.kinds.legos.review import SeedReview, facts, ready_cut, why_it_waits
from burnish.web.rendering import environment
from tests.app.learning_course import GOOD, IDLE, adopt
from tests.app.lego_desk import SharedDesk, course, extract, sitting_in
from tests.legos_model import CUTS, HOUSE, MARKET, TORN, LegoWorld, Slip
from tests.web.paper import form, send, words
from tests.workbench import workbench

LEGOS = parts_of("legos")
WAITS, MENDED, FINE = "C0006", "C0007", "C0001"
BAD_HOUSE = (("They want to", "Тие сакаат да"), ("see the house", "ја видат куќата"))
WHOLE = (("They want to see the house", "Тие сакаат да ја видат куќата"),)
OTHERWISE = LegoWorld(cuts={**CUTS, HOUSE: WHOLE})
WORLD = LegoWorld(slips={MARKET: Slip(TORN, "idle", TORN), HOUSE: Slip(BAD_HOUSE)})


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedDesk]:
    with sitting_in(tmp_path_factory.mktemp("course")) as made:
        adopt(course(made), GOOD)
        assert extract(made, WORLD).code == 3
        extract(made, OTHERWISE, "--again", MENDED, id="again")
        yield made


@pytest.fixture(scope="module")
def runs(desk: SharedDesk) -> Path:
    return desk.home / "runs"


@pytest.fixture(scope="module")
def first(index: RunIndex) -> RunReader:
    return index.open("x")


@pytest.fixture(scope="module")
def again(index: RunIndex) -> RunReader:
    return index.open("again")


def waiting(run: RunReader, seed: str) -> SeedReview:
    kind = run.view.kind
    assert isinstance(kind, LegosKind)
    return SeedReview.of(run.story(seed), kind.terms)


def drawn(panel: Panel) -> str:
    return environment().get_template(panel.template).render(part=panel.context)


def said(parts: Iterator[Words]) -> str:
    return "".join(f"[{one.text}]" if one.severity else one.text for one in parts)


def tab(run: RunReader, id: str, **query: str) -> str:
    [found] = [one for one in LEGOS.run_parts(run, {"tab": id, **query}).tabs if one.id == id]
    return environment().get_template(found.template).render(part=found.context)


# -- what was tried


def test_every_attempt_tells_its_score_its_prompt_and_its_cut(first: RunReader) -> None:
    one, two, three = waiting(first, WAITS).attempts
    assert (one.number, one.prompt, one.hand, one.status) == (1, "1.1.0", "m", "flagged")
    assert one.seed is not None and [lego.source for lego in one.seed.legos] == ["We are going", "to the market"]
    assert one.usage.total_tokens > 0 and one.delta is None and two.delta == "+0.0" and not three.is_earlier
    assert one.tones() == {1: "doubt", 2: "bad"} and [try_.is_kept for try_ in (one, two, three)].count(True) == 1


def test_attempts_of_earlier_runs_are_told_too(again: RunReader) -> None:
    tries = waiting(again, MENDED).attempts
    assert [one.is_earlier for one in tries] == [True, True, False]
    assert [one.seed is not None for one in tries] == [False, True, True]
    assert tries[-1].is_kept and tries[0].usage.total_tokens == 0
    page = "".join(drawn(panel) for panel in LEGOS.unit_parts(again, again.story(MENDED)).panels)
    assert "The cut of this attempt is no longer stored." in page and "in an earlier run" in page


def test_a_seed_that_nobody_cut_yet(first: RunReader) -> None:
    story = first.story(FINE)
    bare = UnitStory(replace(story.row, attempts=1, best_attempt=1), story.source, story.attempts[:1], ())
    found = SeedReview.of(bare, waiting(first, FINE).terms)
    assert found.attempts == () and found.now() is None and found.proposed() is None
    page = environment().get_template("kinds/legos/cut.html").render(part={"review": found})
    assert "This SEED has no LEGOs yet" in page
    panels = environment().get_template("kinds/legos/cuts_panel.html").render(part={"review": found})
    assert "Add them with Edit." in panels
    assert [field.value for field in LEGOS.editor(bare).fields] == ["", ""]


# -- the queue


def test_the_reason_marks_the_word_that_breaks_the_rule(first: RunReader) -> None:
    found = waiting(first, WAITS)
    kind = first.view.kind
    assert said(why_it_waits(kind, found)) == "S6L2: '[to the market]' begins with the preposition 'to'."
    assert list(facts(kind, found))[1:] == ["Not accepted after 3 attempts: best 6.0, threshold 8.0", "Prompt 1.1.0"]
    focus = LEGOS.focus_parts(first, first.story(WAITS))
    assert focus.rule == "c_iron_rule_violation" and focus.severity == "critical"
    page = "".join(drawn(panel) for panel in (*focus.now, *focus.proposed))
    assert '<mark class="critical">to</mark>' in page and 'class="lane bad opens' in page
    assert 'lang="mk"' in page and "The best cut, Macedonian" in page


def test_where_no_attempt_is_right_the_built_in_extractor_proposes(first: RunReader) -> None:
    found = waiting(first, WAITS)
    ready = ready_cut(first, found)
    assert ready is not None and ready.score >= 8.0 and not is_same_cut(ready.seed, found.draft)
    [offer] = LEGOS.focus_parts(first, first.story(WAITS)).proposed
    told = words(drawn(offer))
    assert "Ready proposal" in told and "no model, no tokens" in told and "Take this cut" not in told
    text = LEGOS.editor(first.story(WAITS)).text_of(ready.fields())
    taken = first.view.kind.from_person(found.draft, text)
    assert [lego.source for lego in taken.legos] == [lego.source for lego in ready.seed.legos]  # type: ignore[attr-defined]
    assert ready_cut(first, waiting(first, FINE)) is None


def test_without_links_nothing_is_proposed(first: RunReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposing, "FACTS", "no such facts")
    assert ready_cut(first, waiting(first, WAITS)) is None
    focus = LEGOS.focus_parts(first, first.story(WAITS))
    assert not focus.proposed and "3 open concerns" in words("".join(map(drawn, focus.now)))


def test_the_proposal_is_taken_with_one_button(desk: SharedDesk, tmp_path: Path) -> None:
    copytree(desk.home, tmp_path / "home", dirs_exist_ok=True)
    with workbench(tmp_path / "home/runs") as server, closing(server.browser("Robin")) as browser:
        page = browser.get("/queue", params={"run": "x"}).text
        took = send(browser, form(page, "/queue/decide", note=proposing.NOTE))
        assert took.status_code == 200, took.text
        story = server.here.index.open("x").story(WAITS)
    [decision] = story.effective_decisions
    assert decision.data["verdict"] == "edit" and decision.data["note"] == proposing.NOTE
    assert story.attempts[-1].cause == "person" and story.attempts[-1].passed


def test_a_better_cut_is_shown_as_a_change(again: RunReader) -> None:
    found = waiting(again, MENDED)
    page = drawn(LEGOS.unit_parts(again, again.story(MENDED)).panels[0])
    assert found.is_proposed and "Now, English" in page and "Proposed, English" in page
    assert "They want to see<ins> the house</ins>" in page and "<del>see the house</del>" in page
    before = replace(found.source, legos=found.source.legos[:1])
    rows = changes(before, found.source)
    assert [row.name for row in rows] == ["S7L1", "S7L2"]
    assert not rows[0].is_changed and {piece.change for piece in rows[1].source} == {"ins"}
    assert is_same_cut(before, before) and not is_same_cut(before, found.source)


def test_a_cut_that_passed_says_so(first: RunReader) -> None:
    found = waiting(first, FINE)
    effect = found.effect()
    assert not effect.open and effect.looked_at and effect.before is None
    assert any(one.startswith("Score 9.") for one in facts(first.view.kind, found)) and said(
        why_it_waits(first.view.kind, found)
    )
    page = drawn(LEGOS.focus_parts(first, first.story(FINE)).proposed[0])
    assert "No open concerns" in page and "Covers the whole SEED" in page


# -- the form


def test_a_person_cuts_in_a_field_for_each_lego(first: RunReader) -> None:
    story = first.story(WAITS)
    editor = LEGOS.editor(story)
    assert [field.label for field in editor.fields][:2] == [
        "S6L1, English and Macedonian",
        "S6L2, English and Macedonian",
    ]
    assert editor.fields[0].value == "We are going\nНие одиме" and editor.fields[2].value == ""
    values = {"L1": "We are going\r\nНие одиме\r\n", "L2": "going to the market\r\nодиме на пазар", "L3": " \r\n"}
    text = editor.text_of(values)
    assert text == "We are going | Ние одиме\ngoing to the market | одиме на пазар"
    seed = first.view.kind.from_person(waiting(first, WAITS).draft, text)
    assert [lego.source for lego in seed.legos] == ["We are going", "going to the market"]  # type: ignore[attr-defined]
    assert editor.text_of({"L1": "a | b\nc | d", "L2": "e\nf"}) == "a | b\nc | d\ne | f"
    with pytest.raises(InputError, match="two halves"):
        first.view.kind.from_person(story.source, editor.text_of({"L1": "only one half"}))


# -- the run


def test_how_the_course_stands(first: RunReader) -> None:
    told = words(tab(first, "course"))
    assert "8 SEEDs" in told and "accepted from 8.0" in told and "Five dimensions mean of the last attempts" in told
    assert "c_iron_rule_violation" in told and "Why SEEDs wait 1 No attempt scores high enough" in told
    assert " improved" in told and "0 below the threshold" not in told


def test_seeds_with_their_cuts_and_filters(first: RunReader) -> None:
    page = tab(first, "units")
    assert page.count('class="cutline"') == 16 and "prompt <code>1.1.0</code>" in page
    only = words(tab(first, "units", state="pending_review"))
    assert "1 SEED" in only and WAITS in only and FINE not in only
    assert "No SEED matches these filters." in words(tab(first, "units", text="nowhere"))


def test_the_legos_that_a_learner_meets(first: RunReader, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tab(first, "legos")
    told = words(page)
    assert "What a learner meets" in told and "Distinct LEGOs" in told and "Word by word" in told
    assert 'aria-label="LEGOs a SEED, in the order of teaching:' in page and "fewest new first" in told
    some = re.search(r'lego=([0-9a-f]{32})"><bdi lang="en" dir="auto">([^<]+)', page)
    assert some is not None
    one = words(tab(first, "legos", lego=some[1]))
    assert f"{some[2]} =" in one and "LEGO " in one and "First met in C00" in one and "All LEGOs" in one
    found = tab(first, "legos", find=some[2].upper())
    assert some[1] in found and "of " in words(found)
    assert "No LEGO has these words." in words(tab(first, "legos", find="nowhere at all"))
    monkeypatch.setattr("burnish.web.kinds.legos.A_PAGE", 2)
    paged = tab(first, "legos")
    assert "from=2" in paged and "from=0" in tab(first, "legos", **{"from": "2"})


@pytest.mark.parametrize(("content", "said"), [(None, "no teaching order yet"), (b"{", "cannot be read")])
def test_a_course_without_an_order_says_so(tmp_path: Path, content: bytes | None, said: str) -> None:
    if content is not None:
        (tmp_path / "teaching_order.json").write_bytes(content)
    assert said in str(order_of(tmp_path))


def test_what_the_prompts_have_learnt(first: RunReader) -> None:
    told = words(tab(first, "prompts"))
    assert "1.1.0 1 learnt rule" in told and GOOD[1] in told and "Adopted" in told
    assert "This run uses 1.1.0." in told and "p 0.001" in told and "+1.0 80 SEEDs" in told and "1.00 needs .20" in told


def test_facts_and_tabs_of_a_run(first: RunReader) -> None:
    parts = LEGOS.run_parts(first, {})
    assert [one.id for one in parts.tabs] == ["course", "units", "legos", "prompts"] and parts.tabs[0].context
    told = {fact.label: fact.text for fact in parts.facts}
    assert told["Course"] == "Macedonian for speakers of English" and told["Prompt"] == "1.1.0, 1 learnt"
    assert told["Attempts"] == "3, again below 8.0" and told["Iron Rule"] == "strict"


def test_an_evolution_shows_its_trials_only(first: RunReader, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = first.view.plan
    evolving = replace(
        plan, documents=(), arguments={**plan.arguments, "task": "evolve", "path": plan.arguments["course"]["folder"]}
    )
    assert folder_of(replace(evolving, arguments={"task": "evolve", "path": "/x"})) == Path("/x")
    assert folder_of(replace(plan, arguments={})) is None
    card = replace(first.card, task="evolve")
    monkeypatch.setattr(type(first), "card", property(lambda self: card))
    parts = LEGOS.run_parts(first, {})
    assert [one.id for one in parts.tabs] == ["prompts"]


def test_reports_that_cannot_be_read_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert quality_of(tmp_path) == Unreadable("The course has no quality report yet. It is written when the run stops.")
    report = tmp_path / REPORT
    report.parent.mkdir()
    for content in (b"{}", b"no json", b"[" * 100_000):
        report.write_bytes(content)
        found = quality_of(tmp_path)
        assert isinstance(found, Unreadable) and "cannot be read" in found.message
    monkeypatch.setattr("burnish.web.kinds.legos.LARGEST", 100)
    report.write_bytes(b" " * 101)
    found = quality_of(tmp_path)
    assert isinstance(found, Unreadable) and "too large" in found.message


def test_a_report_that_leads_out_of_the_course_is_not_followed(tmp_path: Path) -> None:
    course_folder, elsewhere = tmp_path / "course", tmp_path / "elsewhere"
    for folder in (course_folder, elsewhere):
        folder.mkdir()
    (elsewhere / "quality_report.json").write_text("{}", encoding="utf-8")
    (course_folder / "quality_reports").symlink_to(elsewhere)
    found = quality_of(course_folder)
    assert isinstance(found, Unreadable) and "leads out of" in found.message
    assert not isinstance(found, Quality)


def test_a_ledger_with_a_broken_line_is_told_and_the_rest_is_shown(tmp_path: Path) -> None:
    adopt(tmp_path, GOOD, IDLE)
    with (tmp_path / "prompts/ledger.jsonl").open("ab") as ledger:
        ledger.write(b'{"trial": "t_9"')
    found = learnt_in(tmp_path)
    assert not isinstance(found, Unreadable)
    assert len(found.trials) == 2 and [trial.row.version_after for trial in found.versions] == ["1.2.0", "1.1.0"]
    assert any("incomplete" in problem for problem in found.problems)
    part = {"learnt": found, "run": "earlier", "used": None, "rules": ()}
    page = environment().get_template("kinds/legos/prompts.html").render(part=part)
    assert "incomplete" in page and "(this run)" in page and "uses no prompt" in page


def test_a_course_without_trials_and_one_that_nobody_knows(tmp_path: Path) -> None:
    part = {"learnt": learnt_in(tmp_path), "run": "x", "used": "1.0.0", "rules": ()}
    page = environment().get_template("kinds/legos/prompts.html").render(part=part)
    assert "No rule has been tested on this course yet." in page and "No rule has changed the prompt" in page
    page = environment().get_template("kinds/legos/prompts.html").render(part={**part, "learnt": None})
    assert "course folder of this run is not known" in page


def test_names_of_hands(first: RunReader) -> None:
    terms = waiting(first, FINE).terms
    story = first.story(FINE)
    assert {one.hand for one in attempts_of(story, terms)} == {"m"}
