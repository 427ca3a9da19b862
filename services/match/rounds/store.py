"""Rows of matches of several seats: they follow from events, and are written in the events' transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection

from libs.eventstore.postgres.rows import as_uuid
from services.match.domain.listing import ListedMatch, ListedSeat
from services.match.domain.rivals.events import RoundEnded
from services.match.domain.rivals.match_events import ArenaEnded, MatchCreated, MatchEnd
from services.match.domain.rivals.stage import TournamentStage
from services.match.domain.rivals.terms import EndReason, SeatEnd


async def claim_deal(connection: AsyncConnection, deal_sha256: bytes, round_id: UUID) -> bool:
    """Keep a deal for a round; False when another round had it before."""
    return bool(await claim_deals(connection, {round_id: deal_sha256}))


async def claim_deals(connection: AsyncConnection, deals: Mapping[UUID, bytes]) -> frozenset[UUID]:
    """Keep deals for rounds, given by round; return the rounds whose deal no other one had before."""
    result = await connection.execute(
        text(
            "INSERT INTO round_deal (deal_sha256, round_id) SELECT deal_sha256, round_id"
            " FROM unnest(CAST(:deals AS bytea[]), CAST(:rounds AS uuid[])) AS d (deal_sha256, round_id)"
            " ON CONFLICT DO NOTHING RETURNING round_id"
        ),
        {"deals": list(deals.values()), "rounds": list(deals)},
    )
    return frozenset(map(as_uuid, result.scalars()))


async def insert_matches(connection: AsyncConnection, created: Mapping[UUID, MatchCreated]) -> None:
    """Enter the seats of matches that begin."""
    seats = [
        (match_id, seat, account_id, fact)
        for match_id, fact in created.items()
        for seat, account_id in enumerate(fact.accounts)
    ]
    await connection.execute(
        text(
            "INSERT INTO match_seat (match_id, seat, account_id, mode, round_id, created_at)"
            " SELECT * FROM unnest(CAST(:matches AS uuid[]), CAST(:seats AS smallint[]),"
            " CAST(:accounts AS uuid[]), CAST(:modes AS text[]), CAST(:rounds AS uuid[]),"
            " CAST(:times AS timestamptz[]))"
        ),
        {
            "matches": [match_id for match_id, *_ in seats],
            "seats": [seat for _, seat, *_ in seats],
            "accounts": [account_id for _, _, account_id, _ in seats],
            "modes": [fact.mode for *_, fact in seats],
            "rounds": [fact.round_id for *_, fact in seats],
            "times": [fact.occurred_at for *_, fact in seats],
        },
    )


async def insert_rounds(connection: AsyncConnection, number: int, rounds: Mapping[UUID, UUID]) -> None:
    """Enter rounds that were dealt, by match, all with this number in their match."""
    await connection.execute(
        text(
            "INSERT INTO match_round (match_id, number, round_id) SELECT match_id, :number, round_id"
            " FROM unnest(CAST(:matches AS uuid[]), CAST(:rounds AS uuid[])) AS r (match_id, round_id)"
        ),
        {"number": number, "matches": list(rounds), "rounds": list(rounds.values())},
    )


async def enter_round(
    connection: AsyncConnection, match_id: UUID, ended: RoundEnded, next_round_id: UUID
) -> None:
    """Enter the scores of one of several rounds, and the round in which the match goes on or was last."""
    await connection.execute(
        text(
            "UPDATE match_seat SET round_id = :round_id, round_scores = round_scores || s.score"
            " FROM unnest(CAST(:scores AS bigint[])) WITH ORDINALITY AS s (score, ordinality)"
            " WHERE match_id = :match_id AND seat = s.ordinality - 1"
        ),
        {
            "match_id": match_id,
            "round_id": next_round_id,
            "scores": [seat.round_score for seat in ended.seats],
        },
    )


async def end_match(connection: AsyncConnection, end: MatchEnd, ended: RoundEnded) -> None:
    """Enter how the seats of a match ended, whose last round ended so: places and scores are the match's."""
    places, scores = [last.place for last in ended.seats], [last.round_score for last in ended.seats]
    if isinstance(end, ArenaEnded):
        places, scores = list(end.places), list(end.scores)
    await connection.execute(
        text(
            "UPDATE match_seat SET ended_at = :ended_at, ending = :ending, place = s.place,"
            " round_score = s.score, cleared = s.cleared, tiles_left = s.tiles_left, points = s.points"
            " FROM unnest(CAST(:places AS int[]), CAST(:scores AS bigint[]), CAST(:cleared AS boolean[]),"
            "   CAST(:tiles_left AS int[]), CAST(:points AS int[])) WITH ORDINALITY"
            "   AS s (place, score, cleared, tiles_left, points, ordinality)"
            " WHERE match_id = :match_id AND seat = s.ordinality - 1"
        ),
        {
            "match_id": end.match_id,
            "ended_at": end.occurred_at,
            "ending": ended.reason.value,
            "places": places,
            "scores": scores,
            "cleared": [last.cleared for last in ended.seats],
            "tiles_left": [last.tiles_left for last in ended.seats],
            "points": list(end.points),
        },
    )


async def round_of(connection: AsyncConnection, match_id: UUID) -> UUID | None:
    """The round that a match of several seats is in; None when there is no such match."""
    found = await connection.scalar(
        text("SELECT round_id FROM match_seat WHERE match_id = :match_id AND seat = 0"),
        {"match_id": match_id},
    )
    return None if found is None else as_uuid(found)


async def is_attempt(connection: AsyncConnection, match_id: UUID) -> bool:
    """Whether the id names an attempt of one player."""
    found = await connection.scalar(
        text("SELECT EXISTS (SELECT FROM attempt WHERE attempt_id = :match_id)"), {"match_id": match_id}
    )
    return bool(found)


async def rounds_of(connection: AsyncConnection, match_id: UUID) -> list[UUID]:
    """The rounds of a match that were dealt, the first one first; none when there is no such match."""
    result = await connection.execute(
        text("SELECT round_id FROM match_round WHERE match_id = :match_id ORDER BY number"),
        {"match_id": match_id},
    )
    return [as_uuid(round_id) for round_id in result.scalars()]


async def round_after(connection: AsyncConnection, match_id: UUID, round_id: UUID) -> UUID | None:
    """The round that follows one of a match; None while that is the last one dealt."""
    found = await connection.scalar(
        text(
            "SELECT later.round_id FROM match_round one JOIN match_round later"
            " ON later.match_id = one.match_id AND later.number = one.number + 1"
            " WHERE one.match_id = :match_id AND one.round_id = :round_id"
        ),
        {"match_id": match_id, "round_id": round_id},
    )
    return None if found is None else as_uuid(found)


async def matches_of(
    connection: AsyncConnection, account_id: UUID, before: UUID | None, limit: int, mode: str | None = None
) -> list[ListedMatch]:
    """An account's matches of several seats, newest first, those older than `before`; at most `limit`.

    Of one mode where it is named.
    """
    result = await connection.execute(
        text(
            "SELECT s.*, t.tournament_id, t.round_number, t.round_limit, t.ends_at FROM match_seat s"
            " LEFT JOIN tournament_table t USING (match_id) JOIN (SELECT match_id FROM match_seat"
            "   WHERE account_id = :account_id"
            "   AND (CAST(:mode AS text) IS NULL OR mode = CAST(:mode AS text))"
            "   AND (CAST(:before AS uuid) IS NULL OR match_id < CAST(:before AS uuid))"
            "   ORDER BY match_id DESC LIMIT :limit) own USING (match_id)"
            " ORDER BY s.match_id DESC, s.seat"
        ),
        {"account_id": account_id, "before": before, "limit": limit, "mode": mode},
    )
    grouped = groupby(result.all(), key=lambda row: as_uuid(row.match_id))
    return [_listed(match_id, list(seats)) for match_id, seats in grouped]


def _listed(match_id: UUID, seats: Sequence[Row[Any]]) -> ListedMatch:
    first = seats[0]
    return ListedMatch(
        match_id,
        first.mode,
        first.created_at,
        first.ended_at,
        None if first.ending is None else EndReason(first.ending),
        tuple(
            ListedSeat(
                as_uuid(row.account_id),
                None
                if row.place is None
                else SeatEnd(row.place, row.round_score, row.cleared, row.tiles_left),
                row.points or 0,
                tuple(row.round_scores),
            )
            for row in seats
        ),
        None
        if first.tournament_id is None
        else TournamentStage(
            as_uuid(first.tournament_id), first.round_number, first.round_limit, first.ends_at
        ),
    )
