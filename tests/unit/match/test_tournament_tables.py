"""Tables of tournaments: when their round ends, what is cut, and what the tournament is told."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from services.match.domain.fair_play.counts import PlayMode
from services.match.domain.fair_play.tally import played_round
from services.match.domain.refusal import Refusal
from services.match.domain.rivals.clocks import Outage
from services.match.domain.rivals.events import ClockPaused, RoundEnded, RoundStarted
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.match.domain.rivals.sequence import match_end, table_stage
from services.match.domain.rivals.settle import cut
from services.match.domain.rivals.stage import TournamentStage
from services.match.domain.rivals.state import NotDealt, Over
from services.match.domain.rivals.terms import EndReason
from services.match.domain.spectating.modes import WatchedMode
from services.match.domain.spectating.rounds import round_seen
from services.match.domain.spectating.seen import Phase
from tests.support.attempts import ANA, BEN
from tests.support.rounds import MATCH, SIGNAL_MS, Table, apart, at, dealt, fold

TOURNAMENT = UUID(int=0x70)
CARL, DORA = UUID(int=0xC), UUID(int=0xD)
SIX = "1m 1m 2m 2m 3m 3m"


def table(
    ends_ms: int, limit_ms: int = 300_000, accounts: tuple[UUID, ...] = (ANA, BEN), faces: str = SIX
) -> Table:
    """A table whose countdown runs; the tournament ends so long after the signal."""
    laid_down = TournamentStage(TOURNAMENT, 2, timedelta(milliseconds=limit_ms), at(ends_ms))
    first = dealt(apart(len(faces.split())), faces, accounts, table_stage(laid_down))
    return Table([first], fold([first]))


def told(played: Table) -> TournamentMatchEnded:
    """What the tournament is told at the end."""
    assert isinstance(played.state, Over)
    end = match_end(played.state)
    assert isinstance(end, TournamentMatchEnded)
    return end


def begun(ends_ms: int, limit_ms: int = 300_000) -> Table:
    """The same after the signal."""
    played = table(ends_ms, limit_ms)
    played.until(0)
    return played


def test_the_end_of_the_tournament_ends_the_round_as_it_stands() -> None:
    """Scores stay what they are; nobody has cleared; the tournament is told that it was cut."""
    played = begun(10_000)
    played.pair(0, 0, 1, 9_999)
    played.until(10_000)
    end = told(played)

    assert (end.match_id, end.tournament_id, end.round_number) == (MATCH, TOURNAMENT, 2)
    assert (end.cut, end.occurred_at) == (True, at(10_000))
    assert [(seat.place, seat.round_score, seat.cleared) for seat in end.ends] == [
        (1, 100, False),
        (2, 0, False),
    ]
    assert end.points == (0, 0)


def test_what_comes_at_the_instant_of_the_end_is_too_late() -> None:
    """As with every deadline."""
    played = begun(10_000)

    assert played.touch(0, 0, 10_000) is Refusal.MATCH_ENDED


def test_a_round_that_was_cleared_before_is_not_cut() -> None:
    """The last pair came a millisecond before the end."""
    played = begun(10_000)
    for first, ms in ((0, 1_000), (2, 2_000), (4, 9_999)):
        played.pair(1, first, first + 1, ms)
    played.until(20_000)
    end = told(played)

    assert not end.cut
    assert [(seat.place, seat.cleared) for seat in end.ends] == [(2, False), (1, True)]


@pytest.mark.parametrize(("limit_ms", "is_cut"), [(9_999, False), (10_000, False), (10_001, True)])
def test_of_limit_and_end_the_earlier_one_counts(limit_ms: int, *, is_cut: bool) -> None:
    """At one instant the round's own limit: nothing of it was lost."""
    played = begun(10_000, limit_ms=limit_ms)
    played.pair(0, 0, 1, 500)
    played.until(60_000)

    assert told(played).cut is is_cut
    assert told(played).occurred_at == at(min(limit_ms, 10_000))


@pytest.mark.parametrize("ends_ms", [0, -1, -2_999, -SIGNAL_MS, -60_000])
def test_a_round_that_has_not_begun_by_the_end_of_the_tournament_never_begins(ends_ms: int) -> None:
    """No signal, no score; where the end had passed before, it is over at once."""
    played = table(ends_ms)
    events = played.until(60_000)
    end = told(played)

    assert not any(isinstance(event, RoundStarted) for event in events)
    assert end.occurred_at == at(max(ends_ms, -SIGNAL_MS))
    assert (end.cut, end.acted) == (True, (False, False))
    assert [(seat.place, seat.round_score) for seat in end.ends] == [(1, 0), (1, 0)]


def test_who_does_not_show_up_is_out_after_20_seconds_with_0() -> None:
    """And never acted; the other goes on."""
    played = begun(200_000)
    played.pair(0, 0, 1, 15_000)
    played.until(60_000)
    end = told(played)

    assert end.occurred_at == at(35_000)
    assert [seat.round_score for seat in end.ends] == [100, 0]
    assert (end.acted, end.cut) == ((True, False), False)


def test_a_touch_of_a_blocked_tile_is_a_move_and_leaving_is_none() -> None:
    """Whoever tries has acted."""
    played = table(200_000, accounts=(ANA, BEN, CARL, DORA))
    played.until(0)
    played.touch(0, 0, 100)
    played.touch(1, 0, 100)
    played.put_back(1, 200)
    played.leave(2, 300)
    played.until(60_000)

    assert told(played).acted == (True, True, False, False)


def test_a_pause_moves_no_end_of_a_tournament() -> None:
    """The clocks stood from 5 to 12 s; the end came at 10 s, and nobody went out meanwhile."""
    played = begun(10_000)
    played.pair(0, 0, 1, 1_000)
    played.outages = (Outage(at(5_000), at(12_000)),)
    events = played.until(90_000)

    assert [type(event) for event in events[:2]] == [ClockPaused, RoundEnded]
    assert events[0].occurred_at == events[1].occurred_at == at(10_000)
    assert told(played).cut


def test_an_operator_cuts_a_round_where_it_stands() -> None:
    """What was due before comes before it; what is over stays as it is."""
    played = begun(200_000)
    played.pair(0, 0, 1, 1_000)
    assert not isinstance(played.state, NotDealt)
    events = cut(played.state, at(2_000))
    after = fold([*played.events, *events])

    assert isinstance(after, Over)
    assert (after.ended.reason, after.ended.occurred_at) == (EndReason.CUT, at(2_000))
    assert cut(after, at(3_000)) == []


def test_an_earlier_cut_takes_nothing_back() -> None:
    """Whoever moved after the instant that is named keeps the move."""
    played = begun(200_000)
    played.pair(0, 0, 1, 5_000)
    assert not isinstance(played.state, NotDealt)
    after = fold([*played.events, *cut(played.state, at(2_000))])

    assert isinstance(after, Over)
    assert after.ended.occurred_at == at(5_000)
    assert after.ended.seats[0].round_score == 100


def test_play_at_tables_of_tournaments_is_counted_in_a_mode_of_its_own() -> None:
    """Who did not show up has played nothing."""
    played = begun(10_000)
    played.pair(0, 0, 1, 2_000)
    played.until(60_000)
    [counted] = played_round(played.events)

    assert (counted.account_id, counted.mode, counted.counts.pairs) == (ANA, PlayMode.TOURNAMENT, 1)


def test_spectators_see_the_limit_of_the_tournament_and_no_face_of_a_round_that_never_began() -> None:
    """Before its signal a table shows where tiles lie; what can be seen of it after a cut."""
    played = table(-1, limit_ms=90_000)
    assert not isinstance(played.state, NotDealt)
    before = round_seen(played.state)
    played.until(60_000)
    assert isinstance(played.state, Over)
    after = round_seen(played.state)

    assert (before.mode, before.phase, before.limit) == (
        *(WatchedMode.TOURNAMENT, Phase.COUNTDOWN, timedelta(seconds=90)),
    )
    assert not any(seat.board.faces for seat in before.seats)
    assert after.phase is Phase.OVER
    assert after.ended_at == at(-1)
