"""Fills its /tmp, with one large file and with a hole in a huge one."""

import os

import wall


def fill():
    with open(f"/tmp/{wall.MARK}", "wb") as file:
        for count in range(64):
            try:
                file.write(bytes(1 << 20))
                file.flush()
            except OSError as error:
                wall.say(f"could not: write more than {count} MiB ({wall.errno.errorcode[error.errno]})")
                return
    wall.say("could: write 64 MiB")


def sparse():
    with open(f"/tmp/{wall.MARK}-hole", "wb") as file:
        os.truncate(file.fileno(), 1 << 40)
        return os.fstat(file.fileno()).st_size


def reserve():
    with open(f"/tmp/{wall.MARK}-reserved", "wb") as file:
        os.posix_fallocate(file.fileno(), 0, 1 << 30)
        return True


wall.run(
    lambda: (wall.attempt("make a hole of 1 TiB", sparse), wall.attempt("reserve 1 GiB", reserve), fill())
)
