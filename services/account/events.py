"""What happened to accounts. No event holds a name, an address or a device key."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class ProfileCreated:
    """A device was seen for the first time."""

    account_id: UUID
