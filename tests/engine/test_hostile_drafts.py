"""Texts that a model or a person may write, in every format: written as they are, or refused by name; no dead end."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from burnish.core.documents import Unit
from burnish.core.records import AttemptRecord, UnitRow
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.publish import DocumentWriter
from burnish.kinds.questions.formats import FORMATS, Format
from burnish.kinds.questions.kind import QuestionsKind
from burnish.kinds.questions.model import Question
from burnish.store.files import sha256_of
from burnish.store.journal import MemoryJournal
from tests.engine.questions_bench import sound

# Hundreds of texts through formats that have tests of their own: tracing each of them tells nothing new, and costs.
pytestmark = pytest.mark.no_cover

KIND = QuestionsKind()
TEXTS = [
    "plain words", " spaces around ", "", " ", "two\nlines", "two\r\nlines", "a\tb", "<b>bold</b> & co", "x < y > z",
    "\"both\" 'quotes'", "é 漢字 😀", "{=x ~y}", "\\: \\n", "A. like an option", "ANSWER: A", "$CATEGORY: x", "::t::",
    "// comment", "=1+1", "a,b;c", "\u00a0hard\u00a0", "\u2028", "\x00", "\x0b", "]]>", "&amp;", "&#65;", "\ufeffmark",
]  # fmt: skip


BANKS = [format for format in FORMATS if not format.name.endswith("_item")]
"""A file of one item has no neighbours that could suffer."""


@pytest.mark.parametrize("format", BANKS, ids=lambda format: format.name)
def test_every_text_is_written_or_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format: Format
) -> None:
    monkeypatch.setattr("os.fsync", lambda _: None)  # 84 small files need not survive a power loss
    bank, units = a_bank(tmp_path, format)
    refused = written = 0
    for field in ("stem", "options.B", "rationale"):
        for text in TEXTS:
            draft = units[1].with_text(field, text)
            press, document = a_press(bank, format, units, {units[1].id: draft})
            proof = press.compose(document, tmp_path / f"candidate{bank.suffix}")
            assert set(proof.refused) <= {units[1].id}
            result = read(tmp_path / f"candidate{bank.suffix}", format)
            others = [unit.content_hash for unit in (units[0], units[2])]
            assert [unit.content_hash for unit in result if unit.id != draft.id] == others, f"{field} = {text!r}"
            [here] = [unit for unit in result if unit.id == draft.id]
            if proof.refused:
                refused += 1
                assert here == units[1]
            else:
                written += 1
                assert here.texts()[field].strip() == text.strip()
    assert written > 25
    assert written + refused == 3 * len(TEXTS)


def test_several_refused_changes_leave_the_others_in_place(tmp_path: Path) -> None:
    [aiken] = [format for format in FORMATS if format.name == "aiken"]
    bank, units = a_bank(tmp_path, aiken)
    drafts = {
        units[0].id: units[0].with_text("stem", "ANSWER: A"),
        units[1].id: units[1].with_text("stem", "What is it now?"),
        units[2].id: units[2].with_text("options.A", "two\nlines"),
    }
    press, document = a_press(bank, aiken, units, drafts)
    proof = press.compose(document, tmp_path / "candidate.txt")
    assert set(proof.refused) == {units[0].id, units[2].id}
    assert proof.changed == (units[1].id,)
    assert "What is it now?" in (tmp_path / "candidate.txt").read_text()
    assert not proof.whole


class Counting(QuestionsKind):
    """Counts how often it writes a document; where asked to, it spoils every change in writing."""

    passes = 0
    spoils = False

    def rewrite(self, source, path, format, changed, target):  # type: ignore[no-untyped-def]
        Counting.passes += 1

        def spoilt(id: str) -> Unit | None:
            draft = changed(id)
            return draft.with_text("stem", "Something else?") if draft is not None and self.spoils else draft

        super().rewrite(source, path, format, spoilt, target)


@pytest.mark.parametrize("spoils", [False, True], ids=["refused in writing", "refused in reading"])
def test_many_refusals_take_no_more_passes_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoils: bool
) -> None:
    monkeypatch.setattr(Counting, "passes", 0)
    monkeypatch.setattr(Counting, "spoils", spoils)
    [aiken] = [format for format in FORMATS if format.name == "aiken"]
    bank, units = a_bank(tmp_path, aiken, 12)
    text = "What is it now?" if spoils else "ANSWER: A"
    drafts = {unit.id: unit.with_text("stem", text) for unit in units[1:]}
    press, document = a_press(bank, aiken, units, drafts)
    proof = replace(press, kind=Counting()).compose(document, tmp_path / "candidate.txt")
    assert set(proof.refused) == set(drafts)
    assert Counting.passes == 2
    assert (tmp_path / "candidate.txt").read_bytes() == bank.read_bytes()


def a_bank(folder: Path, format: Format, size: int = 3) -> tuple[Path, list[Question]]:
    path = folder / f"bank.{format.name}"
    made = io.BytesIO()
    format.write((Question.model_validate(sound(number, rationale="It is so.")) for number in range(size)), made)
    path.write_bytes(made.getvalue())
    return path, read(path, format)


def read(path: Path, format: Format) -> list[Question]:
    with path.open("rb") as stream:
        return [part for part in KIND.read(stream, str(path), format.name) if isinstance(part, Question)]


def a_press(
    bank: Path, format: Format, units: list[Question], drafts: dict[str, Question]
) -> tuple[DocumentWriter, DocumentPlan]:
    """A press for a run in which these drafts are the best."""
    document = DocumentPlan(bank.name, str(bank), format.name, sha256_of(bank))
    plan = Plan("r", "questions", (document,), "0" * 32, {}, (), {}, {}, None, (), {}, "0")
    journal = MemoryJournal()
    for position, unit in enumerate(units):
        draft = drafts.get(unit.id)
        row = UnitRow(unit.id, bank.name, position, unit.content_hash, "validated", best_attempt=2 if draft else 1)
        journal.write_now(row)
        for number, content in enumerate([None, draft][: 2 if draft else 1], start=1):
            record = KIND.to_record(content) if content else None
            name = (content or unit).content_hash
            journal.write_now(AttemptRecord(unit.id, number, "source", record, name, {}, (), passed=True))
    return DocumentWriter(plan, KIND, journal), document
