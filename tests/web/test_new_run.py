"""New run: files come in, are checked for free, and a run over them is started, as a browser without scripts does."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import httpx2
import pytest

from burnish.app.uploads import HOME, MOST_FILES
from burnish.cli.main import main
from burnish.core.errors import RunActive
from tests.web.paper import words
from tests.workbench import Workbench, until_rested, workbench

SAMPLES = Path(str(files("burnish") / "samples"))
SCRIPT = f"scripted:{SAMPLES / 'biology_model.json'}"
JUDGE = f"scripted:{SAMPLES / 'biology_judge.json'}"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    settings: dict[str, object] = {"models.corrector": SCRIPT, "serve.models": (JUDGE,), "limits.max_cost": 3.0}
    with workbench(tmp_path / "runs", settings=settings) as server:
        yield server


@pytest.fixture
def robin(bench: Workbench) -> Iterator[httpx2.Client]:
    with closing(bench.browser("Robin Ito")) as browser:
        yield browser


def sent(browser: httpx2.Client, *named: str | tuple[str, bytes], to: str = "/new") -> httpx2.Response:
    brought = [(one, (SAMPLES / one).read_bytes()) if isinstance(one, str) else one for one in named]
    return browser.post(to, files=[("files", one) for one in brought], follow_redirects=True)


def of(answer: httpx2.Response) -> str:
    """The address of the upload that a page shows."""
    return str(answer.url.path)


@pytest.fixture
def queued(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """The workbench, which starts no process: every run is recorded and queued."""
    monkeypatch.setattr(bench.here.jobs, "_most", 0)
    return bench


def page_once_run(queued: Workbench, browser: httpx2.Client, address: str) -> str:
    """The page of a queued run, when the command has ended that would have been started for it."""
    run = address.partition("?")[0].rpartition("/")[2]
    assert main([*queued.here.jobs._queue.pop(run), "--runs", str(queued.here.runs), "--no-color"]) in (0, 3)
    return str(browser.get(f"/runs/{run}").text)


def page_at_rest(bench: Workbench, browser: httpx2.Client, address: str) -> str:
    """The page of a run that does not work any more."""
    run = address.partition("?")[0].rpartition("/")[2]
    until_rested(bench.here, run)
    return str(browser.get(f"/runs/{run}").text)


class TestCheck:
    def test_a_bank_is_checked_at_once_without_a_model(self, robin: httpx2.Client) -> None:
        answer = sent(robin, "biology.json")
        said = words(answer.text)
        assert "Question bank, 12 questions" in said and "5 errors and 3 warnings in 6 of 12 questions" in said
        assert "Negative question nbme_negation_detection" in said and "Nothing has been spent." in said
        assert robin.get("/api/v1/runs").json()["total"] == 0

    def test_safe_fixes_are_shown_and_can_be_taken_home(self, robin: httpx2.Client) -> None:
        answer = sent(robin, "biology.json")
        assert "Fix 1 small thing now" in words(answer.text)
        fixed = robin.get(f"{of(answer)}/fixed/biology.json")
        assert "attachment" in fixed.headers["content-disposition"]
        before, after = json.loads((SAMPLES / "biology.json").read_bytes()), fixed.json()
        changed = [one["id"] for one, other in zip(before, after, strict=True) if one != other]
        assert changed == ["bio-005"]
        assert robin.get(f"{of(answer)}/fixed/other.json").status_code == 404

    def test_all_findings_as_a_table(self, robin: httpx2.Client) -> None:
        bank = [{"id": "=cmd()", "stem": "Which is NOT a mammal?", "options": ["Bat", "Trout", "Mole"], "answer": 1}]
        answer = sent(robin, ("bank.json", json.dumps(bank).encode()))
        table = robin.get(f"{of(answer)}/findings.csv").text
        assert "nbme_negation_detection" in table and "'=cmd()" in table and "\n=cmd()" not in table

    def test_a_lesson_with_its_specification_and_source(self, robin: httpx2.Client) -> None:
        said = words(sent(robin, "bread.json", "bread_spec.json", "bread_source.md").text)
        assert "Lesson, JSON" in said and "Specification, 436 bytes" in said and "Source material, 980 bytes" in said
        assert "3 errors in 2 of 9 units" in said and "Judge 3" in said and "Semi-auto" in said

    def test_a_book_with_its_glossary_and_then_its_translation(self, robin: httpx2.Client) -> None:
        answer = sent(robin, "lighthouse.md", "lighthouse_terms.csv", "lighthouse_style.md")
        said = words(answer.text)
        assert "Book to translate, 13 paragraphs" in said and "Glossary" in said and "Style sheet" in said
        assert "There is no translation yet" in said and "English." in said
        spanish = "# La lámpara\n\n" + "Ana Vidal ha cuidado la luz de la roca de Maran.\n\n" * 3
        again = sent(robin, ("es.md", spanish.encode()), to=f"{of(answer)}/files")
        assert "Translation to check" in words(again.text) and "rules, without a model" in words(again.text)

    def test_sentence_pairs(self, robin: httpx2.Client) -> None:
        said = words(sent(robin, "neighbours.tsv").text)
        assert "Sentence pairs for a course, 40 SEEDs" in said and "English and Spanish." in said

    def test_cards_with_a_front_and_a_back_are_sentence_pairs(self, robin: httpx2.Client) -> None:
        cards = "Front,Back,Tags\n" + "I want to eat,Quiero comer,a\n" * 3 + "I want to sleep,Quiero dormir,b\n"
        assert "Sentence pairs for a course" in words(sent(robin, ("cards.csv", cards.encode())).text)

    def test_two_texts_in_two_languages_are_a_book_and_its_translation(self, robin: httpx2.Client) -> None:
        english = (
            "# The lamp\n\n" + "The keeper of the light has lived on the rock for many years with her dog.\n\n" * 4
        )
        german = (
            "# Die Lampe\n\n" + "Die Wärterin des Lichts lebt seit vielen Jahren mit ihrem Hund auf dem Felsen.\n\n" * 4
        )
        said = words(sent(robin, ("en.md", english.encode()), ("de.md", german.encode())).text)
        assert "Book to translate" in said and "Translation to check" in said and "English and German." in said

    def test_a_language_that_is_not_known_is_left_to_the_person(self, robin: httpx2.Client) -> None:
        """The second of two languages is not taken for the first."""
        pairs = "Zxq vrk\tQuiero comer pan con mi vecina esta noche\n" * 4
        page = sent(robin, ("pairs.tsv", pairs.encode())).text
        assert 'name="from" value=""' in page and 'name="to" value=""' in page

    def test_the_kind_can_be_changed(self, robin: httpx2.Client) -> None:
        answer = sent(robin, "lighthouse.md")
        assert "Lesson," in words(answer.text)
        fields = {"kind": "manuscripts", "role.lighthouse.md": "document"}
        changed = robin.post(f"{of(answer)}/kind", data=fields, follow_redirects=True)
        assert "Book to translate, 13 paragraphs" in words(changed.text)
        assert robin.post(f"{of(answer)}/kind", data={"kind": "poems"}).status_code == 400


def zipped(*names: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as package:
        for name in names:
            package.writestr(name, "x")
    return made.getvalue()


class TestWhatCannotBeRead:
    @pytest.mark.parametrize(
        ("name", "data", "said"),
        [
            ("exam.pdf", b"%PDF-1.7 ...", "This is a PDF. Export the bank as Moodle XML or Excel and drop that."),
            ("backup.mbz", b"\x1f\x8b\x08\x00....", "This is a Moodle backup. In Moodle choose Question bank"),
            ("talk.pptx", zipped("ppt/presentation.xml"), "This is a presentation. Export its text"),
            (
                "old.doc",
                b"\xd0\xcf\x11\xe0\xa1\xb1",
                "This is a text document, but not .docx. Open it where it was written and save it as Word (.docx).",
            ),
            ("scan.png", b"\x89PNG\r\n\x1a\n", "This is a picture, and words in pictures are not read."),
            ("page.html", b"<!DOCTYPE html><p>Hello", "This is a web page or e-book. Convert it"),
            ("empty.json", b"", "This file is empty."),
        ],
    )
    def test_says_what_to_do_instead(self, robin: httpx2.Client, name: str, data: bytes, said: str) -> None:
        answer = sent(robin, (name, data))
        assert answer.status_code == 200 and said in words(answer.text)
        assert "Start repair" not in answer.text
        assert '<a href="/runs" aria-current="page">' in answer.text

    def test_nothing_chosen(self, robin: httpx2.Client) -> None:
        answer = robin.post("/new", files=[("files", ("", b""))])
        assert answer.status_code == 400 and "No file was chosen." in words(answer.text)


class TestHostileUploads:
    @pytest.mark.parametrize(
        "name",
        ["../../../etc/passwd", "..\\..\\evil.json", "/etc/cron.d/x.json", "a\x00b.json", "\u202egnp.json", "..."],
    )
    def test_no_name_leads_anywhere(self, bench: Workbench, robin: httpx2.Client, name: str) -> None:
        body = (SAMPLES / "biology.json").read_bytes()
        head = f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'.encode()
        answer = robin.post(
            "/new", content=head + body + b"\r\n--x--\r\n", headers={"content-type": "multipart/form-data; boundary=x"}
        )
        assert answer.status_code in (303, 400)
        home = bench.here.runs / HOME
        inside = [
            path for path in bench.here.runs.parent.rglob("*") if path.is_file() and b"bio-001" in path.read_bytes()
        ]
        assert all(path.is_relative_to(home) for path in inside)
        assert all("\u202e" not in path.name and ".." not in path.name for path in inside)

    def test_two_files_of_one_name_are_both_kept(self, robin: httpx2.Client) -> None:
        bank = (SAMPLES / "biology.json").read_bytes()
        said = words(sent(robin, ("bank.json", bank), ("BANK.json", bank)).text)
        assert "bank.json" in said and "BANK (2).json" in said and "24 questions" in said

    def test_too_many_and_too_large(self, bench: Workbench, robin: httpx2.Client) -> None:
        assert sent(robin, *[(f"{at}.json", b"[]") for at in range(MOST_FILES + 1)]).status_code == 400
        large = bench.here.loaded.settings.serve.max_body_mb << 20
        assert sent(robin, ("large.json", b" " * (large + 1))).status_code == 413
        assert not any(bench.here.runs.glob(f"{HOME}/*"))

    def test_markup_in_content_and_names_stays_text(self, robin: httpx2.Client) -> None:
        bank = [{"id": "<b>q", "stem": "Which is NOT <script>alert(1)</script>?", "options": ["a", "b"], "answer": 1}]
        page = sent(robin, ("<img src=x>.json", json.dumps(bank).encode())).text
        assert "<script>alert" not in page and "<img src=x" not in page and "<b>q" not in page

    def test_others_addresses_lead_nowhere(self, robin: httpx2.Client) -> None:
        for id in ("../../x", "0" * 16, "..%2f..%2fx", "a" * 200):
            assert robin.get(f"/new/{id}").status_code in (400, 404)


class TestStart:
    def chosen(self, robin: httpx2.Client, answer: httpx2.Response, **fields: str) -> httpx2.Response:
        return robin.post(f"{of(answer)}/start", data=fields, follow_redirects=True)

    def test_from_upload_to_a_run(self, bench: Workbench, robin: httpx2.Client) -> None:
        answer = sent(robin, "biology.json")
        page = self.chosen(robin, answer, corrector=SCRIPT, judge1=JUDGE, max_cost="0.50", fixes="1")
        assert page.url.path.startswith("/runs/biology-")
        assert "10 of 12" in words(page_at_rest(bench, robin, str(page.url.path)))
        run = robin.get("/api/v1/runs").json()["runs"][0]
        assert run["ceilings"] == {"max_cost": 0.5} and run["models"] == [SCRIPT, JUDGE]
        assert robin.get(of(answer)).status_code == 404

    def test_the_estimate_follows_what_is_chosen(self, robin: httpx2.Client) -> None:
        answer = sent(robin, "biology.json")
        updated = robin.post(
            f"{of(answer)}/settings",
            data={"corrector": SCRIPT, "judge1": JUDGE, "max_tokens": "400,000"},
            follow_redirects=True,
        )
        said = words(updated.text)
        assert "Free" in said and "calls, about" in said and 'value="400,000"' in updated.text
        none = robin.post(f"{of(answer)}/settings", data={"corrector": "", "judge1": ""}, follow_redirects=True)
        assert "No model is called." in words(none.text)

    @pytest.mark.parametrize(
        ("fields", "said"),
        [
            ({"corrector": "openai:gpt-5"}, "This model is not among those that may be used here."),
            ({"corrector": "scripted:/etc/passwd"}, "This model is not among those that may be used here."),
            ({"judge1": JUDGE, "judge2": JUDGE}, "The same model is chosen for two judges."),
            ({"max_cost": "9"}, "The ceiling in US dollars is at most 3 here."),
            ({"max_cost": "much"}, "The ceiling in US dollars is not a number."),
            ({"max_tokens": "-1"}, "The ceiling in tokens must be above 0."),
        ],
    )
    def test_what_the_operator_does_not_allow(self, robin: httpx2.Client, fields: dict[str, str], said: str) -> None:
        answer = sent(robin, "biology.json")
        for part in ("settings", "start"):
            page = robin.post(f"{of(answer)}/{part}", data=fields)
            assert page.status_code == 422 and said in words(page.text)
        assert robin.get("/api/v1/runs").json()["total"] == 0

    def test_a_run_without_any_model(self, queued: Workbench, robin: httpx2.Client) -> None:
        page = self.chosen(robin, sent(robin, "biology.json"), corrector="", judge1="", judge2="")
        assert "Waiting for people" in words(page_once_run(queued, robin, str(page.url.path)))

    def test_pairs_become_a_course(self, queued: Workbench, robin: httpx2.Client) -> None:
        fields = {"corrector": "", "from": "English", "to": "Spanish", "mode": "semi-auto"}
        page = self.chosen(robin, sent(robin, "neighbours.tsv"), **fields)
        assert "35 of 40" in words(page_once_run(queued, robin, str(page.url.path)))

    def test_a_language_that_is_missing_is_told(self, robin: httpx2.Client) -> None:
        page = self.chosen(robin, sent(robin, "lighthouse.md", "lighthouse_terms.csv"), corrector=SCRIPT)
        assert page.status_code == 422 and "The language to translate into is missing." in words(page.text)


class TestSamples:
    def test_an_empty_workbench_offers_the_four_samples(self, robin: httpx2.Client) -> None:
        said = words(robin.get("/runs").text)
        assert "Drop files here" in said and "Or try a sample" in said
        assert said.count("Try it") == 4

    @pytest.mark.parametrize(
        ("kind", "said"),
        [
            ("questions", "10 of 12"),
            ("lessons", "9 of 9"),
            ("manuscripts", "11 of 12"),
            ("legos", "35 of 40"),
        ],
    )
    def test_each_runs_with_one_click(self, queued: Workbench, robin: httpx2.Client, kind: str, said: str) -> None:
        answer = robin.post(f"/samples/{kind}")
        assert answer.status_code == 303
        assert said in words(page_once_run(queued, robin, answer.headers["location"]))

    def test_there_is_no_other(self, robin: httpx2.Client) -> None:
        assert robin.post("/samples/poems").status_code == 404


def test_a_second_click_starts_nothing(bench: Workbench, robin: httpx2.Client) -> None:
    id = of(sent(robin, "biology.json")).rpartition("/")[2]
    with bench.here.uploads.claimed(id), pytest.raises(RunActive), bench.here.uploads.claimed(id):
        pass
    with bench.here.uploads.claimed(id):
        bench.here.uploads.delete(id)
