"""Unix sockets: the arena's own in the file system, the system's, and abstract ones."""

import socket

import wall


def connect(address):
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(0.3)
        line.connect(address)
        return line.send(b"hello")


wall.tries(
    reach_the_broker_by_its_file=lambda: connect(wall.TARGETS["socket"]),
    reach_an_abstract_socket=lambda: connect("\0" + wall.TARGETS["abstract"]),
    reach_the_system_bus=lambda: connect("/run/dbus/system_bus_socket"),
    reach_the_log=lambda: connect("/dev/log"),
    reach_docker=lambda: connect("/var/run/docker.sock"),
)
