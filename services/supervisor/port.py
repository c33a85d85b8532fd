"""Free ports of this machine."""

import socket

HOST = "127.0.0.1"


def choose(*wanted: int) -> int:
    """The first wanted port that is free, or any free port if none is. A wanted port of 0 is ignored."""
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
