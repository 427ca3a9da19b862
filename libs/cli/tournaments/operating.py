"""`sparrow tournaments`: what operators do, with a token that the operator key signs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any, TypeVar
from uuid import uuid4

import typer
from rich.markup import escape

from libs.cli.connection import DataDirOption, EndpointOption, find_endpoint, find_settings
from libs.cli.operator_keys import KeyFileOption, operator_token
from libs.cli.terminal import JsonFlag, console, fail, foreign, print_json, run
from libs.cli.tournaments.documents import document
from libs.cli.tournaments.laid_down import (
    SERIES,
    START,
    TERMS,
    LaidDownError,
    day_from,
    multipliers_of,
    read_file,
    start_from,
    terms_from,
)
from libs.cli.tournaments.picture import status_line
from libs.client.session import utc_now
from libs.client.tournament_operations import TournamentOperator
from libs.client.tournament_views import OperatorGround, Tournament, TournamentKind, TournamentSeries

T = TypeVar("T")

TournamentArgument = Annotated[str, typer.Argument(metavar="TOURNAMENT", help='"tournaments/<uuid>"')]
GroundOption = Annotated[OperatorGround, typer.Option("--because", help="why")]
NameOption = Annotated[str, typer.Option("--as", help="who acts")]
RequestOption = Annotated[str, typer.Option(help="the id of an act to repeat; new by itself")]


@dataclass(frozen=True)
class _Where:
    """Where and as whom an operator acts."""

    key_file: Path | None
    endpoint: str | None
    data_dir: Path | None
    name: str

    def act(self, work: Callable[[TournamentOperator], Awaitable[T]]) -> T:
        """Act with one token."""
        settings = find_settings(self.data_dir)
        target = find_endpoint(self.endpoint, settings)
        token = operator_token(self.key_file, settings, self.name)

        async def ask() -> T:
            async with TournamentOperator(target, token) as operator:
                return await work(operator)

        return run(ask(), target)


def create(
    file: Annotated[
        Path | None, typer.Option(help="TOML or JSON with the same words; options go first")
    ] = None,
    title: Annotated[str | None, typer.Option(help="what it is called")] = None,
    start: Annotated[
        str | None, typer.Option(help="2026-12-01T20:00, in Romanian time unless an offset is told")
    ] = None,
    starts_in: Annotated[float | None, typer.Option("--in", min=0, help="start in so many seconds")] = None,
    duration_s: Annotated[float | None, typer.Option(help="it ends after so many seconds")] = None,
    minimum: Annotated[int | None, typer.Option(help="with fewer players it is cancelled")] = None,
    maximum: Annotated[int | None, typer.Option(help="more players are not let in")] = None,
    rounds: Annotated[str | None, typer.Option(help="the multiplier of each: 1,1,2")] = None,
    prize: Annotated[
        list[str] | None, typer.Option(help="by place: points,jokers,cup; the winner's has a cup")
    ] = None,
    weekly_prize_points: Annotated[int | None, typer.Option(help="what who enters needs")] = None,
    kind: Annotated[TournamentKind | None, typer.Option(help="which kind")] = None,
    registration_s: Annotated[float | None, typer.Option(help="it opens so long before")] = None,
    pause_s: Annotated[float | None, typer.Option(help="between rounds")] = None,
    round_limit_s: Annotated[float | None, typer.Option(help="a table plays no longer")] = None,
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Create a tournament, from options or a file (operators)."""
    options: dict[str, Any] = {
        "title": title,
        "start": start,
        "duration_s": duration_s,
        "minimum": minimum,
        "maximum": maximum,
        "prizes": prize or None,
        "weekly_prize_points": weekly_prize_points,
        "kind": kind,
        "registration_s": registration_s,
        "pause_s": pause_s,
        "round_limit_s": round_limit_s,
    }
    try:
        values = {} if file is None else read_file(file, TERMS | START)
        values |= {word: value for word, value in options.items() if value is not None}
        if rounds is not None:
            values["multipliers"] = multipliers_of(rounds)
        terms = terms_from(values)
        if starts_in is not None:
            starts_at = utc_now() + timedelta(seconds=starts_in)
        elif "start" in values:
            starts_at = start_from(values["start"])
        else:
            fail("Say --start or --in")
    except LaidDownError as error:
        fail(escape(str(error)))
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    page = where.act(lambda operator: operator.create(terms, starts_at, request_id))
    _tell(page, request_id, as_json=as_json)


def series(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="TOML or JSON: first_day, clock, recurrence")],
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Let a tournament take place on each date of a rule, in Romanian time (operators)."""
    try:
        values = read_file(file, TERMS | SERIES)
        terms, first_day = terms_from(values), day_from(values.get("first_day", ""))
    except LaidDownError as error:
        fail(escape(str(error)))
    clock, recurrence = str(values.get("clock", "")), str(values.get("recurrence", ""))
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    kept = where.act(
        lambda operator: operator.create_series(first_day, clock[:5], recurrence, terms, request_id)
    )
    _tell(kept, request_id, as_json=as_json)


def stop_series(
    series: Annotated[str, typer.Argument(metavar="SERIES", help='"series/<uuid>"')],
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Schedule no more of a series; those that are scheduled take place (operators)."""
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    kept = where.act(lambda operator: operator.stop_series(series, request_id))
    _tell(kept, request_id, as_json=as_json)


def cancel(
    tournament: TournamentArgument,
    ground: GroundOption = OperatorGround.OTHER,
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Cancel a tournament: nothing is paid (operators)."""
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    page = where.act(lambda operator: operator.cancel(tournament, ground, request_id))
    _tell(page, request_id, as_json=as_json)


def end(
    tournament: TournamentArgument,
    ground: GroundOption = OperatorGround.OTHER,
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """End a tournament now: tables are cut and count as they stand, prizes are paid (operators)."""
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    page = where.act(lambda operator: operator.end_early(tournament, ground, request_id))
    _tell(page, request_id, as_json=as_json)


def void(
    tournament: TournamentArgument,
    round_number: Annotated[int, typer.Option("--round", min=1, help="of which round")],
    table: Annotated[int, typer.Option(min=0, help="of which table, from 0")],
    player: Annotated[list[str] | None, typer.Option(help='whose, "players/<uuid>"; all by itself')] = None,
    ground: GroundOption = OperatorGround.FAIR_PLAY,
    request_id: RequestOption = "",
    name: NameOption = "operator",
    key_file: KeyFileOption = None,
    endpoint: EndpointOption = None,
    data_dir: DataDirOption = None,
    as_json: JsonFlag = False,
) -> None:
    """Take results of a table out; after the end, standing and prizes are corrected (operators)."""
    request_id = request_id or str(uuid4())
    where = _Where(key_file, endpoint, data_dir, name)
    page = where.act(
        lambda operator: operator.void_result(
            tournament, round_number, table, ground, request_id, players=player or ()
        )
    )
    _tell(page, request_id, as_json=as_json)


def _tell(told: Tournament | TournamentSeries, request_id: str, *, as_json: bool) -> None:
    if as_json:
        print_json({**document(told), "request_id": request_id})
        return
    if isinstance(told, Tournament):
        said = status_line(told, utc_now())
    else:
        said = f"{told.recurrence or told.first_day} at {told.clock}, {'going' if told.going else 'stopped'}"
    title = foreign(told.terms.title).markup
    console().print(
        f"[bold green]✓[/] [bold]{title}[/] {told.name}: {said} [dim](--request-id {request_id})[/]"
    )
