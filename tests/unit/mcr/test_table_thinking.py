"""AI players at tables: faults of a player, stretches of a deal, and when a deal is looked at."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from libs.rules.mcr.wall import TileId
from services.mcr.domain.deal.actions import Action, Discard, Pass, Pung
from services.mcr.domain.deal.evolve import evolve
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.state import AfterDraw, DiscardWindow, Ended
from services.mcr.domain.deal.terms import AiLevel, By
from services.mcr.domain.deal.verifying import play_differences
from services.mcr.domain.deal.view import view_for
from services.mcr.tables import thinking
from services.mcr.tables.thinking import at_time, level_of, play_on, seed_of, think
from services.mcr.tables.waking import GRACE, ai_due, ai_to_act, wake_at
from tests.support.mcr_deals import FOUR_AI, FOUR_PERSONS, JUNK, DealPlay, after, rigged

DEAL_ID = UUID(int=0xDEA1)
PAUSE = timedelta(milliseconds=700)
MIXED = (FOUR_PERSONS[0], *FOUR_AI[1:])


def raising(*_asked: object) -> Action:
    """A player with a fault."""
    raise ZeroDivisionError("5m")


def cheating(*_asked: object) -> Action:
    """A player who lays down what it does not hold."""
    return Discard(TileId(200))


@pytest.mark.parametrize(("player", "fault"), [(raising, "ZeroDivisionError"), (cheating, "IllegalAction")])
def test_a_player_with_a_fault_does_what_the_rules_would(
    monkeypatch: pytest.MonkeyPatch, player: object, fault: str
) -> None:
    """In its turn the drawn tile, else a pass; only the kind of error is told."""
    monkeypatch.setattr(thinking, "choose", player)
    deal = DealPlay(rigged(), FOUR_AI).deal
    assert isinstance(deal, AfterDraw)
    thought = think(AiLevel.MIDDLE, seed_of(DEAL_ID, 0), view_for(deal, 0))
    assert (thought.action, thought.fault) == (Discard(deal.drawn), fault)


def test_a_seat_that_could_claim_passes_when_time_is_up() -> None:
    """And one that has made a pung lays down its last tile."""
    play = pung_offered()
    assert at_time(play.view(1)) == Pass()
    play.act(1, Pung(play.held(1, "5m 5m")))
    play.wait(1_000)
    assert at_time(play.view(1)) == Discard(play.table.hands[1][-1])


def test_a_deal_of_ai_players_is_played_on_in_stretches_to_its_end() -> None:
    """The same facts in stretches of any length, and every one by the rules."""
    ends = []
    for actions in (1, 7, 1_000):
        play = DealPlay(rigged(), FOUR_AI)
        deal, events = play.deal, list(play.events)
        while not isinstance(deal, Ended):
            stretch = play_on(DEAL_ID, deal, after(0), timedelta(), actions)
            assert stretch.thoughts
            for fact in stretch.events:
                deal = evolve(deal, fact)  # type: ignore[assignment]
            events += stretch.events
        ends.append(events)
    assert ends[0] == ends[1] == ends[2]
    assert play_differences(ends[0], rule_book) == []
    assert {getattr(each, "by", By.AI) for each in ends[0]} == {By.AI}


def test_a_stand_in_is_of_the_middle_level() -> None:
    """An AI player has its own."""
    deal = DealPlay(rigged(), MIXED, away=frozenset({0})).deal
    assert level_of(deal, 0) is AiLevel.MIDDLE
    assert len({seed_of(DEAL_ID, seat) for seat in range(4)}) == 4


def test_a_deal_is_looked_at_when_the_ai_acts_or_time_is_up() -> None:
    """After a pause where persons sit, at once where none does; later where a command may come late."""
    alone = DealPlay(rigged(), FOUR_AI).deal
    mine = DealPlay(rigged(), MIXED).deal
    absent = DealPlay(rigged(), MIXED, away=frozenset({0})).deal

    assert wake_at(alone, PAUSE) == after(0)
    assert wake_at(mine, PAUSE) == after(20_000) + GRACE
    assert wake_at(absent, PAUSE) == after(700)
    assert ai_due(mine, PAUSE) is None


def test_a_claim_of_the_ai_comes_while_the_tile_is_held() -> None:
    """Within the second, so that its timing tells nothing."""
    window = pung_offered().deal
    assert isinstance(window, DiscardWindow)
    assert ai_to_act(window) == (1,)
    assert ai_due(window, PAUSE) == window.table.since + PAUSE
    assert ai_due(window, timedelta(seconds=5)) == window.table.since + timedelta(seconds=1)


def pung_offered() -> DealPlay:
    """A person has discarded a tile of which the next seat, an AI, holds two."""
    hands = (JUNK[0], "5m 5m 8m 2p 5p 9p 2s 6s 9s C F P E", JUNK[2], JUNK[3])
    play = DealPlay(rigged(hands, draws="5m"), MIXED)
    play.act(0, Discard(play.held(0, "5m")[0]))
    return play
