"""Devices: the machine's memory and disks, terminals, and making one's own."""

import fcntl
import os
import stat

import wall

PLAIN = {"null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "fd", "core"}


def node(kind, major, minor):
    os.mknod(f"/tmp/{wall.MARK}-{kind}", kind | 0o666, os.makedev(major, minor))
    return True


def type_into():
    return fcntl.ioctl(0, 0x5412, b"x") == 0


wall.tries(
    find_devices=lambda: sorted(set(os.listdir("/dev")) - PLAIN),
    open_the_memory=lambda: os.open("/dev/mem", os.O_RDONLY) > 0,
    open_a_disk=lambda: [n for n in ("sda", "vda", "nvme0n1", "loop0") if os.path.exists(f"/dev/{n}")],
    open_a_terminal=os.openpty,
    open_a_fuse=lambda: os.open("/dev/fuse", os.O_RDWR) > 0,
    open_a_tunnel=lambda: os.open("/dev/net/tun", os.O_RDWR) > 0,
    open_a_machine=lambda: os.open("/dev/kvm", os.O_RDWR) > 0,
    make_the_memory=lambda: node(stat.S_IFCHR, 1, 1),
    make_a_disk=lambda: node(stat.S_IFBLK, 8, 0),
    type_into_a_terminal=type_into,
)
