"""The choice of connections to close. Pure: sockets are handled by `services.shared.rpc.door`."""

import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from services.shared.base.peer import Peer, find_source

SILENT, ADDRESS, ACCOUNT, FULL, FIELDS = REASONS = ("silent", "address", "account", "full", "fields")
"""Reasons to close a connection: no request in time; too many of its address, of its account, or in all; a
request with too many header fields, or too much from its address that nobody has read."""
SHUNNED_SECONDS: Final = 60.0  # for which nobody connects from an address that sent such a request
OWN_HOSTS: Final = ("127.0.0.1", "::1")  # of the arena's own services, and often of a proxy
ANONYMOUS_REST: Final = 60.0
"""Seconds without a complete request after which a connection without a token is closed, together with the
unfinished requests on it. A well-behaved client reconnects by itself."""
GRACE: Final = 2.0  # seconds for which a new connection is not closed, however many there are


@dataclass
class Use:
    """Requests on a connection, and their caller.

    at: when the last one began or ended. requests: under way. owner: the caller's account, "" for callers
    without a token. is_trusted: the caller has no bounds. inode: of the connection's socket; None before the
    first look. is_abusive: it is to be closed at once, whatever is under way.
    """

    at: float
    requests: int = 0
    owner: str = ""
    is_trusted: bool = False
    inode: int | None = None
    is_abusive: bool = False


@dataclass
class Uses:
    """Uses of all connections, by peer. Handlers write them, and a thread reads them.

    is_proxy: tells hosts that stand for many callers. shunned: addresses from which nobody connects, and
    until when. alarm: set when there is a connection to close soon. react: closes the connections of an
    address that is shunned from now on.
    """

    clock: Callable[[], float]
    is_proxy: Callable[[str], bool] = field(default=lambda _: False)
    by_peer: dict[Peer, Use] = field(default_factory=dict)
    shunned: dict[str, float] = field(default_factory=dict)
    alarm: threading.Event = field(default_factory=threading.Event)
    react: Callable[[], object] = field(default=lambda: None)

    def begin(self, peer: Peer) -> None:
        """Note the beginning of a request."""
        use = self.by_peer.get(peer)
        if use is None:
            use = self.by_peer[peer] = Use(self.clock())
        use.requests, use.at = use.requests + 1, self.clock()

    def identify(self, peer: Peer, owner: str, *, is_trusted: bool) -> None:
        """Note the owner of the token of a request on the connection."""
        if use := self.by_peer.get(peer):
            use.owner, use.is_trusted = owner, is_trusted

    def condemn(self, peer: Peer) -> None:
        """Close the connection and others of its address, and have further ones refused for a while.

        The first time that is done before this returns, while much of what came on them is still unread. One
        that may carry the requests of others stays.
        """
        is_new = find_source(peer.host) not in self.list_shunned()
        if not self.shun(peer):
            return
        self.by_peer.setdefault(peer, Use(self.clock())).is_abusive = True
        if is_new:
            self.react()
        else:
            self.alarm.set()

    def shun(self, peer: Peer) -> bool:
        """Have further connections of an address refused for a while, unless it may stand for others."""
        if peer.host in OWN_HOSTS or self.is_proxy(peer.host):
            return False
        self.shunned[find_source(peer.host)] = self.clock() + SHUNNED_SECONDS
        return True

    def list_shunned(self) -> set[str]:
        """Return the addresses that are shunned now."""
        now = self.clock()
        for source, until in list(self.shunned.items()):
            if until < now:
                self.shunned.pop(source, None)
        return set(self.shunned)

    def end(self, peer: Peer) -> None:
        """Note the end of a request."""
        if use := self.by_peer.get(peer):
            use.requests, use.at = max(0, use.requests - 1), self.clock()

    def forget(self, peer: Peer) -> None:
        """Drop the use of a connection, which then counts as silent."""
        self.by_peer.pop(peer, None)

    def match(self, peer: Peer, inode: int) -> Use | None:
        """Return the use of this socket; drop that of an earlier one from the same port."""
        use = self.by_peer.get(peer)
        if use is None:
            return None
        if use.inode is None:
            use.inode = inode
        if use.inode != inode:
            del self.by_peer[peer]
            return None
        return use

    def keep(self, peers: set[Peer], before: float) -> None:
        """Drop the uses of closed connections that were last used before this time."""
        for peer, use in list(self.by_peer.items()):
            if peer not in peers and use.at < before:
                self.by_peer.pop(peer, None)


class Connection(NamedTuple):
    """A connection as last seen. since: when it was first seen. use: None before its first request."""

    inode: int
    peer: Peer
    since: float
    use: Use | None

    @property
    def is_busy(self) -> bool:
        """Return True while a request is under way."""
        return bool(self.use and self.use.requests)

    @property
    def is_bounded(self) -> bool:
        """Return True unless its token was a worker's, an admin's or a service's."""
        return not (self.use and self.use.is_trusted)

    @property
    def rank(self) -> tuple[int, float]:
        """Return the place in the order of closing: silent, without a token, with one; oldest first."""
        if self.use is None:
            return 0, self.since
        return (2 if self.use.owner else 1), self.use.at


@dataclass(frozen=True)
class Limits:
    """Bounds of a process's connections.

    hello: seconds until the first request. rest: seconds from one request to the next; for those that have
    shown no token at most ANONYMOUS_REST. idle: connections
    without a request under way, of an address or an account. most: connections in all. is_proxy: tells hosts
    that stand for many addresses. unread: bytes of an address that nobody has read yet.
    """

    hello: float
    idle: int
    most: int
    is_proxy: Callable[[str], bool]
    rest: float = float("inf")
    unread: float = float("inf")

    def is_silent(self, one: Connection, now: float) -> bool:
        """Return True if an idle connection has waited too long for a request."""
        if one.use is None:
            return now - one.since > self.hello
        return now - one.use.at > (self.rest if one.use.owner else min(self.rest, ANONYMOUS_REST))


def find_surplus(
    seen: Iterable[Connection], limits: Limits, now: float, shunned: Collection[str] = ()
) -> Iterator[tuple[Connection, str]]:
    """Yield the connections to close, with the reason; abusive ones apart, none with a request under way.

    shunned: addresses whose connections go unless a token was shown on them.
    """
    kept = []
    for one in seen:
        is_strangers = not (one.use and one.use.owner)
        if (one.use and one.use.is_abusive) or (is_strangers and find_source(one.peer.host) in shunned):
            yield one, FIELDS
        else:
            kept.append(one)
    bounded = [one for one in kept if one.is_bounded]
    total = len(bounded)
    groups: dict[tuple[str, str], list[Connection]] = defaultdict(list)
    resting = []
    for one in sorted((one for one in bounded if not one.is_busy), key=lambda one: one.rank):
        if limits.is_silent(one, now):
            total -= 1
            yield one, SILENT
        else:
            resting.append(one)
            groups[_find_group(one, limits)].append(one)
    gone = set()
    for (kind, _), members in groups.items():
        surplus = len(members) - limits.idle if kind else 0
        for one in [one for one in members if now - one.since > GRACE][: max(0, surplus)]:
            gone.add(one.inode)
            yield one, kind
    left = [one for one in resting if one.inode not in gone]
    for one in left[: max(0, total - len(gone) - limits.most)]:
        yield one, FULL


def _find_group(one: Connection, limits: Limits) -> tuple[str, str]:
    """Return the kind and the name of whom it counts for; empty ones for a proxy without an account."""
    if one.use and one.use.owner:
        return ACCOUNT, one.use.owner
    if limits.is_proxy(one.peer.host):
        return "", ""
    return ADDRESS, find_source(one.peer.host)
