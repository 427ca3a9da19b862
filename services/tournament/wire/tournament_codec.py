"""Events of tournaments to stored bytes and back. All are facts: others act on them, they stay for ever."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from google.protobuf.message import Message

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.pb.sparrow.tournament.v1 import tournament_event_pb2 as pb
from libs.runtime.errors import Refused
from services.tournament.domain.tournament import events as ev
from services.tournament.wire.words import (
    CANCELLINGS,
    ENDINGS,
    GROUNDS,
    award_message,
    awards_of,
    instant,
    key_of,
    line_message,
    lines_of,
    plan_of,
    scheduled_message,
    seat_message,
    seat_of,
    seating_message,
    seating_of,
    timestamp,
)

SCHEMA_VERSION: Final = 1

TYPES: Final[dict[type[Any], tuple[Part, str]]] = {
    ev.TournamentScheduled: (Part.FACTS, "sparrow.tournament.tournament_scheduled.v1"),
    ev.RegistrationOpened: (Part.FACTS, "sparrow.tournament.registration_opened.v1"),
    ev.PlayerRegistered: (Part.FACTS, "sparrow.tournament.player_registered.v1"),
    ev.PlayerWithdrew: (Part.FACTS, "sparrow.tournament.player_withdrew.v1"),
    ev.TournamentStarted: (Part.FACTS, "sparrow.tournament.tournament_started.v1"),
    ev.RoundSeated: (Part.FACTS, "sparrow.tournament.round_seated.v1"),
    ev.TablePlayed: (Part.FACTS, "sparrow.tournament.table_played.v1"),
    ev.RoundEnded: (Part.FACTS, "sparrow.tournament.round_ended.v1"),
    ev.TournamentClosing: (Part.FACTS, "sparrow.tournament.tournament_closing.v1"),
    ev.TournamentFinished: (Part.FACTS, "sparrow.tournament.tournament_finished.v1"),
    ev.PrizesAwarded: (Part.FACTS, "sparrow.tournament.prizes_awarded.v1"),
    ev.PrizesRevoked: (Part.FACTS, "sparrow.tournament.prizes_revoked.v1"),
    ev.ResultVoided: (Part.FACTS, "sparrow.tournament.result_voided.v1"),
    ev.StandingCorrected: (Part.FACTS, "sparrow.tournament.standing_corrected.v1"),
    ev.TournamentCancelled: (Part.FACTS, "sparrow.tournament.tournament_cancelled.v1"),
}


class TournamentCodec:
    """The codec of the streams of tournaments."""

    def encode(self, event: ev.Event) -> tuple[Part, str, int, bytes]:
        """The part, the type, the schema version and the bytes of an event."""
        part, name = TYPES[type(event)]
        return part, name, SCHEMA_VERSION, to_message(event).SerializeToString(deterministic=True)

    def decode(self, recorded: RecordedEvent) -> ev.Event:
        """The event that was stored. Raises Refused NOT_FOUND for that of a stream that is no tournament."""
        if recorded.type not in _DECODERS:
            raise Refused("NOT_FOUND", "there is no such tournament")
        return _DECODERS[recorded.type](recorded.data, recorded.occurred_at)


def to_message(event: ev.Event) -> Message:
    """The message that is stored for an event; `occurred_at` stands in the envelope."""
    match event:
        case ev.TournamentScheduled(plan=plan):
            return scheduled_message(plan)
        case ev.RegistrationOpened():
            return pb.RegistrationOpened()
        case ev.PlayerRegistered(player, account_id, prize_points):
            return pb.PlayerRegistered(
                registration=player, account_id=str(account_id), prize_points=prize_points
            )
        case ev.PlayerWithdrew(player, account_id):
            return pb.PlayerWithdrew(registration=player, account_id=str(account_id))
        case ev.TournamentStarted(seed=seed):
            return pb.TournamentStarted(seed=seed)
        case ev.TournamentCancelled(reason=cancelling, ground=ground):
            return pb.TournamentCancelled(reason=CANCELLINGS[cancelling], ground=GROUNDS[ground])
        case _:
            return _round_message(event)


_Round = ev.RoundSeated | ev.TablePlayed | ev.RoundEnded | ev.ResultVoided
_End = (
    ev.TournamentClosing | ev.TournamentFinished | ev.PrizesAwarded | ev.PrizesRevoked | ev.StandingCorrected
)


def _round_message(event: _Round | _End) -> Message:
    match event:
        case ev.RoundSeated(number, multiplier, tables, ends_at):
            seatings = map(seating_message, tables)
            return pb.RoundSeated(
                number=number, multiplier=multiplier, tables=seatings, end_time=timestamp(ends_at)
            )
        case ev.TablePlayed():
            return pb.TablePlayed(
                round_number=event.round_number,
                table=event.table,
                match_id=str(event.match_id),
                ends=map(seat_message, event.ends),
                is_cut=event.is_cut,
                ended_time=timestamp(event.ended_at),
            )
        case ev.RoundEnded(number, next_at):
            return pb.RoundEnded(number=number, next_time=None if next_at is None else timestamp(next_at))
        case ev.ResultVoided(round_number, table, players, ground):
            return pb.ResultVoided(
                round_number=round_number, table=table, registrations=players, ground=GROUNDS[ground]
            )
        case _:
            return _end_message(event)


def _end_message(event: _End) -> Message:
    match event:
        case ev.TournamentClosing(reason, ground):
            return pb.TournamentClosing(reason=ENDINGS[reason], ground=GROUNDS[ground])
        case ev.TournamentFinished(reason, standing):
            return pb.TournamentFinished(reason=ENDINGS[reason], standing=map(line_message, standing))
        case ev.PrizesAwarded(awards, finished_at):
            return pb.PrizesAwarded(awards=map(award_message, awards), finish_time=timestamp(finished_at))
        case ev.PrizesRevoked(awards, finished_at):
            return pb.PrizesRevoked(awards=map(award_message, awards), finish_time=timestamp(finished_at))
        case ev.StandingCorrected(standing):
            return pb.StandingCorrected(standing=map(line_message, standing))


def _scheduled(data: bytes, at: datetime) -> ev.Event:
    return ev.TournamentScheduled(plan_of(pb.TournamentScheduled.FromString(data)), at)


def _opened(_data: bytes, at: datetime) -> ev.Event:
    return ev.RegistrationOpened(at)


def _registered(data: bytes, at: datetime) -> ev.Event:
    m = pb.PlayerRegistered.FromString(data)
    points = m.prize_points if m.HasField("prize_points") else None
    return ev.PlayerRegistered(m.registration, UUID(m.account_id), points, at)


def _withdrew(data: bytes, at: datetime) -> ev.Event:
    m = pb.PlayerWithdrew.FromString(data)
    return ev.PlayerWithdrew(m.registration, UUID(m.account_id), at)


def _started(data: bytes, at: datetime) -> ev.Event:
    return ev.TournamentStarted(pb.TournamentStarted.FromString(data).seed, at)


def _seated(data: bytes, at: datetime) -> ev.Event:
    m = pb.RoundSeated.FromString(data)
    return ev.RoundSeated(m.number, m.multiplier, tuple(map(seating_of, m.tables)), instant(m.end_time), at)


def _played(data: bytes, at: datetime) -> ev.Event:
    m = pb.TablePlayed.FromString(data)
    ends = tuple(map(seat_of, m.ends))
    return ev.TablePlayed(
        m.round_number, m.table, UUID(m.match_id), ends, m.is_cut, instant(m.ended_time), at
    )


def _round_ended(data: bytes, at: datetime) -> ev.Event:
    m = pb.RoundEnded.FromString(data)
    return ev.RoundEnded(m.number, instant(m.next_time) if m.HasField("next_time") else None, at)


def _closing(data: bytes, at: datetime) -> ev.Event:
    m = pb.TournamentClosing.FromString(data)
    return ev.TournamentClosing(key_of(ENDINGS, m.reason), key_of(GROUNDS, m.ground), at)


def _finished(data: bytes, at: datetime) -> ev.Event:
    m = pb.TournamentFinished.FromString(data)
    return ev.TournamentFinished(key_of(ENDINGS, m.reason), lines_of(m.standing), at)


def _awarded(data: bytes, at: datetime) -> ev.Event:
    m = pb.PrizesAwarded.FromString(data)
    return ev.PrizesAwarded(awards_of(m.awards), instant(m.finish_time), at)


def _revoked(data: bytes, at: datetime) -> ev.Event:
    m = pb.PrizesRevoked.FromString(data)
    return ev.PrizesRevoked(awards_of(m.awards), instant(m.finish_time), at)


def _voided(data: bytes, at: datetime) -> ev.Event:
    m = pb.ResultVoided.FromString(data)
    ground = key_of(GROUNDS, m.ground)
    assert ground is not None, "an operator had one"
    return ev.ResultVoided(m.round_number, m.table, tuple(m.registrations), ground, at)


def _corrected(data: bytes, at: datetime) -> ev.Event:
    return ev.StandingCorrected(lines_of(pb.StandingCorrected.FromString(data).standing), at)


def _cancelled(data: bytes, at: datetime) -> ev.Event:
    m = pb.TournamentCancelled.FromString(data)
    return ev.TournamentCancelled(key_of(CANCELLINGS, m.reason), key_of(GROUNDS, m.ground), at)


_DECODERS: Final[dict[str, Callable[[bytes, datetime], ev.Event]]] = {
    TYPES[kind][1]: decoder
    for kind, decoder in {
        ev.TournamentScheduled: _scheduled,
        ev.RegistrationOpened: _opened,
        ev.PlayerRegistered: _registered,
        ev.PlayerWithdrew: _withdrew,
        ev.TournamentStarted: _started,
        ev.RoundSeated: _seated,
        ev.TablePlayed: _played,
        ev.RoundEnded: _round_ended,
        ev.TournamentClosing: _closing,
        ev.TournamentFinished: _finished,
        ev.PrizesAwarded: _awarded,
        ev.PrizesRevoked: _revoked,
        ev.ResultVoided: _voided,
        ev.StandingCorrected: _corrected,
        ev.TournamentCancelled: _cancelled,
    }.items()
}
