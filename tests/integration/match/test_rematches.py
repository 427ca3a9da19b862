"""Rematches of quick matches over gRPC: offered in the match itself, answered, begun, or not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.port import StoreUnavailable
from libs.pb.sparrow.match.v1 import match_pb2, rematch_pb2, ticket_pb2
from services.match.domain.rivals.match_events import MatchCreated
from services.match.watching import live
from services.match.wire.match_codec import decode_match_fact
from tests.support.edge import Refusal, refused
from tests.support.rematches import Asked
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


async def played(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> str:
    """A quick match of these two that is over."""
    name = await hall.begin(ana, ben)
    await ana.leave(name)
    await ben.leave(name)
    return name


async def created(hall: Hall, name: str) -> MatchCreated:
    """The first fact of a match."""
    first = (await hall.database.store.load(UUID(name.removeprefix("matches/"))))[0]
    fact = decode_match_fact(first)
    assert isinstance(fact, MatchCreated)
    return fact


async def test_the_end_of_a_quick_match_offers_a_rematch_in_its_stream_and_snapshot(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Until 30 s after its end; while it is played there is none."""
    name = await hall.begin(ana, ben)
    listening = ben.listen(name)
    await until(lambda: bool(ben.heard))
    early = await refused(Asked(ana, name).accept())
    await ana.leave(name)
    await ben.leave(name)
    await asyncio.wait_for(listening, 10)
    over = await ana.get(name)
    last = list(ben.updates())[-1]

    assert early.reason == "NOT_FOUND"
    assert not ben.heard[0].snapshot.HasField("rematch_offer")
    assert last.rematch_offer == over.rematch_offer
    assert over.rematch_offer.expire_time.seconds - over.end_time.seconds == 30


async def test_both_accept_and_the_same_two_play_on_a_new_deal_with_a_new_commitment(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Both hear of it at once, sit in it, and it is a quick match like the one before."""
    name = await played(hall, ana, ben)
    mine, theirs = Asked(ana, name), Asked(ben, name)
    listening = [mine.listen(), theirs.listen()]
    await until(lambda: bool(mine.heard and theirs.heard))
    waiting = await mine.accept()
    begun = await theirs.accept()
    await asyncio.wait_for(asyncio.gather(*listening), 10)
    before, after = await ana.get(name), await ana.get(begun.next_match)
    fact = await created(hall, begun.next_match)

    assert (waiting.state, begun.state) == (
        rematch_pb2.REMATCH_STATE_OPEN,
        rematch_pb2.REMATCH_STATE_BEGUN,
    )
    assert mine.end() == theirs.end() == "BEGUN"
    assert mine.heard[-2].rematch.next_match == begun.next_match
    assert after.state == match_pb2.MATCH_STATE_COUNTDOWN
    assert after.commitment != before.commitment
    assert (fact.mode, set(fact.accounts), fact.private) == (
        "quick_match",
        {ana.account_id, ben.account_id},
        False,
    )
    hall.step(seconds=3)
    solved = await ana.clear_board(begun.next_match, await hall.solution(begun.next_match))
    assert [seat.points for seat in solved.round_result.seats if seat.cleared] == [20]
    assert solved.HasField("rematch_offer")


async def test_one_no_ends_the_offer_for_both(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Whoever accepted hears who said no, and may queue."""
    name = await played(hall, ana, ben)
    mine, theirs = Asked(ana, name), Asked(ben, name)
    listening = mine.listen()
    await mine.accept()
    await theirs.decline()
    await asyncio.wait_for(listening, 10)
    told = mine.heard[-2].rematch
    late = await refused(mine.accept())

    assert mine.end() == "DECLINED"
    assert {seat.player: seat.answer for seat in told.seats} == {
        ana.name: rematch_pb2.REMATCH_ANSWER_ACCEPTED,
        ben.name: rematch_pb2.REMATCH_ANSWER_DECLINED,
    }
    assert late.reason == "REMATCH_OVER"
    assert (await ana.wait()).name


async def test_an_offer_that_one_alone_accepts_expires_30_seconds_after_the_end(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """By the server's clock; the stream tells it, and an answer then is too late."""
    name = await played(hall, ana, ben)
    mine = Asked(ana, name)
    listening = mine.listen()
    await mine.accept()
    hall.step(milliseconds=29_999)
    assert (await mine.look()).state == rematch_pb2.REMATCH_STATE_OPEN
    hall.step(milliseconds=1)
    await asyncio.wait_for(listening, 10)

    assert mine.end() == "EXPIRED"
    assert (await refused(Asked(ben, name).accept())).reason == "REMATCH_OVER"
    assert await hall.count("SELECT count(*) FROM live_seat") == 0


async def test_a_repeated_yes_gets_the_first_answer_and_begins_one_match(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """Also when the match has begun since; another body under the same id is refused."""
    name = await played(hall, ana, ben)
    mine, theirs = Asked(ana, name), Asked(ben, name)
    yes, last = str(uuid4()), str(uuid4())
    first = await mine.accept(yes)
    begun = await asyncio.gather(*(theirs.accept(last) for _ in range(4)))
    again = await mine.accept(yes)

    assert len({each.next_match for each in begun}) == 1
    assert again == first
    assert (await refused(mine.decline(yes))).reason == "REQUEST_ID_REUSED"
    assert await hall.count("SELECT count(*) FROM match_round") == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 2


async def test_both_at_once_begin_one_match(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Whoever is second begins it."""
    name = await played(hall, ana, ben)
    answers = await asyncio.gather(Asked(ana, name).accept(), Asked(ben, name).accept())
    assert sorted(bool(each.next_match) for each in answers) == [False, True]
    assert await hall.count("SELECT count(*) FROM live_seat") == 2


async def test_who_plays_or_waits_cannot_accept(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Each refusal names what is in the way."""
    name = await played(hall, ana, ben)
    carl, mine = RoundPlayer(hall.edge), Asked(ana, name)
    ticket = await ana.wait(ticket_pb2.QUEUE_ARENA)
    queued = await refused(mine.accept())
    cancel = ticket_pb2.CancelTicketRequest(name=ticket.name, request_id=str(uuid4()))
    await ana.stub.CancelTicket(cancel, metadata=ana.metadata)
    elsewhere = await hall.meet(ana, carl)
    playing = await refused(mine.accept())

    assert (queued.reason, queued.metadata["name"]) == ("ALREADY_QUEUED", ticket.name)
    assert (playing.reason, playing.metadata["match"]) == ("ALREADY_SEATED", elsewhere)


@pytest.mark.parametrize("sits", [True, False])
async def test_who_went_elsewhere_after_accepting_ends_the_offer_by_name(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer, *, sits: bool
) -> None:
    """Into another match, or a queue: nobody has two seats, and both see who was away."""
    name = await played(hall, ana, ben)
    mine, theirs = Asked(ana, name), Asked(ben, name)
    listening = mine.listen()
    await mine.accept()
    await (hall.meet(ana, RoundPlayer(hall.edge)) if sits else ana.wait(ticket_pb2.QUEUE_ARENA))
    told = await theirs.accept()
    await asyncio.wait_for(listening, 10)

    assert told.state == rematch_pb2.REMATCH_STATE_ELSEWHERE
    assert mine.end() == "ELSEWHERE"
    assert {seat.player for seat in told.seats if seat.answer == rematch_pb2.REMATCH_ANSWER_ELSEWHERE} == {
        ana.name
    }
    assert not await hall.count(f"SELECT count(*) FROM live_seat WHERE account_id = '{ben.account_id}'")
    assert (await ben.wait()).name


async def test_who_queues_while_the_rematch_begins_gets_no_ticket_beside_the_seat(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of the two sees yet what the other does: one waits for the other, and nobody has both."""
    name = await played(hall, ana, ben)
    await Asked(ana, name).accept()
    queueing: list[asyncio.Task[Refusal]] = []
    inherit = live.inherit

    async def meanwhile(connection: AsyncConnection, match_id: UUID, from_id: UUID) -> None:
        queueing.append(asyncio.create_task(refused(ana.wait(ticket_pb2.QUEUE_ARENA))))
        await asyncio.wait(queueing, timeout=0.5)
        await inherit(connection, match_id, from_id)

    monkeypatch.setattr(live, "inherit", meanwhile)
    begun = await Asked(ben, name).accept()
    no = await queueing[0]

    assert (no.reason, no.metadata["match"]) == ("ALREADY_SEATED", begun.next_match)
    assert await hall.count("SELECT count(*) FROM ticket WHERE state = 'waiting'") == 0


async def test_strangers_learn_nothing_of_an_offer(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """Neither to look nor to answer."""
    name = await played(hall, ana, ben)
    stranger = Asked(RoundPlayer(hall.edge), name)
    assert (await refused(stranger.look())).reason == "NOT_YOURS"
    assert (await refused(stranger.accept())).reason == "NOT_YOURS"
    assert (await refused(Asked(ana, f"matches/{uuid4()}").look())).reason == "NOT_FOUND"


async def test_another_device_of_the_account_sees_the_own_answer_and_the_new_match(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """The offer belongs to the account: a device that comes later goes on with it."""
    name = await played(hall, ana, ben)
    await Asked(ana, name).accept()
    tablet = Asked(RoundPlayer(hall.edge, account_id=ana.account_id), name)
    seen = await tablet.look()
    listening = tablet.listen()
    begun = await Asked(ben, name).accept()
    await asyncio.wait_for(listening, 10)

    assert seen.seats[0].answer == rematch_pb2.REMATCH_ANSWER_ACCEPTED
    assert tablet.heard[-2].rematch.next_match == begun.next_match
    assert (await ana.get(name)).HasField("rematch_offer")


async def test_a_rematch_is_no_meeting_of_the_queue_but_counts_as_the_last_match(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer
) -> None:
    """The same two play again although others wait; afterwards the queue keeps them apart."""
    name = await played(hall, ana, ben)
    carl = RoundPlayer(hall.edge)
    await carl.wait()
    await Asked(ana, name).accept()
    begun = await Asked(ben, name).accept()
    hall.step(seconds=3)
    await ana.leave(begun.next_match)
    await ben.leave(begun.next_match)
    await ana.wait()
    assert await carl.seated() == await ana.seated()


async def test_offers_are_kept_for_a_day(hall: Hall, ana: RoundPlayer, ben: RoundPlayer) -> None:
    """What came of one can be read until then."""
    name = await played(hall, ana, ben)
    await Asked(ana, name).decline()
    hall.step(hours=24)
    assert (await Asked(ben, name).look()).state == rematch_pb2.REMATCH_STATE_DECLINED


async def test_an_arena_offers_no_rematch(hall: Hall) -> None:
    """The rules name duel, race and pool."""
    four = [RoundPlayer(hall.edge) for _ in range(4)]
    name = await hall.meet_in_arena(four)
    hall.step(seconds=3)
    for player in four:
        await player.leave(name)
    over = await four[0].get(name)
    assert over.state == match_pb2.MATCH_STATE_OVER
    assert not over.HasField("rematch_offer")
    assert (await refused(Asked(four[0], name).accept())).reason == "NOT_FOUND"


@pytest.mark.parametrize("point", ["rematch.begun", "rematch.rows_in"])
async def test_a_beginning_that_fails_leaves_the_offer_open_and_its_repeat_begins_one_match(
    hall: Hall, ana: RoundPlayer, ben: RoundPlayer, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    """Answer, seats and match are committed together or not at all."""
    name = await played(hall, ana, ben)
    mine, theirs = Asked(ana, name), Asked(ben, name)
    await mine.accept()
    left = [point]

    def fail_once(passed: str) -> None:
        if passed in left:
            left.remove(passed)
            raise StoreUnavailable

    monkeypatch.setattr("libs.queueing.rematches.fault", fail_once)
    yes = str(uuid4())
    failed = await refused(theirs.accept(yes))
    between = await mine.look()
    seats = await hall.count("SELECT count(*) FROM live_seat")
    begun = await theirs.accept(yes)

    assert failed.reason == "NOT_READY"
    assert (between.state, seats) == (rematch_pb2.REMATCH_STATE_OPEN, 0)
    assert begun.state == rematch_pb2.REMATCH_STATE_BEGUN
    assert await hall.count("SELECT count(*) FROM match_round") == 2
    assert await hall.count("SELECT count(*) FROM live_seat") == 2
