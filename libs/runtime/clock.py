"""Where instants come from. Nothing else in Sparrow asks for the time."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """A source of aware UTC instants."""

    def now(self) -> datetime:
        """Return the present instant."""
        ...
