"""The house bots: submitted over gRPC as any author would, and activated once they are validated."""

from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

from maumau import answer
from maumau.bot import package
from maumau.client import Arena
from maumau.errors import ExpiredToken, MissingToken, NameTaken, UnknownToken
from services.supervisor.roster import Say

ACCOUNT = "house"


def token(admin: Arena, own: Arena, kept: str) -> str:
    """A token of the house's account: the kept one while it holds (`own` uses it), else a new one."""
    if kept:
        with suppress(UnknownToken, ExpiredToken, MissingToken):
            own.who()
            return kept
    try:
        return admin.create_account(ACCOUNT).token
    except NameTaken:
        return admin.create_token(ACCOUNT, ("author",)).token


def admit(arena: Arena, say: Say) -> tuple[list[str], list[str]]:
    """Brings every house bot's present program to life, with the house's token.

    The names of those that may play, and a sentence for each that may not. What the arena has already is not
    sent again.
    """
    known = {(bot.name, each.sha256): each for bot in arena.bots(mine=True) for each in bot.versions}
    versions = [_submitted(arena, packed, known, say) for packed in _packages()]
    decided = [_activated(arena, version) for version in versions]
    active = sorted(version.bot_name for version in decided if version.state == "active")
    return active, [_fate(version) for version in decided if version.state != "active"]


def _packages() -> Iterator[package.Package]:
    with as_file(files("maumau.bots")) as folder:
        for manifest in sorted(Path(folder).glob("*/bot.toml")):
            yield package.pack(manifest.parent)


def _submitted(
    arena: Arena, packed: package.Package, known: dict[tuple[str, str], answer.Version], say: Say
) -> answer.Version:
    name = packed.manifest.name
    version = known.get((name, packed.sha256))
    if version and version.state != "stalled":  # that one is validated anew when it comes again
        return version
    say(f"submitting the house bot {name}, {len(packed.archive):,} bytes")
    return arena.submit(name, packed.archive).version


def _activated(arena: Arena, version: answer.Version) -> answer.Version:
    """The version once it is decided, and active if it may be."""
    if not version.settled:
        *_, version = arena.watch_version(version.id)
    return arena.activate(version.id) if version.state in {"valid", "retired"} else version


def _fate(version: answer.Version) -> str:
    return f"the house bot {version.bot_name} is {version.state}: {version.reason}"
