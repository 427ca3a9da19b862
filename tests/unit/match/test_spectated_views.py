"""What spectators see of each kind of game, without servers: boards by seat, moves, results."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import spectate_pb2 as pb
from libs.spectating.showing import known_at
from services.match.domain.race import state as race
from services.match.domain.race.terms import CpuLevel
from services.match.domain.rivals.state import Countdown, Over, Playing
from services.match.domain.spectating.rounds import round_seen
from services.match.domain.spectating.seen import Phase
from services.match.wire.spectated_moves import pool_update, race_update, round_update
from services.match.wire.spectating import pool_message, race_message, round_message
from tests.support.arenas import Arena
from tests.support.attempts import ANA, BEN
from tests.support.pools import PoolTable, match_of, pool_deal, stacked
from tests.support.race_table import PILE, RaceTable, race_deal
from tests.support.rounds import Table, apart

GAME = UUID(int=0x99)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
TWO_STACKS = "1m 2m 1m 2m"


def _recorded(occurred_at: datetime, recorded_at: datetime) -> RecordedEvent:
    return RecordedEvent(UUID(int=1), 1, Part.MOVES, "t", 1, occurred_at, recorded_at, ANA, None, 1, b"")


def test_a_fact_is_known_once_it_has_occurred_and_is_recorded_and_never_before_those_ahead_of_it() -> None:
    """The later of both, the latest of a command, and not before the command ahead."""
    late, early = _recorded(NOON, NOON + SECOND), _recorded(NOON + 2 * SECOND, NOON)

    assert known_at([late], None) == NOON + SECOND
    assert known_at([early], None) == NOON + 2 * SECOND
    assert known_at([late, early], None) == NOON + 2 * SECOND
    assert known_at([late], NOON + 3 * SECOND) == NOON + 3 * SECOND


def _faces(seat: pb.SpectatedSeat) -> dict[int, str]:
    return {seen.tile: seen.face for seen in seat.board.faces}


def test_each_seat_of_a_round_shows_the_faces_that_this_seat_knows_and_no_others() -> None:
    """A lift uncovers what lies below for its own seat; before the signal there is none."""
    laid = Table.laid(PILE, TWO_STACKS).state
    assert isinstance(laid, Countdown)
    before = round_message(laid)
    table = Table.begun(PILE, TWO_STACKS)
    table.touch(0, 1, 1_000)
    assert isinstance(table.state, Playing)
    message = round_message(table.state)

    assert not any(_faces(seat) for seat in before.seats)
    assert before.seats[0].board.present == [0, 1, 2, 3]
    assert before.state == pb.SPECTATE_STATE_COUNTDOWN
    assert _faces(message.seats[0]) == {0: "1m", 1: "2m", 3: "2m"}
    assert _faces(message.seats[1]) == {1: "2m", 3: "2m"}
    assert message.seats[0].board.lifted == 1
    assert not message.HasField("round_result")


def test_a_round_tells_moves_with_their_worth_and_only_the_seat_that_moved() -> None:
    """Lift, pair, blocked touch, going out; a joker that is not decided shows nothing."""
    table = Table.begun(apart(6), "1m 1m 2m 2m 3m 3m")
    lifted, pair = table.touch(0, 0, 500), table.touch(0, 1, 1_000)
    assert isinstance(lifted, list)
    assert isinstance(pair, list)
    assert isinstance(table.state, Playing)
    update = round_update(pair, table.state)
    assert update is not None
    [move] = update.moves

    assert (move.act, move.worth, move.pair_kind) == (pb.SPECTATE_ACT_PAIRED, 100, match_pb2.PAIR_KIND_PLAIN)
    assert [seat.seat for seat in update.match.seats] == [0]
    assert not update.match.layouts
    assert update.match.seats[0].score == 100
    table.touch(1, 2, 1_500)
    asked = table.use_joker(1, 1_600)
    assert isinstance(asked, list)
    assert isinstance(table.state, Playing)
    assert round_update(asked, table.state) is None


def test_an_arena_tells_earlier_rounds_and_standings_and_has_no_face_in_its_break() -> None:
    """The next round is dealt face down; the last one ends the match."""
    arena = Arena.begun()
    arena.play_round([2, 1, 0, 0], 0)
    assert isinstance(arena.table.state, Countdown)
    message = round_message(arena.table.state)

    assert (message.round_number, message.round_count) == (2, 3)
    assert message.state == pb.SPECTATE_STATE_BREAK
    assert len(message.earlier_rounds) == 1
    assert [seat.score for seat in message.standings] == [200, 100, 0, 0]
    assert not any(_faces(seat) for seat in message.seats)
    played = arena.played[0].state
    assert isinstance(played, Over)
    assert round_seen(played).phase is Phase.BREAK
    assert round_seen(played).ended_at is None


def test_a_race_shows_persons_and_cpu_players_with_their_places_and_results_at_the_end() -> None:
    """By seat: uncovered faces only; touches that cost nothing show nothing."""
    deal = race_deal(PILE, TWO_STACKS, [(1, 3), (0, 2)])
    laid = RaceTable.laid([ANA, BEN], deal, cpu=[CpuLevel.HARD]).state
    assert isinstance(laid, race.Countdown)
    before = race_message(laid)
    table = RaceTable.begun([ANA, BEN], deal, cpu=[CpuLevel.HARD])
    touched = table.touch(500, ANA, 0)
    removed = table.remove(1_000, ANA, 1, 3)
    assert isinstance(touched, list)
    assert isinstance(removed, list)
    racing = table.state
    assert isinstance(racing, race.Racing)
    message, update = race_message(racing), race_update(removed, racing)
    assert update is not None

    assert not any(_faces(seat) for seat in before.seats)
    assert [seat.cpu for seat in message.seats] == [0, 0, 3]
    assert _faces(message.seats[0]) == {0: "1m", 2: "1m"}
    assert _faces(message.seats[2]) == {1: "2m", 3: "2m"}
    assert list(update.match.places) == [1, 2, 2]
    assert race_update(touched, racing) is None
    table.remove(2_000, ANA, 0, 2)
    table.give_up(3_000, BEN)
    ended = table.state
    assert isinstance(ended, race.Over)
    over = race_message(ended)
    assert [result.place for result in over.race_result.results] == [1, 2, 3]
    assert len(over.race_result.reveals) == 1


def test_a_pool_match_shows_uncovered_faces_scores_charges_and_the_pot() -> None:
    """The faces that lie below stay hidden; an undo shows the pair that came back."""
    deal = pool_deal(stacked(), "1m 2m 2m 1m")
    dealt = PoolTable(deal, (ANA, BEN))
    before = pool_message(GAME, dealt.game)
    table = match_of(stacked(), "1m 2m 2m 1m")
    taken = table.pair(1, 2)
    assert isinstance(taken, list)
    update, message = pool_update(GAME, taken, table.game), pool_message(GAME, table.game)
    assert update is not None

    assert not any(_faces(seat) for seat in before.seats)
    assert (message.stake, message.pot) == (100, 200)
    assert _faces(message.seats[1]) == {1: "2m", 2: "2m", 3: "1m"}
    assert _faces(message.seats[0]) == {0: "1m", 3: "1m"}
    assert update.moves[0].act == pb.SPECTATE_ACT_PAIRED
    assert update.moves[0].worth == message.seats[0].score
    undone = table.undo()
    assert isinstance(undone, list)
    back = pool_update(GAME, undone, table.game)
    assert back is not None
    assert (back.moves[0].act, back.moves[0].charge) == (pb.SPECTATE_ACT_UNDONE, 5)
    assert _faces(back.match.seats[0]) == {1: "2m", 2: "2m", 3: "1m"}
