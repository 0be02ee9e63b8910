"""One repair of a question by a model: its scope, the guard of meaning, and a reader of both versions."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from burnish.core.claims import is_of_rule
from burnish.core.edits import Edit, apply_edits
from burnish.core.effects import Answer, Effect, ModelRequest
from burnish.core.errors import EditRefused
from burnish.core.findings import Finding
from burnish.kinds.questions import requests
from burnish.kinds.questions.model import Question
from burnish.kinds.questions.policy import REPAIR_UNREAD
from burnish.kinds.questions.repair_guard import Comparison, compare, refuse_other_rationale
from burnish.kinds.questions.review import HELD, NUMBER, Reviewer, readable_answers
from burnish.kinds.questions.right_options import refuse_wrong_options

if TYPE_CHECKING:
    from burnish.core.replies import ContestedPart, DeltaReply, EditReply, QuestionReviewReply

LONGEST_WORDS = 600


@dataclass(slots=True)
class Repair:
    """The repair of `errors` in one draft."""

    before: Question
    errors: tuple[Finding, ...]
    calls: tuple[str, ...]
    reviewer: Reviewer
    corrector: str
    contest_note: str = ""
    """What became of what the corrector contests, for the next attempt."""
    comparison: Comparison = field(default_factory=lambda: Comparison(()))
    was_read: bool = False
    """Whether another model has compared both versions."""

    @property
    def readers(self) -> list[str]:
        """The judges that are not the corrector: nobody confirms what it wrote itself."""
        return [judge for judge in self.reviewer.judges if judge != self.corrector]

    def answer_contested(self, contested: Sequence[ContestedPart]) -> Generator[Effect, Any, list[Finding]]:
        """Ask a reader about the claims that the corrector contests, and return those that are dismissed."""
        numbered = {int(number[0]) - 1: one.why for one in contested if (number := NUMBER.search(one.claim))}
        claims = [
            finding
            for place, finding in enumerate(self.errors)
            if place in numbered and is_of_rule(finding) and finding.standing != "proven"
        ]
        if not contested:
            return []
        if not claims or not self.readers:
            self.contest_note = " (What was contested stands: code shows it, or nobody else can read it.)"
            return []
        ask = requests.answer_ask(self.before, claims)
        answers = yield from readable_answers(
            [ModelRequest(ask, reader, is_optional=True) for reader in self.readers[:1]]
        )
        self.calls += tuple(call for answer in answers for call in answer.calls)
        upheld = _upheld(self.before, answers, len(claims))
        dismissed = [claim for place, claim in enumerate(claims) if upheld.get(place) is False]
        if len(dismissed) < len(claims):
            self.contest_note = " (A reader upholds what was contested.)"
        return dismissed

    def apply(self, edits: Sequence[Edit], reply: EditReply) -> Question:
        """The repaired question. Raise EditRefused if it leaves its scope, breaks the item's logic or changes what the
        item says beyond what was asked for."""
        after = apply_edits(self.before, edits, allowed=requests.editable(self.before, self.errors))
        refuse_wrong_options(self.before, after, requests.reworded(self.errors))
        refuse_other_rationale(self.before, after, self.errors)
        changes = [change for edit in reply.edits for change in edit.changes]
        self.comparison = compare(self.before, after, self.errors, changes)
        if self.comparison.refusals:
            raise EditRefused("changes_meaning", " ".join(self.comparison.refusals))
        return after

    def read(self, after: Question) -> Generator[Effect, Any, str | None]:
        """Have a judge compare both versions. Return why the repair is declined; None if it is not."""
        messages = [change.message for change in self.comparison.changes]
        ask = requests.compare_ask(self.before, after, self.errors, messages)
        for reader in self.readers:
            [answer] = yield from readable_answers([ModelRequest(ask, reader, is_optional=len(self.readers) > 1)])
            self.calls += answer.calls
            if answer.reply is not None:
                self.was_read = True
                return self._declined(cast("DeltaReply", answer.reply), reader)
        return None

    def _declined(self, reply: DeltaReply, reader: str) -> str | None:
        """A reader declines a repair, or a change in it that needs its consent."""
        unwanted = {number[0] for one in reply.differences if not one.wanted and (number := NUMBER.search(one.id))}
        against = [
            change.message
            for number, change in enumerate(self.comparison.changes, 1)
            if str(number) in unwanted and change.ruling.difference.is_grave
        ]
        if reply.passed and reply.confidence != "low" and not against:
            return None
        said = " ".join(reply.reasoning.split())[:LONGEST_WORDS]
        issues = [f"{issue.description} ({issue.quotedText!r})" for issue in reply.newIssues]
        told = [*issues, *(f"Not wanted: {message}" for message in against)]
        return f"not_the_same: {reader}: {' '.join([said, *told])}"

    def unread(self, *, is_wide: bool) -> list[Finding]:
        """The finding on a repair that changes what the item says and that no other model has read.

        Where there is no other model at all, nobody has checked the key either after a wide repair: that is told.
        """
        is_declared = any(change.ruling.answer == "declared" for change in self.comparison.changes)
        if self.was_read or not (self.readers if is_wide else is_declared):
            return []
        message = "The repair changes what the question says, and no other model has compared both versions."
        data = {HELD: True, "differences": [change.message for change in self.comparison.changes]}
        place = (self.before.id, None, message, "Compare both versions.")
        return [Finding(REPAIR_UNREAD, "warning", *place, source="document", data=data)]


def _upheld(question: Question, answers: Sequence[Answer], asked: int) -> dict[int, bool]:
    """Index of a claim -> whether any reader who answered upholds it."""
    said: dict[int, bool] = {}
    for answer in answers:
        item = None
        if answer.reply is not None:
            item = requests.reviewed_item(question, cast("QuestionReviewReply", answer.reply))
        for one in item.claims if item is not None else ():
            number = NUMBER.search(one.claim)
            place = int(number[0]) - 1 if number else -1
            if 0 <= place < asked:
                said[place] = said.get(place, False) or one.upheld
    return said
