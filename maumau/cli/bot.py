"""`maumau submit`, `bots`, `activate`, `retire`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli import place
from maumau.cli.output import Json, Told, Where, json_line, minutes, plain, progress, show
from maumau.errors import BadSubmission

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from maumau.answer import Bot, SubmitVersionResponse, Version
    from maumau.client import Arena


def add_to(app: typer.Typer) -> None:
    """Registers the commands."""
    for command in (submit, bots, activate, retire):
        app.command()(command)


def submit(
    path: Annotated[Path, typer.Argument(help="A folder with a bot.toml, a single file or a zip.")],
    *,
    watch: Annotated[
        bool, typer.Option("--watch", help="Wait for the validation, then activate the bot.")
    ] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Upload a bot. The arena has it play test deals before it can be activated.

    Example: maumau submit my-bot --watch
    """
    from maumau.bot import package

    packed = package.pack_submission(path)
    with place.connect(arena) as link:
        sent = _upload(link, packed.manifest.name, packed.archive)
        if as_json and not watch:
            json_line(sent)
        elif not as_json:
            _say_sent(sent)
        if watch:
            _settle(link, sent.version, as_json=as_json)


def bots(
    *,
    mine: Annotated[bool, typer.Option("--mine", help="List only my bots.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the bots with their newest versions.

    Example: maumau bots --mine
    """
    with place.connect(arena) as link:
        found = link.bots(mine=mine)
    if as_json:
        json_line(found)
    else:
        remarks = [plain(_line(bot.versions[0])) for bot in found if bot.versions and bot.versions[0].reason]
        show(_table(found), *remarks)


def activate(
    version: Annotated[
        str, typer.Argument(help="The id of a version, or the name of a bot for its newest version.")
    ],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Let a bot play with this validated version from now on.

    Example: maumau activate my-bot
    """
    with place.connect(arena) as link:
        now = link.activate(newest(link, version))
    if as_json:
        json_line(now)
    else:
        show(_line(now))


def retire(
    name: Annotated[str, typer.Argument(help="The name of the bot.")],
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Retire a bot: it can no longer enter anything, but its results stay.

    Example: maumau retire my-bot
    """
    with place.connect(arena) as link:
        link.delete_bot(name)
    if as_json:
        json_line({"retired": name})
    else:
        show(f"{name} is retired")


def newest(link: Arena, version: str) -> str:
    """The id of a bot's newest version; a version's id is itself."""
    for bot in link.bots():
        if bot.name == version and bot.versions:
            return bot.versions[0].id
    return version


def _upload(link: Arena, name: str, archive: bytes) -> SubmitVersionResponse:
    with progress(f"uploading {name}", len(archive)) as (bar, task):
        return link.submit(name, archive, lambda done: bar.update(task, completed=done))


def _say_sent(sent: SubmitVersionResponse) -> None:
    show(f"{'known already' if sent.known else 'submitted'}: {_line(sent.version)}")


def _settle(link: Arena, version: Version, *, as_json: bool) -> None:
    """Follows the validation to its end; a version that passed is activated, any other is an error."""
    last, progress = version, Told(f"validating {version.bot_name}")
    for last in link.watch_version(version.id):
        if as_json:
            json_line(last)
        progress.tell(how_far(last))
    if last.state in {"valid", "retired"}:
        last = link.activate(last.id)
        if as_json:
            json_line(last)
    if last.state != "active":
        raise BadSubmission(f"{_line(last)}; `maumau logs {last.id}` says more")
    if not as_json:
        show(_line(last))


def how_far(version: Version) -> str:
    """How far its validation is, or where it stands in the queue."""
    if not version.queue_place:
        return version.progress or version.state
    about = f", about {minutes(version.queue_seconds)}" if version.queue_seconds else ""
    return f"number {version.queue_place} in the queue{about}"


def _line(version: Version) -> str:
    reason = f": {version.reason}" if version.reason else ""
    return f"{version.bot_name} version {version.number} ({version.id}) is {version.state}{reason}"


def _table(found: Iterable[Bot]) -> Table:
    from rich.text import Text

    from maumau.cli.table import table

    made = table("bot", "account", ">version", "state", "rules", "sha256", "built")
    for bot in found:
        for version in bot.versions[:1]:
            rules = ", ".join(version.rules) or "all"
            hashes = (version.sha256[:12], version.built_sha256[:12])
            row = (bot.name, bot.account_name, str(version.number), version.state, rules, *hashes)
            made.add_row(*(Text(cell) for cell in row))
    return made
