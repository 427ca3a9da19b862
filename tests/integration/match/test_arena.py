"""Arena matches of four real clients, from the tickets to the prizes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID

import pytest

from libs.pb.sparrow.match.v1 import match_pb2, ticket_pb2
from libs.rules.solitaire.commitment import commitment
from libs.rules.solitaire.levels import Recipe, deal_recipe
from services.match.domain.rivals.match_events import ArenaEnded, MatchCreated, MatchRoundEnded
from services.match.wire.match_codec import decode_match_fact
from tests.support.arena_hall import begin_arena, idle_round
from tests.support.edge import refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


@pytest.fixture
def four(hall: Hall) -> list[RoundPlayer]:
    """Four players."""
    return [RoundPlayer(hall.edge) for _ in range(4)]


async def test_three_rounds_are_played_and_the_sums_are_paid(hall: Hall, four: list[RoundPlayer]) -> None:
    """Each round on its own deal, breaks of ten seconds, one result; all of it in the log."""
    ana, ben, cat, _dan = four
    name = await begin_arena(hall, four)
    for number in (1, 2, 3):
        seen = await ana.get(name)
        assert (seen.state, seen.round_number) == (match_pb2.MATCH_STATE_RUNNING, number)
        version = seen.board.board_version
        pairs = await hall.solution(name)
        await ana.take(name, *pairs[0], version)
        if number == 2:
            version = (await ben.get(name)).board.board_version
            version = (await ben.take(name, *pairs[0], version)).board_version
            hall.step(seconds=2)
            await ben.take(name, *pairs[1], version)
        hall.step(seconds=25)
        seen = await cat.get(name)
        if number < 3:
            assert (seen.state, seen.round_number) == (match_pb2.MATCH_STATE_BREAK, number + 1)
            assert not seen.board.faces
            hall.step(seconds=10)
    over = await ana.get(name)
    facts = [
        decode_match_fact(event)
        for event in await hall.database.store.load(UUID(name.removeprefix("matches/")))
    ]

    assert (over.state, over.mode) == (match_pb2.MATCH_STATE_OVER, match_pb2.MODE_ARENA)
    assert [type(fact) for fact in facts] == [MatchCreated, *[MatchRoundEnded] * 3, ArenaEnded]
    assert [fact.next_round_id for fact in facts if isinstance(fact, MatchRoundEnded)] == [
        *(await hall.rounds(name))[1:],
        None,
    ]
    [end] = [fact for fact in facts if isinstance(fact, ArenaEnded)]
    told = {seat.player: seat for seat in over.standings}
    assert told[ana.name].score == sum(told[ana.name].round_scores)
    assert len(told[ana.name].round_scores) == 3
    assert sum(seat.points for seat in over.standings) == sum(end.points) == 140
    assert [told[player.name].points for player in four[2:]] == [10, 10]
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_each_round_has_a_fresh_deal_of_its_own(hall: Hall, four: list[RoundPlayer]) -> None:
    """Its hash is published before its signal, its seed and nonce with its end; no two are alike."""
    name, promised = await hall.meet_in_arena(four), []
    last = match_pb2.Match()
    for _ in range(3):
        promised.append((await four[1].get(name)).commitment)
        hall.step(seconds=10)
        await four[1].get(name)
        last = await idle_round(hall, four, name)
    results = [*last.earlier_rounds, last.round_result]
    opened = [
        commitment(
            reveal.nonce,
            reveal.catalogue_version,
            Recipe(reveal.layout.removeprefix("layouts/"), reveal.distinct_faces),
            reveal.seed,
        )
        for reveal in (result.reveal for result in results)
    ]

    assert opened == promised
    assert len({result.reveal.seed for result in results}) == len(set(promised)) == 3
    assert await hall.count("SELECT count(*) FROM round_deal") == 3


async def test_a_break_tells_when_the_next_round_begins_and_the_standing_so_far(
    hall: Hall, four: list[RoundPlayer]
) -> None:
    """The board lies face down, the round before is told with its reveal."""
    name = await begin_arena(hall, four)
    taken = await four[2].take(name, *(await hall.solution(name))[0], 0)
    hall.step(seconds=20)
    seen = await four[0].get(name)

    until_signal = seen.start_time.ToDatetime(hall.edge.clock.now().tzinfo) - hall.edge.clock.now()
    assert timedelta(seconds=9) < until_signal <= timedelta(seconds=10)
    assert (seen.state, seen.round_number, seen.round_count) == (match_pb2.MATCH_STATE_BREAK, 2, 3)
    assert not seen.board.faces
    assert len(seen.board.present) == len(seen.board.layout.tiles) > 0
    assert [seat.score for seat in seen.standings] == [0, 0, taken.worth, 0]
    assert [seat.place for seat in seen.standings] == [2, 2, 1, 2]
    assert not any(seat.points for seat in seen.standings)
    [earlier] = seen.earlier_rounds
    assert earlier.ending == match_pb2.ROUND_ENDING_ALL_OUT
    assert len(earlier.reveal.seed) == 32
    assert not seen.HasField("end_time")


async def test_in_a_break_and_before_the_signal_commands_are_refused_by_name(
    hall: Hall, four: list[RoundPlayer]
) -> None:
    """Nothing can be done in the first countdown; in a break one can leave, and nothing else."""
    name = await hall.meet_in_arena(four)
    first = await refused(four[0].leave(name))
    hall.step(seconds=3)
    await four[0].get(name)
    seen = await idle_round(hall, four, name)
    version = seen.board.board_version
    refusals = [
        await refused(four[0].touch(name, 0, version)),
        await refused(four[0].put_back(name, version)),
        await refused(four[0].use_joker(name, version)),
    ]
    left = await four[0].leave(name)

    assert {refusal.reason for refusal in (first, *refusals)} == {"NOT_STARTED"}
    assert left.own_round.out == match_pb2.OUT_REASON_LEFT
    assert (await refused(four[0].leave(name))).reason == "SEAT_OUT"
    assert (await refused(four[0].restart(name))).reason == "NOT_IN_MODE"


async def test_the_first_clear_ends_a_round_for_everybody(hall: Hall, four: list[RoundPlayer]) -> None:
    """The break begins at once, for those who watch too; the match goes on."""
    ana, ben, *_ = four
    name = await begin_arena(hall, four)
    listening = ben.listen(name)
    await until(lambda: bool(ben.heard))
    last = await ana.clear_board(name, await hall.solution(name))
    await until(lambda: ben.heard[-1].snapshot.round_number == 2)
    listening.cancel()

    assert last.state == match_pb2.MATCH_STATE_BREAK
    assert last.round_result.ending == match_pb2.ROUND_ENDING_CLEARED
    assert [seat.cleared for seat in last.round_result.seats if seat.player == ana.name] == [True]
    assert not any(seat.points for seat in last.round_result.seats)
    assert {seat.player: seat.score for seat in last.standings}[ana.name] == last.own_round.round_score
    assert ben.heard[-2].update.round_result == last.round_result
    assert ben.heard[-1].snapshot.state == match_pb2.MATCH_STATE_BREAK
    assert not any(message.HasField("end") for message in ben.heard)


async def test_whoever_leaves_is_placed_and_may_queue_again(hall: Hall, four: list[RoundPlayer]) -> None:
    """The rounds that follow count 0, the prize of the place is paid; the seat is free at once."""
    ana, *others = four
    name = await begin_arena(hall, four)
    await ana.take(name, *(await hall.solution(name))[0], 0)
    await ana.leave(name)
    ticket = await ana.wait(ticket_pb2.QUEUE_ARENA)
    seated = await hall.count("SELECT count(*) FROM live_seat")
    for _ in range(3):
        hall.step(seconds=21)
        await others[0].get(name)
        hall.step(seconds=10)
        await others[0].get(name)
    seen = await others[0].get(name)
    own = next(seat for seat in seen.standings if seat.player == ana.name)

    assert ticket.state == ticket_pb2.TICKET_STATE_WAITING
    assert seated == 3
    assert (own.place, own.left, own.points) == (1, True, 80)
    assert list(own.round_scores)[1:] == [0, 0]
    assert seen.state == match_pb2.MATCH_STATE_OVER
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_an_arena_that_all_have_left_is_over(hall: Hall, four: list[RoundPlayer]) -> None:
    """At once; equal sums of 0 share the prizes all the same."""
    name = await begin_arena(hall, four)
    for player in four[:3]:
        await player.leave(name)
    last = await four[3].leave(name)

    assert last.state == match_pb2.MATCH_STATE_OVER
    assert [seat.points for seat in last.standings] == [35] * 4
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_a_repeated_command_gets_the_first_answer_in_a_later_round_too(
    hall: Hall, four: list[RoundPlayer]
) -> None:
    """It is answered by what it did in its own round, and does nothing in this one."""
    name = await begin_arena(hall, four)
    first = (await hall.solution(name))[0][0]
    lifted = await four[0].touch(name, first, 0, "once")
    await idle_round(hall, four, name)
    in_the_break = await four[0].touch(name, first, 0, "once")
    hall.step(seconds=10)
    version = (await four[0].get(name)).board.board_version
    in_the_next = await four[0].touch(name, first, 0, "once")
    late = await refused(four[0].touch(name, first, 0))

    assert lifted == in_the_break == in_the_next
    assert (await four[0].get(name)).board.board_version == version > lifted.board_version
    assert late.reason == "STALE_BOARD_VERSION"


async def test_jokers_count_by_round(hall: Hall, four: list[RoundPlayer]) -> None:
    """Two in each; a repeat in a later round gets its outcome and spends nothing."""
    ana = four[0]
    await hall.grant_jokers(ana, 4)
    name = await begin_arena(hall, four)
    for number in (1, 2):
        first, second, _third = (await hall.solution(name))[:3]
        lifted = await ana.touch(name, first[0], (await ana.get(name)).board.board_version)
        used = await ana.use_joker(name, lifted.board_version, f"joker-{number}")
        again = await ana.touch(name, second[0], used.board_version)
        other = await ana.use_joker(name, again.board_version)
        third = await ana.touch(name, (await ana.get(name)).board.free_tiles[0], other.board_version)
        assert (await refused(ana.use_joker(name, third.board_version))).reason == "JOKERS_USED_UP"
        await idle_round(hall, four, name)
        assert (used.worth, other.worth) == (100, 100)
        assert await ana.use_joker(name, lifted.board_version, f"joker-{number}") == used
        hall.step(seconds=10)

    assert await hall.jokers(ana) == 0


async def test_nobody_loses_time_to_an_outage_in_a_break(hall: Hall, four: list[RoundPlayer]) -> None:
    """Ten seconds are ten seconds in which somebody served."""
    name = await begin_arena(hall, four)
    before = await idle_round(hall, four, name)
    began = hall.edge.clock.now()
    hall.step(seconds=30)
    await hall.database.pool.execute(
        "INSERT INTO outage (from_at, to_at) VALUES ($1, $2)", began, hall.edge.clock.now()
    )
    await asyncio.sleep(1.2)  # the next beats tell it
    seen = await four[0].get(name)

    assert seen.state == match_pb2.MATCH_STATE_BREAK
    late = seen.start_time.ToDatetime() - before.start_time.ToDatetime()
    assert late == timedelta(seconds=30)


async def test_arenas_are_listed_with_their_standings(hall: Hall, four: list[RoundPlayer]) -> None:
    """Among one's own matches, while they are played and when they are over."""
    name = await begin_arena(hall, four)
    await four[0].take(name, *(await hall.solution(name))[0], 0)
    [running] = (await four[0].matches()).matches
    for _ in range(3):
        await idle_round(hall, four, name)
        hall.step(seconds=10)
        await four[0].get(name)
    over = await four[0].get(name)
    [listed] = (await four[1].matches()).matches

    assert (running.name, running.mode, running.state) == (
        name,
        match_pb2.MODE_ARENA,
        match_pb2.MATCH_STATE_RUNNING,
    )
    assert not running.standings
    assert listed.state == match_pb2.MATCH_STATE_OVER
    assert len(listed.opponents) == 3
    told = [(s.player, s.place, s.score, list(s.round_scores), s.points) for s in over.standings]
    assert [(s.player, s.place, s.score, list(s.round_scores), s.points) for s in listed.standings] == told


async def test_strangers_see_nothing_of_an_arena(hall: Hall, four: list[RoundPlayer]) -> None:
    """A match is for those who sit in it, in every round."""
    name, eve = await begin_arena(hall, four), RoundPlayer(hall.edge)
    await idle_round(hall, four, name)
    calls = (eve.get(name), eve.touch(name, 0, 0), eve.leave(name), eve.watch(name).read())

    assert {(await refused(call)).reason for call in calls} == {"NOT_YOURS"}


async def test_all_four_get_the_same_deal(hall: Hall, four: list[RoundPlayer]) -> None:
    """The same faces at the same places, those of the commitment."""
    name = await begin_arena(hall, four)
    seen = [(await player.get(name)).board for player in four]
    deal = await hall.deal(name)

    assert all(board.faces == seen[0].faces for board in seen)
    assert all(deal.faces[each.tile] == each.face for each in seen[0].faces)
    assert deal_recipe(Recipe(deal.layout.name, deal.distinct_faces), deal.seed).faces == deal.faces
    assert 1 <= deal.level <= 10_000


async def test_three_who_wait_wait_on_and_a_fourth_begins_the_match(hall: Hall) -> None:
    """One ticket and one live seat per account, also over both queues."""
    players = [RoundPlayer(hall.edge) for _ in range(4)]
    for player in players[:3]:
        await player.wait(ticket_pb2.QUEUE_ARENA)
    await asyncio.sleep(0.6)
    waiting = await hall.count("SELECT count(*) FROM ticket WHERE state = 'waiting'")
    queued = await refused(players[0].wait())
    await players[3].wait(ticket_pb2.QUEUE_ARENA)
    name = await players[0].seated()
    seated = await refused(players[3].wait())

    assert waiting == 3
    assert queued.reason == "ALREADY_QUEUED"
    assert (seated.reason, seated.metadata["match"]) == ("ALREADY_SEATED", name)
