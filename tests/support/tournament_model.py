"""What a tournament comes to, worked out plainly from its facts; shares no code with what decides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from uuid import UUID

from services.tournament.domain.tournament.events import (
    Event,
    PlayerRegistered,
    PlayerWithdrew,
    PrizesAwarded,
    PrizesRevoked,
    ResultVoided,
    RoundSeated,
    StandingCorrected,
    TablePlayed,
    TournamentCancelled,
    TournamentFinished,
    TournamentScheduled,
    TournamentStarted,
)
from services.tournament.domain.tournament.terms import Prize, Terms
from services.tournament.domain.tournament.words import SeatResult

CLEARED: Final = {2: [20, 0], 3: [30, 15, 0], 4: [40, 20, 10, 0]}
NOT_CLEARED: Final = {2: [10, 0], 3: [20, 15, 0], 4: [30, 20, 10, 0]}


def table_tp(results: Sequence[SeatResult], multiplier: int) -> list[int]:
    """TP by seat, by the published table."""
    if all(result.score == 0 for result in results):
        return [0] * len(results)
    row = (CLEARED if any(result.cleared for result in results) else NOT_CLEARED)[len(results)]
    found = []
    for result in results:
        better = [r for r in results if (r.cleared, r.score) > (result.cleared, result.score)]
        equal = [r for r in results if (r.cleared, r.score) == (result.cleared, result.score)]
        share = sum(row[len(better) : len(better) + len(equal)]) // len(equal)
        found.append(share * multiplier if result.acted else 0)
    return found


@dataclass
class PlainTournament:
    """A tournament as its facts tell it."""

    events: Sequence[Event]
    accounts: dict[int, tuple[datetime, UUID]] = field(default_factory=dict)
    """Of those who were in at the start or are now: when they registered, and who they are."""
    tp: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """By round, table and player; voided ones are 0."""
    misses: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    multipliers: dict[int, int] = field(default_factory=dict)
    withdrawn: set[int] = field(default_factory=set)
    seated: list[dict[int, list[tuple[int, ...]]]] = field(default_factory=list)
    """By round: who could be seated, and the tables."""
    told: list[tuple[int, int]] = field(default_factory=list)
    """The last standing that was told."""
    paid: dict[int, tuple[int, UUID, Prize]] = field(default_factory=dict)
    """Prizes that hold, by number: place, account and goods."""
    numbers: list[int] = field(default_factory=list)
    ends: int = 0
    terms: Terms | None = None

    def __post_init__(self) -> None:
        has_started = False
        for event in self.events:
            has_started = has_started or isinstance(event, TournamentStarted)
            self._take(event, has_started=has_started)

    def _take(self, event: Event, *, has_started: bool) -> None:
        match event:
            case TournamentScheduled():
                self.terms = event.plan.terms
            case PlayerRegistered():
                self.accounts[event.player] = (event.occurred_at, event.account_id)
            case PlayerWithdrew() if has_started:
                self.withdrawn.add(event.player)
            case PlayerWithdrew():
                del self.accounts[event.player]
            case RoundSeated() | TablePlayed() | ResultVoided():
                self._take_round(event)
            case _:
                self._take_end(event)

    def _take_end(self, event: Event) -> None:
        match event:
            case TournamentFinished() | TournamentCancelled():
                self.ends += 1
                self.told = [(line.player, line.points) for line in getattr(event, "standing", ())]
            case StandingCorrected():
                self.told = [(line.player, line.points) for line in event.standing]
            case PrizesAwarded():
                for award in event.awards:
                    self.numbers.append(award.number)
                    self.paid[award.number] = (award.place, award.account_id, award.goods)
            case PrizesRevoked():
                for award in event.awards:
                    assert self.paid.pop(award.number) == (award.place, award.account_id, award.goods)

    def _take_round(self, event: RoundSeated | TablePlayed | ResultVoided) -> None:
        match event:
            case RoundSeated():
                self.multipliers[event.number] = event.multiplier
                able = {player: list[tuple[int, ...]]() for player in self.accounts if self.is_able(player)}
                for table in event.tables:
                    for player in table.players:
                        assert player in able, f"{player} is seated no more"
                        able[player].append(table.players)
                self.seated.append(able)
            case TablePlayed():
                points = table_tp([end.result for end in event.ends], self.multipliers[event.round_number])
                for end, tp in zip(event.ends, points, strict=True):
                    assert end.points == tp
                    key = (event.round_number, event.table, end.player)
                    self.tp[key], self.misses[key] = tp, not end.result.acted
            case ResultVoided():
                for player in event.players:
                    key = (event.round_number, event.table, player)
                    self.tp[key], self.misses[key] = 0, False

    def is_able(self, player: int) -> bool:
        """Whether a player may be seated."""
        missed = sum(missed for (_, _, who), missed in self.misses.items() if who == player)
        return player not in self.withdrawn and missed < 2

    @property
    def standing(self) -> list[tuple[int, int]]:
        """Players and TP in the order of the places."""
        total = {
            player: sum(tp for (_, _, who), tp in self.tp.items() if who == player)
            for player in self.accounts
        }
        order = sorted(
            self.accounts, key=lambda p: (-total[p], self.accounts[p][0], self.accounts[p][1].bytes)
        )
        return [(player, total[player]) for player in order]

    @property
    def due(self) -> dict[int, tuple[UUID, Prize]]:
        """What is to be paid, by place."""
        assert self.terms is not None
        return {
            place: (self.accounts[player][1], prize)
            for place, ((player, tp), prize) in enumerate(
                zip(self.standing, self.terms.prizes, strict=False), 1
            )
            if tp > 0 and prize != Prize()
        }
