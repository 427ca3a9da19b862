"""Pages as they are read: a tournament, its standing, and how somebody stands to it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from libs.eventstore.port import EventStore
from libs.runtime.clock import Clock
from libs.runtime.errors import Refused
from services.tournament.domain.calendar.weeks import Week
from services.tournament.domain.tournament.commands import Register
from services.tournament.domain.tournament.decide import decide
from services.tournament.domain.tournament.entering import NeedsPrizePoints, PrizePoints
from services.tournament.domain.tournament.page import Page, StandingRow, Status, page_of
from services.tournament.domain.tournament.refusal import Refusal, TooFewPrizePoints
from services.tournament.domain.tournament.state import Existing, Finished, Playing, RoundRow
from services.tournament.domain.tournament.terms import Prize
from services.tournament.refusals import refused
from services.tournament.tournaments.store import begun_round, latest_tournaments, list_tournaments
from services.tournament.tournaments.tournaments import PrizePointsOf, Tournaments
from services.tournament.wire.pages import Own

VIEWS_MAX: Final = 64
"""Pages that are kept folded: those that many look at."""
POINTS_KEPT: Final = timedelta(seconds=10)
"""How long the ledger's word on somebody's week is told again; registering asks anew."""
POINTS_MAX: Final = 10_000
OVER: Final = (Status.FINISHED, Status.CANCELLED)
Place = tuple[datetime, UUID]
"""Where a page of a list ends: a start and an id."""


@dataclass(frozen=True, slots=True)
class View:
    """A tournament as of a version."""

    version: int
    is_begun: bool
    """Whether the match service knows the tables of the last round: before, nobody can go there."""
    state: Existing
    page: Page
    prizes: Mapping[UUID, Prize]
    """By account: those that hold."""
    rows: Mapping[UUID, StandingRow]
    """By account."""

    @property
    def mark(self) -> int:
        """Rises with everything that changes what is shown."""
        return 2 * self.version + self.is_begun

    @property
    def is_over(self) -> bool:
        """Whether nothing is played any more."""
        return self.page.status in OVER

    @property
    def round(self) -> RoundRow | None:
        """The round that is played, or was last."""
        rounds = self.state.field.rounds
        return rounds[-1] if rounds else None


class Pages:
    """Reads tournaments. Every method raises Refused NOT_FOUND where there is none."""

    def __init__(
        self, tournaments: Tournaments, store: EventStore, prize_points_of: PrizePointsOf, clock: Clock
    ) -> None:
        """Read `tournaments`, whose rows are in `store`."""
        self._tournaments = tournaments
        self._store = store
        self._prize_points_of = prize_points_of
        self._clock = clock
        self._views: OrderedDict[UUID, View] = OrderedDict()
        self._points: dict[tuple[UUID, Week], tuple[datetime, int]] = {}

    async def view(self, tournament_id: UUID) -> View:
        """The tournament as its facts tell it now."""
        state, version = await self._tournaments.read(tournament_id)
        known = self._views.get(tournament_id)
        if known is None or known.version != version or not known.is_begun:
            known = view_of(state, version, is_begun=await self._is_begun(state))
            self._views[tournament_id] = known
            if len(self._views) > VIEWS_MAX:
                self._views.popitem(last=False)
        self._views.move_to_end(tournament_id)
        return known

    def awaits_begin(self, tournament_id: UUID) -> bool:
        """Whether a page was last read with tables that the match service did not know yet."""
        known = self._views.get(tournament_id)
        return known is not None and not known.is_begun

    async def listed(
        self, statuses: tuple[Status, ...], after: Place | None, limit: int, *, latest_first: bool
    ) -> list[View]:
        """Tournaments in these statuses from a place on."""
        async with self._store.transaction() as transaction:
            if latest_first:
                place = after or (_far(self._clock.now()), UUID(int=(1 << 128) - 1))
                found = await latest_tournaments(transaction.connection, place, limit, statuses)
            else:
                place = after or (_long_ago(self._clock.now()), UUID(int=0))
                found = await list_tournaments(transaction.connection, place, limit, statuses)
        return [await self.view(each.tournament_id) for each in found]

    async def own(self, view: View, account_id: UUID) -> Own:
        """How an account stands to a tournament."""
        field = view.state.field
        player = field.player_of(account_id)
        if player is None:
            refusal, points = await self._why_not(view.state, account_id)
            return Own(False, False, None, None, None, refusal, points)
        match_id = None
        if isinstance(view.state, Playing) and view.is_begun:
            seats = (row for row in field.rounds[-1].tables if player in row.table.players)
            match_id = next((row.table.match_id for row in seats if row.ended_at is None), None)
        return Own(
            is_in=True,
            withdrawn=field.entrants[player].withdrawn,
            row=view.rows.get(account_id),
            match_id=match_id,
            prize=view.prizes.get(account_id),
            refusal=None,
            prize_points=None,
        )

    async def _is_begun(self, state: Existing) -> bool:
        if not isinstance(state, Playing):
            return True
        async with self._store.transaction() as transaction:
            begun = await begun_round(transaction.connection, state.field.plan.tournament_id)
        return begun >= len(state.field.rounds)

    async def _why_not(self, state: Existing, account_id: UUID) -> tuple[Refused | None, int | None]:
        """How registering would be refused now, and the points of the week where they are asked for."""
        command = Register(account_id, self._clock.now())
        outcome = decide(command, state)
        points = None
        if isinstance(outcome, NeedsPrizePoints):
            points = await self._known_points(account_id, outcome.week)
            if points is None:
                return None, None
            outcome = decide(command, state, PrizePoints(account_id, outcome.week, points))
        if isinstance(outcome, Refusal | TooFewPrizePoints):
            return refused(outcome), points
        return None, points

    async def _known_points(self, account_id: UUID, week: Week) -> int | None:
        """The ledger's word, at most POINTS_KEPT old; None without an answer: pages are shown anyway."""
        now, key = self._clock.now(), (account_id, week)
        asked_at, points = self._points.get(key, (None, 0))
        if asked_at is not None and now - asked_at < POINTS_KEPT:
            return points
        try:
            points = await self._prize_points_of(account_id, week)
        except Refused:
            return None
        if len(self._points) >= POINTS_MAX:
            self._points.clear()
        self._points[key] = (now, points)
        return points


def view_of(state: Existing, version: int, *, is_begun: bool) -> View:
    """The tournament at a version of its stream."""
    page = page_of(state)
    awards = state.awards if isinstance(state, Finished) else ()
    return View(
        version,
        is_begun,
        state,
        page,
        prizes={award.account_id: award.goods for award in awards},
        rows={row.account_id: row for row in page.standing},
    )


def _far(now: datetime) -> datetime:
    return now.replace(year=now.year + 1_000)


def _long_ago(now: datetime) -> datetime:
    return now.replace(year=now.year - 1_000, month=1, day=1)
