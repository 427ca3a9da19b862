"""Time-outs, outages, and seats that leave and return."""

from __future__ import annotations

from datetime import timedelta

from services.mcr.domain.deal.actions import Chow, Discard, Pass, Pung
from services.mcr.domain.deal.commands import Act, ByAccount, ByAi
from services.mcr.domain.deal.decide import Unsettled, decide
from services.mcr.domain.deal.events import ClockPaused, SeatLeft, SeatReturned, TileDiscarded
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.settle import next_deadline, settle
from services.mcr.domain.deal.state import AfterClaim, AfterDraw, DiscardWindow, Ended
from services.mcr.domain.deal.terms import Ai, AwayReason, By, Limits, Person
from services.mcr.domain.pauses import Outage
from tests.support.mcr_deals import FOUR_AI, PLAYERS, DealPlay, after, named, rigged
from tests.unit.mcr.hands import hands

TURN_MS, CLAIM_MS, HOLD_MS = 20_000, 8_000, 1_000
PUNG = hands(s2="4m 4m 7m 2p 5p 9p 2s 6s 9s S W N C", s1="1m 9m 7m 2p 5p 9p 2s 6s 9s C F P E")


def pung_offered() -> DealPlay:
    """Seat 0 has discarded a 4m that seat 2 may make a pung of."""
    play = DealPlay(rigged(PUNG, draws="9m"))
    play.act(0, Discard(play.held(0, "4m")[0]))
    return play


def test_a_seat_that_does_not_answer_in_20_seconds_discards_the_drawn_tile() -> None:
    """At the deadline, whenever that is found out; the discard is marked as one of time."""
    play = DealPlay(rigged(draws="9m"))
    drawn = play.shape(AfterDraw).drawn
    assert play.wait_until(TURN_MS - 1) == []

    (discarded,) = play.wait_until(TURN_MS + 500)

    assert discarded == TileDiscarded(0, drawn, By.TIME, (), after(TURN_MS))


def test_after_a_pung_or_chow_it_discards_the_last_tile_of_the_sorted_hand() -> None:
    """No tile was drawn."""
    play = pung_offered()
    play.act(2, Pung(play.held(2, "4m 4m")), HOLD_MS)
    play.shape(AfterClaim)
    (discarded, *_) = play.wait(TURN_MS)

    assert isinstance(discarded, TileDiscarded)
    assert named(discarded.tile) == "C"


def test_turn_and_claim_times_are_settings() -> None:
    """Other limits than 20 and 8 seconds."""
    limits = Limits(turn=timedelta(seconds=5), claim=timedelta(seconds=2), hold=timedelta(milliseconds=100))
    play = DealPlay(rigged(PUNG, draws="9m"), limits=limits)
    assert next_deadline(play.state) == after(5_000)

    play.act(0, Discard(play.held(0, "4m")[0]))

    assert next_deadline(play.state) == after(2_000)
    play.act(2, Pass())
    assert next_deadline(play.state) == after(100)


def test_what_is_overdue_is_settled_in_order_before_a_command_is_judged() -> None:
    """Nobody was awake for a minute: turns and windows passed at their instants."""
    play = DealPlay(rigged(draws="9m"))
    late = Act(ByAccount(PLAYERS[0]), Discard(play.held(0, "N")[0]), play.table.decision, after(63_000))
    assert decide(late, play.state, play.scorer) == Unsettled(after(TURN_MS))

    assert play.order(late) is Refusal.STALE_DECISION

    times = [event.occurred_at for event in play.events]
    assert times == sorted(times)
    discards = [event.occurred_at for event in play.events if isinstance(event, TileDiscarded)]
    assert discards == [after(20_000), after(41_000), after(62_000)]


def test_settling_all_at_once_or_again_and_again_gives_the_same_facts() -> None:
    """Timers only wake: nothing depends on when."""
    once, often = (DealPlay(rigged(draws="9m")) for _ in range(2))
    once.wait_until(300_000)
    for ms in range(0, 300_001, 700):
        often.wait_until(ms)
    often.wait_until(300_000)

    assert once.events == often.events


def test_everybody_asleep_the_deal_ends_by_itself() -> None:
    """Every turn and every window has an end."""
    play = DealPlay(rigged(draws="9m"))
    play.wait_until(10_000_000)

    play.shape(Ended)


def test_outages_are_left_out_of_the_clocks() -> None:
    """Ten seconds in which nobody could play: the turn's time moves on by as much."""
    outage = Outage(after(15_000), after(25_000))
    play = DealPlay(rigged(draws="9m"), outages=(outage,))

    assert play.wait_until(29_999) == [ClockPaused(outage.since, outage.until, outage.until)]
    assert next_deadline(play.state) == after(30_000)
    assert play.view(0).deadline == after(30_000)
    assert len(play.wait_until(30_000)) == 1


def test_what_was_due_before_an_outage_comes_before_its_pause() -> None:
    """The turn was over a second before; the window then waits through the outage."""
    play = DealPlay(rigged(draws="9m"), outages=(Outage(after(20_500), after(30_500)),))
    found = play.wait_until(31_000)

    assert [type(event).__name__ for event in found] == ["TileDiscarded", "ClockPaused", "TileDrawn"]
    assert found[-1].occurred_at == after(31_000)


def test_a_pause_is_taken_out_once() -> None:
    """Asked again, or with overlapping reports of it."""
    play = DealPlay(rigged(draws="9m"))
    outages = (Outage(after(1_000), after(3_000)), Outage(after(2_000), after(4_000)))
    play.take(settle(play.state, after(5_000), play.scorer, outages))

    assert settle(play.state, after(6_000), play.scorer, outages) == []
    assert next_deadline(play.state) == after(TURN_MS + 3_000)


def test_a_seat_that_leaves_is_played_by_the_ai_until_the_person_returns() -> None:
    """Meanwhile the person's own commands are refused, and the AI's accepted."""
    play = DealPlay(rigged(draws="9m"))
    tile, number = Discard(play.held(0, "N")[0]), play.table.decision
    assert play.leave(0) == [SeatLeft(0, AwayReason.LEFT, after(0))]
    assert play.leave(0) is Refusal.SEAT_AWAY
    own, ai = (Act(actor, tile, number, after(0)) for actor in (ByAccount(PLAYERS[0]), ByAi(0)))

    assert play.order(own) is Refusal.SEAT_AWAY
    assert isinstance(decide(ai, play.state, play.scorer), list)
    assert play.view(1).seats[0].is_away

    assert play.come_back(0) == [SeatReturned(0, after(0))]
    assert play.come_back(0) == []
    assert play.order(ai) is Refusal.NOT_YOURS
    assert isinstance(play.order(own), list)


def test_a_seat_returns_fifty_times_in_a_deal() -> None:
    """A stream has an end; leaving is always possible."""
    play = DealPlay(rigged(draws="9m"))
    for _ in range(50):
        assert isinstance(play.leave(1), list)
        assert isinstance(play.come_back(1), list)
    assert isinstance(play.leave(1), list)

    assert play.come_back(1) is Refusal.RETURN_LIMIT
    assert play.come_back(1) is Refusal.RETURN_LIMIT
    assert isinstance(play.leave(2), list)


def test_a_seat_whose_stream_is_lost_is_away_in_the_same_way() -> None:
    """The reason is told."""
    play = DealPlay(rigged(draws="9m"))

    assert play.leave(1, AwayReason.LOST) == [SeatLeft(1, AwayReason.LOST, after(0))]
    assert play.table.is_played_by_ai(1)


def test_leaving_changes_no_deadline_and_takes_no_answer_back() -> None:
    """An open decision stays open, for the AI; what was answered stands."""
    play = pung_offered()
    before = next_deadline(play.state)
    play.leave(2)

    assert next_deadline(play.state) == before
    assert isinstance(play.act(2, Pung(play.held(2, "4m 4m")), HOLD_MS), list)
    assert play.shape(AfterClaim).seat == 2


def test_with_everybody_gone_the_ai_plays_the_deal_out() -> None:
    """Without the second that hides who has something to decide: nobody is there to be told by it."""
    occupants = (Person(PLAYERS[0]), Ai(), Ai(), Ai())
    play = DealPlay(rigged(draws="9m 9m"), occupants)
    play.leave(0)
    play.act(0, Discard(play.held(0, "9m")[0]))

    assert play.shape(AfterDraw).seat == 1


def test_a_person_who_was_away_as_the_deal_began_may_return() -> None:
    """In a later deal of a session."""
    play = DealPlay(rigged(draws="9m"), away=frozenset({0}))
    assert play.table.is_played_by_ai(0)

    assert play.come_back(0) == [SeatReturned(0, after(0))]


def test_facts_never_occur_before_the_last_one() -> None:
    """A command that was received earlier than the last fact occurs with it."""
    play = DealPlay(rigged(draws="9m"))
    play.leave(3)
    play.now_ms = 500
    play.leave(2)
    play.now_ms = 0
    play.act(0, Discard(play.held(0, "9m")[0]), 0)

    assert play.events[-1].occurred_at == after(500)
    assert play.shape(DiscardWindow).table.since == after(500)


def test_ai_seats_are_under_the_same_limits() -> None:
    """One that does not answer discards what it drew."""
    play = DealPlay(rigged(draws="9m 9m"), FOUR_AI)
    play.wait_until(TURN_MS)

    assert play.shape(AfterDraw).seat == 1


def test_an_answer_at_the_deadline_is_too_late() -> None:
    """The pass of time came first."""
    play = pung_offered()
    number = play.table.decision

    assert play.act(2, Chow(play.held(2, "2p 5p")), CLAIM_MS, number) is Refusal.STALE_DECISION
