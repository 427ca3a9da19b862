"""Facts of deals and tables as they are stored: each comes back as it was, and small enough."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from libs.eventsourcing.envelope import Part, RecordedEvent
from libs.rules.mcr.wall import TileId
from libs.runtime.errors import Refused
from services.mcr.domain.deal import events as ev
from services.mcr.domain.deal.actions import Chow, Kong, Pass, Pung, Win
from services.mcr.domain.deal.terms import (
    Aborted,
    Ai,
    AiLevel,
    AwayReason,
    By,
    DealTerms,
    Drawn,
    DrawReason,
    FanCount,
    Limits,
    Person,
    Source,
    WinKind,
    WinScore,
    Won,
)
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.session import events as table_ev
from services.mcr.domain.session.terms import Closing, DealRow, TableTerms
from services.mcr.wire import deal_codec, table_codec
from services.mcr.wire.deal_codec import DealCodec
from services.mcr.wire.table_codec import TableCodec
from tests.support.mcr_deals import FOUR_PERSONS, PLAYERS, TABLE_ID, after
from tests.support.mcr_random_play import RandomDeal, Tally

AT = after(5)
SEED = bytes(range(32))
ANY_SEATS = (Person(PLAYERS[0]), Ai(AiLevel.EASY), Ai(AiLevel.MIDDLE), Ai(AiLevel.STRONG))
LIMITS = Limits(timedelta(seconds=3), timedelta(seconds=2), timedelta(milliseconds=1_500))
TERMS = DealTerms(TABLE_ID, 7, ANY_SEATS, frozenset({0}), LIMITS, timedelta(seconds=10))
TWO, THREE = (TileId(0), TileId(5)), (TileId(1), TileId(2), TileId(3))
SCORE = WinScore((FanCount(28, 1, 16), FanCount(70, 2, 2)), 18, 3)
WON = Won(2, 0, WinKind.DISCARD, TileId(0), SCORE, (-29, -8, 45, -8))
SELF_DRAWN = Won(2, None, WinKind.SELF_DRAWN, TileId(135), SCORE, (-29, -29, 87, -29))
ROBBED = Won(0, 3, WinKind.ROBBED_KONG, TileId(9), WinScore((), 8, 0), (32, -8, -8, -16))
TOTALS, ACCOUNTS = (-1, 0, 4, -3), (PLAYERS[0], None, PLAYERS[2], None)
OUTCOMES = (WON, SELF_DRAWN, ROBBED, Drawn(DrawReason.WALL), Drawn(DrawReason.FLOWER), Aborted("LookupError"))

DEAL_FACTS: list[ev.Event] = [
    ev.DealDealt(TERMS, lay_wall(SEED, SEED), AT),
    ev.DealDealt(DealTerms(TABLE_ID, 1, FOUR_PERSONS), lay_wall(SEED, SEED), AT),
    ev.FlowerReplaced(0, TileId(136), TileId(0), may_win=True, occurred_at=AT),
    ev.FlowerReplaced(3, TileId(143), None, may_win=False, occurred_at=AT),
    ev.PlayBegan(may_win=True, occurred_at=AT),
    *(ev.TileDrawn(1, TileId(0), source, may_win=True, occurred_at=AT) for source in Source),
    *(ev.TileDiscarded(0, TileId(0), by, (1, 3), AT) for by in By),
    *(
        ev.ClaimAnswered(3, answer, By.AI, AT)
        for answer in (Pass(), Win(), Pung(TWO), Kong(THREE), Chow(TWO))
    ),
    *(ev.TileClaimed(3, claim, AT) for claim in (Pung(TWO), Kong(THREE), Chow(TWO))),
    ev.KongDeclared(2, (TileId(0), *THREE), By.PLAYER, AT),
    ev.KongAdded(2, TileId(0), By.PLAYER, (), AT),
    *(ev.DealEnded(outcome, AT) for outcome in OUTCOMES),
    ev.WallRevealed(1, SEED, SEED, AT),
    *(ev.SeatLeft(1, reason, AT) for reason in AwayReason),
    ev.SeatReturned(0, AT),
    ev.ClockPaused(after(1), after(2), AT),
]
TABLE_FACTS: list[table_ev.Event] = [
    table_ev.TableOpened(TableTerms(TABLE_ID, ANY_SEATS, 16, LIMITS, timedelta(seconds=1)), AT),
    table_ev.TableOpened(TableTerms(TABLE_ID, ANY_SEATS, 1, LIMITS, timedelta(), private=True), AT),
    table_ev.DealStarted(1, UUID(int=9), 0, AT),
    *(table_ev.DealFinished(DealRow(2, UUID(int=9), 3, each), TOTALS, ACCOUNTS, AT) for each in OUTCOMES),
    *(table_ev.TableClosed(reason, TOTALS, AT) for reason in Closing),
]


def recorded(type_: str, data: bytes) -> RecordedEvent:
    """A stored event."""
    return RecordedEvent(
        stream_id=UUID(int=1),
        version=1,
        type=type_,
        schema_version=1,
        occurred_at=AT,
        recorded_at=AT,
        part=Part.MOVES,
        caller=PLAYERS[0],
        request_id=None,
        request_events=0,
        data=data,
    )


@pytest.mark.parametrize("fact", DEAL_FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_a_deal_comes_back_as_it_was_stored(fact: ev.Event) -> None:
    """Bytes and back; tile 0 and seat 0 are no missing values."""
    _part, name, _version, data = DealCodec().encode(fact)

    assert DealCodec().decode(recorded(name, data)) == fact


@pytest.mark.parametrize("fact", TABLE_FACTS, ids=lambda fact: type(fact).__name__)
def test_a_fact_of_a_table_comes_back_as_it_was_stored(fact: table_ev.Event) -> None:
    """Bytes and back."""
    _part, name, _version, data = TableCodec().encode(fact)

    assert TableCodec().decode(recorded(name, data)) == fact


def test_every_kind_of_fact_is_stored_and_what_others_act_on_is_kept_for_ever() -> None:
    """One type for each; moves may be dropped after a while, facts never are."""
    assert {type(fact) for fact in DEAL_FACTS} == set(deal_codec.TYPES)
    assert {type(fact) for fact in TABLE_FACTS} == set(table_codec.TYPES)
    kept = {kind for kind, (part, _name) in deal_codec.TYPES.items() if part is Part.FACTS}
    assert kept == {ev.DealEnded, ev.WallRevealed}
    assert {part for part, _name in table_codec.TYPES.values()} == {Part.FACTS}


def test_whole_deals_come_back_and_no_event_is_large() -> None:
    """Every event of random deals; the largest is the dealing itself."""
    codec, largest = DealCodec(), 0
    for seed in range(4):
        deal = RandomDeal(seed, Tally())
        deal.run()
        for event in deal.play.events:
            _part, name, _version, data = codec.encode(event)
            stored = codec.decode(recorded(name, data))
            assert type(stored) is type(event)
            largest = max(largest, len(data))

    assert largest < 1_024


def test_the_stream_of_something_else_is_no_deal_and_no_table() -> None:
    """NOT_FOUND."""
    for codec, name in (
        (DealCodec(), "sparrow.mcr.table_opened.v1"),
        (TableCodec(), "sparrow.mcr.deal_dealt.v1"),
    ):
        with pytest.raises(Refused) as error:
            codec.decode(recorded(name, b""))
        assert error.value.reason == "NOT_FOUND"
