"""The reports of proofs, word by word."""

from __future__ import annotations

import pytest

from tests.golden.prove.reports import ARGUMENTS, path_of, report


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_the_report_is_exactly_this(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR", "BURNISH_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    code, said = report(kind)
    assert code == 0
    assert said == path_of(kind).read_text(encoding="utf-8")
