"""`maumau team`: accounts that own bots together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.arena.invite import read_span
from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.screen.output import Json, Where, count_things, json_line, show

if TYPE_CHECKING:
    from datetime import datetime

    from rich.table import Table

    from maumau.client.answer import TeamInvitation, TeamMember

app = typer.Typer(
    help="Teams: accounts that own bots together; members, roles, invitations.", no_args_is_help=True
)

Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="The name of an account.")]
OfTeam = Annotated[str, typer.Option("--team", metavar="NAME", help="For admins: the team.")]


@app.command("create")
def create_team(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name, 3 to 32 of a-z, 0-9 and -.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Found a team, of which you are the owner. Your bots become the team's until you leave it.

    Example: maumau team create reds
    """
    with place.connect_arena(arena) as link:
        made = link.create_team(name)
    if as_json:
        json_line(made)
    else:
        brought = f" with {count_things(made.bots, 'bot')} of yours" if made.bots else ""
        show(f"you own the team {made.name}{brought}; `maumau team invite ACCOUNT` invites others")


@app.command("show")
def show_team(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="The team; without a name, yours.")
    ] = None,
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Show a team: its members with their roles, and its bots.

    Example: maumau team show reds
    """
    with place.connect_arena(arena) as link:
        found = link.team(name or "")
        bots = [one.name for one in link.find_bots(owner=found.team.name)]
    if as_json:
        json_line({"team": found.team, "members": found.members, "bots": bots})
        return
    members, owned = count_things(len(found.members), "member"), ", ".join(bots) or "none yet"
    show(f"{found.team.name}: {members}; bots: {owned}", _member_table(found.members))


@app.command("list")
def list_teams(
    part: Annotated[
        str | None, typer.Argument(metavar="[PART]", help="Only teams whose names contain this.")
    ] = None,
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the teams by name.

    Example: maumau team list
    """
    with place.connect_arena(arena) as link:
        found = link.list_teams(part or "")
    if as_json:
        json_line(found)
        return
    if not found:
        show("there is no such team; `maumau team create NAME` founds one")
        return
    from maumau.screen.table import table

    made = table("team", ">members", ">bots", "founded")
    for one in found:
        made.add_row(one.name, f"{one.members}", f"{one.bots}", _write_day(one.created_at))
    show(made)


@app.command("invite")
def invite_account(
    account: Annotated[
        str | None,
        typer.Argument(metavar="[ACCOUNT]", help="The account to invite; without one, a code is made."),
    ] = None,
    *,
    expires: Annotated[
        str, typer.Option(metavar="SPAN", help="How long it lasts, such as 48h or 14d.")
    ] = "14d",
    team: OfTeam = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Invite an account into your team, or make a code that one account can use. For owners.

    Example: maumau team invite grace
    """
    hours = read_span(expires)
    with place.connect_arena(arena) as link:
        made = link.invite_to_team(account or "", hours, team)
    if as_json:
        json_line(made)
    elif account:
        show(f"{account} is invited into {made.invitation.team_name}: `maumau team join` accepts it")
    else:
        show(f"{made.code} leads one account into {made.invitation.team_name}: `maumau team join CODE`")


@app.command("invitations")
def list_invitations(*, arena: Where = None, as_json: Json = False) -> None:
    """List open invitations: those to you, and those of your team.

    Example: maumau team invitations
    """
    with place.connect_arena(arena) as link:
        found = link.list_team_invitations()
    if as_json:
        json_line(found)
    elif found:
        show(_invitation_table(found))
    else:
        show("there are no open invitations")


@app.command("join")
def join_team(
    invitation: Annotated[
        str | None,
        typer.Argument(
            metavar="[CODE]", help="A code or the id of an invitation; without it, your only one."
        ),
    ] = None,
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Accept an invitation into a team. Your bots become the team's; they go with you when you leave it.

    Example: maumau team join K7QF-2M9X-4B8T-PW3H
    """
    with place.connect_arena(arena) as link:
        asked = invitation or _only_invitation(link.list_team_invitations(), link.who().account_name)
        is_id = asked.startswith("invitation_")
        joined = link.join_team("" if is_id else asked, asked if is_id else "")
    if as_json:
        json_line(joined)
    else:
        brought = joined.brought_bots
        along = f", and {count_things(brought, 'bot')} of yours came along" if brought else ""
        show(f"you are a member of the team {joined.team.name}{along}")


@app.command("refuse")
def refuse_invitation(
    invitation: Annotated[
        str, typer.Argument(metavar="ID", help="The id, as `maumau team invitations` shows it.")
    ],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Refuse an invitation to you, or revoke one of your team.

    Example: maumau team refuse invitation_01k2zq4m9c8v5t7r3x6b1n0hda
    """
    with place.connect_arena(arena) as link:
        link.end_team_invitation(invitation)
    if as_json:
        json_line({"ended": invitation})
    else:
        show("the invitation has ended")


@app.command("promote")
def promote_member(
    account: Account, *, team: OfTeam = "", arena: Where = None, as_json: Json = False
) -> None:
    """Make a member an owner too, such as before you leave.

    Example: maumau team promote grace
    """
    _set_role(account, "owner", team, arena, as_json=as_json)


@app.command("demote")
def demote_owner(account: Account, *, team: OfTeam = "", arena: Where = None, as_json: Json = False) -> None:
    """Make an owner a member like the others.

    Example: maumau team demote grace
    """
    _set_role(account, "member", team, arena, as_json=as_json)


@app.command("remove")
def remove_member(account: Account, *, team: OfTeam = "", arena: Where = None, as_json: Json = False) -> None:
    """Remove a member; bots that the member has brought go along, all others stay.

    Example: maumau team remove grace
    """
    with place.connect_arena(arena) as link:
        returned = link.leave_team(account, team)
    _tell_left(account, returned, as_json=as_json)


@app.command("leave")
def leave_team(*, arena: Where = None, as_json: Json = False) -> None:
    """Leave your team; bots that you have brought go with you, all others stay.

    Example: maumau team leave
    """
    with place.connect_arena(arena) as link:
        account, returned = link.who().account_name, link.leave_team()
    _tell_left(account, returned, as_json=as_json)


@app.command("dissolve")
def dissolve_team(*, team: OfTeam = "", yes: Yes = False, arena: Where = None, as_json: Json = False) -> None:
    """Dissolve your team; bots go back to those who have brought them, all others to you.

    Example: maumau team dissolve
    """
    with place.connect_arena(arena) as link:
        name = team or link.team().team.name
        ask_first(f"Dissolve the team {name} for good?", yes=yes)
        link.dissolve_team(team)
    if as_json:
        json_line({"dissolved": name})
    else:
        show(f"the team {name} is dissolved")


def _set_role(account: str, role: str, team: str, arena: str | None, *, as_json: bool) -> None:
    with place.connect_arena(arena) as link:
        member = link.set_team_role(account, role, team)
    if as_json:
        json_line(member)
    else:
        show(f"{member.account_name} is {'an owner' if role == 'owner' else 'a member'}")


def _tell_left(account: str, returned: int, *, as_json: bool) -> None:
    if as_json:
        json_line({"left": account, "returned_bots": returned})
    else:
        along = f", with {count_things(returned, 'bot')}" if returned else ""
        show(f"{account} has left the team{along}")


def _only_invitation(found: tuple[TeamInvitation, ...], account: str) -> str:
    from maumau.errors import BadRequest

    mine = [one for one in found if one.account_name == account]
    if len(mine) == 1:
        return mine[0].id
    if not mine:
        raise BadRequest("Nobody has invited you; `maumau team join CODE` joins with a code.")
    teams = ", ".join(f"{one.team_name} ({one.id})" for one in mine)
    raise BadRequest(f"You are invited by {teams}: `maumau team join ID` accepts one.")


def _member_table(found: tuple[TeamMember, ...]) -> Table:
    from maumau.screen.table import table

    made = table("account", "role", "since")
    for one in found:
        made.add_row(one.account_name, one.role, _write_day(one.joined_at))
    return made


def _invitation_table(found: tuple[TeamInvitation, ...]) -> Table:
    from maumau.screen.table import table

    made = table("id", "team", "invited", "made", "ends")
    for one in found:
        days = _write_day(one.created_at), _write_day(one.expires_at)
        made.add_row(one.id, one.team_name, one.account_name or "whoever has its code", *days)
    return made


def _write_day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "-"
