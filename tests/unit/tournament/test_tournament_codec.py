"""Facts of tournaments as they are stored: each comes back as it was, and small enough."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.runtime.errors import Refused
from services.tournament.domain.calendar.rules import CalendarRule
from services.tournament.domain.series import events as series_ev
from services.tournament.domain.series.terms import Series
from services.tournament.domain.tournament import events as ev
from services.tournament.domain.tournament.terms import MAXIMUM, PRIZES_MAX, Kind, OpenToAll, Prize, Times
from services.tournament.domain.tournament.words import Award, Cancelling, Ending, Ground, Line, Plan, SeatEnd
from services.tournament.domain.tournament.words import Table as Seating
from services.tournament.wire import series_codec
from services.tournament.wire.series_codec import SeriesCodec
from services.tournament.wire.tournament_codec import TYPES, TournamentCodec
from tests.support.golden_events import stored_files
from tests.support.tournaments import (
    ABSENT,
    CHAMPIONS,
    SEED,
    START,
    TERMS,
    TOURNAMENT_ID,
    TournamentPlay,
    account,
    after,
    scored,
)

AT = after(5.000_001)
ODD_TIMES = Times(timedelta(microseconds=1), timedelta(), timedelta(milliseconds=1_500))
ENDS = (SeatEnd(1, scored(700, cleared=True), 1, 240), SeatEnd(2, ABSENT, 2, 0))
AWARDS = (Award(1, 1, 2, account(2), TERMS.prizes[0]), Award(7, 64, 512, account(3), Prize(0, 1)))
LINES = (Line(2, 240), Line(1, 0))
FACTS: list[ev.Event] = [
    *(
        ev.TournamentScheduled(plan, AT)
        for plan in (
            Plan(TOURNAMENT_ID, TERMS, START),
            Plan(TOURNAMENT_ID, CHAMPIONS, START, UUID(int=3), date(2026, 11, 30)),
            Plan(TOURNAMENT_ID, replace(TERMS, entry=OpenToAll(), times=ODD_TIMES), AT),
        )
    ),
    ev.RegistrationOpened(AT),
    *(ev.PlayerRegistered(1, account(1), points, AT) for points in (None, 0, 200)),
    ev.PlayerWithdrew(1, account(1), AT),
    ev.TournamentStarted(SEED, AT),
    ev.RoundSeated(1, 6, (Seating(UUID(int=9), (1, 2)), Seating(UUID(int=8), (3, 4, 5))), after(60), AT),
    *(ev.TablePlayed(1, 0, UUID(int=9), ENDS, is_cut, after(4), AT) for is_cut in (False, True)),
    *(ev.RoundEnded(1, next_at, AT) for next_at in (None, after(10))),
    *(ev.TournamentClosing(reason, None, AT) for reason in Ending),
    *(ev.TournamentClosing(Ending.OPERATOR, ground, AT) for ground in Ground),
    *(ev.TournamentFinished(reason, LINES, AT) for reason in Ending),
    ev.PrizesAwarded(AWARDS, after(4), AT),
    ev.PrizesRevoked(AWARDS, after(4), AT),
    *(ev.ResultVoided(1, 0, (1, 2), ground, AT) for ground in Ground),
    ev.StandingCorrected(LINES, AT),
    ev.TournamentCancelled(Cancelling.TOO_FEW, None, AT),
    *(ev.TournamentCancelled(Cancelling.OPERATOR, ground, AT) for ground in Ground),
]
SERIES_FACTS: list[series_ev.Event] = [
    series_ev.SeriesCreated(
        Series(UUID(int=4), CalendarRule(date(2026, 3, 1), time(20, 5), "FREQ=WEEKLY;BYDAY=SU"), CHAMPIONS),
        AT,
    ),
    series_ev.SeriesCreated(Series(UUID(int=4), CalendarRule(date(2026, 3, 1), time()), TERMS), AT),
    series_ev.SeriesStopped(AT),
]
EVENT_BYTES_MAX = 16_384


def recorded(type_: str, data: bytes, at: ev.Event | None = None) -> RecordedEvent:
    """A stored event."""
    return RecordedEvent(
        stream_id=TOURNAMENT_ID,
        version=1,
        type=type_,
        schema_version=1,
        occurred_at=AT if at is None else at.occurred_at,
        recorded_at=AT,
        part=Part.FACTS,
        caller=account(1),
        request_id=None,
        request_events=0,
        data=data,
    )


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_a_tournament_comes_back_as_it_was_stored(fact: ev.Event) -> None:
    """To the microsecond; table 0 and 0 points are no missing values."""
    _part, name, _version, data = TournamentCodec().encode(fact)

    assert TournamentCodec().decode(recorded(name, data)) == fact


@pytest.mark.parametrize("fact", SERIES_FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_a_series_comes_back_as_it_was_stored(fact: series_ev.Event) -> None:
    """Dates and times of day as Romania shows them."""
    _part, name, _version, data = SeriesCodec().encode(fact)

    assert SeriesCodec().decode(recorded(name, data)) == fact


def test_every_kind_of_fact_is_stored_and_kept_for_ever() -> None:
    """One type for each."""
    types = TYPES | series_codec.TYPES
    assert {type(fact) for fact in [*FACTS, *SERIES_FACTS]} == set(types)
    assert {part for part, _name in types.values()} == {Part.FACTS}
    assert len({name for _part, name in types.values()}) == len(types)


def test_an_event_of_another_stream_is_no_tournament() -> None:
    """Whoever asks for a match here is told so."""
    with pytest.raises(Refused, match="there is no such tournament"):
        TournamentCodec().decode(recorded("sparrow.match.match_created.v1", b""))
    with pytest.raises(Refused, match="there is no such series"):
        SeriesCodec().decode(recorded("sparrow.tournament.round_ended.v1", b""))


def test_there_is_a_stored_example_of_every_type() -> None:
    """What was released once stays readable."""
    stored = {content["type"] for _path, content in stored_files()}

    assert {name for _part, name in (TYPES | series_codec.TYPES).values()} <= stored


def test_the_largest_tournament_has_no_large_event() -> None:
    """512 players and 64 prizes, from the first fact to a correction; all come back."""
    terms = replace(
        TERMS,
        name="ț" * 80,
        maximum=MAXIMUM,
        prizes=(Prize(1_000_000, 1_000_000, "c" * 40),) * PRIZES_MAX,
        rounds=(6,) * 10,
        kind=Kind.ORDINARY,
    )
    play = TournamentPlay(terms).started(MAXIMUM)
    for number in range(1, 11):
        play.wait(300 * number)
        play.report_all({player: scored(1_000 - player) for player in range(1, MAXIMUM + 1)})
        play.wait(300 * number + 10)
    play.void(1, 0)
    codec, sizes = TournamentCodec(), []
    for event in play.events:
        _part, name, _version, data = codec.encode(event)
        assert codec.decode(recorded(name, data, event)) == event
        sizes.append(len(data))

    assert max(sizes) < EVENT_BYTES_MAX
    assert len(play.events) < 2_000
