"""Spectators of one process, on the twin of the store: the delay, one fold for all, slow ones, ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import NewEvent
from libs.eventsourcing.following import End, Heartbeat
from libs.eventstore.memory import MemoryEventStore
from libs.eventstore.port import Appended, Request, StreamAppend
from libs.following.inbox import QUEUE_MAX
from libs.runtime.errors import Refused
from libs.runtime.systemclock import SteppingClock
from libs.spectating.hub import Snapshot, SpectateHub
from libs.spectating.places import Places
from libs.spectating.topic import Shown
from services.match.domain.rivals.events import Event
from services.match.domain.rivals.state import Over
from services.match.spectating.games import ROUND
from services.match.spectating.matches import MatchHub as Hub
from services.match.spectating.matches import MatchSeen as RoundSeen
from services.match.wire.round_codec import RoundCodec
from tests.support.attempts import ANA
from tests.support.rounds import MATCH, Table, apart, at

CARL, ROUND_ID, DELAY = UUID(int=0xC), UUID(int=0x1), timedelta(seconds=30)
FACES = "1m 1m 2m 2m 3m 3m"


class Watched:
    """A round in the log, and a hub that shows it."""

    def __init__(self, delay: timedelta = DELAY, *, heartbeat_s: float = 5.0) -> None:
        self.store, self.clock = MemoryEventStore(), SteppingClock(at(-3_000))
        self.hub: Hub = SpectateHub(self.store, self.clock, delay, heartbeat_s=heartbeat_s)
        self.table = Table.laid(apart(6), FACES)
        self.kept = 0
        self.loads = 0

    async def keep(self, recorded_ms: int | None = None) -> None:
        """Store what the table has come to, one command for what is new; by default as it occurred."""
        events: list[Event] = self.table.events[self.kept :]
        appended = await self.store.append(
            [StreamAppend(ROUND_ID, self.kept, tuple(_stored(event) for event in events))],
            recorded_at=events[-1].occurred_at if recorded_ms is None else at(recorded_ms),
            caller=ANA,
            request=Request(ANA, f"command {self.kept}", bytes(32)),
        )
        assert isinstance(appended, Appended)
        self.kept = len(self.table.events)

    async def lift(self, number: int) -> None:
        """Ana lifts and puts back, so many commands, a millisecond each."""
        for _ in range(number):
            ms = 1 + self.kept
            if self.table.player(0).board.lifted is None:
                self.table.touch(0, 0, ms)
            else:
                self.table.put_back(0, ms)
            await self.keep()

    async def pass_to(self, ms: int) -> None:
        """Let the clock come to that many milliseconds after the signal, and look."""
        self.clock.advance(at(ms) - self.clock.now())
        await self.hub.look()

    def follow(self, account_id: UUID = CARL, after: int | None = None) -> AsyncGenerator[RoundSeen, None]:
        """Watch."""
        return self.hub.follow(MATCH, ROUND_ID, ROUND, account_id, after)


def _stored(event: Event) -> NewEvent:
    part, name, version, data = RoundCodec().encode(event)
    return NewEvent(part, name, version, event.occurred_at, data)


async def _next(stream: AsyncGenerator[RoundSeen, None]) -> RoundSeen:
    return await asyncio.wait_for(anext(stream), 10)


@pytest.fixture
async def watched() -> Watched:
    """A round whose signal was given."""
    made = Watched()
    await made.keep()
    made.table.until(0)
    await made.keep()
    return made


async def test_a_fact_is_shown_when_its_delay_has_passed_and_not_a_millisecond_earlier(
    watched: Watched,
) -> None:
    """The deal first, then the signal; until something may be shown there is a heartbeat."""
    stream = watched.follow()
    assert await _next(stream) == Heartbeat(0)
    await watched.pass_to(30_000 - 3_001)
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await watched.pass_to(30_000 - 3_000)
    snapshot = await waiting
    assert isinstance(snapshot, Snapshot)
    assert snapshot.version == 1
    assert not any(seat.board.faces for seat in snapshot.match.seats)
    await watched.pass_to(29_999)
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await watched.pass_to(30_000)
    shown = await waiting

    assert isinstance(shown, Shown)
    assert shown.update is not None
    assert all(seat.board.faces for seat in shown.update.match.seats)


async def test_what_was_recorded_late_is_shown_late(watched: Watched) -> None:
    """A deadline's fact occurred at it, but nobody knew before it was recorded."""
    stream = watched.follow()
    await watched.pass_to(30_000)
    await _next(stream)
    watched.table.until(20_000)
    await watched.keep(recorded_ms=27_000)
    await watched.pass_to(56_999)
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await watched.pass_to(57_000)
    assert isinstance(await waiting, Shown)


async def test_every_hub_shows_the_same_at_the_same_instant(watched: Watched) -> None:
    """It follows from log and clock alone: another process, or the same one after a restart."""
    await watched.lift(5)
    await watched.pass_to(30_004)
    other: Hub = SpectateHub(watched.store, watched.clock, DELAY)
    seen = await _next(watched.follow())
    again = await _next(other.follow(MATCH, ROUND_ID, ROUND, CARL, None))

    assert isinstance(seen, Snapshot)
    assert seen == again
    assert seen.version == 4  # two lifts of five


async def test_spectators_of_one_match_share_one_fold_and_its_messages(watched: Watched) -> None:
    """A hundred of them: one topic, one load for a command, one message for all."""
    loads = 0
    load = watched.store.load

    async def counted(stream_id: UUID, *, after_version: int = 0) -> Any:
        nonlocal loads
        loads += 1
        return await load(stream_id, after_version=after_version)

    await watched.pass_to(30_000)
    streams = [watched.follow(UUID(int=0x100 + n)) for n in range(100)]
    for stream in streams:
        await _next(stream)
    watched.store.load = counted  # type: ignore[method-assign]
    await watched.lift(1)
    await watched.pass_to(31_000)
    updates = [await _next(stream) for stream in streams]

    assert watched.hub.topic_count == 1
    assert loads == 1
    assert len({id(update) for update in updates}) == 1


async def test_resuming_misses_nothing_and_repeats_nothing(watched: Watched) -> None:
    """From any version exactly what was shown after it; then what is shown live."""
    await watched.lift(6)
    await watched.pass_to(31_000)
    for version in range(1, 8):
        stream = watched.follow(after=version)
        missed = [await _next(stream) for _ in range(8 - version)]
        assert [each.version for each in missed] == list(range(version + 1, 9))
        await stream.aclose()
    stream = watched.follow(after=8)
    waiting = asyncio.ensure_future(_next(stream))
    await asyncio.sleep(0.01)
    await watched.lift(1)
    await watched.pass_to(32_000)
    assert (await waiting).version == 9


async def test_a_token_of_a_shorter_delay_shows_nothing_twice(watched: Watched) -> None:
    """The delay was raised: nothing comes until it has passed for what follows on the token."""
    await watched.lift(3)
    await watched.pass_to(30_002)
    stream = watched.follow(after=5)
    waiting = asyncio.ensure_future(_next(stream))
    await watched.lift(1)
    await watched.pass_to(30_004)
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await watched.pass_to(31_000)
    assert (await waiting).version == 6


async def test_a_token_ahead_of_the_log_is_refused(watched: Watched) -> None:
    """It is of another log."""
    with pytest.raises(Refused) as error:
        await _next(watched.follow(after=9))
    assert error.value.reason == "RESUME_TOKEN_INVALID"


async def test_whoever_has_a_seat_is_refused_whatever_is_shown(watched: Watched) -> None:
    """By what is known now, not by what may be shown; and nothing stays open."""
    with pytest.raises(Refused) as error:
        await _next(watched.follow(ANA))
    assert error.value.reason == "SPECTATOR_SEATED"
    assert watched.hub.topic_count == 0


async def test_whoever_takes_a_seat_later_is_cut_off_at_once() -> None:
    """As soon as the log knows of it, long before it may be shown; others go on."""
    watched = Watched()
    game = replace(ROUND, seats_taken=lambda event: [CARL] if type(event).__name__ == "RoundStarted" else [])
    await watched.keep()
    stream, other = (
        watched.hub.follow(MATCH, ROUND_ID, game, account_id, None) for account_id in (CARL, UUID(int=0xD))
    )
    assert await _next(stream) == await _next(other) == Heartbeat(0)
    watched.table.until(0)
    await watched.keep()
    await watched.hub.look()
    assert await _next(stream) == End(0, "SPECTATOR_SEATED")
    await watched.pass_to(27_000)
    assert isinstance(await _next(other), Snapshot)


async def test_after_the_end_the_rest_comes_on_the_delay_then_the_result_then_why_it_ends(
    watched: Watched,
) -> None:
    """Nothing is hurried because the match is over."""
    stream = watched.follow()
    await watched.pass_to(30_000)
    await _next(stream)
    for pair in ((0, 1), (2, 3), (4, 5)):
        watched.table.pair(0, *pair, 1_000 * (1 + pair[0]))
        await watched.keep()
    assert isinstance(watched.table.state, Over)
    await watched.pass_to(34_999)
    before = [await _next(stream) for _ in range(2)]
    await watched.pass_to(35_000)
    last, end = await _next(stream), await _next(stream)

    assert all(isinstance(each, Shown) and not each.update.match.HasField("round_result") for each in before)  # type: ignore[union-attr]
    assert isinstance(last, Shown)
    assert last.update is not None
    assert last.update.match.round_result.seats[0].cleared
    assert end == End(last.version, "MATCH_ENDED")
    late = watched.follow()
    assert isinstance(await _next(late), Snapshot)
    assert await _next(late) == End(last.version, "MATCH_ENDED")


async def test_a_slow_spectator_is_cut_off_and_the_others_are_not(watched: Watched) -> None:
    """Whoever leaves too much unread has to resume."""
    await watched.pass_to(30_000)
    slow, quick = watched.follow(UUID(int=0xD)), watched.follow()
    await _next(slow), await _next(quick)
    reading = asyncio.ensure_future(_read(quick, QUEUE_MAX + 1))
    for _ in range(QUEUE_MAX + 1):
        await watched.lift(1)
        await watched.pass_to(30_000 + watched.kept + 1)
        await asyncio.sleep(0)
    with pytest.raises(Refused) as error:
        await _next(slow)
    assert error.value.reason == "SLOW_READER"
    assert await asyncio.wait_for(reading, 10) == list(range(3, QUEUE_MAX + 4))


async def _read(stream: AsyncGenerator[RoundSeen, None], number: int) -> list[int]:
    return [(await _next(stream)).version for _ in range(number)]


async def test_a_silence_is_told_and_draining_ends_every_stream() -> None:
    """A heartbeat keeps the version; a drained hub opens nothing."""
    watched = Watched(heartbeat_s=0.01)
    await watched.keep()
    await watched.pass_to(30_000)
    stream = watched.follow()
    assert isinstance(await _next(stream), Snapshot)
    assert await _next(stream) == Heartbeat(1)
    await watched.hub.drain()
    assert await _next(stream) == End(1, "DRAINING")
    with pytest.raises(Refused) as error:
        await _next(watched.follow())
    assert error.value.reason == "DRAINING"


def test_places_are_bounded_by_match_and_by_process() -> None:
    """Which limit it was stands in the metadata; a place that was left is free."""
    places = Places(per_match=2, total=3)
    other = UUID(int=2)
    with places.hold(MATCH):
        with places.hold(MATCH):
            with pytest.raises(Refused) as error, places.hold(MATCH):
                pass
            assert (error.value.reason, error.value.metadata["limit"]) == ("SPECTATOR_LIMIT", "match")
            with places.hold(other), pytest.raises(Refused) as full, places.hold(UUID(int=3)):
                pass
            assert full.value.metadata == {"limit": "process", "at_most": "3"}
        with places.hold(MATCH):
            assert places.taken == 2
    assert places.taken == 0
