"""Every error a caller can meet; a class's docstring is its default message.

Here are those that the game and a bot can meet. The others are in submodules, imported when one of them is
asked for: the start of a bot does not wait for the arena's errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from maumau.errors.arena import *  # noqa: F403
    from maumau.errors.contest import *  # noqa: F403
    from maumau.errors.home import *  # noqa: F403
    from maumau.errors.program import *  # noqa: F403

LONGEST_THING = 80  # characters of a name that somebody else has given
SUBMODULES = ("arena", "contest", "home", "program")


def __getattr__(name: str) -> type[MaumauError]:
    """Return an error of one of the modules."""
    for kind in by_reason().values():
        if kind.__name__ == name:
            return kind
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def by_reason() -> dict[str, type[MaumauError]]:
    """Return every class, of all modules, by its reason."""
    import importlib

    others = [vars(importlib.import_module(f"{__name__}.{name}")) for name in SUBMODULES]
    found = [kind for names in (globals(), *others) for kind in names.values() if isinstance(kind, type)]
    return {kind.reason: kind for kind in found if issubclass(kind, MaumauError)}


class Violation(NamedTuple):
    """A field of the request, or a key of the spec in it, and its fault."""

    field: str
    sentence: str


class MaumauError(Exception):
    """Something went wrong."""

    reason = "MAUMAU_ERROR"
    request_id = ""
    """Of the call that it ended; the arena's log has it."""
    retry_after: float | None = None
    """Seconds after which the same may be asked again; None: nobody knows."""
    violations: tuple[Violation, ...] = ()
    """The invalid parts of the request, if they are known."""
    thing = ""
    """Name or id of the missing thing."""
    quota = ""
    """Which quota is met: `waiting versions of ada`."""
    arena = ""
    """Address of the arena that misses a token, or refuses it."""

    def __init__(
        self,
        message: str = "",
        *,
        field: str = "",
        thing: str = "",
        quota: str = "",
        retry_after: float | None = None,
    ) -> None:
        """field: of the request, whose violation the message says."""
        super().__init__(message or (self.__doc__ or "").strip())
        if field:
            self.violations = (Violation(field, str(self)),)
        if retry_after is not None:
            self.retry_after = retry_after
        self.thing, self.quota = thing[:LONGEST_THING], quota

    def __init_subclass__(cls) -> None:
        """Derive the reason, which clients compare, from the class's name: UPPER_SNAKE."""
        super().__init_subclass__()
        name = cls.__name__
        cls.reason = "".join("_" + c if c.isupper() and i else c for i, c in enumerate(name)).upper()


class UnreadableCard(MaumauError):
    """This is not a card."""


class UnreadableAction(MaumauError):
    """This is not the notation of an action."""


class IllegalAction(MaumauError):
    """This action is not allowed now."""


class UnknownVariant(MaumauError):
    """There is no variant of this name."""


class BadVariant(MaumauError):
    """The variant's file has an unknown key or value."""


class BadOption(MaumauError):
    """There is no such option, or it cannot have this value."""


class BadDeal(MaumauError):
    """The cards, seats or first player of this deal are not possible."""


class BadRecord(MaumauError):
    """The record cannot be read or does not follow the rules."""


class BadRule(MaumauError):
    """This rule cannot be added."""


class GameOver(MaumauError):
    """The game is over, or the current deal has not ended; there is no next deal now."""


class ScenarioFailed(MaumauError):
    """The rules give something other than a scenario expects."""


class BadGuess(MaumauError):
    """No deal can be guessed from what this seat has seen."""


class UnreadableMessage(MaumauError):
    """The arena sent a line that is not a message of the protocol."""


class BadAnswer(MaumauError):
    """A bot's act returned something that is not an action; it must return one of view.legal."""


class NoBot(MaumauError):
    """This file defines no bot."""
