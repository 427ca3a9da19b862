"""Races on the wire: what one seat may see. Of other boards nothing but their progress is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from uuid import UUID

from libs.eventsourcing.following import Change, End, Heartbeat, Seen, Snapshot
from libs.pb.sparrow.match.v1 import match_pb2
from libs.pb.sparrow.match.v1 import race_pb2 as pb
from libs.pb.sparrow.match.v1 import race_service_pb2 as service_pb
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.runtime.languages.endings import ending_text
from libs.runtime.names import layout_name, match_name, player_name
from services.match.domain.race import events as ev
from services.match.domain.race.clocks import cpu_since, signal_at
from services.match.domain.race.placing import live_order, live_places
from services.match.domain.race.state import (
    Countdown,
    Dealt,
    NotDealt,
    Over,
    Racer,
    Racing,
    State,
    elapsed_ms,
    hints_left,
    is_stuck,
    shuffles_left,
)
from services.match.domain.race.terms import MILLISECOND, RaceSeat
from services.match.domain.rematch_offers import after_race
from services.match.wire.boards import timestamp
from services.match.wire.layouts import layout_to_wire
from services.match.wire.race_codec import ENDINGS, FINISHES
from services.match.wire.race_settings import CPU_LEVELS, DIFFICULTIES, settings_message
from services.match.wire.rematches import offer_message
from services.match.wire.round_codec import blockers

FIRST: int = 3
"""So many lines everybody sees."""


def group_name(group_id: UUID) -> str:
    """The name of a group."""
    return f"raceGroups/{group_id}"


def race_message(state: Dealt, account_id: UUID, at: datetime, *, with_layout: bool = True) -> pb.Race:
    """The race with the account's own board; the clock is read at `at`."""
    race, seat = state.race, _seat(state, account_id)
    elapsed, limit = elapsed_ms(state, at), race.settings.time_limit // MILLISECOND
    message = pb.Race(
        name=match_name(race.race_id),
        group="" if race.dealt.group_id is None else group_name(race.dealt.group_id),
        state=_state(state),
        settings=settings_message(race.settings),
        rated=race.dealt.rated,
        start_time=timestamp(signal_at(state) if isinstance(state, Countdown) else state.since),
        elapsed_ms=elapsed,
        limit_ms=limit,
        excess_ms=max(0, elapsed - limit),
        commitments=[deal.commitment for deal in race.dealt.deals],
        own=_own(state, seat, at),
        lines=_lines(state, seat),
        seat_count=len(race.seats),
    )
    message.board.CopyFrom(_board(state, seat, with_layout=with_layout))
    if isinstance(state, Over):
        tell_end(message, state)
        offer = offer_message(after_race(state.ended))
        if offer is not None:
            message.rematch_offer.CopyFrom(offer)
    return message


def race_update(events: Sequence[ev.Event], state: Dealt, account_id: UUID) -> pb.RaceUpdate | None:
    """What the events of one command changed for a seat; None when nothing that it may see has changed."""
    seat = _seat(state, account_id)
    own = [event for event in events if getattr(event, "seat", seat) == seat]
    if not own and not any(isinstance(event, ev.RacePairRemoved | ev.RaceSeatGaveUp) for event in events):
        return None
    at = events[-1].occurred_at
    message = pb.RaceUpdate(time=timestamp(at))
    message.race.CopyFrom(race_message(state, account_id, at, with_layout=False))
    for event in own:
        _tell_move(message, event)
    if not own:
        message.race.ClearField("board")
    return message


def own_update(events: Sequence[ev.Event], state: Dealt, account_id: UUID) -> pb.RaceUpdate:
    """What an account's own command changed; of one that changed nothing, how things stand."""
    update = race_update(events, state, account_id) if events else None
    if update is None:
        at = state.last_at
        update = pb.RaceUpdate(
            time=timestamp(at), race=race_message(state, account_id, at, with_layout=False)
        )
    return update


def race_stream_message(
    account_id: UUID, seen: Seen[State, ev.Event], resume_token: str, now: datetime
) -> service_pb.WatchRaceResponse | None:
    """One message about a race to the seat of an account; None when the seat sees nothing of a change."""
    message = service_pb.WatchRaceResponse(resume_token=resume_token)
    match seen:
        case Snapshot(state=state):
            assert not isinstance(state, NotDealt), "the deal comes first"
            message.snapshot.CopyFrom(race_message(state, account_id, now))
        case Change(events=events, state=state):
            assert not isinstance(state, NotDealt), "the deal comes first"
            update = race_update(events, state, account_id)
            if update is None:
                return None
            message.update.CopyFrom(update)
        case Heartbeat():
            message.heartbeat.time.CopyFrom(timestamp(now))
        case End(reason=reason):
            message.end.reason, message.end.text = reason, ending_text(reason)
    return message


def _seat(state: Dealt, account_id: UUID) -> int:
    seat = state.race.seat_of(account_id)
    assert seat is not None, "whoever is answered has a seat"
    return seat


def _state(state: Dealt) -> pb.RaceState.ValueType:
    match state:
        case Countdown():
            return pb.RACE_STATE_COUNTDOWN
        case Racing():
            return pb.RACE_STATE_RUNNING
        case Over():
            return pb.RACE_STATE_OVER


def _board(state: Dealt, seat: int, *, with_layout: bool) -> pb.RaceBoard:
    deal = state.race.deal_of(seat)
    layout = layout_to_wire(deal.layout, deal.layout_title) if with_layout else None
    if isinstance(state, Countdown):
        return pb.RaceBoard(layout=layout, present=bits(deal.layout.full), pair_available=True)
    racer = state.racers[seat]
    board = racer.board
    return pb.RaceBoard(
        layout=layout,
        present=bits(board.present),
        faces=[match_pb2.VisibleFace(tile=tile, face=board.faces[tile]) for tile in bits(board.uncovered)],
        free_tiles=bits(board.free),
        pair_available=board.pair_available,
        board_version=racer.board_version,
    )


def _own(state: Dealt, seat: int, at: datetime) -> pb.RaceOwn:
    race = state.race
    message = pb.RaceOwn(seat=seat, difficulty=DIFFICULTIES[race.deal_of(seat).difficulty])
    if isinstance(state, Countdown):
        message.tiles_left = race.deal_of(seat).layout.size
        return message
    racer = state.racers[seat]
    shuffles, hints = shuffles_left(race, racer), hints_left(race, racer)
    if shuffles is not None:
        message.shuffles_left = shuffles
    if hints is not None:
        message.hints_left = hints
    if racer.pause_until > at:
        message.pause_end_time.CopyFrom(timestamp(racer.pause_until))
    message.stuck = is_stuck(race, racer)
    since = cpu_since(race, racer)
    message.cpu_plays = isinstance(state, Racing) and since is not None and since <= at
    message.tiles_left = racer.tiles_left
    return message


def _lines(state: Dealt, seat: int) -> Iterator[pb.RaceLine]:
    """The first three, and the own one where it comes later."""
    if isinstance(state, Countdown):
        return
    order, places = live_order(state.racers), live_places(state.racers)
    shown = order[:FIRST]
    for number in shown if seat in shown else [*shown, seat]:
        yield _line(state.racers[number], number, places[number])


def _line(racer: Racer, number: int, place: int) -> pb.RaceLine:
    player, cpu = _who(racer.seat)
    return pb.RaceLine(
        player=player,
        cpu=cpu,
        seat=number,
        place=place,
        progress_percent=racer.percent,
        finished_ms=racer.finished_ms,
        gave_up=racer.gave_up,
        away=racer.away_since is not None,
    )


def _who(seat: RaceSeat) -> tuple[str, pb.CpuLevel.ValueType]:
    if seat.account_id is not None:
        return player_name(seat.account_id), pb.CPU_LEVEL_UNSPECIFIED
    assert seat.cpu is not None, "a seat has a person or a CPU player"
    return "", CPU_LEVELS[seat.cpu]


def tell_end(message: pb.Race, over: Over) -> None:
    """Tell how a race ended, and lay its deals open."""
    ended = over.ended
    message.end_time.CopyFrom(timestamp(ended.occurred_at))
    message.ending = ENDINGS[ended.reason]
    told = zip(over.racers, ended.ends, strict=True)
    for racer, end in sorted(told, key=lambda each: each[1].place):
        player, cpu = _who(racer.seat)
        result = message.results.add(
            player=player,
            cpu=cpu,
            place=end.place,
            finish=FINISHES[end.finish_class],
            elapsed_ms=end.elapsed_ms,
            progress_percent=racer.percent,
            cpu_played=end.cpu_played,
        )
        if end.rating is not None:
            result.rating, result.rating_before = end.rating.after, end.rating.before
    for deal in over.race.dealt.deals:
        message.reveals.add(
            difficulty=DIFFICULTIES[deal.difficulty],
            catalogue_version=deal.catalogue_version,
            layout=layout_name(deal.layout.name),
            distinct_faces=deal.distinct_faces,
            seed=deal.seed,
            nonce=deal.nonce,
        )


def _tell_move(message: pb.RaceUpdate, event: ev.Event) -> None:
    match event:
        case ev.RacePairRemoved(first=first, second=second, by_cpu=by_cpu):
            message.move, message.by_cpu = pb.RACE_MOVE_PAIR, by_cpu
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=first, second=second))
        case ev.RaceTileTouched(tile=tile, why=why, not_same=not_same):
            message.tile = tile
            message.move = pb.RACE_MOVE_NOT_SAME if not_same else pb.RACE_MOVE_FREE
            if why is not None:
                message.move = pb.RACE_MOVE_BLOCKED
                message.blockers.CopyFrom(blockers(why))
        case ev.RaceBoardShuffled(moved=moved, by_cpu=by_cpu):
            message.move, message.moved, message.by_cpu = pb.RACE_MOVE_SHUFFLED, moved, by_cpu
        case ev.RaceHintShown(first=first, second=second, by_cpu=by_cpu):
            message.move, message.by_cpu = pb.RACE_MOVE_HINT, by_cpu
            message.pair.CopyFrom(solitaire_pb2.TilePair(first=first, second=second))
        case ev.RaceSeatGaveUp():
            message.move = pb.RACE_MOVE_GAVE_UP
        case _:
            pass
