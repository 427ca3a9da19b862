"""Tables of tournaments in the client library: which tournament it is for, and what a cut looks like."""

from __future__ import annotations

import json
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from libs.cli.matches.telling import brought, document
from libs.cli.play.round_texts import result_text
from libs.client.game import LIVE, Game
from libs.client.replay_wire import played_of
from libs.client.results import GameState
from libs.client.rounds import Ending, Mode, TournamentTable
from libs.client.wire import summary_of, update_of
from libs.pb.sparrow.match.v1 import history_pb2
from libs.pb.sparrow.match.v1 import match_pb2 as pb
from tests.unit.client.test_arena_game import ANA, BEN, LINK

TABLE = TournamentTable("tournaments/7", 2, datetime.fromtimestamp(1_010, UTC))


def _message(state: pb.MatchState.ValueType) -> pb.Match:
    return pb.Match(
        name="matches/1",
        mode=pb.MODE_TOURNAMENT,
        state=state,
        player=ANA,
        start_time=Timestamp(seconds=1_000),
        tournament_table=pb.TournamentTable(
            tournament="tournaments/7", round_number=2, cut_time=Timestamp(seconds=1_010)
        ),
    )


def _cut() -> pb.RoundResult:
    seats = [pb.SeatResult(player=BEN, place=2), pb.SeatResult(player=ANA, place=1, round_score=300)]
    return pb.RoundResult(ending=pb.ROUND_ENDING_CUT, seats=seats)


def test_a_table_that_is_cut_before_its_signal_is_over_without_a_face() -> None:
    """The game tells its tournament, and why it ended."""
    game = Game(LINK, _message(pb.MATCH_STATE_COUNTDOWN))
    over = pb.MatchUpdate(time=Timestamp(seconds=990), state=pb.MATCH_STATE_OVER, round_result=_cut())
    game._take(update_of(over))

    assert (game.mode, game.tournament) == (Mode.TOURNAMENT, TABLE)
    assert (game.state, game.state in LIVE, dict(game.board.faces)) == (GameState.OVER, False, {})
    assert game.round_result is not None
    assert game.round_result.ending is Ending.CUT
    assert result_text(game.round_result, ANA, {BEN: "Ben"}, is_paid=False).splitlines() == [
        "[bold]The tournament is over: the round counts as it stands.[/]",
        "1. You: 300",
        "2. Ben: 0",
    ]


def test_lists_tell_the_tournament_of_a_table_and_no_points() -> None:
    """For people and for programs."""
    message = _message(pb.MATCH_STATE_OVER)
    message.round_result.CopyFrom(_cut())
    played = history_pb2.PlayedGame(name=message.name, mode=message.mode, match=message)
    played.start_time.CopyFrom(message.start_time)
    listed = played_of(played)

    assert summary_of(message).tournament == TABLE
    assert brought(listed) == "place 1, score 300"
    assert json.loads(json.dumps(document(listed)))["tournament"] == {
        "tournament": "tournaments/7",
        "round_number": 2,
        "cut_time": "1970-01-01T00:16:50+00:00",
    }
