"""`maumau group`: who is in a class or club, and the codes that lead into it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.arena.invite import ROLES, check_role
from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first, is_asked
from maumau.errors import UnknownGroup
from maumau.screen.output import Json, Where, count_things, json_line, show

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from rich.table import Table

    from maumau.client.answer import AccountGroup, GroupInvitation, GroupMember

app = typer.Typer(
    help="Groups of accounts, such as a class: members, roles, invitation codes.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The group.")]
Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="The name of an account.")]


@app.command("list")
def list_groups(*, arena: Where = None, as_json: Json = False) -> None:
    """List your groups; an admin sees all of them.

    Example: maumau group list
    """
    with place.connect_arena(arena) as link:
        found = link.list_groups()
    if as_json:
        json_line(found)
    elif found:
        show(_group_table(found))
    else:
        show("you are in no group; `maumau group join CODE` joins one with a code")


@app.command("show")
def show_group(name: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """Show a group: its members with their roles and, to its organisers, how many codes are open.

    Example: maumau group show class-9b
    """
    with place.connect_arena(arena) as link:
        found = link.list_groups(name)
        if not found:
            raise UnknownGroup(
                f"There is no group {name[:80]!r} that you are in; `maumau group list` shows yours."
            )
        group, who = found[0], link.who()
        leads = group.role == "organiser" or "admin" in who.scopes
        members = link.list_members(name)
        codes = link.list_invitations(name) if leads else ()
    waiting = sum(one.state == "open" for one in codes)
    if as_json:
        json_line({"group": group, "members": members, "open_codes": waiting if leads else None})
        return
    role = f"; you are {_name_role(group.role)}" if group.role in ROLES else ""
    open_codes = f", {count_things(waiting, 'open code')}" if leads else ""
    show(f"{group.name}: {count_things(len(members), 'member')}{open_codes}{role}", _member_table(members))


@app.command("members")
def list_members(name: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """List the members of a group by name.

    Example: maumau group members class-9b
    """
    with place.connect_arena(arena) as link:
        found = link.list_members(name)
    if as_json:
        json_line(found)
    else:
        show(_member_table(found))


@app.command("add")
def add_member(
    name: Name,
    account: Account,
    *,
    role: Annotated[str, typer.Option(help="Either member or organiser.")] = "member",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Put an account into a group, or give a member another role.

    For admins, and for organisers of the group. An organiser invites and removes members, and creates and
    runs the group's contests.

    Example: maumau group add class-9b ada --role organiser
    """
    check_role(role)
    with place.connect_arena(arena) as link:
        new = [] if link.list_groups(name) else [f"{name} is a new group"]
        member = link.set_member(name, account, role)
    if as_json:
        json_line(member)
    else:
        show(*new, f"{member.account_name} is {_name_role(member.role)} of {name}")


@app.command("remove")
def remove_member(name: Name, account: Account, *, arena: Where = None, as_json: Json = False) -> None:
    """Remove a member from a group; within seconds its contests are hidden from the account.

    Bots that have entered stay entered: `maumau tournament withdraw` takes them out.

    Example: maumau group remove class-9b ada
    """
    with place.connect_arena(arena) as link:
        link.remove_member(name, account)
    _tell_removed(name, account, as_json=as_json)


@app.command("leave")
def leave_group(name: Name, *, yes: Yes = False, arena: Where = None, as_json: Json = False) -> None:
    """Leave a group. Its only organiser is asked first: the group would have none.

    Example: maumau group leave class-9b
    """
    with place.connect_arena(arena) as link:
        account = link.who().account_name
        if is_asked(yes=yes) and _is_only_organiser(account, link.list_members(name)):
            ask_first(
                f"You are the only organiser of {name}: without you it has none."
                f" `maumau group add {name} ACCOUNT --role organiser` adds another one first."
                f" Leave {name} all the same?",
                yes=yes,
            )
        link.remove_member(name)
    _tell_removed(name, account, as_json=as_json)


@app.command("join")
def join_group(
    code: Annotated[
        str, typer.Argument(metavar="CODE", help="A code of the group, as its organiser gave it.")
    ],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Join a group by a code, with the account that you are logged in with.

    Without an account, `maumau login --new NAME --code CODE` opens one in the group.

    Example: maumau group join K7QF-2M9X-4B8T-PW3H
    """
    with place.connect_arena(arena) as link:
        group = link.join_group(code)
    if as_json:
        json_line(group)
    else:
        show(f"you are {_name_role(group.role)} of {group.name}; `maumau tournament list` shows its contests")


@app.command("codes")
def list_codes(name: Name, *, arena: Where = None, as_json: Json = False) -> None:
    """List the codes of a group: which are open, and who has used the others. The codes are not shown again.

    Example: maumau group codes class-9b
    """
    with place.connect_arena(arena) as link:
        found = link.list_invitations(name)
    if as_json:
        json_line(found)
    elif found:
        show(_code_table(found))
    else:
        show(f"{name} has no codes; `maumau admin invite --group {name} --count N` makes some")


@app.command("revoke")
def revoke_codes(
    name: Name,
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[ID...]", help="Codes as `maumau group codes` shows them; without any, all open ones."
        ),
    ] = None,
    *,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Revoke open codes of a group, such as those of a lost sheet. Accounts that used theirs stay.

    Example: maumau group revoke class-9b
    """
    which = count_things(len(ids), "code") if ids else "all open codes"
    ask_first(f"Revoke {which} of {name} for good?", yes=yes)
    with place.connect_arena(arena) as link:
        ended = link.revoke_invitations(*ids) if ids else link.revoke_invitations(group=name)
    if as_json:
        json_line({"revoked": ended})
    else:
        show(f"revoked {count_things(ended, 'code')}")


def _name_role(role: str) -> str:
    return "an organiser" if role == "organiser" else "a member"


def _is_only_organiser(account: str, members: Iterable[GroupMember]) -> bool:
    return [one.account_name for one in members if one.role == "organiser"] == [account]


def _tell_removed(name: str, account: str, *, as_json: bool) -> None:
    if as_json:
        json_line({"group": name, "removed": account})
    else:
        show(f"{account} is no longer in {name}")


def _group_table(found: tuple[AccountGroup, ...]) -> Table:
    from maumau.screen.table import table

    made = table("group", "your role", ">members", "made")
    for one in found:
        role = one.role if one.role in ROLES else "-"
        made.add_row(one.name, role, f"{one.members:,}", _write_day(one.created_at))
    return made


def _member_table(found: tuple[GroupMember, ...]) -> Table:
    from maumau.screen.table import table

    made = table("account", "role", "since")
    for one in found:
        made.add_row(one.account_name, one.role, _write_day(one.joined_at))
    return made


def _code_table(found: tuple[GroupInvitation, ...]) -> Table:
    from maumau.screen.table import table

    made = table("id", "state", "used by", "role", "made", "ends")
    for one in found:
        times = (_write_day(one.created_at), _write_day(one.expires_at))
        made.add_row(one.id, one.state, one.account_name or "-", one.role, *times)
    return made


def _write_day(moment: datetime | None) -> str:
    return f"{moment:%Y-%m-%d}" if moment else "-"
