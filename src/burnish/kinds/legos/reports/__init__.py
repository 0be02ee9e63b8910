"""The reports of a course: plain data over the records that the store holds. Pure, one pass, any order of records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from burnish.kinds.legos.policy import MAX_ATTEMPTS
from burnish.kinds.legos.reports.quality import QualityTally, quality_report
from burnish.kinds.legos.reports.queues import (
    as_list,
    failed_seeds,
    flagged_seeds,
    human_review_queue,
    human_review_row,
    in_urgency,
    retry_queue,
    retry_row,
    seed_row,
)
from burnish.kinds.legos.reports.standing import Standing
from burnish.kinds.legos.reports.teaching import teaching_order

__all__ = [
    "FOLDER",
    "TEACHING_ORDER",
    "CourseReports",
    "failed_seeds",
    "flagged_seeds",
    "human_review_queue",
    "quality_report",
    "retry_queue",
    "teaching_order",
]

FOLDER = "quality_reports"
TEACHING_ORDER = "teaching_order.json"


class CourseReports:
    """All reports of a course in one pass over its translation records. Only rows of the lists are kept."""

    def __init__(self, max_attempts: int = MAX_ATTEMPTS) -> None:
        self._max_attempts = max_attempts
        self._quality = QualityTally()
        self._flagged: list[Row] = []
        self._failed: list[Row] = []
        self._retries: list[Row] = []
        self._people: list[Row] = []
        self._taught: set[str] = set()
        """uuids of the SEEDs whose LEGOs may be taught."""

    def add(self, record: Mapping[str, Any]) -> None:
        """Take one more translation record in: valid, and of the present schema."""
        seed = Standing(record)
        self._quality.add(seed)
        if seed.may_be_taught:
            self._taught.add(seed.uuid)
        if seed.is_flagged:
            self._flagged.append((seed.order, seed_row(seed)))
        if seed.has_failed:
            self._failed.append((seed.order, seed_row(seed)))
        if seed.is_to_be_retried:
            self._retries.append((seed.order, retry_row(seed, self._max_attempts)))
        if seed.needs_a_person:
            self._people.append((seed.order, human_review_row(seed)))

    def files(self, legos: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """Path in the course folder -> content, of every report."""
        return {
            f"{FOLDER}/quality_report.json": self._quality.report(),
            f"{FOLDER}/flagged_seeds.json": as_list(_in_order(self._flagged)),
            f"{FOLDER}/failed_seeds.json": as_list(_in_order(self._failed)),
            f"{FOLDER}/retry_queue.json": as_list(_in_order(self._retries)),
            f"{FOLDER}/human_review_queue.json": in_urgency(_in_order(self._people)),
            TEACHING_ORDER: teaching_order(legos, self._taught),
        }


Row = tuple[tuple[str, str], dict[str, Any]]
"""A row with its place in the course."""


def _in_order(rows: list[Row]) -> list[dict[str, Any]]:
    return [row for _, row in sorted(rows, key=lambda one: one[0])]
