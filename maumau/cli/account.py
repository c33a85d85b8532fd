"""`maumau login`, `logout`, `page`, `whoami`, `info`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import login as kept
from maumau.cli import place
from maumau.cli.output import Json, Where, json_line, show
from maumau.errors import BadLogin, MissingToken, NotAllowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maumau.answer import GetServerInfoResponse, ServerLimits, WhoAmIResponse


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    for command in (login, logout, page, whoami, info):
        app.command()(command)


def login(
    *,
    token: Annotated[str | None, typer.Option(help="The token; if left out, you are asked for it.")] = None,
    new: Annotated[
        str | None, typer.Option(metavar="NAME", help="Make a new account with this name.")
    ] = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Log in to an arena: check a token and save it.

    Example: maumau login --new ada --arena http://arena.example:7101
    """
    where = place.find(arena)
    if new and token:
        raise typer.BadParameter("either --token or --new")
    secret = _account(where, new) if new else token or _asked(where)
    with place.open_at(where, secret) as link:
        who = link.who()
    kept.keep(where.name, secret, remote=where.folder is None)
    if as_json:
        json_line({"arena": where.name, "account": who, "kept_in": str(kept.path())})
    else:
        show(f"logged in to {where.name} as {_said(who)}; the token is kept in {kept.path()}")


def logout(*, arena: Where = None, as_json: Json = False) -> None:
    """Log out: forget the token for an arena.

    Example: maumau logout
    """
    where = place.find(arena)
    had = kept.forget(where.name)
    if as_json:
        json_line({"arena": where.name, "forgotten": had})
    else:
        show(f"{'forgot the token' if had else 'there was no token'} for {where.name}")


def page(*, arena: Where = None, as_json: Json = False) -> None:
    """Print a code for logging in to the arena's page. It can be used once, within one minute.

    Example: maumau page
    """
    with place.connect(arena) as link:
        made = link.create_page_code()
    if as_json:
        json_line(made)
        return
    where = f"{made.page}/login" if made.page else "/login on the arena's page"
    show(f"{made.code}\nEnter it at {where} within one minute; it can be used once.")


def whoami(*, arena: Where = None, as_json: Json = False) -> None:
    """Show which account your token belongs to and what it allows.

    Example: maumau whoami
    """
    with place.connect(arena) as link:
        who = link.who()
    if as_json:
        json_line(who)
    else:
        show(_said(who))


def _said(who: WhoAmIResponse) -> str:
    until = f", until {who.expires_at:%Y-%m-%d}" if who.expires_at else ""
    return f"{who.account_name} ({', '.join(who.scopes)}{until})"


def info(*, arena: Where = None, as_json: Json = False) -> None:
    """Show what an arena is: version, limits, runtimes, and variants whose rules differ from yours.

    Example: maumau info
    """
    where = place.find(arena)
    with place.open_at(where, "") as link:
        found = link.info()
    if as_json:
        json_line({"arena": where.name, "info": found, "different": different(found)})
        return
    show(*_about(where.name, found))


def _about(name: str, found: GetServerInfoResponse) -> Iterator[str]:
    accounts = "anybody may open an account" if found.open else "an admin opens accounts"
    programs = "everybody's programs play" if found.takes_strangers else "only the house's programs play"
    yield f"{name}: maumau {found.version}; {accounts}; {programs}"
    yield f"runtimes: {', '.join(found.runtimes)}"
    if limits := found.limits:
        mib = 1 << 20
        yield (
            f"a submission: at most {limits.upload_bytes // mib} MiB, {limits.unpacked_bytes // mib} MiB"
            f" unpacked, {limits.members:,} files"
        )
        yield (
            f"an account: at most {limits.bots} bots, {_say_day(limits)}{limits.waiting_versions} versions"
            f" that wait, {limits.stored_mib:,} MiB,"
            f" {limits.validation_minutes} minutes of validation an hour"
        )
    yield f"variants: {', '.join(one.name for one in found.variants)}"
    if differ := different(found):
        yield f"played by other rules than those of your maumau: {', '.join(differ)}"


def _say_day(limits: ServerLimits) -> str:
    return f"{limits.versions_a_day} versions a day, " if limits.versions_a_day else ""


def different(found: GetServerInfoResponse) -> list[str]:
    """Variants that this library has not, or not with the same rules."""
    from maumau import game

    own = set(game.variants())
    return [one.name for one in found.variants if one.name not in own or _hash(one.name) != one.rules_hash]


def _hash(name: str) -> str:
    from maumau import game

    return game.load(name).hash


def _account(where: place.Place, name: str) -> str:
    """A new account's token: as anybody where that is allowed, else with the token at hand."""
    try:
        with place.open_at(where, "") as link:
            return link.create_account(name).token
    except (MissingToken, NotAllowed):
        if not place.token(where):
            raise
    with place.open_at(where, place.token(where)) as link:
        return link.create_account(name).token


def _asked(where: place.Place) -> str:
    if not sys.stdin.isatty():
        raise BadLogin
    return str(typer.prompt(f"token for {where.name}", hide_input=True, err=True)).strip()
