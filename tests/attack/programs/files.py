"""Other people's files: the other seat's program, the arena's token and database, the system's secrets."""

import os
from pathlib import Path

import wall


def read(path):
    return Path(path).read_bytes()[:60] or b"empty"


def listed(path):
    return os.listdir(path) or "empty"


wall.tries(
    read_the_other_program=lambda: read(wall.TARGETS["other"] + "/bot.toml"),
    list_the_other_program=lambda: listed(wall.TARGETS["other"]),
    read_the_token_of_the_arena=lambda: read(wall.TARGETS["arena"] + "/arena.json"),
    read_the_database=lambda: read(wall.TARGETS["arena"] + "/registry.db"),
    read_the_source=lambda: read(wall.TARGETS["source"]),
    read_shadow=lambda: read("/etc/shadow"),
    read_passwd=lambda: read("/etc/passwd"),
    read_keys=lambda: listed("/root/.ssh"),
    list_homes=lambda: listed("/home"),
    list_the_machine=lambda: [name for name in ("etc/hostname", "var/log", "sys", "mnt", "opt", "srv", "boot")
                              if os.path.exists(f"/{name}")],
    read_the_artifact_cache=lambda: listed("/var/tmp"),
    climb_out_by_dots=lambda: read("../../../../etc/shadow"),
    climb_out_by_proc=lambda: read("/proc/1/root/etc/shadow"),
)  # fmt: skip
