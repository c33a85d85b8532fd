"""TCP to the arena's port on this machine, to the machine's own addresses and to the world."""

import socket

import wall


def connect(host, port):
    with socket.create_connection((host, port), timeout=0.3) as line:
        return line.send(b"hello")


def listen():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        return server.getsockname()


wall.tries(
    reach_the_arena=lambda: connect("127.0.0.1", wall.TARGETS["tcp"]),
    reach_the_world=lambda: connect("1.1.1.1", 53),
    reach_by_IPv6=lambda: connect("::1", wall.TARGETS["tcp"]),
    listen=listen,
)
