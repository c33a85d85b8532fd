"""Handlers of LoginService: message to the store of logins and back."""
# ruff: noqa: N802, ARG002 - gRPC gives the methods their names and arguments

from asyncio import to_thread
from dataclasses import dataclass
from typing import Any, Final

from maumau.errors import BadRequest
from maumau.v1 import login_pb2 as pb
from maumau.v1 import login_pb2_grpc
from services.registry.store.people.login import Logins
from services.shared.base.auth import Need, identity
from services.shared.rpc.timestamp import to_timestamp

SERVICE = pb.DESCRIPTOR.services_by_name["LoginService"]
NEEDS: Final = {
    "OpenLogin": Need.PAGE,
    "CreateLoginAccount": Need.PAGE,
    "LinkLogin": Need.PAGE,
    "ListLogins": Need.AUTHOR,
}
LONGEST_ISSUER, LONGEST_SUBJECT = 500, 255


@dataclass(kw_only=True)
class LoginServicer(login_pb2_grpc.LoginServiceServicer):
    """Logins for the page, which has checked what the provider says, and for their owners."""

    logins: Logins

    async def OpenLogin(self, request: pb.OpenLoginRequest, context: Any) -> pb.OpenLoginResponse:
        made = await to_thread(self.logins.open, *_read_person(request))
        return pb.OpenLoginResponse(
            token=made.token, expires_at=to_timestamp(made.expires_at), account_name=made.account_name
        )

    async def CreateLoginAccount(
        self, request: pb.CreateLoginAccountRequest, context: Any
    ) -> pb.CreateLoginAccountResponse:
        asked = *_read_person(request), request.name, request.code
        grant, group = await to_thread(self.logins.create, *asked)
        return pb.CreateLoginAccountResponse(
            token=grant.token, expires_at=to_timestamp(grant.expires_at), group_name=group
        )

    async def LinkLogin(self, request: pb.LinkLoginRequest, context: Any) -> pb.LinkLoginResponse:
        asked = request.account_name, *_read_person(request)
        await to_thread(self.logins.link, *asked, as_author=request.as_author)
        return pb.LinkLoginResponse()

    async def ListLogins(self, request: pb.ListLoginsRequest, context: Any) -> pb.ListLoginsResponse:
        found = await to_thread(self.logins.list_logins, identity())
        return pb.ListLoginsResponse(
            logins=[
                pb.Login(issuer=one.issuer, subject=one.subject, linked_at=to_timestamp(one.linked_at))
                for one in found
            ]
        )


def _read_person(request: Any) -> tuple[str, str]:
    issuer, subject = request.issuer, request.subject
    if not 0 < len(issuer) <= LONGEST_ISSUER or not 0 < len(subject) <= LONGEST_SUBJECT:
        raise BadRequest("A login has an issuer and a subject.", field="subject")
    return issuer, subject
