"""The house bots: submitted over gRPC as any author would, and activated once they are validated.

One that is refused, for any reason, is reported and left out; the others play.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path

from maumau.bots import HOUSE_ACCOUNT
from maumau.client import answer
from maumau.client.arena import Arena
from maumau.client.call import TRY_AGAIN, retry_call
from maumau.errors import (
    ClosedClient,
    ExpiredToken,
    MaumauError,
    MissingToken,
    NameTaken,
    RevokedToken,
    UnknownToken,
)
from maumau.submission import package
from services.supervisor.process.roster import Say

PATIENCE = 60.0
"""Seconds for which the registry may be unavailable."""
POLL = 0.25
"""Seconds between looks at the validations."""
SILENCE = 5.0
"""Seconds between two lines on the progress."""
SLOWEST = "rollout"
"""Its validation takes longest and begins first, so that the others need not wait for it."""


def renew_token(admin: Arena, own: Arena, kept: str) -> str:
    """Return a token of the house's account: the kept one if it is valid (`own` uses it), else a new one."""
    if kept:
        with suppress(UnknownToken, ExpiredToken, RevokedToken, MissingToken):
            own.who()
            return kept
    return retry_call(lambda: _new_token(admin), PATIENCE)


def _new_token(admin: Arena) -> str:
    """Create the account, or a token if it exists: a repeated call is safe when an answer was lost."""
    try:
        return admin.create_account(HOUSE_ACCOUNT).token
    except NameTaken:
        return admin.create_token(HOUSE_ACCOUNT, ("author",)).token


class House:
    """The validation and activation of every house bot's present program, with the house's token.

    `say` gets the progress, `warn` a sentence about each bot that may not play.
    """

    def __init__(self, arena: Arena, say: Say, warn: Say) -> None:
        self._arena, self._say, self._warn = arena, say, warn
        self._active: list[str] = []
        self._next = time.monotonic() + SILENCE

    def admit_bots(self, stop: threading.Event) -> list[str]:
        """Return the names of those that may play, when all are decided or at the stop."""
        waiting = self._submit_bots()
        while waiting:
            now = {each.id: each for bot in self._arena.bots(mine=True) for each in bot.versions}
            for version in [now[id_] for id_ in waiting if now[id_].settled]:
                del waiting[version.id]
                self._only_this_bot(version.bot_name, lambda version=version: self._activate_version(version))  # type: ignore[misc]
            self._report_progress([now[id_] for id_ in waiting])
            if waiting and stop.wait(POLL):
                break
        return sorted(self._active)

    def _submit_bots(self) -> dict[str, str]:
        """Submit the house bots that the arena lacks; return all their names by version ids."""
        known = {
            (bot.name, each.sha256): each for bot in self._arena.bots(mine=True) for each in bot.versions
        }
        waiting: dict[str, str] = {}

        def submit_folder(folder: Path) -> None:
            packed = package.pack_submission(folder)
            version = known.get((packed.manifest.name, packed.sha256))
            if not version or version.state == "stalled":  # it is validated anew when submitted again
                size = f"{len(packed.archive):,} bytes"
                self._say(f"submitting the house bot {packed.manifest.name}, {size}")
                version = self._arena.submit(packed.manifest.name, packed.archive).version
            waiting[version.id] = version.bot_name

        for folder in _list_folders():
            self._only_this_bot(folder.name, lambda folder=folder: submit_folder(folder))  # type: ignore[misc]
        return waiting

    def _activate_version(self, version: answer.Version) -> None:
        """Activate a version if it may play."""
        if version.state in {"valid", "retired"}:
            version = self._arena.activate(version.id)
        if version.state == "active":
            self._active.append(version.bot_name)
        else:
            self._leave_out(version.bot_name, f"{version.state}, {version.reason}")

    def _report_progress(self, waiting: Sequence[answer.Version]) -> None:
        """Report the progress of validations from time to time."""
        if waiting and time.monotonic() >= self._next:
            self._next = time.monotonic() + SILENCE
            told = (f"{one.bot_name} ({one.progress or 'waits for a worker'})" for one in waiting)
            self._say(f"validating {', '.join(told)}")

    def _only_this_bot(self, name: str, step: Callable[[], None]) -> None:
        """Run a step for one bot; a refusal concerns only it, an unavailable arena all."""
        try:
            step()
        except (ClosedClient, *TRY_AGAIN):
            raise
        except (MaumauError, OSError) as error:
            self._leave_out(name, str(error))

    def _leave_out(self, name: str, why: str) -> None:
        self._warn(f"the house bot {name} does not play: {why}")


def _list_folders() -> Iterator[Path]:
    with as_file(files("maumau.bots")) as folder:
        found = [manifest.parent for manifest in Path(folder).glob("*/bot.toml")]
        yield from sorted(found, key=lambda bot: (bot.name != SLOWEST, bot.name))
