"""The offer of a rematch on the terminal: a key, what the others say, and what comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from rich.console import Console

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
        rematches = self._client.rematches
        try:
            offer = await rematches.get(match)
        except RefusedError:
            return None
        if offer.state is RematchState.OPEN:
            stake = f" for {offer.stake} chips" if offer.stake else ""
            self._out.print(
                f"Type [bold]{KEY}[/] for a rematch{stake} within 30 s, anything else to end here."
            )
        coming = asyncio.create_task(self._outcome(match))
        reading = asyncio.create_task(self._lines.next())
        try:
            await asyncio.wait([coming, reading], return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                line = await reading
                accept = line is not None and line.strip().lower() == KEY
                with suppress(RefusedError):  # it was over at that very moment
                    await (rematches.accept(match) if accept else rematches.decline(match))
                if not accept:
                    return None
            last = await coming
        finally:
            coming.cancel()
            reading.cancel()
        self._out.print(_OUTCOMES[last.state])
        is_in = last.answers.get(self._client.profile.name) is RematchAnswer.ACCEPTED
        return last.next_match if is_in else None

    async def _outcome(self, match: str) -> Rematch:
        last = await self._client.rematches.get(match)
        async for offer in self._client.rematches.follow(match):
            for player, said in offer.answers.items():
                if player in self._names and self._told.get(player) is not said and said in _SAID:
                    self._told[player] = said
                    self._out.print(_SAID[said].format(who=self._names[player]))
            last = offer
        return last
