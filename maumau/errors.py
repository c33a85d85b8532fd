"""Every error a caller can meet; a class's docstring is its default message."""

from __future__ import annotations


class MaumauError(Exception):
    """Something went wrong."""

    reason = "MAUMAU_ERROR"

    def __init__(self, message: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())

    def __init_subclass__(cls) -> None:
        """The reason that clients compare is the class's name in UPPER_SNAKE."""
        super().__init_subclass__()
        name = cls.__name__
        cls.reason = "".join("_" + c if c.isupper() and i else c for i, c in enumerate(name)).upper()


# --- the game --------------------------------------------------------------------------------------------


class UnreadableCard(MaumauError):
    """This is no card."""


class UnreadableAction(MaumauError):
    """This is not the notation of an action."""


class IllegalAction(MaumauError):
    """This action is not allowed now."""


class UnknownVariant(MaumauError):
    """There is no variant of this name."""


class BadVariant(MaumauError):
    """The variant's file says something that is not known."""


class BadOption(MaumauError):
    """There is no such option, or it cannot have this value."""


class BadDeal(MaumauError):
    """The cards, seats or first player of this deal are not possible."""


class BadRecord(MaumauError):
    """The record cannot be read or does not follow the rules."""


class BadRule(MaumauError):
    """This rule cannot be added."""


class GameOver(MaumauError):
    """The game is over, or its deal is not; there is no next deal now."""


class ScenarioFailed(MaumauError):
    """A scenario expects something else than the rules give."""


class BadGuess(MaumauError):
    """No deal can be guessed from what this seat has seen."""


# --- the SDK ---------------------------------------------------------------------------------------------


class UnreadableMessage(MaumauError):
    """The arena sent a line that is no message of the protocol."""


class BadAnswer(MaumauError):
    """A bot's act returned something that is no action; it must return one of view.legal."""


class NoBot(MaumauError):
    """This file defines no bot."""


# --- the arena -------------------------------------------------------------------------------------------


class MissingToken(MaumauError):
    """This call needs a token; `maumau login` gets one."""


class UnknownToken(MaumauError):
    """Nobody has this token; `maumau login` gets a new one."""


class ExpiredToken(MaumauError):
    """The token has expired; `maumau login` gets a new one."""


class NotAllowed(MaumauError):
    """The token does not allow this."""


class NotYours(NotAllowed):
    """It belongs to someone else."""


class UploadsClosed(NotAllowed):
    """This arena has no sandbox and takes only its house's bots, unless started with `maumau up --trust`."""


class RegistrationClosed(NotAllowed):
    """This arena opens no accounts by itself; ask who runs it for a token."""


class BadRequest(MaumauError):
    """The request cannot be carried out as it is written."""


class BadName(BadRequest):
    """The name has other characters or another length than names may have."""


class UploadTooLarge(BadRequest):
    """The upload is larger than the arena takes."""


class UploadCutOff(BadRequest):
    """The upload ended early or arrived changed; nothing was stored, send it again."""


class NameTaken(MaumauError):
    """Someone else has this name."""


class NotFound(MaumauError):
    """There is nothing of that name."""


class UnknownAccount(NotFound):
    """There is no account of that name."""


class UnknownBot(NotFound):
    """There is no bot of that name."""


class UnknownVersion(NotFound):
    """There is no version of that id."""


class UnknownArtifact(NotFound):
    """There is no artifact of that hash."""


class WrongState(MaumauError):
    """The state that it is in does not allow this."""


class StaleFence(MaumauError):
    """The lease ran out and the work was given to somebody else; this report counts no more."""


class DiskFull(MaumauError):
    """The arena's disk is full; nothing was stored."""


class DatabaseUnavailable(MaumauError):
    """The arena's database does not answer just now; try again."""


class BrokerUnavailable(MaumauError):
    """The arena's broker does not answer just now."""


class ArenaUnreachable(MaumauError):
    """The arena does not answer."""


class DeadlinePassed(MaumauError):
    """The arena did not answer in the time given."""


class InternalFault(MaumauError):
    """The arena made a mistake; the request id finds it in its log."""


class BadSetting(MaumauError):
    """A setting has a value that it cannot have."""


class PortInUse(MaumauError):
    """The address is taken by another program."""


# --- contests --------------------------------------------------------------------------------------------


class BadSpec(BadRequest):
    """The tournament's spec cannot be played."""


class BadResult(MaumauError):
    """A result does not belong to its match."""


class TooFewEntrants(WrongState):
    """A tournament needs two entrants or more."""


class RatingDiverged(MaumauError):
    """The ratings' fit did not come to rest; the results are damaged."""


class UnreadableExport(BadRequest):
    """The file is no export of a tournament."""


# --- tournaments -----------------------------------------------------------------------------------------


class UnknownTournament(NotFound):
    """There is no tournament of that id or name."""


class UnknownMatch(NotFound):
    """The tournament has no match of that label."""


class UnknownSet(NotFound):
    """The match has no such deal set, or it is not played yet."""


class UnknownStage(NotFound):
    """The tournament has no such stage."""


class UnknownFault(NotFound):
    """There is no fault of that id."""


class UnknownBlock(NotFound):
    """There is no block of that id."""


class EntriesClosed(WrongState):
    """The tournament takes no entries now."""


class TournamentFull(WrongState):
    """The tournament has as many entries as it takes."""


class AlreadyEntered(WrongState):
    """This bot has entered already."""


class NotEntered(WrongState):
    """This bot has not entered."""


class NotActive(WrongState):
    """The bot has no active version; activate one that was validated."""


class NotValidated(WrongState):
    """The bot's active version was not validated for these rules or this table."""


class NotOver(WrongState):
    """The tournament is not over."""


class BlockDropped(WrongState):
    """The block is not needed any more; what was played of it does not count."""


class NoProgress(WrongState):
    """The worker renewed its lease but got on with nothing; the block is given to another."""


class BadReport(BadRequest):
    """A worker's report is not what its order asked for; nothing of it was stored."""


# --- client, command line, supervisor --------------------------------------------------------------------


class NoArena(ArenaUnreachable):
    """No arena is known here: start one with `maumau up`, or name one with --arena."""


class Refused(MaumauError):
    """The arena refused, for a reason that this version of maumau does not know."""


class ClosedClient(MaumauError):
    """The connection to the arena was closed on this side."""


class MissingExtra(MaumauError):
    """A part of maumau is not installed."""


class BadArena(MaumauError):
    """This is no arena's address: write HOST, http://HOST:PORT,PORT or https://HOST[:PORT]."""


class BadDataFolder(MaumauError):
    """The data folder cannot be used."""


class AlreadyRunning(MaumauError):
    """An arena is running on this data already."""


class HouseBotRefused(MaumauError):
    """A house bot may not play, so the demonstration would not be what it says."""


class StartFailed(MaumauError):
    """A part of the arena did not start."""


class BadLogin(MaumauError):
    """Say who logs in: --token TOKEN, or --new NAME for a new account."""


class NotDecided(MaumauError):
    """The tournament ended without a result."""


class BadFile(MaumauError):
    """The file cannot be read or written."""


class BadBundle(MaumauError):
    """This is no bundle of a fault: `maumau logs FAULT --out FILE` writes one."""


class NotReproducible(MaumauError):
    """The fault was not made in reply to a question, so there is no moment to play again."""


# --- submissions -----------------------------------------------------------------------------------------


class BadSubmission(MaumauError):
    """This cannot be submitted: it is a folder with bot.toml, a single .py file, or a zip of the folder."""


class NoSubmission(BadSubmission):
    """There is nothing to submit at this path."""


class NoManifest(BadSubmission):
    """bot.toml is missing: it says the program's name and how to run it."""


class BadManifest(BadSubmission):
    """bot.toml cannot be read, or says something that is not known."""


class UnreadableArchive(BadSubmission):
    """The upload is no zip file, or a damaged one."""


class TooManyMembers(BadSubmission):
    """The submission has too many files."""


class TooLargePacked(BadSubmission):
    """The submission is too large as a zip."""


class TooLargeUnpacked(BadSubmission):
    """The submission is too large when unpacked."""


class UnsafePath(BadSubmission):
    """A file's name leads out of the submission, or cannot be a name everywhere."""


class ForbiddenMember(BadSubmission):
    """The submission holds what is neither a file nor a folder: a link, a device, a pipe or a socket."""


class DuplicateMember(BadSubmission):
    """Two files of the submission have one name."""


class MissingRuntime(BadSubmission):
    """The program needs a runtime that this machine does not offer; `maumau runtimes` lists what it does."""


class BuildFailed(BadSubmission):
    """The build step failed; its log says more."""

    def __init__(self, message: str = "", log: str = "") -> None:
        super().__init__(message)
        self.log = log


# --- table and sandbox -----------------------------------------------------------------------------------


class SandboxUnavailable(MaumauError):
    """This machine cannot give the sandbox that was asked for."""


class PlatformFault(MaumauError):
    """The platform failed, not a program: nothing is booked, and the block is played again."""


class BlockStopped(MaumauError):
    """The block was stopped before its end; nothing of it counts."""


class BadOrder(MaumauError):
    """This block cannot be played as it was ordered."""
