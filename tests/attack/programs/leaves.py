"""Left-overs in its /tmp: links, pipes, sockets, devices, odd names, endless folders."""

import contextlib
import os
import socket

import wall


def leave():
    os.chdir("/tmp" if not wall.BUILD else os.environ["TMPDIR"])
    for kind in (0o010000, 0o020000, 0o060000, 0o140000):
        with contextlib.suppress(OSError):
            os.mknod(f"{wall.MARK}-{kind:o}", kind | 0o666, os.makedev(1, 1))
    os.symlink("/etc/passwd", f"{wall.MARK}-link")
    os.symlink(".", f"{wall.MARK}-loop")
    with open(f"{wall.MARK}-set", "w") as file:
        os.chmod(file.name, 0o6777)
    os.link(f"{wall.MARK}-set", f"{wall.MARK}-twin")
    server = socket.socket(socket.AF_UNIX)
    server.bind(f"{wall.MARK}-socket")
    for name in ("\n", "-rf", "\x1b[2J", "ü" * 60, " "):
        os.mkdir(f"{wall.MARK}{name}")
    with contextlib.suppress(OSError):
        for _ in range(100 if wall.BUILD else 5000 if wall.LONG else 1000):
            os.mkdir("d")
            os.chdir("d")
    wall.say("left all kinds of things")


def devices():
    made = [name for name in os.listdir("/tmp") if name.endswith(("-20000", "-60000"))]
    return [name for name in made if os.open(f"/tmp/{name}", os.O_RDONLY)]


wall.run(lambda: (leave(), wall.attempt("make a device", devices)))
