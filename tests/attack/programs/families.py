"""Every other family of sockets: netlink, packets, the machine below (vsock), the kernel's ciphers …"""

import socket

import wall

FAMILIES = {"netlink": 16, "packet": 17, "IPv6": 10, "vsock": 40, "alg": 38, "bluetooth": 31, "can": 29,
            "tipc": 30, "xdp": 44, "qipcrtr": 42, "rds": 21, "key": 15, "ppp over ethernet": 24}  # fmt: skip


def opened(family):
    kinds = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    for kind in kinds:
        try:
            socket.socket(family, kind).close()
        except OSError as error:
            last = error
        else:
            return True
    raise last


wall.tries(**{f"open a socket of {name}": lambda n=n: opened(n) for name, n in FAMILIES.items()})
