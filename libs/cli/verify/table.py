"""A closed MCR table worked out anew: its deals from their walls, its rows and totals, and what they moved.

The deals are held to the rules of the MCR service, but hands are scored by the definition, not by the
compiled kernel that the service asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from libs.cli.verify.differing import Numbered, in_order
from libs.cli.verify.recompute import Finding
from libs.rules.mcr.hand import Hand
from libs.rules.mcr.hand import Win as LastTile
from libs.rules.mcr.profile import MIL
from libs.rules.mcr.score import score
from libs.rules.mcr.wall import SEATS
from libs.runtime.names import player_name
from services.ledger.assets import HOUSE_POINTS
from services.mcr.domain.deal import events as deal_ev
from services.mcr.domain.deal.scoring import Scorer
from services.mcr.domain.deal.terms import Aborted, FanCount, Outcome, Person, WinScore, Won
from services.mcr.domain.deal.verifying import differences
from services.mcr.domain.session import events as ev
from services.mcr.domain.session.terms import Closing, DealRow, TableTerms


@dataclass(frozen=True)
class PointsMoved:
    """A transfer of table points."""

    key: str
    debit: str
    credit: str
    points: int
    reason: str


def by_definition(hand: Hand, last: LastTile) -> WinScore | None:
    """What a hand is worth by the definition of the rules; None for one that is not complete."""
    best = score(hand, last, MIL)
    if best is None:
        return None
    times = Counter(one.fan.number for one in best.counted)
    worth = {one.fan.number: MIL.points(one.fan) for one in best.counted}
    fans = tuple(FanCount(number, count, count * worth[number]) for number, count in times.items())
    return WinScore(fans, best.total_without_flowers, best.flowers)


def verify_table(
    table: Numbered, deals: Mapping[UUID, Numbered], moved: Sequence[PointsMoved]
) -> list[Finding]:
    """Work a closed table out anew, from its facts and those of its deals by version, and the ledger's."""
    findings = verify_play(table, deals, by_definition)
    opened = table[0][1] if table else None
    if isinstance(opened, ev.TableOpened):
        rows = [event.row for _version, event in table if isinstance(event, ev.DealFinished)]
        due = transfers_due(opened.terms, rows)
        claimed = f"{len(due)} transfer{'' if len(due) == 1 else 's'}"
        findings.append(Finding("points", claimed, tuple(points_differing(due, moved))))
    return findings


def verify_play(table: Numbered, deals: Mapping[UUID, Numbered], scorer: Scorer) -> list[Finding]:
    """The same without the ledger, hands scored by `scorer`."""
    told = [event for _version, event in table]
    opened = told[0] if told else None
    if not isinstance(opened, ev.TableOpened):
        return [Finding("events", f"{len(told)} of the table", ("no table begins here",))]
    finished = [event for event in told if isinstance(event, ev.DealFinished)]
    started = [event for event in told if isinstance(event, ev.DealStarted)]
    findings = [in_order("table", table), _check_turns(opened.terms, told)]
    findings += [
        _check_deal(opened.terms, start, started[0], deals.get(start.deal_id, ()), scorer)
        for start in started
    ]
    outcomes = {deal_id: _outcome([event for _version, event in deal]) for deal_id, deal in deals.items()}
    findings.append(_check_rows(opened.terms, finished, told[-1], outcomes))
    return findings


def _check_turns(terms: TableTerms, told: Sequence[ev.Event]) -> Finding:
    """Deals are numbered, begin after the one before has ended, and the table closes where it must."""
    wrong, number, going = [], 0, False
    for event in told[1:]:
        match event:
            case ev.DealStarted():
                number += 1
                if going or event.number != number:
                    wrong.append(f"deal {event.number} began where {number} should")
                going = True
            case ev.DealFinished(row=row):
                if not going or row.number != number:
                    wrong.append(f"deal {row.number} ended where {number} should")
                going = False
            case ev.TableOpened():
                wrong.append("it was opened twice")
            case ev.TableClosed():
                wrong += [] if event is told[-1] else ["it went on after it had closed"]
    last = told[-1]
    if going or not isinstance(last, ev.TableClosed):
        wrong.append("it has not closed")
    elif (last.reason is Closing.PLAYED) != (number == terms.deals) and last.reason is not Closing.ABORTED:
        wrong.append(f"it closed as {last.reason} after {number} of {terms.deals} deals")
    return Finding("table", f"{number} of {terms.deals} deals", tuple(wrong))


def _check_deal(
    terms: TableTerms, start: ev.DealStarted, first: ev.DealStarted, deal: Numbered, scorer: Scorer
) -> Finding:
    """A deal: its wall, its commitment, every action, its outcome and payments."""
    told = [event for _version, event in deal]
    dealt = told[0] if told else None
    what, wrong = f"deal {start.number}", list(in_order(f"deal {start.number}", deal).differences)
    if not isinstance(dealt, deal_ev.DealDealt):
        return Finding(what, f"{len(told)} events", (*wrong, "no deal begins here"))
    own = dealt.terms
    if (own.table_id, own.number, own.occupants, own.limits) != (
        terms.table_id,
        start.number,
        terms.occupants,
        terms.limits,
    ):
        wrong.append("it was dealt for another table")
    dealer = (first.dealer + start.number - 1) % SEATS
    if not start.dealer == dealt.wall.dealer == dealer:
        wrong.append(f"seat {dealer} deals, not {start.dealer} and {dealt.wall.dealer}")
    wrong += differences(told, scorer)
    if not isinstance(told[-1], deal_ev.WallRevealed):
        wrong.append("its wall was not laid open")
    return Finding(what, _words(_outcome(told)), tuple(wrong))


def _check_rows(
    terms: TableTerms,
    finished: Sequence[ev.DealFinished],
    last: ev.Event,
    outcomes: Mapping[UUID, Outcome | None],
) -> Finding:
    """What the table tells of its deals is how they ended, and it is added up."""
    wrong, sums = [], [0] * SEATS
    accounts = tuple(
        each.account_id if isinstance(each, Person) and not terms.private else None
        for each in terms.occupants
    )
    for event in finished:
        row = event.row
        if row.outcome != outcomes.get(row.deal_id):
            wrong.append(f"the table tells deal {row.number} otherwise than it ended")
        sums = [total + own for total, own in zip(sums, row.payments, strict=True)]
        if list(event.totals) != sums:
            wrong.append(f"the totals are {sums} after deal {row.number}, not {list(event.totals)}")
        if event.accounts != accounts:
            wrong.append(f"deal {row.number} tells its points to others than sit there")
    if isinstance(last, ev.TableClosed):
        if list(last.totals) != sums:
            wrong.append(f"the totals are {sums}, not {list(last.totals)}")
        is_aborted = bool(finished) and isinstance(finished[-1].row.outcome, Aborted)
        if (last.reason is Closing.ABORTED) != is_aborted:
            wrong.append(f"it closed as {last.reason}")
    return Finding("totals", " ".join(f"{total:+}" for total in sums), tuple(wrong))


def transfers_due(terms: TableTerms, rows: Sequence[DealRow]) -> list[PointsMoved]:
    """What the deals of a table move in the ledger: nothing at a private table, else each person's points."""
    persons = terms.persons
    if terms.private:
        return []
    reason = "MCR" if len(persons) > 1 else "MCR_AI"
    due = []
    for row in rows:
        for occupant, points in zip(terms.occupants, row.payments, strict=True):
            if not isinstance(occupant, Person) or not points:
                continue
            player = player_name(occupant.account_id)
            sides = (HOUSE_POINTS, player) if points > 0 else (player, HOUSE_POINTS)
            key = f"table/{terms.table_id}/{row.deal_id}/{occupant.account_id}"
            due.append(PointsMoved(key, *sides, abs(points), reason))
    return due


def points_differing(due: Sequence[PointsMoved], moved: Sequence[PointsMoved]) -> list[str]:
    """What the ledger booked otherwise than it is due, each once."""
    wrong = [
        f"{each.points} points of {each.reason} did not go from {each.debit} to {each.credit} ({each.key})"
        for each in Counter(due) - Counter(moved)
    ]
    return wrong + [
        f"{each.points} points of {each.reason} went from {each.debit} to {each.credit} ({each.key})"
        for each in Counter(moved) - Counter(due)
    ]


def _outcome(told: Sequence[deal_ev.Event]) -> Outcome | None:
    return next((event.outcome for event in told if isinstance(event, deal_ev.DealEnded)), None)


def _words(outcome: Outcome | None) -> str:
    match outcome:
        case Won(winner=winner, score=worth, payments=payments):
            return f"seat {winner} won {worth.total}: {' '.join(f'{each:+}' for each in payments)}"
        case None:
            return "it has not ended"
        case _:
            return type(outcome).__name__.lower()
