"""What is flagged for operators, and how one of them dismisses it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from services.match.domain.fair_play.counts import PlayMode
from services.match.domain.fair_play.judging import Suspicion


@dataclass(frozen=True, slots=True)
class Dismissal:
    """How an operator dismissed a flag."""

    by: str
    reason: str
    """The operator's own words: to be escaped wherever they are shown."""
    at: datetime


@dataclass(frozen=True, slots=True)
class Flag:
    """A rule that a player's play broke in one mode, with the figures of the last time that it did."""

    flag_id: UUID
    account_id: UUID
    mode: PlayMode
    suspicion: Suspicion
    first_at: datetime
    last_at: datetime
    dismissed: Dismissal | None = None
