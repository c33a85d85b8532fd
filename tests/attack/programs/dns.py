"""Names: asking for one tells the world something."""

import socket
from pathlib import Path

import wall

wall.tries(
    resolve_a_name=lambda: socket.getaddrinfo(f"{wall.MARK}.example.org", 80),
    resolve_this_machine=lambda: socket.getaddrinfo("ip6-localhost", 80),
    know_a_name_server=lambda: Path("/etc/resolv.conf").read_text(),
    know_the_hosts=lambda: Path("/etc/hosts").read_text(),
)
