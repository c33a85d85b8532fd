"""A filter in the kernel that drops what some addresses send to a listening socket.

It is a program of classic BPF, which most kernels take from any user: a connection from such an address is
not even accepted, so that it costs no time of the interpreter. Sockets of connections that are accepted keep
a copy of it.
"""

import ctypes
import ipaddress
import socket
import struct
from collections.abc import Iterable
from typing import Final, NamedTuple

from services.shared.base.peer import SOURCE_PREFIX

MOST_SOURCES: Final = 400  # of 4,096 instructions, five each
SO_ATTACH_FILTER, SO_DETACH_FILTER = 26, 27
NETWORK_HEADER: Final = 0xFFF0_0000  # SKF_NET_OFF: the offset of the IP header
SOURCE_4, SOURCE_6 = NETWORK_HEADER + 12, NETWORK_HEADER + 8
LOAD_BYTE, LOAD_WORD, AND, EQUAL, JUMP, RETURN = 0x30, 0x20, 0x54, 0x15, 0x05, 0x06
VERSION_BITS, OLD_VERSION = 0xF0, 4
ACCEPT: Final = 0xFFFF_FFFF


class Instruction(NamedTuple):
    """An instruction of BPF. then, otherwise: instructions to skip after a comparison."""

    code: int
    then: int
    otherwise: int
    value: int


DROP, PASS = Instruction(RETURN, 0, 0, 0), Instruction(RETURN, 0, 0, ACCEPT)


def build_filter(sources: Iterable[str]) -> list[Instruction]:
    """Return the program that drops packets of these sources.

    sources: IPv4 addresses, and first addresses of IPv6 networks of SOURCE_PREFIX bits.
    """
    ips = [ipaddress.ip_address(one) for one in sources]
    old = [int(one) for one in ips if one.version == OLD_VERSION]
    new = [int(one) >> (128 - SOURCE_PREFIX) for one in ips if one.version != OLD_VERSION]
    drop_6 = [one for network in new for one in _drop_network(network)]
    drop_4 = [one for source in old for one in (_skip_unless(source, 1), DROP)]
    return [
        Instruction(LOAD_BYTE, 0, 0, NETWORK_HEADER),
        Instruction(AND, 0, 0, VERSION_BITS),
        _skip_unless(OLD_VERSION << 4, 1),
        Instruction(JUMP, 0, 0, len(drop_6) + 1),
        *drop_6,
        PASS,
        Instruction(LOAD_WORD, 0, 0, SOURCE_4),
        *drop_4,
        PASS,
    ]


def _drop_network(network: int) -> list[Instruction]:
    return [
        Instruction(LOAD_WORD, 0, 0, SOURCE_6),
        _skip_unless(network >> 32, 3),
        Instruction(LOAD_WORD, 0, 0, SOURCE_6 + 4),
        _skip_unless(network & 0xFFFF_FFFF, 1),
        DROP,
    ]


def _skip_unless(value: int, count: int) -> Instruction:
    return Instruction(EQUAL, 0, count, value)


def bar_sources(listener: socket.socket, sources: Iterable[str]) -> None:
    """Drop what these addresses send to a listener, instead of those before; raise OSError if that fails."""
    barred = sorted(sources)[:MOST_SOURCES]
    if not barred:
        listener.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
        return
    program = b"".join(struct.pack("HBBI", *one) for one in build_filter(barred))
    held = ctypes.create_string_buffer(program)
    told = struct.pack("HP", len(program) // 8, ctypes.addressof(held))
    listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, told)
