"""Spectating over gRPC: who may watch what, lists, private matches, limits, rounds, other processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from typing import Any
from uuid import uuid4

import grpc
import pytest

from libs.pb.sparrow.match.v1 import private_game_service_pb2 as private_pb
from libs.pb.sparrow.match.v1 import race_pb2, ticket_pb2
from libs.pb.sparrow.match.v1 import spectate_pb2 as told
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as pb
from libs.pb.sparrow.match.v1.private_game_service_pb2_grpc import PrivateGameServiceStub
from services.match.domain.spectating.modes import WatchedMode
from services.match.watching import live
from tests.support.arena_hall import begin_arena, idle_round
from tests.support.edge import refused
from tests.support.racers import RacePlayer, races_served
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.spectators import Spectator, match_in
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)
DELAY_S = 5


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url, spectate_delay_s=DELAY_S, spectators_per_match=2) as served:
        yield served


def _pair(hall: Hall) -> list[RoundPlayer]:
    return [RoundPlayer(hall.edge), RoundPlayer(hall.edge)]


async def test_the_list_shows_what_was_played_when_the_delay_began(hall: Hall) -> None:
    """A match appears when its making is shown and goes when its end is; one's own is not in it."""
    players, spectator = _pair(hall), Spectator(hall.edge)
    name = await hall.meet(*players)
    hall.step(seconds=3)
    before = await spectator.live()
    hall.step(seconds=2)
    shown = await spectator.live()
    own = await Spectator(hall.edge, players[0].account_id).names()
    for player in players:
        await player.leave(name)
    ended = await spectator.names()
    hall.step(seconds=DELAY_S)
    after = await spectator.names()

    assert not before.matches
    assert before.delay_ms == 5_000
    [match] = shown.matches
    assert (match.name, match.mode) == (name, told.SPECTATE_MODE_QUICK_MATCH)
    assert list(match.players) == [player.name for player in players]
    assert own == []
    assert ended == [name]
    assert after == []


async def test_the_list_comes_in_pages_by_mode_the_newest_first(hall: Hall) -> None:
    """A token belongs to its list; what is no mode is refused."""
    names = []
    for _ in range(3):
        names.append(await hall.meet(*_pair(hall)))
        hall.step(milliseconds=1)
    hall.step(seconds=DELAY_S)
    spectator = Spectator(hall.edge)
    first = await spectator.live(told.SPECTATE_MODE_QUICK_MATCH, page_size=2)
    second = await spectator.live(
        told.SPECTATE_MODE_QUICK_MATCH, page_size=2, page_token=first.next_page_token
    )
    other = await refused(spectator.live(told.SPECTATE_MODE_ARENA, page_token=first.next_page_token))

    assert [match.name for match in (*first.matches, *second.matches)] == names[::-1]
    assert second.next_page_token == ""
    assert await spectator.names(mode=told.SPECTATE_MODE_POOL) == []
    assert other.reason == "PAGE_TOKEN_INVALID"
    assert (await refused(spectator.live(99))).reason == "FIELD_INVALID"  # type: ignore[arg-type]
    assert (await refused(spectator.live(page_size=-1))).reason == "FIELD_INVALID"


async def test_whoever_sits_in_a_match_never_watches_it(hall: Hall) -> None:
    """Not before its signal, not while it is played, not afterwards."""
    players = _pair(hall)
    name = await hall.begin(*players)
    watcher = Spectator(hall.edge, players[0].account_id)
    refusals = [await refused(watcher.watch(name).read())]
    for player in players:
        await player.leave(name)
    hall.step(seconds=DELAY_S)
    refusals.append(await refused(watcher.watch(name).read()))

    for refusal in refusals:
        assert (refusal.code, refusal.reason) == (grpc.StatusCode.PERMISSION_DENIED, "SPECTATOR_SEATED")


async def test_levels_training_and_unknown_names_cannot_be_watched(hall: Hall) -> None:
    """Each is NOT_FOUND: there is no match that can be watched."""
    ana, spectator = RoundPlayer(hall.edge), Spectator(hall.edge)
    level = await ana.start(1)
    for name in (level.name, f"matches/{uuid4()}"):
        assert (await refused(spectator.watch(name).read())).reason == "NOT_FOUND"
    assert (await refused(spectator.watch("matches/x").read())).reason == "FIELD_INVALID"


async def test_too_many_spectators_are_refused_and_a_place_that_was_left_is_free(hall: Hall) -> None:
    """RESOURCE_EXHAUSTED, with the limit in the ErrorInfo; those who play are not concerned."""
    players = _pair(hall)
    name = await hall.begin(*players)
    streams = [Spectator(hall.edge).watch(name) for _ in range(2)]
    for stream in streams:
        await stream.read()
    refusal = await refused(Spectator(hall.edge).watch(name).read())
    streams[0].cancel()
    taken = await players[0].take(name, *(await hall.solution(name))[0], 0)
    later = await _once_there_is_a_place(hall, name)
    streams[1].cancel()

    assert (refusal.code, refusal.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SPECTATOR_LIMIT")
    assert refusal.metadata["limit"] == "match"
    assert taken.tiles_left > 0
    assert later.HasField("snapshot") or later.HasField("heartbeat")


async def _once_there_is_a_place(hall: Hall, name: str) -> pb.SpectateResponse:
    """The first message to a spectator who tries until a place is free."""
    async with asyncio.timeout(90):
        while True:
            stream = Spectator(hall.edge).watch(name)
            with suppress(grpc.aio.AioRpcError):
                message: pb.SpectateResponse = await stream.read()
                stream.cancel()
                return message
            await asyncio.sleep(0.1)


async def _private(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> tuple[str, str]:
    """A private quick match: its name and its code."""
    stub: Any = PrivateGameServiceStub(hall.edge.channel)
    create = private_pb.CreatePrivateGameRequest(queue=ticket_pb2.QUEUE_QUICK_MATCH, request_id=str(uuid4()))
    ticket = (await stub.CreatePrivateGame(create, metadata=ana.metadata)).ticket
    join = private_pb.JoinPrivateGameRequest(invitation_code=ticket.invitation_code, request_id=str(uuid4()))
    await stub.JoinPrivateGame(join, metadata=ben.metadata)
    return await ana.seated(), ticket.invitation_code


async def test_a_private_match_is_not_listed_and_watched_with_its_code_only(hall: Hall) -> None:
    """Without: INVITATION_NEEDED; ten wrong ones: RATE_LIMIT; a token says that one had the code."""
    players = _pair(hall)
    name, code = await _private(hall, *players)
    hall.step(seconds=DELAY_S)
    spectator, guesser = Spectator(hall.edge), Spectator(hall.edge)
    without = await refused(spectator.watch(name).read())
    first = await spectator.watch(name, code=code.lower()).read()
    again = await spectator.watch(name, resume_token=first.resume_token).read()
    guesses = [(await refused(guesser.watch(name, code="WRONGWRO").read())).reason for _ in range(11)]

    assert await spectator.names() == []
    assert (without.code, without.reason) == (grpc.StatusCode.PERMISSION_DENIED, "INVITATION_NEEDED")
    assert first.HasField("snapshot")
    assert again.WhichOneof("payload") in {"update", "heartbeat"}
    assert guesses == ["INVITATION_NEEDED"] * 10 + ["RATE_LIMIT"]


async def test_what_follows_on_a_private_match_is_as_private_with_the_same_code(hall: Hall) -> None:
    """As its rematch does; what follows on a public one stays public."""
    now, players = hall.edge.clock.now(), (uuid4(), uuid4())
    private, after_it, public, after_that = (uuid4() for _ in range(4))
    async with hall.database.engine.begin() as connection:
        for match_id in (private, after_it, public, after_that):
            await live.enter(connection, WatchedMode.POOL, {match_id: players}, now)
        await live.invite(connection, private, "ABCDEFGH")
        await live.inherit(connection, after_it, private)
        await live.inherit(connection, after_that, public)
        found = await live.find(connection, after_it)
        listed = await live.listed(connection, WatchedMode.POOL, now, uuid4(), None, 10)
    assert found is not None

    assert (found.private, found.code) == (True, "ABCDEFGH")
    assert {match.match_id for match in listed} == {public, after_that}


async def test_an_arena_is_shown_round_after_round_each_on_the_delay(hall: Hall) -> None:
    """One stream: a snapshot for each round, face down first; one end; a token resumes in its round."""
    four = [RoundPlayer(hall.edge) for _ in range(4)]
    name = await begin_arena(hall, four)
    spectator = Spectator(hall.edge)
    listening = spectator.listen(name)
    await until(lambda: bool(spectator.heard))
    await four[0].take(name, *(await hall.solution(name))[0], 0)
    await idle_round(hall, four, name)
    await asyncio.sleep(0.6)
    played = [message for message in spectator.heard if message.HasField("snapshot")]
    hall.step(seconds=DELAY_S)
    await until(lambda: sum(message.HasField("snapshot") for message in spectator.heard) == 2)
    break_token = spectator.heard[-1].resume_token
    late = await Spectator(hall.edge).watch(name).read()
    hall.step(seconds=5)
    for _ in range(2):
        await idle_round(hall, four, name)
        hall.step(seconds=10)
        await four[0].get(name)
    hall.step(seconds=DELAY_S)
    await asyncio.wait_for(listening, 60)
    resumed = Spectator(hall.edge, spectator.account_id)
    await asyncio.wait_for(resumed.listen(name, break_token), 60)
    snapshots = [message.snapshot for message in spectator.heard if message.HasField("snapshot")]

    assert len(played) <= 1
    assert [snapshot.round_number for snapshot in snapshots] == [1, 2, 3]
    assert snapshots[1].state == told.SPECTATE_STATE_BREAK
    for snapshot in snapshots:
        is_open = snapshot.state in (told.SPECTATE_STATE_RUNNING, told.SPECTATE_STATE_OVER)
        assert any(seat.board.faces for seat in snapshot.seats) == is_open
    assert snapshots[1].standings[0].score == 100
    assert late.snapshot.round_number == 2
    assert spectator.kinds().count("end") == 1
    assert spectator.ended_by == "MATCH_ENDED"
    last = [match for match in map(match_in, spectator.heard) if match is not None][-1]
    assert [seat.points for seat in last.standings] == [80, 20, 20, 20]
    assert [m.snapshot.round_number for m in resumed.heard if m.HasField("snapshot")] == [3]
    begun = 1 + next(n for n, m in enumerate(spectator.heard) if m.resume_token == break_token)
    rest = [m.update for m in spectator.heard[begun:] if m.update.match.round_number == 2]
    assert [m.update for m in resumed.heard if m.update.match.round_number == 2] == rest
    assert resumed.ended_by == "MATCH_ENDED"


async def test_a_race_of_a_group_is_watched_with_the_code_of_the_group(database_url: str) -> None:
    """It is private: not listed. A member who sits in it is refused with the code as well."""
    async with races_served(database_url, spectate_delay_s=1) as track:
        ana, ben, spectator = RacePlayer(track.edge), RacePlayer(track.edge), Spectator(track.edge)
        group = await ana.create(race_pb2.RaceSettings(difficulty=race_pb2.RACE_DIFFICULTY_START))
        await ben.join(group.code)
        name = await ana.start(group.name)
        track.step(seconds=4)
        await ana.get(name)
        track.step(seconds=1)
        without = await refused(spectator.watch(name).read())
        shown = await spectator.watch(name, code=group.link).read()
        seated = await refused(Spectator(track.edge, ben.account_id).watch(name, code=group.code).read())

    assert without.reason == "INVITATION_NEEDED"
    assert shown.snapshot.mode == told.SPECTATE_MODE_RACE
    assert seated.reason == "SPECTATOR_SEATED"


async def test_another_process_shows_the_same_and_a_token_of_one_resumes_at_the_other(
    database_url: str,
) -> None:
    """Two servers share only the database: nothing of spectating is in one process."""
    async with (
        quick_matches_served(database_url, spectate_delay_s=DELAY_S) as one,
        quick_matches_served(database_url, spectate_delay_s=DELAY_S) as two,
    ):
        players = [RoundPlayer(one.edge), RoundPlayer(one.edge)]
        name = await one.begin(*players)
        pairs = await one.solution(name)
        for number in range(3):
            await players[0].take(name, *pairs[number], 2 * number)
        one.step(seconds=DELAY_S)
        two.edge.clock.advance(one.edge.clock.now() - two.edge.clock.now())
        here, there = Spectator(one.edge), Spectator(two.edge)
        first, again = await here.watch(name).read(), await there.watch(name).read()
        await players[0].take(name, *pairs[3], 6)
        for hall in (one, two):
            hall.step(seconds=DELAY_S)
        resumed = Spectator(two.edge, here.account_id)
        listening = resumed.listen(name, first.resume_token)
        await until(lambda: len(resumed.heard) == 2)
        listening.cancel()

    assert first.snapshot == again.snapshot
    assert [m.update.moves[0].act for m in resumed.heard] == [
        told.SPECTATE_ACT_LIFTED,
        told.SPECTATE_ACT_PAIRED,
    ]


async def test_tokens_are_bound_to_caller_and_match_and_expire(hall: Hall) -> None:
    """Another's, another match's: invalid. After 24 hours: expired."""
    name, other = await hall.meet(*_pair(hall)), await hall.meet(*_pair(hall))
    spectator = Spectator(hall.edge)
    stream = spectator.watch(name)
    token = (await stream.read()).resume_token
    stream.cancel()
    for watcher, watched in ((Spectator(hall.edge), name), (spectator, other)):
        assert (await refused(watcher.watch(watched, token).read())).reason == "RESUME_TOKEN_INVALID"
    hall.edge.clock.advance(timedelta(hours=24))
    assert (await refused(spectator.watch(name, token).read())).reason == "RESUME_EXPIRED"


async def test_draining_ends_streams_of_spectators_with_its_reason(hall: Hall) -> None:
    """The last message says so; its token resumes elsewhere."""
    name = await hall.meet(*_pair(hall))
    spectator = Spectator(hall.edge)
    listening = spectator.listen(name)
    await until(lambda: bool(spectator.heard))
    await hall.edge.server.drain()
    await asyncio.wait_for(listening, 60)

    assert spectator.ended_by == "DRAINING"
    assert spectator.heard[-1].resume_token
