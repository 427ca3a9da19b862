"""A bus that doubles, reorders, loses and forgets, from one seed."""

from __future__ import annotations

from random import Random
from typing import Any

from libs.bus.memory import MemoryBus, MemoryPull
from libs.bus.port import Delivery

DUPLICATE, REORDER, LOSS, ACK_LOSS = 0.3, 0.3, 0.1, 0.2
WINDOW = 50


class DisorderlyPull:
    """A hand that drops things. Lost ones come again unless a later acknowledgement covers them."""

    def __init__(self, inner: MemoryPull, random: Random) -> None:
        self._inner, self._random = inner, random
        self._held: list[Delivery] = []

    async def fetch(self, batch: int, wait_s: float) -> list[Delivery]:
        """Fetch, then disturb: what is held back comes with a later fetch."""
        random = self._random
        arrived = await self._inner.fetch(batch, wait_s)
        kept = [one for one in arrived if random.random() >= LOSS]
        kept += [one for one in arrived if random.random() < DUPLICATE]
        kept, self._held = [*self._held, *kept], []
        for place, one in enumerate(kept):
            if random.random() < REORDER:
                other = min(place + random.randrange(WINDOW), len(kept) - 1)
                kept[place], kept[other] = kept[other], one
        cut = random.randrange(len(kept) + 1) if random.random() < REORDER else len(kept)
        self._held = kept[cut:]
        return kept[:cut]

    async def ack(self, delivery: Delivery) -> None:
        """Acknowledge, perhaps."""
        if self._random.random() >= ACK_LOSS:
            await self._inner.ack(delivery)

    async def close(self) -> None:
        """Let go."""
        await self._inner.close()


class DisorderlyBus(MemoryBus):
    """The memory twin with disorderly hands."""

    def __init__(self, random: Random, ack_wait_s: float) -> None:
        super().__init__()
        self._random, self._ack_wait_s = random, ack_wait_s

    async def pull(self, stream: str, durable: str, *, ack_wait_s: float = 0.0, fresh: bool = False) -> Any:
        """Return a disorderly hand whose messages come again soon."""
        inner = await super().pull(stream, durable, ack_wait_s=self._ack_wait_s, fresh=fresh)
        return DisorderlyPull(inner, self._random)
