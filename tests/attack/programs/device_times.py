"""Word for its next self on the host's own device files: their times, modes, flags, whatever a file has."""

import fcntl
import os
import platform
import time

import wall

DEVICES = [f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom")]
UTIMENSAT = {"x86_64": 280, "aarch64": 88}[platform.machine()]
SET_FLAGS, ADD_TO_ENTROPY, SET_HINT = 0x40086602, 0x40085203, 1036  # of ioctl, of ioctl, of fcntl
HERE = -100  # AT_FDCWD
MOMENT = 0.02  # seconds: the clock by which files get their times moves on


def looks(path):
    found = os.stat(path)
    times = found.st_atime_ns, found.st_mtime_ns, found.st_ctime_ns
    return (*times, found.st_mode, found.st_uid, found.st_gid, found.st_nlink, found.st_size)


def changes(act):
    """Return a function that lists the devices changed by this action; errors do not count."""

    def attempt():
        before = [looks(path) for path in DEVICES]
        time.sleep(MOMENT)
        for path in DEVICES:
            try:
                act(path)
            except OSError as error:
                wall.say(f"{path}: {error.strerror}")
        return [path for path, was in zip(DEVICES, before, strict=True) if looks(path) != was]

    return attempt


def opened(act, flags=os.O_RDWR):
    def on_a_descriptor(path):
        descriptor = os.open(path, flags)
        try:
            act(descriptor)
        finally:
            os.close(descriptor)

    return on_a_descriptor


wall.tries(
    set_their_times_to_the_present=changes(os.utime),
    set_their_times=changes(lambda path: os.utime(path, (1, 1))),
    set_their_times_by_a_descriptor=changes(
        opened(lambda device: wall.call(UTIMENSAT, device, None, None, 0))
    ),
    set_their_times_past_links=changes(lambda path: wall.call(UTIMENSAT, HERE, path.encode(), None, 0x100)),
    read_them=changes(opened(lambda device: os.read(device, 64), os.O_RDONLY)),
    write_to_them=changes(opened(lambda device: os.write(device, b"word"))),
    empty_them=changes(opened(lambda device: None, os.O_WRONLY | os.O_TRUNC)),
    shorten_them=changes(opened(lambda device: os.ftruncate(device, 0))),
    change_their_mode=changes(lambda path: os.chmod(path, 0o600)),
    change_their_owner=changes(lambda path: os.chown(path, os.getuid(), os.getgid())),
    give_them_attributes=changes(lambda path: os.setxattr(path, "user.word", b"word")),
    give_them_flags=changes(opened(lambda device: fcntl.ioctl(device, SET_FLAGS, b"\x40\0\0\0\0\0\0\0"))),
    add_to_entropy=changes(opened(lambda device: fcntl.ioctl(device, ADD_TO_ENTROPY, bytes(16)))),
    give_them_hints=changes(opened(lambda device: fcntl.fcntl(device, SET_HINT, bytes(8)))),
    find_attributes=lambda: [path for path in DEVICES if os.listxattr(path)],
)
