"""`maumau submit`, `bots`, `activate`, `retire`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from maumau.cli.shared import place
from maumau.cli.shared.question import Yes, ask_first
from maumau.cli.shared.version import Number, find_version
from maumau.errors import BadSubmission, MaumauError
from maumau.screen.output import Json, ProgressLines, Where, json_line, plain, progress, show
from maumau.screen.table import how_far

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.table import Table

    from maumau.client.answer import Bot, SubmitVersionResponse, Version
    from maumau.client.arena import Arena


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    app.command("submit")(submit_bot)
    app.command("bots")(list_bots)
    app.command("activate")(activate_version)
    app.command("retire")(retire_bot)


def submit_bot(
    path: Annotated[Path, typer.Argument(help="A folder with a bot.toml, a single file or a zip.")],
    *,
    watch: Annotated[bool, typer.Option("--watch", help="Wait for the end of the validation.")] = False,
    idle: Annotated[bool, typer.Option("--no-activate", help="Keep the present version active.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Upload a bot. The arena has it play test deals; as soon as it has passed them, it plays.

    Whether or not you wait for that. With --no-activate it plays once you use `maumau activate`.

    Example: maumau submit my-bot --watch
    """
    from maumau.submission import package

    packed = package.pack_submission(path)
    with place.connect_arena(arena) as link:
        sent = _upload_archive(link, packed.manifest.name, packed.archive, activate=not idle)
        if as_json and not watch:
            json_line(sent)
        elif not as_json:
            show(*_say_sent(sent))
        if watch:
            _follow_validation(link, sent.version, as_json=as_json)


def list_bots(
    *,
    mine: Annotated[bool, typer.Option("--mine", help="List only my bots.")] = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """List the bots with their newest versions, and the active ones where those are others.

    Example: maumau bots --mine
    """
    with place.connect_arena(arena) as link:
        found = link.bots(mine=mine)
    if as_json:
        json_line(found)
    else:
        show(_tabulate_bots(found), *(plain(remark) for bot in found for remark in _remark_on_bot(bot)))


def activate_version(
    version: Annotated[
        str, typer.Argument(help="The name of a bot, for its newest version; or the id of a version.")
    ],
    number: Number = None,
    *,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Let a bot play with this validated version from now on.

    Example: maumau activate my-bot 3
    """
    with place.connect_arena(arena) as link:
        now = link.activate(find_version(link, version, number))
    if as_json:
        json_line(now)
    else:
        show(_describe_version(now))


def retire_bot(
    name: Annotated[str, typer.Argument(help="The name of the bot.")],
    *,
    yes: Yes = False,
    arena: Where = None,
    as_json: Json = False,
) -> None:
    """Retire a bot for good: it can no longer enter anything, but its results stay.

    Example: maumau retire my-bot
    """
    ask_first(f"Retire {name} for good?", yes=yes)
    with place.connect_arena(arena) as link:
        link.delete_bot(name)
    if as_json:
        json_line({"retired": name})
    else:
        show(f"{name} is retired")


def _upload_archive(link: Arena, name: str, archive: bytes, *, activate: bool) -> SubmitVersionResponse:
    with progress(f"uploading {name}", len(archive)) as (bar, task):
        return link.submit(name, archive, lambda done: bar.update(task, completed=done), activate=activate)


def _say_sent(sent: SubmitVersionResponse) -> Iterator[str]:
    """Yield where a version stands that was just submitted, and what happens next by itself."""
    version, how = sent.version, "known already" if sent.known else "submitted"
    yield f"{how}: {_describe_version(version)}{_name_log(version)}"
    if not version.settled:
        yield _say_next(version)


def _say_next(version: Version) -> str:
    name = version.bot_name
    if version.activates:
        return f"It plays as soon as it has passed its validation; `maumau bots` shows how far {name} is."
    return f"It does not play by itself: once it has passed its validation, `maumau activate {name}` lets it."


def _follow_validation(link: Arena, version: Version, *, as_json: bool) -> None:
    """Follow the validation to its end; a version that did not pass is an error."""
    last, progress = version, ProgressLines(f"validating {version.bot_name}")
    try:
        for last in link.watch_version(version.id):
            if as_json:
                json_line(last)
            progress.tell(how_far(last))
    except KeyboardInterrupt:
        if not as_json:
            show(f"The validation goes on. {_say_next(last)}")
        raise
    if last.state in {"refused", "stalled"}:
        raise BadSubmission(
            f"{_describe_version(last)}{_find_error(link, last)}; `maumau logs {last.id}` says more"
        )
    if not as_json:
        show(_describe_version(last), *_remark_idle(last))


def _find_error(link: Arena, version: Version) -> str:
    """Return the error of a program that crashed, which its author's log has behind the public reason."""
    fault = version.reason.partition(" seats: ")[2]
    with suppress(MaumauError):  # the reason says enough
        for line in link.log(version.id).splitlines() if fault else ():
            if line.startswith(f"{fault}: "):
                return plain(line.removeprefix(fault))
    return ""


def _name_log(version: Version) -> str:
    """Return what shows a refused version's author more than its public reason, or an empty string."""
    return f"; `maumau logs {version.id}` tells its author more" if version.state == "refused" else ""


def _describe_version(version: Version) -> str:
    reason = f": {version.reason}" if version.reason else ""
    return f"{version.bot_name} version {version.number} ({version.id}) is {version.state}{reason}"


def _remark_on_bot(bot: Bot) -> Iterator[str]:
    """Yield why a bot's newest version is as it is, and what lets a bot play that does not."""
    for newest in bot.versions[:1]:
        if newest.reason:
            yield _describe_version(newest) + _name_log(newest)
        if all(version.state != "active" for version in bot.versions):
            yield from _remark_idle(newest)


def _remark_idle(version: Version) -> Iterator[str]:
    if version.state in {"valid", "retired"}:
        named = f"version {version.number} of {version.bot_name}"
        yield f"{named} does not play; `maumau activate {version.bot_name} {version.number}` lets it"


def _tabulate_bots(found: Iterable[Bot]) -> Table:
    from rich.text import Text

    from maumau.screen.table import table

    made = table("bot", "account", ">version", "state", "runtime", "rules", "sha256", "built")
    for bot in found:
        active = [version for version in bot.versions[1:] if version.state == "active"]
        for version in (*bot.versions[:1], *active):
            rules = ", ".join(version.rules) or "all"
            hashes = (version.sha256[:12], version.built_sha256[:12])
            state = (str(version.number), version.state, version.runtime or "?")
            row = (bot.name, bot.account_name, *state, rules, *hashes)
            made.add_row(*(Text(cell) for cell in row))
    return made
