"""The registry's RPCs for `maumau.client.Arena`: accounts, tokens, the page's codes and bots."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from maumau.client import answer, call
from maumau.client.link import LONG, PAGE, SHORT, Link
from maumau.errors import ArenaUnreachable
from maumau.v1 import registry_pb2 as r

UPLOAD_CHUNK = 64 * 1024
Progress = Callable[[int], None] | None  # hears how many bytes were sent


class RegistryCalls:
    """The registry's calls, over the link that `Arena` makes."""

    _registry: Link

    # --- accounts ---

    def create_account(self, name: str, code: str = "") -> answer.CreateAccountResponse:
        """Open an account, with the code of an invitation if there is one; its token is shown this once."""
        request = r.CreateAccountRequest(name=name, code=code)
        return call.to_struct(answer.CreateAccountResponse, self._registry.call("CreateAccount", request))

    def delete_account(self, name: str) -> answer.DeleteAccountResponse:
        """Delete one's own account, or as an admin another one, for good."""
        request = r.DeleteAccountRequest(name=name)
        return call.to_struct(answer.DeleteAccountResponse, self._registry.call("DeleteAccount", request))

    def accounts(self, after: str = "", most: int = 0) -> Iterator[answer.Account]:
        """Yield accounts by name, page by page; for admins. after: begin after this name; most: 0 for all."""
        request = r.ListAccountsRequest(after=after)
        pages = self._registry.pages("ListAccounts", request, min(most or PAGE, PAGE))
        found = (call.to_struct(answer.Account, one) for page in pages for one in page.accounts)
        return islice(found, most or None)

    def create_token(
        self, account: str = "", scopes: tuple[str, ...] = (), days: int = 0, label: str = ""
    ) -> answer.CreateTokenResponse:
        """Create a further token for one's own account, or as an admin for any account."""
        request = r.CreateTokenRequest(account_name=account, scopes=scopes, days=days, label=label)
        return call.to_struct(answer.CreateTokenResponse, self._registry.call("CreateToken", request))

    def tokens(self, account: str = "") -> tuple[answer.Token, ...]:
        """Return the valid tokens: one's own, or as an admin those of an account."""
        request = r.ListTokensRequest(account_name=account)
        pages = self._registry.pages("ListTokens", request)
        return tuple(call.to_struct(answer.Token, token) for found in pages for token in found.tokens)

    def revoke_token(self, token_id: str) -> int:
        """Revoke a token and all tokens made with it; return how many ended."""
        return int(self._registry.call("RevokeToken", r.RevokeTokenRequest(id=token_id)).revoked)

    def rotate_token(self) -> answer.RotateTokenResponse:
        """Create a token to replace this client's own, which ends when the new one is first used."""
        return call.to_struct(
            answer.RotateTokenResponse, self._registry.call("RotateToken", r.RotateTokenRequest())
        )

    def create_page_code(self) -> answer.CreatePageCodeResponse:
        """Create a code to log in to the arena's page with, valid once and for a minute."""
        found = self._registry.call("CreatePageCode", r.CreatePageCodeRequest())
        return call.to_struct(answer.CreatePageCodeResponse, found)

    def redeem_page_code(self, code: str) -> answer.RedeemPageCodeResponse:
        """Exchange a code that a person typed for a session's token; for the page."""
        found = self._registry.call("RedeemPageCode", r.RedeemPageCodeRequest(code=code))
        return call.to_struct(answer.RedeemPageCodeResponse, found)

    def info(self, seconds: float = SHORT) -> answer.GetServerInfoResponse:
        """Return the arena's address, version, limits, runtimes and rules; needs no token.

        seconds: that the answer may take.
        """
        found = self._registry.call("GetServerInfo", r.GetServerInfoRequest(), seconds)
        return call.to_struct(answer.GetServerInfoResponse, found)

    def who(self) -> answer.WhoAmIResponse:
        """Return the owner of this token."""
        return call.to_struct(answer.WhoAmIResponse, self._registry.call("WhoAmI", r.WhoAmIRequest()))

    # --- bots ---

    def bots(self, *, mine: bool = False) -> tuple[answer.Bot, ...]:
        """Return all bots, or only one's own, by name, each with its newest versions and the active one."""
        pages = self._registry.pages("ListBots", r.ListBotsRequest(mine=mine))
        return tuple(call.to_struct(answer.Bot, bot) for found in pages for bot in found.bots)

    def versions(self, bot: str) -> tuple[answer.Version, ...]:
        """Return all versions of a bot, newest first."""
        pages = self._registry.pages("ListVersions", r.ListVersionsRequest(bot_name=bot))
        return tuple(call.to_struct(answer.Version, one) for found in pages for one in found.versions)

    def submit(
        self, bot: str, archive: bytes, progress: Progress = None, *, activate: bool = True
    ) -> answer.SubmitVersionResponse:
        """Upload a zip as a version of the bot, which plays as soon as it has passed its validation.

        Args:
            bot: its name; a bot of that name is made if there is none.
            archive: the zip.
            progress: called by another thread with the bytes sent so far.
            activate: False to let the bot go on with the version that it has.

        Returns:
            The version; an earlier one if these bytes were submitted before.
        """
        header = r.SubmitVersionHeader(bot_name=bot, no_activate=not activate)
        sent = self._registry.call("SubmitVersion", lambda: _upload_parts(header, archive, progress), LONG)
        return call.to_struct(answer.SubmitVersionResponse, sent)

    def version(self, version: str) -> answer.Version:
        """Return a version by its id, or the active one of a bot by its name."""
        found = self._registry.call("GetVersion", r.GetVersionRequest(version_id=version))
        return call.to_struct(answer.Version, found.version)

    def watch_version(self, version: str) -> Iterator[answer.Version]:
        """Yield the version now, and again after every change, until its validation is over."""
        request = r.WatchVersionRequest(version_id=version)
        settled = False

        def open_stream() -> Iterator[answer.Version]:
            nonlocal settled
            for part in self._registry.stream("WatchVersion", request):
                now = call.to_struct(answer.Version, part.version)
                settled = now.settled
                yield now
            if not settled:
                raise ArenaUnreachable("the arena ended the watch before the validation was over")

        return self._registry.resume(open_stream)

    def log(self, version: str) -> str:
        """Return the validation log of one's own version."""
        found = self._registry.call("GetLog", r.GetLogRequest(version_id=version))
        return str(found.log)

    def activate(self, version: str) -> answer.Version:
        """Activate a valid version: its bot plays with it."""
        request = r.ActivateVersionRequest(version_id=version)
        return call.to_struct(answer.Version, self._registry.call("ActivateVersion", request).version)

    def let_play_people(self, version: str, *, plays: bool) -> answer.Version:
        """Let everybody have a version at a live table, or nobody any more."""
        request = r.LetPlayPeopleRequest(version_id=version, plays_people=plays)
        return call.to_struct(answer.Version, self._registry.call("LetPlayPeople", request).version)

    def delete_bot(self, name: str) -> None:
        """Retire one's own bot."""
        self._registry.call("DeleteBot", r.DeleteBotRequest(name=name))

    def compare_sources(self, hashes: Sequence[str]) -> answer.CompareSourcesResponse:
        """Return how much of their sources these programs have in common; for organisers."""
        request = r.CompareSourcesRequest(sha256=hashes)
        return call.to_struct(answer.CompareSourcesResponse, self._registry.call("CompareSources", request))


def _upload_parts(
    header: r.SubmitVersionHeader, archive: bytes, progress: Progress
) -> Iterator[r.SubmitVersionRequest]:
    header.size, header.upload_sha256 = len(archive), hashlib.sha256(archive).hexdigest()
    yield r.SubmitVersionRequest(header=header)
    for start in range(0, len(archive), UPLOAD_CHUNK):
        yield r.SubmitVersionRequest(chunk=archive[start : start + UPLOAD_CHUNK])
        if progress:
            progress(min(start + UPLOAD_CHUNK, len(archive)))
