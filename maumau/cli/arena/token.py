"""`maumau token …`: tokens listed, made, revoked and rotated."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Annotated

import typer
from rich.table import Table

from maumau.cli.shared import login as kept
from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.screen.output import Json, Where, json_line, show

app = typer.Typer(help="List, create, revoke and rotate tokens.", no_args_is_help=True)

Account = Annotated[str, typer.Option(metavar="NAME", help="The account, if not your own (admins only).")]


@app.command(name="list")
def list_tokens(*, account: Account = "", arena: Where = None, as_json: Json = False) -> None:
    """List the tokens of your account that are still valid.

    Example: maumau token list
    """
    with place.connect_arena(arena) as link:
        tokens = link.tokens(account)
    if as_json:
        json_line({"tokens": tokens})
        return
    table = Table("id", "label", "scopes", "made", "last used", "ends", "made by", box=None)
    for one in tokens:
        days = (one.created_at, one.used_at, one.expires_at)
        made, used, ends = (f"{time:%Y-%m-%d}" if time else "never" for time in days)
        label = f"{one.label} (this one)".strip() if one.current else one.label
        table.add_row(one.id, label, ", ".join(one.scopes), made, used, ends, one.parent_id or "-")
    show(table)


@app.command("create")
def create_token(
    *,
    label: Annotated[str, typer.Option(help="Its purpose, such as the host that will use it.")] = "",
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope: author, organiser, worker or admin; repeatable.")
    ] = None,
    days: Annotated[int, typer.Option(min=0, max=365, help="For how many days it is valid; 0 means 90.")] = 0,
    account: Account = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Create another token. It ends no later than the token that created it.

    Example: maumau token create --label laptop --days 30
    """
    with place.connect_arena(arena) as link:
        made = link.create_token(account, tuple(scope or ()), days, label)
    _show_new(made.token, made.expires_at, as_json=as_json)


@app.command("revoke")
def revoke_token(
    token_id: Annotated[str, typer.Argument(metavar="ID", help="The id, as `maumau token list` shows it.")],
    *,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """End a token with all the tokens that it created; within 30 seconds it is refused everywhere.

    Example: maumau token revoke token_01kq3v8r2m
    """
    ask_first(f"End {token_id}, with all tokens that it created?", yes=yes)
    with place.connect_arena(arena) as link:
        ended = link.revoke_token(token_id)
    if as_json:
        json_line({"revoked": ended})
    else:
        show(f"revoked {ended} token{'' if ended == 1 else 's'}")


@app.command("rotate")
def rotate_token(*, arena: Where = None, as_json: Json = False) -> None:
    """Replace the token that you are logged in with.

    The old one ends when the new one is first used, which this command does at once: if the connection
    breaks before, you are still logged in with the old one. A token from MAUMAU_TOKEN is not a login: the
    new one is shown, for you to set and use.

    Example: maumau token rotate
    """
    where = place.find_arena(arena)
    place.open_nonces(where, place.choose_token(where))
    with place.open_at(where, place.choose_token(where)) as link:
        account = link.who().account_name
        fresh = link.rotate_token()
    if os.environ.get("MAUMAU_TOKEN"):
        _show_new(fresh.token, fresh.expires_at, as_json=as_json)
        return
    kept.keep_token(where.name, account, fresh.token)
    with place.open_at(where, fresh.token) as link:
        link.who()
    if as_json:
        shown = place.write_local_address(where)
        json_line({"arena": shown, "kept_in": str(kept.logins_path()), "expires_at": fresh.expires_at})
    else:
        named = place.write_typed_address(where)
        show(f"the new token for {named} is kept in {kept.logins_path()}; the old one has ended")


def _show_new(token: str, expires_at: datetime | None, *, as_json: bool) -> None:
    if as_json:
        json_line({"token": token, "expires_at": expires_at})
    else:
        show(f"{token}\nIt is shown only this once, and ends on {expires_at:%Y-%m-%d}.")
