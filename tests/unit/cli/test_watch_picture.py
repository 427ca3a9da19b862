"""What `sparrow watch` draws and says of a match of others."""

from __future__ import annotations

from datetime import UTC, datetime

from rich.console import Console

from libs.cli.watch.picture import line_of, match_picture, results_table
from libs.client.spectated import SpectatedMatch, spectated_of
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import spectate_pb2 as wire
from libs.pb.sparrow.match.v1 import spectate_service_pb2 as calls
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2

ANA, BEN = "players/ana", "players/ben"
NAMES = {ANA: "Ana", BEN: "B[b]en"}


def _seat(number: int, player: str, tiles: int, score: int) -> wire.SpectatedSeat:
    present = range(4 - tiles, 4)
    return wire.SpectatedSeat(
        seat=number,
        player=player,
        score=score,
        board=wire.SpectatedBoard(
            present=present,
            faces=[match_pb2.VisibleFace(tile=tile, face="1m") for tile in present],
            free_tiles=present,
            pair_available=True,
        ),
    )


def _response(**payload: object) -> calls.SpectateResponse:
    message = calls.SpectateResponse(delay_ms=30_000, elapsed_ms=12_300, **payload)  # type: ignore[arg-type]
    message.shown_time.FromDatetime(datetime(2026, 3, 2, tzinfo=UTC))
    return message


def _snapshot() -> SpectatedMatch:
    tiles = [solitaire_pb2.TilePosition(x=4 * tile) for tile in range(4)]
    told = wire.SpectatedMatch(
        name="matches/1",
        mode=wire.SPECTATE_MODE_QUICK_MATCH,
        state=wire.SPECTATE_STATE_RUNNING,
        layouts=[solitaire_pb2.Layout(name="layouts/row", tiles=tiles)],
        seats=[_seat(0, ANA, 4, 0), _seat(1, BEN, 4, 0)],
    )
    seen = spectated_of(_response(snapshot=told), None)
    assert seen is not None
    return seen


def _update(**rest: object) -> SpectatedMatch:
    told = wire.SpectatedMatch(
        name="matches/1",
        mode=wire.SPECTATE_MODE_QUICK_MATCH,
        state=wire.SPECTATE_STATE_RUNNING,
        seats=[_seat(1, BEN, 2, 200)],
    )
    told.MergeFrom(wire.SpectatedMatch(**rest))  # type: ignore[arg-type]
    pair = solitaire_pb2.TilePair(first=0, second=1)
    move = wire.SpectatedMove(seat=1, act=wire.SPECTATE_ACT_PAIRED, pair=pair, worth=200)
    seen = spectated_of(_response(update=wire.SpectatedUpdate(moves=[move], match=told)), _snapshot())
    assert seen is not None
    return seen


def _drawn(picture: object) -> str:
    out = Console(width=100)
    with out.capture() as captured:
        out.print(picture)
    return captured.get()


def test_an_update_changes_the_seats_it_names_and_keeps_layouts_and_the_other_seats() -> None:
    """Messages carry what changed; the value is always whole."""
    before, after = _snapshot(), _update()

    assert after.seats[0] == before.seats[0]
    assert after.seats[1].board.places == before.seats[1].board.places
    assert (after.seats[1].board.tiles_left, after.seats[1].score) == (2, 200)


def test_a_change_is_told_in_a_line_with_the_clock_the_delay_and_the_seats() -> None:
    """For pipes, where no picture can be drawn."""
    line = line_of(_update(), NAMES)

    assert "B[b]en paired 0 and 1 (+200)" in line
    assert "30 s" in line
    assert "Ana 0 4 left, B[b]en 200 2 left" in line


def test_the_picture_shows_every_board_with_its_player_and_states_the_delay() -> None:
    """Names are shown as they are written, whatever they contain."""
    drawn = _drawn(match_picture(_update(), NAMES))

    assert "Ana 0 4 left" in drawn
    assert "B[b]en 200 2 left" in drawn
    assert "shown 30 s later" in drawn
    assert drawn.count("1m") == 6


def test_how_it_ended_is_a_table_by_place_and_nothing_is_said_before() -> None:
    """Score and points of each seat."""
    seats = [
        match_pb2.SeatResult(player=ANA, place=2, round_score=100),
        match_pb2.SeatResult(player=BEN, place=1, round_score=300, points=20),
    ]
    result = match_pb2.RoundResult(seats=seats)
    over = _update(state=wire.SPECTATE_STATE_OVER, round_result=result)
    lines = _drawn(results_table(over, NAMES)).splitlines()

    assert _drawn(results_table(_update(), NAMES)).strip() == "It has not ended yet."
    assert lines[1].split() == ["1", "B[b]en", "300", "20"]
    assert lines[2].split() == ["2", "Ana", "100", "0"]
