"""`sparrow tournaments`: what players do."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing, nullcontext
from typing import Annotated, TypeVar

import typer
from rich.live import Live

from libs.cli.connection import (
    DEFAULT_PROFILE,
    EndpointOption,
    LanguageOption,
    ProfileOption,
    connect,
    find_endpoint,
)
from libs.cli.terminal import JsonFlag, console, foreign, print_json, run
from libs.cli.tournaments.documents import document
from libs.cli.tournaments.operating import cancel, create, end, series, stop_series, void
from libs.cli.tournaments.picture import (
    LiveTournament,
    Names,
    own_line,
    status_line,
    tournament_picture,
    tournaments_table,
)
from libs.client.client import SparrowClient
from libs.client.session import utc_now
from libs.client.tournament_views import SeenTournament, Tournament, TournamentLine, TournamentPhase

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Enter tournaments and watch them; run them as an operator.")
app.command("create")(create)
app.command("series")(series)
app.command("stop-series")(stop_series)
app.command("cancel")(cancel)
app.command("end")(end)
app.command("void")(void)

TournamentArgument = Annotated[str, typer.Argument(metavar="TOURNAMENT", help='"tournaments/<uuid>"')]
RowsOption = Annotated[int, typer.Option(min=1, max=200, help="so many lines of the standing")]


@app.callback()
def tournaments() -> None:
    """Enter tournaments and watch them; run them as an operator."""


@app.command("list")
def list_tournaments(
    phase: Annotated[TournamentPhase, typer.Option(help="which")] = TournamentPhase.UPCOMING,
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="how many at most")] = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """List tournaments: those to come, those that are played, those that are over."""

    async def work(client: SparrowClient) -> list[Tournament]:
        found: list[Tournament] = []
        async for each in client.tournaments.list(phase):
            found.append(each)
            if len(found) == rows:
                break
        return found

    found = _ask(endpoint, profile, language, work)
    if as_json:
        print_json([document(each) for each in found])
        return
    console().print(tournaments_table(found, utc_now()) if found else f"No tournament is {phase.value}.")


@app.command("show")
def show(
    tournament: TournamentArgument,
    rows: RowsOption = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Show all of a tournament: rounds, prizes, who may enter, the standing."""

    async def work(client: SparrowClient) -> tuple[Tournament, list[TournamentLine], dict[str, str], str]:
        page = await client.tournaments.get(_named(tournament))
        lines: list[TournamentLine] = []
        async for line in client.tournaments.standing(page.name):
            lines.append(line)
            if len(lines) == rows:
                break
        names = await shown_names(client, (line.player for line in lines))
        return page, lines, names, client.profile.name

    page, lines, names, me = _ask(endpoint, profile, language, work)
    if as_json:
        print_json({**document(page), "standing": [document(line) for line in lines]})
        return
    console().print(tournament_picture(page, lines, names, utc_now(), frozenset({me})))


@app.command("watch")
def watch(
    tournament: TournamentArgument,
    rows: RowsOption = 20,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one line of JSON a change")] = False,
) -> None:
    """Follow a tournament until it is over: countdown, rounds, standing."""
    target = find_endpoint(endpoint)

    async def work() -> None:
        async with await connect(target, profile, retry_for_s=30, language=language) as client:
            await follow(client, _named(tournament), rows, as_json=as_json)

    run(work(), target)


@app.command("register")
def register(
    tournament: TournamentArgument,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Enter a tournament."""
    page = _ask(endpoint, profile, language, lambda client: client.tournaments.register(_named(tournament)))
    _tell_own(page, as_json=as_json)


@app.command("withdraw")
def withdraw(
    tournament: TournamentArgument,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    language: LanguageOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Leave a tournament; once it has begun, TP and place stay."""
    page = _ask(endpoint, profile, language, lambda client: client.tournaments.withdraw(_named(tournament)))
    _tell_own(page, as_json=as_json)


async def follow(client: SparrowClient, name: str, rows: int, *, as_json: bool) -> None:
    """Show a tournament until it is over: a picture in a terminal, else a line for each change."""
    out, view = console(), LiveTournament(utc_now, frozenset({client.profile.name}))
    is_live = out.is_terminal and not as_json
    with Live(view, console=out, refresh_per_second=4) if is_live else nullcontext():
        async with aclosing(client.tournaments.watch(name, rows)) as stream:
            async for seen in stream:
                view.seen = seen
                if as_json:
                    print(json.dumps(document(seen), ensure_ascii=False), flush=True)
                    continue
                missing = {line.player for line in seen.lines} - view.names.keys()
                view.names = {**view.names, **await shown_names(client, missing)}
                if not is_live:
                    out.print(foreign(_line(seen, view.names)), soft_wrap=True)
    if view.seen is not None and not as_json and not is_live:
        out.print(view)


def _line(seen: SeenTournament, names: Names) -> str:
    """One line for a change, where no picture can be drawn."""
    leads = [f"{line.place}. {names.get(line.player, line.player)} {line.points}" for line in seen.lines[:3]]
    return ", ".join([status_line(seen.tournament, utc_now()), *leads])


async def shown_names(client: SparrowClient, players: Iterable[str]) -> dict[str, str]:
    """The names that are shown for players."""
    profiles = await client.profiles(sorted(set(players)))
    return {player: profiles[player].display_name for player in profiles}


def _named(tournament: str) -> str:
    return tournament if "/" in tournament else f"tournaments/{tournament}"


def _ask(
    endpoint: str | None, profile: str, language: str | None, work: Callable[[SparrowClient], Awaitable[T]]
) -> T:
    target = find_endpoint(endpoint)

    async def ask() -> T:
        async with await connect(target, profile, language=language) as client:
            return await work(client)

    return run(ask(), target)


def _tell_own(page: Tournament, *, as_json: bool) -> None:
    if as_json:
        print_json(document(page))
        return
    said = own_line(page.own) if page.own is not None else ""
    console().print(f"[bold green]✓[/] {foreign(page.terms.title).markup}:", foreign(said))
