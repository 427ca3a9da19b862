"""Races and games of the pool are told step by step, from the events, as they stand in the histories."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from libs.eventsourcing.envelope import RecordedEvent
from libs.pb.sparrow.match.v1 import history_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2, pool_pb2, race_pb2
from services.match.domain.history.pools import pool_story
from services.match.domain.history.races import race_story
from services.match.domain.pauses import Outage
from services.match.domain.pool.dealing import certificate_of, deal_pool
from services.match.domain.race.commands import Cpu
from services.match.domain.race.terms import CpuLevel
from services.match.wire.history_listing import accounts_of, is_over, kind_of, listed_by, played_game
from services.match.wire.history_pools import pool_replay
from services.match.wire.history_races import race_replay
from services.match.wire.pool_codec import PoolCodec
from services.match.wire.race_codec import RaceCodec
from tests.support.attempts import ANA, BEN, after
from tests.support.pools import SEED, PoolTable
from tests.support.race_table import PILE, RACE, SIX, RaceTable, race_deal

GAME = UUID(int=0x55)
MS = 3_000


def _player(account: UUID) -> str:
    return f"players/{account}"


def _race() -> RaceTable:
    """Ana clears after an outage, Ben gives up with a pair to take, a CPU player takes one."""
    table = RaceTable.begun([ANA, BEN], SIX, cpu=[CpuLevel.HARD])
    table.remove(1_000, ANA, 0, 1)
    table.touch(1_100, BEN, 4)
    table.remove(1_200, BEN, 0, 2)
    table.hint(1_300, BEN)
    table.remove(1_400, Cpu(2), 0, 1)
    table.outages = (Outage(table.at(2_000), table.at(12_000)),)
    table.until(12_000)
    table.come_back(12_500, ANA)
    table.remove(13_000, ANA, 2, 3)
    table.give_up(13_500, BEN)
    table.remove(14_000, ANA, 4, 5)
    return table


def test_a_race_is_told_with_progress_and_the_classes_of_its_placing() -> None:
    """Times leave the outage out; of a pair it is told how long it took."""
    told = race_replay(RACE, race_story(_race().events), 0, 100)
    own = [step for step in told.steps if step.player == _player(ANA) and step.HasField("pair")]

    assert (told.mode, told.race_ending) == (match_pb2.MODE_RACE, race_pb2.RACE_ENDING_ALL_DONE)
    assert [(step.at_ms, step.pair.took_ms, step.progress_percent) for step in own] == [
        (1_000, 1_000, 33),
        (3_000, 2_000, 66),
        (4_000, 1_000, 100),
    ]
    assert [(seat.player, seat.race_result.place, seat.race_result.finish) for seat in told.seats] == [
        (_player(ANA), 1, race_pb2.RACE_FINISH_WITHIN_LIMIT),
        (_player(BEN), 3, race_pb2.RACE_FINISH_GIVEN_UP),
        ("", 2, race_pb2.RACE_FINISH_UNFINISHED),
    ]
    assert [visible.face for visible in told.faces] == list(SIX.faces)
    assert told.race_settings.hints == 3


def test_touches_hints_and_news_of_a_race_are_told() -> None:
    """A touch that does not match, a hint with how many are left, coming back, giving up too early."""
    steps = race_replay(RACE, race_story(_race().events), 0, 100).steps
    of_ben = [step for step in steps if step.player == _player(BEN)]

    assert [step.WhichOneof("what") for step in of_ben] == ["touch", "touch", "hint", "news", "news"]
    assert (of_ben[0].touch.tile, of_ben[1].touch.not_same) == (4, True)
    assert (list(of_ben[2].hint.faces), of_ben[2].hint.left) == (["1m", "1m"], 2)
    assert [step.news for step in of_ben[3:]] == [pb.RACE_NEWS_BACK, pb.RACE_NEWS_GAVE_UP]
    assert [step.seat for step in steps if not step.player] == [2]


def test_a_shuffle_of_a_race_is_told_with_the_board_after_it() -> None:
    """And with how many are left."""
    table = RaceTable.begun([ANA, BEN], race_deal(PILE, "1m 2m 2m 1m", [(1, 3), (0, 2)]))
    table.shuffle(1_000, ANA)
    shuffled = table.racer(0).board
    table.give_up(2_000, ANA)
    table.give_up(2_000, BEN)
    [step, *_] = race_replay(RACE, race_story(table.events), 0, 100).steps

    assert {each.tile: each.face for each in step.shuffle.faces} == {
        tile: face for tile, face in enumerate(shuffled.faces) if shuffled.present >> tile & 1
    }
    assert step.shuffle.left == 2


def test_pages_go_on_where_the_one_before_ended_and_only_the_first_tells_the_board() -> None:
    """Of races as of the pool."""
    race, game = race_story(_race().events), pool_story(_pool().events)
    whole = [race_replay(RACE, race, 0, 100).steps, pool_replay(GAME, game, 0, 100).steps]
    first = [race_replay(RACE, race, 0, 3), pool_replay(GAME, game, 0, 3)]
    second = [race_replay(RACE, race, 3, 100), pool_replay(GAME, game, 3, 100)]

    for one, other, steps in zip(first, second, whole, strict=True):
        assert [*one.steps, *other.steps] == list(steps)
        assert (len(one.seats), len(other.seats), len(other.faces)) == (len(one.seats), 0, 0)


def _pool() -> PoolTable:
    table = PoolTable(deal_pool(SEED, SEED), (ANA, BEN)).started()
    first, second = certificate_of(SEED)[:2]
    table.pair(*first, ms=4_000)
    table.shuffle(ms=5_000)
    table.undo(ms=6_000)
    table.hint(ms=7_000)
    table.pair(*first, seat=1, ms=8_000)
    table.pair(*second, seat=1, ms=9_500)
    table.leave(0, 10_000)
    table.leave(1, 11_000)
    return table


def test_the_pool_is_told_with_value_times_pairs_and_every_charge() -> None:
    """A pair is its set's value times the pairs on the board; help costs five times the pairs."""
    table = _pool()
    told = pool_replay(GAME, pool_story(table.events), 0, 100)
    pair, shuffle, undo, hint, of_ben, next_of_ben, *ends = told.steps

    assert (told.mode, told.stake, told.pool_ending) == (
        match_pb2.MODE_POOL,
        100,
        pool_pb2.POOL_ENDING_PLAYED,
    )
    assert pair.pair.worth == pair.pair.value * 72 == pair.round_score
    assert (shuffle.shuffle.charge, shuffle.shuffle.left, len(shuffle.shuffle.faces)) == (355, 4, 142)
    assert (undo.undo.charge, undo.undo.worth, undo.undo.left) == (355, pair.pair.worth, 4)
    assert [each.face for each in undo.undo.faces] == [each.face for each in told.faces]
    assert (hint.hint.charge, hint.hint.left, hint.round_score) == (360, 4, -355 - 355 - 360)
    assert next_of_ben.pair.worth == next_of_ben.pair.value * 71
    assert (of_ben.at_ms, next_of_ben.at_ms, next_of_ben.pair.took_ms) == (5_000, 6_500, 1_500)
    assert [step.ended for step in ends] == [pool_pb2.POOL_SEAT_ENDING_LEFT] * 2
    assert [seat.pool_result.payout for seat in told.seats] == table.payouts


def _recorded(stream_id: UUID, codec: Any, events: list[Any]) -> list[RecordedEvent]:
    recorded = []
    for version, event in enumerate(events, 1):
        part, kind, schema, data = codec.encode(event)
        at = event.occurred_at
        recorded.append(RecordedEvent(stream_id, version, part, kind, schema, at, at, ANA, None, 0, data))
    return recorded


def test_whoever_played_has_it_in_the_list() -> None:
    """Each with the own placing; CPU players have no list."""
    race = _recorded(RACE, RaceCodec(), _race().events)
    pool = _recorded(GAME, PoolCodec(), _pool().events)
    races = {account: played_game(told) for account, told in listed_by(race).items()}
    pools = {account: played_game(told) for account, told in listed_by(pool).items()}

    assert (kind_of(race), kind_of(pool), kind_of([])) == ("race", "pool", None)
    assert (is_over(race), is_over(race[:-1]), is_over(pool), is_over(pool[:-1])) == (
        True,
        False,
        True,
        False,
    )
    assert accounts_of(race) == races.keys() == {ANA, BEN}
    assert accounts_of(pool) == pools.keys()
    assert (races[BEN].race.own.place, races[BEN].race.seat_count) == (3, 3)
    assert races[ANA].start_time.ToMilliseconds() == int(after(0).timestamp() * 1_000)
    assert (pools[ANA].pool.own.player, pools[ANA].pool.stake) == (_player(ANA), 100)


def test_a_match_of_the_pool_that_never_began_has_no_steps() -> None:
    """Nobody paid."""
    table = PoolTable(deal_pool(SEED, SEED), (ANA, BEN))
    table.wait_until(6_000)
    told = pool_replay(GAME, pool_story(table.events), 0, 100)

    assert not told.steps
    assert told.pool_ending == pool_pb2.POOL_ENDING_VOID_STAKES
    assert {seat.pool_result.ending for seat in told.seats} == {pool_pb2.POOL_SEAT_ENDING_NOT_PLAYED}
