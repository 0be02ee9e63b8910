"""Webhooks: addresses of the operator are told when a run needs a person, and when it has ended.

Nothing is queued that a crash could lose: each look compares how the runs stand with what an address has confirmed.
Messages are signed as Standard Webhooks describes it, so that libraries in most languages can verify them.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from pydantic import TypeAdapter, ValidationError

from burnish.app.run_card import RunCard
from burnish.app.run_index import RunIndex
from burnish.app.runs import RunState
from burnish.app.settings import Serving
from burnish.core.errors import SettingsError
from burnish.store.files import make_folder, write_atomically
from burnish.store.processes import Clock, iso

NEEDS_YOU, ENDED = "run.needs_you", "run.ended"
FOR_PEOPLE: frozenset[RunState] = frozenset({"waiting_for_people", "waiting_for_approval"})
NO_NEWS: frozenset[RunState] = frozenset({"working", "ready_to_continue", "submitted"})
"""States in which a run neither needs a person nor has ended."""
CONFIRMED = ".webhooks.json"
"""In the folder of runs: address (its hash: it may hold a password) -> run -> the last message that it was told."""
Confirmed = dict[str, dict[str, str]]
CONFIRMED_SHAPE = TypeAdapter(Confirmed)
TIMEOUT = 10.0
FIRST_WAIT, LONGEST_WAIT = 5.0, 3600.0
"""Seconds until a message is sent again; the wait doubles."""
MOST_TRIES = 15
"""About five and a half hours; then the message is given up, and the log says so."""
SHORTEST_KEY = 24
"""Bytes of a key that is written in base64, as Standard Webhooks asks for it."""

log = logging.getLogger("burnish.web")
Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Sends a body to an address, and gives the status of the answer."""


@dataclass(slots=True)
class Trouble:
    """A message that an address did not take."""

    tries: int
    again: datetime


@dataclass(slots=True)
class Webhooks:
    """Tells the addresses of one server."""

    runs: Path
    index: RunIndex
    on_their_way: Callable[[], frozenset[str]]
    """Runs that the server works on, or will by itself."""
    addresses: tuple[str, ...]
    secret: bytes
    home: str
    """Where people find the workbench."""
    clock: Clock
    post: Post = field(default_factory=lambda: _post)
    _troubles: dict[tuple[str, str], Trouble] = field(default_factory=dict)
    """Address and message -> how often it was tried."""

    def look(self) -> None:
        """Tell each address what it has not confirmed. What fails is tried again at a later look."""
        # Asked before and after: a run that leaves the queue is nowhere for a moment.
        on_their_way = self.on_their_way()
        cards = self.index.cards()
        on_their_way |= self.on_their_way()
        resting = [card for card in cards if isinstance(card, RunCard) and card.session and card.state not in NO_NEWS]
        news = sorted((card for card in resting if card.id not in on_their_way), key=lambda card: card.active_at)
        # What was confirmed of runs that are there; troubles are kept of messages that are still to be sent.
        runs, messages = {card.id for card in cards}, {card.session for card in news}
        self._troubles = {key: trouble for key, trouble in self._troubles.items() if key[1] in messages}
        known = self._confirmed().items()
        confirmed = {to: {run: session for run, session in told.items() if run in runs} for to, told in known}
        for address in self.addresses:
            told = confirmed.get(_hash(address))
            if told is None:  # new here: what was before is no news
                told = confirmed[_hash(address)] = {card.id: card.session for card in news}
                self._keep(confirmed)
            for card in news:
                trouble = self._troubles.get((address, card.session))
                is_due = trouble is None or trouble.again <= self.clock()
                if told.get(card.id) != card.session and is_due:
                    if not self._is_settled(address, card):
                        break
                    told[card.id] = card.session
                    self._keep(confirmed)

    def _is_settled(self, address: str, card: RunCard) -> bool:
        """Whether the address took the message, or has refused it for good."""
        try:
            status = self.post(address, *self._signed(card))
            failure = "" if 200 <= status < 300 else f"it answered {status}"
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = type(error).__name__  # what it says may quote the address
        key = (address, card.session)
        trouble = self._troubles.pop(key, None)
        if not failure:
            return True
        tries = trouble.tries + 1 if trouble is not None else 1
        if tries >= MOST_TRIES:
            log.warning("webhook %s: %s of %s given up: %s", _host(address), _type(card), card.id, failure)
            return True
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2 ** (tries - 1))
        log.info("webhook %s: try %d failed, again in %g s: %s", _host(address), tries, wait, failure)
        self._troubles[key] = Trouble(tries, self.clock() + timedelta(seconds=wait))
        return False

    def _signed(self, card: RunCard) -> tuple[bytes, dict[str, str]]:
        now = self.clock()
        data = {name: getattr(card, name) for name in ("title", "kind", "state", "text", "waiting")}
        place = {"run": card.id, "url": f"{self.home}/runs/{card.id}"}
        record = {"type": _type(card), "timestamp": iso(now), "data": {**place, **data}}
        body = json.dumps(record, ensure_ascii=True).encode()
        stamp = str(int(now.timestamp()))
        signature = hmac.new(self.secret, b".".join((card.session.encode(), stamp.encode(), body)), hashlib.sha256)
        return body, {
            "content-type": "application/json",
            "user-agent": "burnish",
            "webhook-id": card.session,
            "webhook-timestamp": stamp,
            "webhook-signature": f"v1,{base64.b64encode(signature.digest()).decode()}",
        }

    def _confirmed(self) -> Confirmed:
        path = self.runs / CONFIRMED
        if not path.is_file():
            return {}
        try:
            return CONFIRMED_SHAPE.validate_json(path.read_bytes(), strict=True)
        except ValidationError:
            log.warning("webhooks: %s cannot be read. It is begun anew: what happened before is not told.", CONFIRMED)
            return {}

    def _keep(self, confirmed: Confirmed) -> None:
        make_folder(self.runs, private=True)
        path = self.runs / CONFIRMED
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))  # it keeps its mode when it is replaced
        write_atomically(path, json.dumps(confirmed).encode())


def webhooks_of(
    serving: Serving,
    runs: Path,
    index: RunIndex,
    on_their_way: Callable[[], frozenset[str]],
    home: str,
    clock: Clock,
) -> Webhooks | None:
    """None where the operator names no address. SettingsError for one that cannot be, or without a secret to sign
    with."""
    if not serving.webhooks:
        return None
    for number, address in enumerate(serving.webhooks, 1):
        if not _host(address):
            raise SettingsError(
                f"number {number} is no address to which something can be sent.",
                source="serve.webhooks",
                hint="Write it like https://desk.example/burnish.",
            )
    name = serving.webhook_secret_env
    key = key_of(os.environ.get(name, ""), name)
    return Webhooks(runs, index, on_their_way, serving.webhooks, key, home, clock)


def key_of(secret: str, name: str) -> bytes:
    """The key of a secret: `whsec_` and base64, as services hand them out, or any other text. SettingsError for one
    with which nothing can be signed; `name`: of its variable."""
    if not secret:
        raise _no_secret(name, f"a secret to sign with is missing: {name} is not set.")
    if not secret.startswith("whsec_"):
        return secret.encode()
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except ValueError:
        raise _no_secret(name, f"what follows `whsec_` in {name} is not base64.") from None
    if len(key) < SHORTEST_KEY:
        raise _no_secret(name, f"the key in {name} has {len(key)} bytes; at least {SHORTEST_KEY} are needed.")
    return key


def _no_secret(name: str, message: str) -> SettingsError:
    hint = f"Set the variable {name}, for example to what `openssl rand -hex 32` prints."
    return SettingsError(message, source="serve.webhooks", hint=hint)


def _type(card: RunCard) -> str:
    return NEEDS_YOU if card.state in FOR_PEOPLE else ENDED


def _hash(address: str) -> str:
    return hashlib.sha256(address.encode()).hexdigest()


def _host(address: str) -> str:
    """What a log may say of an address: the rest of it may be a secret. Empty where it is none."""
    try:
        url, port = httpx2.URL(address), urlsplit(address).port
        return f"{url.scheme}://{url.host}{f':{port}' if port else ''}" if url.host else ""
    except (httpx2.InvalidURL, ValueError):
        return ""


def _post(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """An address that leads elsewhere is not followed: only the operator says where messages go."""
    return httpx2.post(
        address, content=body, headers=dict(headers), timeout=TIMEOUT, follow_redirects=False
    ).status_code
