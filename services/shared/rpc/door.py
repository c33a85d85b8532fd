"""Bounds of a process's connections, kept by watching its own sockets.

The listeners of gRPC and of the page have no limit by address, wait long for a first request, and do not show
a connection to Python before that. But the sockets are among this process's descriptors: surplus ones are
shut down through a duplicate of their descriptor, which ends a connection as if the client had left.
"""

import contextlib
import fcntl
import math
import os
import resource
import socket
import stat
import termios
import threading
import time
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Gauge

from services.shared.base import log, metric
from services.shared.base.peer import Peer, find_source, make_peer, match_networks, read_networks
from services.shared.base.settings import Settings
from services.shared.rpc.barrier import bar_sources
from services.shared.rpc.connection import FIELDS, REASONS, Connection, Limits, Uses, find_surplus

LOOK_SECONDS: Final = 0.25  # between looks
QUIET_LOOK_SECONDS, QUIET_LOOKS = 1.0, 20  # after so many looks with at most FEW new connections
FEW: Final = 3
BUSY_LOOK_SECONDS: Final = 0.02  # between looks while many connections come
MANY: Final = 100  # new connections between two looks
REST_FACTOR: Final = 3  # times what a look took, the least pause after it: others need the interpreter
SHARE_OF_FILES: Final = 0.75  # of the files that a process may open, for connections
MOST_UNREAD, COUNTED_UNREAD = 1 << 20, 128 << 10
"""Bytes that wait for gRPC to read them, of an address without a token, and those counted of one connection:
one alone is never too much. gRPC reads at once, unless header fields by the ten thousand keep it busy."""
DROPPED_AT_ONCE: Final = 1 << 20  # bytes
KIND: Final = 0o170000  # the bits of a file's mode that tell its kind
SPARE_DESCRIPTORS: Final = 2  # for the list of all, and for the duplicate of one
UNLIMITED: Final = 65_536  # files, where there is no limit
LOG_SECONDS: Final = 10.0  # between lines of the log

logger = log.get(__name__)


def read_limits(settings: Settings) -> Limits:
    """Return the bounds by the settings and the limit of open files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    files = UNLIMITED if files == resource.RLIM_INFINITY else files
    return Limits(
        hello=settings.hello_seconds,
        idle=settings.connections,
        most=int(files * SHARE_OF_FILES),
        is_proxy=match_networks(read_networks(settings.proxies)),
    )


class Door:
    """A watch over a process's connections, in a thread of its own, which a busy event loop does not delay.

    ports: the ports that are watched; more may be added.
    """

    def __init__(self, limits: Limits, registry: CollectorRegistry) -> None:
        self.limits, self.ports = limits, set[int]()
        self.uses = Uses(time.monotonic, limits.is_proxy, react=self._look_at_once)
        self._looking = threading.Lock()
        self._barred: set[str] = set()
        self._known: dict[int, tuple[int, Peer, float] | None] = {}  # by descriptor; None: no connection
        self._inodes: dict[int, int] = {}
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="door", daemon=True)
        self._unsaid, self._said_at = 0, float("-inf")
        self._spare = Spare()
        self._open = Gauge("maumau_connections", "Connections of callers that are open.", registry=registry)
        self._closed = metric.new_counter(
            registry,
            "maumau_connections_closed_total",
            "Connections closed: no request in time, too many header fields, or too many of an address, of an"
            " account, in all.",
            "reason",
            REASONS,
        )

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def close(self) -> None:
        """End the watch."""
        self._stop.set()
        self.uses.alarm.set()
        if self._thread.ident:
            self._thread.join()
        self._spare.release()

    def _watch(self) -> None:
        pause, took = LOOK_SECONDS, 0.0
        quiet = 0  # looks in a row with at most FEW new connections
        while not self._stop.wait(REST_FACTOR * took):
            self.uses.alarm.wait(pause)
            self.uses.alarm.clear()
            began = time.monotonic()
            try:
                fresh = self.look()
                quiet = 0 if fresh > FEW else quiet + 1
                pause = QUIET_LOOK_SECONDS if quiet > QUIET_LOOKS else LOOK_SECONDS
                pause = BUSY_LOOK_SECONDS if fresh > MANY else pause
            except OSError as error:
                logger.warning("connections not counted", words=str(error))
            took = time.monotonic() - began

    def look(self) -> int:
        """Close the connections that are too many, and return the number of new ones."""
        with self._looking, self._spare.lent():
            return self._look()

    def _look_at_once(self) -> None:
        try:
            self.look()
        except OSError as error:
            logger.warning("connections not counted", words=str(error))

    def _look(self) -> int:
        before, now = time.monotonic() - LOOK_SECONDS, time.monotonic()
        fresh = self._find_sockets(now)
        seen = [
            Connection(inode, peer, since, self.uses.match(peer, inode))
            for inode, peer, since in filter(None, self._known.values())
        ]
        self._open.set(len(seen))
        descriptors = {found[0]: number for number, found in self._known.items() if found}
        self._shun_hasty(seen, descriptors)
        for one, reason in find_surplus(seen, self.limits, now, self._barred):
            if self._shut(descriptors[one.inode], one, drops_unread=reason == FIELDS):
                self._closed.labels(reason).inc()
                self._unsaid += 1
        self.uses.keep({one.peer for one in seen}, before)
        self._say(now, len(seen))
        return fresh

    def _shun_hasty(self, seen: Iterable[Connection], descriptors: Mapping[int, int]) -> None:
        """Shun the addresses whose connections without a token have too many bytes that nobody has read."""
        unread = Counter[str]()
        bounded = (one for one in seen if not (one.use and one.use.owner))
        for one in bounded if math.isfinite(self.limits.unread) else ():
            source = find_source(one.peer.host)
            unread[source] += min(COUNTED_UNREAD, _count_unread(descriptors[one.inode]))
            if unread[source] > self.limits.unread:
                self.uses.shun(one.peer)
        self._bar_shunned()

    def _bar_shunned(self) -> None:
        """Have the kernel drop what shunned addresses send to the listening sockets."""
        shunned = self.uses.list_shunned()
        if shunned == self._barred:
            return
        self._barred = shunned
        logger.warning("connections refused for a while", addresses=sorted(shunned))
        for number, inode in _list_descriptors().items():
            with _opened(number, inode) as found:
                if found and _is_listener(found, self.ports):
                    bar_sources(found, shunned)

    def _say(self, now: float, count: int) -> None:
        """Log one line for all connections closed since the last one."""
        if self._unsaid and now - self._said_at > LOG_SECONDS:
            logger.warning("too many connections: some closed", closed=self._unsaid, left=count)
            self._unsaid, self._said_at = 0, now

    def _find_sockets(self, now: float) -> int:
        """Bring `_known` up to date, and return the number of new connections."""
        fresh, known, inodes = 0, self._known, self._inodes
        numbers = _list_descriptors()
        for number, inode in numbers.items():
            if inodes.get(number) != inode:
                inodes[number] = inode
                peer = _find_peer(number, inode, self.ports)
                known[number] = (inode, peer, now) if peer else None
                fresh += peer is not None
        for number in [number for number in inodes if number not in numbers]:
            del inodes[number], known[number]
        return fresh

    def _shut(self, number: int, one: Connection, *, drops_unread: bool) -> bool:
        """Shut the connection down unless its descriptor was reused; closing is left to its owner.

        drops_unread: gRPC is not to read what has come on it already.
        """
        with _opened(number, one.inode) as found:
            if found is None:
                return False
            found.shutdown(socket.SHUT_RDWR)
            if drops_unread:
                _drop_unread(found)
        return True


class Spare:
    """A reserve of descriptors for the watch, for when callers have taken all others."""

    def __init__(self) -> None:
        self._kept: list[int] = []
        self._keep()

    @contextlib.contextmanager
    def lent(self) -> Iterator[None]:
        """Release the descriptors for the duration of the block."""
        self.release()
        try:
            yield
        finally:
            self._keep()

    def release(self) -> None:
        """Close the descriptors."""
        while self._kept:
            os.close(self._kept.pop())

    def _keep(self) -> None:
        with contextlib.suppress(OSError):  # none is left now: the next look may find some
            while len(self._kept) < SPARE_DESCRIPTORS:
                self._kept.append(os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC))


def _list_descriptors() -> dict[int, int]:
    """Return the inodes of this process's sockets, by descriptor."""
    found = {}
    for number in map(int, os.listdir("/proc/self/fd")):  # noqa: PTH208 - a Path for each would cost more
        try:
            told = os.fstat(number)
        except OSError:  # it was closed meanwhile, as that of the folder itself
            continue
        if told.st_mode & KIND == stat.S_IFSOCK:
            found[number] = told.st_ino
    return found


@contextlib.contextmanager
def _opened(number: int, inode: int) -> Iterator[socket.socket | None]:
    """Yield a duplicate of that socket; None if the descriptor was closed or reused."""
    try:
        copy = os.dup(number)
    except OSError:
        yield None
        return
    if os.fstat(copy).st_ino != inode:
        os.close(copy)
        yield None
        return
    with socket.socket(fileno=copy) as found, contextlib.suppress(OSError):
        yield found


def _count_unread(number: int) -> int:
    count = array("i", [0])
    with contextlib.suppress(OSError):  # it is closed
        fcntl.ioctl(number, termios.FIONREAD, count)
    return count[0]


def _drop_unread(found: socket.socket) -> None:
    """Drop what the kernel has received on a connection that is shut down; nothing is copied."""
    with contextlib.suppress(OSError):  # nothing is left
        while found.recv(DROPPED_AT_ONCE, socket.MSG_DONTWAIT | socket.MSG_TRUNC):
            pass


def _is_listener(found: socket.socket, ports: Collection[int]) -> bool:
    return (
        found.family in {socket.AF_INET, socket.AF_INET6}
        and bool(found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN))
        and found.getsockname()[1] in ports
    )


def _find_peer(number: int, inode: int, ports: Collection[int]) -> Peer | None:
    """Return the caller's end of a connection to one of the ports; None for any other socket."""
    with _opened(number, inode) as found:
        if found is None or found.family not in {socket.AF_INET, socket.AF_INET6}:
            return None
        with contextlib.suppress(OSError):  # a listener, or a connection that is gone
            if found.getsockname()[1] in ports:
                host, port = found.getpeername()[:2]
                return make_peer(host, port)
    return None
