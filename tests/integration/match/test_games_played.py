"""A player's games of every mode are listed, newest first and by mode; races and the pool are told again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from libs.eventsourcing.envelope import Part
from libs.eventstore.port import Fenced
from libs.eventstore.sequencer import Sequencer
from libs.pb.sparrow.match.v1 import history_service_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceStub
from services.match.history.projector import history_projector
from tests.support.edge import refused
from tests.support.fair_play import match_database
from tests.support.pool_player import PoolHall, PoolPlayer, pools_served
from tests.support.racers import RacePlayer

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[PoolHall]:
    """The served game."""
    async with pools_served(database_url) as served:
        yield served


async def games(hall: PoolHall, player: PoolPlayer, **page: Any) -> pb.ListPlayedGamesResponse:
    """A page of a player's games."""
    stub: Any = HistoryServiceStub(hall.edge.channel)
    answer: pb.ListPlayedGamesResponse = await stub.ListPlayedGames(
        pb.ListPlayedGamesRequest(**page), metadata=player.metadata
    )
    return answer


async def replay(hall: PoolHall, player: PoolPlayer, name: str, **page: Any) -> pb.GetMatchReplayResponse:
    """A page of a game told again."""
    stub: Any = HistoryServiceStub(hall.edge.channel)
    answer: pb.GetMatchReplayResponse = await stub.GetMatchReplay(
        pb.GetMatchReplayRequest(name=name, **page), metadata=player.metadata
    )
    return answer


async def entered(hall: PoolHall, epoch: int = 1) -> None:
    """Sequence and enter all that has ended."""
    database = match_database(hall.edge)
    while await Sequencer(database, Part.FACTS).step(epoch):
        pass
    projector = history_projector(database, hall.edge.clock.now)
    done = await projector.claim(epoch)
    while (further := await projector.step(epoch, done)) != done:
        done = further


async def raced(hall: PoolHall, player: PoolPlayer) -> str:
    """A race against a CPU player, given up after a pair."""
    racer = RacePlayer(hall.edge, player.account_id, player.session_id)
    group = await racer.create()
    name = await racer.start(group.name)
    hall.step(seconds=4)
    await racer.get(name)
    return name


async def test_games_of_every_mode_are_listed_newest_first_page_by_page(hall: PoolHall) -> None:
    """Of one mode where it is asked for; a race and a game of the pool once they are over."""
    ana = PoolPlayer(hall.edge)
    level = await ana.start(1)
    await ana.leave(level.name)
    hall.step(seconds=1)
    training = await ana.train()
    hall.step(minutes=10)
    await ana.game(training.name)
    hall.step(seconds=1)
    race = await raced(hall, ana)
    running = await refused(replay(hall, ana, race))
    await RacePlayer(hall.edge, ana.account_id, ana.session_id).give_up(race)
    await entered(hall)
    listed = await games(hall, ana)
    first = await games(hall, ana, page_size=2)
    second = await games(hall, ana, page_size=2, page_token=first.next_page_token)
    pool = await games(hall, ana, mode=match_pb2.MODE_POOL)

    assert running.reason == "MATCH_RUNNING"
    assert [(game.name, game.mode) for game in listed.games] == [
        (race, match_pb2.MODE_RACE),
        (training.name, match_pb2.MODE_POOL),
        (level.name, match_pb2.MODE_SINGLE_PLAYER),
    ]
    assert [*first.games, *second.games] == list(listed.games)
    assert not second.next_page_token
    assert [game.name for game in pool.games] == [training.name]
    assert (pool.games[0].pool.seat_count, listed.games[0].race.own.place) == (1, 1)
    assert not (await games(hall, ana, mode=match_pb2.MODE_ARENA)).games
    assert not (await games(hall, PoolPlayer(hall.edge))).games
    assert (await refused(games(hall, ana, mode=99))).reason == "FIELD_INVALID"


async def test_a_race_and_training_are_told_to_those_who_played_them(hall: PoolHall) -> None:
    """Step by step; to nobody else."""
    ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
    training = await ana.train()
    pair = (await hall.pool_solution(training.name))[0]
    await ana.remove(training.name, *pair, 0)
    await ana.undo(training.name, 1)
    hall.step(minutes=10)
    await ana.game(training.name)
    race = await raced(hall, ana)
    await RacePlayer(hall.edge, ana.account_id, ana.session_id).give_up(race)
    told = (await replay(hall, ana, training.name)).replay
    of_race = (await replay(hall, ana, race)).replay

    assert [step.WhichOneof("what") for step in told.steps] == ["pair", "undo", "ended"]
    assert told.steps[0].pair.worth == 72 * told.steps[0].pair.value
    assert [step.WhichOneof("what") for step in of_race.steps] == ["news"]
    assert (len(told.layout.tiles), len(of_race.layout.tiles)) == (144, 68)
    for name in (training.name, race):
        assert (await refused(replay(hall, ben, name))).reason == "NOT_YOURS"
        assert (await refused(replay(hall, ana, name, round_number=2))).reason == "FIELD_INVALID"


async def test_whoever_lost_the_lease_enters_nothing_more(hall: PoolHall) -> None:
    """The next holder enters what ended since, once."""
    ana = PoolPlayer(hall.edge)
    training = await ana.train()
    database = match_database(hall.edge)
    projector = history_projector(database, hall.edge.clock.now)
    done = await projector.claim(1)
    await projector.claim(2)
    hall.step(minutes=10)
    await ana.game(training.name)
    while await Sequencer(database, Part.FACTS).step(1):
        pass
    with pytest.raises(Fenced):
        await projector.step(1, done)
    assert not (await games(hall, ana)).games
    await entered(hall, 3)

    assert [game.name for game in (await games(hall, ana)).games] == [training.name]
