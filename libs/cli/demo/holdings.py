"""Whether race ratings and chips are what races and pool matches said they would be."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from libs.cli.demo.journal import Journal
from libs.cli.demo.player import BotPlayer
from libs.client.client import SparrowClient
from libs.client.results import BoardKind


async def judge_holdings(bots: Sequence[BotPlayer], journal: Journal) -> tuple[str, ...]:
    """Return a sentence for every rating and purse that differs, and for every pot that is uneven."""
    told = await asyncio.gather(*(_rating(bots[0].client, player) for player in journal.ratings))
    ratings = dict(zip(journal.ratings, told, strict=True))
    purses = [bot for bot in bots if bot.player in journal.chips_before]
    balances = await asyncio.gather(*(bot.client.wallet.balances() for bot in purses))
    chips = {bot.player: balance.chips for bot, balance in zip(purses, balances, strict=True)}
    expected, found = journal.chips, [*uneven_pots(journal), *without_end(journal)]
    in_doubt = frozenset[str]().union(*journal.unended.values())
    found += differing("rating", journal.ratings, ratings)
    found += differing("chips", {who: expected[who] for who in chips if who not in in_doubt}, chips)
    return tuple(found)


def uneven_pots(journal: Journal) -> list[str]:
    """Return a sentence for every pot that did not give out what was staked."""
    return [
        f"pot: {match} took {pot.stake * len(pot.paid)} chips and gave {sum(pot.payouts.values())}"
        for match, pot in sorted(journal.pots.items())
        if pot.stake * len(pot.paid) != sum(pot.payouts.values())
    ]


def without_end(journal: Journal) -> list[str]:
    """Return a sentence for every match that did not end though all who sit in it have stopped."""
    ours = journal.chips_before.keys()
    return [f"pot: {match} did not end" for match, seats in sorted(journal.unended.items()) if seats <= ours]


def differing(what: str, expected: Mapping[str, int], shown: Mapping[str, int | None]) -> list[str]:
    """Return a sentence for every player who has not what was acknowledged."""
    return [
        f"{what}: {player} has {shown[player]}, acknowledged were {value}"
        for player, value in sorted(expected.items())
        if shown[player] != value
    ]


async def _rating(client: SparrowClient, player: str) -> int | None:
    """What the board of ratings shows of a player."""
    for standing in await client.standings(player):
        if standing.window.board is BoardKind.RACE_RATING and standing.entry is not None:
            return standing.entry.points
    return None
