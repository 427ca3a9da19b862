"""Whether a tournament of a demo is right: what clients are shown, what bots saw, and what was logged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from libs.cli.demo.holdings import differing
from libs.cli.demo.journal import Journal
from libs.cli.demo.tournament_player import TournamentPlayer
from libs.cli.demo.tournament_points import differing_points, differing_prizes, differing_seats
from libs.cli.verify.games import NotThere, verify_held_tournament
from libs.cli.verify.recompute import Finding
from libs.cli.verify.tournament_lateness import steps_late_s
from libs.client.operator import OperatorClient
from libs.client.results import BoardKind
from libs.client.rounds import SeatResult
from libs.client.tournament_views import Tournament, TournamentLine, TournamentPrize, TournamentTable

BOARDS: Final = (BoardKind.AMR, BoardKind.WEEKLY, BoardKind.DAILY)


@dataclass(frozen=True)
class TournamentVerdict:
    """A tournament as clients are shown it, and what differs."""

    page: Tournament
    lines: tuple[TournamentLine, ...]
    rounds: tuple[tuple[int, tuple[TournamentTable, ...]], ...]
    """With their multipliers."""
    findings: tuple[Finding, ...]
    """What working it out anew from the events found."""
    steps_late_s: tuple[float, ...]
    """How late each opening, start, seating and end by the clock was taken."""
    differences: tuple[str, ...]

    @property
    def is_right(self) -> bool:
        """Whether it is over and nothing differs."""
        sound = bool(self.findings) and all(finding.ok for finding in self.findings)
        return self.page.status.is_over and sound and not self.differences


async def judge_tournament(
    site: Callable[[], tuple[str, str]],
    bots: Sequence[TournamentPlayer],
    name: str,
    journal: Journal,
    jokers_before: Mapping[str, int],
) -> TournamentVerdict:
    """Hold a tournament against what the bots saw and against its events; `site` is the operator's way in."""
    tournaments = bots[0].client.tournaments
    page = await tournaments.get(name)
    lines = [line async for line in tournaments.standing(name)]
    last = page.round.number if page.round is not None else 0
    rounds = [
        (
            page.terms.multipliers[number - 1],
            tuple([table async for table in tournaments.tables(name, number)]),
        )
        for number in range(1, last + 1)
    ]
    seen = {key: done.result for key, done in journal.seats.items() if isinstance(done.result, SeatResult)}
    wrong = differing_points(rounds, lines)
    wrong += differing_prizes(lines, page.terms.prizes if page.status.is_over else ())
    wrong += differing_seats(seen, rounds)
    wrong += await _differing_goods(bots, lines[: len(page.terms.prizes) + 1], jokers_before)
    async with OperatorClient(*site()) as operator:
        tournament_id = UUID(name.rpartition("/")[2])
        found = await verify_held_tournament(operator, tournament_id)
        late_s = await steps_late_s(operator, tournament_id)
    findings = () if isinstance(found, NotThere) else tuple(found)
    return TournamentVerdict(page, tuple(lines), tuple(rounds), findings, late_s, tuple(wrong))


async def _differing_goods(
    bots: Sequence[TournamentPlayer], lines: Sequence[TournamentLine], jokers_before: Mapping[str, int]
) -> list[str]:
    """Return a sentence for everybody who has not exactly what the prize brings: paid once, no more."""
    by_player, wrong = {bot.player: bot for bot in bots}, list[str]()
    for line in lines:
        player, prize = line.player, line.prize or TournamentPrize()
        client = by_player[player].client
        balances = await client.wallet.balances()
        jokers = jokers_before[player] + prize.jokers
        wrong += differing("jokers", {player: jokers}, {player: balances.jokers})
        if dict(balances.cups) != ({prize.cup: 1} if prize.cup else {}):
            wrong.append(f"cups: {player} has {dict(balances.cups)}, the prize is {prize.cup or 'none'}")
        shown = {
            standing.window.board: standing.entry.points if standing.entry is not None else 0
            for standing in await client.standings(player)
        }
        for board in BOARDS:
            wrong += differing(board.value, {player: prize.points}, {player: shown.get(board)})
    return wrong
