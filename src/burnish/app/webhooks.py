"""Webhooks: send messages to the operator's addresses when a run needs a person, and when it has ended.

There is no queue that a crash could lose: each look compares the states of the runs with what an address has confirmed.
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
"""In the folder of runs: hash of an address, which may hold a password -> run -> the last confirmed message."""
Confirmed = dict[str, dict[str, str]]
CONFIRMED_SHAPE = TypeAdapter(Confirmed)
TIMEOUT = 10.0
FIRST_WAIT, LONGEST_WAIT = 5.0, 3600.0
"""Seconds until a message is sent again; the wait doubles."""
MOST_TRIES = 15
"""About five and a half hours; then the message is dropped, and the log says so."""
SHORTEST_KEY = 24
"""Bytes of a base64 key, as Standard Webhooks requires."""

log = logging.getLogger("burnish.web")
Post = Callable[[str, bytes, Mapping[str, str]], int]
"""Sends a body to an address, and returns the status of the answer."""


@dataclass(slots=True)
class Trouble:
    """A message that could not be delivered."""

    tries: int
    again: datetime


@dataclass(slots=True)
class Webhooks:
    """Sends the messages of one server."""

    runs: Path
    index: RunIndex
    active: Callable[[], frozenset[str]]
    """Runs that the server works on, or will resume automatically."""
    addresses: tuple[str, ...]
    secret: bytes
    home: str
    """The address of the workbench."""
    clock: Clock
    post: Post = field(default_factory=lambda: _post)
    _troubles: dict[tuple[str, str], Trouble] = field(default_factory=dict)
    """Address and message -> failed tries."""

    def look(self) -> None:
        """Send each address the messages that it has not confirmed. Failed ones are tried again at a later look."""
        # Read before and after: a run that leaves the queue is in no list for a moment.
        active = self.active()
        cards = self.index.cards()
        active |= self.active()
        resting = [card for card in cards if isinstance(card, RunCard) and card.session and card.state not in NO_NEWS]
        news = sorted((card for card in resting if card.id not in active), key=lambda card: card.active_at)
        # Keep confirmations of existing runs, and failures of messages that are still to be sent.
        runs, messages = {card.id for card in cards}, {card.session for card in news}
        self._troubles = {key: trouble for key, trouble in self._troubles.items() if key[1] in messages}
        known = self._confirmed().items()
        confirmed = {to: {run: session for run, session in sent.items() if run in runs} for to, sent in known}
        for address in self.addresses:
            sent = confirmed.get(_hash(address))
            if sent is None:  # a new address: earlier events are not sent
                sent = confirmed[_hash(address)] = {card.id: card.session for card in news}
                self._keep(confirmed)
            for card in news:
                trouble = self._troubles.get((address, card.session))
                is_due = trouble is None or trouble.again <= self.clock()
                if sent.get(card.id) != card.session and is_due:
                    if not self._is_settled(address, card):
                        break
                    sent[card.id] = card.session
                    self._keep(confirmed)

    def _is_settled(self, address: str, card: RunCard) -> bool:
        """Whether the message was delivered, or dropped after the last try."""
        try:
            status = self.post(address, *self._signed(card))
            failure = "" if 200 <= status < 300 else f"it answered {status}"
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = type(error).__name__  # its message may quote the address
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
            log.warning("webhooks: %s cannot be read. A new one is begun: earlier events are not sent.", CONFIRMED)
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
    active: Callable[[], frozenset[str]],
    home: str,
    clock: Clock,
) -> Webhooks | None:
    """The webhooks of the settings; None if there is no address. Raise SettingsError if an address is invalid or the
    secret is missing."""
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
    return Webhooks(runs, index, active, serving.webhooks, key, home, clock)


def key_of(secret: str, name: str) -> bytes:
    """The key of a secret: `whsec_` and base64, as services issue them, or any other text. Raise SettingsError if it
    cannot be used; `name`: of its variable."""
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
    """The part of an address that may be logged: the rest may be a secret. Empty if the address is invalid."""
    try:
        url, port = httpx2.URL(address), urlsplit(address).port
        return f"{url.scheme}://{url.host}{f':{port}' if port else ''}" if url.host else ""
    except (httpx2.InvalidURL, ValueError):
        return ""


def _post(address: str, body: bytes, headers: Mapping[str, str]) -> int:
    """Redirects are not followed: only the operator decides where messages go."""
    return httpx2.post(
        address, content=body, headers=dict(headers), timeout=TIMEOUT, follow_redirects=False
    ).status_code
