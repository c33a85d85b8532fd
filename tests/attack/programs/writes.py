"""Writing anywhere but in its own /tmp, and making itself important or pitiable in /proc."""

import os
from pathlib import Path

import wall

LIBRARY = os.path.dirname(os.path.dirname(os.__file__))
FOLDERS = ("/", "/bot", "/usr", "/usr/bin", "/etc", "/dev", "/dev/shm", "/var/tmp", "/run", "/proc",
           "/runtime/site", "/lib", LIBRARY)  # fmt: skip
SETTINGS = {"/proc/self/autogroup": "19", "/proc/self/oom_score_adj": "1000", "/proc/self/timerslack_ns": "1",
            "/proc/sys/kernel/hostname": "x", "/proc/sys/vm/drop_caches": "3", "/proc/sysrq-trigger": "h",
            "/proc/self/uid_map": "0 0 1", "/proc/self/setgroups": "allow", "/proc/self/clear_refs": "1",
            "/proc/sys/kernel/ns_last_pid": "5"}  # fmt: skip


def make(folder):
    return Path(folder, wall.MARK).write_text("x")


def put(path, text):
    return os.write(os.open(path, os.O_WRONLY), text.encode())


def change(act, *args):
    act(*args)
    return True


def touch(path):
    before = os.stat(path).st_mtime_ns
    os.utime(path)
    return os.stat(path).st_mtime_ns != before


attempts = {f"write into {folder}": lambda f=folder: make(f) for folder in FOLDERS}
attempts |= {f"set {path}": lambda p=path, t=text: put(p, t) for path, text in SETTINGS.items()}
attempts |= {
    "rename the program": lambda: change(os.rename, "/bot/bot.toml", "/bot/x"),
    "change the program": lambda: change(os.chmod, "/bot/bot.toml", 0o777),
    "write to a file opened for reading": lambda: put("/proc/self/fd/0", "") and False,
    "link the system's file": lambda: change(os.link, "/usr/bin/env", f"/tmp/{wall.MARK}"),
    "delete": lambda: change(os.unlink, "/usr/bin/env"),
    "mark a file": lambda: change(os.setxattr, "/usr/bin/env", "user.x", b"1"),
    "touch": lambda: touch("/usr/bin/env"),
}
wall.tries(**attempts)
