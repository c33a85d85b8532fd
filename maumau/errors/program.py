"""Errors in a submission, and reasons why its program was not played."""

from __future__ import annotations

from maumau.errors import MaumauError


class BadSubmission(MaumauError):
    """This cannot be submitted: it is a folder with bot.toml, a single .py file, or a zip of the folder."""


class NoSubmission(BadSubmission):
    """There is nothing to submit at this path."""


class NoManifest(BadSubmission):
    """bot.toml is missing: it says the program's name and how to run it."""


class BadManifest(BadSubmission):
    """bot.toml cannot be read, or has an unknown key or value."""


class UnreadableArchive(BadSubmission):
    """The upload is not a zip file, or it is damaged."""


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
    """Two files of the submission have the same name."""


class MissingRuntime(BadSubmission):
    """The program needs a runtime that this machine does not offer; `maumau runtimes` lists what it does."""


class BuildFailed(BadSubmission):
    """The build step failed; its log says more."""

    def __init__(self, message: str = "", log: str = "", *, killed: bool = False) -> None:
        """killed: something outside ended it, and none of its limits."""
        super().__init__(message)
        self.log, self.killed = log, killed


class SandboxUnavailable(MaumauError):
    """This machine cannot give the sandbox that was asked for."""


class LinuxOnly(MaumauError):
    """This works on Linux only."""


class PlatformFault(MaumauError):
    """The platform failed, not a program: nothing is booked, and the block is played again."""


class ProgramGone(PlatformFault):
    """The program's files are gone; playing the block again here would not help."""


class BlockStopped(MaumauError):
    """The block was stopped before its end; nothing of it counts."""


class BadOrder(MaumauError):
    """This block cannot be played as it was ordered."""
