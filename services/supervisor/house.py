"""The house bots: submitted over gRPC as any author would, and activated once they are validated.

One that is refused, for whatever reason, is named and left out; the others play.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

from maumau import answer
from maumau.bot import package
from maumau.call import TRY_AGAIN, retry
from maumau.client import Arena
from maumau.errors import (
    ClosedClient,
    ExpiredToken,
    MaumauError,
    MissingToken,
    NameTaken,
    RevokedToken,
    UnknownToken,
)
from services.supervisor.roster import Say

ACCOUNT = "house"
PATIENCE = 60.0
"""Seconds that the registry may be away."""
POLL = 0.25
"""Seconds between looks at the validations."""
SILENCE = 5.0
"""Seconds between two lines about how far they are."""
SLOWEST = "rollout"
"""Its validation takes longest and begins first, so that it is not what all others wait for."""


def token(admin: Arena, own: Arena, kept: str) -> str:
    """A token of the house's account: the kept one while it holds (`own` uses it), else a new one."""
    if kept:
        with suppress(UnknownToken, ExpiredToken, RevokedToken, MissingToken):
            own.who()
            return kept
    return retry(lambda: _new_token(admin), PATIENCE)


def _new_token(admin: Arena) -> str:
    """It may be asked for again: an account that was made, and whose answer was lost, is there."""
    try:
        return admin.create_account(ACCOUNT).token
    except NameTaken:
        return admin.create_token(ACCOUNT, ("author",)).token


class House:
    """Brings every house bot's present program to life, with the house's token.

    `say` is told how it goes on, `warn` a sentence about each bot that may not play.
    """

    def __init__(self, arena: Arena, say: Say, warn: Say) -> None:
        self._arena, self._say, self._warn = arena, say, warn
        self._active: list[str] = []
        self._next = time.monotonic() + SILENCE

    def admit(self, stop: threading.Event) -> list[str]:
        """The names of those that may play, when all are decided or at the stop."""
        waiting = self._submit()
        while waiting:
            now = {each.id: each for bot in self._arena.bots(mine=True) for each in bot.versions}
            for version in [now[id_] for id_ in waiting if now[id_].settled]:
                del waiting[version.id]
                self._only_this_bot(version.bot_name, lambda version=version: self._decide(version))  # type: ignore[misc]
            self._tell([now[id_] for id_ in waiting])
            if waiting and stop.wait(POLL):
                break
        return sorted(self._active)

    def _submit(self) -> dict[str, str]:
        """The names of the house bots by the ids of their versions. What the arena has is not sent again."""
        known = {
            (bot.name, each.sha256): each for bot in self._arena.bots(mine=True) for each in bot.versions
        }
        waiting: dict[str, str] = {}

        def submit(folder: Path) -> None:
            packed = package.pack_submission(folder)
            version = known.get((packed.manifest.name, packed.sha256))
            if not version or version.state == "stalled":  # that one is validated anew when it comes again
                size = f"{len(packed.archive):,} bytes"
                self._say(f"submitting the house bot {packed.manifest.name}, {size}")
                version = self._arena.submit(packed.manifest.name, packed.archive).version
            waiting[version.id] = version.bot_name

        for folder in _folders():
            self._only_this_bot(folder.name, lambda folder=folder: submit(folder))  # type: ignore[misc]
        return waiting

    def _decide(self, version: answer.Version) -> None:
        """Activates it if it may play."""
        if version.state in {"valid", "retired"}:
            version = self._arena.activate(version.id)
        if version.state == "active":
            self._active.append(version.bot_name)
        else:
            self._leave_out(version.bot_name, f"{version.state}, {version.reason}")

    def _tell(self, waiting: Sequence[answer.Version]) -> None:
        """How far the validations are, now and then."""
        if waiting and time.monotonic() >= self._next:
            self._next = time.monotonic() + SILENCE
            told = (f"{one.bot_name} ({one.progress or 'waits for a worker'})" for one in waiting)
            self._say(f"validating {', '.join(told)}")

    def _only_this_bot(self, name: str, step: Callable[[], None]) -> None:
        """What is refused concerns this bot alone; an arena that does not answer concerns all."""
        try:
            step()
        except (ClosedClient, *TRY_AGAIN):
            raise
        except (MaumauError, OSError) as error:
            self._leave_out(name, str(error))

    def _leave_out(self, name: str, why: str) -> None:
        self._warn(f"the house bot {name} does not play: {why}")


def _folders() -> Iterator[Path]:
    with as_file(files("maumau.bots")) as folder:
        found = [manifest.parent for manifest in Path(folder).glob("*/bot.toml")]
        yield from sorted(found, key=lambda bot: (bot.name != SLOWEST, bot.name))
