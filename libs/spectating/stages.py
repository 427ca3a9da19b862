"""A game that has several streams, one after the other, shown as one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import UUID

from libs.eventsourcing.following import End
from libs.spectating.game import Game
from libs.spectating.hub import Seen, SpectateHub
from libs.spectating.places import Places

M = TypeVar("M")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class LeftAt:
    """Where a spectator left a game."""

    stream_id: UUID
    version: int


@dataclass(frozen=True, slots=True)
class Stages(Generic[M, U]):
    """The streams of one game: which to begin with, and which comes after one, None after the last."""

    game_id: UUID
    game: Game[Any, Any, M, U]
    begun: Callable[[], Awaitable[UUID]]
    after: Callable[[UUID], Awaitable[UUID | None]]


async def follow_stages(
    hub: SpectateHub[M, U], places: Places, stages: Stages[M, U], account_id: UUID, left_at: LeftAt | None
) -> AsyncGenerator[tuple[UUID, Seen[M, U]], None]:
    """What is shown of a game, with the stream it is about: of all streams but the last without the End.

    Raises Refused SPECTATOR_LIMIT, and what the hub raises.
    """
    with places.hold(stages.game_id):
        stream_id = left_at.stream_id if left_at else await stages.begun()
        after_version = left_at.version if left_at else None
        while True:
            following: UUID | None = None
            seen_by = hub.follow(stages.game_id, stream_id, stages.game, account_id, after_version)
            async with aclosing(seen_by) as stream:
                async for seen in stream:
                    if isinstance(seen, End) and seen.reason == "MATCH_ENDED":
                        following = await stages.after(stream_id)
                    if following is None:
                        yield stream_id, seen
            if following is None:
                return
            stream_id, after_version = following, None
