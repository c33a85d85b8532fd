"""Requests whose header comes and whose message never does: a connection may have so many, and no more."""

import socket
import struct

import pytest

from bench.support.patience import patient
from services.shared.base.settings import Settings
from services.shared.process.server import Server

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS = 1, 3, 4
END_HEADERS = 4
MAX_STREAMS = 3  # of SETTINGS: RFC 9113, 6.5.2
MOST, SENT = 400, 500


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    """Return a header without Huffman code and index: RFC 7541, 6.2.2."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


PATH = b"/grpc.health.v1.Health/Check"
REQUEST = b"".join(
    literal(name, value)
    for name, value in (
        (b":method", b"POST"), (b":scheme", b"http"), (b":path", PATH),
        (b":authority", b"x"),
        (b"te", b"trailers"), (b"content-type", b"application/grpc"),
    )
)  # fmt: skip


def read_frames(connection):
    """Yield kind and payload of what the server sends."""
    left = b""
    while data := connection.recv(65536):
        left += data
        while len(left) >= 9 and len(left) >= 9 + (size := int.from_bytes(left[:3], "big")):
            yield left[3], left[9 : 9 + size]
            left = left[9 + size :]


@pytest.fixture
def server(loop):
    async def begin():
        server = Server("half", Settings())
        await server.start()
        return server

    server = loop.run(begin())
    yield server
    loop.run(server.stop(0.1))


def test_a_connection_has_a_bound_of_unfinished_requests(server):
    host, port = server.address.rsplit(":", 1)
    with socket.create_connection((host, int(port)), timeout=patient(10)) as connection:
        connection.sendall(PREFACE + frame(SETTINGS, 0, 0))
        frames, refused = read_frames(connection), 0
        settings = next(payload for kind, payload in frames if kind == SETTINGS and payload)
        told = dict(struct.iter_unpack(">HI", settings))
        assert told[MAX_STREAMS] == MOST
        connection.sendall(b"".join(frame(HEADERS, END_HEADERS, 1 + 2 * n, REQUEST) for n in range(SENT)))
        while refused < SENT - MOST:
            kind, _ = next(frames)
            refused += kind == RST_STREAM
