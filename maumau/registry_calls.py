"""The registry's RPCs for `maumau.client.Arena`: accounts, tokens, the page's codes and bots."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator

from maumau import answer, call
from maumau.errors import ArenaUnreachable
from maumau.link import LONG, Link
from maumau.v1 import registry_pb2 as r

UPLOAD_CHUNK = 64 * 1024
Progress = Callable[[int], None] | None  # hears how many bytes were sent


class RegistryCalls:
    """What one asks the registry, over the link that `Arena` makes."""

    _registry: Link

    # --- accounts ---

    def create_account(self, name: str) -> answer.CreateAccountResponse:
        """Opens an account; its token is shown this once."""
        request = r.CreateAccountRequest(name=name)
        return call.plain(answer.CreateAccountResponse, self._registry.call("CreateAccount", request))

    def create_token(
        self, account: str = "", scopes: tuple[str, ...] = (), days: int = 0, label: str = ""
    ) -> answer.CreateTokenResponse:
        """A further token for one's own account, or for any account if one is an admin."""
        request = r.CreateTokenRequest(account_name=account, scopes=scopes, days=days, label=label)
        return call.plain(answer.CreateTokenResponse, self._registry.call("CreateToken", request))

    def tokens(self, account: str = "") -> tuple[answer.Token, ...]:
        """The tokens that still hold: one's own, or those of an account if one is an admin."""
        request = r.ListTokensRequest(account_name=account)
        pages = self._registry.pages("ListTokens", request)
        return tuple(call.plain(answer.Token, token) for found in pages for token in found.tokens)

    def revoke_token(self, token_id: str) -> int:
        """Ends a token and all the tokens that it made; how many ended."""
        return int(self._registry.call("RevokeToken", r.RevokeTokenRequest(id=token_id)).revoked)

    def rotate_token(self) -> answer.RotateTokenResponse:
        """A new token to replace this client's own, which ends when the new one is first used."""
        return call.plain(
            answer.RotateTokenResponse, self._registry.call("RotateToken", r.RotateTokenRequest())
        )

    def create_page_code(self) -> answer.CreatePageCodeResponse:
        """A code to log in to the arena's page with, good once and for a minute."""
        found = self._registry.call("CreatePageCode", r.CreatePageCodeRequest())
        return call.plain(answer.CreatePageCodeResponse, found)

    def redeem_page_code(self, code: str) -> answer.RedeemPageCodeResponse:
        """For the page: a session's token in exchange for a code that somebody typed."""
        found = self._registry.call("RedeemPageCode", r.RedeemPageCodeRequest(code=code))
        return call.plain(answer.RedeemPageCodeResponse, found)

    def info(self) -> answer.GetServerInfoResponse:
        """What the arena is: version, limits, runtimes, rules; needs no token."""
        found = self._registry.call("GetServerInfo", r.GetServerInfoRequest())
        return call.plain(answer.GetServerInfoResponse, found)

    def who(self) -> answer.WhoAmIResponse:
        """Whose token this is."""
        return call.plain(answer.WhoAmIResponse, self._registry.call("WhoAmI", r.WhoAmIRequest()))

    # --- bots ---

    def bots(self, *, mine: bool = False) -> tuple[answer.Bot, ...]:
        """All bots, or only one's own, by name, each with its newest versions and the active one."""
        pages = self._registry.pages("ListBots", r.ListBotsRequest(mine=mine))
        return tuple(call.plain(answer.Bot, bot) for found in pages for bot in found.bots)

    def versions(self, bot: str) -> tuple[answer.Version, ...]:
        """All versions of a bot, newest first."""
        pages = self._registry.pages("ListVersions", r.ListVersionsRequest(bot_name=bot))
        return tuple(call.plain(answer.Version, one) for found in pages for one in found.versions)

    def submit(self, bot: str, archive: bytes, progress: Progress = None) -> answer.SubmitVersionResponse:
        """Uploads a zip as a version of the bot; another thread tells progress the bytes sent."""
        sent = self._registry.call("SubmitVersion", lambda: _parts(bot, archive, progress), LONG)
        return call.plain(answer.SubmitVersionResponse, sent)

    def version(self, version: str) -> answer.Version:
        """A version by its id, or the active one of a bot by its name."""
        found = self._registry.call("GetVersion", r.GetVersionRequest(version_id=version))
        return call.plain(answer.Version, found.version)

    def watch_version(self, version: str) -> Iterator[answer.Version]:
        """The version now, and again after every change, until its validation is over."""
        request = r.WatchVersionRequest(version_id=version)
        settled = False

        def stream() -> Iterator[answer.Version]:
            nonlocal settled
            for part in self._registry.stream("WatchVersion", request):
                now = call.plain(answer.Version, part.version)
                settled = now.settled
                yield now
            if not settled:
                raise ArenaUnreachable("the arena ended the watch before the validation was over")

        return self._registry.resume(stream)

    def log(self, version: str) -> str:
        """What the validation of one's own version said."""
        found = self._registry.call("GetLog", r.GetLogRequest(version_id=version))
        return str(found.log)

    def activate(self, version: str) -> answer.Version:
        """Makes a valid version the one that its bot plays with."""
        request = r.ActivateVersionRequest(version_id=version)
        return call.plain(answer.Version, self._registry.call("ActivateVersion", request).version)

    def delete_bot(self, name: str) -> None:
        """Retires one's own bot."""
        self._registry.call("DeleteBot", r.DeleteBotRequest(name=name))


def _parts(bot: str, archive: bytes, progress: Progress) -> Iterator[r.SubmitVersionRequest]:
    digest = hashlib.sha256(archive).hexdigest()
    header = r.SubmitVersionHeader(bot_name=bot, size=len(archive), upload_sha256=digest)
    yield r.SubmitVersionRequest(header=header)
    for start in range(0, len(archive), UPLOAD_CHUNK):
        yield r.SubmitVersionRequest(chunk=archive[start : start + UPLOAD_CHUNK])
        if progress:
            progress(min(start + UPLOAD_CHUNK, len(archive)))
