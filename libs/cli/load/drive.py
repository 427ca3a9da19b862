"""The bots of one process: all signed in first, then all playing for the same seconds."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from typing import Final, Protocol

from libs.cli.load.pair_bots import PairBot, connect
from libs.cli.load.player import PLAYERS_MIN, LoadMode, LoadPlayer, Metronome
from libs.cli.load.table_bots import TableBot
from libs.cli.load.tally import Tally, together
from libs.client.channel import require_answer
from libs.client.client import SparrowClient
from libs.client.errors import SparrowError
from libs.client.lean import PLAYERS_PER_CONNECTION, LeanConnection, LeanPlayer

SIGN_INS_AT_ONCE = 16
CLIENT_MODES: Final = frozenset({LoadMode.RACE, LoadMode.QUEUE_RACE, LoadMode.POOL, LoadMode.TABLE})
"""Played by the library's own client."""
ENDING_S = 10.0
"""How long the bots may take to stop and to leave their boards."""


@dataclass(frozen=True)
class LoadPlan:
    """What was asked for. `rate` is in moves a second by all players together; none: as fast as it goes."""

    target: str
    players: int
    mode: LoadMode
    seconds: float
    rate: float | None
    seed: int


class Bot(Protocol):
    """What a load drives."""

    async def play(self) -> None:
        """Play until told to stop."""
        ...


async def _at_once() -> None:
    """Begin without waiting for anybody."""


async def drive(
    plan: LoadPlan,
    begin: Callable[[], Awaitable[None]] = _at_once,
    watch: Callable[[Tally], None] | None = None,
) -> Tally:
    """Play and return what was counted.

    `begin` is awaited when all have signed in; `watch` sees the count grow.
    """
    await require_answer(plan.target, within_s=5)
    if plan.mode is LoadMode.ALL:
        return await _drive_all(plan, begin, watch)
    if plan.mode in CLIENT_MODES:
        return await _drive_clients(plan, begin, watch)
    connections = [LeanConnection(plan.target) for _ in range(ceil(plan.players / PLAYERS_PER_CONNECTION))]
    try:
        players = await _sign_in(plan, connections)
        await begin()
        tally, stop = Tally(), asyncio.Event()
        metronomes = _metronomes(plan)
        bots = [
            LoadPlayer(player, plan.mode, tally, metronomes[number], _choices(plan, number), stop)
            for number, player in enumerate(players)
        ]
        await _play(plan, bots, tally, stop, watch)
        await _leave(players)
        return tally
    finally:
        for connection in connections:
            await connection.close()


async def _drive_all(
    plan: LoadPlan, begin: Callable[[], Awaitable[None]], watch: Callable[[Tally], None] | None
) -> Tally:
    """Play every mode in the same seconds; the tally has one of each mode as its parts."""
    plans = by_mode(plan)
    all_in, seen = asyncio.Barrier(len(plans) + 1), {each.mode.value: Tally() for each in plans}

    async def meet() -> None:
        await all_in.wait()

    async def one(each: LoadPlan) -> Tally:
        def look(tally: Tally) -> None:
            seen[each.mode.value] = tally
            if watch is not None:
                watch(together(seen.values()))

        try:
            return await drive(each, meet, look)
        except BaseException:
            await all_in.abort()  # the others wait for nobody
            raise

    playing = [asyncio.create_task(one(each)) for each in plans]
    try:
        with suppress(asyncio.BrokenBarrierError):
            await all_in.wait()
            await begin()
        tallies = await asyncio.gather(*playing)
    finally:
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    whole = together(tallies)
    whole.parts = {each.mode.value: tally for each, tally in zip(plans, tallies, strict=True)}
    return whole


def by_mode(plan: LoadPlan) -> list[LoadPlan]:
    """The plan for each mode there is: players and rate split, as many as it takes at least."""
    modes = [mode for mode in LoadMode if mode is not LoadMode.ALL]
    counts = {mode: PLAYERS_MIN.get(mode, 1) for mode in modes}
    while sum(counts.values()) < plan.players:
        counts[min(modes, key=lambda mode: counts[mode])] += 1
    return [
        replace(
            plan,
            mode=mode,
            players=count,
            rate=plan.rate * count / plan.players if plan.rate else None,
        )
        for mode, count in counts.items()
    ]


async def _drive_clients(
    plan: LoadPlan, begin: Callable[[], Awaitable[None]], watch: Callable[[Tally], None] | None
) -> Tally:
    """Play what the library's own client plays. What failed while they signed in is not counted."""
    few, tally, stop = asyncio.Semaphore(SIGN_INS_AT_ONCE), Tally(), asyncio.Event()
    clients: list[SparrowClient] = []

    async def one() -> None:
        async with few:
            clients.append(await connect(plan.target, tally))

    try:
        await asyncio.gather(*(one() for _ in range(plan.players)))
        await begin()
        tally.errors.clear()
        metronomes = _metronomes(plan)
        bots: list[Bot] = [
            TableBot(client, tally, metronome, stop)
            if plan.mode is LoadMode.TABLE
            else PairBot(client, plan.mode, tally, metronome, stop)
            for client, metronome in zip(clients, metronomes, strict=True)
        ]
        await _play(plan, bots, tally, stop, watch)
        return tally
    finally:
        for client in clients:
            await client.close()


async def _sign_in(plan: LoadPlan, connections: Sequence[LeanConnection]) -> list[LeanPlayer]:
    few = asyncio.Semaphore(SIGN_INS_AT_ONCE)
    players = [LeanPlayer(connections[number % len(connections)]) for number in range(plan.players)]

    async def one(player: LeanPlayer) -> None:
        async with few:
            await player.sign_in()

    await asyncio.gather(*map(one, players))
    return players


def _metronomes(plan: LoadPlan) -> list[Metronome]:
    """One for each bot, from now on, spread over the interval: a rate is steady, not a burst of everybody."""
    began = asyncio.get_running_loop().time()
    interval_s = plan.players / plan.rate if plan.rate else 0.0
    return [
        Metronome(interval_s, began + interval_s * number / plan.players) for number in range(plan.players)
    ]


def _choices(plan: LoadPlan, number: int) -> random.Random:
    return random.Random(f"{plan.seed}/{number}")  # noqa: S311 a game, no secret


async def _play(
    plan: LoadPlan,
    bots: Sequence[Bot],
    tally: Tally,
    stop: asyncio.Event,
    watch: Callable[[Tally], None] | None,
) -> None:
    """Let the bots play for the seconds of the plan."""
    clock = asyncio.get_running_loop()
    began = clock.time()
    playing = [asyncio.create_task(bot.play()) for bot in bots]
    try:
        while (left_s := began + plan.seconds - clock.time()) > 0:
            await asyncio.sleep(min(0.2, left_s))
            tally.seconds = clock.time() - began
            if watch is not None:
                watch(tally)
        stop.set()
        tally.seconds = clock.time() - began
        await asyncio.wait(playing, timeout=ENDING_S)
    finally:
        for task in playing:
            task.cancel()
        ended = await asyncio.gather(*playing, return_exceptions=True)
    for error in ended:
        if isinstance(error, Exception):
            raise error


async def _leave(players: Sequence[LeanPlayer]) -> None:
    """Leave what is still played; not counted."""
    few = asyncio.Semaphore(SIGN_INS_AT_ONCE)

    async def one(player: LeanPlayer) -> None:
        if player.board is not None and not player.board.is_over:
            async with few:
                with suppress(SparrowError):
                    await player.leave()

    with suppress(TimeoutError):
        async with asyncio.timeout(ENDING_S):
            await asyncio.gather(*map(one, players))
