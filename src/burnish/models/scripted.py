"""A scripted model: answers from rules instead of a network, so settings and pipelines can be tested without cost.

    model = ScriptedModel(
        [
            Rule(reply_name="edit_reply", unit="q1", fault=Fault(status=429, retry_after="1"), nth=1),
            Rule(reply_name="edit_reply", unit="q1", reply={"reasoning": "...", "edits": [...]}),
            Rule(reply_name="question_review_reply", reply={"reasoning": "fine", "violations": []}),
        ]
    )

The first rule that matches answers. A request about several items is answered item by item, each as if it were asked
alone. Instead of rules you can pass a function `Call -> reply`, which gets such a request as it is with
`is_itemwise=False`, or put the same rules in a JSON file, `{"rules": [{"reply_name": ..., "unit": ..., "contains": ...,
"nth": ..., "reply": ...}]}`, and name it like a model: `scripted:path/to/rules.json`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jiter
from pydantic import BaseModel

from burnish.core.errors import UsageError
from burnish.core.json_bytes import dumps
from burnish.core.replies import reply_schema
from burnish.models.budget import MESSAGE_OVERHEAD, estimate_tokens
from burnish.models.calls import Call, FaultKind, ProviderFault, RawReply, TokenCount, refusal
from burnish.models.rate_limits import Sleep, parse_retry_after


@dataclass(frozen=True, slots=True)
class Fault:
    """A try that fails as with a real provider."""

    status: int | None = None
    """HTTP status; None for a broken connection."""
    retry_after: str | None = None
    """The Retry-After header."""
    kind: FaultKind | None = None
    """The kind of fault, if the status does not show it (`timeout`, `truncated`, `refused`, ...)."""
    body: str = ""

    def as_provider_fault(self) -> ProviderFault:
        kind = self.kind or self._kind
        return ProviderFault(
            kind,
            f"The script answers with {self.status or kind}.",
            status=self.status,
            retry_after=parse_retry_after(self.retry_after, datetime.now(UTC)),
            body=self.body,
        )

    @property
    def _kind(self) -> FaultKind:
        if self.status is None:
            return "connection"
        return "timeout" if self.status == 408 else refusal(self.status, self.body)


@dataclass(frozen=True, slots=True)
class Rule:
    """The answer to calls that meet all conditions. A condition that is None always holds."""

    reply: Any = None
    """Text is sent unchanged, anything else as JSON."""
    reply_name: str | None = None
    """Name of the requested reply."""
    unit: str | None = None
    """Id of the unit."""
    contains: str | None = None
    """Words in the user's part of the prompt."""
    nth: int | None = None
    """Match only the nth time that all other conditions hold, counted from 1."""
    fault: Fault | None = None
    """Fail instead of answering."""
    latency: float = 0.0
    """Seconds to wait first."""
    usage: TokenCount | None = None
    """The usage to report; None reports an honest estimate."""
    silent_usage: bool = False
    """Report no usage at all."""

    def fits(self, call: Call) -> bool:
        """Return whether all conditions but `nth` hold. HTTP requests name no unit: its id must be in the prompt."""
        return (
            self.reply_name in (None, call.reply_name)
            and (self.unit in (None, call.unit) or (not call.unit and str(self.unit) in call.user))
            and (self.contains is None or self.contains in call.user)
        )

    def text(self) -> str:
        if isinstance(self.reply, str):
            return self.reply
        value = self.reply.model_dump() if isinstance(self.reply, BaseModel) else self.reply
        return dumps(value).decode()


Script = Callable[[Call], object]
"""Returns a Rule, a Fault, text, a reply object or JSON data."""


class ScriptedModel:
    """A model that follows a script: the same calls in the same order always get the same answers."""

    def __init__(
        self, script: Sequence[Rule] | Script, *, is_itemwise: bool = True, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._rules = () if callable(script) else tuple(script)
        self._script = script if callable(script) else None
        self._sleep = sleep
        self._is_itemwise = is_itemwise
        self._times = [0] * len(self._rules)
        self.asked: list[Call] = []
        """Every call, in order of arrival."""

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedModel:
        """Read a script from a JSON file. Raise UsageError that names the first wrong rule."""
        return cls(_read_rules(Path(path)))

    async def send(self, call: Call) -> RawReply:
        rule = self.rule(call)
        if rule.latency:
            await self._sleep(rule.latency)
        if rule.fault is not None:
            raise rule.fault.as_provider_fault()
        text = rule.text()
        return RawReply(text, reported_usage(rule, call), "stop", round(rule.latency * 1000))

    def rule(self, call: Call) -> Rule:
        """Return the answer to `call`, item by item if it has several, and record the call."""
        self.asked.append(call)
        if self._is_itemwise and call.items:
            return _joined(call, [self.answer(one) for one in _singly(call)])
        return self.answer(call)

    def answer(self, call: Call) -> Rule:
        """Return the rule that answers `call` as it is."""
        if self._script is not None:
            answer = self._script(call)
            if isinstance(answer, Rule):
                return answer
            return Rule(fault=answer) if isinstance(answer, Fault) else Rule(reply=answer)
        chosen: Rule | None = None
        for place, rule in enumerate(self._rules):
            if rule.fits(call):
                self._times[place] += 1
                if chosen is None and rule.nth in (None, self._times[place]):
                    chosen = rule
        if chosen is not None:
            return chosen
        raise ProviderFault(
            "rejected",
            f"The script has no answer for {call.reply_name} about {call.unit or 'this prompt'}.",
            hint="Add a rule for it, or a rule without conditions at the end.",
        )


def _singly(call: Call) -> list[Call]:
    """Return the requests about one item each."""
    return [replace(call, unit=item.unit, user=item.text, items=()) for item in call.items]


def _joined(call: Call, rules: Sequence[Rule]) -> Rule:
    """Return the answers about single items as one. A fault, or a text that is no JSON, is the answer to all."""
    whole = next((rule for rule in rules if rule.fault is not None or isinstance(rule.reply, str)), None)
    if whole is not None:
        return whole
    given = [jiter.from_json(rule.text().encode()) for rule in rules]
    usage = [rule.usage for rule in rules if rule.usage is not None]
    return Rule(
        joined_reply(call.reply_name, [item.id for item in call.items], given),
        latency=max(rule.latency for rule in rules),
        usage=TokenCount(sum(one.prompt for one in usage), sum(one.completion for one in usage)) if usage else None,
        silent_usage=any(rule.silent_usage for rule in rules),
    )


def joined_reply(reply_name: str, ids: Sequence[str], given: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return replies about single items as one reply about all of them."""
    common = {name for name in reply_schema(reply_name)["properties"] if name != "items"}
    entries = [
        {**{name: value for name, value in entry.items() if name not in common}, "id": id}
        for id, one in zip(ids, given, strict=True)
        for entry in one.get("items", [one])
    ]
    told = {name: " ".join(str(one[name]) for one in given if one.get(name)) for name in sorted(common)}
    return {**told, "items": entries}


def reported_usage(rule: Rule, call: Call) -> TokenCount | None:
    """Return the usage that the scripted model reports."""
    if rule.silent_usage or rule.usage is not None:
        return rule.usage
    prompt = estimate_tokens(call.system) + estimate_tokens(call.user) + MESSAGE_OVERHEAD
    return TokenCount(prompt, estimate_tokens(rule.text()))


def _read_rules(path: Path) -> list[Rule]:
    try:
        value = jiter.from_json(path.read_bytes(), allow_inf_nan=False, catch_duplicate_keys=True)
    except OSError as error:
        raise UsageError(
            f"The script {path} cannot be read: {error.strerror}.",
            hint="scripted:FILE takes the path of the script from the current folder.",
        ) from None
    except ValueError as error:
        raise UsageError(f"The script {path} is not valid JSON: {error}.") from None
    rules = value.get("rules") if isinstance(value, dict) else None
    if not isinstance(rules, list):
        raise UsageError(f"The script {path} has no list of rules.", hint='Write {"rules": [{"reply": ...}, ...]}.')
    return [_read_rule(rule, f"The script {path}, rule {number}") for number, rule in enumerate(rules, 1)]


def _read_rule(value: object, place: str) -> Rule:
    checked = _only_known(value, Rule, place)
    if "fault" in checked:
        checked["fault"] = Fault(**_only_known(checked["fault"], Fault, f"{place}: fault"))
    if "usage" in checked:
        checked["usage"] = _read_usage(checked["usage"], place)
    for name, kind in {"reply_name": str, "unit": str, "contains": str, "nth": int, "silent_usage": bool}.items():
        if not isinstance(checked.get(name), kind | None):
            raise UsageError(f"{place}: {name} must be of type {kind.__name__}.")
    if not isinstance(checked.get("latency", 0), int | float):
        raise UsageError(f"{place}: latency must be a number of seconds.")
    return Rule(**checked)


def _read_usage(value: object, place: str) -> TokenCount:
    match value:
        case {"prompt_tokens": int(prompt), "completion_tokens": int(completion)}:
            return TokenCount(prompt, completion)
    raise UsageError(f"{place}: usage needs the numbers prompt_tokens and completion_tokens.")


def _only_known(value: object, shape: type[Rule] | type[Fault], place: str) -> dict[str, Any]:
    known = {field.name for field in fields(shape)}
    if not isinstance(value, dict):
        raise UsageError(f"{place} must be an object with some of: {', '.join(sorted(known))}.")
    unknown = sorted(set(value) - known)
    if unknown:
        raise UsageError(f"{place} has unknown fields: {', '.join(unknown)}.", hint=f"Known: {sorted(known)}.")
    return dict(value)
