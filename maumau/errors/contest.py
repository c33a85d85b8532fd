"""Errors in a contest, an entry or a report of it."""

from __future__ import annotations

from maumau.errors import MaumauError
from maumau.errors.arena import BadRequest, NotAllowed, NotFound, UnknownToken, WrongState


class BadSpec(BadRequest):
    """The tournament's spec cannot be played."""


class BadResult(MaumauError):
    """A result does not belong to its match."""


class TooFewEntrants(WrongState):
    """A tournament needs two entrants or more."""


class RatingDiverged(MaumauError):
    """The ratings' fit did not converge; the results are damaged."""


class UnreadableExport(BadRequest):
    """The file is not an export of a contest."""


class UnknownTournament(NotFound):
    """There is no tournament of that id or name."""


class UnknownContest(NotFound):
    """There is no contest of jobs of that id."""


class UnknownLadder(NotFound):
    """There is no ladder of that name."""


class UnknownEpoch(NotFound):
    """The ladder has no epoch of that number."""


class UnknownPairing(NotFound):
    """The ladder has no pairing of that id."""


class UnknownPractice(NotFound):
    """There is no practice match of that id."""


class NotJoined(NotFound):
    """The bot is not on this ladder."""


class UnknownMatch(NotFound):
    """The tournament has no match of that label."""


class UnknownSet(NotFound):
    """The match has no such deal set, or it is not played yet."""


class UnknownStage(NotFound):
    """The tournament has no such stage."""


class UnknownProtest(NotFound):
    """The tournament has no protest of that number."""


class UnknownFault(NotFound):
    """There is no fault of that id."""


class UnknownBlock(NotFound):
    """There is no block of that id."""


class EntriesStillOpen(WrongState):
    """Entries are still open. Nonces are opened once they have closed: nobody enters who knows one."""


class EntriesClosed(WrongState):
    """The tournament takes no entries now."""


class NotInvited(NotAllowed):
    """The tournament is for the accounts that its spec names."""


class SecretKnown(WrongState):
    """The secret was published with another contest, so that its deals could be chosen."""


class RulesSealed(WrongState):
    """The rules of the tournament are sealed until they are revealed."""


class TrialNotPassed(WrongState):
    """The bot has not passed the validation in variants that were made for this tournament."""


class TrialPending(WrongState):
    """The bot is first validated in variants made for this tournament; enter it again afterwards."""


class TournamentFull(WrongState):
    """The tournament has as many entries as it takes."""


class AlreadyEntered(WrongState):
    """This bot has entered already."""


class NotEntered(WrongState):
    """This bot has not entered."""


class NotActive(WrongState):
    """The bot has no active version; `maumau activate BOT` lets one play that was validated."""


class NotValidated(WrongState):
    """The bot's active version was not validated for these rules or this table."""


class NotOver(WrongState):
    """The tournament is not over."""


class BlockDropped(WrongState):
    """The block is not needed any more; what was played of it does not count."""


class NoProgress(WrongState):
    """The worker renewed its lease but made no progress; the block is given to another."""


class BadReport(BadRequest):
    """A worker's report does not match its order; none of it was stored."""


class UnknownTable(NotFound):
    """There is no table of that id, or the arena has lost it."""


class BadSeatToken(UnknownToken):
    """This is not the token of a seat at any table."""


class BadClock(BadRequest):
    """A clock cannot be set to that."""


class StaleTurn(WrongState):
    """The table has gone on since that question; answer the newest one."""


class NotAsked(WrongState):
    """This seat is not asked anything now."""


class TooLate(WrongState):
    """The time for this answer is over."""


class TableEnded(WrongState):
    """The table has ended."""


class SeatTaken(WrongState):
    """Another stream plays this seat now."""


class TableBusy(WrongState):
    """Too many others act at this table at the same moment; try again."""


class UnknownSeek(NotFound):
    """There is no seek of that id, or the arena has lost it; seek again."""


class AlreadySeeking(WrongState):
    """You seek a rated game already."""


class UnknownGame(NotFound):
    """There is no live game of that table."""


class NoHouseBot(WrongState):
    """No house bot can sit down just now: no worker of the arena plays for them."""
