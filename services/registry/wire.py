"""Messages: the arena's public description of itself, accounts as admins list them, uploads in parts."""

import asyncio
from collections.abc import AsyncIterator
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Final, NamedTuple

from maumau import game
from maumau.errors import BadRequest, UploadCutOff
from maumau.protocol.limit import UploadLimits
from maumau.v1 import registry_pb2 as pb
from services.registry.store import ListedAccount, Owned, Quota
from services.shared.rpc.timestamp import to_timestamp

HEADER_SECONDS: Final = 30.0
"""Seconds for the first message of an upload."""


class ServerInfo(NamedTuple):
    """The properties of an arena. signup: as the setting of that name. house_only: no strangers' programs.

    arena: the address of all services, page: that of the page, or "".
    """

    signup: str
    house_only: bool
    runtimes: tuple[str, ...]
    upload: UploadLimits
    quota: Quota
    arena: str
    page: str

    def build_message(self) -> pb.GetServerInfoResponse:
        upload, quota = self.upload, self.quota
        limits = pb.ServerLimits(
            upload_bytes=upload.packed,
            unpacked_bytes=upload.unpacked,
            members=upload.members,
            bots=quota.bots,
            waiting_versions=quota.waiting,
            stored_mib=quota.mib,
            validation_minutes=quota.minutes,
            versions_a_day=quota.versions,
        )
        return pb.GetServerInfoResponse(
            version=version("maumau-arena"),
            open=self.signup == "open",
            registration=self.signup,
            takes_strangers=not self.house_only,
            runtimes=self.runtimes,
            limits=limits,
            variants=_list_variants(),
            arena=self.arena,
            page=self.page,
        )


@lru_cache(maxsize=1)
def _list_variants() -> tuple[pb.VariantInfo, ...]:
    found = []
    for name in game.variants():
        rules = game.load(name)
        fewest, most = rules.seats
        found.append(pb.VariantInfo(name=name, rules_hash=rules.hash, fewest_seats=fewest, most_seats=most))
    return tuple(found)


def write_token(owned: Owned, current: str) -> pb.Token:
    """Return a token as a message. current: the id of the caller's own."""
    row = owned.token
    answer = pb.Token(
        id=row.id,
        label=row.label,
        account_name=owned.account_name,
        scopes=row.scopes.split(),
        created_at=to_timestamp(row.created_at),
        parent_id=row.parent,
        current=row.id == current,
    )
    if row.expires_at is not None:
        answer.expires_at.CopyFrom(to_timestamp(row.expires_at))
    if row.used_at is not None:
        answer.used_at.CopyFrom(to_timestamp(row.used_at))
    return answer


def build_account(listed: ListedAccount) -> pb.Account:
    """Return an account as a message."""
    row = listed.account
    used_at = None if listed.used_at is None else to_timestamp(listed.used_at)
    return pb.Account(
        name=row.name,
        scopes=sorted(listed.scopes),
        tokens=listed.tokens,
        bots=listed.bots,
        created_at=to_timestamp(row.created_at),
        used_at=used_at,
    )


async def read_header(requests: Any) -> Any:
    """Return the header with which the messages of an upload begin; raise unless it comes in time."""
    try:
        async with asyncio.timeout(HEADER_SECONDS):
            async for request in requests:
                if request.WhichOneof("part") == "header":
                    return request.header
                break
    except TimeoutError:
        raise UploadCutOff(f"The upload's header did not come within {HEADER_SECONDS:g} s.") from None
    words = "An upload begins with a header that says what comes, its size and its upload_sha256."
    raise BadRequest(words, field="header")


async def read_chunks(requests: Any) -> AsyncIterator[bytes]:
    """Yield the bytes of an upload's messages; raise BadRequest for any but chunks."""
    async for request in requests:
        if request.WhichOneof("part") != "chunk":
            raise BadRequest("After an upload's header come chunks only.", field="chunk")
        yield request.chunk
