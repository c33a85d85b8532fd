"""`maumau admin invite`: codes that open accounts in a group."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.errors import BadFile
from maumau.process.loopback import is_own_address
from maumau.screen.output import Json, Where, count_things, json_line, show, warn

if TYPE_CHECKING:
    from maumau.client.answer import CreateInvitationsResponse

SPAN: Final = re.compile(r"([1-9]\d{0,3})([hd])")
HOURS: Final = {"h": 1, "d": 24}
MOST_CODES: Final = 1000
ROLES: Final = ("member", "organiser")
WORKS_HERE: Final = (
    "the address on the sheet, {address}, leads to this machine only, so no phone can open it; `--page URL`"
    " names the page's address in your network"
)


Group = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="The group, 3 to 32 of a-z, 0-9 and -; an admin's command makes a new one."
    ),
]
Count = Annotated[int, typer.Option(min=1, max=MOST_CODES, help="How many codes.")]
Expires = Annotated[str, typer.Option(metavar="SPAN", help="How long they last, such as 14d or 12h.")]
Role = Annotated[
    str, typer.Option(help="Either member, or organiser, who invites others and runs the contests.")
]
Sheet = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Also write a page to print and cut up, with a QR code for each: HTML, A4."
    ),
]
Page = Annotated[
    str, typer.Option(metavar="URL", help="The page's address for the sheet, where the arena has none.")
]


def invite_people(  # noqa: PLR0913 - a flag for everything that may be chosen
    *,
    group: Group,
    count: Count = 1,
    expires: Expires = "14d",
    role: Role = "member",
    sheet: Sheet = None,
    page: Page = "",
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Make codes with which people open accounts in a group; each code works once.

    For admins, and for organisers of the group. Codes are shown only now: the arena keeps hashes. Accounts
    opened with them do not count against an address. `maumau group codes NAME` tells who has used one.

    Example: maumau admin invite --group class-9b --count 24 --expires 14d --sheet class-9b.html
    """
    hours = read_span(expires)
    check_role(role)
    if sheet:
        _check_writable(sheet)
    where = place.find_arena(arena)
    with place.connect_arena(arena) as link:
        address = page.rstrip("/") or (link.info().page if sheet else "")
        if is_own_address(address):  # before there are codes that cannot be shown again
            warn(WORKS_HERE.format(address=address))
            ask_first("Make the codes anyway?", yes=yes)
        made = link.create_invitations(group, count, hours, role)
    if as_json:
        json_line({"group": group, "role": role, "made": made})
    else:
        show(*_tell_codes(made, group, place.write_shared_address(where)))
    if sheet:
        _write_sheet(sheet, made, group, address or made.page)
        if not as_json:
            show(f"the sheet is {sheet}: print it on A4 and cut it up; it has all codes, so keep it safe")


def check_role(role: str) -> None:
    """Raise BadParameter if a group has no such role."""
    if role not in ROLES:
        raise typer.BadParameter(
            f"{role!r} is not a role; roles are {' and '.join(ROLES)}", param_hint="--role"
        )


def _write_sheet(sheet: Path, made: CreateInvitationsResponse, group: str, address: str) -> None:
    from maumau.cli.arena.sheet import write_sheet

    codes = [one.code for one in made.invitations]
    sheet.touch(0o600)  # for its owner alone: each code opens an account
    sheet.write_text(write_sheet(group, codes, made.expires_at, address), encoding="utf-8")


def _tell_codes(made: CreateInvitationsResponse, group: str, arena: str) -> list[str]:
    new = f"{group} is a new group" if made.new_group else ""
    until = f", valid until {made.expires_at:%Y-%m-%d %H:%M} UTC" if made.expires_at else ""
    codes = count_things(len(made.invitations), "code")
    page = f", or opens {made.page}/join/CODE" if made.page else ", or types it at /join on the arena's page"
    return [
        *([new] if new else []),
        f"{codes} for {group}{until}; each opens one account, and none is shown again:",
        *(one.code for one in made.invitations),
        f"Each person runs `maumau login --new NAME --code CODE --arena {arena}`{page}.",
    ]


def read_span(text: str) -> int:
    """Return the hours of a span such as 14d or 12h; raise BadParameter for any other text."""
    if not (found := SPAN.fullmatch(text)):
        raise typer.BadParameter(
            f"{text!r} is not a span: a number and d for days or h for hours, such as 14d",
            param_hint="--expires",
        )
    return int(found[1]) * HOURS[found[2]]


def _check_writable(sheet: Path) -> None:
    """Raise BadFile if the sheet could not be written, before there are codes that cannot be shown again."""
    from maumau.cli.arena.sheet import check_drawer

    check_drawer()
    if sheet.exists():
        raise BadFile(f"{sheet} exists, and may have codes that are still good; choose another name.")
    if not sheet.parent.is_dir():
        raise BadFile(f"There is no folder {sheet.parent} for the sheet.")
