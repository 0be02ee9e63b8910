"""What this machine keeps secret: the keys in its environment, and the passwords in the operator's addresses."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit, urlunsplit

from burnish.app.settings import Settings
from burnish.core.hashing import names_secret
from burnish.store.redaction import Redactor


def redactor_of(settings: Settings, base_url: str | None = None) -> Redactor:
    """Whoever knows what may never be written down: every key in the environment, and passwords inside addresses.

    `base_url`: an address that a call was given besides those of the settings.
    """
    named = {endpoint.api_key_env for endpoint in settings.endpoints.values()}
    keys = [value for name, value in os.environ.items() if value and (name in named or names_secret(name))]
    addresses = [base_url, settings.models.base_url, *(endpoint.base_url for endpoint in settings.endpoints.values())]
    passwords = [urlsplit(address).password for address in addresses if address]
    return Redactor([*keys, *(form for word in passwords if word for form in (word, unquote(word)))])


def without_password(address: str | None) -> str | None:
    """An address as it may be written down; `resume` is given a password anew."""
    if address is None or "@" not in urlsplit(address).netloc:
        return address
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
