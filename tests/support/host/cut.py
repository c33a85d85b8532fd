"""A proxy that keeps answers back, cuts connections, stops for a while, or loses connections in silence."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress


class Proxy:
    """Stands before a server at HOST:PORT; `hold` keeps back what the server says from now on."""

    def __init__(self, address: str) -> None:
        self.lead_to(address)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._listening.getsockname()[1]}"
        self._holding = threading.Event()
        self._running = threading.Event()
        self._running.set()
        self._lost: set[socket.socket] = set()
        self._fatal = b""
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept_connections, daemon=True).start()

    def lead_to(self, address: str) -> None:
        """New connections go there; those that are there stay."""
        host, _, port = address.rpartition(":")
        self._server = (host, int(port))

    def hold(self) -> None:
        self._holding.set()

    def pause(self) -> None:
        """Carry nothing in either direction, for connections that are there and for new ones."""
        self._running.clear()

    def resume(self) -> None:
        """Carry what was said since `pause`, and go on."""
        self._running.set()

    def lose(self) -> None:
        """Drop everything on the connections that are there, without closing them; new ones are served."""
        self._lost.update(end for pair in self._pairs for end in pair)

    def lose_at(self, said: bytes) -> None:
        """Lose all connections as soon as a client says this, which is lost as well."""
        self._fatal = said

    def cut(self) -> None:
        """Ends all connections; new ones are let through."""
        pairs, self._pairs = self._pairs, []
        for one in (end for pair in pairs for end in pair):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._holding.clear()

    def close(self) -> None:
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.cut()

    def _accept_connections(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                far = socket.create_connection(self._server)
                self._pairs.append((near, far))
                for source, sink, may_hold in ((near, far, False), (far, near, True)):
                    arguments = source, sink, may_hold
                    threading.Thread(target=self._carry_bytes, args=arguments, daemon=True).start()

    def _carry_bytes(self, source: socket.socket, sink: socket.socket, may_hold: bool) -> None:
        with source, suppress(OSError):
            while said := source.recv(65536):
                self._running.wait()
                if self._fatal and self._fatal in said:
                    self._fatal = b""
                    self.lose()
                if source not in self._lost and not (may_hold and self._holding.is_set()):
                    sink.sendall(said)
            sink.shutdown(socket.SHUT_RDWR)
