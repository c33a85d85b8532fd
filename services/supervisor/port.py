"""Free ports of this machine."""

import socket

HOST = "127.0.0.1"


def choose_port(*wanted: int) -> int:
    """Return the first wanted port that is free, else any free port. A wanted port of 0 is ignored."""
    return next((one for one in wanted if one and is_free(one)), 0) or find_free_port()


def is_free(port: int) -> bool:
    """Return True if a port can be listened on now; lingering connections of the last run do not matter."""
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((HOST, port))
            sock.listen()
        except OSError:
            return False
    return True


def find_free_port() -> int:
    """Return a port that the system picks."""
    with socket.socket() as sock:
        sock.bind((HOST, 0))
        port: int = sock.getsockname()[1]
    return port
