"""Prompts that improve themselves: suggested rules are tried on the same SEEDs with and without them.

The learnt rules are an overlay in the course's folder; shipped prompts are never edited. The ledger beside it records
every trial. Nothing here reads or writes files: functions take texts and return texts.
"""

from __future__ import annotations

OVERLAY = "prompts/overlay.json"
LEDGER = "prompts/ledger.jsonl"
"""Their paths in the folder of a course."""
