"""`sparrow verify` on attempts at a level: one as it was played is right, what is changed is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from libs.cli.verify.attempt import verify_attempt
from libs.rules.solitaire.board import blockers
from libs.rules.solitaire.levels import level_deal
from services.match import events as ev
from services.match.commands import Deal
from tests.support.attempts import ANA, BEN, LEVEL, NEXT, after

DEALT = level_deal(LEVEL)
PAUSE_MS = 60_000
Numbered = list[tuple[int, Any]]


@pytest.fixture
def events() -> Numbered:
    """Ana clears the level, with a blocked touch, a joker for the second pair, and an outage."""
    deal = Deal(LEVEL, DEALT.catalogue_version, False, DEALT.layout, "Some", DEALT.faces)
    blocked = next(
        tile for tile in range(DEALT.layout.size) if blockers(DEALT.layout, DEALT.layout.full, tile)
    )
    why = blockers(DEALT.layout, DEALT.layout.full, blocked)
    assert why is not None
    told: list[Any] = [
        ev.AttemptStarted(ANA, deal, after(0)),
        ev.TouchBlocked(blocked, why, after(100)),
        ev.ClockPaused(after(200), after(200 + PAUSE_MS), after(200 + PAUSE_MS)),
    ]
    ms = PAUSE_MS + 1_000
    for number, (first, second) in enumerate(DEALT.certificate):
        ms += 10
        told.append(ev.TileLifted(first, None, after(ms)))
        if number == 1:
            told.append(ev.JokerRequested(0, 1, first, second, after(ms)))
            told.append(ev.JokerUsed(0, 1, first, second, 0, 0, after(ms)))
        else:
            told.append(ev.PairRemoved(first, second, after(ms)))
    told.append(ev.AttemptCleared(ANA, LEVEL, DEALT.catalogue_version, ms - PAUSE_MS, 2, 10, 5, after(ms)))
    return list(enumerate(told, 1))


def wrong(events: Numbered) -> set[str]:
    """What is not as it is claimed to be."""
    return {finding.what for finding in verify_attempt(events) if not finding.ok}


def test_an_attempt_as_it_was_played_is_right(events: Numbered) -> None:
    """Deal, moves and time come out the same; so do those of one that was left or restarted."""
    findings = verify_attempt(events)
    began = events[:5]
    left = [*began, (6, ev.AttemptLeft(ANA, LEVEL, after(PAUSE_MS + 2_000)))]
    restarted = [*began, (6, ev.AttemptRestarted(ANA, LEVEL, NEXT, after(PAUSE_MS + 2_000)))]

    assert [finding.what for finding in findings] == ["events", "deal", "moves", "result"]
    assert wrong(events) == set(), [finding.differences for finding in findings]
    assert wrong(left) == wrong(restarted) == set()


@pytest.mark.parametrize(
    ("kind", "change", "found"),
    [
        (
            ev.AttemptStarted,
            lambda event: replace(event, deal=replace(event.deal, faces=event.deal.faces[::-1])),
            "deal",
        ),
        (ev.AttemptStarted, lambda event: replace(event, deal=replace(event.deal, level=8)), "deal"),
        (ev.TileLifted, lambda event: replace(event, tile=event.tile ^ 1), "moves"),
        (ev.TouchBlocked, lambda event: replace(event, tile=event.tile + 1), "moves"),
        (ev.PairRemoved, lambda event: replace(event, second=event.first), "moves"),
        (ev.JokerUsed, lambda event: replace(event, number=2), "moves"),
        (ev.ClockPaused, lambda event: replace(event, until=after(300)), "result"),
        (ev.AttemptCleared, lambda event: replace(event, elapsed_ms=1), "result"),
        (ev.AttemptCleared, lambda event: replace(event, place=1), "result"),
        (ev.AttemptCleared, lambda event: replace(event, time_bonus_points=10), "result"),
        (ev.AttemptCleared, lambda event: replace(event, first_completion_points=20), "result"),
        (ev.AttemptCleared, lambda event: replace(event, account_id=BEN), "result"),
    ],
)
def test_what_is_changed_afterwards_is_found(
    events: Numbered, kind: type[Any], change: Callable[[Any], Any], found: str
) -> None:
    """Deal, touches, jokers, pauses, time, place and points."""
    place = max(at for at, (_version, event) in enumerate(events) if isinstance(event, kind))
    events[place] = (events[place][0], change(events[place][1]))

    assert found in wrong(events)


def test_an_event_left_out_is_found(events: Numbered) -> None:
    """Versions are gapless, and the board was not cleared."""
    del events[3:5]

    assert {"events", "result"} <= wrong(events)
