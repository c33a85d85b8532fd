"""A client of the registry for other services: owners of tokens, and versions that may be played."""

import hmac
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from maumau.client.call import rpc_errors
from maumau.errors import NotValidated, UnknownBot, UnknownGroup, UnknownVersion
from maumau.v1 import registry_pb2 as pb
from maumau.v1 import registry_pb2_grpc
from services.shared.base import clock
from services.shared.base.auth import Identity
from services.shared.rpc.client import connect_aio
from services.shared.rpc.gate import ASKER, VOUCHER

REMEMBERED = 5.0  # seconds for which a token's owner is cached: so long a revoked token still works
TOKENS_KEPT = 10_000  # tokens remembered
PLAYABLE = (pb.VERSION_STATE_VALID, pb.VERSION_STATE_ACTIVE, pb.VERSION_STATE_RETIRED)
STUB: Any = registry_pb2_grpc.RegistryServiceStub


class Owner(NamedTuple):
    """The owner of a bot, as the registry describes it.

    members: the accounts of a team, or the account itself; groups: those that all of them are in. related:
    owners that count as one with it, with the time in ms since 1970 until which they were in one team, None
    if they are. party: the name under which ladders count it.
    """

    is_team: bool = False
    members: tuple[str, ...] = ()
    groups: frozenset[str] = frozenset()
    related: tuple[tuple[str, int | None], ...] = ()
    party: str = ""

    def list_related(self, since: int) -> set[str]:
        """Return the owners that were in one team with it at a time since then."""
        return {name for name, until in self.related if until is None or until > since}


NOBODY = Owner()


class PlayableVersion(NamedTuple):
    """A version that may be played, as the registry describes it; empty sets mean all.

    built_sha256: of its build step's output, and built_platform: of its build; empty if nothing is stored.
    plays_people: everybody may have it at a live table. owner: of its bot. number: within its bot.
    """

    id: str
    bot_name: str
    account_name: str
    sha256: str
    rules: frozenset[str]
    seats: frozenset[int]
    built_sha256: str = ""
    built_platform: str = ""
    plays_people: bool = False
    owner: Owner = NOBODY
    number: int = 0

    def check(self, rules: str, seats: int) -> None:
        """Raise NotValidated unless it may play these rules with this number of seats."""
        if self.rules and rules not in self.rules:
            known = ", ".join(sorted(self.rules))
            raise NotValidated(f"{self.bot_name} was not validated for {rules}, only for {known}.")
        if self.seats and seats not in self.seats:
            known = ", ".join(map(str, sorted(self.seats)))
            raise NotValidated(f"{self.bot_name} was not validated for {seats} seats, only for {known}.")


class TrialOutcome(NamedTuple):
    """A validation in given variants. state: none, waiting, playing, passed, refused, stalled.

    reason, log: as the worker says, with what is played.
    """

    state: str
    reason: str = ""
    log: str = ""


class Versions:
    """Queries for versions, with the arena's own worker token. Refusals of the registry are raised as is."""

    def __init__(self, address: str, token: str, roots: bytes = b"") -> None:
        self.address, self.channel = address, connect_aio(address, token, roots)
        self.registry = STUB(self.channel)

    async def active(self, bot_name: str) -> PlayableVersion:
        """Return the active version of a bot; raise UnknownBot if there is none."""
        try:
            found = await self._find(bot_name)
        except UnknownVersion as err:
            raise UnknownBot(str(err), thing=bot_name) from None
        version = found.version
        if version.bot_name != bot_name or version.state != pb.VERSION_STATE_ACTIVE:  # it takes ids, too
            raise UnknownBot(f"There is no bot {bot_name!r}.", thing=bot_name)
        return _version(found)

    async def playable(self, key: str) -> PlayableVersion:
        """Return the active version of the bot of this name, or the one of this id if it was validated."""
        found = await self._find(key)
        version = found.version
        if version.state not in PLAYABLE:
            state = pb.VersionState.Name(version.state).removeprefix("VERSION_STATE_").lower()
            which = f"Version {version.number} of {version.bot_name}"
            raise NotValidated(f"{which} is {state} and cannot be played.")
        return _version(found)

    async def list_inactive(self, version_ids: Sequence[str]) -> set[str]:
        """Return those of the versions that are not active, unknown ones among them."""
        with rpc_errors(self.address):
            request = pb.ListInactiveVersionsRequest(version_ids=version_ids)
            return set((await self.registry.ListInactiveVersions(request)).version_ids)

    async def find_number(self, version_id: str) -> int:
        """Return the number of a version within its bot; raise UnknownVersion if there is no such version."""
        return int((await self._find(version_id)).version.number)

    async def _find(self, key: str) -> Any:
        with rpc_errors(self.address):
            return await self.registry.GetVersion(pb.GetVersionRequest(version_id=key))

    async def check_group(self, name: str) -> None:
        """Raise UnknownGroup unless there is a group of this name."""
        with rpc_errors(self.address):
            found = await self.registry.ListGroups(pb.ListGroupsRequest(name=name))
        if not found.groups:
            raise UnknownGroup(f"There is no group {name!r}.", thing=name)

    async def suspend(self, version_id: str, words: str) -> None:
        """Take a version out of play until its validation deals were played again."""
        with rpc_errors(self.address):
            await self.registry.SuspendVersion(pb.SuspendVersionRequest(version_id=version_id, words=words))

    async def request_trial(
        self, version_id: str, key: str, terms: pb.TrialTerms, *, begin: bool
    ) -> TrialOutcome:
        """Return the validation of a version in given variants, and begin it if there is none."""
        request = pb.RequestTrialRequest(version_id=version_id, key=key, terms=terms, begin=begin)
        with rpc_errors(self.address):
            found = await self.registry.RequestTrial(request)
        return TrialOutcome(found.state, found.reason, found.log)

    async def close(self) -> None:
        await self.channel.close()


def _version(answer: Any) -> PlayableVersion:
    found = answer.version
    return PlayableVersion(
        found.id,
        found.bot_name,
        found.account_name,
        found.sha256,
        frozenset(found.rules),
        frozenset(found.seats),
        found.built_sha256,
        found.built_platform,
        found.plays_people,
        _owner(answer.owner),
        found.number,
    )


def _owner(found: Any) -> Owner:
    related = tuple((one.name, _until(one)) for one in found.related)
    return Owner(found.team, tuple(found.members), frozenset(found.groups), related, found.party)


def _until(related: Any) -> int | None:
    return related.until.ToMilliseconds() if related.HasField("until") else None


class TokenOwners:
    """Owners of tokens. The arena's own tokens (`own`: by name) are known; others are the registry's task.

    vouches: hosts show their certificates here, so the registry need not see them.
    """

    def __init__(
        self, address: str, own: Mapping[str, str], roots: bytes = b"", *, vouches: bool = False
    ) -> None:
        self.address, self.vouches = address, vouches
        self.own = {name: token for name, token in own.items() if token}
        self.known: dict[str, tuple[float, Identity]] = {}
        self.channel = connect_aio(address, roots=roots)
        self.registry = STUB(self.channel)

    async def authenticate(self, token: str) -> Identity:
        """Return a token's owner; raise the registry's refusal."""
        for name, own in self.own.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                return Identity(name, name, frozenset((name,)))
        until, who = self.known.get(token, (0.0, None))
        if who is None or until < time.monotonic():
            who = await self._ask(token)
            if len(self.known) >= TOKENS_KEPT:
                self.known.clear()
            self.known[token] = (time.monotonic() + min(REMEMBERED, _seconds_left(who)), who)
        return who

    async def _ask(self, token: str) -> Identity:
        sent = [("authorization", f"Bearer {token}"), (ASKER, self.own.get("worker", ""))]
        if self.vouches:
            sent.append((VOUCHER, self.own["worker"]))
        with rpc_errors(self.address):
            answer = await self.registry.WhoAmI(pb.WhoAmIRequest(), metadata=sent)
        ends = answer.expires_at.ToMilliseconds() if answer.HasField("expires_at") else None
        scopes = frozenset(answer.scopes)
        groups = frozenset(one.group_name for one in answer.groups)
        led = frozenset(one.group_name for one in answer.groups if one.role == pb.GROUP_ROLE_ORGANISER)
        named = answer.account_id, answer.account_name, scopes, ends
        return Identity(*named, host=answer.host, groups=groups, led=led, team=answer.team_name)

    async def close(self) -> None:
        await self.channel.close()


def _seconds_left(who: Identity) -> float:
    """Return the seconds until the token ends, by this machine's clock: the registry has the last word."""
    return REMEMBERED if who.expires_at is None else max(0.0, (who.expires_at - clock.now()) / 1000)
