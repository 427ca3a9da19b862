"""Profiles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID


@dataclass(frozen=True)
class Profile:
    """What others may see of a player."""

    account_id: UUID
    display_name: str
    created_at: datetime
