"""A rule engine that raises ends its own deal with a fact and moves no points; others go on."""

from __future__ import annotations

from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from services.mcr.domain.deal.actions import Discard
from services.mcr.domain.deal.commands import Act
from services.mcr.domain.deal.decide import decide
from services.mcr.domain.deal.events import DealEnded, WallRevealed
from services.mcr.domain.deal.failing import Failed, decide_or_end, settle_or_end
from services.mcr.domain.deal.refusal import Refusal
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.settle import settle
from services.mcr.domain.deal.state import Ended
from services.mcr.domain.deal.terms import Aborted, WinScore, payments_of
from tests.support.mcr_deals import DealPlay, after, rigged


def broken(hand: Hand, last: LastTile) -> WinScore | None:
    """A scorer with a fault, whose text names a tile."""
    message = f"no reading for {last.tile}"
    raise LookupError(message)


def test_a_command_on_which_the_rules_raise_ends_the_deal() -> None:
    """The wall is laid open, the fault is told without any text of it."""
    play = DealPlay(rigged(draws="9m"))
    command = Act(play.actor(0), Discard(play.held(0, "9m")[0]), play.table.decision, after(10))
    failed = decide_or_end(command, play.state, broken)

    assert isinstance(failed, Failed)
    assert failed.fault == "LookupError"
    assert [type(event) for event in failed.events] == [DealEnded, WallRevealed]
    play.take(failed.events)
    outcome = play.shape(Ended).outcome
    assert outcome == Aborted("LookupError")
    assert payments_of(outcome) == (0, 0, 0, 0)


def test_a_deadline_on_which_the_rules_raise_ends_the_deal() -> None:
    """Otherwise it would come due again and again."""
    play = DealPlay(rigged(draws="9m"))
    failed = settle_or_end(play.state, after(20_000), broken)

    assert isinstance(failed, Failed)
    play.take(failed.events)
    assert settle_or_end(play.state, after(90_000), broken) == []


def test_without_a_fault_the_answer_is_that_of_the_rules() -> None:
    """Facts and refusals alike."""
    play = DealPlay(rigged(draws="9m"))
    tile, number = Discard(play.held(0, "9m")[0]), play.table.decision
    for command in (Act(play.actor(seat), tile, number, after(10)) for seat in (0, 1)):
        assert decide_or_end(command, play.state, rule_book) == decide(command, play.state, rule_book)
    assert settle_or_end(play.state, after(20_000), rule_book) == settle(play.state, after(20_000), rule_book)
    assert (
        decide_or_end(Act(play.actor(1), tile, number, after(10)), play.state, broken)
        is Refusal.NOT_YOUR_TURN
    )
