"""`sparrow verify` on tournaments: the rules, the matches at the tables, and prizes that the ledger moved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

import pytest

from libs.cli.verify.games import NotThere, verify_held_tournament
from libs.cli.verify.recompute import Finding
from libs.eventsourcing.envelope import Part
from services.ledger.events import LedgerEvent, TransferCancelled, TransferPosted
from services.ledger.wire import events as ledger_wire
from services.ledger.wire.prize_facts import PRIZE_REASON, steps_of_prize_fact
from services.match.domain.rivals.match_events import TournamentMatchEnded
from services.match.domain.rivals.terms import SeatEnd
from services.match.wire.match_facts import tournament_match_message
from services.match.wire.round_codec import TYPES as MATCH_TYPES
from services.tournament.domain.tournament import events as ev
from services.tournament.domain.tournament.terms import Prize
from services.tournament.domain.tournament.words import SeatEnd as TableEnd
from services.tournament.wire.tournament_codec import TournamentCodec
from tests.support.prize_feeds import SOURCE, recorded, stored
from tests.support.stored_feeds import Stored
from tests.support.tournaments import TERMS, TOURNAMENT_ID, TournamentPlay, account, after, scored

WHAT = ["events", "rules", "tables", "prizes"]
LATER = after(4_000)


@dataclass
class Held:
    """A tournament as services logged it, before anything is changed."""

    facts: list[ev.Event]
    matches: list[TournamentMatchEnded]
    ledger: list[LedgerEvent]

    def change_fact(self, kind: type[ev.Event], changed: ev.Event) -> None:
        """Put another fact in the place of the first of its kind."""
        place = next(number for number, fact in enumerate(self.facts) if isinstance(fact, kind))
        self.facts[place] = changed

    def first(self, kind: type[ev.Event]) -> ev.Event:
        """The first fact of a kind."""
        return next(fact for fact in self.facts if isinstance(fact, kind))

    async def wrong(self) -> list[str]:
        """What is found wrong, by the names of the findings."""
        found = await verify_held_tournament(self.logged(), TOURNAMENT_ID)
        assert isinstance(found, list)
        assert [each.what for each in found] == WHAT
        return [each.what for each in found if isinstance(each, Finding) and not each.ok]

    def logged(self) -> Stored:
        """The feeds."""
        feeds = Stored()
        feeds.play(TOURNAMENT_ID, TournamentCodec(), self.facts, "tournament")
        for match in self.matches:
            feeds.add("match", match.match_id, 2, _stored_end(match), match.occurred_at)
        for number, fact in enumerate(self.ledger, 1):
            at = fact.occurred_at if isinstance(fact, TransferPosted) else LATER
            new = ledger_wire.encode(fact, at)
            whole = (new.part, new.type, new.schema_version, new.data)
            feeds.add("ledger", UUID(int=number), 1, whole, at)
        return feeds


def _stored_end(match: TournamentMatchEnded) -> tuple[Part, str, int, bytes]:
    part, type_ = MATCH_TYPES[TournamentMatchEnded]
    return part, type_, 1, tournament_match_message(match).SerializeToString()


def _match_of(played: ev.TablePlayed, ends: Sequence[TableEnd]) -> TournamentMatchEnded:
    return TournamentMatchEnded(
        played.match_id,
        TOURNAMENT_ID,
        played.round_number,
        tuple(account(end.player) for end in ends),
        tuple(SeatEnd(end.place, end.result.score, end.result.cleared, 0) for end in ends),
        tuple(end.result.acted for end in ends),
        played.is_cut,
        played.ended_at,
    )


def _paid(fact: ev.PrizesAwarded | ev.PrizesRevoked) -> list[TransferPosted]:
    """What the ledger makes of awards."""
    awarded = ev.PrizesAwarded(fact.awards, fact.finished_at, fact.occurred_at)
    steps = steps_of_prize_fact(recorded(stored(awarded), TOURNAMENT_ID, fact.occurred_at), SOURCE)
    orders = [step for step in steps if not hasattr(step, "order")]
    return [
        TransferPosted(
            each.key,
            each.asset,
            each.debit,
            each.credit,
            each.amount,
            PRIZE_REASON,
            fact.finished_at,
            fact.finished_at.date(),
            "",
            each.cause,
            "",
            each.cup_kind,
        )
        for each in orders
    ]


def _reversed(paid: TransferPosted) -> TransferPosted:
    return replace(paid, key=f"reversal/{paid.key}", debit=paid.credit, credit=paid.debit, reverses=paid.key)


def held(*, voided: bool = True) -> Held:
    """Two rounds of five players; the winner's second result is voided after the end."""
    play = TournamentPlay(replace(TERMS, rounds=(1, 3), duration=timedelta(minutes=5))).started(5)
    for seconds in (20, 60):
        play.wait(seconds)
        play.report_all({player: scored(1_000 - player, cleared=player == 1) for player in range(1, 5)})
        play.wait(seconds + 20)
    if voided:
        second = [fact for fact in play.events if isinstance(fact, ev.TablePlayed) and fact.round_number == 2]
        won = next(fact.table for fact in second if 1 in [end.player for end in fact.ends])
        play.void(2, won, (1,))
    matches = [_match_of(fact, fact.ends) for fact in play.events if isinstance(fact, ev.TablePlayed)]
    ledger: list[LedgerEvent] = []
    for fact in play.events:
        if isinstance(fact, ev.PrizesRevoked):
            ledger += [_reversed(each) for each in _paid(fact)]
        elif isinstance(fact, ev.PrizesAwarded):
            ledger += _paid(fact)
    return Held(play.events, matches, ledger)


async def test_a_tournament_is_found_with_its_matches_and_prizes() -> None:
    """A finding each for events, rules, tables and prizes; nothing differs."""
    assert await held().wrong() == []
    assert await held(voided=False).wrong() == []


async def test_a_tournament_that_goes_on_is_verified_as_far_as_it_is() -> None:
    """After each of its facts."""
    whole = held(voided=False)
    for count in range(1, len(whole.facts)):
        part = Held(whole.facts[:count], whole.matches, [])
        assert await part.wrong() == (
            ["prizes"] if any(isinstance(fact, ev.PrizesAwarded) for fact in part.facts) else []
        )


async def test_no_tournament_is_told_from_one() -> None:
    """Whatever else is in the feeds."""
    assert isinstance(await verify_held_tournament(held().logged(), UUID(int=1)), NotThere)
    assert isinstance(await verify_held_tournament(Stored(), TOURNAMENT_ID), NotThere)


async def test_points_places_and_prizes_that_no_rule_gives_are_found() -> None:
    """In the facts of the tournament."""
    for kind in (ev.TablePlayed, ev.TournamentFinished, ev.PrizesAwarded):
        found = held(voided=False)
        fact = found.first(kind)
        match fact:
            case ev.TablePlayed(ends=ends):
                more = (replace(ends[0], points=ends[0].points + 1), *ends[1:])
                found.change_fact(kind, replace(fact, ends=more))
            case ev.TournamentFinished(standing=standing):
                found.change_fact(kind, replace(fact, standing=standing[::-1]))
            case ev.PrizesAwarded(awards=awards):
                richer = (replace(awards[0], goods=Prize(1_000, 2, "monday")), *awards[1:])
                found.change_fact(kind, replace(fact, awards=richer))
        assert "rules" in await found.wrong(), kind.__name__


@pytest.mark.parametrize("fault", ["score", "cleared", "acted", "seats", "round", "cut", "late", "missing"])
async def test_a_table_that_tells_its_match_otherwise_is_found(fault: str) -> None:
    """Whatever of the match it is."""
    found = held()
    match, *others = found.matches
    end, *ends = match.ends
    changed = {
        "score": replace(match, ends=(replace(end, round_score=end.round_score + 1), *ends)),
        "cleared": replace(match, ends=(replace(end, cleared=not end.cleared), *ends)),
        "acted": replace(match, acted=(not match.acted[0], *match.acted[1:])),
        "seats": replace(match, accounts=match.accounts[::-1]),
        "round": replace(match, round_number=2),
        "cut": replace(match, cut=True),
        "late": replace(match, occurred_at=match.occurred_at - timedelta(milliseconds=1)),
    }
    found.matches = [changed[fault], *others] if fault in changed else others

    assert await found.wrong() == ["tables"]


@pytest.mark.parametrize("fault", ["never", "twice", "amount", "other", "kind", "another time", "not back"])
async def test_a_prize_that_was_not_paid_once_is_found(fault: str) -> None:
    """Missing, twice, other goods, to another, not as of the end, or not taken back."""
    found = held()
    cup = next(each for each in found.ledger if isinstance(each, TransferPosted) and each.cup_kind)
    at = found.ledger.index(cup)
    points = found.ledger[0]
    assert isinstance(points, TransferPosted)
    match fault:
        case "never":
            del found.ledger[0]
        case "twice":
            found.ledger.append(replace(points, key=points.key.replace("/prize/1/", "/prize/99/")))
        case "amount":
            found.ledger[0] = replace(points, amount=points.amount + 1)
        case "other":
            found.ledger[0] = replace(points, credit=f"players/{account(5)}")
        case "kind":
            found.ledger[at] = replace(cup, cup_kind="champions")
        case "another time":
            found.ledger[0] = replace(points, occurred_at=points.occurred_at + timedelta(days=1))
        case "not back":
            found.ledger = [
                each for each in found.ledger if not isinstance(each, TransferPosted) or not each.reverses
            ]

    assert await found.wrong() == ["prizes"]


async def test_a_prize_that_was_revoked_before_it_was_paid_moves_nothing() -> None:
    """The ledger keeps its key from being posted; without that it may still pay."""
    found = held()
    revoked = {each.reverses for each in found.ledger if isinstance(each, TransferPosted) and each.reverses}
    assert revoked
    left = [
        each
        for each in found.ledger
        if isinstance(each, TransferPosted) and not {each.key, each.reverses} & revoked
    ]
    kept = [TransferCancelled(key, LATER) for key in sorted(revoked)]

    assert await Held(found.facts, found.matches, [*left, *kept]).wrong() == []
    assert await Held(found.facts, found.matches, [*left]).wrong() == ["prizes"]


def test_the_feeds_are_those_of_three_services() -> None:
    """Facts only."""
    assert set(held().logged().entries) == {
        ("tournament", Part.FACTS),
        ("match", Part.FACTS),
        ("ledger", Part.FACTS),
    }
