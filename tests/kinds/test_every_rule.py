"""Every rule of every kind: documented in the same manner, in a file of its own name."""

import sys
from pathlib import Path

import pytest

from burnish.app.kinds import known_kinds
from burnish.core.checks import HEADINGS, Check

CHECKS = [pytest.param(check, id=f"{kind.name}-{check.id}") for kind in known_kinds().values() for check in kind.checks]


@pytest.mark.parametrize("check", CHECKS)
def test_documented(check: Check) -> None:
    assert check.doc.startswith(f"{check.id}: ") and check.summary.endswith(".")
    assert all(check.section(heading) for heading in HEADINGS)
    assert len(check.bad) >= 2 and len(check.good) >= 2


@pytest.mark.parametrize("check", CHECKS)
def test_id_is_the_file_name(check: Check) -> None:
    module = sys.modules[check.run.__module__]
    assert Path(str(module.__file__)).stem == check.id
