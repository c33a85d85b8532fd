"""UDP: a datagram to the arena's machine, and a listener for others."""

import socket

import wall


def send(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        return line.sendto(wall.MARK.encode(), (host, port))


wall.tries(
    send_to_the_arena=lambda: send("127.0.0.1", wall.TARGETS["udp"]),
    send_to_the_world=lambda: send("8.8.8.8", 53),
    broadcast=lambda: send("255.255.255.255", 9),
)
