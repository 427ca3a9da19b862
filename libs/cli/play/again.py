"""The offer of a rematch on the terminal: a key, what the others say, and what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from rich.console import Console
from rich.markup import escape

from libs.cli.play.lines import TypedLines
from libs.client.client import SparrowClient
from libs.client.errors import RefusedError
from libs.client.rematches import Rematch, RematchAnswer, RematchState

KEY: Final = "r"
_SAID: Final = {
    RematchAnswer.ACCEPTED: "[cyan]{who} wants a rematch.[/]",
    RematchAnswer.DECLINED: "[cyan]{who} wants no rematch.[/]",
    RematchAnswer.ELSEWHERE: "[cyan]{who} plays elsewhere by now.[/]",
}
_OUTCOMES: Final = {
    RematchState.BEGUN: "[bold green]A rematch.[/]",
    RematchState.DECLINED: "There is no rematch.",
    RematchState.EXPIRED: "There is no rematch: too few wanted one in time.",
    RematchState.ELSEWHERE: "There is no rematch: somebody plays elsewhere by now.",
}


class Again:
    """Asks the player, and tells of the others, until something has come of an offer."""

    def __init__(
        self, client: SparrowClient, out: Console, lines: TypedLines, names: Mapping[str, str]
    ) -> None:
        """`names` are those of the others, as they are shown."""
        self._client = client
        self._out = out
        self._lines = lines
        self._names = names
        self._told: dict[str, RematchAnswer] = {}

    async def ask(self, match: str) -> str | None:
        """The match that follows; none where there is no rematch, or the player is not in it.

        The end of the input says no.
        """
        try:
            offer = await self._client.rematches.get(match)
        except RefusedError:
            return None
        stake = f" for {offer.stake} chips" if offer.stake else ""
        question = f"Type [bold]{KEY}[/] for a rematch{stake} within 30 s, [bold]q[/] to end here."
        coming = asyncio.create_task(self._outcome(match))
        try:
            is_open = offer.state is RematchState.OPEN
            wants = await self._answer(question, coming) if is_open else None
            if wants is not None and not await self._say(match, accept=wants):
                return None
            last = await coming
        finally:
            coming.cancel()
        self._out.print(_OUTCOMES[last.state])
        is_in = last.answers.get(self._client.profile.name) is RematchAnswer.ACCEPTED
        return last.next_match if is_in else None

    async def _answer(self, question: str, coming: asyncio.Task[Rematch]) -> bool | None:
        """Yes or no; none where something has come of the offer before.

        A line that was meant for the board is no answer: then the question is put again.
        """
        while not coming.done():
            self._out.print(question)
            reading = asyncio.create_task(self._lines.next())
            await asyncio.wait([coming, reading], return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                reading.cancel()
                return None
            line = await reading
            if line is None or line.strip().lower() in {"", "q"}:
                return False
            if line.strip().lower() == KEY:
                return True
        return None

    async def _say(self, match: str, *, accept: bool) -> bool:
        """Tell the server; whether there is anything to wait for now."""
        rematches = self._client.rematches
        try:
            await (rematches.accept(match) if accept else rematches.decline(match))
        except RefusedError as refused:
            if refused.reason == "REMATCH_OVER":  # at that very moment: what came of it is told
                return True
            self._out.print(f"[yellow]{escape(refused.text)}[/]")
            return False
        return accept

    async def _outcome(self, match: str) -> Rematch:
        last = await self._client.rematches.get(match)
        async for offer in self._client.rematches.follow(match):
            for player, said in offer.answers.items():
                if player in self._names and self._told.get(player) is not said and said in _SAID:
                    self._told[player] = said
                    self._out.print(_SAID[said].format(who=self._names[player]))
            last = offer
        return last
