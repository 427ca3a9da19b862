"""A seat at an MCR table, on a terminal: what happens is told, what is asked is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Protocol

from rich.markup import escape
from rich.text import Text

from libs.cli.mcr.play.choices import Choice, choice_lines, choices, chosen
from libs.cli.mcr.play.clock import ServerClock
from libs.cli.mcr.play.ending import ending_lines
from libs.cli.mcr.play.picture import SEATS, WINDS, About, deal_lines
from libs.cli.mcr.play.screen import Screen
from libs.cli.mcr.play.standing import standing
from libs.cli.mcr.play.telling import Teller
from libs.cli.mcr.tiles import Faces, tiles_text
from libs.client.deal_views import Action, DealView, Phase
from libs.client.errors import ConflictError, RefusedError, SparrowError
from libs.client.tables import Closing, TableNews, Tables, TableView
from libs.rules.mcr.fan_names import Language, fan_name
from libs.rules.mcr.wall import TileId

HELP: Final = (
    "Type the number below a tile to discard it, or the key of another choice; [bold]?[/] shows the table"
    " and how far your hand is, [bold]q[/] leaves."
)
_TICK_S: Final = 1.0
_FAREWELL_S: Final = 2.0
_SHORT_S: Final = 5
"""So few seconds are told in red."""
_CLOSINGS: Final = {
    Closing.PLAYED: "All deals are played.",
    Closing.ABANDONED: "The table is closed: nobody was there any more.",
    Closing.ABORTED: "The table is closed: a fault of the server.",
}


class Lines(Protocol):
    """Where what is typed comes from."""

    async def next(self) -> str | None:
        """Return the next line; none at the end of the input."""
        ...


@dataclass(frozen=True)
class Ways:
    """How a table is shown, and who decides."""

    language: Language = Language.ENGLISH
    faces: Faces = Faces.NOTATION
    automatic: Callable[[DealView], Action] | None = None
    """What decides in the player's place; None: what is typed."""


class TablePlay:
    """From the first picture of a table to its end, or until the player leaves."""

    def __init__(
        self,
        tables: Tables,
        table: TableView,
        names: Mapping[str, str],
        screen: Screen,
        lines: Lines,
        ways: Ways,
    ) -> None:
        """Sit down; nothing is shown yet. `names` are those of the other players."""
        self._tables = tables
        self._table = table
        self._names = names
        self._screen = screen
        self._lines = lines
        self._ways = ways
        self._teller = Teller(self._about, ways.faces)
        self._clock = ServerClock()
        self._news: asyncio.Queue[TableNews | None] = asyncio.Queue()
        self._asked: tuple[int, int, int] | None = None
        self._among: tuple[Choice, ...] = ()
        self._ended = 0
        self._is_followed = False
        self.has_left = False
        """Whether the player left before the end."""

    async def play(self) -> None:
        """Show, tell, ask, until the table is closed or left. Cancelled, it leaves."""
        following = asyncio.create_task(self._follow())
        try:
            await self._until_closed(following)
        except asyncio.CancelledError:
            with suppress(SparrowError, TimeoutError):  # out of reach: the AI plays after a while
                await asyncio.wait_for(self._leave(), _FAREWELL_S)
            raise
        finally:
            following.cancel()
        if not self.has_left:
            closing = self._table.closing
            self._screen.say(f"[bold]{_CLOSINGS[closing] if closing else 'The table is closed.'}[/]")
        self._screen.say(f"[dim]{self._table.name}[/]")

    async def _follow(self) -> None:
        try:
            async for news in self._tables.watch(self._table.name):
                self._news.put_nowait(news)
        finally:
            self._news.put_nowait(None)

    async def _until_closed(self, following: asyncio.Task[None]) -> None:
        reading: asyncio.Task[str | None] | None = None
        coming = asyncio.create_task(self._news.get())
        try:
            while not self.has_left:
                if reading is None and self._ways.automatic is None:
                    reading = asyncio.create_task(self._lines.next())
                waiting = [coming, *([reading] if reading is not None else [])]
                await asyncio.wait(waiting, timeout=_TICK_S, return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    news = coming.result()
                    if news is None:
                        await following  # raises why the table is out of sight
                        return
                    coming = asyncio.create_task(self._news.get())
                    await self._hear(news)
                elif reading is not None and reading.done():
                    line, reading = reading.result(), None
                    await self._obey("q" if line is None else line.strip().lower())
                else:
                    self._screen.tick(self._time_left())
        finally:
            coming.cancel()
            if reading is not None:
                reading.cancel()

    async def _hear(self, news: TableNews) -> None:
        """Tell what has happened, and ask what is to be decided."""
        before, self._table = self._table, news.table
        self._teller.hear(self._about)
        for happening in news.happenings:
            self._clock.hear(happening.at)
            said = self._teller.tell(happening, self._deal)
            if said is not None:
                self._screen.say(said)
        if not self._is_followed:
            self._is_followed = True
            self._screen.say(self._teller.seating(self._deal))
        elif not news.happenings and before.deal != news.table.deal:
            self._screen.say("[dim]The table as it stands:[/]")
        if self._deal.phase is Phase.OVER and self._ended < self._deal.number and self._is_counted:
            self._ended = self._deal.number
            self._show_end()
        if self._own_is_away and self._ways.automatic is None and self._deal.phase is not Phase.OVER:
            await self._come_back()
        await self._ask()

    async def _ask(self) -> None:
        deal = self._deal
        self._among = choices(deal)
        asked = (deal.number, deal.decision, len(self._among))
        if not self._among:
            return
        if asked == self._asked:
            if self._screen.is_interrupted:
                self._question()
            return
        self._asked = asked
        if self._ways.automatic is not None:
            await self._act(self._ways.automatic(deal))
            return
        self._show()

    def _show(self) -> None:
        """The table, or the offered tile and the own hand; the choices; the question."""
        self._screen.say("")
        if self._deal.offered is None:
            self._screen.say(*self._picture())
        else:
            self._screen.say(*self._offer(self._deal, self._deal.offered))
        self._question()

    def _picture(self) -> tuple[Text, ...]:
        return tuple(deal_lines(self._deal, self._about, self._screen.width, self._ways.faces))

    def _offer(self, deal: DealView, offered: TileId) -> Iterator[Text]:
        """What may be claimed, beside the own hand."""
        faces = self._ways.faces
        wind = WINDS[deal.seats[deal.turn].wind] if deal.turn is not None else "A seat"
        what = "adds to a pung" if deal.phase is Phase.ROBBING else "offers"
        offer = Text(f"{wind} {what} ").append_text(tiles_text((offered,), {offered}, faces))
        if deal.seat is not None:
            offer.append("   you hold ").append_text(tiles_text(deal.seats[deal.seat].hand, faces=faces))
        yield offer

    def _question(self) -> None:
        self._screen.say(*choice_lines(self._among, self._ways.faces))
        self._screen.ask(self._time_left())

    async def _obey(self, line: str) -> None:
        """Do what was typed."""
        self._screen.heard()
        action = chosen(self._among, line) if self._asked is not None else None
        if line == "q":
            await self._leave()
        elif line == "?":
            self._screen.say(*self._picture(), standing(self._deal), HELP)
        elif action is not None:
            await self._act(action)
        elif line:
            self._screen.say(Text(f"“{line[:40]}” is no choice now.", "yellow"), HELP)
        if self._among and not self.has_left and action is None:
            self._question()

    async def _act(self, action: Action) -> None:
        try:
            await self._tables.act(self._table, action)
        except ConflictError:
            self._screen.say("[dim]Too late: the deal has gone on.[/]")
        except RefusedError as refused:
            self._refused(refused)
        else:
            self._among = ()

    def _refused(self, refused: RefusedError) -> None:
        """Say why; with what counts, where a win lacks points. What was asked is asked again."""
        self._screen.say(Text(refused.text, "yellow"))
        for part in refused.metadata.get("fans", "").split():
            number, _, rest = part.partition("*")
            times, _, points = rest.partition("=")
            fan = fan_name(int(number), self._ways.language)
            self._screen.say(f"  {fan}{'' if times == '1' else f' {times} times'}: {points}")
        if self._among and self._ways.automatic is None:
            self._question()

    async def _leave(self) -> None:
        if self._table.closing is None and not self.has_left:
            self.has_left = True
            try:
                await self._tables.leave(self._table)
            except RefusedError as refused:  # it has ended meanwhile
                self._screen.say(Text(refused.text, "yellow"))
                return
            again = f"sparrow mcr play --table {escape(self._table.name)}"
            self._screen.say(f"You left: the AI plays on. [bold]{again}[/] takes the seat back.")

    async def _come_back(self) -> None:
        try:
            await self._tables.come_back(self._table)
        except RefusedError as refused:
            self._screen.say(Text(refused.text, "yellow"))

    def _show_end(self) -> None:
        self._screen.say("", *self._picture(), "")
        self._screen.say(*ending_lines(self._deal, self._about, self._ways.language, self._ways.faces))
        if self._table.closing is None and self._deal.number < self._table.deal_count:
            self._screen.say("[dim]The next deal is dealt soon.[/]")

    @property
    def closing(self) -> Closing | None:
        """Why the table closed; None where the player left before."""
        return None if self.has_left else self._table.closing

    @property
    def _deal(self) -> DealView:
        return self._table.deal

    @property
    def _is_counted(self) -> bool:
        """Whether the totals count the deal that is over."""
        return len(self._table.rows) >= self._deal.number

    @property
    def _own_is_away(self) -> bool:
        seat = self._deal.seat
        return seat is not None and self._deal.seats[seat].is_away

    @property
    def _about(self) -> About:
        table, own = self._table, self._table.deal.seat
        names = tuple(
            "You" if seat == own else self._name(table.seats[seat].player, table.seats[seat].ai_level)
            for seat in range(SEATS)
        )
        return About(names, table.deal_count, tuple(seat.points for seat in table.seats))

    def _name(self, player: str, level: str | None) -> str:
        return f"AI {level}" if level else self._names.get(player, "Somebody")

    def _time_left(self) -> str:
        deadline = self._deal.deadline
        if deadline is None:
            return ""
        seconds = self._clock.seconds_until(deadline)
        style = "bold red" if seconds <= _SHORT_S else "cyan"
        return f"[{style}]{seconds} s left[/]"
