"""Orders of a seat. Each carries the instant it was received; a client's clock is never asked."""

from __future__ import annotations

from services.match.commands import GiveUpJoker, Leave, PutBack, TakeJoker, Touch, UseJoker

__all__ = ["Command", "GiveUpJoker", "Leave", "PutBack", "TakeJoker", "Touch", "UseJoker"]

Command = Touch | PutBack | Leave | UseJoker | TakeJoker | GiveUpJoker
