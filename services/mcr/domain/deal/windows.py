"""Claim windows: what each seat could claim, whose claim goes first, and when the outcome is certain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from libs.rules.mcr.claims import Priority, chows, distance, kongs, pungs
from libs.rules.mcr.wall import SEATS
from services.mcr.domain.deal.actions import Chow, Claim, Kong, Pass, Pung, Win
from services.mcr.domain.deal.state import RobbingWindow, Window

PRIORITIES: Final[Mapping[type[Claim], Priority]] = {
    Win: Priority.WIN,
    Pung: Priority.PUNG_OR_KONG,
    Kong: Priority.PUNG_OR_KONG,
    Chow: Priority.CHOW,
}
Rank = tuple[int, int]
"""Higher goes first: what is claimed, then nearness to the discarder in turn order."""


def claims_of(window: Window, seat: int) -> tuple[Claim, ...]:
    """What a seat could claim, whether it has answered or not; nothing for whose tile it is."""
    if seat == window.seat:
        return ()
    win: list[Claim] = [Win()] if seat in window.may_win else []
    if isinstance(window, RobbingWindow) or window.table.wall_left == 0:
        return tuple(win)
    hand, tile = window.table.hands[seat], window.tile
    same = [*map(Pung, pungs(tile, hand)), *map(Kong, kongs(tile, hand))]
    sequences = map(Chow, chows(tile, hand)) if distance(seat, window.seat) == 1 else ()
    return (*win, *same, *sequences)


def rank(window: Window, seat: int, claim: Claim) -> Rank:
    """Where a claim stands among others."""
    return (PRIORITIES[type(claim)], -distance(seat, window.seat))


def pending(window: Window) -> tuple[int, ...]:
    """The seats that could claim something and have not answered."""
    return tuple(seat for seat in range(SEATS) if window.answers[seat] is None and claims_of(window, seat))


def best_claim(window: Window) -> tuple[int, Claim] | None:
    """The claim that goes first of those that were made."""
    made = [
        (seat, answer)
        for seat, answer in enumerate(window.answers)
        if answer is not None and not isinstance(answer, Pass)
    ]
    return max(made, key=lambda each: rank(window, *each), default=None)


def is_certain(window: Window) -> bool:
    """Whether no answer that is missing can change the outcome."""
    waited_for = pending(window)
    best = best_claim(window)
    if best is None:
        return not waited_for
    sure = rank(window, *best)
    return all(rank(window, seat, claim) < sure for seat in waited_for for claim in claims_of(window, seat))
