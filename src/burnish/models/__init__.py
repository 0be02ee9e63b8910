"""Talking to models: one gateway, one retry loop, one budget; every reply committed before it is read."""

from burnish.models.budget import Budget, Price
from burnish.models.calls import Call, CallLog, Provider, ProviderFault, RawReply, TokenCount
from burnish.models.gateway import CallFailed, Gateway, ReplayMiss
from burnish.models.parsing import parse_as, parse_reply
from burnish.models.profiles import Endpoint, family
from burnish.models.providers import LiveModels, Models
from burnish.models.rate_limits import Limits, ModelLimits
from burnish.models.retry import Retry, RetryPolicy
from burnish.models.scripted import Fault, Rule, ScriptedModel
from burnish.models.tokens import estimate_tokens

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
