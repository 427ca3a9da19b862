"""`sparrow clubs`: the commands."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeVar

import typer

from libs.cli.clubs.finding import find_club, own_club
from libs.cli.clubs.tables import club_picture, clubs_table, document, waiting_table
from libs.cli.connection import DEFAULT_PROFILE, EndpointOption, ProfileOption, connect, find_endpoint
from libs.cli.terminal import JsonFlag, console, foreign, print_json, run
from libs.client.client import SparrowClient
from libs.client.club_results import Club, ClubMember, ClubRole, JoinPolicy, JoinRequest
from libs.client.errors import RefusedError
from libs.client.results import Profile

T = TypeVar("T")

app = typer.Typer(no_args_is_help=True, help="Found clubs, come in, let others in, leave.")

ClubArgument = Annotated[str, typer.Argument(metavar="CLUB", help='its name, or "clubs/<uuid>"')]
OwnClub = Annotated[str, typer.Argument(metavar="[CLUB]", help="your own by itself")]
PlayerArgument = Annotated[str, typer.Argument(metavar="PLAYER", help='"players/<uuid>"')]
PolicyOption = Annotated[JoinPolicy, typer.Option(help="how strangers come in")]
LimitOption = Annotated[int, typer.Option(min=0, help="the most members; 0: as many as the site allows")]


@app.callback()
def clubs() -> None:
    """Found clubs, come in, let others in, leave."""


@app.command("create")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="1 to 24 characters")],
    policy: PolicyOption = JoinPolicy.OPEN,
    about: Annotated[str, typer.Option(help="what the club says of itself")] = "",
    limit: LimitOption = 0,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Found a club; you are its owner."""

    async def work(client: SparrowClient) -> Club:
        return await client.clubs.create(name, policy=policy, description=about, member_limit=limit)

    club = _ask(endpoint, profile, work)
    _tell(f"[bold]{_text(club.display_name)}[/] is founded [dim]{club.name}[/]", document(club), as_json)


@app.command("show")
def show(
    club: OwnClub = "",
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Show a club and its members."""

    async def work(client: SparrowClient) -> tuple[Club, list[ClubMember], dict[str, Profile], str]:
        found = await find_club(client, club)
        members = [member async for member in client.clubs.members(found.name)]
        names = await client.profiles([member.player for member in members])
        return found, members, names, client.profile.name

    found, members, names, me = _ask(endpoint, profile, work)
    if as_json:
        print_json({**document(found), "members": [document(member) for member in members]})
        return
    console().print(club_picture(found, members, names, me))


@app.command("list")
def list_clubs(
    prefix: Annotated[str, typer.Argument(metavar="[PREFIX]", help="how their names begin")] = "",
    rows: Annotated[int, typer.Option(min=1, max=1_000, help="how many at most")] = 50,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """List clubs by name."""

    async def work(client: SparrowClient) -> list[Club]:
        found: list[Club] = []
        async for club in client.clubs.list(prefix):
            found.append(club)
            if len(found) == rows:
                break
        return found

    found = _ask(endpoint, profile, work)
    if as_json:
        print_json([document(club) for club in found])
        return
    console().print(clubs_table(found) if found else "No club yet: [bold]sparrow clubs create NAME[/]")


@app.command("join")
def join(
    club: ClubArgument,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Come into a club: at once where it is open or you are invited, else by asking."""

    async def work(client: SparrowClient) -> tuple[Club, ClubMember | JoinRequest]:
        found = await find_club(client, club)
        return found, await _come_in(client, found)

    found, came = _ask(endpoint, profile, work)
    waits = isinstance(came, JoinRequest)
    said = "is asked; somebody there has to accept" if waits else "has you as a member"
    _tell(f"[bold]{_text(found.display_name)}[/] {said}", document(came), as_json)


@app.command("leave")
def leave(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """Leave your club."""

    async def work(client: SparrowClient) -> Club:
        club = await own_club(client)
        await client.clubs.leave(club.name)
        return club

    club = _ask(endpoint, profile, work)
    _tell(f"You left [bold]{_text(club.display_name)}[/]", document(club), as_json)


@app.command("invitations")
def invitations(
    of_club: Annotated[bool, typer.Option("--of-club", help="those that your club sent")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """List your invitations, or those of your club."""

    async def work(client: SparrowClient) -> Any:
        club = (await own_club(client)).name if of_club else ""
        found = [one async for one in client.clubs.invitations(club)]
        if of_club:
            return found, await client.profiles([one.player for one in found])
        clubs = [await client.clubs.get(one.club) for one in found]
        return found, {club.name: Profile(club.name, club.display_name) for club in clubs}

    found, names = _ask(endpoint, profile, work)
    if as_json:
        print_json([document(one) for one in found])
        return
    table = waiting_table(found, "player" if of_club else "club", names)
    console().print(table if found else "No invitation waits")


@app.command("invite")
def invite(
    player: PlayerArgument,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="take the invitation back")] = False,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Invite a player into your club."""

    async def work(client: SparrowClient) -> None:
        club = (await own_club(client)).name
        if withdraw:
            await client.clubs.withdraw_invitation(club, player)
        else:
            await client.clubs.invite(club, player)

    _ask(endpoint, profile, work)
    _tell(f"{player} is {'not ' if withdraw else ''}invited", {"player": player}, as_json)


@app.command("requests")
def requests(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """List who wants to come into your club."""

    async def work(client: SparrowClient) -> tuple[list[JoinRequest], dict[str, Profile]]:
        found = [one async for one in client.clubs.requests((await own_club(client)).name)]
        return found, await client.profiles([one.player for one in found])

    found, names = _ask(endpoint, profile, work)
    if as_json:
        print_json([document(one) for one in found])
        return
    console().print(waiting_table(found, "player", names) if found else "Nobody waits")


@app.command("accept")
def accept(
    player: PlayerArgument,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Accept a player who wants to come in."""

    async def work(client: SparrowClient) -> ClubMember:
        return await client.clubs.accept((await own_club(client)).name, player)

    member = _ask(endpoint, profile, work)
    _tell(f"{player} is a member", document(member), as_json)


@app.command("decline")
def decline(
    what: Annotated[str, typer.Argument(metavar="PLAYER|CLUB", help="who asks, or which club invites you")],
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Decline a player's request, or a club's invitation."""

    async def work(client: SparrowClient) -> None:
        if what.startswith("players/"):
            await client.clubs.decline((await own_club(client)).name, what)
        else:
            await client.clubs.decline_invitation((await find_club(client, what)).name)

    _ask(endpoint, profile, work)
    _tell(f"{_text(what)} is declined", {"declined": what}, as_json)


@app.command("remove")
def remove(
    player: PlayerArgument,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Remove a member from your club."""

    async def work(client: SparrowClient) -> None:
        await client.clubs.remove((await own_club(client)).name, player)

    _ask(endpoint, profile, work)
    _tell(f"{player} is out", {"player": player}, as_json)


@app.command("role")
def role(
    player: PlayerArgument,
    role: Annotated[ClubRole, typer.Argument(help="owner hands the club over")],
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Give a member of your club another role."""

    async def work(client: SparrowClient) -> ClubMember:
        return await client.clubs.set_role((await own_club(client)).name, player, role)

    member = _ask(endpoint, profile, work)
    _tell(f"{player} is {member.role.value}", document(member), as_json)


@app.command("edit")
def edit(
    name: Annotated[str | None, typer.Option(help="another name")] = None,
    policy: Annotated[JoinPolicy | None, typer.Option(help="how strangers come in")] = None,
    about: Annotated[str | None, typer.Option(help="what the club says of itself")] = None,
    limit: Annotated[int | None, typer.Option(min=0, help="the most members")] = None,
    endpoint: EndpointOption = None,
    profile: ProfileOption = DEFAULT_PROFILE,
    as_json: JsonFlag = False,
) -> None:
    """Change your club's name, policy, description or limit."""

    async def work(client: SparrowClient) -> Club:
        club = await own_club(client)
        return await client.clubs.edit(
            club.name, display_name=name, policy=policy, description=about, member_limit=limit
        )

    club = _ask(endpoint, profile, work)
    _tell(f"[bold]{_text(club.display_name)}[/] is changed", document(club), as_json)


@app.command("disband")
def disband(
    endpoint: EndpointOption = None, profile: ProfileOption = DEFAULT_PROFILE, as_json: JsonFlag = False
) -> None:
    """End your club; nobody else may be in it."""

    async def work(client: SparrowClient) -> Club:
        club = await own_club(client)
        await client.clubs.disband(club.name)
        return club

    club = _ask(endpoint, profile, work)
    _tell(f"[bold]{_text(club.display_name)}[/] is no more", document(club), as_json)


async def _come_in(client: SparrowClient, club: Club) -> ClubMember | JoinRequest:
    """Take the way in that is open: an invitation, the open door, or asking."""
    if club.join_policy is JoinPolicy.OPEN:
        return await client.clubs.join(club.name)
    try:
        return await client.clubs.accept_invitation(club.name)
    except RefusedError as refused:
        if refused.reason != "NO_INVITATION" or club.join_policy is not JoinPolicy.BY_REQUEST:
            raise
    return await client.clubs.ask(club.name)


def _ask(endpoint: str | None, profile: str, work: Callable[[SparrowClient], Awaitable[T]]) -> T:
    target = find_endpoint(endpoint)

    async def ask() -> T:
        async with await connect(target, profile) as client:
            return await work(client)

    return run(ask(), target)


def _tell(sentence: str, told: Any, as_json: bool) -> None:
    if as_json:
        print_json(told)
    else:
        console().print(f"[bold green]✓[/] {sentence}")


def _text(words: str) -> str:
    """Return what somebody else wrote, safe within markup."""
    return foreign(words).markup
