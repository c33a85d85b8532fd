"""The calls about logins at an OpenID Connect provider, for `maumau.client.Arena`."""

from __future__ import annotations

from maumau.client import answer, call
from maumau.client.link import Link
from maumau.v1 import login_pb2 as pb


class LoginCalls:
    """Calls about logins, over the link that `Arena` makes; all but the list need the page's token."""

    _logins: Link

    def open_login(self, issuer: str, subject: str) -> answer.RedeemPageCodeResponse:
        """Return a session of the account that a person at the provider has."""
        found = self._logins.call("OpenLogin", pb.OpenLoginRequest(issuer=issuer, subject=subject))
        return call.to_struct(answer.RedeemPageCodeResponse, found)

    def create_login_account(
        self, issuer: str, subject: str, name: str, code: str = ""
    ) -> answer.CreateLoginAccountResponse:
        """Create an account for a person at the provider; its token is shown this once."""
        request = pb.CreateLoginAccountRequest(issuer=issuer, subject=subject, name=name, code=code)
        return call.to_struct(
            answer.CreateLoginAccountResponse, self._logins.call("CreateLoginAccount", request)
        )

    def link_login(self, account_name: str, issuer: str, subject: str, *, as_author: bool = False) -> None:
        """Give a person at the provider an existing account. as_author: with an author's scope at most."""
        person = {"issuer": issuer, "subject": subject}
        request = pb.LinkLoginRequest(account_name=account_name, as_author=as_author, **person)
        self._logins.call("LinkLogin", request)

    def logins(self) -> tuple[answer.Login, ...]:
        """Return one's own logins, oldest first."""
        found = self._logins.call("ListLogins", pb.ListLoginsRequest())
        return tuple(call.to_struct(answer.Login, one) for one in found.logins)
