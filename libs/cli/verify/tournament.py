"""A tournament worked out anew: its facts by the rules, its tables by the matches, its prizes in the ledger.

One that goes on is verified as far as it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.cli.verify.collect import SKEW
from libs.cli.verify.differing import Numbered, in_order
from libs.cli.verify.recompute import Finding
from libs.runtime.names import player_name
from services.ledger.assets import HOUSE_CUPS, HOUSE_JOKERS, HOUSE_POINTS, Asset
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.tournament.domain.tournament import events as ev
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.verifying import differences
from services.tournament.domain.tournament.words import Award

HOUSES: Final = {Asset.POINTS: HOUSE_POINTS, Asset.JOKER: HOUSE_JOKERS, Asset.CUP: HOUSE_CUPS}


@dataclass(frozen=True)
class PrizeMoved:
    """A transfer of a prize, or of what takes one back; it counts as received at `at`."""

    key: str
    asset: Asset
    debit: str
    credit: str
    amount: int
    at: datetime
    cup: str = ""
    """The kind of a cup."""
    reverses: str = ""
    """The key of the transfer that it takes back."""

    def __str__(self) -> str:
        """What moved where."""
        what = f"cup {self.cup}" if self.asset is Asset.CUP else f"{self.amount} {self.asset}"
        return f"{what} from {self.debit} to {self.credit} ({self.key})"


def verify_tournament(
    tournament_id: UUID,
    facts: Numbered,
    matches: Mapping[UUID, TournamentMatchEnded],
    moved: Sequence[PrizeMoved],
    cancelled: Collection[str],
) -> list[Finding]:
    """Work a tournament out anew from its facts by version.

    `matches` are the ends of its matches as the match service told them, `moved` what the ledger moved under
    its keys, `cancelled` the keys that the ledger will never post.
    """
    told = [fact for _version, fact in facts]
    return [
        in_order("tournament", facts),
        Finding("rules", _claimed(told), tuple(differences(told))),
        _check_tables(told, matches),
        _check_prizes(tournament_id, told, moved, cancelled),
    ]


def _claimed(told: Sequence[ev.Event]) -> str:
    """What the facts come to, in words."""
    players = sum(isinstance(fact, ev.PlayerRegistered) for fact in told)
    rounds = sum(isinstance(fact, ev.RoundSeated) for fact in told)
    finished = [fact for fact in told if isinstance(fact, ev.TournamentFinished | ev.StandingCorrected)]
    if finished:
        end = f"{sum(line.points for line in finished[-1].standing)} TP in the final standing"
    elif any(isinstance(fact, ev.TournamentCancelled) for fact in told):
        end = "cancelled"
    else:
        end = "it goes on"
    return f"{players} registrations, {rounds} rounds, {end}"


def _check_tables(told: Sequence[ev.Event], matches: Mapping[UUID, TournamentMatchEnded]) -> Finding:
    """The results of the tables are those of the matches that were played there.

    No table ends later than it is told: where clocks differ, the match's may be ahead by so much.
    """
    accounts = {fact.player: fact.account_id for fact in told if isinstance(fact, ev.PlayerRegistered)}
    played = [fact for fact in told if isinstance(fact, ev.TablePlayed)]
    wrong = []
    for fact in played:
        where = f"round {fact.round_number}, table {fact.table}"
        match = matches.get(fact.match_id)
        if match is None:
            wrong.append(f"{where}: no match {fact.match_id} has ended")
            continue
        if (match.round_number, match.cut) != (fact.round_number, fact.is_cut):
            wrong.append(f"{where}: the match was of round {match.round_number}, cut: {match.cut}")
        if not timedelta() <= match.occurred_at - fact.ended_at <= SKEW:
            wrong.append(f"{where}: the match ended at {match.occurred_at}, not {fact.ended_at}")
        seats = [
            (accounts.get(end.player), end.result.score, end.result.cleared, end.result.acted)
            for end in fact.ends
        ]
        if seats != _seats_of(match):
            wrong.append(f"{where}: the seats of the match ended otherwise")
    return Finding("tables", f"{len(played)} matches", tuple(wrong))


def _seats_of(match: TournamentMatchEnded) -> list[tuple[UUID | None, int, bool, bool]]:
    ends = zip(match.accounts, match.ends, match.acted, strict=True)
    return [(account, end.round_score, end.cleared, acted) for account, end, acted in ends]


def _check_prizes(
    tournament_id: UUID, told: Sequence[ev.Event], moved: Sequence[PrizeMoved], cancelled: Collection[str]
) -> Finding:
    """Each award was paid once, each that was revoked was taken back or kept from being paid."""
    due = prizes_due(tournament_id, told, cancelled)
    wrong = [f"{each} did not move" for each in (Counter(due) - Counter(moved)).elements()]
    wrong += [f"{each} moved" for each in (Counter(moved) - Counter(due)).elements()]
    awards = sum(len(fact.awards) for fact in told if isinstance(fact, ev.PrizesAwarded))
    revoked = sum(len(fact.awards) for fact in told if isinstance(fact, ev.PrizesRevoked))
    return Finding("prizes", f"{awards} paid once, {revoked} of them taken back", tuple(wrong))


def prizes_due(
    tournament_id: UUID, told: Sequence[ev.Event], cancelled: Collection[str] = ()
) -> list[PrizeMoved]:
    """What the awards of a tournament move in the ledger; `cancelled` are keys that it never posts.

    A prize that was revoked before it was paid moves nothing: the ledger keeps its key from being posted.
    """
    due: list[PrizeMoved] = []
    for fact in told:
        if isinstance(fact, ev.PrizesAwarded):
            due += [each for award in fact.awards for each in _paid(tournament_id, award, fact.finished_at)]
        elif isinstance(fact, ev.PrizesRevoked):
            due += [
                PrizeMoved(
                    f"reversal/{paid.key}",
                    paid.asset,
                    paid.credit,
                    paid.debit,
                    paid.amount,
                    paid.at,
                    paid.cup,
                    paid.key,
                )
                for award in fact.awards
                for paid in _paid(tournament_id, award, fact.finished_at)
            ]
    unpaid = {each.reverses for each in due if each.reverses} & set(cancelled)
    return [each for each in due if each.key not in unpaid and each.reverses not in unpaid]


def _paid(tournament_id: UUID, award: Award, finished_at: datetime) -> list[PrizeMoved]:
    """The transfers of an award: points, jokers and the cup, each under a key of its own."""
    player = player_name(award.account_id)
    return [
        PrizeMoved(
            f"tournament/{tournament_id}/prize/{award.number}/{asset}",
            asset,
            HOUSES[asset],
            player,
            amount,
            finished_at,
            award.goods.cup if asset is Asset.CUP else "",
        )
        for asset, amount in _amounts(award.goods)
        if amount
    ]


def _amounts(prize: Prize) -> tuple[tuple[Asset, int], ...]:
    return (Asset.POINTS, prize.points), (Asset.JOKER, prize.jokers), (Asset.CUP, int(bool(prize.cup)))
