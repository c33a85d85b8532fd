"""`maumau admin`: the accounts and backups of an arena, for its operators."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from maumau.cli.arena.dump import dump_results
from maumau.cli.arena.invite import invite_people
from maumau.cli.arena.run import check_installed
from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.errors import BadRequest, NotAllowed, UnknownAccount
from maumau.process.importing import hold
from maumau.screen.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from rich.table import Table

    from maumau.client.answer import Account

USUAL: Final = 100  # accounts of a table

app = typer.Typer(
    help="Open accounts for others, list and block them; back up and restore an arena on its host.",
    no_args_is_help=True,
)

Store = Annotated[str, typer.Argument(metavar="PLACE", help="A folder, or s3://BUCKET/PREFIX.")]
Data = Annotated[
    Path | None,
    typer.Option(
        help="The arena's data folder; by default the one that MAUMAU_DATA and the other settings name."
    ),
]


@app.command("accounts")
def open_accounts(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Names of the accounts, each 3 to 32 of a-z, 0-9 and -."),
    ],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Open accounts for others, such as a class, and print the token of each.

    For admins only. These accounts do not count against an address (MAUMAU_QUOTA_ACCOUNTS_HOUR), and their
    versions skip the queue of newcomers. Each person logs in with `maumau login --token TOKEN`. The
    command stops at a name that is taken; the accounts printed before it are open.

    Example: maumau admin accounts ada grace alan
    """
    with place.connect_arena(arena) as link:
        _check_admin(link.who().scopes)
        for name in names:
            made = link.create_account(name)
            if as_json:
                json_line({"account": name, "token": made.token, "expires_at": made.expires_at})
            else:
                show(f"{name} {made.token}")


app.command("invite")(invite_people)


@app.command()
def block(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The account, as `maumau admin list` shows it.")
    ],
    *,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Shut an account out: end all its tokens, so that nobody can log in with it.

    For admins only. Its bots and results stay, and its active versions play on in the contests and ladders
    that they have joined. `maumau token create --account NAME` lets it in again.

    Example: maumau admin block ada
    """
    with place.connect_arena(arena) as link:
        who = link.who()
        _check_admin(who.scopes, "blocks accounts")
        if name == who.account_name:
            raise BadRequest("This is your own account; another admin can block it.")
        ask_first(f"End all tokens of {name}?", yes=yes)
        ended = 0
        while found := link.tokens(name):  # each ends with those that it has made, even a moment ago
            ended += link.revoke_token(found[0].id)
        if not ended:
            raise UnknownAccount(f"No account {name!r} has a token that is still valid.")
    if as_json:
        json_line({"account": name, "revoked": ended})
    else:
        show(
            f"{name} is shut out, {ended} {'token' if ended == 1 else 'tokens'} ended;"
            f" `maumau token create --account {name}` lets it in again"
        )


@app.command("list")
def list_accounts(
    *,
    most: Annotated[
        int | None,
        typer.Option("--limit", "-n", min=1, help=f"How many to list; by default {USUAL}, with --json all."),
    ] = None,
    after: Annotated[
        str, typer.Option(metavar="NAME", help="Begin after this name, or this prefix of one.")
    ] = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the accounts by name: what their tokens allow, their bots, when they were opened and last used.

    For admins only. Tokens that have ended and retired bots do not count; the last use may be up to an
    hour later than shown. `maumau token list --account NAME` lists the tokens of one. With --json, each
    account is a line.

    Example: maumau admin list -n 50
    """
    with place.connect_arena(arena) as link:
        if as_json:
            for one in link.accounts(after, most or 0):
                json_line(one)
            return
        shown = most or USUAL
        found = [*link.accounts(after, shown + 1)]
    show(_account_table(found[:shown]) if found else f"there is no account after {after}")
    if len(found) > shown:
        show(f"there are more; `maumau admin list --after {found[shown - 1].name}` goes on")


def _account_table(found: Sequence[Account]) -> Table:
    from maumau.screen.table import table

    made = table("account", "scopes", ">tokens", ">bots", "opened", "last used")
    for one in found:
        opened, used = (f"{time:%Y-%m-%d}" if time else "never" for time in (one.created_at, one.used_at))
        scopes = ", ".join(one.scopes) or "-"
        made.add_row(one.name, scopes, f"{one.tokens:,}", f"{one.bots:,}", opened, used)
    return made


def _check_admin(scopes: Collection[str], does: str = "opens accounts for others") -> None:
    if "admin" not in scopes:
        raise NotAllowed(f"Only an admin {does}; your token lacks the scope admin.")


@app.command("backup")
def back_up(
    place: Store,
    *,
    data: Data = None,
    keep: Annotated[int, typer.Option(min=0, help="Keep the newest N backups; 0 means all.")] = 0,
    as_json: Json = False,
) -> None:
    """Back up all databases, programs, exports and old records while the arena goes on.

    It runs where the services run and reads the same settings: MAUMAU_DATABASE_URL, MAUMAU_ARTIFACTS,
    MAUMAU_EXPORTS, MAUMAU_RECORDS and MAUMAU_DATA. A backup has the secrets of contests: keep it where nobody
    else reads it.

    Example: maumau admin backup s3://arena-backups/daily --keep 14
    """
    _run_backup_program("backup", place, data, ["--keep", str(keep)], as_json=as_json)


app.command("dump")(dump_results)


@app.command("restore")
def restore_backup(
    place: Store,
    *,
    data: Data = None,
    name: Annotated[str, typer.Option(help="The backup; by default the newest.")] = "",
    as_json: Json = False,
) -> None:
    """Restore a backup into an empty arena, of either kind of database.

    Everything is checked before anything is changed. Start the services afterwards.

    Example: maumau admin restore s3://arena-backups/daily
    """
    _run_backup_program("restore", place, data, ["--name", name], as_json=as_json)


@app.command("backups")
def list_backups(
    place: Store,
    *,
    check: Annotated[bool, typer.Option("--check", help="Read every part and compare its SHA-256.")] = False,
    as_json: Json = False,
) -> None:
    """List the backups in a place, the oldest first.

    Example: maumau admin backups s3://arena-backups/daily --check
    """
    _run_backup_program("list", place, None, ["--check"] if check else [], as_json=as_json)


def _run_backup_program(verb: str, place: str, data: Path | None, flags: list[str], *, as_json: bool) -> None:
    """Replace this process with the platform's program."""
    check_installed("services.backup", "alembic", "fsspec", "sqlmodel")
    if data:
        os.environ["MAUMAU_DATA"] = str(data)
    words = [sys.executable, "-m", "services.backup", verb, place, *flags, *(["--json"] if as_json else [])]
    sys.stdout.flush()
    hold()
    os.execv(words[0], words)  # noqa: S606
