"""Deals worked out anew from their facts: random ones hold, and whatever is changed in one is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from services.mcr.domain.deal.actions import Pass, Win
from services.mcr.domain.deal.decide import abort
from services.mcr.domain.deal.events import (
    ClaimAnswered,
    ClockPaused,
    DealDealt,
    DealEnded,
    Event,
    TileDiscarded,
    TileDrawn,
)
from services.mcr.domain.deal.scorer import rule_book
from services.mcr.domain.deal.terms import By, Drawn, DrawReason, Won
from services.mcr.domain.deal.verifying import differences, play_differences
from services.mcr.domain.deal.walls import lay_wall
from services.mcr.domain.pauses import Outage
from tests.support.mcr_deals import FOUR_AI, DealPlay, after, rigged
from tests.support.mcr_random_play import RandomDeal, Tally
from tests.unit.mcr.hands import STRAIGHT, hands

SEED, NONCE = bytes(range(32)), bytes(range(32, 64))


def random_deal(seed: int) -> list[Event]:
    """The facts of a random deal on a wall that follows from its seed."""
    deal = RandomDeal(seed, Tally(), is_rigged=False)
    deal.run()
    return deal.play.events


def idle_deal(*outages: Outage) -> list[Event]:
    """The facts of a deal that time plays out."""
    play = DealPlay(lay_wall(SEED, NONCE), FOUR_AI, outages=outages)
    play.wait_until(10_000_000)
    return play.events


@pytest.mark.parametrize("seed", range(8))
def test_the_facts_of_a_deal_are_what_the_rules_make_of_it(seed: int) -> None:
    """Leaving, returning and time-outs among them; of a deal that goes on too."""
    events = random_deal(seed)

    assert differences(events, rule_book) == []
    assert differences(events[: len(events) // 2], rule_book) == []


def test_pauses_and_deals_that_failed_hold_too() -> None:
    """A clock that stood still; an end without points."""
    paused = idle_deal(Outage(after(5_000), after(9_000)), Outage(after(30_000), after(70_000)))
    failed = DealPlay(lay_wall(SEED, NONCE), FOUR_AI)
    failed.take(abort(failed.state, "LookupError", after(5)))

    assert sum(isinstance(event, ClockPaused) for event in paused) == 2
    assert differences(paused, rule_book) == []
    assert differences(failed.events, rule_book) == []


def another_wall(event: Event) -> Event | None:
    """Two tiles exchanged."""
    if not isinstance(event, DealDealt):
        return None
    first, second, *others = event.wall.tiles
    return replace(event, wall=replace(event.wall, tiles=(second, first, *others)))


def another_hash(event: Event) -> Event | None:
    """A commitment to something else."""
    return replace(event, wall=replace(event.wall, commitment=SEED)) if isinstance(event, DealDealt) else None


def another_dealer(event: Event) -> Event | None:
    """Somebody else deals."""
    if not isinstance(event, DealDealt):
        return None
    return replace(event, wall=replace(event.wall, dealer=(event.wall.dealer + 1) % 4))


def earlier_time_out(event: Event) -> Event | None:
    """Time decided too early."""
    if isinstance(event, TileDiscarded) and event.by is By.TIME:
        return replace(event, occurred_at=event.occurred_at - timedelta(seconds=1))
    return None


def another_winner(event: Event) -> Event | None:
    """Somebody may win who may not."""
    return replace(event, may_win=True) if isinstance(event, TileDrawn) else None


def another_end(event: Event) -> Event | None:
    """The deal ended otherwise."""
    if not isinstance(event, DealEnded):
        return None
    return replace(event, outcome=Drawn(DrawReason.FLOWER))


@pytest.mark.parametrize(
    "change", [another_wall, another_hash, another_dealer, earlier_time_out, another_winner, another_end]
)
def test_whatever_is_changed_is_found(change: Callable[[Event], Event | None]) -> None:
    """The first place that differs is named."""
    events = idle_deal()
    at, changed = next((n, new) for n, old in enumerate(events) if (new := change(old)) is not None)
    (found, *_) = differences([*events[:at], changed, *events[at + 1 :]], rule_book)

    assert found.startswith(f"fact {at + 1}: ")


def test_a_fact_that_is_missing_or_told_twice_is_found() -> None:
    """And a stream that begins elsewhere, or goes on after the end."""
    events = random_deal(3)
    answer = ClaimAnswered(0, Pass(), By.PLAYER, events[-1].occurred_at)

    assert differences([*events[:40], *events[41:]], rule_book) != []
    assert differences([*events[:40], events[39], *events[40:]], rule_book) != []
    assert differences(events[1:], rule_book) != []
    assert differences([*events, answer], rule_book) != []
    assert differences([], rule_book) != []


def test_other_payments_are_found() -> None:
    """They follow from the score."""
    play = DealPlay(rigged(hands(s0=STRAIGHT), draws="4m"), FOUR_AI)
    play.act(0, Win())
    changed = [_unpaid(event) if isinstance(event, DealEnded) else event for event in play.events]

    assert play_differences(play.events, rule_book) == []
    (found,) = play_differences(changed, rule_book)
    assert "DealEnded" in found


def _unpaid(ended: DealEnded) -> DealEnded:
    """The end of a deal that was won, and nobody pays."""
    assert isinstance(ended.outcome, Won)
    return replace(ended, outcome=replace(ended.outcome, payments=(0, 0, 0, 0)))
