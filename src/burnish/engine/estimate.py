"""Estimate the cost of a run before it starts: the kind forecasts its requests, and they are priced here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from burnish.core.documents import PassedThrough, Problem, Unit
from burnish.core.effects import ModelRequest, ModelRoles, Request, about_tokens
from burnish.core.forecasts import Charge, Document, Forecast, Rehearsal, usual_tokens
from burnish.core.json_bytes import dumps
from burnish.core.kinds import Kind
from burnish.core.records import ModelUsage
from burnish.core.tasks import CORRECTOR
from burnish.engine.client import call_of, with_more_room
from burnish.engine.plan import DocumentPlan, Plan
from burnish.engine.unit_loader import examiner_of
from burnish.models.budget import Price, most_tokens
from burnish.models.calls import Call, TokenCount
from burnish.models.profiles import CallSettings

KNOWN_AFTER = 20
"""Calls of a model after which its usual thinking is known."""
ENOUGH_OF_A_ROLE = 5
"""Calls in a role after which the role is considered separately."""
AROUND_MESSAGES = 10
"""Tokens that a chat format adds around two messages."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How long models thought in earlier calls."""

    recorded: Sequence[ModelUsage] = ()

    def written(self, call: Call, answer: int) -> tuple[int, int]:
        """Return the fewest and the most likely tokens of a reply with an answer of this length. They are equal if the
        model does not think, or if its thinking is known."""
        own = [usage for usage in self.recorded if usage.model == call.model]
        if sum(usage.answered for usage in own) < KNOWN_AFTER:
            return answer, answer + call.thinking
        of_role = [usage for usage in own if usage.role == call.role]
        used = of_role if sum(usage.answered for usage in of_role) >= ENOUGH_OF_A_ROLE else own
        calls = sum(usage.answered for usage in used)
        thought = sum(usage.reasoning_tokens for usage in used)
        if call.thinking and not thought:  # some providers do not report it separately
            answer, thought = 0, sum(usage.completion_tokens for usage in used)
        likely = answer + round(thought / calls)
        return likely, likely


UNKNOWN = Habits()
"""No recorded calls of any model."""


def likely_use(call: Call, ask: Request, habits: Habits = UNKNOWN) -> tuple[TokenCount, TokenCount]:
    """Return the fewest and the most tokens that a call is likely to use."""
    schema = dumps(dict(call.schema)).decode()
    prompt = about_tokens(call.system) + about_tokens(call.user) + about_tokens(schema) + AROUND_MESSAGES
    fewest, most = habits.written(call, usual_tokens(ask))
    return TokenCount(prompt, fewest), TokenCount(prompt, most)


@dataclass(slots=True)
class Amount:
    """Calls, tokens and money."""

    calls: int = 0
    tokens: int = 0
    cost: float = 0.0

    def add(self, times: int, tokens: TokenCount, price: Price | None) -> None:
        """Add the highest cost of so many calls."""
        self.calls += times
        self.tokens += times * (tokens.prompt + tokens.completion)
        self.cost += times * price.most(tokens) if price else 0.0

    def add_share(self, times: float, tokens: TokenCount, price: Price | None) -> None:
        """Add the cost of requests that only some units need. The caller counts the calls."""
        self.tokens += round(times * (tokens.prompt + tokens.completion))
        self.cost += times * price.of(tokens) if price else 0.0


@dataclass(slots=True)
class Estimate:
    """The likely cost of a run, and the highest."""

    units: int = 0
    clean: int = 0
    """Units that the rules accept, including those with safe fixes."""
    to_correct: int = 0
    for_a_person: int = 0
    """Units that no model will be asked about."""
    likely: Amount = field(default_factory=Amount)
    """Every correction works at once, and replies have their usual length. For models with unknown thinking, only the
    answers are counted."""
    likely_up_to: Amount = field(default_factory=Amount)
    """The same if such models use all their room for thinking."""
    at_most: Amount = field(default_factory=Amount)
    """Judges object to everything, every correction fails as often as possible, every reply has the longest length, and
    each is cut off and repeated with more room.

    Failed tries (a server that is down) are not included; a budget counts them when they happen."""
    unreadable: list[Problem] = field(default_factory=list)
    """Parts of the input that make no unit: they keep everything from being published."""
    unpriced: tuple[str, ...] = ()
    """Models without a price in the settings: their tokens are counted, but not their cost."""

    def add(
        self,
        forecasts: Iterable[Forecast],
        prices: Mapping[str, Price],
        nonce: str = "",
        call_settings: CallSettings | None = None,
        habits: Habits = UNKNOWN,
    ) -> None:
        """Count and price forecasts. `call_settings`: as recorded with the run; None: the facts about each model."""

        def asked(model: str) -> CallSettings:
            return call_settings or CallSettings.of([model])

        def call_to(request: ModelRequest) -> Call:
            return call_of(request.ask, request.model, nonce, asked(request.model))

        for forecast in forecasts:
            self.units += forecast.units
            self.clean += forecast.clean
            self.to_correct += forecast.to_correct
            self.for_a_person += forecast.for_a_person
            share = 0.0
            for charge, call in _calls(forecast, call_to):
                tokens, price = most_tokens(call), prices.get(call.model)
                heard = sum(most_tokens(call_to(request)).completion for request in charge.after)
                room = TokenCount(tokens.prompt + heard, tokens.completion * charge.room)
                self.at_most.add(charge.most, room, price)
                wider = with_more_room(call, asked(call.model))
                if wider is not None:
                    self.at_most.add(charge.most, TokenCount(room.prompt, wider.max_tokens * charge.room), price)
                fewest, most = likely_use(call, charge.request.ask, habits)
                self.likely.add_share(charge.likely, fewest, price)
                self.likely_up_to.add_share(charge.likely, most, price)
                share += charge.likely
            for likely in (self.likely, self.likely_up_to):
                likely.calls += max(1, round(share)) if share else 0
            limits = forecast.repairs
            if limits is not None:
                # They have their own ceiling. Its use is unknown, so the likely estimate has none of it.
                sent = limits.tokens * 2 // 3
                self.at_most.add(1, TokenCount(sent, limits.tokens - sent), prices.get(limits.model))
                self.at_most.calls += limits.calls - 1


def _calls(forecast: Forecast, call_to: Callable[[ModelRequest], Call]) -> Iterator[tuple[Charge, Call]]:
    """Yield each charge with its call; with unique requests, each call once for either estimate."""
    seen: set[tuple[str, bool]] = set()
    for charge in forecast.charges:
        call = call_to(charge.request)
        key = call.key, charge.likely > 0
        if not forecast.is_unique or key not in seen:
            seen.add(key)
            yield charge, call


def estimate(plan: Plan, kind: Kind, prices: Mapping[str, Price], habits: Habits = UNKNOWN) -> Estimate:
    """Return the estimate for a plan."""
    result = Estimate(unpriced=tuple(model for model in plan.models if model not in prices))
    examining = examiner_of(plan, kind)
    roles = dict(plan.roles) | ({CORRECTOR: plan.corrector} if plan.corrector is not None else {})
    rehearsal = Rehearsal(
        [
            Document(
                one.name,
                _units(kind, one, result.unreadable),
                examining.for_document(one.name).context,
                _units(kind, one, []),
            )
            for one in plan.documents
        ],
        examining.selection,
        ModelRoles(plan.judges, roles, *plan.rooms(kind)),
        plan.arguments.get("options", {}),
        plan.arguments.get("overview", {}),
        plan.off,
    )
    result.add(kind.forecasts(rehearsal), prices, plan.nonce, plan.call_settings, habits)
    return result


def _units(kind: Kind, document: DocumentPlan, unreadable: list[Problem]) -> Iterator[Unit]:
    with Path(document.path).open("rb") as stream:
        for part in kind.read(stream, document.path, document.format):
            if isinstance(part, Problem):
                unreadable += [replace(part, path=document.name)] if part.blocks else []
            elif not isinstance(part, PassedThrough):
                yield part
