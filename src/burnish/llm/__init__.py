"""Talking to models: one gateway, one retry loop, one budget; every reply committed before it is read."""

from burnish.llm.budget import Budget, Price
from burnish.llm.calls import Call, CallLog, Provider, ProviderFault, RawReply, TokenCount
from burnish.llm.connections import Endpoint
from burnish.llm.families import family
from burnish.llm.gateway import CallFailed, Gateway, ReplayMiss
from burnish.llm.limits import Limits, ModelLimits
from burnish.llm.parsing import parse_as, parse_reply
from burnish.llm.providers import LiveModels, Models
from burnish.llm.retry import Retry, RetryPolicy
from burnish.llm.scripted import Fault, Rule, ScriptedModel
from burnish.llm.tokens import estimate_tokens

__all__ = [
    "Budget",
    "Call",
    "CallFailed",
    "CallLog",
    "Endpoint",
    "Fault",
    "Gateway",
    "Limits",
    "LiveModels",
    "ModelLimits",
    "Models",
    "Price",
    "Provider",
    "ProviderFault",
    "RawReply",
    "ReplayMiss",
    "Retry",
    "RetryPolicy",
    "Rule",
    "ScriptedModel",
    "TokenCount",
    "estimate_tokens",
    "family",
    "parse_as",
    "parse_reply",
]
