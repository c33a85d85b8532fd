"""Errors on the user's own machine: client, command line and supervisor."""

from __future__ import annotations

from maumau.errors import MaumauError
from maumau.errors.arena import ArenaUnreachable


class NoArena(ArenaUnreachable):
    """No arena is known here: start one with `maumau up`, or name one with --arena."""


class Refused(MaumauError):
    """The arena refused, for a reason that this version of maumau does not know."""


class ClosedClient(MaumauError):
    """The connection to the arena was closed on this side."""


class MissingExtra(MaumauError):
    """A part of maumau is not installed."""


class BadArena(MaumauError):
    """This is not the address of an arena: write HOST, http://HOST:PORT or https://HOST[:PORT]."""


class BadDataFolder(MaumauError):
    """The data folder cannot be used."""


class AlreadyRunning(MaumauError):
    """An arena is running on this data already."""


class HouseBotRefused(MaumauError):
    """Fewer than two house bots may play, so there is no demonstration."""


class StartFailed(MaumauError):
    """A part of the arena did not start."""


class BadLogin(MaumauError):
    """Say who logs in: --token TOKEN, --new NAME for a new account, or --as NAME for one kept here."""


class NotLoggedIn(MaumauError):
    """You are not logged in to this arena."""


class NotDelivered(MaumauError):
    """The webhook did not receive its test event."""


class NotDecided(MaumauError):
    """The tournament ended without a result."""


class BadFile(MaumauError):
    """The file cannot be read or written."""


class BadHandicap(MaumauError):
    """MAUMAU_HANDICAP is a number from 1 to 100."""


class BadBundle(MaumauError):
    """This is not a fault bundle; `maumau logs FAULT --out FILE` writes one."""


class NotReproducible(MaumauError):
    """The fault was not made in reply to a question, so there is no moment to play again."""
