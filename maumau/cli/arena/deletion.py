"""`maumau account delete`: the end of an account."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from maumau.cli.shared import login as kept
from maumau.cli.shared import place
from maumau.errors import BadRequest, RevokedToken
from maumau.screen.output import Json, Where, count_things, json_line, show

app = typer.Typer(help="Delete your account.", no_args_is_help=True)


@app.callback()
def open_account_commands() -> None:
    """Delete your account."""


@app.command("delete")
def delete_account(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Your account's name; admins may name any account.")
    ],
    *,
    confirm: Annotated[
        str, typer.Option(metavar="NAME", help="The name once more; if left out, you are asked for it.")
    ] = "",
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Delete an account for good: its tokens, logins, webhooks, mail addresses and memberships.

    Its bots are retired and belong to a pseudonym. Contests, ladders and practice keep the name, which is not
    given to anyone else. A token that another one made, such as for a CI, does not delete the account.

    Example: maumau account delete ada
    """
    where = place.find_arena(arena)
    if (confirm or _ask_name(name)) != name:
        raise BadRequest(f"Nothing was deleted: you did not type {name}.", field="confirm")
    try:
        with place.connect_arena(arena) as link:
            deleted = link.delete_account(name)
    except RevokedToken as error:
        raise _explain_ended(where.name, name) from error
    kept.forget_token(where.name, name)
    if as_json:
        json_line(deleted)
        return
    retired = f"; {count_things(deleted.bots, 'bot')} retired" if deleted.bots else ""
    show(f"the account {name} is deleted{retired}; it is now called {deleted.pseudonym}")


def _explain_ended(arena: str, name: str) -> RevokedToken:
    """Return the refusal of an ended token, after forgetting that of the account if it is the one in use.

    The arena tells nobody without a token whether an account is deleted or shut out.
    """
    in_use = "" if os.environ.get("MAUMAU_TOKEN") else kept.find_account(arena)
    if in_use not in ("", name):
        return RevokedToken()
    if in_use:
        kept.forget_token(arena, name)
    return RevokedToken(
        f"Your token has ended. If it was one of {name}, the account may be deleted already, such as by an"
        " earlier call whose answer was lost; or the token was revoked, and an admin of the arena knows."
    )


def _ask_name(name: str) -> str:
    if not sys.stdin.isatty():
        raise BadRequest(f"Deleting cannot be undone: add `--confirm {name}`.", field="confirm")
    return str(typer.prompt(f"This cannot be undone. Type {name} to delete the account", err=True)).strip()
