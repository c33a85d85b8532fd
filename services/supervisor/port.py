"""Free ports of this machine."""

import socket

HOST = "127.0.0.1"


def choose(*wanted: int) -> int:
    """The first of the wanted ports on which nobody listens, else a free one; 0 is no port."""
    return next((one for one in wanted if one and is_free(one)), 0) or free()


def is_free(port: int) -> bool:
    """Whether one can listen on it now; connections that still linger from the last run do not matter."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, port))
            sock.listen()
        except OSError:
            return False
    return True


def free() -> int:
    """A port that the system picks."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        port: int = sock.getsockname()[1]
    return port
