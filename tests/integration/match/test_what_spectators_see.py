"""Every byte that reaches a spectator, against what everybody may know at the instant that it shows.

What may be known is computed from the log by a naive scan, not by the code that sends.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import pool_pb2, race_pb2
from libs.pb.sparrow.match.v1 import spectate_pb2 as told
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as pb
from libs.rules.solitaire.layouts import Layout
from libs.rules.tiles import ALL_FACES, Face
from services.match.domain.pool.events import PoolDealt, PoolPairRemoved, PoolPairUndone, PoolShuffled
from services.match.domain.race.events import RaceBoardShuffled, RaceDealt, RacePairRemoved
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import RaceCodec
from services.match.wire.round_codec import RoundCodec
from tests.integration.match.test_what_a_seat_sees import Eyes, _play_wildly, faces_in, texts
from tests.support.pool_player import PoolPlayer, pools_served
from tests.support.racers import RacePlayer, races_served
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.spectators import Spectator, known_by, match_in, shown_at
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(240)
DELAY_S = 5
Known = Callable[[datetime], dict[int, set[tuple[int, Face]]]]
"""By instant and seat, tiles and faces that the seat had uncovered by then, those that left included."""


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url, spectate_delay_s=DELAY_S) as served:
        yield served


def _check(
    spectator: Spectator,
    recorded: list[RecordedEvent],
    known: Known,
    secrets: list[bytes],
    started: str,
) -> None:
    """No message shows what is newer than the delay, a face too early, or a secret before the end."""
    told_faces = 0
    for message, heard_at in zip(spectator.heard, spectator.heard_at, strict=True):
        at, raw, match = shown_at(message), message.SerializeToString(), match_in(message)
        assert message.delay_ms == DELAY_S * 1_000
        assert at <= heard_at - timedelta(seconds=DELAY_S)
        told_here = list(faces_in(message))
        assert sum(text in ALL_FACES for text in texts(message)) == len(told_here), "told in one place"
        told_faces += len(told_here)
        past = known_by(recorded, at)
        is_over = match is not None and match.state == told.SPECTATE_STATE_OVER
        if not is_over:
            assert not any(secret in raw for secret in secrets)
        if match is None:
            continue
        may_know = known(at)
        for seat in match.seats:
            for face in seat.board.faces:
                assert (face.tile, face.face) in may_know[seat.seat]
        if not any(event.type == started for event in past):
            assert not told_here
        assert is_over <= any(event.type.endswith("_ended.v1") for event in past)
    assert told_faces > 100


async def test_no_byte_of_a_quick_match_tells_more_than_was_known_then(hall: Hall) -> None:
    """No face before the signal was known, none that the seat had not uncovered, no seed before the end."""
    ana, ben = players = [RoundPlayer(hall.edge), RoundPlayer(hall.edge)]
    spectator = Spectator(hall.edge)
    name = await hall.meet(ana, ben)
    listening = spectator.listen(name)
    await until(lambda: bool(spectator.heard))
    hall.step(seconds=3)
    await _play_wildly(hall, name, players, random.Random(11))
    for player in players:
        await player.leave(name)
    await asyncio.sleep(0.6)
    before_the_end = len(spectator.heard)
    assert all(not match_in(m) or not match_in(m).HasField("round_result") for m in spectator.heard)  # type: ignore[union-attr]
    late = Spectator(hall.edge)
    joining = late.listen(name)
    await until(lambda: bool(late.heard))
    hall.step(seconds=DELAY_S)
    await asyncio.wait_for(asyncio.gather(listening, joining), 60)
    deal, recorded = await hall.deal(name), await hall.recorded(name)

    def known(at: datetime) -> dict[int, set[tuple[int, Face]]]:
        found = {}
        for seat in (0, 1):
            eyes = Eyes(deal)
            for event in known_by(recorded, at):
                fact = RoundCodec().decode(event)
                if getattr(fact, "seat", None) == seat:
                    eyes.follow(fact)
            found[seat] = {(tile, deal.faces[tile]) for tile in eyes.known}
        return found

    assert 3 < before_the_end < len(spectator.heard)
    for each in (spectator, late):
        _check(each, recorded, known, [deal.seed, deal.nonce], "sparrow.match.round_started.v1")
        assert each.ended_by == "MATCH_ENDED"
        results = [m for m in each.heard if match_in(m) and match_in(m).HasField("round_result")]  # type: ignore[union-attr]
        assert match_in(results[-1]).round_result.reveal.seed == deal.seed  # type: ignore[union-attr]


def _seen(layout: Layout, present: set[int], faces: Sequence[Face]) -> set[tuple[int, Face]]:
    """The tiles that nothing lies on, with their faces: a plain scan."""
    there = [layout.tiles[tile] for tile in present]
    found = set()
    for tile in present:
        x, y, z = layout.tiles[tile]
        if not any(h > z and abs(a - x) < 2 and abs(b - y) < 2 for a, b, h in there):
            found.add((tile, faces[tile]))
    return found


async def test_no_byte_of_a_race_tells_more_than_was_known_then(database_url: str) -> None:
    """Two persons and a CPU player, on boards of a group; pairs, hints, touches, one gives up."""
    async with races_served(database_url, spectate_delay_s=DELAY_S) as track:
        ana, ben, spectator = RacePlayer(track.edge), RacePlayer(track.edge), Spectator(track.edge)
        settings = race_pb2.RaceSettings(difficulty=race_pb2.RACE_DIFFICULTY_START)
        group = await ana.create(settings, cpu_players=[race_pb2.CPU_LEVEL_HARD])
        await ben.join(group.code)
        name = await ana.start(group.name)
        listening = spectator.listen(name, code=group.code)
        await until(lambda: bool(spectator.heard))
        track.step(seconds=3)
        await ana.get(name)
        await ben.get(name)
        for number, pair in enumerate(await track.solution(name)):
            track.step(milliseconds=700)
            await ana.remove(name, *pair)
            if number == 2:
                await ben.hint(name)
            if number % 4 == 0:
                await asyncio.sleep(0.3)
        await ben.give_up(name)
        track.step(seconds=DELAY_S + 1)
        await asyncio.wait_for(listening, 60)
        recorded = await track.database.store.load(UUID(name.removeprefix("matches/")))
        facts = [RaceCodec().decode(event) for event in recorded]
        dealt = facts[0]
        assert isinstance(dealt, RaceDealt)
        deal = dealt.deals[0]

        def known(at: datetime) -> dict[int, set[tuple[int, Face]]]:
            seats = range(len(dealt.seats))
            present = {seat: set(range(deal.layout.size)) for seat in seats}
            found = {seat: _seen(deal.layout, present[seat], deal.faces) for seat in seats}
            for fact in facts[: len(known_by(recorded, at))]:
                assert not isinstance(fact, RaceBoardShuffled), "nobody was blocked"
                if isinstance(fact, RacePairRemoved):
                    present[fact.seat] -= {fact.first, fact.second}
                    found[fact.seat] |= _seen(deal.layout, present[fact.seat], deal.faces)
            return found

        _check(spectator, recorded, known, [deal.seed, deal.nonce], "sparrow.match.race_started.v1")
        assert spectator.ended_by == "MATCH_ENDED"
        acts = {move.act for update in spectator.updates() for move in update.moves}
        last = [m for m in map(match_in, spectator.heard) if m is not None][-1]
    assert {told.SPECTATE_ACT_PAIRED, told.SPECTATE_ACT_HINTED, told.SPECTATE_ACT_OUT} <= acts
    assert [result.place for result in last.race_result.results] == [1, 2, 3]
    assert last.race_result.reveals[0].seed == deal.seed


async def test_no_byte_of_a_pool_match_tells_more_than_was_known_then(database_url: str) -> None:
    """Pairs, an undo, a shuffle, a hint: faces as they lay then, of uncovered tiles alone."""
    async with pools_served(database_url, spectate_delay_s=DELAY_S) as hall:
        ana, ben = PoolPlayer(hall.edge), PoolPlayer(hall.edge)
        spectator = Spectator(hall.edge)
        for player in (ana, ben):
            await hall.give_chips(player, 1_000)
        name = await hall.gather(ana, ben)
        listening = spectator.listen(name)
        await until(lambda: bool(spectator.heard))
        await hall.countdown(name, ana)
        hall.step(seconds=3)
        game = await ana.game(name)
        pairs = await hall.pool_solution(name)
        version = game.board.board_version
        for number, pair in enumerate(pairs[:10]):
            hall.step(milliseconds=600)
            await ana.remove(name, *pair, version + number)
            await asyncio.sleep(0.05)
        await ana.undo(name, version + 10)
        await ana.hint(name, version + 11)
        await ana.shuffle(name, version + 12)
        assert (await ben.hint(name, 0)).outcome == pool_pb2.POOL_OUTCOME_HINTED
        await asyncio.sleep(0.6)
        for player in (ana, ben):
            await player.leave_pool(name)
        hall.step(seconds=DELAY_S + 1)
        await asyncio.wait_for(listening, 60)
        recorded = await hall.database.store.load(UUID(name.removeprefix("matches/")))
        facts = [PoolCodec().decode(event) for event in recorded]
        dealt = facts[0]
        assert isinstance(dealt, PoolDealt)
        deal = dealt.deal

        def known(at: datetime) -> dict[int, set[tuple[int, Face]]]:
            present = {seat: set(range(deal.layout.size)) for seat in (0, 1)}
            faces = dict.fromkeys((0, 1), deal.faces)
            found = {seat: _seen(deal.layout, present[seat], deal.faces) for seat in (0, 1)}
            for fact in facts[: len(known_by(recorded, at))]:
                match fact:
                    case PoolPairRemoved(seat=seat, first=first, second=second):
                        present[seat] -= {first, second}
                    case PoolPairUndone(seat=seat, first=first, second=second):
                        present[seat] |= {first, second}
                    case PoolShuffled(seat=seat, faces=shuffled):
                        faces[seat] = shuffled
                    case _:
                        continue
                found[seat] |= _seen(deal.layout, present[seat], faces[seat])
            return found

        _check(spectator, recorded, known, [deal.seed, deal.nonce], "sparrow.match.pool_started.v1")
    acts = [move.act for update in spectator.updates() for move in update.moves]
    last = [m for m in map(match_in, spectator.heard) if m is not None][-1]
    assert spectator.ended_by == "MATCH_ENDED"
    assert acts.count(told.SPECTATE_ACT_PAIRED) == 10
    assert {told.SPECTATE_ACT_UNDONE, told.SPECTATE_ACT_SHUFFLED, told.SPECTATE_ACT_HINTED} <= set(acts)
    assert last.pool_result.reveal.seed == deal.seed


def test_messages_have_no_field_that_could_hold_a_hidden_face() -> None:
    """Faces stand in boards as VisibleFace alone; results are those of the contracts of players."""
    texts_of = {
        message.name: {f.name for f in message.fields if f.type == f.TYPE_STRING}
        for message in told.DESCRIPTOR.message_types_by_name.values()
    }
    assert {name: fields for name, fields in texts_of.items() if fields} == {
        "LiveMatch": {"name", "players"},
        "SpectatedMatch": {"name"},
        "SpectatedSeat": {"player"},
    }
    assert {f.name for f in pb.SpectateResponse.DESCRIPTOR.fields if f.type == f.TYPE_STRING} == {
        "resume_token"
    }
