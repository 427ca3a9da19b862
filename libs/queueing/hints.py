"""Hints on the bus: what is committed is found anyway, by a look every now and then."""

from __future__ import annotations

import structlog

from libs.bus.port import Bus

log = structlog.get_logger(__name__)


async def hint(bus: Bus, subject: str, data: bytes = b"") -> None:
    """Let those look who wait for news of a subject. Never raises."""
    try:
        await bus.send(subject, data)
    except Exception as error:  # noqa: BLE001 what is committed is answered; others look by themselves
        log.warning("queue.hint_lost", error=f"{type(error).__name__}: {error}")
