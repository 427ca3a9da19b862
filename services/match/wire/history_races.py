"""Races that are over on the wire, told step by step."""

from __future__ import annotations

from uuid import UUID

from libs.pb.sparrow.match.v1 import history_pb2 as pb
from libs.pb.sparrow.match.v1 import match_pb2, race_pb2
from libs.pb.sparrow.solitaire.v1 import solitaire_pb2
from libs.rules.solitaire.bitset import bits
from libs.runtime.names import match_name, player_name
from services.match.domain.history.races import RaceStep, RaceStory
from services.match.domain.race import events as ev
from services.match.domain.race.state import Over
from services.match.domain.race.terms import RaceDeal, RaceSeat
from services.match.wire.boards import timestamp
from services.match.wire.layouts import layout_to_wire
from services.match.wire.race_codec import ENDINGS, FINISHES
from services.match.wire.race_settings import CPU_LEVELS, DIFFICULTIES, settings_message
from services.match.wire.round_codec import blockers


def race_replay(race_id: UUID, story: RaceStory, begin: int, size: int) -> pb.MatchReplay:
    """A page of a race from its step `begin` on; the first one tells boards, settings and results too."""
    over = story.over
    replay = pb.MatchReplay(
        name=match_name(race_id),
        mode=match_pb2.MODE_RACE,
        round_number=1,
        round_count=1,
        start_time=timestamp(story.since),
        steps=[_step(over, step) for step in story.steps[begin : begin + size]],
        race_ending=ENDINGS[over.ended.reason],
    )
    if not begin:
        first, *others = (_board(deal) for deal in over.race.dealt.deals)
        replay.layout.CopyFrom(first.layout)
        replay.faces.extend(first.faces)
        replay.more_boards.extend(others)
        replay.race_settings.CopyFrom(settings_message(over.race.settings))
        replay.seats.extend(
            pb.SeatReplay(player=_player(seat), board=seat.deal, race_result=race_result(over, number))
            for number, seat in enumerate(over.race.seats)
        )
    return replay


def played_race(race_id: UUID, over: Over, account_id: UUID) -> pb.PlayedGame:
    """A race as it stands in the list of one who played it."""
    number = over.race.seat_of(account_id)
    assert number is not None, "a race is listed for those who played it"
    race = pb.PlayedRace(
        own=race_result(over, number),
        seat_count=len(over.race.seats),
        difficulty=DIFFICULTIES[over.race.deal_of(number).difficulty],
        rated=over.race.dealt.rated,
    )
    return pb.PlayedGame(
        name=match_name(race_id),
        mode=match_pb2.MODE_RACE,
        start_time=timestamp(over.race.dealt.occurred_at),
        end_time=timestamp(over.ended.occurred_at),
        race=race,
    )


def race_result(over: Over, number: int) -> race_pb2.RaceResult:
    """How a seat ended, and the class it was placed in."""
    seat, end = over.race.seats[number], over.ended.ends[number]
    result = race_pb2.RaceResult(
        player=_player(seat),
        cpu=race_pb2.CPU_LEVEL_UNSPECIFIED if seat.cpu is None else CPU_LEVELS[seat.cpu],
        place=end.place,
        finish=FINISHES[end.finish_class],
        elapsed_ms=end.elapsed_ms,
        progress_percent=over.racers[number].percent,
        cpu_played=end.cpu_played,
    )
    if end.rating is not None:
        result.rating, result.rating_before = end.rating.after, end.rating.before
    return result


def _player(seat: RaceSeat) -> str:
    return "" if seat.account_id is None else player_name(seat.account_id)


def _board(deal: RaceDeal) -> pb.DealtBoard:
    faces = (match_pb2.VisibleFace(tile=tile, face=face) for tile, face in enumerate(deal.faces))
    return pb.DealtBoard(layout=layout_to_wire(deal.layout, deal.layout_title), faces=faces)


def _step(over: Over, step: RaceStep) -> pb.Step:
    event = step.event
    message = pb.Step(
        player=_player(over.race.seats[event.seat]),
        seat=event.seat,
        at_ms=step.at_ms,
        tiles_left=step.tiles_left,
        progress_percent=step.percent,
        by_cpu=getattr(event, "by_cpu", False),
    )
    match event:
        case ev.RacePairRemoved(first=first, second=second):
            message.pair.CopyFrom(
                pb.StepPair(
                    pair=solitaire_pb2.TilePair(first=first, second=second),
                    faces=step.faces,
                    took_ms=step.took_ms,
                )
            )
        case ev.RaceTileTouched(tile=tile, why=why, not_same=not_same):
            message.touch.CopyFrom(pb.StepTouch(tile=tile, not_same=not_same))
            if why is not None:
                message.touch.blockers.CopyFrom(blockers(why))
        case ev.RaceBoardShuffled(faces=faces, present=present, moved=moved):
            shown = (match_pb2.VisibleFace(tile=tile, face=faces[tile]) for tile in bits(present))
            message.shuffle.CopyFrom(pb.StepShuffle(faces=shown, moved=moved, left=step.shuffles_left))
        case ev.RaceHintShown(first=first, second=second):
            pair = solitaire_pb2.TilePair(first=first, second=second)
            message.hint.CopyFrom(pb.StepHint(pair=pair, faces=step.faces, left=step.hints_left))
        case ev.RaceSeatGaveUp():
            message.news = pb.RACE_NEWS_GAVE_UP_STUCK if step.stuck else pb.RACE_NEWS_GAVE_UP
        case ev.RaceSeatAway():
            message.news = pb.RACE_NEWS_AWAY
        case ev.RaceSeatBack():
            message.news = pb.RACE_NEWS_BACK
    return message
