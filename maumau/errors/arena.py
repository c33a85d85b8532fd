"""Refusals and faults of the arena: permissions, names, uploads, states, and its own errors."""

from __future__ import annotations

from maumau.errors import MaumauError


class MissingToken(MaumauError):
    """This call needs a login: `maumau login` takes a token, `maumau info` says who opens accounts."""


class UnknownToken(MaumauError):
    """This token is unknown; `maumau login` takes another, `maumau info` says who opens accounts."""


class ExpiredToken(MaumauError):
    """The token has expired; an admin of the arena can create another for your account."""


class RevokedToken(MaumauError):
    """The token was revoked; an admin of the arena can create another for your account."""


class NotAllowed(MaumauError):
    """The token does not allow this."""


class NotYours(NotAllowed):
    """It belongs to someone else."""


class NotReleased(NotYours):
    """The results of this contest are not shown yet."""


class UploadsClosed(NotAllowed):
    """The sandbox here cannot hold strangers' programs; `maumau up --trust` takes them anyway."""


class RegistrationClosed(NotAllowed):
    """This arena opens no accounts by itself; ask its operator for a token."""


class NeedsInvitation(RegistrationClosed):
    """This arena opens accounts with a code only: `maumau login --new NAME --code CODE`."""


class TooManyStreams(MaumauError):
    """You have as many streams open as this arena allows; end one, such as a watch, and try again."""

    retry_after: float | None = 5.0


class TooManyCalls(MaumauError):
    """You call more often than this arena allows; wait a moment and try again."""

    retry_after: float | None = 0.5


class QuotaReached(MaumauError):
    """You have as much as this arena allows an account."""


class BadRequest(MaumauError):
    """The request cannot be carried out as it is written."""


class BadName(BadRequest):
    """The name has characters, or a length, that names may not have."""


class BadNonce(BadRequest):
    """Nonces and commitments have 64 hex digits, and a nonce must match its commitment."""


class MissingReason(BadRequest):
    """Playing a match again or disqualifying a bot needs a reason that all can read: give it in one line."""


class MissingText(BadRequest):
    """A protest, or the answer to one, needs a text that all can read: give it in one line."""


class UploadTooLarge(BadRequest):
    """The upload is larger than the arena takes."""


class UploadCutOff(BadRequest):
    """The upload ended early or arrived changed; nothing was stored, send it again."""


class MessageTooLarge(BadRequest):
    """The message is larger than the arena takes."""


class UnknownPageCode(BadRequest):
    """This code was used, is more than a minute old, or does not exist; `maumau page` prints a new one."""


class UnknownInvitation(BadRequest):
    """This code is used, revoked or unknown here: ask for another, or `maumau login` if it was yours."""


class ExpiredInvitation(UnknownInvitation):
    """This code has expired; ask the person who gave it to you for another: `maumau admin invite`."""


class NameTaken(MaumauError):
    """Someone else has this name."""


class NotFound(MaumauError):
    """There is nothing with that name."""


class UnknownTokenId(NotFound):
    """There is no token with this id; `maumau token list` shows yours."""


class UnknownWebhook(NotFound):
    """There is no webhook with this id; `maumau webhook list` shows yours."""


class LoginRefused(NotAllowed):
    """The provider's answer to a login is not valid."""


class UnknownLogin(NotFound):
    """This login has no account yet."""


class UnknownAccount(NotFound):
    """There is no account of that name."""


class UnknownGroup(NotFound):
    """You are in no group of that name."""


class UnknownMember(NotFound):
    """The group or team has no such member."""


class UnknownTeam(NotFound):
    """There is no team of that name."""


class UnknownBot(NotFound):
    """There is no bot of that name."""


class UnknownVersion(NotFound):
    """There is no version of that id."""


class UnknownArtifact(NotFound):
    """There is no artifact of that hash."""


class WrongState(MaumauError):
    """Its present state does not allow this."""


class StaleFence(MaumauError):
    """The lease ran out and the work was given to somebody else; this report no longer counts."""


class NotLeading(MaumauError):
    """Another replica of the service has taken over this work."""


class DiskFull(MaumauError):
    """The arena's disk is full; nothing was stored."""

    retry_after: float | None = 60.0


class DatabaseUnavailable(MaumauError):
    """The arena's database does not answer just now; try again."""

    retry_after: float | None = 1.0


class LaterDatabase(MaumauError):
    """The arena's database was changed by a later version of maumau, and this version cannot use it."""


class RequestUnderWay(MaumauError):
    """This request is being carried out; ask for its answer again in a moment."""

    retry_after: float | None = 0.5


class AnswerLost(MaumauError):
    """This request was begun before and its answer is lost; look at what has changed before you repeat it."""


class StorageUnavailable(MaumauError):
    """The place where the arena keeps files does not answer just now; try again."""


class RecordsLost(MaumauError):
    """The file with these records is missing or damaged; the operator can restore it from a backup."""


class BrokerUnavailable(MaumauError):
    """The arena's broker does not answer just now."""

    retry_after: float | None = 1.0


class ArenaUnreachable(MaumauError):
    """The arena does not answer."""

    retry_after: float | None = 1.0


class ProviderSilent(ArenaUnreachable):
    """The provider of this arena's logins does not answer; try again in a while, or log in by a code."""


class DeadlinePassed(MaumauError):
    """The arena did not answer in the time given."""


class InternalFault(MaumauError):
    """The arena made a mistake; the request id finds it in its log."""


class BadSetting(MaumauError):
    """A setting has an invalid value."""


class PortInUse(MaumauError):
    """The address is taken by another program."""


class BadBackup(MaumauError):
    """The backup cannot be restored."""


class NotEmpty(MaumauError):
    """The arena is not empty; a backup is restored into an empty one only."""
