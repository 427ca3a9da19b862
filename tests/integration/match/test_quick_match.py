"""Quick matches of two real clients, from the tickets to the points."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta

import grpc
import pytest

from libs.pb.sparrow.match.v1 import match_pb2
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe, deal_recipe
from services.match.domain.rivals.events import ClockPaused, RoundStarted, SeatRemovedPair
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(120)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


@pytest.fixture
def ana(hall: Hall) -> RoundPlayer:
    """A player."""
    return RoundPlayer(hall.edge)


@pytest.fixture
def ben(hall: Hall) -> RoundPlayer:
    """Another player."""
    return RoundPlayer(hall.edge)


async def test_nothing_is_shown_and_nothing_can_be_done_before_the_signal(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """The snapshot holds places, opponent and commitment, and no face; commands are refused by name."""
    name = await hall.meet(ana, ben)
    seen = await ana.get(name)
    refusals = [
        await refused(ana.touch(name, 0, 0)),
        await refused(ana.put_back(name, 0)),
        await refused(ana.use_joker(name, 0)),
        await refused(ana.leave(name)),
    ]

    assert seen.state == match_pb2.MATCH_STATE_COUNTDOWN
    assert (seen.mode, seen.limit_ms) == (match_pb2.MODE_QUICK_MATCH, 300_000)
    assert len(seen.board.present) == len(seen.board.layout.tiles) > 0
    assert not seen.board.faces
    assert len(seen.commitment) == 32
    assert [(o.player, o.tiles_left) for o in seen.opponents] == [(ben.name, len(seen.board.present))]
    assert {r.reason for r in refusals} == {"NOT_STARTED"}
    assert {r.code for r in refusals} == {grpc.StatusCode.FAILED_PRECONDITION}


async def test_the_signal_shows_the_faces_to_those_who_watch(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Three seconds after the deal, without anybody's doing, the same to both."""
    name = await hall.meet(ana, ben)
    listening = [ana.listen(name), ben.listen(name)]
    await until(lambda: bool(ana.heard and ben.heard))
    hall.step(milliseconds=2_999)
    await asyncio.sleep(0.3)
    assert len(ana.heard) == 1
    hall.step(milliseconds=1)
    await until(lambda: len(ana.heard) == len(ben.heard) == 2)
    signal = next(ana.updates())
    for task in listening:
        task.cancel()
    facts = await hall.facts(name)

    assert signal.uncovered == next(ben.updates()).uncovered
    assert signal.state == match_pb2.MATCH_STATE_RUNNING
    assert 0 < len(signal.uncovered) < signal.tiles_left
    assert isinstance(facts[1], RoundStarted)
    assert (facts[1].occurred_at - facts[0].occurred_at).total_seconds() == 3


async def test_the_first_clear_wins_twenty_points(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """The game ends for both at once; result, reveal, rows, seats and timers follow in the same commit."""
    name = await hall.begin(ana, ben)
    listening = ben.listen(name)
    await ben.touch(name, (await hall.solution(name))[0][0], 0)
    last = await ana.clear_board(name, await hall.solution(name))
    await asyncio.wait_for(listening, 10)
    late = await refused(ben.put_back(name, 1))
    result = last.round_result

    assert last.state == match_pb2.MATCH_STATE_OVER
    assert result.ending == match_pb2.ROUND_ENDING_CLEARED
    by_player = {seat.player: seat for seat in result.seats}
    assert (by_player[ana.name].place, by_player[ana.name].cleared, by_player[ana.name].points) == (
        1,
        True,
        20,
    )
    assert (by_player[ben.name].place, by_player[ben.name].cleared, by_player[ben.name].points) == (
        2,
        False,
        0,
    )
    assert ben.heard[-1].end.reason == "MATCH_ENDED"
    assert ben.heard[-2].update.round_result == result
    assert late.reason == "MATCH_ENDED"
    assert (await ana.get(name)).round_result == (await ben.get(name)).round_result == result
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0
    ended = "SELECT count(*) FROM event WHERE type = 'sparrow.match.quick_match_ended.v1'"
    assert await hall.count(ended) == 1


async def test_the_reveal_opens_the_commitment(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Anybody can compute the hash that was published before, and deal the same board."""
    name = await hall.meet(ana, ben)
    promised = (await ben.get(name)).commitment
    hall.step(seconds=3)
    deal = await hall.deal(name)
    await ana.leave(name)
    reveal = (await ben.leave(name)).round_result.reveal
    layout = reveal.layout.removeprefix("layouts/")
    made = Recipe(layout, reveal.distinct_faces)

    assert commitment(reveal.nonce, reveal.catalogue_version, made, reveal.seed) == promised
    assert deal_recipe(made, reveal.seed).faces == deal.faces
    fields = (reveal.nonce, b"%d" % reveal.catalogue_version, layout.encode(), b"%d" % reveal.distinct_faces)
    by_hand = b"".join(len(part).to_bytes(4) + part for part in (*fields, reveal.seed))
    assert hashlib.sha256(by_hand).digest() == promised


async def test_twenty_seconds_without_a_pair_put_a_player_out(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """By the timer alone; the other goes on; once both are out the better score has won 15 points."""
    name = await hall.begin(ana, ben)
    pairs = await hall.solution(name)
    hall.step(seconds=15)
    version = (await ana.take(name, *pairs[0], 0)).board_version
    listening = ben.listen(name)
    await until(lambda: bool(ben.heard))
    hall.step(seconds=5, milliseconds=100)
    await until(lambda: any(u.own_round.out for u in ben.updates()))
    assert (await refused(ben.touch(name, 0, 0))).reason == "SEAT_OUT"
    await ana.take(name, *pairs[1], version)
    hall.step(seconds=21)
    await asyncio.wait_for(listening, 10)
    result = (await ana.get(name)).round_result

    assert result.ending == match_pb2.ROUND_ENDING_ALL_OUT
    assert {s.player: s.points for s in result.seats} == {ana.name: 15, ben.name: 0}


async def test_nobody_wins_where_nobody_scored(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """All scores 0: no points, and the match is over all the same."""
    name = await hall.begin(ana, ben)
    hall.step(seconds=21)
    result = (await ana.get(name)).round_result

    assert [(s.place, s.points) for s in result.seats] == [(1, 0), (1, 0)]


async def test_a_tie_pays_nobody(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Equal scores share the first place."""
    name = await hall.begin(ana, ben)
    pair = (await hall.solution(name))[0]
    first = await ana.take(name, *pair, 0)
    second = await ben.take(name, *pair, 0)
    await ana.leave(name)
    result = (await ben.leave(name)).round_result

    assert first.worth == second.worth > 0
    assert [(s.place, s.points) for s in result.seats] == [(1, 0), (1, 0)]


async def test_leaving_keeps_the_score(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Who left may still win; a repeat of leaving gets the first answer."""
    name = await hall.begin(ana, ben)
    await ana.take(name, *(await hall.solution(name))[0], 0)
    first, second = await ana.leave(name, "once"), await ana.leave(name, "once")
    assert first == second
    assert first.own_round.out == match_pb2.OUT_REASON_LEFT
    assert first.state == match_pb2.MATCH_STATE_RUNNING
    result = (await ben.leave(name)).round_result

    assert {s.player: s.points for s in result.seats} == {ana.name: 15, ben.name: 0}


async def test_pairs_tell_what_they_are_worth(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Every pair's worth adds up to the score, and its verdict stands in the log."""
    name = await hall.begin(ana, ben)
    version, total = 0, 0
    for pair in (await hall.solution(name))[:4]:
        hall.step(seconds=2)
        taken = await ana.take(name, *pair, version)
        version, total = taken.board_version, total + taken.worth
        assert taken.own_round.round_score == total
        assert {1: 100, 2: 200, 3: 300}[taken.pair_kind] == taken.worth
    removed = [fact for fact in await hall.facts(name) if isinstance(fact, SeatRemovedPair)]

    assert [fact.took_ms for fact in removed] == [2_000] * 4
    assert all(fact.verdict.kernel and not fact.verdict.undecided for fact in removed)


async def test_a_repeated_touch_gets_the_first_answer(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Even after the game has gone on."""
    name = await hall.begin(ana, ben)
    first, second = (await hall.solution(name))[0]
    lifted = await ana.touch(name, first, 0, "lift")
    paired = await ana.touch(name, second, 1, "pair")

    assert await ana.touch(name, first, 0, "lift") == lifted
    assert await ana.touch(name, second, 1, "pair") == paired


async def test_strangers_see_nothing(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """A match is for those who sit in it."""
    name, eve = await hall.begin(ana, ben), RoundPlayer(hall.edge)
    calls = (
        eve.get(name),
        eve.touch(name, 0, 0),
        eve.leave(name),
        eve.use_joker(name, 0),
        eve.watch(name).read(),
    )

    assert {(await refused(call)).reason for call in calls} == {"NOT_YOURS"}


async def test_a_level_is_not_restarted_in_a_quick_match(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """The mode knows no such command."""
    name = await hall.begin(ana, ben)

    assert (await refused(ana.restart(name))).reason == "NOT_IN_MODE"


async def test_quick_matches_are_listed_among_ones_own(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Newest first, with how they ended; pages go through all."""
    name = await hall.begin(ana, ben)
    [running] = (await ana.matches()).matches
    await ana.leave(name)
    await ben.leave(name)
    hall.step(seconds=1)
    again = await hall.meet(ben, ana)
    page = await ana.matches(size=1)
    rest = await ana.matches(size=1, token=page.next_page_token)

    assert (running.name, running.state) == (name, match_pb2.MATCH_STATE_RUNNING)
    assert [page.matches[0].name, rest.matches[0].name] == [again, name]
    assert rest.matches[0].state == match_pb2.MATCH_STATE_OVER
    assert rest.matches[0].round_result.ending == match_pb2.ROUND_ENDING_ALL_OUT
    assert rest.matches[0].opponents[0].player == ben.name
    assert not rest.next_page_token


async def test_nobody_loses_time_to_an_outage(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """The 20 seconds and the clock leave it out."""
    name = await hall.begin(ana, ben)
    await ana.get(name)
    began = (await hall.facts(name))[1].occurred_at
    hall.step(seconds=10)
    await hall.database.pool.execute(
        "INSERT INTO outage (from_at, to_at) VALUES ($1, $2)", began, hall.edge.clock.now()
    )
    await asyncio.sleep(1.2)  # the next beats tell it
    hall.step(seconds=19)
    seen = await ana.get(name)
    [pause] = [fact for fact in await hall.facts(name) if isinstance(fact, ClockPaused)]

    assert (pause.until - pause.since).total_seconds() == 10
    assert seen.state == match_pb2.MATCH_STATE_RUNNING
    assert seen.elapsed_ms == 19_000
    hall.step(seconds=1, milliseconds=1)
    assert (await ana.get(name)).state == match_pb2.MATCH_STATE_OVER


async def test_an_outage_that_is_told_late_is_taken_out_all_the_same(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Its end lies before what was settled already: the clocks are moved on, and the round goes on."""
    name = await hall.begin(ana, ben)
    await ana.take(name, *(await hall.solution(name))[0], 0)
    hall.step(seconds=20)
    assert (await ben.get(name)).state == match_pb2.MATCH_STATE_OVER
    again = await hall.begin(ana, ben)
    began = hall.edge.clock.now()
    hall.step(seconds=15)
    await ana.take(again, *(await hall.solution(again))[0], 0)
    hall.step(seconds=5)
    assert (await ben.get(again)).own_round.out == match_pb2.OUT_REASON_IDLE
    told = "INSERT INTO outage (from_at, to_at) VALUES ($1, $2)"
    await hall.database.pool.execute(told, began + timedelta(seconds=8), began + timedelta(seconds=12))
    await asyncio.sleep(1.2)
    seen = await ana.get(again)
    pauses = [fact for fact in await hall.facts(again) if isinstance(fact, ClockPaused)]

    assert [(p.until - p.since).total_seconds() for p in pauses] == [4]
    assert seen.state == match_pb2.MATCH_STATE_RUNNING
    assert seen.elapsed_ms == 16_000


async def test_no_two_matches_get_one_deal(hall: Hall) -> None:
    """Each has a seed, a commitment and a board of its own."""
    players = [RoundPlayer(hall.edge) for _ in range(12)]
    names = [await hall.meet(*pair) for pair in zip(players[::2], players[1::2], strict=True)]
    deals = [await hall.deal(name) for name in names]

    assert len({deal.seed for deal in deals}) == len({deal.commitment for deal in deals}) == 6
    assert await hall.count("SELECT count(*) FROM round_deal") == 6
    assert {1 <= deal.level <= 10_000 for deal in deals} == {True}
