"""A version of a bot, as users name it: by its id, or by its bot and number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from maumau.errors import UnknownVersion

if TYPE_CHECKING:
    from maumau.client.arena import Arena

Number = Annotated[
    str | None,
    typer.Argument(help="After the name of a bot: the number of one of its versions, such as 3 or v3."),
]


def find_version(link: Arena, version: str, number: str | None = None) -> str:
    """Return the id of a bot's version.

    Args:
        link: the arena.
        version: the name of a bot, or the id of a version, which is returned unchanged.
        number: that of the version, such as 3 or v3; None for the newest.

    Raises:
        UnknownVersion: the bot has no version of that number.
    """
    if number is None:
        newest = (bot.versions[0].id for bot in link.bots() if bot.name == version and bot.versions)
        return next(newest, version)
    found = {str(one.number): one.id for one in link.versions(version)}
    try:
        return found[number.removeprefix("v")]
    except KeyError:
        known = f"its newest is {next(iter(found))}" if found else "it has none"
        raise UnknownVersion(f"The bot {version} has no version {number}; {known}.") from None
