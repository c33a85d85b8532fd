"""`maumau login`, `logout`, `page`, `whoami`, `info`."""

from __future__ import annotations

import shlex
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import login as kept
from maumau.cli.shared import place
from maumau.errors import (
    BadLogin,
    ExpiredToken,
    MaumauError,
    MissingToken,
    NameTaken,
    NotAllowed,
    NotLoggedIn,
    QuotaReached,
    RevokedToken,
    UnknownToken,
)
from maumau.screen.output import Json, Where, json_line, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from maumau.client.answer import GetServerInfoResponse, ServerLimits, WhoAmIResponse

Token = Annotated[str | None, typer.Option(help="The token; if left out, you are asked for it.")]
NewName = Annotated[str | None, typer.Option(metavar="NAME", help="Make a new account with this name.")]
InvitationCode = Annotated[
    str, typer.Option(help="The code of an invitation, for an arena or a group that asks for one.")
]
KeptAccount = Annotated[
    str | None,
    typer.Option("--as", metavar="NAME", help="Use an account whose token is kept on this computer."),
]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("login")(log_in)
    app.command("logout")(log_out)
    app.command("page")(print_page_link)
    app.command("whoami")(show_account)
    app.command("info")(show_arena)


def log_in(
    *,
    token: Token = None,
    new: NewName = None,
    code: InvitationCode = "",
    account: KeptAccount = None,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Log in to an arena: check a token, keep it on this computer and use it from now on.

    Tokens of other accounts are kept beside it; --as goes back to one of them, at whichever arena it is.

    One address is enough, that of the page or of the registry: the arena tells the others.

    Example: maumau login --new ada --arena http://arena.example:7100
    """
    _check_login(token, new, account, code)
    where = _find_arena_of(account) if account and not arena else place.find_arena(arena)
    if new:
        secret = _open_new_account(where, new, code.strip())
        kept.keep_aside(where.name, new, secret)  # before any failure: this token cannot be issued again
    elif account:
        secret = _find_kept_token(where, account, is_named=bool(arena))
    else:
        secret = token or _ask_token(where)
    with place.open_at(where, secret) as link:
        who = link.who()
    before = _keep_current(where)
    address = (
        "" if where.folder else place.write_shared_address(where)
    )  # a folder knows the ports of each start
    kept.keep_token(where.name, who.account_name, secret, address)
    place.open_nonces(where, secret)
    if as_json:
        made = {"token": secret} if new else {}
        shown = place.write_local_address(where)
        json_line({"arena": shown, "account": who, "kept_in": str(kept.logins_path()), **made})
    else:
        show(*_describe_login(where, who, before, secret if new else ""))


def _check_login(token: str | None, new: str | None, account: str | None, code: str) -> None:
    if sum(map(bool, (token, new, account))) > 1:
        raise typer.BadParameter("one of --token, --new and --as")
    if code.strip() and not new:
        raise typer.BadParameter("--code opens a new account: add --new NAME; `maumau group join CODE` joins")


def _describe_login(where: place.ArenaPlace, who: WhoAmIResponse, before: str, made: str) -> Iterator[str]:
    """Yield what has changed. before: the account in use until now. made: the token of a new account."""
    named = f"{place.write_typed_address(where)} as {_describe_account(who)}"
    yield f"logged in to {named}; the token is kept in {kept.logins_path()}"
    if made:
        yield f"It is the only key to the account, so keep a copy; it is not shown again:\n  {made}"
    if before not in {"", who.account_name}:
        yield f"{before} is kept as well: `{_write_return(where, before)}` goes back to it"
    if hint := _hint_at_usual_arena(where):
        yield hint


def log_out(
    *,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete the token from this computer, for good.")
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Log out of an arena. The token stays on this computer, and `maumau login --as NAME` uses it again.

    Example: maumau logout
    """
    where = place.find_arena(arena)
    name = _keep_current(where)
    if not name:
        raise NotLoggedIn(f"You are not logged in to {where.name}.{_hint_at_logins()}")
    kept.leave_token(where.name)
    if forget:
        kept.forget_token(where.name, name)
    if as_json:
        json_line({"arena": where.name, "account": name, "forgotten": forget})
    elif forget:
        show(
            f"logged out of {where.name} and deleted the token of {name}; without a copy of it only an admin"
            f" of the arena can let you in again: `maumau token create --account {name}`"
        )
    else:
        now = "; until then you are its admin here" if where.token else ""
        show(f"logged out of {where.name}; `{_write_return(where, name)}` logs in again{now}")


def _find_arena_of(account: str) -> place.ArenaPlace:
    """Return the arena at which a token of this account is kept, the usual one before others.

    Without one, return the usual arena. Raise `BadLogin` that lists the commands if several others have one.
    """
    usual = _find_usual_arena()
    if isinstance(usual, place.ArenaPlace):
        with suppress(MaumauError):
            _keep_current(usual)
    found = [name for name in kept.find_arenas_of(account) if place.has_kept(name)]
    if isinstance(usual, place.ArenaPlace) and (
        not found or any(kept.is_same(usual.name, name) for name in found)
    ):
        return usual
    if len(found) == 1:
        return place.find_kept(found[0])
    if isinstance(usual, MaumauError) and not found:
        raise usual
    commands = ", ".join(f"`{_write_login(account, name)}`" for name in found)
    raise BadLogin(f"Tokens of {account} are kept for {len(found)} arenas; say which one: {commands}.")


def _find_usual_arena() -> place.ArenaPlace | MaumauError:
    """Return the arena of commands without --arena, or why there is none."""
    try:
        return place.find_arena(None)
    except MaumauError as error:  # it does not run, for one
        return error


def _write_return(where: place.ArenaPlace, account: str) -> str:
    """Return the command that logs in again with an account's token, with --arena where that is needed."""
    usual = _find_usual_arena()
    is_usual = isinstance(usual, place.ArenaPlace) and kept.is_same(usual.name, where.name)
    if is_usual or {kept.is_same(name, where.name) for name in kept.find_arenas_of(account)} == {True}:
        return f"maumau login --as {account}"
    return _write_login(account, where.name)


def _write_login(account: str, arena: str) -> str:
    return f"maumau login --as {account} --arena {shlex.quote(kept.find_address(arena) or arena)}"


def _hint_at_logins() -> str:
    """Return the commands that log out of the arenas logged in to; an empty string if there are none.

    Without those of folders that are no more, which no command finds.
    """
    commands = [
        f"`maumau logout --arena {shlex.quote(kept.find_address(arena) or arena)}`"
        for arena in kept.list_arenas_in_use()
        if place.has_kept(arena)
    ]
    return f" You are logged in elsewhere: {', '.join(commands)}." if commands else ""


def _find_kept_token(where: place.ArenaPlace, name: str, *, is_named: bool) -> str:
    """Return the token kept for an account; raise `BadLogin` that lists those there are.

    is_named: --arena says where it goes, so that it may be one kept for other ports of that host.
    """
    _keep_current(where)
    found = kept.list_accounts(where.name)
    if name in found:
        return found[name]
    elsewhere = kept.find_elsewhere(where.name) if is_named else {}
    for tokens in reversed(elsewhere.values()):
        if name in tokens:
            return tokens[name]
    known = f"kept here: {', '.join(sorted(found))}" if found else "no account is kept here"
    raise BadLogin(f"No token of {name} at {where.name} is kept on this computer; {known}.")


def _keep_current(where: place.ArenaPlace) -> str:
    """Return the account in use, or an empty string, and see to it that its token is kept by name.

    Files of earlier versions have a token without a name, which the arena has to tell.
    """
    used, name = kept.token_in_use(where.name), kept.find_account(where.name)
    if not used or name:
        return name
    try:
        with place.open_at(where, used) as link:
            name = link.who().account_name
    except (UnknownToken, ExpiredToken, RevokedToken):
        return ""  # it opens nothing any more
    kept.keep_aside(where.name, name, used)
    return name


def print_page_link(*, arena: Where = None, as_json: Json = False) -> None:
    """Print a link that logs in to the arena's page. It can be used once, within one minute.

    Example: maumau page
    """
    with place.connect_arena(arena) as link:
        made = link.create_page_code()
    if as_json:
        json_line(made)
        return
    if made.page:
        show(f"{made.page}/login?code={made.code}\nOpen this link within one minute; it can be used once.")
    else:
        show(f"{made.code}\nEnter it at /login on the arena's page within one minute; it can be used once.")


def show_account(*, arena: Where = None, as_json: Json = False) -> None:
    """Show which account your token belongs to and what it allows.

    Example: maumau whoami
    """
    with place.connect_arena(arena) as link:
        who = link.who()
    if as_json:
        json_line(who)
    else:
        own = " with this arena's own token, not a login of yours" if place.is_own_token(arena) else ""
        show(f"{_describe_account(who)}{own}")


def _describe_account(who: WhoAmIResponse) -> str:
    until = f", until {who.expires_at:%Y-%m-%d}" if who.expires_at else ""
    return f"{who.account_name} ({', '.join(who.scopes)}{until})"


def show_arena(*, arena: Where = None, as_json: Json = False) -> None:
    """Show what an arena is: version, limits, runtimes, and variants whose rules differ from yours.

    Example: maumau info
    """
    where = place.find_arena(arena)
    with place.open_at(where, "") as link:
        found = link.info()
    if as_json:
        shown = place.write_local_address(where)
        json_line({"arena": shown, "info": found, "different": list_differing_variants(found)})
        return
    show(*_describe_arena(place.write_typed_address(where), found))


def _describe_arena(name: str, found: GetServerInfoResponse) -> Iterator[str]:
    accounts = {
        "open": "anybody may open an account (`maumau login --new NAME`)",
        "code": "accounts are opened with a code (`maumau login --new NAME --code CODE`)",
        "closed": "an admin opens accounts, whose tokens `maumau login` takes",
    }[found.registration or ("open" if found.open else "closed")]
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
    if differ := list_differing_variants(found):
        yield f"played by other rules than those of your maumau: {', '.join(differ)}"


def _say_day(limits: ServerLimits) -> str:
    return f"{limits.versions_a_day} versions a day, " if limits.versions_a_day else ""


def list_differing_variants(found: GetServerInfoResponse) -> list[str]:
    """Return the variants that this library lacks, or has with other rules."""
    from maumau import game

    own = set(game.variants())
    return [
        one.name for one in found.variants if one.name not in own or _hash_variant(one.name) != one.rules_hash
    ]


def _hash_variant(name: str) -> str:
    from maumau import game

    return game.load(name).hash


def _open_new_account(where: place.ArenaPlace, name: str, code: str) -> str:
    """Return a new account's token: made without a token where that is allowed, else with one at hand.

    On the arena's own machine that includes its admin's, whose accounts have no bound. With a code, no token
    is needed.
    """
    if code:
        return _open_account(where, "", name, code)
    *first, last = dict.fromkeys(("", place.choose_token(where), where.token))
    for token in first:
        with suppress(MissingToken, NotAllowed, QuotaReached):
            return _open_account(where, token, name)
    return _open_account(where, last, name)


def _open_account(where: place.ArenaPlace, token: str, name: str, code: str = "") -> str:
    with place.open_at(where, token) as link:
        try:
            return link.create_account(name, code).token
        except NameTaken as taken:
            if name not in kept.list_accounts(where.name):
                raise
            raise NameTaken(
                f"{taken} Its token is kept here: `{_write_return(where, name)}` uses it."
            ) from None


def _hint_at_other_ports(where: place.ArenaPlace) -> str:
    """Return the command that uses a token kept for other ports of this host; empty if there is none.

    It is not used unasked: whoever listens at another port may be somebody else.
    """
    for name, tokens in reversed(kept.find_elsewhere(where.name).items()):
        for account in tokens:
            return (
                f" A token of {account} is kept for {name}: if the arena's ports have changed,"
                f" `maumau login --as {account} --arena {place.write_typed_address(where)}` uses it."
            )
    return ""


def _hint_at_usual_arena(where: place.ArenaPlace) -> str:
    """Return how commands reach this arena if here they use another one; empty if they use this one."""
    usual = _find_usual_arena()
    if isinstance(usual, MaumauError):
        told = f"Commands here still look for another arena: {usual}. For this one,"
    elif usual.name == where.name:
        return ""
    else:
        told = f"Commands here still use {usual.name}:"
    given = place.write_typed_address(where)
    return f"{told} add `--arena {given}` or type `export MAUMAU_ARENA={given}`."


def _ask_token(where: place.ArenaPlace) -> str:
    hint = _hint_at_other_ports(where)
    if not sys.stdin.isatty():
        raise BadLogin(f"{BadLogin.__doc__}{hint}")
    if hint:
        typer.echo(hint.strip(), err=True)
    return str(typer.prompt(f"token for {where.name}", hide_input=True, err=True)).strip()
