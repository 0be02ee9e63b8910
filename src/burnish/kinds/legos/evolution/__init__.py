"""Prompts that improve themselves: rules that recur as suggestions, tried on the same SEEDs with and without them.

The rules that a course has learnt are an overlay in its folder; the prompts that we ship are never edited. The ledger
beside it keeps everything that was tried. Nothing here touches the disk: texts come in, texts go out.
"""

from __future__ import annotations

OVERLAY = "prompts/overlay.json"
LEDGER = "prompts/ledger.jsonl"
"""Where they lie in the folder of a course."""
