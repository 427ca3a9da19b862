"""Tables of tournaments over real calls: begun once, played like any round, cut, told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from libs.pb.sparrow.match.v1 import history_pb2, match_pb2, spectate_pb2
from libs.pb.sparrow.match.v1 import history_service_pb2 as history
from libs.pb.sparrow.match.v1 import tournament_match_service_pb2 as pb
from libs.pb.sparrow.match.v1.history_service_pb2_grpc import HistoryServiceStub
from libs.pb.sparrow.match.v1.tournament_match_service_pb2_grpc import TournamentMatchServiceStub
from services.match.domain.rivals.match_events import TournamentMatchEnded
from tests.support.edge import START, refused
from tests.support.round_player import Hall, RoundPlayer, quick_matches_served
from tests.support.spectators import Spectator
from tests.support.tournament_hall import TournamentRound, begin, cut, end_of, round_of
from tests.support.waiting import until

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
async def hall(database_url: str) -> AsyncIterator[Hall]:
    """The served game."""
    async with quick_matches_served(database_url) as served:
        yield served


def people(hall: Hall, number: int) -> list[RoundPlayer]:
    """So many players."""
    return [RoundPlayer(hall.edge) for _ in range(number)]


async def over(hall: Hall, match_id: UUID, within_s: float = 30.0) -> TournamentMatchEnded:
    """What the tournament is told, once the match is over by itself."""
    async with asyncio.timeout(within_s):
        while (end := await end_of(hall, match_id)) is None:  # noqa: ASYNC110 nothing tells it here
            await asyncio.sleep(0.02)
    return end


async def test_tables_of_four_three_and_two_are_played_and_told(hall: Hall) -> None:
    """Each its own deal and end; players find theirs among their matches; no account points are paid."""
    nine = people(hall, 9)
    played = round_of(hall, nine[:4], nine[4:7], nine[7:], number=2)
    await begin(hall, played)
    listed = (await nine[4].matches()).matches
    counting = await nine[4].get(played.names[1])
    hall.step(seconds=3)
    pairs = await hall.solution(played.names[1])
    won = await nine[5].clear_board(played.names[1], pairs)
    end = await end_of(hall, played.match_ids[1])
    mine = (await nine[6].matches()).matches[0]

    assert [match.name for match in listed] == [played.names[1]]
    assert counting.mode == listed[0].mode == match_pb2.MODE_TOURNAMENT
    assert counting.tournament_table == listed[0].tournament_table
    assert counting.tournament_table.tournament == f"tournaments/{played.tournament_id}"
    assert counting.tournament_table.round_number == 2
    assert (counting.state, len(counting.board.faces)) == (match_pb2.MATCH_STATE_COUNTDOWN, 0)
    assert won.state == match_pb2.MATCH_STATE_OVER
    assert won.round_result.ending == match_pb2.ROUND_ENDING_CLEARED
    assert not won.HasField("rematch_offer")
    assert not any(seat.points for seat in won.round_result.seats)
    assert end is not None
    assert (end.tournament_id, end.round_number, end.cut) == (played.tournament_id, 2, False)
    assert end.accounts == tuple(player.account_id for player in nine[4:7])
    assert [(seat.cleared, acted) for seat, acted in zip(end.ends, end.acted, strict=True)] == [
        *[(False, False), (True, True), (False, False)],
    ]
    assert (mine.state, mine.round_result.ending) == (
        *(match_pb2.MATCH_STATE_OVER, match_pb2.ROUND_ENDING_CLEARED),
    )
    assert await end_of(hall, played.match_ids[0]) is None
    assert await hall.count("SELECT count(*) FROM live_seat") == 6


async def test_who_does_not_show_up_holds_a_seat_and_scores_0(hall: Hall) -> None:
    """Out 20 s after the signal; the table is over when all are, without anybody's call."""
    played = round_of(hall, people(hall, 2))
    await begin(hall, played)
    hall.step(seconds=24)
    end = await over(hall, played.match_ids[0])

    assert (end.cut, end.acted) == (False, (False, False))
    assert [seat.round_score for seat in end.ends] == [0, 0]
    assert await hall.count("SELECT count(*) FROM live_seat") == 0
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_a_call_that_is_made_again_begins_nothing_twice(hall: Hall) -> None:
    """The same tables as often as one likes; what is new among them begins; other contents are refused."""
    six = people(hall, 6)
    first = round_of(hall, six[:4])
    both = TournamentRound(
        first.ends_at,
        [*first.tables, [player.account_id for player in six[4:]]],
        tournament_id=first.tournament_id,
        match_ids=[*first.match_ids, *round_of(hall, six[4:]).match_ids],
    )
    await asyncio.gather(*(begin(hall, first) for _ in range(3)))
    await begin(hall, both)
    await asyncio.gather(*(begin(hall, both) for _ in range(3)))
    others = [
        replace(first, number=2),
        replace(first, tournament_id=uuid4()),
        replace(first, ends_at=first.ends_at + timedelta(milliseconds=1)),
        replace(first, limit=timedelta(minutes=4)),
        replace(first, tables=[first.tables[0][::-1]]),
    ]
    for other in others:
        assert (await refused(begin(hall, other))).reason == "KEY_REUSED"

    assert await hall.count("SELECT count(*) FROM match_round") == 2
    assert await hall.count("SELECT count(*) FROM event WHERE type = 'sparrow.match.round_dealt.v1'") == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 6


async def test_the_end_of_the_tournament_cuts_tables_by_itself(hall: Hall) -> None:
    """At its instant, whatever was played; nobody calls."""
    four = people(hall, 4)
    played = round_of(hall, four[:2], four[2:], ends_at=hall.edge.clock.now() + timedelta(seconds=10))
    await begin(hall, played)
    hall.step(seconds=3)
    name = played.names[0]
    pairs = await hall.solution(name)
    stream = four[1].listen(name)
    await until(lambda: bool(four[1].heard))
    scored = await four[0].take(name, *pairs[0], 0)
    hall.step(seconds=8)
    ends = [await over(hall, match_id) for match_id in played.match_ids]
    late = await refused(four[0].take(name, *pairs[1], scored.board_version))
    await asyncio.wait_for(stream, 10)
    seen = list(four[1].updates())[-1]

    assert all(end.cut and end.occurred_at == played.ends_at for end in ends)
    assert ends[0].ends[0].round_score == scored.own_round.round_score > 0
    assert [end.acted for end in ends] == [(True, False), (False, False)]
    assert late.reason == "MATCH_ENDED"
    assert seen.round_result.ending == match_pb2.ROUND_ENDING_CUT


@pytest.mark.parametrize("ends_at", [START - timedelta(minutes=1), START, datetime(1, 1, 1, tzinfo=UTC)])
async def test_a_round_that_begins_after_the_end_is_over_at_once(hall: Hall, ends_at: datetime) -> None:
    """A scheduler that was down over the end is told so all the same."""
    played = round_of(hall, people(hall, 3), ends_at=ends_at)
    await begin(hall, played)
    end = await over(hall, played.match_ids[0])

    assert (end.cut, end.acted) == (True, (False, False, False))
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_an_operator_cuts_what_is_played_and_learns_what_has_not_begun(hall: Hall) -> None:
    """Once: a repeat changes nothing; what was over before stays as it was."""
    six = people(hall, 6)
    played = round_of(hall, six[:2], six[2:4], six[4:])
    await begin(hall, played)
    hall.step(seconds=3)
    await six[0].clear_board(played.names[0], await hall.solution(played.names[0]))
    await six[2].take(played.names[1], *(await hall.solution(played.names[1]))[0], 0)
    unknown, now = uuid4(), hall.edge.clock.now()
    first = await cut(hall, [*played.match_ids, unknown], now)
    hall.step(seconds=30)
    again = await cut(hall, [*played.match_ids, unknown], now)
    ends = [await end_of(hall, match_id) for match_id in played.match_ids]

    assert first == again == [str(unknown)]
    assert [end and end.cut for end in ends] == [False, True, True]
    assert [end and end.occurred_at for end in ends] == [now, now, now]
    assert [end and end.ends[0].cleared for end in ends] == [True, False, False]
    assert await hall.count("SELECT count(*) FROM timer") == 0


async def test_a_tournament_may_end_as_late_as_can_be_told(hall: Hall) -> None:
    """Its tables end by themselves."""
    last = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
    played = round_of(hall, people(hall, 2), ends_at=last, limit=timedelta(days=1))
    await begin(hall, played)
    hall.step(seconds=24)

    assert not (await over(hall, played.match_ids[0])).cut


async def test_a_cut_in_the_future_is_a_cut_now(hall: Hall) -> None:
    """A clock that is ahead lets nobody play on."""
    played = round_of(hall, people(hall, 2))
    await begin(hall, played)
    now = hall.edge.clock.now()
    await cut(hall, played.match_ids, now + timedelta(seconds=5))
    end = await end_of(hall, played.match_ids[0])

    assert end is not None
    assert (end.cut, end.occurred_at) == (True, now)


async def test_jokers_work_at_tables_of_tournaments(hall: Hall) -> None:
    """Two a round, worth 100 each."""
    ana, ben = people(hall, 2)
    await hall.grant_jokers(ana, 2)
    played = round_of(hall, [ana, ben])
    await begin(hall, played)
    hall.step(seconds=3)
    name = played.names[0]
    first, _second = (await hall.solution(name))[0]
    lifted = await ana.touch(name, first, 0)
    used = await ana.use_joker(name, lifted.board_version)

    assert (used.outcome, used.worth) == (match_pb2.TOUCH_OUTCOME_JOKER, 100)
    assert await hall.jokers(ana) == 1


async def test_tables_that_are_over_are_told_again_from_their_events(hall: Hall) -> None:
    """To those who played; the limit is the tournament's."""
    ana, ben = people(hall, 2)
    played = round_of(hall, [ana, ben], limit=timedelta(seconds=15))
    await begin(hall, played)
    name = played.names[0]
    hall.step(seconds=3)
    pairs = await hall.solution(name)
    await ana.take(name, *pairs[0], 0)
    hall.step(seconds=16)
    end = await over(hall, played.match_ids[0])
    stub: Any = HistoryServiceStub(hall.edge.channel)
    listed = await stub.ListPlayedGames(
        history.ListPlayedGamesRequest(mode=match_pb2.MODE_TOURNAMENT), metadata=ben.metadata
    )
    replay: history_pb2.MatchReplay = (
        await stub.GetMatchReplay(history.GetMatchReplayRequest(name=name), metadata=ben.metadata)
    ).replay

    assert end.occurred_at - played.ends_at < timedelta()
    assert [game.name for game in listed.games] == [name]
    assert listed.games[0].match.limit_ms == 15_000
    assert replay.mode == match_pb2.MODE_TOURNAMENT
    assert [step.player for step in replay.steps] == [ana.name]


async def test_spectators_find_tables_by_their_mode(hall: Hall) -> None:
    """Once the delay has passed; who sits there does not."""
    ana, ben = people(hall, 2)
    played = round_of(hall, [ana, ben])
    await begin(hall, played)
    spectator, seated = Spectator(hall.edge), Spectator(hall.edge, ana.account_id)
    before = await spectator.names(mode=spectate_pb2.SPECTATE_MODE_TOURNAMENT)
    hall.step(seconds=31)
    live = (await spectator.live(spectate_pb2.SPECTATE_MODE_TOURNAMENT)).matches

    assert before == []
    assert [(match.name, len(match.players)) for match in live] == [(played.names[0], 2)]
    assert await seated.names() == []
    assert await spectator.names(mode=spectate_pb2.SPECTATE_MODE_ARENA) == []
    assert (await refused(seated.watch(played.names[0]).read())).reason == "SPECTATOR_SEATED"


async def test_the_tournament_service_alone_begins_and_cuts(hall: Hall) -> None:
    """Players and operators have other calls."""
    played = round_of(hall, people(hall, 2))
    stub: Any = TournamentMatchServiceStub(hall.edge.channel)
    cutting = pb.CutTournamentMatchesRequest(match_ids=map(str, played.match_ids))
    cutting.cut_time.FromDatetime(played.ends_at)
    for metadata in (hall.edge.as_player(), hall.edge.as_operator()):
        assert (await refused(stub.BeginTournamentMatches(played.request, metadata=metadata))).reason == (
            "AUDIENCE"
        )
        assert (await refused(stub.CutTournamentMatches(cutting, metadata=metadata))).reason == "AUDIENCE"


async def test_what_no_round_can_be_is_refused_by_the_field(hall: Hall) -> None:
    """Nothing begins."""
    ana, ben, cem = people(hall, 3)
    good = round_of(hall, [ana, ben])
    five = round_of(hall, people(hall, 5))
    wrong: list[tuple[TournamentRound, str]] = [
        (replace(good, number=0), "round_number"),
        (replace(good, limit=timedelta()), "round_limit"),
        (replace(good, limit=timedelta(days=2)), "round_limit"),
        (replace(good, match_ids=[uuid4()]), "tables.match_id"),
        (round_of(hall, [ana]), "tables.account_ids"),
        (five, "tables.account_ids"),
        (round_of(hall, [ana, ana]), "tables"),
        (round_of(hall, [ana, ben], [ben, cem]), "tables"),
        (round_of(hall, [ana, ben], [cem, cem], match_ids=[good.match_ids[0]] * 2), "tables"),
        (round_of(hall, *(people(hall, 2) for _ in range(129))), "tables"),
    ]
    for each, field in wrong:
        told = await refused(begin(hall, each))
        assert (told.reason, told.metadata["field"]) == ("FIELD_INVALID", field)

    assert await hall.count("SELECT count(*) FROM match_round") == 0


async def test_a_table_can_be_asked_for_before_it_has_begun(hall: Hall) -> None:
    """The tournament tells its name when it seats the round: too early is no answer for ever."""
    ana, ben = people(hall, 2)
    played = round_of(hall, [ana, ben])
    early = await refused(ana.get(played.names[0]))
    await begin(hall, played)

    assert early.reason == "NOT_FOUND"
    assert (await ana.get(played.names[0])).mode == match_pb2.MODE_TOURNAMENT
